/* SPDX-License-Identifier: MIT
 *
 * ChaCha with AVX2: up to 16 blocks at a time.
 *
 *     void qs_chacha_blocks_avx2(uint8_t *out, const uint8_t *in, size_t nblocks, const uint32_t state[16],
 *                                unsigned rounds)
 *     void qs_chacha_ending_avx2(uint8_t *out, const uint8_t *in, size_t nblocks, struct qs_keystream *k,
 *                                unsigned rounds)
 *
 * Needs AVX2. A lone block is left to the scalar kernel.
 *
 * Thresholds: cycles of the kernel alone on Zen 5, 20 rounds, input and output: 1 block 275 (in vectors 485), 2 blocks
 * 485, 3 and 4 580, 5 to 8 625, 9 to 16 930. So the smallest shape that holds all blocks is the fastest; of more than
 * 16, that many and then the rest. `quickstep bench stream --level avx2 --rows all --sizes ...` shows the same, with
 * some 25 cycles of the frontend.
 *
 * Registers: rdi out, rsi in, rdx blocks left, r11 whether one more is wanted, rcx state, r8d rounds, r9d number of the
 * next block; eax counts rounds, r10 is where a set's area in the frame is. Vector registers: chacha_avx2.inc and
 * chacha_sets.inc. */
#include "asm.h"

#ifdef QS_X86_64
#include "chacha_avx2.inc"

/* Half a block: 32 bytes of the block in a register, where `block` blocks come before it. */
        .macro put reg, block, half
        vpxor 64*(\block)+32*\half(%rsi), %ymm\reg, %ymm\reg
        vmovdqu %ymm\reg, 64*(\block)+32*\half(%rdi)
        .endm

/* The same if so many blocks are left; if not, it is in `next`. */
        .macro put_if reg, block, half, next
        vmovdqa %ymm\reg, %ymm\next
        cmp $(\block), %rdx
        jbe 9f
        put \reg, \block, \half
        .endm

        .macro put_halves half, next, r0, r1, r2, r3, r4, r5, r6, r7
        put_if \r0, 0, \half, \next
        put_if \r1, 1, \half, \next
        put_if \r2, 2, \half, \next
        put_if \r3, 3, \half, \next
        put_if \r4, 4, \half, \next
        put_if \r5, 5, \half, \next
        put_if \r6, 6, \half, \next
        put_if \r7, 7, \half, \next
9:
        .endm

        .macro put_rows first, a, b, c, d
        rows_transpose \a, \b, \c, \d, 15
        put_row \first, 15, \a
        put_row \first+1, \b, \d
        .endm

        .macro put_row block, left, right
        vmovdqa %ymm\right, %ymm9
        put_if \left, \block, 0, 8
        put \right, \block, 1
        .endm

/* The block behind those left, if it is wanted. Of a set that is full the next one is not that, and will be overwritten. */
        .macro put_next left, right
        test %r11d, %r11d
        jz 1f
        vmovdqu %ymm\left, 64(%rcx)
        vmovdqu %ymm\right, 96(%rcx)
1:
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
9:      put_next 8, 9
        wipe_vectors_avx
        ret
        .endm

        chacha_functions avx2
.Lshape:
        lea (%rdx, %r11), %rax
        cmp $9, %rax
        jae .Ltwo_sets
        cmp $5, %rax
        jae .Lset
        cmp $3, %rax
        jae .Ltwo_groups
        cmp $1, %rax
        je qs_chacha_scalar_from
        only_groups 1
.Ltwo_groups:
        only_groups 2

.Lset:
        sets_lone
        wipe_vectors_avx
        ret

.Ltwo_sets:
        sets_two
        wipe_vectors_avx
        mov %rdx, %rax
        add %r11, %rax
        jnz .Lshape
        ret
        end_function qs_chacha_blocks_avx2

/* XOR and store of a set: see chacha_sets.inc. */
        subroutine put_set
        set_transpose_left
        put_halves 0, 3, LEFT_BLOCKS
        set_transpose_right 0(%r10)
        put_halves 1, 1, RIGHT_BLOCKS
        wipe_avx 0
        put_next 3, 1
        set_next
        end_function put_set
#endif
