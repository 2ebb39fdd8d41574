/* SPDX-License-Identifier: MIT
 *
 * Poly1305 for LoongArch64 with LSX: 29 instructions a block, from 16 blocks on.
 *
 *   void qs_poly1305_blocks_lsx(uint32_t h[5], const uint32_t r[4], const uint8_t *in, size_t nblocks, uint32_t pad)
 *
 * Needs LSX, unaligned loads, and multipliers that take constant time. The contract is in ../kernel.h;
 * poly1305_vector.inc says how it works. Fewer blocks would not make up for the powers of r, and go to the scalar row.
 */
#include "asm.h"
#ifdef QS_LOONGARCH64

#define R(n) $vr##n
#define V(op) v##op
#define LANES 2
#include "poly1305_vector.inc"

        .macro  sort_powers powers
        .endm

        .macro  broadcast_first all, powers
        vreplvei.d \all, \powers, 0
        .endm

        .macro  add_lanes
        vpickve2gr.d m0, H0, 0
        vpickve2gr.d h0, H0, 1
        vpickve2gr.d m1, H1, 0
        vpickve2gr.d h1, H1, 1
        vpickve2gr.d top, H2, 0
        vpickve2gr.d h2, H2, 1
        add.d   m0, m0, h0
        add.d   m1, m1, h1
        add.d   top, top, h2
        .endm

        poly1305_function qs_poly1305_blocks_lsx, 16, wipe_vectors_lsx
#endif
