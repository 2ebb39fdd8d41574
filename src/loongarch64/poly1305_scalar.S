/* SPDX-License-Identifier: MIT
 *
 * Poly1305 for LoongArch64 in general registers, 64 x 64 -> 128 bit multiplications: 42 instructions a block.
 *
 *   void qs_poly1305_blocks_scalar(uint32_t h[5], const uint32_t r[4], const uint8_t *in, size_t nblocks, uint32_t pad)
 *
 * Needs unaligned loads, and a multiplier that takes constant time. The contract is in ../kernel.h.
 *
 * A step is h = h r + m (see poly1305.inc), so the first block is added before the loop, and the last multiplication
 * adds 0.
 *
 * Tried and lost: h = (h + m) r, which carries twice through h (46 instructions).
 */
#include "asm.h"
#ifdef QS_LOONGARCH64

#include "poly1305.inc"

#define end     $a3             /* of in */

        function qs_poly1305_blocks_scalar
        ld.d    h0, acc, 0
        ld.d    h1, acc, 8
        ld.wu   h2, acc, 16
        ld.d    r0, key, 0
        ld.d    r1, key, 8
        slli.d  end, end, 4
        add.d   end, in, end

        ld.d    m0, in, 0
        ld.d    m1, in, 8
        addi.d  in, in, 16
        srli.d  s1, r1, 2
        add.d   s1, s1, r1
        add_first pad
        beq     in, end, .Llast

.Lblock:
        ld.d    m1, in, 8
        ld.d    m0, in, 0
.Lmultiply:
        multiply_add pad
        addi.d  in, in, 16
        bltu    in, end, .Lblock
        bne     in, end, .Ldone
.Llast:
        move    m0, $zero
        move    m1, $zero
        move    pad, $zero
        b       .Lmultiply

.Ldone:
        st.d    h0, acc, 0
        st.d    h1, acc, 8
        st.w    h2, acc, 16               /* pad was 0: h2 <= 4 */
        ret
        end_function qs_poly1305_blocks_scalar
#endif
