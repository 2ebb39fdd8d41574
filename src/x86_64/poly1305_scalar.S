/* SPDX-License-Identifier: MIT
 *
 * x86-64: Poly1305 in general registers, for every CPU.
 *
 *     void qs_poly1305_blocks_scalar(uint32_t h[5], const uint32_t r[4], const uint8_t *in, size_t nblocks, uint32_t pad)
 *
 * A chain of blocks is bound by its latency, 13 cycles a block on Zen 5. From DUAL blocks on, two chains run beside each
 * other, over the halves of the input: A over the first n - k blocks and B, from 0, over the last k = n/2;
 *     h = A r^k + B,
 * so both chains multiply by the clamped r, which costs less than any of its powers. That is 8 cycles a block, and r^k by
 * squaring, which runs in the shadow of the chains. mulx instead of mul gained nothing, alone or in two chains.
 */
#include "asm.h"
#ifdef QS_X86_64
#include "poly1305_scalar.inc"

#define DUAL 20 /* blocks: both ways take 267 cycles */

/* ---- one chain ---------------------------------------------------------------------------------------------------- */

#define H %r9, %r10, %r11
#define Q %r12

        function qs_poly1305_blocks_scalar
        cmp $DUAL, %rcx
        jae dual
        .irp reg, rbx, rbp, r12, r13, r14, r15
        save \reg
        .endr
        mov %rdx, %r15
        mov %r8d, %r8d
        mov 8(%rsi), %rbx
        poly_s1 %rbx, %r14, %rax
        poly_load %rdi, H, Q
.Lone:  poly_absorb (%r15), 8(%r15), %r8, H, Q
        poly_mul (%rsi), 8(%rsi), %r14, H, Q, %rbx, %rbp, %r13
        add $16, %r15
        dec %rcx
        jnz .Lone
        poly_settle H, Q
        poly_store H, %rdi
        .irp reg, r15, r14, r13, r12, rbp, rbx
        restore \reg
        .endr
        ret
        end_function qs_poly1305_blocks_scalar

#undef H
#undef Q

/* ---- two chains --------------------------------------------------------------------------------------------------- */

#define A %r8, %r9, %r10
#define A_Q %r11
#define B %r12, %r13, %r14
#define B_Q %r15
#define R (%rsp), 8(%rsp), 16(%rsp) /* r0, r1, s1 */
#define POWER 24(%rsp), 32(%rsp), 40(%rsp)
#define PAD 48(%rsp)
#define LEFT 56(%rsp)
#define SECRETS 0, 8, 16, 24, 32, 40
#define ODD 64(%rsp)
#define FRAME 72

        subroutine dual
        .irp reg, rbx, rbp, r12, r13, r14, r15, rdi
        save \reg
        .endr
        frame FRAME
        mov %r8d, %r8d
        mov %r8, PAD
        mov (%rsi), %r8
        mov 8(%rsi), %r9
        poly_s1 %r9, %r10, %rax
        mov %r8, 0(%rsp)
        mov %r9, 8(%rsp)
        mov %r10, 16(%rsp)
        mov %rdx, %rsi

        /* A = r^k, from the bit below k's highest one on: a bit squares, and multiplies by r where it is set. */
        mov %rcx, %rbp
        mov %ecx, ODD
        shr %rbp
        mov %rbp, LEFT
        xor %r10d, %r10d
        bsr %rbp, %rcx
.Lbit:  poly_product A, A, %r11, %r12, %r13, %r14, %r15
        mov %r11, %r8
        mov %r12, %r9
        mov %r13, %r10
        dec %ecx
        bt %rcx, %rbp
        jnc .Lzero
        poly_mul R, A, A_Q, %r12, %r13, %r14
        poly_settle A, A_Q
.Lzero: test %ecx, %ecx
        jnz .Lbit
        mov %r8, 24(%rsp)
        mov %r9, 32(%rsp)
        mov %r10, 40(%rsp)

        poly_load %rdi, A, A_Q
        testb $1, ODD
        jz .Leven
        poly_absorb (%rsi), 8(%rsi), PAD, A, A_Q
        poly_mul R, A, A_Q, %rbx, %rbp, %rcx
        add $16, %rsi
.Leven: mov LEFT, %rdi
        shl $4, %rdi
        add %rsi, %rdi
        .irp reg, r12, r13, r14, r15
        xor %\reg, %\reg
        .endr
.Lboth: poly_absorb (%rsi), 8(%rsi), PAD, A, A_Q
        poly_mul R, A, A_Q, %rbx, %rbp, %rcx
        poly_absorb (%rdi), 8(%rdi), PAD, B, B_Q
        poly_mul R, B, B_Q, %rbx, %rbp, %rcx
        add $16, %rsi
        add $16, %rdi
        decq LEFT
        jnz .Lboth
        poly_settle A, A_Q
        poly_settle B, B_Q

        /* d2 <= 4 + 4 + 1, folded to at most 4 */
        poly_product A, POWER, %rbx, %rbp, %r11, %rcx, %r15
        add %r12, %rbx
        adc %r13, %rbp
        adc %r14, %r11
        poly_fold %rbx, %rbp, %r11, %rax, %rdx
        .irp at, SECRETS
        movq $0, \at(%rsp)
        .endr
        end_frame FRAME
        restore rdi
        poly_store %rbx, %rbp, %r11, %rdi
        .irp reg, r15, r14, r13, r12, rbp, rbx
        restore \reg
        .endr
        ret
        end_function dual
#endif
