/* SPDX-License-Identifier: MIT
 *
 * Poly1305 in plain C with 32-bit limbs, for CPUs that multiply 32 x 32 -> 64 bits in constant time.
 *
 * The limbs are those of the shared accumulator, radix 2^32. Because r1, r2, r3 are multiples of 4,
 *     2^128 r[i] = 2^130 r[i]/4 = 5 r[i]/4 = s[i]  (mod 2^130 - 5),   s[i] = r[i] + r[i]/4,
 * so the products that reach beyond 2^128 fold back as they are made.
 */
#include "../kernel.h"

/* *h += m + carry; returns the carry, 0 or 1. By comparison: on MIPS that is a fifth of the instructions of a whole block
 * less than sums in 64 bits, on ARM, which has a carry flag, still an eighth. */
static inline uint32_t add(uint32_t *h, uint32_t m, uint32_t carry)
{
    *h += carry;
    carry = *h < carry;
    *h += m;
    return carry + (*h < m);
}

void qs_poly1305_blocks_generic32(uint32_t h[5], const uint32_t r[4], const uint8_t *in, size_t nblocks, uint32_t pad)
{
    const uint32_t r0 = r[0], r1 = r[1], r2 = r[2], r3 = r[3];
    const uint32_t s1 = r1 + (r1 >> 2), s2 = r2 + (r2 >> 2), s3 = r3 + (r3 >> 2); /* < 1.25 * 2^28 */
    uint32_t h0 = h[0], h1 = h[1], h2 = h[2], h3 = h[3], h4 = h[4];

    do {
        /* h += m + pad * 2^128: h4 <= 7 + 1 + 1 */
        uint32_t c = add(&h0, qs_load32(in), 0);
        c = add(&h1, qs_load32(in + 4), c);
        c = add(&h2, qs_load32(in + 8), c);
        c = add(&h3, qs_load32(in + 12), c);
        h4 += c + pad;

        /* d = h r. Each product is below 1.25 * 2^60, so each sum of at most five is below 2^63. */
        uint64_t d0 = (uint64_t)h0 * r0 + (uint64_t)h1 * s3 + (uint64_t)h2 * s2 + (uint64_t)h3 * s1;
        uint64_t d1 = (uint64_t)h0 * r1 + (uint64_t)h1 * r0 + (uint64_t)h2 * s3 + (uint64_t)h3 * s2 +
                      (uint64_t)(h4 * s1); /* h4 s < 9 * 1.25 * 2^28 < 2^32 */
        uint64_t d2 = (uint64_t)h0 * r2 + (uint64_t)h1 * r1 + (uint64_t)h2 * r0 + (uint64_t)h3 * s3 +
                      (uint64_t)(h4 * s2);
        uint64_t d3 = (uint64_t)h0 * r3 + (uint64_t)h1 * r2 + (uint64_t)h2 * r1 + (uint64_t)h3 * r0 +
                      (uint64_t)(h4 * s3);

        /* Carry. d3 < 4 * 2^60 + 2^33, so its carry is at most 2^30 + 2 and d4 < 9 * 2^28 + 2^30 + 2 < 2^32. */
        h0 = (uint32_t)d0;
        d1 += d0 >> 32, h1 = (uint32_t)d1;
        d2 += d1 >> 32, h2 = (uint32_t)d2;
        d3 += d2 >> 32, h3 = (uint32_t)d3;
        uint32_t d4 = h4 * r0 + (uint32_t)(d3 >> 32);

        /* The part from 2^130 up, times 5, comes in at the bottom as q + 4 q; it can exceed 2^32. */
        h4 = d4 & 3;
        const uint64_t low = (uint64_t)h0 + (d4 >> 2) + (d4 & ~UINT32_C(3));
        h0 = (uint32_t)low;
        c = add(&h1, (uint32_t)(low >> 32), 0);
        c = add(&h2, 0, c);
        c = add(&h3, 0, c);
        h4 += c; /* <= 4 */

        in += 16;
    } while (--nblocks);

    h[0] = h0, h[1] = h1, h[2] = h2, h[3] = h3, h[4] = h4;
}
