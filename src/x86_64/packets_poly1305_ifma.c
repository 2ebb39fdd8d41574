/* SPDX-License-Identifier: MIT
 *
 * Poly1305 for packets that share vector lanes: up to 32 packets, each with its own r and its own blocks. The contract
 * is struct qs_lanes_mac in kernel.h.
 *
 * A lane is a packet, so no power of r is needed but r^2: h = h r^2 + x r + y takes two blocks with one carry. Numbers
 * stand in limbs of 44, 44 and 42 bits for vpmadd52. Eight packets are a group, with its state in memory; two groups
 * take turns row by row (a row is four blocks, two loads of 32 bytes for each packet), so that one's chain of carries
 * runs beside the multiplications of the other. That is left to the CPU: the code holds one group at a time, in
 * registers, and stays small. With all four groups in turn, texts that lie 2048 bytes apart push each other out of the
 * first-level cache: 32 packets of 1420 bytes took 9 % longer.
 *
 * What bounds it is the two pipes of multiplications, shifts and shuffles: so a shift and an addition are one
 * multiplication, and the halves of a row are joined on their way from memory, where no shuffle is needed. Tried and
 * lost: four groups interleaved in the source, which gcc 12 spills; loads of 16 bytes to their places by mask (3 %);
 * both products x r + y of a row first (no difference).
 *
 * Needs AVX512F, AVX512VL, AVX512IFMA.
 */
#include "packets_avx512.h"

#ifdef QS_X86_64

struct limbs {
    vec x0, x1, x2; /* x0 + x1 2^44 + x2 2^88 */
};

/* Eight packets. */
struct group {
    struct limbs r, r2, h;
    vec r1_20, r2_20;   /* 20 r1 and 20 r2: 2^132 = 4 * 2^130 is 4 * 5 */
    vec rr1_20, rr2_20; /* the same of r^2 */
    vec s_lo, s_hi;
};
enum { GROUP = 8, GROUPS = QS_LANES / GROUP, TURNS = 2 };
_Static_assert(sizeof(struct group[GROUPS]) <= QS_LANES_MAC_SCRATCH, "the scratch is large enough");

#define LOW44 ALL(0xfffffffffff)
#define LOW42 ALL(0x3ffffffffff)

/* ---- loads: rows of packets become columns ------------------------------------------------------------------------- */

INLINE __m256i two128(__m128i a, __m128i b)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1);
}

/* As transpose4, of 16 bytes each. */
INLINE void transpose2(vec x[2], const __m128i p[8])
{
    const vec a = two256(two128(p[0], p[2]), two128(p[4], p[6])), b = two256(two128(p[1], p[3]), two128(p[5], p[7]));

    x[0] = _mm512_unpacklo_epi64(a, b);
    x[1] = _mm512_unpackhi_epi64(a, b);
}

INLINE struct limbs split(vec lo, vec hi)
{
    const struct limbs m = {AND(lo, LOW44), AND(OR(SHR(lo, 44), SHL(hi, 20)), LOW44), SHR(hi, 24)};
    return m;
}

/* A block with its one bit at 2^128. */
INLINE struct limbs block(vec lo, vec hi)
{
    struct limbs m = split(lo, hi);
    m.x2 = OR(m.x2, ALL(1LL << 40));
    return m;
}

/* ---- arithmetic ----------------------------------------------------------------------------------------------------
 *
 * Bounds: r0, r1 < 2^44, r2 < 2^36 (clamped); message limbs < 2^44, 2^44, 2^41; an accumulator, and r^2, has limbs
 * < 2^44, 2^44 + 2^8, 2^42. So all factors, 20 r1 and 20 r2 too, are < 2^49, products < 2^93, and their parts above 52
 * bits < 2^41. Of each sum at most six products come together. */
struct sums {
    vec lo0, lo1, lo2, hi0, hi1, hi2; /* lo0 + lo1 2^44 + lo2 2^88 + 2^52 (the same of hi) */
};

/* s += a r mod 2^130 - 5 */
INLINE struct sums multiply_add(struct sums s, struct limbs a, const struct limbs *r, const vec *r1_20, const vec *r2_20)
{
#define PRODUCT(i, a, b) s.lo##i = _mm512_madd52lo_epu64(s.lo##i, a, b), s.hi##i = _mm512_madd52hi_epu64(s.hi##i, a, b)
    PRODUCT(0, a.x2, *r1_20), PRODUCT(1, a.x2, *r2_20), PRODUCT(2, a.x2, r->x0);
    PRODUCT(0, a.x1, *r2_20), PRODUCT(1, a.x1, r->x0), PRODUCT(2, a.x1, r->x1);
    PRODUCT(0, a.x0, r->x0), PRODUCT(1, a.x0, r->x1), PRODUCT(2, a.x0, r->x2);
#undef PRODUCT
    return s;
}

/* a + b n, where b n < 2^52: shifted and added in one instruction */
#define ADD_TIMES(a, b, n) _mm512_madd52lo_epu64(a, b, ALL(n))

INLINE struct limbs carry(struct sums s)
{
    struct limbs h;

    /* lo < 2^55, hi 2^8 < 2^52: nothing overflows; 2^52 = 2^8 2^44; and 2^140 = 2^10 2^130 is 5 * 2^10 */
    s.lo1 = ADD(ADD_TIMES(s.lo1, s.hi0, 1 << 8), SHR(s.lo0, 44));
    s.lo2 = ADD(ADD_TIMES(s.lo2, s.hi1, 1 << 8), SHR(s.lo1, 44));
    const vec top = ADD_TIMES(SHR(s.lo2, 42), s.hi2, 1 << 10); /* < 2^49 */
    h.x0 = ADD_TIMES(AND(s.lo0, LOW44), top, 5);               /* < 2^52 */
    h.x1 = ADD(AND(s.lo1, LOW44), SHR(h.x0, 44));
    h.x0 = AND(h.x0, LOW44);
    h.x2 = AND(s.lo2, LOW42);
    return h;
}

INLINE struct sums sums_of(struct limbs m)
{
    const vec zero = _mm512_setzero_si512();
    const struct sums s = {m.x0, m.x1, m.x2, zero, zero, zero};
    return s;
}

/* h r + x */
INLINE struct limbs one_block(const struct group *g, struct limbs h, struct limbs x)
{
    return carry(multiply_add(sums_of(x), h, &g->r, &g->r1_20, &g->r2_20));
}

/* h r^2 + x r + y */
INLINE struct limbs two_blocks(const struct group *g, struct limbs h, struct limbs x, struct limbs y)
{
    const struct sums s = multiply_add(sums_of(y), x, &g->r, &g->r1_20, &g->r2_20);
    return carry(multiply_add(s, h, &g->r2, &g->rr1_20, &g->rr2_20));
}

INLINE vec times20(vec x)
{
    return ADD(SHL(x, 4), SHL(x, 2));
}

INLINE struct limbs choose(__mmask8 mask, struct limbs a, struct limbs b)
{
    const struct limbs m = {_mm512_mask_mov_epi64(b.x0, mask, a.x0), _mm512_mask_mov_epi64(b.x1, mask, a.x1),
                            _mm512_mask_mov_epi64(b.x2, mask, a.x2)};
    return m;
}

/* ---- a group's work ------------------------------------------------------------------------------------------------ */

INLINE void begin(struct group *g, const uint8_t (*key)[64])
{
    const struct limbs zero = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512()};
    __m256i p[8];
    vec x[4];

    UNROLL
    for (int i = 0; i < 8; i++) p[i] = _mm256_loadu_si256((const __m256i *)key[i]);
    transpose4(x, p);
    g->r = split(AND(x[0], ALL(0x0ffffffc0fffffff)), AND(x[1], ALL(0x0ffffffc0ffffffc)));
    g->r1_20 = times20(g->r.x1);
    g->r2_20 = times20(g->r.x2);
    g->r2 = one_block(g, g->r, zero);
    g->rr1_20 = times20(g->r2.x1);
    g->rr2_20 = times20(g->r2.x2);
    g->s_lo = x[2];
    g->s_hi = x[3];
    g->h = zero;
}

/* Four blocks of each packet. */
INLINE struct limbs row(const struct group *g, const uint8_t *const in[8], size_t at)
{
    struct limbs h = g->h;

    UNROLL
    for (int half = 0; half < 2; half++) {
        __m256i p[8];
        vec x[4];

        UNROLL
        for (int i = 0; i < 8; i++) p[i] = _mm256_loadu_si256((const __m256i *)(in[i] + 16 * at + 32 * half));
        transpose4(x, p);
        h = two_blocks(g, h, block(x[0], x[1]), block(x[2], x[3]));
    }
    return h;
}

INLINE vec blocks_of(const uint32_t len[8])
{
    return SHR(_mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)len)), 4);
}

/* The same of those packets that have four more, if no other has any: 0 if one has. */
INLINE int row_of_some(struct group *g, const uint8_t *const in[8], const uint32_t len[8], uint32_t at)
{
    const vec blocks = blocks_of(len);
    const __mmask8 some = _mm512_cmpgt_epi64_mask(blocks, ALL(at + 3));
    const uint8_t *from[8];

    if (some != _mm512_cmpgt_epi64_mask(blocks, ALL(at))) return 0;
    UNROLL
    for (int i = 0; i < 8; i++) /* the others' is any that can be read */
        from[i] = some >> i & 1 ? in[i] + 16 * (size_t)at : (const uint8_t *)g;
    g->h = choose(some, row(g, from, 0), g->h);
    return 1;
}

/* Up to two blocks of each packet: as many as it has left. fresh: h is 0 yet if at is. */
INLINE void ragged(struct group *g, const uint8_t *const in[8], const uint32_t len[8], uint32_t at, int fresh)
{
    const vec blocks = blocks_of(len);
    const __mmask8 one = _mm512_cmpeq_epi64_mask(blocks, ALL(at + 1));
    const __mmask8 two = _mm512_cmpgt_epi64_mask(blocks, ALL(at + 1));
    const struct limbs h = g->h;
    vec x[4];

    if (one == 0xff) {
        __m128i p[8];
        UNROLL
        for (int i = 0; i < 8; i++) p[i] = _mm_loadu_si128((const __m128i *)(in[i] + 16 * (size_t)at));
        transpose2(x, p);
        const struct limbs m = block(x[0], x[1]);
        g->h = fresh && at == 0 ? m : one_block(g, h, m);
        return;
    }

    __m256i p[8];
    UNROLL
    for (int i = 0; i < 8; i++) {
        const __mmask8 words = two >> i & 1 ? 15 : one >> i & 1 ? 3 : 0;
        p[i] = _mm256_maskz_loadu_epi64(words, in[i] + 16 * (size_t)at);
    }
    transpose4(x, p);
    if (two) g->h = choose(two, two_blocks(g, h, block(x[0], x[1]), block(x[2], x[3])), h);
    if (one) g->h = choose(one, one_block(g, h, block(x[0], x[1])), g->h);
}

/* An end that stands padded in a place of its own, of those packets that have one. */
INLINE void padded(struct group *g, const uint8_t (*end)[16], const uint32_t len[8])
{
    const vec lens = _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)len));
    const __mmask8 some = _mm512_test_epi64_mask(lens, ALL(15));
    __m128i p[8];
    vec x[2];

    if (!some) return;
    UNROLL
    for (int i = 0; i < 8; i++) p[i] = _mm_loadu_si128((const __m128i *)end[i]);
    transpose2(x, p);
    g->h = choose(some, one_block(g, g->h, block(x[0], x[1])), g->h);
}

/* The block of both lengths, and tag = h r mod 2^130 - 5, + s mod 2^128. */
INLINE void end(struct group *g, uint8_t (*tag)[QS_TAG_LEN], const uint32_t ad_len[8], const uint32_t len[8])
{
    const struct limbs zero = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512()};
    const vec ad_lens = _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)ad_len));
    const vec lens = _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)len));
    struct limbs h = two_blocks(g, g->h, block(ad_lens, lens), zero);

    /* To below 2^130, with limbs of 44, 44 and 42 bits: what comes round to x0 the second time is at most 5. */
    h.x2 = ADD(h.x2, SHR(h.x1, 44)), h.x1 = AND(h.x1, LOW44);
    h.x0 = ADD(h.x0, ADD(SHR(h.x2, 42), SHL(SHR(h.x2, 42), 2))), h.x2 = AND(h.x2, LOW42);
    h.x1 = ADD(h.x1, SHR(h.x0, 44)), h.x0 = AND(h.x0, LOW44);
    h.x2 = ADD(h.x2, SHR(h.x1, 44)), h.x1 = AND(h.x1, LOW44);

    /* h - (2^130 - 5), if that is not negative: h + 5 reaches 2^130. */
    struct limbs d;
    d.x0 = ADD(h.x0, ALL(5));
    d.x1 = ADD(h.x1, SHR(d.x0, 44)), d.x0 = AND(d.x0, LOW44);
    d.x2 = ADD(h.x2, SHR(d.x1, 44)), d.x1 = AND(d.x1, LOW44);
    h = choose(_mm512_cmpge_epu64_mask(d.x2, ALL(1LL << 42)), d, h);

    const vec lo = OR(h.x0, SHL(h.x1, 44)), hi = OR(SHR(h.x1, 20), SHL(h.x2, 24));
    const vec sum = ADD(lo, g->s_lo), upper = ADD(hi, g->s_hi);
    const __mmask8 carried = _mm512_cmplt_epu64_mask(sum, lo);
    const vec top = _mm512_mask_add_epi64(upper, carried, upper, ALL(1));
    const vec even = _mm512_unpacklo_epi64(sum, top), odd = _mm512_unpackhi_epi64(sum, top);

#define PUT(i)                                                                                                         \
    _mm_storeu_si128((__m128i *)tag[2 * (i)], _mm512_extracti32x4_epi32(even, i));                                     \
    _mm_storeu_si128((__m128i *)tag[2 * (i) + 1], _mm512_extracti32x4_epi32(odd, i))
    PUT(0);
    PUT(1);
    PUT(2);
    PUT(3);
#undef PUT
}

/* ---- all groups ---------------------------------------------------------------------------------------------------- */

/* The whole blocks of a part. */
TARGET static QS_NOINLINE void absorb(struct group *g, unsigned groups, const uint8_t *const *in, const uint32_t *len,
                                       int fresh)
{
    uint32_t least[GROUPS], most[GROUPS], longest = 0;

    for (unsigned i = 0; i < groups; i++) {
        const vec blocks = blocks_of(len + GROUP * i);
        least[i] = (uint32_t)_mm512_reduce_min_epu64(blocks);
        most[i] = (uint32_t)_mm512_reduce_max_epu64(blocks);
        if (most[i] > longest) longest = most[i];
    }
    for (uint32_t at = 0; at < longest; at += 4) {
        for (unsigned i = 0; i < groups; i++) {
            if (least[i] >= at + 4) {
                g[i].h = row(&g[i], in + GROUP * i, at);
                continue;
            }
            if (most[i] >= at + 4 && row_of_some(&g[i], in + GROUP * i, len + GROUP * i, at)) continue;
            if (most[i] > at) ragged(&g[i], in + GROUP * i, len + GROUP * i, at, fresh);
            if (most[i] > at + 2) ragged(&g[i], in + GROUP * i, len + GROUP * i, at + 2, fresh);
        }
    }
}

/* Vector registers, and mask registers: the final reduction's masks are secret. */
INLINE void wipe_registers(void)
{
#define ZMM(n) "vpxord %%zmm" #n ", %%zmm" #n ", %%zmm" #n "\n\t"
#define K(n) "kxorw %%k" #n ", %%k" #n ", %%k" #n "\n\t"
    __asm__ volatile(ZMM(0) ZMM(1) ZMM(2) ZMM(3) ZMM(4) ZMM(5) ZMM(6) ZMM(7) ZMM(8) ZMM(9) ZMM(10) ZMM(11) ZMM(12)
                         ZMM(13) ZMM(14) ZMM(15) ZMM(16) ZMM(17) ZMM(18) ZMM(19) ZMM(20) ZMM(21) ZMM(22) ZMM(23) ZMM(24)
                             ZMM(25) ZMM(26) ZMM(27) ZMM(28) ZMM(29) ZMM(30) ZMM(31) K(1) K(2) K(3) K(4) K(5) K(6) K(7)
                     :
                     :
                     : "memory");
#undef ZMM
#undef K
}

TARGET void qs_lanes_tags_ifma(struct qs_lanes_mac *m)
{
    const unsigned groups = (m->n + GROUP - 1) / GROUP;
    struct group *g = (struct group *)m->scratch;

    for (unsigned i = 0; i < groups; i++) begin(&g[i], m->key + GROUP * i);
    absorb(g, groups, m->ad, m->ad_len, 1);
    for (unsigned i = 0; i < groups; i++) padded(&g[i], m->ad_end + GROUP * i, m->ad_len + GROUP * i);
    for (unsigned i = 0; i < groups; i += TURNS)
        absorb(&g[i], groups - i < TURNS ? groups - i : TURNS, m->text + GROUP * i, m->len + GROUP * i, 0);
    for (unsigned i = 0; i < groups; i++) padded(&g[i], m->text_end + GROUP * i, m->len + GROUP * i);
    for (unsigned i = 0; i < groups; i++) end(&g[i], m->tag + GROUP * i, m->ad_len + GROUP * i, m->len + GROUP * i);
    wipe_registers();
}

#endif
