/* SPDX-License-Identifier: MIT */
#include "ct_plants.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

static volatile uint32_t sink;

void ct_branch_c(const uint8_t *key, const uint32_t *table)
{
    if (key[3] & 1) sink = table[0];
}

void ct_table_c(const uint8_t *key, const uint32_t *table)
{
    sink = table[key[3]];
}

#ifdef __SSE2__
void ct_branch_intrinsics(const uint8_t *key, const uint32_t *table)
{
    __m128i k = _mm_loadu_si128((const __m128i *)(const void *)key);
    if (_mm_movemask_epi8(_mm_slli_epi16(k, 7)) & 8) sink = table[0];
}

void ct_table_intrinsics(const uint8_t *key, const uint32_t *table)
{
    __m128i k = _mm_loadu_si128((const __m128i *)(const void *)key);
    sink = table[_mm_extract_epi16(k, 1) >> 8];
}
#endif

const struct ct_plant_row ct_plants[] = {
    {"a branch in C", ct_branch_c, 1},
    {"a table look-up in C", ct_table_c, 1},
#ifdef __SSE2__
    {"a branch with intrinsics", ct_branch_intrinsics, 1},
    {"a table look-up with intrinsics", ct_table_intrinsics, 1},
#endif
#ifdef CT_ASSEMBLY
    {"a branch in assembly", ct_branch_assembly, 0},
    {"a table look-up in assembly", ct_table_assembly, 0},
#endif
    {NULL, NULL, 0},
};
