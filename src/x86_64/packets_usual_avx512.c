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

/* What stands in a row. */
enum { AEAD, OUT, TAG, NONCE, AD, AD_LEN, IN, LEN };
_Static_assert(offsetof(qs_packet, aead) == 8 * AEAD && offsetof(qs_packet, out) == 8 * OUT &&
                   offsetof(qs_packet, tag) == 8 * TAG && offsetof(qs_packet, nonce) == 8 * NONCE &&
                   offsetof(qs_packet, ad) == 8 * AD && offsetof(qs_packet, ad_len) == 8 * AD_LEN &&
                   offsetof(qs_packet, in) == 8 * IN && offsetof(qs_packet, len) == 8 * LEN,
               "a packet's members are in this order");

/* Rows become columns: word k of eight packets in x[k]. */
INLINE void transpose8(vec x[8])
{
    vec t[8];

    UNROLL
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm512_unpacklo_epi64(x[i], x[i + 1]);
        t[i + 1] = _mm512_unpackhi_epi64(x[i], x[i + 1]);
    }
    UNROLL
    for (int i = 0; i < 2; i++) {
        const vec a = _mm512_shuffle_i64x2(t[i], t[2 + i], 0x44), b = _mm512_shuffle_i64x2(t[i], t[2 + i], 0xee);
        const vec c = _mm512_shuffle_i64x2(t[4 + i], t[6 + i], 0x44), d = _mm512_shuffle_i64x2(t[4 + i], t[6 + i], 0xee);

        x[i] = _mm512_shuffle_i64x2(a, c, 0x88);
        x[2 + i] = _mm512_shuffle_i64x2(a, c, 0xdd);
        x[4 + i] = _mm512_shuffle_i64x2(b, d, 0x88);
        x[6 + i] = _mm512_shuffle_i64x2(b, d, 0xdd);
    }
}

/* Is a at least b in all lanes? Otherwise sets bits of `bad`. Numbers without sign. */
INLINE vec at_least(vec bad, vec a, vec b)
{
    return _mm512_ternarylogic_epi64(bad, _mm512_min_epu64(a, b), b, 0xf6); /* bad | (min ^ b) */
}

/* Do stretches of memory, from their last bytes and lengths less one, keep clear of others? None is empty. */
INLINE vec clear_of(vec bad, vec last, vec len_1, vec other, vec other_len)
{
    return at_least(bad, SUB(last, other), ADD(len_1, other_len));
}

TARGET int qs_lanes_usual_avx512(const qs_packet *p, const struct qs_lanes_rules *rules, unsigned at,
                                 struct qs_lanes_stream *s, struct qs_lanes_mac *m)
{
    vec x[8];

    UNROLL
    for (int i = 0; i < 8; i++) x[i] = _mm512_loadu_si512(&p[i]);
    transpose8(x);

    const vec none = _mm512_setzero_si512(), one = ALL(1), len_1 = SUB(x[LEN], one), last = ADD(x[OUT], len_1);
    const vec tag_1 = ALL(QS_TAG_LEN - 1), tag_last = ADD(x[TAG], tag_1);
    const vec key_len = ALL(sizeof(qs_aead)), nonce_len = ALL(rules->nonce_len);
    const vec array = ALL((uintptr_t)rules->array), reach = ALL(rules->array_reach);

    /* Nothing is missing, and lengths are usual. AD of no bytes is nowhere; elsewhere it is not found to touch. */
    const vec least = _mm512_min_epu64(_mm512_min_epu64(x[AEAD], x[NONCE]), _mm512_min_epu64(x[IN], x[OUT]));
    const vec ad = _mm512_mask_mov_epi64(x[AD], _mm512_testn_epi64_mask(x[AD_LEN], x[AD_LEN]), one);
    vec bad = at_least(none, _mm512_min_epu64(_mm512_min_epu64(least, x[TAG]), ad), one), bad2 = none;
    bad2 = at_least(bad2, ALL(rules->longest - 1), len_1);
    bad = at_least(bad, ALL(rules->ad_longest), x[AD_LEN]);

    /* The tag, and text out, against all that they must not touch. */
    bad2 = clear_of(bad2, tag_last, tag_1, x[AD], x[AD_LEN]);
    bad = clear_of(bad, tag_last, tag_1, x[IN], x[LEN]);
    bad2 = clear_of(bad2, tag_last, tag_1, x[OUT], x[LEN]);
    bad = clear_of(bad, last, len_1, x[AD], x[AD_LEN]);
    bad2 = clear_of(bad2, last, len_1, x[NONCE], nonce_len);
    bad = clear_of(bad, last, len_1, x[AEAD], key_len);
    bad2 = clear_of(bad2, last, none, array, reach);
    const vec partly = clear_of(none, last, len_1, x[IN], x[LEN]);
    bad = _mm512_mask_or_epi64(bad, _mm512_cmpneq_epi64_mask(x[OUT], x[IN]), bad, partly);
    if (rules->sealing) {
        bad = clear_of(bad, tag_last, tag_1, x[NONCE], nonce_len);
        bad2 = clear_of(bad2, tag_last, tag_1, x[AEAD], key_len);
        bad = clear_of(bad, tag_last, none, array, reach);
    }
    bad = OR(bad, bad2);
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
