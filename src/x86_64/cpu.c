/* SPDX-License-Identifier: MIT
 *
 * x86-64: which features this CPU and its operating system have.
 */
#include "cpu.h"

#ifdef QS_X86_64

#include <cpuid.h>

static const char *const features[] = {"ssse3",    "avx2",     "bmi2",       "adx",        "avx512f", "avx512vl",
                                       "avx512bw", "avx512dq", "avx512ifma", "avx512vbmi", "x86-64",  "prefer-256"};

enum {
    LEVEL_SSSE3 = QS_X86_64_BASE | QS_SSSE3 | QS_PREFER_256,
    LEVEL_AVX2 = LEVEL_SSSE3 | QS_AVX2 | QS_BMI2 | QS_ADX,
    LEVEL_AVX512 = LEVEL_AVX2 | QS_AVX512F | QS_AVX512VL | QS_AVX512BW | QS_AVX512DQ,
    LEVEL_AVX512IFMA = LEVEL_AVX512 | QS_AVX512IFMA | QS_AVX512VBMI
};

static const struct qs_cpu_level levels[] = {{"generic", 0},
                                             {"ssse3", LEVEL_SSSE3},
                                             {"avx2", LEVEL_AVX2},
                                             {"avx512", LEVEL_AVX512},
                                             {"avx512ifma", LEVEL_AVX512IFMA}};

const struct qs_cpu_names qs_cpu_names = {features, sizeof features / sizeof *features, levels,
                                          sizeof levels / sizeof *levels};

/* Intel's manual, volume 2, CPUID and volume 1, 13.3; AMD's, volume 3, appendix E. */
enum {
    LEAF1_ECX_SSSE3 = 1 << 9,
    LEAF1_ECX_OSXSAVE = 1 << 27,
    LEAF1_ECX_AVX = 1 << 28,
    LEAF7_EBX_AVX2 = 1 << 5,
    LEAF7_EBX_BMI2 = 1 << 8,
    LEAF7_EBX_AVX512F = 1 << 16,
    LEAF7_EBX_AVX512DQ = 1 << 17,
    LEAF7_EBX_ADX = 1 << 19,
    LEAF7_EBX_AVX512IFMA = 1 << 21,
    LEAF7_EBX_AVX512BW = 1 << 30,
    LEAF7_ECX_AVX512VBMI = 1 << 1,
    XCR0_YMM = 0x06, /* xmm and the upper halves of ymm */
    XCR0_ZMM = 0xe6  /* those, mask registers, upper halves of zmm, zmm16 to 31 */
};
#define LEAF7_EBX_AVX512VL (UINT32_C(1) << 31)

/* Family and model, with their extensions. */
static uint32_t family_model(uint32_t eax)
{
    uint32_t family = eax >> 8 & 0xf, model = eax >> 4 & 0xf;

    if (family == 6 || family == 15) model |= eax >> 12 & 0xf0;
    if (family == 15) family += eax >> 20 & 0xff;
    return family << 8 | model;
}

/* Of the CPUs with AVX-512, these run whole cores 10 to 30 % slower for as long as one of them uses 512-bit vectors,
 * and for a millisecond after (Intel lists such clocks in its specification updates). From Ice Lake on it
 * is a few per cent, and AMD lowers none. No other vendor has these numbers. */
static int prefers_256(uint32_t eax)
{
    switch (family_model(eax)) {
    case 0x655: /* Skylake-SP, -X and -W, Cascade Lake, Cooper Lake */
    case 0x666: /* Cannon Lake */ return 1;
    default: return 0;
    }
}

uint32_t qs_cpu_decode(const struct qs_cpu_words *w)
{
    uint32_t xcr0 = w->leaf1_ecx & LEAF1_ECX_OSXSAVE ? w->xcr0 : 0;
    uint32_t ebx = w->max_leaf >= 7 ? w->leaf7_ebx : 0;
    uint32_t ecx = w->max_leaf >= 7 ? w->leaf7_ecx : 0;
    uint32_t f = QS_X86_64_BASE;

    if (prefers_256(w->leaf1_eax)) f |= QS_PREFER_256;
    if (w->leaf1_ecx & LEAF1_ECX_SSSE3) f |= QS_SSSE3;
    if (ebx & LEAF7_EBX_BMI2) f |= QS_BMI2;
    if (ebx & LEAF7_EBX_ADX) f |= QS_ADX;

    if (!(w->leaf1_ecx & LEAF1_ECX_AVX) || (xcr0 & XCR0_YMM) != XCR0_YMM) return f;
    if (ebx & LEAF7_EBX_AVX2) f |= QS_AVX2;

    /* Every other AVX-512 set builds on F. */
    if (!(ebx & LEAF7_EBX_AVX512F) || (xcr0 & XCR0_ZMM) != XCR0_ZMM) return f;
    f |= QS_AVX512F;
    if (ebx & LEAF7_EBX_AVX512VL) f |= QS_AVX512VL;
    if (ebx & LEAF7_EBX_AVX512BW) f |= QS_AVX512BW;
    if (ebx & LEAF7_EBX_AVX512DQ) f |= QS_AVX512DQ;
    if (ebx & LEAF7_EBX_AVX512IFMA) f |= QS_AVX512IFMA;
    if (ecx & LEAF7_ECX_AVX512VBMI) f |= QS_AVX512VBMI;
    return f;
}

uint32_t qs_cpu_detect(void)
{
    struct qs_cpu_words w = {0, 0, 0, 0, 0, 0};
    unsigned a, b, c, d;

    __cpuid(0, a, b, c, d);
    w.max_leaf = a;
    __cpuid(1, a, b, c, d);
    w.leaf1_eax = a;
    w.leaf1_ecx = c;
    if (w.max_leaf >= 7) {
        __cpuid_count(7, 0, a, b, c, d);
        w.leaf7_ebx = b;
        w.leaf7_ecx = c;
    }
    if (w.leaf1_ecx & LEAF1_ECX_OSXSAVE) __asm__("xgetbv" : "=a"(w.xcr0), "=d"(d) : "c"(0));
    return qs_cpu_decode(&w);
}

#endif
