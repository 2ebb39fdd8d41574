/* SPDX-License-Identifier: MIT
 *
 * The end of a message's MAC on LoongArch64, at sums that no message would reach by chance: around 2^130 - 5, where the tag
 * needs the last reduction.
 */
#include "harness.h"

#if defined(__loongarch_lp64)

struct tag {
    uint64_t lower, upper;
};
struct tag qs_message_end(void *work, const struct qs_message *m, const uint8_t *text, size_t len);

/* With r = 1, no text and the lengths' block, the sum is h + ad_len + 2^128. */
static void check(int from_p, uint64_t ad_len)
{
    struct {
        uint64_t h[4], r[2], s[2], room[2];
    } work = {{0}, {1, 0}, {random_u64(), random_u64()}, {0}};
    const struct qs_message m = {.ad_len = ad_len};
    const qs_uint128 s = work.s[0] | (qs_uint128)work.s[1] << 64, below = (qs_uint128)0 - 5 + (qs_uint128)from_p,
                     h = below - ad_len; /* 2^130 - 5 + from_p - 2^128 - ad_len is h + 2 2^128 */

    work.h[0] = (uint64_t)h;
    work.h[1] = (uint64_t)(h >> 64);
    work.h[2] = 2;
    const struct tag tag = qs_message_end(&work, &m, NULL, 0);
    const qs_uint128 want = s + (from_p < 0 ? below : (qs_uint128)from_p);
    if (tag.lower != (uint64_t)want || tag.upper != (uint64_t)(want >> 64))
        FAIL("a sum of 2^130 - 5 %+d, %llu bytes of AD: the tag is wrong", from_p, (unsigned long long)ad_len);
}

static void reduces(void **state)
{
    (void)state;
    for (int from_p = -300; from_p <= 300; from_p++)
        for (uint64_t ad_len = 1000; ad_len < 1005; ad_len++) check(from_p, ad_len);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reduces)};
    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else
SKIPPED("not on LoongArch64")
#endif
