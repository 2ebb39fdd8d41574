/* SPDX-License-Identifier: MIT
 *
 * ChaCha with AVX-512: up to 34 blocks at a time.
 *
 *     void qs_chacha_blocks_avx512(uint8_t *out, const uint8_t *in, size_t nblocks, const uint32_t state[16],
 *                                  unsigned rounds)
 *     void qs_chacha_ending_avx512(uint8_t *out, const uint8_t *in, size_t nblocks, struct qs_keystream *k,
 *                                  unsigned rounds)
 *
 * Needs AVX-512F. A lone block is left to the scalar kernel.
 *
 * Registers: rdi out, rsi in, rdx blocks left, r11 whether one more is wanted, rcx state, r8d rounds, r9d number of the
 * next block; eax counts rounds. Vector registers: chacha_avx512.inc. While 34 blocks are made, two of them in all general
 * registers, these are in the frame.
 *
 * Thresholds: cycles of the kernel alone on Zen 5, 20 rounds, input and output: 1 block 275 (in vectors 400), 2 to 4
 * 400, 5 to 8 480, 9 to 12 525, 13 to 16 545, 17 to 24 630, 25 to 34 675. So the smallest shape that holds all blocks
 * is the fastest; of more than 34 blocks, that many and then the rest (at most 5 % slower than any other division up to
 * 64). `quickstep bench stream --rows all --sizes ...` shows the same, with some 25 cycles of the frontend. */
#include "asm.h"

#ifdef QS_X86_64
#include "chacha_avx512.inc"
#include "chacha_scalar.inc"

#define COUNTER (SCALAR_FRAME + 0)
#define ROUNDS (SCALAR_FRAME + 4)
#define OUT (SCALAR_FRAME + 8)
#define IN (SCALAR_FRAME + 16)
#define BLOCKS (SCALAR_FRAME + 24)
#define AGAIN (SCALAR_FRAME + 32)
#define ENDING (SCALAR_FRAME + 36)
#define SPILL (SCALAR_FRAME + 40) /* 64 bytes */
#define FRAME (SCALAR_FRAME + 104)

/* The block in a register, where `block` blocks come before it. */
        .macro put reg, block
        vpxord 64 * (\block)(%rsi), %zmm\reg, %zmm\reg
        vmovdqu64 %zmm\reg, 64 * (\block)(%rdi)
        .endm

/* The same if so many blocks are left; if not, it is in zmm7. */
        .macro put_if reg, block
        vmovdqa64 %zmm\reg, %zmm7
        cmp $(\block), %rdx
        jbe 9f
        put \reg, \block
        .endm

/* The block behind those left, if it is wanted. */
        .macro put_next
        test %r11d, %r11d
        jz 1f
        vmovdqu64 %zmm7, 64(%rcx)
1:
        .endm

        .macro put_set r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, r13, r14, r15
        put_four 0, \r0, \r1, \r2, \r3
        put_four 4, \r4, \r5, \r6, \r7
        put_four 8, \r8, \r9, \r10, \r11
        put_four 12, \r12, \r13, \r14, \r15
        .endm

        .macro put_four first, r0, r1, r2, r3
        put_if \r0, \first
        put_if \r1, \first + 1
        put_if \r2, \first + 2
        put_if \r3, \first + 3
        .endm

/* Behind the rounds: up to three groups of rows, where a register is free. */
        .macro put_groups count, free
        groups_forward \count
        rows_transpose 16, 17, 18, 19, \free
        put_four 0, 18, \free, 16, 19
        .if \count > 1
        rows_transpose 20, 21, 22, 23, 17
        put_four 4, 22, 17, 20, 23
        .endif
        .if \count > 2
        rows_transpose 24, 25, 26, 27, 21
        put_four 8, 26, 21, 24, 27
        .endif
        .endm

        .macro advance blocks
        add $64 * \blocks, %rsi
        add $64 * \blocks, %rdi
        sub $\blocks, %rdx
        .endm

/* ---- up to 12 blocks: groups of rows ----------------------------------------------------------------------------- */

        .macro only_groups count
        groups_load %rcx, %r9d, \count
        .balign 64
1:
        .irp step, 1, 2, 3, 4
        groups_step \count, \step
        .endr
        groups_turn \count
        .irp step, 1, 2, 3, 4
        groups_step \count, \step
        .endr
        groups_turn_back \count
        sub $2, %r8d
        jnz 1b
        put_groups \count, 0
9:      put_next
        wipe_vectors_avx512
        ret
        .endm

        chacha_functions avx512
.Lshape:
        lea (%rdx, %r11), %rax
        cmp $1, %rax
        je qs_chacha_scalar_from
        cmp $25, %rax
        jae .Ltwo_sets
        cmp $17, %rax
        jae .Lset_and_groups
        cmp $13, %rax
        jae .Lset
        cmp $9, %rax
        jae .Lthree_groups
        cmp $5, %rax
        jae .Ltwo_groups
        only_groups 1
.Ltwo_groups:
        only_groups 2
.Lthree_groups:
        only_groups 3

/* ---- 13 to 16: a set --------------------------------------------------------------------------------------------- */

.Lset:
        low_load %rcx, %r9d, chacha_numbers
        .balign 64
1:
        .irp step, 1, 2, 3, 4
        low_columns \step
        .endr
        .irp step, 1, 2, 3, 4
        low_diagonals \step
        .endr
        sub $2, %r8d
        jnz 1b
        call put_low_set
        put_next
        wipe_vectors_avx512
        ret

/* ---- 17 to 24: a set, and two groups of rows --------------------------------------------------------------------- */

.Lset_and_groups:
        low_load %rcx, %r9d, chacha_numbers
        lea 16(%r9), %r10d
        groups_load %rcx, %r10d, 2
        .balign 64
1:
        .irp step, 1, 2, 3, 4
        low_columns \step
        groups_step 2, \step
        .endr
        groups_turn 2
        .irp step, 1, 2, 3, 4
        low_diagonals \step
        groups_step 2, \step
        .endr
        groups_turn_back 2
        sub $2, %r8d
        jnz 1b
        call put_low_set
        advance 16
        put_groups 2, 24
9:      put_next
        wipe_vectors_avx512
        ret

/* ---- 25 and more: two blocks in general registers, two sets ------------------------------------------------------ */

/* A quarter of a double round of both sets, and beside it half a double round of a block in general registers. */
        .macro both_sets what, step, group
        low_\what \step
        scalar_step \group, 1
        scalar_step \group, 2
        high_\what \step
        scalar_step \group, 3
        scalar_step \group, 4
        .endm

.Ltwo_sets:
        .irp reg, rbx, rbp, r12, r13, r14, r15
        save \reg
        .endr
        frame FRAME
        mov %rcx, SCALAR_STATE(%rsp)
        mov %r8d, ROUNDS(%rsp)
.Lblocks_34:
        mov %rdi, OUT(%rsp)
        mov %rsi, IN(%rsp)
        mov %rdx, BLOCKS(%rsp)
        mov %r9d, COUNTER(%rsp)
        mov %r11d, ENDING(%rsp)
        mov %rdi, SCALAR_OUT(%rsp)
        mov %rsi, SCALAR_IN(%rsp)
        mov %r9d, SCALAR_COUNTER(%rsp)
        add $2, %r9d
        low_load %rcx, %r9d, chacha_numbers
        high_load %rcx, %r9d, chacha_numbers + 64
        movb $1, AGAIN(%rsp)

        /* Half of the rounds of the sets are all of a scalar block's. */
.Lhalf:
        mov ROUNDS(%rsp), %eax
        mov %eax, SCALAR_ROUNDS(%rsp)
        scalar_load
        .balign 64
1:
        both_sets columns, 1, 0
        both_sets columns, 2, 1
        both_sets columns, 3, 2
        both_sets columns, 4, 3
        both_sets diagonals, 1, 0
        both_sets diagonals, 2, 1
        both_sets diagonals, 3, 2
        both_sets diagonals, 4, 3
        subl $4, SCALAR_ROUNDS(%rsp)
        jnz 1b
        scalar_store
        addq $64, SCALAR_IN(%rsp)
        addq $64, SCALAR_OUT(%rsp)
        incl SCALAR_COUNTER(%rsp)
        decb AGAIN(%rsp)
        jz .Lhalf

        mov SCALAR_STATE(%rsp), %rcx
        mov OUT(%rsp), %rdi
        mov IN(%rsp), %rsi
        mov BLOCKS(%rsp), %rdx
        mov COUNTER(%rsp), %r9d
        add $2, %r9d
        advance 2
        vmovdqu64 %zmm24, SPILL(%rsp)
        call put_low_set
        vmovdqu64 SPILL(%rsp), %zmm24
        advance 16
        high_forward %rcx, %r9d, chacha_numbers + 64, 0
        high_transpose 0
        put_set HIGH_BLOCKS(0)
9:      add $32, %r9d
        mov ENDING(%rsp), %r11d
        cmp $16, %rdx
        jae 2f
        put_next
        xor %r11d, %r11d
        mov $16, %edx
2:      advance 16
        lea (%rdx, %r11), %rax
        cmp $25, %rax
        jae .Lblocks_34
        mov ROUNDS(%rsp), %r8d
        wipe_vectors_avx512
        vmovdqu %ymm0, SPILL(%rsp)
        vmovdqu %ymm0, SPILL + 32(%rsp)
        vzeroupper
        scalar_wipe
        end_frame FRAME
        .irp reg, r15, r14, r13, r12, rbp, rbx
        restore \reg
        .endr
        mov %rdx, %rax
        add %r11, %rax
        jnz .Lshape
        ret
        end_function qs_chacha_blocks_avx512

/* Feed-forward, XOR and store of the low set, as many blocks as are left. zmm24 is free. */
        subroutine put_low_set
        low_forward %rcx, %r9d, chacha_numbers, 24
        low_transpose 24
        put_set LOW_BLOCKS(24)
9:      ret
        end_function put_low_set
#endif
