/* SPDX-License-Identifier: MIT
 *
 * A step of Poly1305 in general registers.
 *
 * h is h0 + h1 2^64 + h2 2^128, r is r0 + r1 2^64, and s1 = 5 r1 / 4, a whole number since r1 is a multiple of 4. A step is
 * h = h r + m, with the message block m that comes next:
 *
 *   top = h0 r1 + h1 r0 + h2 s1 + m1, and h2 r0 more above its lower 64 bits
 *   low = h0 r0 + h1 s1 + m0 + 5 (top >> 66)
 *
 * top comes first: what lies above 2^130 is known before the products of low are there, and comes back in by the same
 * chain of carries that they need.
 */
#ifndef QS_LOONGARCH64_POLY1305_H
#define QS_LOONGARCH64_POLY1305_H

#define acc     $a0             /* of the caller, as is key */
#define key     $a1
#define in      $a2
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
#define part    $t7             /* products and carries */
#define carry   $t8

        /* h = h r + m + bit 2^128, bit being a register or, with addi.d, a number; m is lost.
         *
         * At its start h2 <= 9, so h < 2^132; r0, r1 < 2^60 and s1 < 5/4 2^60: each product of h0 and h1 is below 2^125, those of
         * h2 below 2^64 and 2^65: no sum of upper halves comes near 2^64. */
        .macro  multiply_add bit, add=add.d
        mul.d   top, h0, r1
        mul.d   part, h1, r0
        mulh.du above, h0, r1
        mulh.du carry, h1, r0
        add.d   top, top, part
        sltu    part, top, part
        add.d   above, above, carry
        mul.d   carry, h2, s1
        add.d   above, above, part
        mul.d   part, h2, r0
        add.d   top, top, m1
        sltu    m1, top, m1
        add.d   top, top, carry
        sltu    carry, top, carry
        add.d   above, above, part
        add.d   m1, m1, carry
        mul.d   carry, h0, r0
        add.d   above, above, m1
        mul.d   m1, h1, s1
        mulh.du h0, h0, r0
        mulh.du part, h1, s1
        andi    h2, above, 3            /* above < 2^63 */
        srli.d  above, above, 2
        alsl.d  above, above, above, 2  /* 5 times what is above 2^130: < 2^64 */
        add.d   carry, carry, m1
        sltu    m1, carry, m1
        add.d   h1, h0, part
        add.d   h0, carry, m0
        add.d   h1, h1, m1
        sltu    m0, h0, m0
        add.d   h0, h0, above
        add.d   h1, h1, m0
        sltu    above, h0, above
        add.d   h1, h1, above
        add.d   h1, h1, top
        sltu    top, h1, top
        \add   h2, h2, \bit
        add.d   h2, h2, top             /* h2 <= 3 + 1 + 1 */
        .endm

        /* h += m + bit 2^128, before the first multiplication. h2 <= 7 + 1 + 1. */
        .macro  add_first bit, add=add.d
        add.d   h0, h0, m0
        sltu    part, h0, m0
        add.d   h1, h1, m1
        sltu    carry, h1, m1
        add.d   h1, h1, part
        sltu    part, h1, part
        \add   h2, h2, \bit
        add.d   carry, carry, part
        add.d   h2, h2, carry
        .endm

#endif
