/* SPDX-License-Identifier: MIT
 *
 * Whole messages for LoongArch64 with LSX.
 *
 *   void qs_seal_message_lsx(const struct qs_message *m)
 *   qs_status qs_open_message_lsx(const struct qs_message *m)
 *
 * Needs LSX, unaligned loads and stores. The contract is in ../kernel.h; message.inc says how it works.
 */
#include "asm.h"
#ifdef QS_LOONGARCH64

#define LANES 4
#define COLUMNS 4
#define PASS_BITS 8     /* of 64 LANES */
#define LEAST 16
#define CHACHA qs_chacha_blocks_lsx
#define POLY1305 qs_poly1305_blocks_lsx
#define XOR_STREAM qs_xor_stream_lsx
#include "message.inc"

        .macro  no_text reg
        move    \reg, $zero
        .endm

        .macro  wipe_little
        .irp    r, 0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 12, 13, 14, 15, 16
        vxor.v $vr\r, $vr\r, $vr\r
        .endr
        .irp    at, 0, 16, 32, 48, 64, 80, 96, 112
        vst     $vr0, $sp, \at
        .endr
        .irp    at, 256, 272, 288, 304, 320, 336, 352, 368, 384, 400
        vst     $vr0, $sp, \at
        .endr
        .endm

        .macro  wipe_all
        wipe_vectors_lsx
        .irp    at, 0, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240
        vst     $vr0, $sp, \at
        .endr
        .irp    at, 256, 272, 288, 304, 320, 336, 352, 368, 384, 400
        vst     $vr0, $sp, \at
        .endr
        .endm

        message_functions message_lsx, lsx

        constants
constants_and_clamp:
        .word   0x61707865, 0x3320646e, 0x79622d32, 0x6b206574          /* "expand 32-byte k" */
        .word   0x0fffffff, 0x0ffffffc, 0x0ffffffc, 0x0ffffffc
#endif
