/* SPDX-License-Identifier: MIT
 *
 * Poly1305 for packets that share vector lanes: up to 32 packets, each with its own r and its own blocks. The contract is
 * struct qs_lanes_mac in kernel.h.
 *
 * A lane is a packet: four packets are a group, with its state in memory. h = h r^2 + x r + y takes two blocks with one
 * carry. Numbers stand in five limbs of 26 bits, for vpmuludq. Four groups take turns, two blocks at a time, so that one's
 * carries run beside the others' products: 16 registers hold no more than one of them, and the CPU does the rest.
 *
 * Needs AVX2.
 */
#include "cpu.h"

#ifdef QS_X86_64

#include <immintrin.h>

/* gcc orders instructions as the source does unless told to mind registers: 16 are few, and it would spill twice as often
 * (7.3 cycles a block, not 6.1; clang 5.8). */
#if defined(__clang__)
#define TARGET __attribute__((target("avx2")))
#else
#define TARGET __attribute__((target("avx2"), optimize("schedule-insns", "sched-pressure")))
#endif
#define INLINE TARGET static inline __attribute__((always_inline))

/* A loop over an array that is meant to be registers: gcc at -O2 would keep both, the loop and the array. */
#define UNROLL _Pragma("GCC unroll 8")

typedef __m256i vec;

enum { LANES = 4 };

struct limbs {
    vec x0, x1, x2, x3, x4; /* x0 + x1 2^26 + ... */
};

/* Four packets. */
struct group {
    struct limbs r, r2, h;
    struct limbs r_5, r2_5; /* 5 r, 5 r^2: what passes 2^130 comes round times 5 */
};
enum { GROUPS = 4 }; /* at a time */
_Static_assert(sizeof(struct group[GROUPS]) <= QS_LANES_MAC_SCRATCH, "the scratch is large enough");

#define ADD(a, b) _mm256_add_epi64(a, b)
#define AND(a, b) _mm256_and_si256(a, b)
#define OR(a, b) _mm256_or_si256(a, b)
#define SHR(a, n) _mm256_srli_epi64(a, n)
#define SHL(a, n) _mm256_slli_epi64(a, n)
#define MUL(a, b) _mm256_mul_epu32(a, b)
#define ALL(x) _mm256_set1_epi64x((long long)(x))
#define LOW26 ALL(0x3ffffff)

/* ---- loads: rows of packets become columns ------------------------------------------------------------------------- */

/* 16 bytes each of four packets: words of 64 bits. */
INLINE void transpose(vec *lo, vec *hi, __m128i a, __m128i b, __m128i c, __m128i d)
{
    const vec ac = _mm256_inserti128_si256(_mm256_castsi128_si256(a), c, 1);
    const vec bd = _mm256_inserti128_si256(_mm256_castsi128_si256(b), d, 1);

    *lo = _mm256_unpacklo_epi64(ac, bd);
    *hi = _mm256_unpackhi_epi64(ac, bd);
}

INLINE __m128i load(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

INLINE struct limbs split(vec lo, vec hi)
{
    const struct limbs m = {AND(lo, LOW26), AND(SHR(lo, 26), LOW26), AND(OR(SHR(lo, 52), SHL(hi, 12)), LOW26),
                            AND(SHR(hi, 14), LOW26), SHR(hi, 40)};
    return m;
}

/* A block with its one bit at 2^128. */
INLINE struct limbs block(vec lo, vec hi)
{
    struct limbs m = split(lo, hi);
    m.x4 = OR(m.x4, ALL(1 << 24));
    return m;
}

INLINE struct limbs blocks_at(const uint8_t *const in[LANES], size_t at)
{
    vec lo, hi;

    transpose(&lo, &hi, load(in[0] + at), load(in[1] + at), load(in[2] + at), load(in[3] + at));
    return block(lo, hi);
}

/* ---- arithmetic ----------------------------------------------------------------------------------------------------
 *
 * Bounds: limbs of r < 2^26, of a message < 2^26, of an accumulator and of r^2 < 2^26 + 2^11; 5 times any of
 * them < 2^29. A sum of ten products and a message limb is < 10 * 2^55 + 2^26 < 2^59. */

/* s += a r mod 2^130 - 5 */
INLINE struct limbs multiply_add(struct limbs s, struct limbs a, const struct limbs *r, const struct limbs *r_5)
{
#define ROW(a, f0, f1, f2, f3, f4)                                                                                     \
    s.x0 = ADD(s.x0, MUL(a, f0)), s.x1 = ADD(s.x1, MUL(a, f1)), s.x2 = ADD(s.x2, MUL(a, f2)),                          \
    s.x3 = ADD(s.x3, MUL(a, f3)), s.x4 = ADD(s.x4, MUL(a, f4))
    ROW(a.x0, r->x0, r->x1, r->x2, r->x3, r->x4);
    ROW(a.x1, r_5->x4, r->x0, r->x1, r->x2, r->x3);
    ROW(a.x2, r_5->x3, r_5->x4, r->x0, r->x1, r->x2);
    ROW(a.x3, r_5->x2, r_5->x3, r_5->x4, r->x0, r->x1);
    ROW(a.x4, r_5->x1, r_5->x2, r_5->x3, r_5->x4, r->x0);
#undef ROW
    return s;
}

/* Moves what is above 26 bits one limb up. */
#define CARRY(from, to) to = ADD(to, SHR(from, 26)), from = AND(from, LOW26)

/* The same from the top limb, which comes round to the lowest. */
INLINE struct limbs carry_round(struct limbs s)
{
    const vec c = SHR(s.x4, 26);

    s.x0 = ADD(s.x0, ADD(c, SHL(c, 2)));
    s.x4 = AND(s.x4, LOW26);
    return s;
}

INLINE struct limbs carry(struct limbs s)
{
    /* Two chains at once, from limb 0 and from limb 3. */
    CARRY(s.x0, s.x1);
    CARRY(s.x3, s.x4);
    CARRY(s.x1, s.x2);
    s = carry_round(s);  /* x0 < 2^26 + 5 * 2^34 */
    CARRY(s.x2, s.x3);   /* x3 < 2^26 + 2^34 */
    CARRY(s.x0, s.x1);   /* x1 < 2^26 + 2^11 */
    CARRY(s.x3, s.x4);   /* x4 < 2^26 + 2^8 */
    return s;
}

INLINE struct limbs zero(void)
{
    const vec none = _mm256_setzero_si256();
    const struct limbs z = {none, none, none, none, none};
    return z;
}

/* h r + x */
INLINE struct limbs one_block(const struct group *g, struct limbs h, struct limbs x)
{
    return carry(multiply_add(x, h, &g->r, &g->r_5));
}

/* h r^2 + x r + y */
INLINE struct limbs two_blocks(const struct group *g, struct limbs h, struct limbs x, struct limbs y)
{
    return carry(multiply_add(multiply_add(y, x, &g->r, &g->r_5), h, &g->r2, &g->r2_5));
}

INLINE struct limbs choose(vec mask, struct limbs a, struct limbs b)
{
    const struct limbs m = {_mm256_blendv_epi8(b.x0, a.x0, mask), _mm256_blendv_epi8(b.x1, a.x1, mask),
                            _mm256_blendv_epi8(b.x2, a.x2, mask), _mm256_blendv_epi8(b.x3, a.x3, mask),
                            _mm256_blendv_epi8(b.x4, a.x4, mask)};
    return m;
}

/* ---- a group's work ------------------------------------------------------------------------------------------------ */

INLINE struct limbs times5(struct limbs r)
{
    const struct limbs m = {ADD(r.x0, SHL(r.x0, 2)), ADD(r.x1, SHL(r.x1, 2)), ADD(r.x2, SHL(r.x2, 2)),
                            ADD(r.x3, SHL(r.x3, 2)), ADD(r.x4, SHL(r.x4, 2))};
    return m;
}

INLINE void begin(struct group *g, const uint8_t (*key)[64])
{
    vec lo, hi;

    transpose(&lo, &hi, load(key[0]), load(key[1]), load(key[2]), load(key[3]));
    g->r = split(AND(lo, ALL(0x0ffffffc0fffffff)), AND(hi, ALL(0x0ffffffc0ffffffc)));
    g->r_5 = times5(g->r);
    g->r2 = one_block(g, g->r, zero());
    g->r2_5 = times5(g->r2);
    g->h = zero();
}

INLINE vec lengths(const uint32_t len[LANES])
{
    return _mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)len));
}

/* The whole blocks of a part: two at a time where all packets of a group have them, else one of those that have it. */
TARGET static QS_NOINLINE void absorb(struct group *g, unsigned groups, const uint8_t *const *in, const uint32_t *len)
{
    uint32_t least[GROUPS], most[GROUPS], longest = 0;

    for (unsigned i = 0; i < groups; i++) {
        least[i] = most[i] = len[LANES * i] / 16;
        for (unsigned j = 1; j < LANES; j++) {
            const uint32_t blocks = len[LANES * i + j] / 16;
            if (blocks < least[i]) least[i] = blocks;
            if (blocks > most[i]) most[i] = blocks;
        }
        if (most[i] > longest) longest = most[i];
    }
    for (uint32_t at = 0; at < longest; at += 2) {
        for (unsigned i = 0; i < groups; i++) {
            const uint8_t *const *from = in + LANES * i;

            if (at + 2 <= least[i]) {
                g[i].h = two_blocks(&g[i], g[i].h, blocks_at(from, 16 * (size_t)at), blocks_at(from, 16 * (size_t)at + 16));
                continue;
            }
            for (uint32_t block = at; block < at + 2 && block < most[i]; block++) {
                const vec some = _mm256_cmpgt_epi64(SHR(lengths(len + LANES * i), 4), ALL(block));
                const uint8_t *own[LANES];

                UNROLL
                for (unsigned j = 0; j < LANES; j++) /* that of others is any that can be read */
                    own[j] = len[LANES * i + j] / 16 > block ? from[j] + 16 * (size_t)block : (const uint8_t *)g;
                g[i].h = choose(some, one_block(&g[i], g[i].h, blocks_at(own, 0)), g[i].h);
            }
        }
    }
}

/* An end that stands padded in a place of its own, of those packets that have one. */
INLINE void padded(struct group *g, const uint8_t (*end)[16], const uint32_t len[LANES])
{
    const vec none = _mm256_cmpeq_epi64(AND(lengths(len), ALL(15)), _mm256_setzero_si256());
    const uint8_t *const in[LANES] = {end[0], end[1], end[2], end[3]};

    if (_mm256_movemask_epi8(none) != -1) g->h = choose(none, g->h, one_block(g, g->h, blocks_at(in, 0)));
}

/* The block of both lengths, and tag = h r mod 2^130 - 5, + s mod 2^128. */
INLINE void end(const struct group *g, const uint8_t (*key)[64], uint8_t (*tag)[QS_TAG_LEN],
                const uint32_t ad_len[LANES], const uint32_t len[LANES])
{
    vec s_lo, s_hi;
    struct limbs h = two_blocks(g, g->h, block(lengths(ad_len), lengths(len)), zero());

    /* To limbs of 26 bits: x1 and x4 have a little more. What comes round to x0 is at most 5, and carries on from there only
     * where the limbs above are small. */
    CARRY(h.x1, h.x2), CARRY(h.x2, h.x3), CARRY(h.x3, h.x4);
    h = carry_round(h);
    CARRY(h.x0, h.x1), CARRY(h.x1, h.x2), CARRY(h.x2, h.x3), CARRY(h.x3, h.x4);

    /* h - (2^130 - 5), if that is not negative: h + 5 reaches 2^130. */
    struct limbs d = h;
    d.x0 = ADD(d.x0, ALL(5));
    CARRY(d.x0, d.x1), CARRY(d.x1, d.x2), CARRY(d.x2, d.x3), CARRY(d.x3, d.x4);
    h = choose(_mm256_cmpgt_epi64(d.x4, LOW26), d, h);

    const vec lo = OR(OR(h.x0, SHL(h.x1, 26)), SHL(h.x2, 52));
    const vec hi = OR(OR(SHR(h.x2, 12), SHL(h.x3, 14)), SHL(h.x4, 40));
    transpose(&s_lo, &s_hi, load(key[0] + 16), load(key[1] + 16), load(key[2] + 16), load(key[3] + 16));
    /* The carry of lo + s_lo is the top bit of (lo & s) | ((lo | s) & ~sum). */
    const vec sum = ADD(lo, s_lo);
    const vec carried = SHR(OR(AND(lo, s_lo), _mm256_andnot_si256(sum, OR(lo, s_lo))), 63);
    const vec top = ADD(ADD(hi, s_hi), carried);
    const vec even = _mm256_unpacklo_epi64(sum, top), odd = _mm256_unpackhi_epi64(sum, top);
    _mm_storeu_si128((__m128i *)tag[0], _mm256_castsi256_si128(even));
    _mm_storeu_si128((__m128i *)tag[1], _mm256_castsi256_si128(odd));
    _mm_storeu_si128((__m128i *)tag[2], _mm256_extracti128_si256(even, 1));
    _mm_storeu_si128((__m128i *)tag[3], _mm256_extracti128_si256(odd, 1));
}

INLINE void wipe_registers(void)
{
#define YMM(n) "vpxor %%xmm" #n ", %%xmm" #n ", %%xmm" #n "\n\t"
    __asm__ volatile(YMM(0) YMM(1) YMM(2) YMM(3) YMM(4) YMM(5) YMM(6) YMM(7) YMM(8) YMM(9) YMM(10) YMM(11) YMM(12)
                         YMM(13) YMM(14) YMM(15)
                     :
                     :
                     : "memory");
#undef YMM
}

TARGET void qs_lanes_tags_avx2(struct qs_lanes_mac *m)
{
    struct group *g = (struct group *)m->scratch;

    for (unsigned from = 0; from < m->n; from += GROUPS * LANES) {
        const unsigned left = (m->n - from + LANES - 1) / LANES, groups = left < GROUPS ? left : GROUPS;
        const uint32_t *ad_len = m->ad_len + from, *len = m->len + from;
        const uint8_t(*key)[64] = (const uint8_t(*)[64])m->key + from;

        for (unsigned i = 0; i < groups; i++) begin(&g[i], key + LANES * i);
        absorb(g, groups, m->ad + from, ad_len);
        for (unsigned i = 0; i < groups; i++)
            padded(&g[i], (const uint8_t(*)[16])m->ad_end + from + LANES * i, ad_len + LANES * i);
        absorb(g, groups, m->text + from, len);
        for (unsigned i = 0; i < groups; i++)
            padded(&g[i], (const uint8_t(*)[16])m->text_end + from + LANES * i, len + LANES * i);
        for (unsigned i = 0; i < groups; i++)
            end(&g[i], key + LANES * i, m->tag + from + LANES * i, ad_len + LANES * i, len + LANES * i);
    }
    wipe_registers();
}

#endif
