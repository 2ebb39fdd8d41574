/* SPDX-License-Identifier: MIT
 *
 * ChaCha with SSSE3: up to 8 blocks at a time.
 *
 *     void qs_chacha_blocks_ssse3(uint8_t *out, const uint8_t *in, size_t nblocks, const uint32_t state[16],
 *                                 unsigned rounds)
 *     void qs_chacha_ending_ssse3(uint8_t *out, const uint8_t *in, size_t nblocks, struct qs_keystream *k,
 *                                 unsigned rounds)
 *
 * Needs SSSE3. One and two blocks are left to the scalar kernel. Three are rows; of four, the first goes beside them in
 * general registers, where it costs nothing.
 *
 * Thresholds: cycles of the kernel alone on Zen 5, 20 rounds, input and output: 1 block 275, 2 blocks 545, 3 and 4 585,
 * 5 to 8 975. So the smallest shape that holds all blocks is the fastest; of more than 8, that many and then the rest.
 * `quickstep bench stream --level ssse3 --rows all --sizes ...` shows the same, with some 25 cycles of the frontend. Tried
 * and lost: one set for three or four (640), in six orders of its quarter rounds.
 *
 * Registers: rdi out, rsi in, rdx blocks left, r11 whether one more is wanted, rcx state, r8d rounds, r9d number of the
 * next block; eax counts rounds, r10 is where a set's area in the frame is. Vector registers: chacha_sets.inc and, for
 * rows, chacha_ssse3.inc. */
#include "asm.h"

#ifdef QS_X86_64
#include "chacha_ssse3.inc"
#include "chacha_scalar.inc"

#define ENDING SCALAR_FRAME
#define FRAME (SCALAR_FRAME + 8)

/* A quarter of a block: 16 bytes of the block in a register, if so many blocks are left; if not, they are in `next`. */
        .macro put reg, block, quarter, t, next
        movdqa %xmm\reg, %xmm\next
        cmp $\block, %rdx
        jbe 9f
        movdqu 64*\block+16*\quarter(%rsi), %xmm\t
        pxor %xmm\reg, %xmm\t
        movdqu %xmm\t, 64*\block+16*\quarter(%rdi)
        .endm

/* The block in four registers. */
        .macro put_row block, a, b, c, d
        movdqu 64*\block(%rsi), %xmm12
        movdqu 64*\block+16(%rsi), %xmm13
        movdqu 64*\block+32(%rsi), %xmm14
        movdqu 64*\block+48(%rsi), %xmm15
        pxor %xmm\a, %xmm12
        pxor %xmm\b, %xmm13
        pxor %xmm\c, %xmm14
        pxor %xmm\d, %xmm15
        movdqu %xmm12, 64*\block(%rdi)
        movdqu %xmm13, 64*\block+16(%rdi)
        movdqu %xmm14, 64*\block+32(%rdi)
        movdqu %xmm15, 64*\block+48(%rdi)
        .endm

/* The block behind those left too, if it is wanted. Of a set that is full the next one is not that, and will be
 * overwritten. */
        .macro put_quarter quarter, a, b, c, d, t, next
        words_transpose \a, \b, \c, \d, \t
        put \t, 0, \quarter, \c, \next
        put \d, 1, \quarter, \c, \next
        put \a, 2, \quarter, \c, \next
        put \b, 3, \quarter, \c, \next
9:      test %r11d, %r11d
        jz 1f
        movdqu %xmm\next, 64+16*\quarter(%rcx)
1:
        .endm

        chacha_functions ssse3
.Lshape:
        lea (%rdx, %r11), %rax
        cmp $2, %rax
        jbe qs_chacha_scalar_from
        cmp $4, %rax
        ja .Ltwo_sets
        je .Lfour

        rows_load %rcx, %r9d
        .balign 64
1:
        rows_round 0x93, 0x39
        rows_round 0x39, 0x93
        sub $2, %r8d
        jnz 1b
.Lput_rows:
        rows_forward %rcx
        put_row 0, 0, 1, 2, 3
        put_row 1, 4, 5, 6, 7
        test %r11d, %r11d
        jnz 2f
        put_row 2, 8, 9, 10, 11
        wipe_vectors_sse
        ret
2:
        movdqu %xmm8, 64(%rcx)
        movdqu %xmm9, 80(%rcx)
        movdqu %xmm10, 96(%rcx)
        movdqu %xmm11, 112(%rcx)
        wipe_vectors_sse
        ret

.Lfour:
        .irp reg, rbx, rbp, r12, r13, r14, r15
        save \reg
        .endr
        frame FRAME
        mov %rdi, SCALAR_OUT(%rsp)
        mov %rsi, SCALAR_IN(%rsp)
        mov %rcx, SCALAR_STATE(%rsp)
        mov %r8d, SCALAR_ROUNDS(%rsp)
        mov %r9d, SCALAR_COUNTER(%rsp)
        mov %r11, ENDING(%rsp)
        inc %r9d
        rows_load %rcx, %r9d
        scalar_load
        .balign 64
1:
        rows_round 0x93, 0x39, 0, 1
        rows_round 0x39, 0x93, 2, 3
        subl $2, SCALAR_ROUNDS(%rsp)
        jnz 1b
        scalar_store
        mov SCALAR_STATE(%rsp), %rcx
        mov ENDING(%rsp), %r11
        add $64, %rsi
        add $64, %rdi
        scalar_wipe
        end_frame FRAME
        .irp reg, r15, r14, r13, r12, rbp, rbx
        restore \reg
        .endr
        jmp .Lput_rows

.Ltwo_sets:
        sets_two
        wipe_vectors_sse
        mov %rdx, %rax
        add %r11, %rax
        jnz .Lshape
        ret
        end_function qs_chacha_blocks_ssse3

/* XOR and store of a set: see chacha_sets.inc. */
        subroutine put_set
        put_quarter 0, 0, 1, 2, 3, 14, 15
        put_quarter 1, 4, 5, 6, 7, 14, 15
        put_quarter 2, 8, 9, 10, 11, 14, 15
        v_load V*14(%r10), 14
        v_load V*15(%r10), 15
        put_quarter 3, 12, 13, 14, 15, 0, 1
        wipe_sse 0
        set_next
        end_function put_set
#endif
