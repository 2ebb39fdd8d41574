/* SPDX-License-Identifier: MIT
 *
 * What the C kernels for packets that share lanes of AVX-512 have in common: eight packets, a packet in each lane of 64
 * bits.
 */
#ifndef QS_PACKETS_AVX512_H
#define QS_PACKETS_AVX512_H

#include "cpu.h"

#ifdef QS_X86_64

#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512vl,avx512ifma")))
#define INLINE TARGET static inline __attribute__((always_inline))
/* A loop over an array that is meant to be registers: gcc at -O2 would keep both, the loop and the array. */
#define UNROLL _Pragma("GCC unroll 8")

typedef __m512i vec;

#define ADD(a, b) _mm512_add_epi64(a, b)
#define SUB(a, b) _mm512_sub_epi64(a, b)
#define AND(a, b) _mm512_and_si512(a, b)
#define OR(a, b) _mm512_or_si512(a, b)
#define MIN(a, b) _mm512_min_epu64(a, b)
#define SHR(a, n) _mm512_srli_epi64(a, n)
#define SHL(a, n) _mm512_slli_epi64(a, n)
#define ALL(x) _mm512_set1_epi64((long long)(x))

INLINE vec two256(__m256i a, __m256i b)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1);
}

/* Rows become columns: word k of eight packets in x[k]; of each 32 bytes. Halves of a vector are joined as they are loaded,
 * where no shuffle is needed. */
INLINE void transpose4(vec x[4], const __m256i p[8])
{
    const vec a = two256(p[0], p[2]), b = two256(p[1], p[3]), c = two256(p[4], p[6]), d = two256(p[5], p[7]);
    const vec ab = _mm512_unpacklo_epi64(a, b), cd = _mm512_unpacklo_epi64(c, d);
    const vec ab_hi = _mm512_unpackhi_epi64(a, b), cd_hi = _mm512_unpackhi_epi64(c, d);

    x[0] = _mm512_shuffle_i64x2(ab, cd, 0x88);
    x[1] = _mm512_shuffle_i64x2(ab_hi, cd_hi, 0x88);
    x[2] = _mm512_shuffle_i64x2(ab, cd, 0xdd);
    x[3] = _mm512_shuffle_i64x2(ab_hi, cd_hi, 0xdd);
}

#endif
#endif
