/* SPDX-License-Identifier: MIT
 *
 * Whole messages for LoongArch64 in general registers.
 *
 *   void qs_seal_message_scalar(const struct qs_message *m)
 *   qs_status qs_open_message_scalar(const struct qs_message *m)
 *
 * Needs unaligned loads and stores. The contract is in ../kernel.h; message.inc says how it works.
 */
#include "asm.h"
#ifdef QS_LOONGARCH64

#define SCALAR 1
#define LANES 2
#define COLUMNS 2
#define PASS_BITS 6     /* of a block: whole ones go straight through */
#define LEAST 100
#define CHACHA qs_chacha_blocks_scalar
#define POLY1305 qs_poly1305_blocks_scalar
#define XOR_STREAM xor_stream
#include "message.inc"

        .macro  no_text reg
        la.pcrel \reg, zeros
        .endm

        /* A block of keystream; of the state the key, counter and first nonce word, which may be a salt; h, r and s; what
         * was padded. */
        .macro  wipe_little
        .irp    at, 0, 8, 16, 24, 32, 40, 48, 56
        st.d    $zero, $sp, STREAM + \at
        .endr
        .irp    at, 16, 24, 32, 40, 48
        st.d    $zero, $sp, STATE + \at
        .endr
        .irp    at, 0, 8, 16, 32, 40, 48, 56, 64, 72
        st.d    $zero, $sp, ACC + \at
        .endr
        .endm

        .macro  wipe_all
        wipe_little
        .irp    at, 64, 72, 80, 88, 96, 104, 112, 120
        st.d    $zero, $sp, STREAM + \at
        .endr
        .endm

        .macro  xor_word bytes, load, store
        andi    x, $a3, \bytes
        beqz    x, 1f
        \load   x, $a1, 0
        \load   y, $a2, 0
        xor     x, x, y
        \store  x, $a0, 0
        advance \bytes
1:
        .endm

        .macro  xor_32 at
        ld.d    $a4, $a1, \at
        ld.d    $a5, $a1, \at + 8
        ld.d    $a6, $a1, \at + 16
        ld.d    $a7, $a1, \at + 24
        ld.d    $t3, $a2, \at
        ld.d    $t4, $a2, \at + 8
        ld.d    $t5, $a2, \at + 16
        ld.d    $t6, $a2, \at + 24
        xor     $a4, $a4, $t3
        xor     $a5, $a5, $t4
        xor     $a6, $a6, $t5
        xor     $a7, $a7, $t6
        st.d    $a4, $a0, \at
        st.d    $a5, $a0, \at + 8
        st.d    $a6, $a0, \at + 16
        st.d    $a7, $a0, \at + 24
        .endm

        .macro  advance bytes
        addi.d  $a1, $a1, \bytes
        addi.d  $a2, $a2, \bytes
        addi.d  $a0, $a0, \bytes
        .endm

        /* a3 bytes at a0 = those at a1 ^ those at a2 */
        .type   xor_stream, @function
xor_stream:
        .cfi_startproc
        srli.d  n, $a3, 6
        beqz    n, 3f
2:      xor_32  0
        xor_32  32
        addi.d  n, n, -1
        advance 64
        bnez    n, 2b
3:      andi    x, $a3, 63
        beqz    x, 4f
        andi    x, $a3, 32
        beqz    x, 1f
        xor_32  0
        advance 32
1:      andi    x, $a3, 16
        beqz    x, 1f
        ld.d    $a4, $a1, 0
        ld.d    $a5, $a1, 8
        ld.d    $a6, $a2, 0
        ld.d    $a7, $a2, 8
        xor     $a4, $a4, $a6
        xor     $a5, $a5, $a7
        st.d    $a4, $a0, 0
        st.d    $a5, $a0, 8
        advance 16
1:
        xor_word 8, ld.d, st.d
        xor_word 4, ld.w, st.w
        xor_word 2, ld.h, st.h
        xor_word 1, ld.b, st.b
4:      ret
        .cfi_endproc
        .size   xor_stream, . - xor_stream

        message_functions message_scalar, scalar

        constants
sigma:  .word   0x61707865, 0x3320646e, 0x79622d32, 0x6b206574          /* "expand 32-byte k" */
zeros:
        .zero   64 * LANES
#endif
