/* SPDX-License-Identifier: MIT
 *
 * ChaCha for LoongArch64 with LSX: 264 instructions a block of 20 rounds in groups of four, 330 alone.
 *
 *   void qs_chacha_blocks_lsx(uint8_t *out, const uint8_t *in, size_t nblocks, const uint32_t state[16], unsigned rounds)
 *   void qs_xor_stream_lsx(uint8_t *out, const uint8_t *in, const uint8_t *stream, size_t len)
 *
 * Needs LSX, and unaligned loads and stores. The contract is in ../kernel.h; chacha_vector.inc says how it works.
 *
 * Tried and lost: all 32 registers, which saves eight loads a group and costs sixteen loads and stores a call, as the
 * lower halves of registers 24 to 31 are the caller's.
 */
#include "asm.h"
#ifdef QS_LOONGARCH64

#define R(n) $vr##n
#define V(op) v##op
#define LANES 4
#include "chacha_vector.inc"

        /* 16 bytes of two blocks */
        .macro  write_two p, q, at, next
        vld     u0, in, \at
        vld     u1, in, \next
        vxor.v  \p, \p, u0
        vxor.v  \q, \q, u1
        vst     \p, out, \at
        vst     \q, out, \next
        .endm

        .macro  write_group at, block0, block1, block2, block3
        write_two \block0, \block1, \at, \at + 64
        write_two \block2, \block3, \at + 128, \at + 192
        .endm

        .macro  store_group at, block0, block1, block2, block3
        vst     \block0, out, \at
        vst     \block1, out, \at + 64
        vst     \block2, out, \at + 128
        vst     \block3, out, \at + 192
        .endm

        .macro  each_group put
        \put    0, x1, x3, x0, x2
        \put    16, x5, x7, x4, x6
        \put    32, x9, x11, x8, x10
        \put    48, x13, x15, x12, x14
        .endm

        .macro  load_row row, at
        vld     \row, state, \at
        .endm

        .macro  start_row_d row, d
        vori.b  \row, \d, 0
        vinsgr2vr.w \row, number, 0
        addi.d  number, number, 1
        .endm

        .macro  write_set set, a, b, c, d
        write_two \a, \b, 64 * \set, 64 * \set + 16
        write_two \c, \d, 64 * \set + 32, 64 * \set + 48
        .endm

        .macro  store_set set, a, b, c, d
        vst     \a, out, 64 * \set
        vst     \b, out, 64 * \set + 16
        vst     \c, out, 64 * \set + 32
        vst     \d, out, 64 * \set + 48
        .endm

        function qs_chacha_blocks_lsx
        ld.w    number, state, 48
        sltui   few, nblocks, LANES
        bnez    few, .Lfew
        blocks_in_columns
        beqz    nblocks, .Ldone
.Lfew:
        ori     few, $zero, 2
        bltu    few, nblocks, .Lthree
        beq     few, nblocks, .Ltwo
        blocks_in_rows 1
.Ldone:
        wipe_vectors_lsx
        ret
.Ltwo:
        blocks_in_rows 2
        b       .Ldone
.Lthree:
        blocks_in_rows 3
        b       .Ldone
        finish  lsx
#endif
