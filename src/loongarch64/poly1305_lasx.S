/* SPDX-License-Identifier: MIT
 *
 * Poly1305 for LoongArch64 with LASX: 14.5 instructions a block, from 12 blocks on.
 *
 *   void qs_poly1305_blocks_lasx(uint32_t h[5], const uint32_t r[4], const uint8_t *in, size_t nblocks, uint32_t pad)
 *
 * Needs LASX (and with it LSX), unaligned loads, and multipliers that take constant time. The contract is in ../kernel.h;
 * poly1305_vector.inc says how it works. Fewer blocks would not make up for the powers of r, and go to the scalar row.
 */
#include "asm.h"
#ifdef QS_LOONGARCH64

#define R(n) $xr##n
#define V(op) xv##op
#define LANES 4
#include "poly1305_vector.inc"

        .macro  sort_powers powers              /* as load_message leaves the blocks */
        xvpermi.d \powers, \powers, 0xd8
        .endm

        .macro  broadcast_first all, powers
        xvreplve0.d \all, \powers
        .endm

        .macro  add_halves sum, other, lanes
        xvpermi.d T, \lanes, 0x4e
        xvadd.d T, T, \lanes
        xvpickve2gr.d \sum, T, 0
        xvpickve2gr.d \other, T, 1
        .endm

        .macro  add_lanes
        add_halves m0, h0, H0
        add_halves m1, h1, H1
        add_halves top, h2, H2
        add.d   m0, m0, h0
        add.d   m1, m1, h1
        add.d   top, top, h2
        .endm

        poly1305_function qs_poly1305_blocks_lasx, 12, wipe_vectors_lasx
#endif
