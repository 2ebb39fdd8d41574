/* SPDX-License-Identifier: MIT
 *
 * Poly1305 in plain C with 64-bit limbs, for CPUs that multiply 64 x 64 -> 128 bits in constant time.
 *
 * h = (h1, h0) + h2 2^128, r = r0 + r1 2^64. Because r1 is a multiple of 4,
 *     2^128 r1 = 2^130 r1/4 = 5 r1/4 = s1  (mod 2^130 - 5),   s1 = r1 + r1/4,
 * so the products that reach beyond 2^128 fold back as they are made.
 *
 * The low 128 bits are added as one number and the carry is read off by comparison: gcc 12 makes two adds of that, where
 * sums of limbs in 128 bits cost it a fifth more time a block. A chain of blocks is bound by its latency, about 15 cycles.
 */
#include "../kernel.h"

#ifdef QS_MUL128

void qs_poly1305_blocks_generic64(uint32_t h[5], const uint32_t r[4], const uint8_t *in, size_t nblocks, uint32_t pad)
{
    const uint64_t r0 = r[0] | (uint64_t)r[1] << 32; /* < 2^60 */
    const uint64_t r1 = r[2] | (uint64_t)r[3] << 32; /* < 2^60 */
    const uint64_t s1 = r1 + (r1 >> 2);              /* < 1.25 * 2^60 */
    qs_uint128 low = (h[0] | (uint64_t)h[1] << 32) | (qs_uint128)(h[2] | (uint64_t)h[3] << 32) << 64;
    uint64_t h2 = h[4];

    do {
        /* h += m + pad * 2^128: h2 <= 7 + 1 + 1 */
        const qs_uint128 m = qs_load64(in) | (qs_uint128)qs_load64(in + 8) << 64;
        low += m;
        h2 += (low < m) + pad;

        /* d = h r: each product is below 1.25 * 2^124, h2 s1 below 9 * 1.25 * 2^60 < 2^64. */
        const uint64_t h0 = (uint64_t)low, h1 = (uint64_t)(low >> 64);
        qs_uint128 d0 = (qs_uint128)h0 * r0 + (qs_uint128)h1 * s1;
        qs_uint128 d1 = (qs_uint128)h0 * r1 + (qs_uint128)h1 * r0 + h2 * s1 + (d0 >> 64);
        uint64_t d2 = h2 * r0 + (uint64_t)(d1 >> 64); /* < 9 * 2^60 + 2 * 2^60 + 2 */

        /* The part from 2^130 up, q, comes in at the bottom times 5, as q + 4 q < 13.75 * 2^60 + 3. */
        const uint64_t q5 = (d2 >> 2) + (d2 & ~(uint64_t)3);
        low = ((uint64_t)d0 | d1 << 64) + q5;
        h2 = (d2 & 3) + (low < q5); /* <= 4 */

        in += 16;
    } while (--nblocks);

    h[0] = (uint32_t)low, h[1] = (uint32_t)(low >> 32);
    h[2] = (uint32_t)(low >> 64), h[3] = (uint32_t)(low >> 96);
    h[4] = (uint32_t)h2;
}

#endif
