/* SPDX-License-Identifier: MIT
 *
 * ChaCha20 keystream for LoongArch64 that never touches the stack: 1007 instructions a block.
 *
 *   void qs_chacha20_blocks_nostack(uint8_t *dst, const uint32_t *key, uint32_t *counter, size_t nblocks)
 *
 * ../../include/quickstep.h says what it does. Needs no vectors; unaligned stores only where dst asks for them.
 *
 * The seventeen general registers that a call may change hold the sixteen words and the count of rounds; all else waits in
 * floating point registers, two words to a register. So there is nothing to save, and nothing to unwind. With a nonce of
 * zeros columns 2 and 3 of the first round are the same in every block and done once, and so are x0 + x4, x1 + x5 and then
 * x2 + x7. Otherwise scheduled as chacha_scalar.S is.
 *
 * Tried and lost: callee-saved registers kept in floating point registers, so that more words stay at hand: 22 more
 * instructions a call, none fewer a block.
 */
#include "asm.h"
#if defined(QS_LOONGARCH64) && defined(__loongarch_hard_float)

#define ADD add.w
#define XOR xor
#define ROTR rotri.w

#define x0      $a0
#define x1      $a1
#define x2      $a2
#define x3      $a3
#define x4      $a4
#define x5      $a5
#define x6      $a6
#define x7      $a7
#define x8      $t0
#define x9      $t1
#define x10     $t2
#define x11     $t3
#define x12     $t4
#define x13     $t5
#define x14     $t6
#define x15     $t7
#define left    $t8             /* double rounds; then dst */

#define f_dst           $f0
#define f_end           $f1     /* of dst */
#define f_counter_at    $f2
#define f_counter       $f3     /* words 12 and 13 of this block */
#define f_01            $f4     /* state words */
#define f_23            $f5
#define f_45            $f6
#define f_67            $f7
#define f_89            $f8
#define f_1011          $f9
#define first_01        $f10    /* x0 + x4, x1 + x5 */
#define first_23        $f11    /* after columns 2 and 3; x2 + x7 in place of x2 */
#define first_67        $f12
#define first_1011      $f13
#define first_1415      $f14

#include "chacha.inc"

        .macro  pack    f, lower, upper         /* changes lower */
        bstrins.d \lower, \upper, 63, 32
        movgr2fr.d \f, \lower
        .endm

        /* The upper half of `lower` stays as it is: nothing looks at it. */
        .macro  unpack  lower, upper, f
        movfr2gr.d \lower, \f
        srli.d  \upper, \lower, 32
        .endm

        .macro  two_lines n, p0, p1, q0, q1, s0, s1     /* p += q; s = (s ^ p) >>> n */
        add.w   \p0, \p0, \q0
        add.w   \p1, \p1, \q1
        xor     \s0, \s0, \p0
        xor     \s1, \s1, \p1
        rotri.w \s0, \s0, \n
        rotri.w \s1, \s1, \n
        .endm

        /* out = x + state, two words; `lower` and `upper` are free */
        .macro  write_two at, p, q, f, lower, upper
        unpack  \lower, \upper, \f
        add.w   \p, \p, \lower
        add.w   \q, \q, \upper
        st.w    \p, left, \at
        st.w    \q, left, \at + 4
        .endm

        .text
        .balign 32
        .globl  qs_chacha20_blocks_nostack
        .type   qs_chacha20_blocks_nostack, @function
qs_chacha20_blocks_nostack:
        .cfi_startproc
        beqz    $a3, .Lnothing
        movgr2fr.d f_dst, $a0
        slli.d  $a3, $a3, 6
        add.d   $a3, $a0, $a3
        movgr2fr.d f_end, $a3
        movgr2fr.d f_counter_at, $a2
        ld.wu   x12, $a2, 0
        ld.wu   x13, $a2, 4
        pack    f_counter, x12, x13
        move    left, $a1
        ld.w    x4, left, 0
        ld.w    x5, left, 4
        ld.w    x6, left, 8
        ld.w    x7, left, 12
        ld.w    x8, left, 16
        ld.w    x9, left, 20
        ld.w    x10, left, 24
        ld.w    x11, left, 28
        li.w    x0, 0x61707865                  /* "expand 32-byte k" */
        li.w    x1, 0x3320646e
        li.w    x2, 0x79622d32
        li.w    x3, 0x6b206574
        add.w   x12, x0, x4
        add.w   x13, x1, x5
        pack    first_01, x12, x13
        pack    f_01, x0, x1
        move    x12, x2
        pack    f_23, x12, x3
        pack    f_45, x4, x5
        move    x12, x6
        pack    f_67, x12, x7
        pack    f_89, x8, x9
        move    x12, x10
        pack    f_1011, x12, x11

        move    x14, $zero
        move    x15, $zero
        two_lines 16, x2, x3, x6, x7, x14, x15
        two_lines 20, x10, x11, x14, x15, x6, x7
        two_lines 24, x2, x3, x6, x7, x14, x15
        two_lines 25, x10, x11, x14, x15, x6, x7
        add.w   x2, x2, x7
        pack    first_23, x2, x3
        pack    first_67, x6, x7
        pack    first_1011, x10, x11
        pack    first_1415, x14, x15

.Lblock:
        unpack  x12, x13, f_counter
        unpack  x0, x1, first_01
        unpack  x8, x9, f_89
        unpack  x4, x5, f_45
        xor     x12, x12, x0
        xor     x13, x13, x1
        rotri.w x12, x12, 16
        rotri.w x13, x13, 16
        two_lines 20, x8, x9, x12, x13, x4, x5
        unpack  x2, x3, first_23
        two_lines 24, x0, x1, x4, x5, x12, x13
        unpack  x6, x7, first_67
        two_lines 25, x8, x9, x12, x13, x4, x5
        unpack  x10, x11, first_1011
        unpack  x14, x15, first_1415
        ori     left, $zero, 9
        add.w   x0, x0, x5
        add.w   x1, x1, x6
        xor     x13, x13, x2
        add.w   x3, x3, x4
        xor     x15, x15, x0
        xor     x12, x12, x1
        rotri.w x13, x13, 16
        xor     x14, x14, x3
        rotri.w x15, x15, 16
        rotri.w x12, x12, 16
        rotri.w x14, x14, 16
        diagonals_end
.Lrounds:
        addi.d  left, left, -3
        double_round
        double_round
        double_round
        bnez    left, .Lrounds

        movfr2gr.d left, f_dst
        st.w    x14, left, 56                   /* the nonce is 0 */
        st.w    x15, left, 60
        write_two 48, x12, x13, f_counter, x14, x15
        addi.d  x14, x14, 1
        movgr2fr.d f_counter, x14
        write_two 0, x0, x1, f_01, x12, x13
        write_two 8, x2, x3, f_23, x14, x15
        write_two 16, x4, x5, f_45, x0, x1
        write_two 24, x6, x7, f_67, x2, x3
        write_two 32, x8, x9, f_89, x4, x5
        write_two 40, x10, x11, f_1011, x6, x7
        addi.d  left, left, 64
        movfr2gr.d x0, f_end
        movgr2fr.d f_dst, left
        bne     left, x0, .Lblock

        movfr2gr.d x0, f_counter_at
        unpack  x12, x13, f_counter
        st.w    x12, x0, 0
        st.w    x13, x0, 4
        .irp    n, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20
        move    $r\n, $zero
        .endr
        .irp    n, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
        movgr2fr.d $f\n, $zero
        .endr
.Lnothing:
        ret
        end_function qs_chacha20_blocks_nostack
#endif
