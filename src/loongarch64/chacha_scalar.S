/* SPDX-License-Identifier: MIT
 *
 * ChaCha for LoongArch64 in general registers: 1002 instructions a block of 20 rounds.
 *
 *   void qs_chacha_blocks_scalar(uint8_t *out, const uint8_t *in, size_t nblocks, const uint32_t state[16], unsigned rounds)
 *   void qs_chacha_keyed_scalar(uint8_t *out, const uint8_t *in, size_t nblocks, uint32_t state[32], unsigned rounds)
 *
 * Needs unaligned loads and stores. The contract is in ../kernel.h; nblocks is not 0.
 *
 * The second begins with the block that keys Poly1305, of which it makes only what is used: r, clamped, and s become
 * words 24 to 31 of `state`. The nblocks blocks of text, here also none, have the counters behind it. Only message.inc's
 * functions call it.
 *
 * The four quarter rounds of a round go instruction by instruction, as a vector unit would do them, so that a core of
 * four issue slots is never short of work. What does not depend on the counter is done once a call (see chacha.inc), the
 * first two double rounds stand apart, and the others go two at a time. Text goes in and out by 64 bits, two words at a
 * time. Upper halves of registers may hold anything: no 32-bit operation looks at them.
 *
 * Tried and lost: copies of more state words on the stack in place of the state itself (more stores, more to wipe).
 */
#include "asm.h"
#ifdef QS_LOONGARCH64

#define ADD add.w
#define XOR xor
#define ROTR rotri.w

#define out     $a0
#define in      $a1
#define end     $a2             /* of in */
#define state   $a3
#define counter $a4             /* state word 12 of this block */
#define key4    $a5             /* state words that stay in registers */
#define key8    $a6
#define word13  $fp
#define word14  $s7
#define word15  $s8
#define x0_x4   $a7             /* x0 + x4, before the first round */
#define left    $ra             /* rounds; then for anything */
#define x0      $t0
#define x1      $t1
#define x2      $t2
#define x3      $t3
#define x4      $t4
#define x5      $t5
#define x6      $t6
#define x7      $t7
#define x8      $t8
#define x9      $s0
#define x10     $s1
#define x11     $s2
#define x12     $s3
#define x13     $s4
#define x14     $s5
#define x15     $s6

#include "chacha.inc"

#define ROUNDS  FREE_WORDS              /* offsets from sp */
#define SAVED   (ROUNDS + 8)
#define FRAME   (SAVED + 88)

        .macro  enter
        frame   FRAME
        save_registers SAVED
        addi.w  $a4, $a4, -4            /* two double rounds are not in the loop */
        st.w    $a4, $sp, ROUNDS
        prepare_free_words state
        ld.w    x0_x4, state, 0
        ld.w    key4, state, 16
        ld.w    key8, state, 32
        ld.w    counter, state, 48
        ld.w    word13, state, 52
        ld.w    word14, state, 56
        ld.w    word15, state, 60
        slli.d  end, end, 6
        add.d   end, in, end
        add.w   x0_x4, x0_x4, key4
        .endm

        .macro  all_rounds
        ld.w    left, $sp, ROUNDS
        first_double_round ld.w, counter, x0_x4, key4, key8
        double_round
1:      addi.w  left, left, -4
        double_round
        double_round
        bnez    left, 1b
        .endm

        function qs_chacha_blocks_scalar
        enter
.Lblock:
        all_rounds
        /* x + state, two words to a register; originals are fetched into what that sets free. */
        ld.w    left, state, 20
        add.w   x12, x12, counter
        add.w   x13, x13, word13
        add.w   x14, x14, word14
        add.w   x15, x15, word15
        bstrins.d x12, x13, 63, 32
        ld.w    x13, state, 36
        bstrins.d x14, x15, 63, 32
        ld.w    x15, state, 0
        add.w   x4, x4, key4
        add.w   x5, x5, left
        ld.w    left, state, 4
        add.w   x8, x8, key8
        bstrins.d x4, x5, 63, 32
        ld.w    x5, state, 8
        add.w   x9, x9, x13
        ld.w    x13, state, 12
        add.w   x0, x0, x15
        bstrins.d x8, x9, 63, 32
        ld.w    x9, state, 24
        add.w   x1, x1, left
        ld.w    x15, state, 28
        add.w   x2, x2, x5
        bstrins.d x0, x1, 63, 32
        ld.w    left, state, 40
        add.w   x3, x3, x13
        ld.w    x5, state, 44
        add.w   x6, x6, x9
        bstrins.d x2, x3, 63, 32
        ld.d    x1, in, 0
        add.w   x7, x7, x15
        ld.d    x3, in, 8
        add.w   x10, x10, left
        bstrins.d x6, x7, 63, 32
        ld.d    x7, in, 24
        add.w   x11, x11, x5
        ld.d    x5, in, 16
        xor     x0, x0, x1
        bstrins.d x10, x11, 63, 32
        ld.d    x9, in, 32
        xor     x2, x2, x3
        ld.d    x11, in, 40
        xor     x6, x6, x7
        ld.d    x13, in, 48
        xor     x4, x4, x5
        ld.d    x15, in, 56
        xor     x8, x8, x9
        st.d    x0, out, 0
        xor     x10, x10, x11
        st.d    x2, out, 8
        xor     x12, x12, x13
        st.d    x4, out, 16
        xor     x14, x14, x15
        st.d    x6, out, 24
        addi.d  in, in, 64
        st.d    x8, out, 32
        addi.w  counter, counter, 1
        st.d    x10, out, 40
        st.d    x12, out, 48
        st.d    x14, out, 56
        addi.d  out, out, 64
        bne     in, end, .Lblock

.Ldone:
        wipe_free_words
        restore_registers SAVED
        end_frame FRAME
        ret
        end_function qs_chacha_blocks_scalar

        function qs_chacha_keyed_scalar
        enter
        all_rounds
        ld.w    x8, state, 0
        ld.w    x9, state, 4
        ld.w    x10, state, 8
        ld.w    x11, state, 12
        ld.w    x13, state, 20
        ld.w    x14, state, 24
        ld.w    x15, state, 28
        add.w   x0, x0, x8
        add.w   x1, x1, x9
        add.w   x2, x2, x10
        add.w   x3, x3, x11
        add.w   x4, x4, key4
        add.w   x5, x5, x13
        add.w   x6, x6, x14
        add.w   x7, x7, x15
        bstrins.d x0, x1, 63, 32
        bstrins.d x2, x3, 63, 32
        bstrins.d x4, x5, 63, 32
        bstrins.d x6, x7, 63, 32
        bstrins.d x0, $zero, 63, 60     /* r &= 0x0ffffffc0ffffffc0ffffffc0fffffff */
        bstrins.d x0, $zero, 33, 28
        bstrins.d x2, $zero, 63, 60
        bstrins.d x2, $zero, 33, 28
        bstrins.d x2, $zero, 1, 0
        st.d    x0, state, 96
        st.d    x2, state, 104
        st.d    x4, state, 112
        st.d    x6, state, 120
        ori     counter, $zero, 1
        bne     in, end, .Lblock
        b       .Ldone
        end_function qs_chacha_keyed_scalar
#endif
