/* SPDX-License-Identifier: MIT
 *
 * Eight packets looked at four at a time: the contract is qs_lanes_usual in kernel.h.
 *
 * A lane is a packet: the eight words of each are read as two rows, and rows become columns, one for each member. One by
 * one, with a branch for each comparison, a packet took 17 cycles of the 197 that it takes at 64 bytes.
 *
 * Needs AVX2.
 */
#include "cpu.h"

#ifdef QS_X86_64

#include <immintrin.h>

#define TARGET __attribute__((target("avx2")))
#define INLINE TARGET static inline __attribute__((always_inline))

typedef __m256i vec;

#define ADD(a, b) _mm256_add_epi64(a, b)
#define SUB(a, b) _mm256_sub_epi64(a, b)
#define OR(a, b) _mm256_or_si256(a, b)
#define ALL(x) _mm256_set1_epi64x((long long)(x))

INLINE vec at_least(vec bad, vec a, vec b)
{
    const vec top = ALL(1ull << 63);

    return OR(bad, _mm256_cmpgt_epi64(_mm256_xor_si256(b, top), _mm256_xor_si256(a, top)));
}

INLINE vec if_zero(vec x, vec a, vec b)
{
    return _mm256_blendv_epi8(b, a, _mm256_cmpeq_epi64(x, _mm256_setzero_si256()));
}

INLINE int some(vec bad)
{
    return !_mm256_testz_si256(bad, bad);
}

#include "packets_usual.inc"

/* Four words of four packets, rows 72 bytes apart: word k of all in x[k]. */
INLINE void load4(vec x[4], const void *from)
{
    const uint8_t *at = from;
    const vec a = _mm256_loadu_si256((const vec *)at), b = _mm256_loadu_si256((const vec *)(at + sizeof(qs_packet)));
    const vec c = _mm256_loadu_si256((const vec *)(at + 2 * sizeof(qs_packet)));
    const vec d = _mm256_loadu_si256((const vec *)(at + 3 * sizeof(qs_packet)));
    const vec ab0 = _mm256_unpacklo_epi64(a, b), ab1 = _mm256_unpackhi_epi64(a, b);
    const vec cd0 = _mm256_unpacklo_epi64(c, d), cd1 = _mm256_unpackhi_epi64(c, d);

    x[0] = _mm256_permute2x128_si256(ab0, cd0, 0x20);
    x[1] = _mm256_permute2x128_si256(ab1, cd1, 0x20);
    x[2] = _mm256_permute2x128_si256(ab0, cd0, 0x31);
    x[3] = _mm256_permute2x128_si256(ab1, cd1, 0x31);
}

INLINE void store32(uint32_t *to, vec x)
{
    const vec even = _mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));

    _mm_storeu_si128((__m128i *)to, _mm256_castsi256_si128(even));
}

TARGET int qs_lanes_usual_avx2(const qs_packet *p, const struct qs_lanes_rules *rules, unsigned at,
                               struct qs_lanes_stream *s, struct qs_lanes_mac *m)
{
    for (const qs_packet *const end = p + 8; p != end; p += 4, at += 4) {
        vec x[8];

        load4(x, &p->aead);
        load4(x + 4, &p->ad);
        if (!usual(x, rules)) return 0;

        const vec in = SUB(x[IN], ALL(64)), out = SUB(x[OUT], ALL(64)); /* of a block 0 */
        const vec even = _mm256_unpacklo_epi64(in, out), odd = _mm256_unpackhi_epi64(in, out);
        _mm256_storeu_si256((vec *)&m->ad[at], x[AD]);
        _mm256_storeu_si256((vec *)&m->text[at], rules->sealing ? x[OUT] : x[IN]);
        store32(&m->ad_len[at], x[AD_LEN]);
        store32(&m->len[at], x[LEN]);
        _mm256_storeu_si256((vec *)&s->place[at], _mm256_permute2x128_si256(even, odd, 0x20));
        _mm256_storeu_si256((vec *)&s->place[at + 2], _mm256_permute2x128_si256(even, odd, 0x31));
    }
    return 1;
}

#endif
