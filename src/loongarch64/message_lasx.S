/* SPDX-License-Identifier: MIT
 *
 * Whole messages for LoongArch64 with LASX.
 *
 *   void qs_seal_message_lasx(const struct qs_message *m)
 *   qs_status qs_open_message_lasx(const struct qs_message *m)
 *
 * Needs LASX (and with it LSX), unaligned loads and stores. The contract is in ../kernel.h; message.inc says how it works.
 */
#include "asm.h"
#ifdef QS_LOONGARCH64

#define LANES 8
#define COLUMNS 7
#define PASS_BITS 9     /* of 64 LANES */
#define LEAST 12
#define CHACHA qs_chacha_blocks_lasx
#define POLY1305 qs_poly1305_blocks_lasx
#define XOR_STREAM qs_xor_stream_lasx
#include "message.inc"

        .macro  no_text reg
        move    \reg, $zero
        .endm

        .macro  wipe_little
        .irp    r, 0, 1, 2, 3, 6, 9, 12, 13, 14, 15, 18, 22, 23
        xvxor.v $xr\r, $xr\r, $xr\r
        .endr
        .irp    at, 0, 32, 64, 96
        xvst    $xr0, $sp, \at
        .endr
        .irp    at, 512, 544, 576, 608, 640
        xvst    $xr0, $sp, \at
        .endr
        .endm

        .macro  wipe_all
        wipe_vectors_lasx
        .irp    at, 0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 480
        xvst    $xr0, $sp, \at
        .endr
        .irp    at, 512, 544, 576, 608, 640
        xvst    $xr0, $sp, \at
        .endr
        .endm

        message_functions message_lasx, lasx

        constants
constants_and_clamp:
        .word   0x61707865, 0x3320646e, 0x79622d32, 0x6b206574          /* "expand 32-byte k" */
        .word   0x0fffffff, 0x0ffffffc, 0x0ffffffc, 0x0ffffffc
#endif
