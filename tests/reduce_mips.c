/* SPDX-License-Identifier: MIT
 *
 * The last reduction of Poly1305 in MIPS assembly, where h is 2^130 - 5 and more, or a carry runs through all words: no
 * message leads there in any time, so it is called alone and compared with subtractions of 2^130 - 5.
 */
#include "harness.h"

#ifdef QS_MIPS32R2

void reduce(uint32_t tag[4], const uint32_t h[5], const uint32_t s[4]);

static void by_subtraction(uint32_t tag[4], const uint32_t accumulator[5], const uint32_t s[4])
{
    uint32_t h[5], less[5];
    uint64_t c;

    memcpy(h, accumulator, sizeof h);
    for (;;) {
        c = 5;
        for (unsigned i = 0; i < 5; i++) c += h[i], less[i] = (uint32_t)c, c >>= 32;
        if (less[4] < 4) break;
        less[4] -= 4;
        memcpy(h, less, sizeof h);
    }
    c = 0;
    for (unsigned i = 0; i < 4; i++) c += (uint64_t)h[i] + s[i], tag[i] = (uint32_t)c, c >>= 32;
}

static void test_rare_ways(void **state)
{
    unsigned beyond = 0;

    (void)state;
    for (unsigned n = 0; n < 200000; n++) {
        uint32_t h[5], s[4], got[4], want[4];

        random_dense(h, sizeof h);
        random_dense(s, sizeof s);
        if (n % 2) memset(h + 1, 0xff, 12);
        if (n % 4 == 3) h[0] = UINT32_MAX - n / 4 % 8;
        h[4] = (uint32_t)random_below(8);
        beyond += h[4] % 4 == 3 && (h[3] & h[2] & h[1]) == UINT32_MAX && h[0] >= UINT32_MAX - 4;
        reduce(got, h, s);
        by_subtraction(want, h, s);
        expect_bytes((const uint8_t *)got, (const uint8_t *)want, 16, "h %08x %08x %08x %08x %08x", h[4], h[3], h[2],
                     h[1], h[0]);
    }
    assert_true(beyond > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rare_ways)};

    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else
SKIPPED("there is no assembly for MIPS here")
#endif
