/* SPDX-License-Identifier: MIT
 *
 * Eight packets looked at in one go: the contract is qs_lanes_usual in kernel.h.
 *
 * A lane is a packet: the eight words of each are read as a row, and rows become columns, one for each member. So a
 * comparison looks at eight packets, and the columns go to their arrays as they are. One by one, with a branch for each
 * comparison, a packet took 17 cycles of the 106 that it takes at 64 bytes. No secret is read here.
 *
 * Needs AVX512F.
 */
#include "packets_avx512.h"

#ifdef QS_X86_64

#define BIAS 0

INLINE vec at_least(vec bad, vec a, vec b)
{
    return _mm512_ternarylogic_epi64(bad, _mm512_min_epu64(a, b), b, 0xf6); /* bad | (min ^ b) */
}

INLINE vec if_equal(vec bad, vec x, vec y, vec z)
{
    return _mm512_mask_or_epi64(bad, _mm512_cmpeq_epu64_mask(x, y), bad, z);
}

INLINE vec if_differ(vec bad, vec x, vec y, vec z)
{
    return _mm512_mask_or_epi64(bad, _mm512_cmpneq_epu64_mask(x, y), bad, z);
}

#include "packets_usual.inc"

TARGET int qs_lanes_usual_avx512(const qs_packet *p, const struct qs_lanes_rules *rules, unsigned at,
                                 struct qs_lanes_stream *s, struct qs_lanes_mac *m)
{
    vec x[8];

    UNROLL
    for (int half = 0; half < 8; half += 4) {
        __m256i row[8];

        UNROLL
        for (int i = 0; i < 8; i++) row[i] = _mm256_loadu_si256((const __m256i *)((const uint64_t *)&p[i] + half));
        transpose4(x + half, row);
    }
    const vec bad = unusual(x, rules);
    if (_mm512_test_epi64_mask(bad, bad)) return 0;

    const vec block = ALL(64), in = SUB(x[IN], block), out = SUB(x[OUT], block);
    _mm512_storeu_si512(&m->ad[at], x[AD]);
    _mm512_storeu_si512(&m->text[at], rules->sealing ? x[OUT] : x[IN]);
    _mm256_storeu_si256((__m256i *)&m->ad_len[at], _mm512_cvtepi64_epi32(x[AD_LEN]));
    _mm256_storeu_si256((__m256i *)&m->len[at], _mm512_cvtepi64_epi32(x[LEN]));
    _mm512_storeu_si512(&s->place[at], _mm512_permutex2var_epi64(in, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), out));
    _mm512_storeu_si512(&s->place[at + 4], _mm512_permutex2var_epi64(in, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), out));
    return 1;
}

#endif
