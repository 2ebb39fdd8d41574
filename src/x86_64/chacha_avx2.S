/* SPDX-License-Identifier: MIT
 *
 * ChaCha with AVX2: up to 16 blocks at a time.
 *
 *     void qs_chacha_blocks_avx2(uint8_t *out, const uint8_t *in, size_t nblocks, const uint32_t state[16],
 *                                unsigned rounds)
 *
 * Needs AVX2. A lone block is left to the scalar kernel.
 *
 * Thresholds: cycles of the kernel alone on Zen 5, 20 rounds, input and output: 1 block 275 (in vectors 485), 2 blocks
 * 485, 3 and 4 580, 5 to 8 625, 9 to 16 930. So the smallest shape that holds all blocks is the fastest; of more than
 * 16, that many and then the rest. `quickstep bench stream --level avx2 --rows all --sizes ...` shows the same, with
 * some 60 cycles of the frontend.
 *
 * Registers: rdi out, rsi in, rdx blocks left, rcx state, r8d rounds, r9d number of the next block; eax counts
 * rounds, r10 is where a set's area in the frame is. Vector registers: chacha_avx2.inc and chacha_sets.inc. */
#include "asm.h"

#ifdef QS_X86_64
#include "chacha_avx2.inc"

/* Half a block: 32 bytes of the block in a register, where `block` blocks come before it. */
        .macro put reg, block, half
        vpxor 64*(\block)+32*\half(%rsi), %ymm\reg, %ymm\reg
        vmovdqu %ymm\reg, 64*(\block)+32*\half(%rdi)
        .endm

/* The same if so many blocks are left. */
        .macro put_if reg, block, half
        cmp $(\block), %rdx
        jbe 9f
        put \reg, \block, \half
        .endm

        .macro put_halves half, r0, r1, r2, r3, r4, r5, r6, r7
        put \r0, 0, \half
        put_if \r1, 1, \half
        put_if \r2, 2, \half
        put_if \r3, 3, \half
        put_if \r4, 4, \half
        put_if \r5, 5, \half
        put_if \r6, 6, \half
        put_if \r7, 7, \half
9:
        .endm

        .macro put_rows first, a, b, c, d
        rows_transpose \a, \b, \c, \d, 15
        .if \first
        cmp $\first, %rdx
        jbe 9f
        .endif
        put 15, \first, 0
        put \a, \first, 1
        cmp $\first+1, %rdx
        jbe 9f
        put \b, \first+1, 0
        put \d, \first+1, 1
        .endm

/* ---- up to 4 blocks: groups of rows ------------------------------------------------------------------------------ */

        .macro only_groups count
        groups_load %rcx, %r9d, \count
        .balign 64
1:
        groups_double_round \count
        sub $2, %r8d
        jnz 1b
        groups_forward %rcx, %r9d, \count
        put_rows 0, 0, 1, 2, 3
        .if \count > 1
        put_rows 2, 4, 5, 6, 7
        .endif
9:      wipe_vectors_avx
        ret
        .endm

        function qs_chacha_blocks_avx2
        mov 48(%rcx), %r9d
.Lshape:
        cmp $5, %rdx
        jae .Lsets
        cmp $3, %rdx
        jae .Ltwo_groups
        cmp $1, %rdx
        je qs_chacha_scalar_from
        only_groups 1
.Ltwo_groups:
        only_groups 2

.Lsets:
        sets_passes
        wipe_avx 0
        sets_clear
        wipe_vectors_avx
        end_frame_pointer
        test %rdx, %rdx
        jnz .Lshape
        ret
        end_function qs_chacha_blocks_avx2

/* XOR and store of a set, as many blocks as are left; then rdi, rsi, rdx and r9d are for the next. */
        subroutine put_set
        set_transpose_left
        put_halves 0, LEFT_BLOCKS
        set_transpose_right 0(%r10)
        put_halves 1, RIGHT_BLOCKS
        add $8, %r9d
        add $512, %rsi
        add $512, %rdi
        xor %r11d, %r11d
        sub $8, %rdx
        cmovb %r11, %rdx
        ret
        end_function put_set
#endif
