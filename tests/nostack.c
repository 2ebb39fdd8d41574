/* SPDX-License-Identifier: MIT
 *
 * The keystream without a stack: right, and counted right; called while the stack pointer points to pages that cannot
 * be accessed; and under two keys of which no word is the same, it leaves the same in every register that a call may
 * change (those that it may not, abi.c looks at).
 */
#include "nostack.h"
#include "wipe_look.h"

#ifdef QS_HAVE_BLOCKS_NOSTACK

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST = 9 };

/* ---- answers ----------------------------------------------------------------------------------------------------- */

static void check(uint64_t start, size_t n, size_t at)
{
    static const uint8_t nonce[8] = {0};
    static uint8_t want[64 * MOST];
    static _Alignas(8) uint8_t area[FRINGE + 64 + 64 * MOST + FRINGE];
    uint8_t *out = area + FRINGE + at, key_bytes[32];
    uint32_t key[8], counter[4] = {0x5a5a5a5a, (uint32_t)start, (uint32_t)(start >> 32), 0xa5a5a5a5};

    random_bytes(key_bytes, sizeof key_bytes);
    qs_load_words(key, key_bytes, 8);
    assert_int_equal(qs_chacha_djb_xor(want, key_bytes, nonce, start, 20, NULL, 64 * n), QS_OK);
    memset(area, FRINGE_BYTE, sizeof area);
    qs_chacha20_blocks_nostack(out, key, counter + 1, n);
    expect_output(out, want, 64 * n, "%zu blocks from counter %#llx at +%zu", n, (unsigned long long)start, at);
    for (size_t i = 0; i < 8; i++) assert_int_equal(key[i], qs_load32(key_bytes + 4 * i));
    const uint64_t end = counter[1] | (uint64_t)counter[2] << 32;
    if (end != start + n || counter[0] != 0x5a5a5a5a || counter[3] != 0xa5a5a5a5)
        FAIL("%zu blocks from counter %#llx: the counter is %#llx afterwards", n, (unsigned long long)start,
             (unsigned long long)end);
}

static void right_blocks(void **state)
{
    static const uint64_t last[] = {0, 1, UINT32_MAX, UINT64_C(1) << 32, UINT64_C(0x7fffffffffffffff), UINT64_MAX};

    (void)state;
    for (size_t n = 0; n <= MOST; n++) {
        for (size_t i = 0; i < COUNT(last); i++)
            for (size_t before = 0; before <= n; before++)
                if (last[i] - before + n - 1 >= last[i] - before || n == 0) /* the other function has a limit */
                    check(last[i] - before, n, 4 * (before + n) % 64);
        for (int i = 0; i < 20; i++) check(random_u64() >> 1, n, 4 * random_below(16));
    }
}

/* A counter of 64 bits goes on at 0. */
static void wraps(void **state)
{
    uint32_t key[8] = {1, 2, 3, 4, 5, 6, 7, 8}, counter[2] = {UINT32_MAX, UINT32_MAX}, zero[2] = {0, 0};
    _Alignas(8) uint8_t both[128], second[64];

    (void)state;
    qs_chacha20_blocks_nostack(both, key, counter, 2);
    assert_int_equal(counter[0], 1);
    assert_int_equal(counter[1], 0);
    qs_chacha20_blocks_nostack(second, key, zero, 1);
    assert_memory_equal(both + 64, second, 64);
}

/* ---- stack and registers ----------------------------------------------------------------------------------------- */

enum { NOWHERE = 1 << 20 };
static uint8_t *nowhere; /* pages that cannot be accessed; but see below */

/* Where a call itself puts its return address on the stack, one page can be accessed: the address stands first in it, so that
 * any access below faults, or last, so that any above does. */
#ifdef __x86_64__
enum { RETURN_LEN = 8 };
#else
enum { RETURN_LEN = 0 };
#endif

static uintptr_t stack_pointer(int last)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *middle = nowhere + NOWHERE / 2;

    if (RETURN_LEN != 0 && mprotect(middle, page, PROT_READ | PROT_WRITE)) FAIL("mprotect failed");
    return (uintptr_t)(RETURN_LEN != 0 && last ? middle + page : middle + RETURN_LEN);
}
static sigjmp_buf back;

static void on_fault(int number) { siglongjmp(back, number); }

/* 0, or the signal that came. The handler has a stack of its own. */
static int call_without_stack(struct nostack_call *c)
{
    struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK}, before;

    sigaction(SIGSEGV, &action, &before);
    int number = sigsetjmp(back, 1);
    if (number == 0) nostack_enter(c);
    sigaction(SIGSEGV, &before, NULL);
    return number;
}

static _Alignas(8) uint8_t blocks[2][64 * MOST];

/* Both calls write to one place, so that pointers too are the same in both. */
static int call_under_two_keys(struct nostack_call c[2], nostack_function *f, size_t n, int last)
{
    static _Alignas(8) uint8_t dst[64 * MOST];
    static uint32_t key[8], counter[2];
    int fault = 0;

    for (int i = 0; i < 2; i++) {
        memset(&c[i], 0, sizeof c[i]);
        c[i].function = f;
        c[i].sp = stack_pointer(last);
        c[i].vector_len = look_vector_len();
        c[i].args[0] = (uintptr_t)dst, c[i].args[1] = (uintptr_t)key, c[i].args[2] = (uintptr_t)counter, c[i].args[3] = n;
        for (size_t w = 0; w < 8; w++) key[w] = UINT32_C(0x9e3779b9) * (uint32_t)(w + 8 * (size_t)i + 1);
        counter[0] = UINT32_MAX, counter[1] = 6;
        fault |= call_without_stack(&c[i]);
        memcpy(blocks[i], dst, sizeof dst);
    }
    return fault;
}

/* The first general register that differs; 32 for a vector or floating point register; or -1. */
static int different_register(const struct nostack_call c[2])
{
    for (int r = 0; r < 32; r++)
        if (c[0].general[r] != c[1].general[r]) return r;
    return memcmp(c[0].vectors, c[1].vectors, sizeof c[0].vectors) ? 32 : -1;
}

static void needs_no_stack_and_leaves_nothing(void **state)
{
    static struct nostack_call c[2];

    (void)state;
    for (size_t n = 0; n <= MOST; n++) {
        int fault = call_under_two_keys(c, qs_chacha20_blocks_nostack, n, 0);
        fault |= call_under_two_keys(c, qs_chacha20_blocks_nostack, n, 1);
        if (fault) FAIL("%zu blocks: signal %d: it touches the stack", n, fault);
        if (n) assert_memory_not_equal(blocks[0], blocks[1], 64 * n);
        int r = different_register(c);
        if (r >= 0 && r < 32) FAIL("%zu blocks: general register %d depends on the key", n, r);
        if (r >= 0) FAIL("%zu blocks: a vector register depends on the key", n);
    }
}

static void plants_are_caught(void **state)
{
    static struct nostack_call c[2];

    (void)state;
    for (int i = 0; nostack_plants[i].name; i++) {
        int fault = call_under_two_keys(c, nostack_plants[i].function, 1, 0);
        fault |= call_under_two_keys(c, nostack_plants[i].function, 1, 1);
        int r = different_register(c);
        if (i < NOSTACK_PLANTS_ON_STACK ? !fault : fault || r < 0) FAIL("not caught: %s", nostack_plants[i].name);
        print_message("caught: %s\n", nostack_plants[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plants_are_caught),
        cmocka_unit_test(right_blocks),
        cmocka_unit_test(wraps),
        cmocka_unit_test(needs_no_stack_and_leaves_nothing),
    };
    static uint8_t signal_stack[65536];
    const stack_t stack = {.ss_sp = signal_stack, .ss_size = sizeof signal_stack};

    nowhere = mmap(NULL, NOWHERE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (nowhere == MAP_FAILED || sigaltstack(&stack, NULL)) return 1;
    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else
SKIPPED("this architecture has no block function without a stack")
#endif
