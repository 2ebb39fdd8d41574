/* SPDX-License-Identifier: MIT
 *
 * ChaCha with SSSE3: up to 8 blocks at a time.
 *
 *     void qs_chacha_blocks_ssse3(uint8_t *out, const uint8_t *in, size_t nblocks, const uint32_t state[16],
 *                                 unsigned rounds)
 *
 * Needs SSSE3. One and two blocks are left to the scalar kernel.
 *
 * Thresholds: cycles of the kernel alone on Zen 5, 20 rounds, input and output: 1 block 275, 2 blocks 545, 3 and 4 645,
 * 5 to 8 975. So the smallest shape that holds all blocks is the fastest; of more than 8, that many and then the rest.
 * `quickstep bench stream --level ssse3 --rows all --sizes ...` shows the same, with some 60 cycles of the frontend.
 *
 * Registers: rdi out, rsi in, rdx blocks left, rcx state, r8d rounds, r9d number of the next block; eax counts rounds,
 * r10 is where a set's area in the frame is. Vector registers: chacha_sets.inc. */
#include "asm.h"

#ifdef QS_X86_64
#include "chacha_ssse3.inc"

/* A quarter of a block: 16 bytes of the block in a register, if so many blocks are left. */
        .macro put reg, block, quarter, t
        .if \block
        cmp $\block, %rdx
        jbe 9f
        .endif
        movdqu 64*\block+16*\quarter(%rsi), %xmm\t
        pxor %xmm\reg, %xmm\t
        movdqu %xmm\t, 64*\block+16*\quarter(%rdi)
        .endm

        .macro put_quarter quarter, a, b, c, d, t
        words_transpose \a, \b, \c, \d, \t
        put \t, 0, \quarter, \c
        put \d, 1, \quarter, \c
        put \a, 2, \quarter, \c
        put \b, 3, \quarter, \c
9:
        .endm

        function qs_chacha_blocks_ssse3
        mov 48(%rcx), %r9d
.Lshape:
        cmp $2, %rdx
        jbe qs_chacha_scalar_from
        sets_passes
        wipe_sse 0
        sets_clear
        wipe_vectors_sse
        end_frame_pointer
        test %rdx, %rdx
        jnz .Lshape
        ret
        end_function qs_chacha_blocks_ssse3

/* XOR and store of a set, as many blocks as are left; then rdi, rsi, rdx and r9d are for the next. */
        subroutine put_set
        put_quarter 0, 0, 1, 2, 3, 14
        put_quarter 1, 4, 5, 6, 7, 14
        put_quarter 2, 8, 9, 10, 11, 14
        v_load V*14(%r10), 14
        v_load V*15(%r10), 15
        put_quarter 3, 12, 13, 14, 15, 0
        add $4, %r9d
        add $256, %rsi
        add $256, %rdi
        xor %r11d, %r11d
        sub $4, %rdx
        cmovb %r11, %rdx
        ret
        end_function put_set
#endif
