/* SPDX-License-Identifier: MIT
 *
 * ChaCha for LoongArch64 with LASX: 135 instructions a block of 20 rounds in groups of eight, 180 in pairs.
 *
 *   void qs_chacha_blocks_lasx(uint8_t *out, const uint8_t *in, size_t nblocks, const uint32_t state[16], unsigned rounds)
 *   void qs_xor_stream_lasx(uint8_t *out, const uint8_t *in, const uint8_t *stream, size_t len)
 *
 * Needs LASX (and with it LSX), and unaligned loads and stores. The contract is in ../kernel.h; chacha_vector.inc says how it
 * works. Tried and lost: all 32 registers, see chacha_lsx.S.
 */
#include "asm.h"
#ifdef QS_LOONGARCH64

#define R(n) $xr##n
#define V(op) xv##op
#define LANES 8
#include "chacha_vector.inc"

        /* From 16 bytes of two blocks in each of p and q to 32 bytes of one block in each of `lower` and p. */
        .macro  join    p, q, lower
        xvori.b \lower, \p, 0
        xvpermi.q \p, \q, 0x13
        xvpermi.q \lower, \q, 0x02
        .endm

        .macro  write_group at, p, q
        join    \p, \q, u0
        xvld    u1, in, \at
        xvld    \q, in, \at + 256
        xvxor.v u0, u0, u1
        xvxor.v \p, \p, \q
        xvst    u0, out, \at
        xvst    \p, out, \at + 256
        .endm

        .macro  store_group at, p, q
        join    \p, \q, u0
        xvst    u0, out, \at
        xvst    \p, out, \at + 256
        .endm

        .macro  each_group put
        \put    0, x1, x5
        \put    64, x3, x7
        \put    128, x0, x4
        \put    192, x2, x6
        \put    32, x9, x13
        \put    96, x11, x15
        \put    160, x8, x12
        \put    224, x10, x14
        .endm

        .macro  load_row row, at
        vld     $vr18, state, \at
        xvpermi.q $xr18, $xr18, 0
        xvori.b \row, $xr18, 0
        .endm

        .macro  start_row_d row, d
        xvori.b \row, \d, 0
        xvinsgr2vr.w \row, number, 0
        addi.d  number, number, 1
        xvinsgr2vr.w \row, number, 4
        addi.d  number, number, 1
        .endm

        /* The last block of the last set may not be wanted. */
        .macro  write_set set, a, b, c, d
        join    \a, \b, u0
        join    \c, \d, u1
        xvld    \b, in, 128 * \set
        xvld    \d, in, 128 * \set + 32
        xvxor.v u0, u0, \b
        xvxor.v u1, u1, \d
        xvst    u0, out, 128 * \set
        xvst    u1, out, 128 * \set + 32
        .if     \set + 1 == .Lsets
        addi.d  left, nblocks, -(2 * \set + 1)
        beqz    left, .Ldone
        .endif
        xvld    \b, in, 128 * \set + 64
        xvld    \d, in, 128 * \set + 96
        xvxor.v \a, \a, \b
        xvxor.v \c, \c, \d
        xvst    \a, out, 128 * \set + 64
        xvst    \c, out, 128 * \set + 96
        .endm

        .macro  store_set set, a, b, c, d
        join    \a, \b, u0
        join    \c, \d, u1
        xvst    u0, out, 128 * \set
        xvst    u1, out, 128 * \set + 32
        xvst    \a, out, 128 * \set + 64
        xvst    \c, out, 128 * \set + 96
        .endm

        function qs_chacha_blocks_lasx
        ld.w    number, state, 48
        sltui   few, nblocks, LANES
        bnez    few, .Lfew
        blocks_in_columns
        beqz    nblocks, .Ldone
.Lfew:
        sltui   few, nblocks, 5
        beqz    few, .Lthree
        sltui   few, nblocks, 3
        beqz    few, .Ltwo
.Lone:
        blocks_in_rows 1
.Ldone:
        wipe_vectors_lasx
        ret
.Ltwo:
        blocks_in_rows 2
        b       .Ldone
.Lthree:
        blocks_in_rows 3
        addi.d  nblocks, nblocks, -6
        addi.d  in, in, 384
        addi.d  out, out, 384
        bnez    nblocks, .Lone
        b       .Ldone
        finish  lasx
#endif
