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
#define SHR(a, n) _mm512_srli_epi64(a, n)
#define SHL(a, n) _mm512_slli_epi64(a, n)
#define ALL(x) _mm512_set1_epi64((long long)(x))

#endif
#endif
