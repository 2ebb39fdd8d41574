/* SPDX-License-Identifier: MIT
 *
 * x86-64: the feature bits that rows name, and the raw words they are decoded from.
 */
#ifndef QS_X86_64_CPU_H
#define QS_X86_64_CPU_H

#include "../kernel.h"

#pragma GCC visibility push(hidden)

/* A bit is set only where the CPU has the instructions AND the operating system keeps the registers they use. */
enum {
    QS_SSSE3 = 1 << 0,
    QS_AVX2 = 1 << 1,
    QS_BMI2 = 1 << 2, /* mulx, rorx */
    QS_ADX = 1 << 3,  /* adcx, adox */
    QS_AVX512F = 1 << 4,
    QS_AVX512VL = 1 << 5,
    QS_AVX512BW = 1 << 6,
    QS_AVX512DQ = 1 << 7,
    QS_AVX512IFMA = 1 << 8,
    QS_AVX512VBMI = 1 << 9,
    QS_X86_64_BASE = 1 << 10, /* every x86-64 CPU: for rows that need nothing more, so that "generic" can hide them */
    QS_PREFER_256 = 1 << 11   /* a quirk, which rows that use zmm avoid: 512-bit vectors lower the clock */
};

/* The kernels of this folder. */
qs_chacha_blocks qs_chacha_blocks_avx2;
qs_chacha_blocks qs_chacha_blocks_avx512;
qs_chacha_blocks qs_chacha_blocks_scalar;
qs_chacha_blocks qs_chacha_blocks_ssse3;
qs_chacha_ending qs_chacha_ending_avx2;
qs_chacha_ending qs_chacha_ending_avx512;
qs_chacha_ending qs_chacha_ending_scalar;
qs_chacha_ending qs_chacha_ending_ssse3;
qs_poly1305_blocks qs_poly1305_blocks_avx512ifma;
qs_poly1305_blocks qs_poly1305_blocks_avx2;
qs_poly1305_blocks qs_poly1305_blocks_scalar;
qs_seal_message qs_seal_message_avx512ifma;
qs_open_message qs_open_message_avx512ifma;
qs_seal_message qs_seal_message_avx2;
qs_open_message qs_open_message_avx2;
qs_seal_message qs_seal_message_ssse3;
qs_open_message qs_open_message_ssse3;
qs_lanes_usual qs_lanes_usual_avx512, qs_lanes_usual_avx2;
qs_lanes_arrange qs_lanes_arrange_avx512;
qs_lanes_blocks qs_lanes_blocks_avx512, qs_lanes_blocks_avx2, qs_lanes_blocks_ssse3;
qs_lanes_tags qs_lanes_tags_ifma, qs_lanes_tags_avx2, qs_lanes_tags_ssse3;

/* What cpuid and xgetbv say. */
struct qs_cpu_words {
    uint32_t max_leaf;           /* cpuid 0: eax */
    uint32_t leaf1_eax, leaf1_ecx; /* cpuid 1 */
    uint32_t leaf7_ebx, leaf7_ecx; /* cpuid 7, subleaf 0; not looked at if max_leaf < 7 */
    uint32_t xcr0;               /* low half; not looked at if cpuid does not show OSXSAVE */
};

uint32_t qs_cpu_decode(const struct qs_cpu_words *words);

#pragma GCC visibility pop

#endif
