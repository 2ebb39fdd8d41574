/* SPDX-License-Identifier: MIT
 *
 * After a call nothing in the memory of the process has what it gave, but the caller's buffer, and nothing is a key
 * that would make it again.
 */
#define _GNU_SOURCE
#include "harness.h"

#include <sys/mman.h>

#include "../random/random.h"

enum { PIECE = 16, MOST = 5000 };

static uint8_t *out; /* in pages of its own, which are not searched */

struct search {
    const uint8_t *bytes; /* in pages that are not searched */
    int is_number;        /* there are 8 of them, not PIECE */
    uint32_t block;       /* the number of the block of a stream, and where they stand in it */
    size_t at;
    size_t copies, keys, searched;
};

static uint32_t *work; /* pages that are not searched: what the search itself computes */

/* Byte by byte, so that neither the compiler nor the C library keeps what is searched for in memory itself. */
static int are_equal(const struct search *s, const uint8_t *p)
{
    const volatile uint8_t *b = s->bytes;
    const size_t n = s->is_number ? 8 : PIECE;

    for (size_t i = 0; i < n; i++)
        if (p[i] != b[i]) return 0;
    return 1;
}

/* Would the 32 bytes at p, as a key, give what is searched for? */
static int is_key(const struct search *s, const uint8_t *p)
{
    uint8_t *block = (uint8_t *)(work + 16);

    memcpy(work + 4, p, 32);
    work[12] = s->block;
    memset(block, 0, 64);
    chacha_reference()(block, block, 1, work, 20);
    return are_equal(s, block + s->at);
}

static void search_in(struct search *s, const uint8_t *from, const uint8_t *to)
{
    for (const uint8_t *p = from; p + PIECE <= to; p++) s->copies += *p == s->bytes[0] && are_equal(s, p);
    for (const uint8_t *p = from; p + 32 <= to; p += 4) {
        uint64_t any[4];
        memcpy(any, p, 32);
        s->keys += (any[0] | any[1]) && (any[2] | any[3]) && is_key(s, p);
    }
    s->searched += (size_t)(to - from);
}

static void search(struct search *s)
{
    char line[512];
    FILE *f = fopen("/proc/self/maps", "r");

    if (!f) FAIL("no /proc/self/maps");
    s->copies = s->keys = s->searched = 0;
    while (fgets(line, sizeof line, f)) {
        unsigned long from, to;
        char mode[5];
        if (sscanf(line, "%lx-%lx %4s", &from, &to, mode) != 3 || mode[0] != 'r' || mode[1] != 'w') continue;
        const uint8_t *begin = (const uint8_t *)from, *end = (const uint8_t *)to;
        const uint8_t *skip[] = {out, (const uint8_t *)work};
        for (unsigned i = 0; i < 2; i++) /* either may have been joined with a neighbour */
            if (begin <= skip[i] && skip[i] < end) {
                search_in(s, begin, skip[i]);
                begin = skip[i] + 8192;
            }
        search_in(s, begin, end);
    }
    fclose(f);
}

static void *pages(void)
{
    /* Pages before it that cannot be accessed keep it apart. */
    uint8_t *p = mmap(NULL, 3 * 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(p != MAP_FAILED);
    assert_int_equal(mprotect(p + 8192, 8192, PROT_READ | PROT_WRITE), 0);
    return p + 8192;
}

static void set_up(void)
{
    if (out) return;
    out = pages();
    work = pages();
    work[0] = 0x61707865, work[1] = 0x3320646e, work[2] = 0x79622d32, work[3] = 0x6b206574;
}

/* What is there is found. */
static void test_plants(void **state)
{
    static uint8_t key[32], copy[20];
    struct search s = {.block = 63, .at = 48};

    (void)state;
    set_up();
    s.bytes = out;
    assert_int_equal(qs_random(key, sizeof key), QS_OK);
    memcpy(work + 4, key, 32);
    work[12] = 63;
    memset(out, 0, 64);
    chacha_reference()(out, out, 1, work, 20);
    memmove(out, out + 48, PIECE);
    qs_stack_wipe();
    search(&s);
    assert_int_equal(s.copies, 0);
    assert_true(s.keys >= 1);
    qs_wipe(key, sizeof key);
    qs_wipe(work + 4, 32);
    qs_stack_wipe();
    search(&s);
    assert_int_equal(s.keys, 0);
    memcpy(copy + 3, out, PIECE);
    search(&s);
    assert_int_equal(s.copies, 1);
    qs_wipe(copy, sizeof copy);
}

static void check_row(const struct qs_kernel *row, void *arg)
{
    static const size_t lengths[] = {
        16, 20, 32, 33, 100, 1000, QS_RANDOM_DIRECT - 1, QS_RANDOM_DIRECT, QS_RANDOM_DIRECT + 4, 4096, MOST};
    const uint32_t last = QS_RANDOM_POOL / 64 - 1;
    size_t searched = 0;

    (void)arg;
    for (size_t i = 0; i < COUNT(lengths); i++) {
        const size_t len = lengths[i];
        const int direct = len >= QS_RANDOM_DIRECT;
        assert_int_equal(qs_random_reseed(), QS_OK); /* the next call needs a new pool, and takes from its end */
        assert_int_equal(qs_random(out, len), QS_OK);

        struct search s = {
            .bytes = direct ? out : out + len - PIECE, .block = direct ? 0 : last, .at = direct ? 0 : 48};
        search(&s);
        if (s.copies) FAIL("%s: %zu copies of the output of %zu bytes", row->name, s.copies, len);
        if (s.keys) FAIL("%s: what made %zu bytes is still there", row->name, len);
        searched = s.searched;
        struct search other = {.bytes = direct ? out + len - PIECE : out, .block = (uint32_t)(len / 64), .at = 0};
        search(&other);
        if (other.copies) FAIL("%s: %zu copies of the output of %zu bytes", row->name, other.copies, len);
    }
    print_message("%s: %zu KiB searched\n", row->name, searched / 1024);
    if (strcmp(row->name, "careless")) covered("memory", "chacha", row->name);
}

static void test_calls(void **state)
{
    (void)state;
    set_up();
    each_row(QS_CHACHA, check_row, NULL);
}

/* A kernel in C leaves what it likes on the stack: here its key and its last block. */
static QS_NOINLINE void careless(uint8_t *to, const uint8_t *in, size_t nblocks, const uint32_t state[16],
                                 unsigned rounds)
{
    volatile uint8_t left[96];

    chacha_reference()(to, in, nblocks, state, rounds);
    for (unsigned i = 0; i < 32; i++) left[i] = (uint8_t)(state[4 + i / 4] >> 8 * (i % 4));
    for (unsigned i = 0; i < 64; i++) left[32 + i] = to[64 * (nblocks - 1) + i];
    QS_BARRIER(&left);
}

static void test_careless_kernel(void **state)
{
    static const struct qs_kernel row = {.name = "careless", .blocks = {.chacha = careless}};

    (void)state;
    set_up();
    __atomic_store_n(&qs_chosen[QS_CHACHA], &row, __ATOMIC_SEQ_CST);
    check_row(&row, NULL);
    choose_best_row(QS_CHACHA);
}

/* Without a state, as within a handler. */
static void test_without_a_state(void **state)
{
    struct qs_random_state *mine = qs_random_thread.idle;

    (void)state;
    assert_non_null(mine);
    qs_random_thread.idle = NULL;
    for (size_t len = 16; len <= MOST; len += 831) {
        assert_int_equal(qs_random(out, len), QS_OK);
        struct search s = {.bytes = out, .block = 0, .at = 0};
        search(&s);
        assert_int_equal(s.copies, 0);
        assert_int_equal(s.keys, 0);
    }
    qs_random_thread.idle = mine;
}

/* What the system says of the page at p: flags of two letters. Returns 0 if it says nothing. */
static int look_at_page(const void *p, char flags[512])
{
    const uintptr_t at = (uintptr_t)p;
    char line[512];
    int inside = 0;
    FILE *f = fopen("/proc/self/smaps", "r");

    *flags = 0;
    while (f && fgets(line, sizeof line, f)) {
        unsigned long from, to;
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2) inside = from <= at && at < to;
        if (inside && !strncmp(line, "VmFlags:", 8)) strcpy(flags, line);
    }
    if (f) fclose(f);
    return *flags != 0;
}

/* The state's pages: no core dump has them, they are never swapped out where that is allowed, and a child has zeros. */
static void test_pages(void **state)
{
    uint8_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char flags[512];

    (void)state;
    assert_true(page != MAP_FAILED);
    if (madvise(page, 4096, MADV_DONTDUMP) || !look_at_page(page, flags) || !strstr(flags, " dd")) {
        print_message("skipped: the system, an emulator perhaps, does not tell how pages are kept\n");
        skip();
    }
    const int locks = mlock(page, 4096) == 0;
    munmap(page, 4096);
    assert_true(look_at_page(qs_random_thread.own, flags));
    if (!strstr(flags, " dd")) FAIL("core dumps have the state: %s", flags);
    if (!strstr(flags, " wf") && !qs_random_thread.own->check_pid) FAIL("children have the state: %s", flags);
    if (!strstr(flags, " lo") && locks) FAIL("the state may be swapped out: %s", flags);
}

/* Of 8 bytes, too, as numbers are. */
static void test_numbers(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(qs_random_reseed(), QS_OK);
        if (i == 0) assert_int_equal(qs_random_u64((uint64_t *)(void *)out), QS_OK);
        else if (i == 1) assert_int_equal(qs_random(out, 8), QS_OK);
        else
            for (unsigned k = 0; k < 8; k += 4) assert_int_equal(qs_random_u32((uint32_t *)(void *)(out + k)), QS_OK);
        struct search s = {.bytes = out, .is_number = 1, .block = QS_RANDOM_POOL / 64 - 1, .at = 56};
        if (i == 2) { /* in the pool the first stood behind the second */
            uint8_t both[8];
            memcpy(both, out + 4, 4), memcpy(both + 4, out, 4);
            memcpy(out, both, 8);
            qs_wipe(both, 8);
            qs_stack_wipe();
        }
        search(&s);
        if (s.copies) FAIL("%zu copies of a number", s.copies);
        if (s.keys) FAIL("what made a number is still there");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plants),          cmocka_unit_test(test_calls),
                                       cmocka_unit_test(test_careless_kernel), cmocka_unit_test(test_without_a_state),
                                       cmocka_unit_test(test_numbers),         cmocka_unit_test(test_pages)};
    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
