/* SPDX-License-Identifier: MIT
 *
 * Poly1305 in vector registers, for LSX and for LASX. Who includes this defines R(n), vector register n; V(op), an
 * operation on all of it; LANES, its 64-bit lanes; and the macros in which the two differ: sort_powers, broadcast_first
 * and add_lanes.
 *
 *   void NAME(uint32_t h[5], const uint32_t r[4], const uint8_t *in, size_t nblocks, uint32_t pad)
 *
 * Lane i adds up every block whose number is i modulo LANES, by h = h r^LANES + m; at the end each lane is multiplied by the
 * power of r that its last block wants, and the lanes are added. Blocks left over, and few blocks, go to the scalar row.
 *
 * Limbs have 44, 44 and 42 bits: h = h0 + h1 2^44 + h2 2^88. Since 2^132 = 20 modulo 2^130 - 5, with s1 = 20 r1, s2 = 20 r2:
 *
 *   d0 = h0 r0 + h1 s2 + h2 s1
 *   d1 = h0 r1 + h1 r0 + h2 s2
 *   d2 = h0 r2 + h1 r1 + h2 r0
 *
 * of 128 bits each, so d has the even lanes and e the odd ones. What a limb is, and what it carries, is brought back into
 * 64-bit lanes by one instruction each. Registers 0 to 23 are used, which need not be kept; no secret is left in them.
 *
 * Tried and lost: five limbs of 26 bits in 64-bit lanes (25 multiplications in place of 18: 17 against 14.5 instructions a
 * block in LASX).
 */
#include "poly1305.h"

#define XOR V(xor.v)
#define nblocks $a3
#define power   $a4             /* where the next power of r goes; pad waits in BIT */

#define H0      R(0)
#define H1      R(1)
#define H2      R(2)
#define D0      R(3)
#define D1      R(4)
#define D2      R(5)
#define E0      R(6)
#define E1      R(7)
#define E2      R(8)
#define R0      R(9)            /* r^LANES in all lanes, then in each its own power */
#define R1      R(10)
#define R2      R(11)
#define S1      R(12)
#define S2      R(13)
#define LAST0   R(14)           /* the powers for the end */
#define LAST1   R(15)
#define LAST2   R(16)
#define MASK44  R(17)
#define MASK42  R(18)
#define BIT     R(19)           /* pad 2^128, in the third limb */
#define M0      R(20)
#define M1      R(21)
#define M2      R(22)
#define T       R(23)

#define FRAME   (3 * 8 * LANES)

        /* h0, h1, h2 of 64 bits into limbs m0, m1, top. The last has 42 bits and what h has above 130. */
        .macro  split
        bstrpick.d m0, h0, 43, 0
        srli.d  m1, h0, 44
        bstrins.d m1, h1, 43, 20
        srli.d  top, h1, 24
        bstrins.d top, h2, 63, 40
        .endm

        /* r^1 to r^LANES, the highest first, at sp: an array for each limb. */
        .macro  make_powers
        ld.d    r0, key, 0
        ld.d    r1, key, 8
        srli.d  s1, r1, 2
        add.d   s1, s1, r1
        addi.d  power, $sp, 8 * (LANES - 1)
        move    h0, r0
        move    h1, r1
        move    h2, $zero
.Lpowers:
        split
        st.d    m0, power, 0
        st.d    m1, power, 8 * LANES
        st.d    top, power, 16 * LANES
        addi.d  power, power, -8
        bltu    power, $sp, .Lpowers_made
        move    m0, $zero
        move    m1, $zero
        multiply_add $zero
        b       .Lpowers
.Lpowers_made:
        V(ld)   LAST0, $sp, 0
        V(ld)   LAST1, $sp, 8 * LANES
        V(ld)   LAST2, $sp, 16 * LANES
        sort_powers LAST0
        sort_powers LAST1
        sort_powers LAST2
        broadcast_first R0, LAST0
        broadcast_first R1, LAST1
        broadcast_first R2, LAST2
        .endm

        /* S1 = 20 R1, S2 = 20 R2: below 2^49 and 2^48, as R2 < 2^43. */
        .macro  make_20_times_r
        V(slli.d) S1, R1, 2
        V(slli.d) S2, R2, 2
        V(slli.d) T, S1, 2
        V(add.d) S1, S1, T
        V(slli.d) T, S2, 2
        V(add.d) S2, S2, T
        .endm

        /* Limbs of LANES blocks into M0, M1 and M2; with LASX in the order 0, 2, 1, 3. */
        .macro  load_message
        V(ld)   M0, in, 0
        V(ld)   M2, in, 8 * LANES
        V(ilvl.d) T, M2, M0
        V(ilvh.d) M2, M2, M0
        V(srli.d) M1, T, 44
        V(and.v) M0, T, MASK44
        V(slli.d) T, M2, 20
        V(srli.d) M2, M2, 24
        V(or.v) M1, M1, T
        V(or.v) M2, M2, BIT
        V(and.v) M1, M1, MASK44
        .endm

        /* h *= r. With h0, h1 < 2^45 and h2 < 2^44, which also holds after a message was added: d0 < 2^95, d1 < 2^93, d2 < 2^91;
         * their carries are below 2^51, 2^49 and 2^49; at the end h0, h1 < 2^44, h2 < 2^42 + 2^8. */
        .macro  multiply
        V(mulwev.q.du) D0, H0, R0
        V(mulwod.q.du) E0, H0, R0
        V(mulwev.q.du) D1, H0, R1
        V(mulwod.q.du) E1, H0, R1
        V(mulwev.q.du) D2, H0, R2
        V(mulwod.q.du) E2, H0, R2
        V(maddwev.q.du) D0, H1, S2
        V(maddwod.q.du) E0, H1, S2
        V(maddwev.q.du) D1, H1, R0
        V(maddwod.q.du) E1, H1, R0
        V(maddwev.q.du) D2, H1, R1
        V(maddwod.q.du) E2, H1, R1
        V(maddwev.q.du) D0, H2, S1
        V(maddwod.q.du) E0, H2, S1
        V(maddwev.q.du) D1, H2, S2
        V(maddwod.q.du) E1, H2, S2
        V(maddwev.q.du) D2, H2, R0
        V(maddwod.q.du) E2, H2, R0
        .endm

        .macro  carry_all
        V(ilvl.d) H2, E2, D2
        V(srlni.d.q) E2, D2, 42         /* even lanes from D2, odd from E2 */
        V(ilvl.d) H0, E0, D0
        V(srlni.d.q) E0, D0, 44
        V(ilvl.d) H1, E1, D1
        V(srlni.d.q) E1, D1, 44
        V(and.v) H2, H2, MASK42
        V(and.v) H0, H0, MASK44
        V(add.d) H2, H2, E1
        V(and.v) H1, H1, MASK44
        V(srli.d) D2, H2, 42
        V(add.d) H1, H1, E0
        V(add.d) E2, E2, D2             /* all that is above 2^130 */
        V(and.v) H2, H2, MASK42
        V(slli.d) D2, E2, 2
        V(add.d) H0, H0, E2
        V(add.d) H0, H0, D2
        V(srli.d) D0, H0, 44
        V(and.v) H0, H0, MASK44
        V(add.d) H1, H1, D0
        V(srli.d) D1, H1, 44
        V(and.v) H1, H1, MASK44
        V(add.d) H2, H2, D1
        .endm

        .macro  add_message
        V(add.d) H0, H0, M0
        V(add.d) H1, H1, M1
        V(add.d) H2, H2, M2
        .endm

        .macro  poly1305_function name, least, wipe
        function \name
        ori     part, $zero, \least
        bgeu    nblocks, part, .Lmany
        b       qs_poly1305_blocks_scalar
.Lmany:
        frame   FRAME
        slli.d  part, pad, 40
        V(replgr2vr.d) BIT, part
        make_powers
        make_20_times_r
        addi.w  part, $zero, -1
        V(replgr2vr.d) MASK42, part
        V(srli.d) MASK44, MASK42, 20
        V(srli.d) MASK42, MASK42, 22

        ld.d    h0, acc, 0              /* the first lane goes on from h */
        ld.d    h1, acc, 8
        ld.wu   h2, acc, 16
        split
        XOR     H0, H0, H0
        XOR     H1, H1, H1
        XOR     H2, H2, H2
        V(insgr2vr.d) H0, m0, 0
        V(insgr2vr.d) H1, m1, 0
        V(insgr2vr.d) H2, top, 0
        load_message
        add_message
        addi.d  in, in, 16 * LANES
        addi.d  nblocks, nblocks, -2 * LANES
.Lblocks:
        multiply
        load_message
        carry_all
        add_message
        addi.d  in, in, 16 * LANES
        addi.d  nblocks, nblocks, -LANES
        bge     nblocks, $zero, .Lblocks

        V(ori.b) R0, LAST0, 0
        V(ori.b) R1, LAST1, 0
        V(ori.b) R2, LAST2, 0
        make_20_times_r
        multiply
        carry_all
        add_lanes

        /* The sum of limbs m0, m1, top to 64 bits. top >> 42 <= LANES comes back fivefold: h[4] <= 4. */
        srli.d  above, top, 42
        bstrpick.d top, top, 41, 0
        alsl.d  above, above, above, 2
        add.d   m0, m0, above
        srli.d  h1, m1, 20
        slli.d  m1, m1, 44
        add.d   h0, m0, m1
        sltu    carry, h0, m1
        slli.d  part, top, 24
        add.d   h1, h1, carry
        add.d   h1, h1, part
        sltu    carry, h1, part
        srli.d  h2, top, 40
        add.d   h2, h2, carry
        st.d    h0, acc, 0
        st.d    h1, acc, 8
        st.w    h2, acc, 16
        V(pickve2gr.d) pad, BIT, 0
        \wipe
        V(st)   R(0), $sp, 0
        V(st)   R(0), $sp, 8 * LANES
        V(st)   R(0), $sp, 16 * LANES
        end_frame FRAME
        addi.d  nblocks, nblocks, LANES
        srli.d  pad, pad, 40
        bnez    nblocks, .Lrest
        ret
.Lrest:
        b       qs_poly1305_blocks_scalar
        end_function \name
        .endm
