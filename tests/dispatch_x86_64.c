/* SPDX-License-Identifier: MIT
 *
 * x86-64: what is made of the words that cpuid and xgetbv say, on machines we do not have.
 */
#include "harness.h"

#ifndef QS_X86_64
SKIPPED("not x86-64")
#else

#include "../src/x86_64/cpu.h"

/* Bits by the manuals' names, written as their numbers. */
#define BIT(n) (UINT32_C(1) << (n))
#define L1_SSSE3 BIT(9)
#define L1_OSXSAVE BIT(27)
#define L1_AVX BIT(28)
#define L7_AVX2 BIT(5)
#define L7_BMI2 BIT(8)
#define L7_F BIT(16)
#define L7_DQ BIT(17)
#define L7_ADX BIT(19)
#define L7_IFMA BIT(21)
#define L7_BW BIT(30)
#define L7_VL BIT(31)
#define L7C_VBMI BIT(1)

enum { ALL_AVX512 = QS_AVX512F | QS_AVX512VL | QS_AVX512BW | QS_AVX512DQ | QS_AVX512IFMA | QS_AVX512VBMI };

/* Every feature bit on and the operating system behind it. */
static const struct qs_cpu_words best = {7, 0, UINT32_MAX, UINT32_MAX, UINT32_MAX, 0xe7};

/* Features; that it is an x86-64 CPU goes without saying. */
static uint32_t decode(struct qs_cpu_words w)
{
    uint32_t f = qs_cpu_decode(&w);
    assert_true(f & QS_X86_64_BASE);
    return f & ~(uint32_t)QS_X86_64_BASE;
}

static uint32_t level(const char *name)
{
    for (unsigned i = 0; i < qs_cpu_names.n_levels; i++)
        if (strcmp(qs_cpu_names.levels[i].name, name) == 0) return qs_cpu_names.levels[i].features;
    FAIL("no level %s", name);
    return 0;
}

static void known_machines(void **state)
{
    (void)state;
    /* Core 2: SSSE3, no AVX, leaf 7 absent. */
    assert_int_equal(decode((struct qs_cpu_words){0xa, 0x000006fb, 0x0000e3bd, 0, 0, 0}), QS_SSSE3);
    /* K10 (Phenom): SSE3 and popcnt, no SSSE3. */
    assert_int_equal(decode((struct qs_cpu_words){6, 0x00100f22, 0x00802009, 0, 0, 0}), 0);
    /* The first x86-64 (K8): nothing. */
    assert_int_equal(decode((struct qs_cpu_words){1, 0x00000f48, 0, 0, 0, 0}), 0);
    /* Sandy Bridge: AVX and XCR0 7, no AVX2. */
    assert_int_equal(decode((struct qs_cpu_words){0xd, 0x000206a7, 0x1fbae3bf, 0, 0, 7}), QS_SSSE3);
    /* Haswell: AVX2 and BMI2, no ADX. */
    assert_int_equal(decode((struct qs_cpu_words){0xd, 0x000306c3, 0x7ffafbff, 0x000027ab, 0, 7}),
                     QS_SSSE3 | QS_AVX2 | QS_BMI2);
    /* Zen 2: AVX2, BMI2, ADX. */
    assert_int_equal(decode((struct qs_cpu_words){0x10, 0x00830f10, 0x7ed8320b, 0x219c91a9, 0x00400004, 7}),
                     QS_SSSE3 | QS_AVX2 | QS_BMI2 | QS_ADX);
    /* Knights Landing: AVX-512F without VL, BW, DQ. */
    assert_int_equal(
        decode((struct qs_cpu_words){0xd, 0x00050671, 0x7ff8f39f, L7_AVX2 | L7_BMI2 | L7_ADX | L7_F, 0, 0xe7}),
        QS_SSSE3 | QS_AVX2 | QS_BMI2 | QS_ADX | QS_AVX512F);
    /* Skylake-X: no IFMA, and a clock that drops. */
    assert_int_equal(decode((struct qs_cpu_words){0x16, 0x00050654, 0x7ffefbff, 0xd39ffffb, 0, 0xe7}),
                     level("avx512") & ~(uint32_t)(QS_AVX512IFMA | QS_AVX512VBMI | QS_X86_64_BASE));
    assert_int_equal(decode(best), level("avx512ifma") & ~(uint32_t)(QS_X86_64_BASE | QS_PREFER_256));
}

/* The clock drops with 512-bit vectors where these say so, and nowhere else. */
static void clocks(void **state)
{
    static const uint32_t drop[] = {0x00050654, 0x00050657 /* Cascade Lake */, 0x0005065b /* Cooper Lake */,
                                    0x00060663};
    static const uint32_t stay[] = {
        0x000506e3 /* Skylake without AVX-512 */,
        0x000606a6 /* Ice Lake-SP */,
        0x000706e5 /* Ice Lake */,
        0x000806f8 /* Sapphire Rapids */,
        0x000a0671 /* Rocket Lake */,
        0x00a60f12 /* Zen 4 */,
        0x00b00f21 /* Zen 5 */,
        0x00050554 /* family 5 */,
        0x00050f54 /* family 15 */,
        0x00060766 /* family 7 */,
        0x00000656 /* model 5 */,
    };
    struct qs_cpu_words w = best;

    (void)state;
    for (size_t i = 0; i < COUNT(drop); i++) {
        w.leaf1_eax = drop[i];
        assert_int_equal(decode(w) & ~decode(best), QS_PREFER_256);
    }
    for (size_t i = 0; i < COUNT(stay); i++) {
        w.leaf1_eax = stay[i];
        assert_int_equal(decode(w), decode(best));
    }
    /* It is a quirk, not a feature: no row needs it, and no level hides it with a feature. */
    for (unsigned p = 0; p < QS_PRIMITIVES; p++)
        for (unsigned i = 0; i < qs_tables[p].n; i++) assert_int_equal(qs_tables[p].rows[i].needs & QS_PREFER_256, 0);
    for (unsigned i = 1; i < qs_cpu_names.n_levels; i++) assert_true(qs_cpu_names.levels[i].features & QS_PREFER_256);
}

static void operating_systems(void **state)
{
    struct qs_cpu_words w;

    (void)state;
    /* Without OSXSAVE, xgetbv does not exist: what stands in xcr0 is not looked at. */
    w = best;
    w.leaf1_ecx &= ~L1_OSXSAVE;
    assert_int_equal(decode(w) & ~(uint32_t)(QS_SSSE3 | QS_BMI2 | QS_ADX), 0);
    assert_true(decode(w) & QS_SSSE3);

    for (uint32_t xcr0 = 0; xcr0 < 256; xcr0++) {
        w = best;
        w.xcr0 = xcr0;
        const int ymm = (xcr0 & 6) == 6, zmm = ymm && (xcr0 & 0xe0) == 0xe0;
        assert_int_equal(!!(decode(w) & QS_AVX2), ymm);
        assert_int_equal(decode(w) & ALL_AVX512, zmm ? ALL_AVX512 : 0);
        assert_true(decode(w) & QS_SSSE3);
    }

    /* AVX2 without AVX: a hypervisor that masks one bit. */
    w = best;
    w.leaf1_ecx &= ~L1_AVX;
    assert_int_equal(decode(w) & (QS_AVX2 | ALL_AVX512), 0);
}

static void old_leaves(void **state)
{
    (void)state;
    for (uint32_t max = 0; max < 7; max++) { /* garbage where leaf 7 would be */
        struct qs_cpu_words w = best;
        w.max_leaf = max;
        assert_int_equal(decode(w), QS_SSSE3);
    }
}

/* Each bit stands for itself: one missing takes away its feature, and those that build on it. */
static void single_bits(void **state)
{
    static const struct {
        uint32_t leaf1_ecx, leaf7_ebx, leaf7_ecx, lost;
    } bits[] = {
        {L1_SSSE3, 0, 0, QS_SSSE3},      {0, L7_AVX2, 0, QS_AVX2},   {0, L7_BMI2, 0, QS_BMI2},
        {0, L7_ADX, 0, QS_ADX},          {0, L7_F, 0, ALL_AVX512},   {0, L7_VL, 0, QS_AVX512VL},
        {0, L7_BW, 0, QS_AVX512BW},      {0, L7_DQ, 0, QS_AVX512DQ}, {0, L7_IFMA, 0, QS_AVX512IFMA},
        {0, 0, L7C_VBMI, QS_AVX512VBMI},
    };
    uint32_t all = 0;

    (void)state;
    for (size_t i = 0; i < COUNT(bits); i++) {
        struct qs_cpu_words w = best;
        w.leaf1_ecx &= ~bits[i].leaf1_ecx, w.leaf7_ebx &= ~bits[i].leaf7_ebx, w.leaf7_ecx &= ~bits[i].leaf7_ecx;
        assert_int_equal(decode(w) & bits[i].lost, 0);
        if (bits[i].lost != ALL_AVX512 && bits[i].lost != QS_AVX2)
            assert_int_equal(decode(w), decode(best) & ~bits[i].lost);
        all |= bits[i].lost;
    }

    /* And one alone gives no feature but its own. */
    for (size_t i = 0; i < COUNT(bits); i++) {
        const struct qs_cpu_words w = {
            7, 0, bits[i].leaf1_ecx | L1_OSXSAVE | L1_AVX, bits[i].leaf7_ebx, bits[i].leaf7_ecx, 0xe7};
        assert_int_equal(decode(w) & all & ~bits[i].lost, 0);
    }
    /* All other bits of the words mean nothing. */
    const struct qs_cpu_words others = {7,
                                        0,
                                        ~(L1_SSSE3 | L1_AVX),
                                        ~(L7_AVX2 | L7_BMI2 | L7_ADX | L7_F | L7_VL | L7_BW | L7_DQ | L7_IFMA),
                                        ~L7C_VBMI,
                                        UINT32_MAX};
    assert_int_equal(decode(others) & all, 0);
}

/* A level shows what it is named for, and all of the levels below; every row fits under a level. */
static void level_masks(void **state)
{
    (void)state;
    assert_int_equal(level("generic"), 0);
    for (unsigned i = 1; i < qs_cpu_names.n_levels; i++) {
        assert_int_equal(qs_cpu_names.levels[i - 1].features & ~qs_cpu_names.levels[i].features, 0);
        assert_int_not_equal(qs_cpu_names.levels[i - 1].features, qs_cpu_names.levels[i].features);
    }
    assert_true(level("ssse3") & QS_SSSE3);
    assert_int_equal(level("ssse3") & QS_AVX2, 0);
    assert_true(level("avx2") & QS_AVX2);
    assert_int_equal(level("avx2") & ALL_AVX512, 0);
    assert_true(level("avx512") & QS_AVX512F);
    assert_int_equal(level("avx512") & QS_AVX512IFMA, 0);
    assert_true(level("avx512ifma") & QS_AVX512IFMA);
    for (unsigned p = 0; p < QS_PRIMITIVES; p++)
        for (unsigned i = 0; i < qs_tables[p].n; i++)
            assert_int_equal(qs_tables[p].rows[i].needs & ~level("avx512ifma"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_machines),    cmocka_unit_test(clocks),
                                       cmocka_unit_test(operating_systems), cmocka_unit_test(old_leaves),
                                       cmocka_unit_test(single_bits),       cmocka_unit_test(level_masks)};

    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
