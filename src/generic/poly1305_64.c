/* SPDX-License-Identifier: MIT
 *
 * Poly1305 in plain C with 64-bit limbs, for CPUs that multiply 64 x 64 -> 128 bits in constant time.
 *
 * h = h0 + h1 2^64 + h2 2^128, r = r0 + r1 2^64. Because r1 is a multiple of 4,
 *     2^128 r1 = 2^130 r1/4 = 5 r1/4 = s1  (mod 2^130 - 5),   s1 = r1 + r1/4,
 * so the products that reach beyond 2^128 fold back as they are made.
 */
#include "../kernel.h"

#ifdef QS_MUL128

void qs_poly1305_blocks_generic64(uint32_t h[5], const uint32_t r[4], const uint8_t *in, size_t nblocks, uint32_t pad)
{
    const uint64_t r0 = r[0] | (uint64_t)r[1] << 32; /* < 2^60 */
    const uint64_t r1 = r[2] | (uint64_t)r[3] << 32; /* < 2^60 */
    const uint64_t s1 = r1 + (r1 >> 2);              /* < 1.25 * 2^60 */
    uint64_t h0 = h[0] | (uint64_t)h[1] << 32, h1 = h[2] | (uint64_t)h[3] << 32, h2 = h[4];

    do {
        /* h += m + pad * 2^128: h2 <= 7 + 1 + 1 */
        qs_uint128 c = (qs_uint128)h0 + qs_load64(in);
        h0 = (uint64_t)c;
        c = (c >> 64) + h1 + qs_load64(in + 8);
        h1 = (uint64_t)c;
        h2 += (uint64_t)(c >> 64) + pad;

        /* d = h r: each product is below 1.25 * 2^124, h2 s1 below 9 * 1.25 * 2^60 < 2^64. */
        qs_uint128 d0 = (qs_uint128)h0 * r0 + (qs_uint128)h1 * s1;
        qs_uint128 d1 = (qs_uint128)h0 * r1 + (qs_uint128)h1 * r0 + h2 * s1;
        uint64_t d2 = h2 * r0; /* < 9 * 2^60 */

        h0 = (uint64_t)d0;
        d1 += d0 >> 64;
        h1 = (uint64_t)d1;
        d2 += (uint64_t)(d1 >> 64); /* carry < 2 * 2^60 + 2, so d2 < 11 * 2^60 + 2 */

        /* The part from 2^130 up, times 5, comes in at the bottom as q + 4 q < 13.75 * 2^60 + 3. */
        h2 = d2 & 3;
        c = (qs_uint128)h0 + ((d2 >> 2) + (d2 & ~(uint64_t)3));
        h0 = (uint64_t)c;
        c = (c >> 64) + h1;
        h1 = (uint64_t)c;
        h2 += (uint64_t)(c >> 64); /* <= 4 */

        in += 16;
    } while (--nblocks);

    h[0] = (uint32_t)h0, h[1] = (uint32_t)(h0 >> 32);
    h[2] = (uint32_t)h1, h[3] = (uint32_t)(h1 >> 32);
    h[4] = (uint32_t)h2;
}

#endif
