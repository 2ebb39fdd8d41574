/* SPDX-License-Identifier: MIT
 *
 * x86-64: the rows, best first.
 */
#include "cpu.h"

#ifdef QS_X86_64

#define CHACHA(name) {.chacha = qs_chacha_blocks_##name, .chacha_ending = qs_chacha_ending_##name}
static const struct qs_kernel chacha_rows[] = {
    {"avx512", QS_X86_64_BASE | QS_AVX512F, QS_PREFER_256, 1, CHACHA(avx512)},
    {"avx2", QS_X86_64_BASE | QS_AVX2, 0, 1, CHACHA(avx2)},
    {"ssse3", QS_X86_64_BASE | QS_SSSE3, 0, 1, CHACHA(ssse3)},
    {"scalar", QS_X86_64_BASE, 0, 0, CHACHA(scalar)},
    QS_CHACHA_GENERIC_ROW,
};
static const struct qs_kernel poly1305_rows[] = {
    {"avx512ifma",
     QS_X86_64_BASE | QS_AVX2 | QS_AVX512F | QS_AVX512IFMA,
     QS_PREFER_256,
     1,
     {.poly1305 = qs_poly1305_blocks_avx512ifma}},
    {"avx2", QS_X86_64_BASE | QS_AVX2, 0, 1, {.poly1305 = qs_poly1305_blocks_avx2}},
    {"scalar", QS_X86_64_BASE, 0, 0, {.poly1305 = qs_poly1305_blocks_scalar}},
    QS_POLY1305_GENERIC_ROWS,
};
static const struct qs_kernel aead_rows[] = {
    {"avx512ifma",
     QS_AVX2 | QS_BMI2 | QS_AVX512F | QS_AVX512VL | QS_AVX512BW | QS_AVX512DQ | QS_AVX512IFMA,
     QS_PREFER_256,
     1,
     {.aead = {qs_seal_message_avx512ifma, qs_open_message_avx512ifma}}},
    {"avx2", QS_AVX2 | QS_BMI2, 0, 1, {.aead = {qs_seal_message_avx2, qs_open_message_avx2}}},
    {"ssse3", QS_SSSE3, 0, 1, {.aead = {qs_seal_message_ssse3, qs_open_message_ssse3}}},
    QS_AEAD_STEPS_ROW,
};
static const struct qs_lanes_kernel packets_avx512 = {
    32, 16, 32, 0, qs_lanes_usual_avx512, qs_lanes_arrange_avx512, qs_lanes_blocks_avx512, qs_lanes_tags_ifma,
    {{4, 400}, {5, 800}, {8, 1100}, {12, 1536}}, 1536,
};
static const struct qs_lanes_kernel packets_avx2 = {
    16, 8, 32, 1, qs_lanes_usual_avx2, NULL, qs_lanes_blocks_avx2, qs_lanes_tags_avx2,
    {{4, 64}, {5, 128}, {8, 1536}, {8, 1536}}, 1536,
};
static const struct qs_lanes_kernel packets_ssse3 = {
    8, 8, 32, 1, NULL, NULL, qs_lanes_blocks_ssse3, qs_lanes_tags_ssse3,
    {{7, 64}, {8, 1536}, {8, 1536}, {8, 1536}}, 1536,
};
static const struct qs_kernel packets_rows[] = {
    {"avx512ifma", QS_AVX2 | QS_AVX512F | QS_AVX512VL | QS_AVX512IFMA, QS_PREFER_256, 1, {.packets = &packets_avx512}},
    {"avx2", QS_AVX2 | QS_BMI2, 0, 1, {.packets = &packets_avx2}},
    {"ssse3", QS_SSSE3, 0, 1, {.packets = &packets_ssse3}},
    QS_PACKETS_SINGLE_ROW,
};

QS_DEFINE_TABLES(chacha_rows, poly1305_rows, aead_rows, packets_rows);

#endif
