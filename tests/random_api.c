/* SPDX-License-Identifier: MIT
 *
 * Random bytes: arguments, lengths, numbers, seeds that do not come; a cheap look at what comes out.
 */
#include "random_seen.h"

#include <math.h>
#include <time.h>

#include "../random/random.h"

static void test_arguments(void **state)
{
    uint32_t x = 0;

    (void)state;
    assert_int_equal(qs_random(NULL, 1), QS_ERR_ARGUMENT);
    assert_int_equal(qs_random(NULL, 100000), QS_ERR_ARGUMENT);
    assert_int_equal(qs_random(NULL, 0), QS_OK);
    assert_int_equal(qs_random(&x, 0), QS_OK);
    assert_int_equal(x, 0);
    assert_int_equal(qs_random_u32(NULL), QS_ERR_ARGUMENT);
    assert_int_equal(qs_random_u64(NULL), QS_ERR_ARGUMENT);
    assert_int_equal(qs_random_uniform(NULL, 5), QS_ERR_ARGUMENT);
    x = 77;
    assert_int_equal(qs_random_uniform(&x, 0), QS_ERR_ARGUMENT);
    assert_int_equal(x, 77);
}

/* Every byte is written, and none outside. A byte that stays as it was in 40 calls was not written: 2^-320. */
static void check_length(size_t len, unsigned offset)
{
    static uint8_t changed[70000];
    uint8_t *buf = guard_end(0, len + offset);

    memset(changed, 0, len);
    for (int i = 0; i < 40; i++) {
        memset(buf, 0x5a, len + offset);
        guard_note("qs_random of %zu bytes, %u from the end", len, offset);
        assert_int_equal(qs_random(buf, len), QS_OK);
        for (size_t k = 0; k < len; k++) changed[k] |= buf[k] != 0x5a;
        for (size_t k = len; k < len + offset; k++)
            if (buf[k] != 0x5a) FAIL("qs_random of %zu bytes wrote byte %zu", len, k);
    }
    for (size_t k = 0; k < len; k++)
        if (!changed[k]) FAIL("qs_random of %zu bytes leaves byte %zu as it was", len, k);
}

static void check_row(const struct qs_kernel *row, void *arg)
{
    static const size_t around[] = {1024, 2047, 2048, 2049, 4096, 8192, 10207, 10208, 10209, 65536, 65599};

    (void)arg;
    for (size_t len = 0; len < 300; len++) check_length(len, len % 3 ? 0 : (unsigned)random_below(40));
    for (size_t i = 0; i < COUNT(around); i++) check_length(around[i], 0);
    covered("random", "chacha", row->name);
}

static void test_lengths(void **state)
{
    (void)state;
    each_row(QS_CHACHA, check_row, NULL);
}

/* ---- what comes out ---------------------------------------------------------------------------------------------- */

/* How far a sum of squares is from what n degrees of freedom give, in standard deviations. */
static double too_much(const uint32_t *count, unsigned n, double each)
{
    double chi = 0;
    for (unsigned i = 0; i < n; i++) chi += (count[i] - each) * (count[i] - each) / each;
    return (chi - (n - 1)) / sqrt(2.0 * (n - 1));
}

static void look_at(const char *what, const uint8_t *bytes, size_t n)
{
    uint32_t single[256] = {0}, bit[8] = {0};
    static uint32_t pair[65536];

    memset(pair, 0, sizeof pair);
    for (size_t i = 0; i < n; i++) {
        single[bytes[i]]++;
        if (i) pair[bytes[i - 1] << 8 | bytes[i]]++;
        for (unsigned b = 0; b < 8; b++) bit[b] += bytes[i] >> b & 1;
    }
    if (fabs(too_much(single, 256, n / 256.0)) > 6) FAIL("%s: bytes are not equally frequent", what);
    if (fabs(too_much(pair, 65536, (n - 1) / 65536.0)) > 6) FAIL("%s: pairs of bytes are not equally frequent", what);
    for (unsigned b = 0; b < 8; b++)
        if (fabs(bit[b] - n / 2.0) > 6 * sqrt(n / 4.0)) FAIL("%s: bit %u is biased", what, b);
}

static void test_statistics(void **state)
{
    enum { N = 4 << 20 };
    static uint8_t bytes[N];
    static const uint16_t lengths[] = {1, 4, 8, 13, 32, 100, 1023, 4096, 65535};

    (void)state;
    for (size_t i = 0; i < COUNT(lengths); i++) {
        for (size_t at = 0; at < N; at += lengths[i])
            assert_int_equal(qs_random(bytes + at, N - at < lengths[i] ? N - at : lengths[i]), QS_OK);
        look_at("qs_random", bytes, N);
    }
    memset(bytes, 0, N);
    for (size_t at = 0; at < N; at += 8) assert_int_equal(qs_random_u64((uint64_t *)(void *)(bytes + at)), QS_OK);
    look_at("qs_random_u64", bytes, N);
    for (size_t at = 0; at < N; at += 4) assert_int_equal(qs_random_u32((uint32_t *)(void *)(bytes + at)), QS_OK);
    look_at("qs_random_u32", bytes, N);
    /* The look sees a bias: one byte in 200 is replaced. */
    for (size_t at = 0; at < N; at += 200) bytes[at] = 7;
    uint32_t single[256] = {0};
    for (size_t at = 0; at < N; at++) single[bytes[at]]++;
    assert_true(too_much(single, 256, N / 256.0) > 6);
}

static void test_uniform(void **state)
{
    /* 3 * 2^30: a remainder of a 32-bit number would come up twice as often in the lower third. */
    static const uint32_t bounds[] = {
        1,           2,           3,           5,          6, 7, 10, 100, 255, 256, 257, 1000, UINT32_C(1) << 31,
        0x80000001u, 0xc0000000u, 0xfffffffeu, 0xffffffffu};
    enum { DRAWS = 300000, BINS = 12 };

    (void)state;
    for (size_t i = 0; i < COUNT(bounds); i++) {
        const uint32_t bins = bounds[i] < BINS ? bounds[i] : BINS;
        uint32_t count[BINS] = {0};
        double each[BINS] = {0}, chi = 0;

        for (uint64_t b = 0; b < bins; b++)
            each[b] = (double)((b + 1) * bounds[i] / bins - b * bounds[i] / bins) * DRAWS / bounds[i];
        for (int k = 0; k < DRAWS; k++) {
            uint32_t x;
            assert_int_equal(qs_random_uniform(&x, bounds[i]), QS_OK);
            if (x >= bounds[i]) FAIL("%u is not below %u", x, bounds[i]);
            uint32_t b = (uint32_t)((uint64_t)x * bins / bounds[i]);
            while ((uint64_t)(b + 1) * bounds[i] / bins <= x) b++; /* bins begin at whole numbers */
            count[b]++;
        }
        for (unsigned b = 0; b < bins; b++) chi += (count[b] - each[b]) * (count[b] - each[b]) / each[b];
        if (bins > 1 && (chi - (bins - 1)) / sqrt(2.0 * (bins - 1)) > 7) FAIL("bound %u: not uniform", bounds[i]);
        if (bins == 1) assert_int_equal(count[0], DRAWS);
    }
}

static void test_numbers_differ(void **state)
{
    (void)state;
    seen_start(300000);
    for (int i = 0; i < 100000; i++) {
        uint32_t x[8];
        for (unsigned k = 0; k < 8; k += 2) {
            assert_int_equal(qs_random_u32(&x[k]), QS_OK);
            assert_int_equal(qs_random_u32(&x[k + 1]), QS_OK);
        }
        seen_note(x, sizeof x);
    }
    seen_check(200000);
}

/* ---- seeds ------------------------------------------------------------------------------------------------------- */

static unsigned asked;
static int fails;

static qs_status source(uint8_t *out, size_t len)
{
    asked++;
    memset(out, 0x77, len); /* also when it fails: it must not be used */
    return fails ? QS_ERR_STATE : QS_OK;
}

static void expect_no_entropy(size_t len)
{
    uint8_t buf[5000];

    memset(buf, 0x5a, sizeof buf);
    assert_int_equal(qs_random(buf, len), QS_ERR_ENTROPY);
    for (size_t i = 0; i < sizeof buf; i++) assert_int_equal(buf[i], 0x5a);
}

/* A seed that does not come is an error each time, and nothing is written; once one comes, all goes on. */
static void test_failing_source(void **state)
{
    static const size_t lengths[] = {1, 4, 32, 33, 500, 2048, 5000};
    uint32_t x = 77;
    uint64_t y = 78;

    (void)state;
    assert_int_equal(qs_random(&y, 8), QS_OK);
    y = 78;
    qs_random_source(source);
    fails = 1;
    asked = 0;
    assert_int_equal(qs_random_reseed(), QS_ERR_ENTROPY);
    for (size_t i = 0; i < COUNT(lengths); i++) expect_no_entropy(lengths[i]);
    assert_int_equal(qs_random_u32(&x), QS_ERR_ENTROPY);
    assert_int_equal(qs_random_u64(&y), QS_ERR_ENTROPY);
    assert_int_equal(qs_random_uniform(&x, 10), QS_ERR_ENTROPY);
    assert_int_equal(x, 77);
    assert_int_equal(y, 78);
    assert_int_equal(qs_random(NULL, 0), QS_ERR_ENTROPY);
    assert_int_equal(asked, COUNT(lengths) + 5);
    fails = 0;
    assert_int_equal(qs_random_u32(&x), QS_OK);
    assert_int_equal(asked, COUNT(lengths) + 6);
    assert_int_equal(qs_random_u32(&x), QS_OK);
    assert_int_equal(asked, COUNT(lengths) + 6);
    qs_random_source(NULL);
    assert_int_equal(qs_random_reseed(), QS_OK);
    assert_int_equal(asked, COUNT(lengths) + 6);
}

/* A seed is good for 4 MiB, however they are drawn; a call that needs a new one and gets none writes nothing. */
static void test_volume(void **state)
{
    static const size_t lengths[] = {4, 32, 1000, 5000, 100000};
    static uint8_t buf[100000];

    (void)state;
    qs_random_source(source);
    for (size_t i = 0; i < COUNT(lengths); i++) {
        const size_t most = (4 << 20) + 100000 + 10240, n = most / lengths[i] + 1;
        size_t k = 0;
        fails = 0;
        assert_int_equal(qs_random_reseed(), QS_OK);
        fails = 1;
        asked = 0;
        memset(buf, 0x5a, sizeof buf);
        while (k < n && qs_random(buf, lengths[i]) == QS_OK) k++, memset(buf, 0x5a, lengths[i] < 50 ? lengths[i] : 50);
        if (k == n) FAIL("%zu calls of %zu bytes, and no new seed", n, lengths[i]);
        if (k * lengths[i] < (4 << 20) - 100000) FAIL("a new seed after %zu calls of %zu bytes", k, lengths[i]);
        assert_int_equal(asked, 1);
        for (size_t b = 0; b < 50 && b < lengths[i]; b++) assert_int_equal(buf[b], 0x5a);
    }
    fails = 0;
    qs_random_source(NULL);
    assert_int_equal(qs_random_reseed(), QS_OK);
}

/* And for 60 seconds, looked at when a pool is made or a request is long. Here the seed is made older. */
static void age(const char *what, int seconds, unsigned before, size_t len, unsigned asks)
{
    static uint8_t buf[QS_RANDOM_DIRECT];

    assert_int_equal(qs_random_reseed(), QS_OK);
    assert_int_equal(qs_random(buf, 4), QS_OK);
    while (qs_random_thread.left > before) assert_int_equal(qs_random(buf, 1), QS_OK);
    qs_random_thread.own->seeded -= seconds;
    asked = 0;
    assert_int_equal(qs_random(buf, len), QS_OK);
    if (asked != asks) FAIL("%s: %u new seeds after %d seconds", what, asked, seconds);
}

static void test_age(void **state)
{
    struct timespec now;

    (void)state;
    clock_gettime(CLOCK_MONOTONIC, &now);
    assert_true(llabs((long long)now.tv_sec - (long long)qs_random_clock()) <= 2);
    qs_random_source(source);
    age("from the pool", 61, QS_RANDOM_POOL, 32, 0);
    age("a new pool", 58, 31, 32, 0);
    age("a new pool", 61, 31, 32, 1);
    age("part of a new pool", 61, 500, 501, 1);
    age("a long request", 58, QS_RANDOM_POOL, QS_RANDOM_DIRECT, 0);
    age("a long request", 61, QS_RANDOM_POOL, QS_RANDOM_DIRECT, 1);
    qs_random_source(NULL);
    assert_int_equal(qs_random_reseed(), QS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments),      cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_statistics),     cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_numbers_differ), cmocka_unit_test(test_failing_source),
        cmocka_unit_test(test_volume),         cmocka_unit_test(test_age),
    };
    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
