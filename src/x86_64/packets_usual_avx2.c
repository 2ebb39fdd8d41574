/* SPDX-License-Identifier: MIT
 *
 * Eight packets looked at in one go: the contract is qs_lanes_usual in kernel.h.
 *
 * A lane is a packet: the eight words of each are read as two rows, and rows become columns, one for the lower half of each
 * member. One by one, with a branch for each comparison, a packet took 17 cycles of 197; with whole words, four at a time, 8
 * where this takes 5.
 *
 * Needs AVX2.
 */
#include "cpu.h"

#ifdef QS_X86_64

#include <immintrin.h>

#define TARGET __attribute__((target("avx2")))
#define INLINE TARGET static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 8")

typedef __m256i vec;

#define ADD(a, b) _mm256_add_epi32(a, b)
#define SUB(a, b) _mm256_sub_epi32(a, b)
#define OR(a, b) _mm256_or_si256(a, b)
#define MIN(a, b) _mm256_min_epu32(a, b)
#define ALL(x) _mm256_set1_epi32((int)(x))

#define BIAS (1u << 31) /* which an instruction has that takes them to have a sign */

INLINE vec at_least(vec bad, vec a, vec b)
{
    return OR(bad, _mm256_cmpgt_epi32(b, a));
}

INLINE vec if_equal(vec bad, vec x, vec y, vec z)
{
    return OR(bad, _mm256_and_si256(_mm256_cmpeq_epi32(x, y), z));
}

INLINE vec if_differ(vec bad, vec x, vec y, vec z)
{
    return OR(bad, _mm256_andnot_si256(_mm256_cmpeq_epi32(x, y), z));
}

#include "packets_usual.inc"

/* Words a of the one and b of the other, then words a + 2 of both; of 32 bits, in each half. */
#define SHUFFLE(x, y, words)                                                                                           \
    _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(x), _mm256_castsi256_ps(y), words))
#define EVEN(x, y) SHUFFLE(x, y, 0x88)
#define ODD(x, y) SHUFFLE(x, y, 0xdd)

/* Four words of packet i, from `word` on. */
#define ROW(i, word) _mm256_loadu_si256((const vec *)((const uint64_t *)&p[i] + (word)))

/* Lower halves of four words of eight packets, from `word` of the first on. */
INLINE void columns(vec x[4], const qs_packet *p, unsigned word)
{
    const vec ab = EVEN(ROW(0, word), ROW(1, word)), cd = EVEN(ROW(2, word), ROW(3, word));
    const vec ef = EVEN(ROW(4, word), ROW(5, word)), gh = EVEN(ROW(6, word), ROW(7, word));
    const vec even = EVEN(ab, cd), odd = ODD(ab, cd), even2 = EVEN(ef, gh), odd2 = ODD(ef, gh);

    x[0] = _mm256_permute2x128_si256(even, even2, 0x20);
    x[1] = _mm256_permute2x128_si256(odd, odd2, 0x20);
    x[2] = _mm256_permute2x128_si256(even, even2, 0x31);
    x[3] = _mm256_permute2x128_si256(odd, odd2, 0x31);
}

TARGET int qs_lanes_usual_avx2(const qs_packet *p, const struct qs_lanes_rules *rules, unsigned at,
                               struct qs_lanes_stream *s, struct qs_lanes_mac *m)
{
    const uint8_t *const *const from = rules->sealing ? (const uint8_t *const *)&p->out : &p->in;
    const uint8_t **const ad = m->ad + at, **const text = m->text + at;
    struct qs_lanes_place *const place = s->place + at;
    const vec high = _mm256_setr_epi32(0, 0, 0, -1, 0, 0, 0, -1); /* of both lengths */
    vec x[8], lens = _mm256_setzero_si256(), bad;

    if (rules->array_reach >> 31) return 0; /* lengths fit, the array must too */
    UNROLL
    for (int i = 0; i < 8; i++) lens = OR(lens, ROW(i, AD));
    columns(x, p, AEAD);
    columns(x + AD, p, AD);
    bad = OR(unusual(x, rules), _mm256_and_si256(lens, high));
    if (!_mm256_testz_si256(bad, bad)) return 0;

    _mm256_storeu_si256((vec *)&m->ad_len[at], x[AD_LEN]);
    _mm256_storeu_si256((vec *)&m->len[at], x[LEN]);
    UNROLL
    for (int i = 0; i < 8; i++) {
        const __m128i in_first = _mm_loadu_si128((const __m128i *)&p[i].in);
        const __m128i out_second = _mm_loadu_si128((const __m128i *)&p[i].aead);
        const __m128i both = _mm_blend_epi32(in_first, out_second, 0xc);

        ad[i] = p[i].ad;
        text[i] = from[i * (sizeof *p / sizeof *from)];
        _mm_storeu_si128((__m128i *)&place[i], _mm_sub_epi64(both, _mm_set1_epi64x(64))); /* of a block 0 */
    }
    return 1;
}

#endif
