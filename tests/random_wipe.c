/* SPDX-License-Identifier: MIT
 *
 * What a call leaves on the stack below its caller and in the vector registers: no 8 bytes of what it gave.
 */
#include "wipe_look.h"

#include "../random/random.h"

enum { PIECE = 8, MOST = 4200 };

static _Alignas(8) uint8_t out[MOST];
static size_t len;
static qs_status status;

static void bytes(void) { status = qs_random(out, len); }
static void number(void) { status = qs_random_u64((uint64_t *)(void *)out); }

/* How many pieces of out stand in n bytes at p. Zeros are no piece: out has none, or but once in 2^50 runs. */
static size_t pieces(const uint8_t *p, size_t n)
{
    static const uint8_t zeros[PIECE];
    static uint8_t begins[65536]; /* does a piece begin with these two bytes? */
    size_t found = 0;

    memset(begins, 0, sizeof begins);
    for (size_t k = 0; k + PIECE <= len; k++) begins[out[k] | out[k + 1] << 8] = 1;
    for (size_t i = 0; i + PIECE <= n; i++)
        if (begins[p[i] | p[i + 1] << 8] && memcmp(p + i, zeros, PIECE))
            for (size_t k = 0; k + PIECE <= len; k++) found += memcmp(p + i, out + k, PIECE) == 0;
    return found;
}

static void check(const char *row, const char *what, void (*call)(void))
{
    static struct look look;

    for (unsigned i = 0; i < 2; i++) { /* the first time binds symbols, which saves registers on the stack */
        look_at(&look, call);
        if (status != QS_OK) FAIL("%s, %zu bytes: %s", what, len, qs_strerror(status));
    }
    size_t n = pieces(look.dead, look.dead_len);
    if (n) FAIL("%s: %s, %zu bytes: %zu pieces of the output stay on the stack", row, what, len, n);
    n = pieces(look.vectors, sizeof look.vectors);
    if (n) FAIL("%s: %s, %zu bytes: %zu pieces of the output stay in vector registers", row, what, len, n);
}

/* Out of the pool, with a refill before it, with one in its middle, and straight from the kernel. */
static void check_row(const struct qs_kernel *row, void *arg)
{
    static const size_t lengths[] = {8,   9,   15,  16,  17,   31,   32,   33,   40,   47,   63,   64,   65,   96,
                                     100, 129, 255, 500, 1000, 1100, 1500, 2047, 2048, 2049, 2100, 2111, 4096, MOST};

    (void)arg;
    for (size_t i = 0; i < COUNT(lengths); i++) {
        struct qs_random_thread *t = &qs_random_thread;

        len = lengths[i];
        assert_int_equal(qs_random_reseed(), QS_OK);
        check(row->name, "the first of a pool", bytes);
        while (t->left >= len + len / 2) assert_int_equal(qs_random(out, 1), QS_OK);
        check(row->name, "the rest of a pool", bytes);
        /* As if within a handler that has interrupted a call. */
        struct qs_random_state *mine = t->idle;
        t->idle = NULL;
        check(row->name, "without a state", bytes);
        t->idle = mine;
    }
    len = PIECE;
    check(row->name, "a number", number);
    covered("wipe-random", "chacha", row->name);
}

static void test_rows(void **state)
{
    (void)state;
    each_row(QS_CHACHA, check_row, NULL);
}

/* What is left is found. */
static void careless(void)
{
    volatile uint8_t left[PIECE];

    status = qs_random(out, len);
    for (unsigned i = 0; i < PIECE; i++) left[i] = out[i + 3];
    QS_BARRIER(&left);
}

#if defined(__x86_64__) || defined(__aarch64__)
static void careless_register(void)
{
    status = qs_random(out, len);
#ifdef __x86_64__
    __asm__ volatile("movdqu %0, %%xmm5" : : "m"(out) : "xmm5");
#else
    __asm__ volatile("ldr q5, [%0]" : : "r"(out) : "v5", "memory");
#endif
}
#else
#define careless_register careless
#endif

static void test_plants(void **state)
{
    static struct look look;
    void (*const plants[])(void) = {careless, careless_register};

    (void)state;
    len = 20;
    for (unsigned i = 0; i < COUNT(plants); i++) {
        look_at(&look, plants[i]);
        assert_int_equal(status, QS_OK);
        assert_true(pieces(i && plants[i] != careless ? look.vectors : look.dead,
                           i && plants[i] != careless ? sizeof look.vectors : look.dead_len) > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plants), cmocka_unit_test(test_rows)};

#ifndef __OPTIMIZE__
    puts("skipped: without optimization frames are not those that are wiped");
    return 77;
#endif
    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
