/* SPDX-License-Identifier: MIT
 *
 * Poly1305 for LoongArch64 in general registers, 64 x 64 -> 128 bit multiplications: 42 instructions a block.
 *
 *   void qs_poly1305_blocks_scalar(uint32_t h[5], const uint32_t r[4], const uint8_t *in, size_t nblocks, uint32_t pad)
 *
 * Needs unaligned loads, and a multiplier that takes constant time. The contract is in ../kernel.h.
 *
 * h is h0 + h1 2^64 + h2 2^128, r is r0 + r1 2^64, and s1 = 5 r1 / 4, a whole number since r1 is a multiple of 4. A step is
 * h = h r + m, with the message block m that comes next:
 *
 *   top = h0 r1 + h1 r0 + h2 s1 + m1, and h2 r0 more above its lower 64 bits
 *   low = h0 r0 + h1 s1 + m0 + 5 (top >> 66)
 *
 * top comes first: what lies above 2^130 is known before the products of low are there, and comes back in by the same
 * chain of carries that they need. So the first block is added before the loop, and the last multiplication adds 0.
 *
 * Tried and lost: h = (h + m) r, which carries twice through h (46 instructions).
 */
#include "asm.h"
#ifdef QS_LOONGARCH64

#define acc     $a0
#define key     $a1
#define in      $a2
#define end     $a3             /* of in */
#define pad     $a4
#define h0      $a5
#define h1      $a6
#define h2      $a7
#define r0      $t0
#define r1      $t1
#define s1      $t2
#define m0      $t3
#define m1      $t4
#define top     $t5             /* its lower 64 bits */
#define above   $t6             /* and what lies above them */
#define p       $t7             /* products and carries */
#define q       $t8

        function qs_poly1305_blocks_scalar
        ld.d    h0, acc, 0
        ld.d    h1, acc, 8
        ld.wu   h2, acc, 16
        ld.d    r0, key, 0
        ld.d    r1, key, 8
        slli.d  end, end, 4
        add.d   end, in, end

        ld.d    m0, in, 0               /* h += m; h2 <= 7 + 1 + 1 */
        ld.d    m1, in, 8
        addi.d  in, in, 16
        srli.d  s1, r1, 2
        add.d   s1, s1, r1
        bstrpick.d pad, pad, 31, 0
        add.d   h0, h0, m0
        sltu    p, h0, m0
        add.d   h1, h1, m1
        sltu    q, h1, m1
        add.d   h1, h1, p
        sltu    p, h1, p
        add.d   h2, h2, pad
        add.d   q, q, p
        add.d   h2, h2, q
        beq     in, end, .Llast

        /* At its start h2 <= 9, so h < 2^132; r0, r1 < 2^60 and s1 < 5/4 2^60: each product of h0 and h1 is below 2^125, those of
         * h2 below 2^64 and 2^65: no sum of upper halves comes near 2^64. */
.Lblock:
        ld.d    m1, in, 8
        ld.d    m0, in, 0
.Lmultiply:
        mul.d   top, h0, r1
        mul.d   p, h1, r0
        mulh.du above, h0, r1
        mulh.du q, h1, r0
        add.d   top, top, p
        sltu    p, top, p
        add.d   above, above, q
        mul.d   q, h2, s1
        add.d   above, above, p
        mul.d   p, h2, r0
        add.d   top, top, m1
        sltu    m1, top, m1
        add.d   top, top, q
        sltu    q, top, q
        add.d   above, above, p
        add.d   m1, m1, q
        mul.d   q, h0, r0
        add.d   above, above, m1
        mul.d   m1, h1, s1
        mulh.du h0, h0, r0
        mulh.du p, h1, s1
        andi    h2, above, 3            /* above < 2^63 */
        srli.d  above, above, 2
        alsl.d  above, above, above, 2  /* 5 times what is above 2^130: < 2^64 */
        add.d   q, q, m1
        sltu    m1, q, m1
        add.d   h1, h0, p
        add.d   h0, q, m0
        add.d   h1, h1, m1
        sltu    m0, h0, m0
        add.d   h0, h0, above
        add.d   h1, h1, m0
        sltu    above, h0, above
        add.d   h1, h1, above
        add.d   h1, h1, top
        sltu    top, h1, top
        add.d   h2, h2, pad
        add.d   h2, h2, top             /* h2 <= 3 + 1 + 1 */
        addi.d  in, in, 16
        bltu    in, end, .Lblock
        bne     in, end, .Ldone
.Llast:
        move    m0, $zero
        move    m1, $zero
        move    pad, $zero
        b       .Lmultiply

.Ldone:
        st.d    h0, acc, 0
        st.d    h1, acc, 8
        st.w    h2, acc, 16               /* pad was 0: h2 <= 4 */
        ret
        end_function qs_poly1305_blocks_scalar
#endif
