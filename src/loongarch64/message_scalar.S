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

#define ISA(name) name##_scalar
#define SCALAR 1
#define LANES 2
#define COLUMNS 2
#define PASS_BITS 6     /* of a block: whole ones go straight through */
#define LEAST 100
#define HELD (64 * LANES)
#define TEXT STREAM
#define BEHIND 1
#include "message.inc"

        .macro  copy_constants_and_key from
        la.pcrel x, sigma
        ld.d    $a0, x, 0
        ld.d    $a1, x, 8
        ld.d    $a2, \from, 0
        ld.d    $a3, \from, 8
        ld.d    $a4, \from, 16
        ld.d    $a5, \from, 24
        st.d    $a0, $sp, STATE
        st.d    $a1, $sp, STATE + 8
        st.d    $a2, $sp, STATE + 16
        st.d    $a3, $sp, STATE + 24
        st.d    $a4, $sp, STATE + 32
        st.d    $a5, $sp, STATE + 40
        .endm

        .macro  first_pass                      /* MAC_KEY is where the kernel puts it */
        sltui   x, left, HELD + 1
        addi.d  $a2, left, 63
        srli.d  $a2, $a2, 6
        maskeqz $a2, $a2, x
        addi.d  $a0, $sp, TEXT
        no_text $a1
        addi.d  $a3, $sp, STATE
        ld.w    $a4, m, 68
        bl      ISA(qs_chacha_keyed)
        .endm
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

#include "xor_stream.inc"

        .macro  xor_32  at=0
        ld.d    $a4, src, \at
        ld.d    $a5, src, \at + 8
        ld.d    $a6, src, \at + 16
        ld.d    $a7, src, \at + 24
        ld.d    $t3, stream, \at
        ld.d    $t4, stream, \at + 8
        ld.d    $t5, stream, \at + 16
        ld.d    $t6, stream, \at + 24
        xor     $a4, $a4, $t3
        xor     $a5, $a5, $t4
        xor     $a6, $a6, $t5
        xor     $a7, $a7, $t6
        st.d    $a4, dst, \at
        st.d    $a5, dst, \at + 8
        st.d    $a6, dst, \at + 16
        st.d    $a7, dst, \at + 24
        .endm

        .macro  xor_64
        xor_32  0
        xor_32  32
        .endm

        .macro  xor_16
        ld.d    $a4, src, 0
        ld.d    $a5, src, 8
        ld.d    $a6, stream, 0
        ld.d    $a7, stream, 8
        xor     $a4, $a4, $a6
        xor     $a5, $a5, $a7
        st.d    $a4, dst, 0
        st.d    $a5, dst, 8
        .endm

        subroutine ISA(qs_xor_stream)
        xor_and_return
        end_function ISA(qs_xor_stream)

        message_functions

        constants
sigma:  .word   0x61707865, 0x3320646e, 0x79622d32, 0x6b206574          /* "expand 32-byte k" */
zeros:
        .zero   64 * LANES
#endif
