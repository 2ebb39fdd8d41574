/* SPDX-License-Identifier: MIT
 *
 * ChaCha in general registers, one block at a time.
 *
 *     void qs_chacha_blocks_scalar(uint8_t *out, const uint8_t *in, size_t nblocks, const uint32_t state[16],
 *                                  unsigned rounds)
 *     void qs_chacha_ending_scalar(uint8_t *out, const uint8_t *in, size_t nblocks, struct qs_keystream *k,
 *                                  unsigned rounds)
 *
 * Needs nothing beyond x86-64. Where vector operations take two cycles and general ones take one (Zen 5), no vector
 * code makes one block as soon, so rows with vectors come here for it: 275 cycles against 400.
 *
 * qs_chacha_scalar_from: the same, for other kernels, with the number of the first block in r9d, and in r11 1 if a block
 * of keystream is wanted at the end, or 0.
 * Registers: chacha_scalar.inc. */
#include "asm.h"

#ifdef QS_X86_64
#include "chacha_scalar.inc"

#define BLOCKS SCALAR_FRAME
#define ROUNDS (SCALAR_FRAME + 8)
#define ENDING (SCALAR_FRAME + 12)
#define FRAME (SCALAR_FRAME + 16)

        chacha_functions scalar
        .globl qs_chacha_scalar_from
        .hidden qs_chacha_scalar_from
qs_chacha_scalar_from:
        .irp reg, rbx, rbp, r12, r13, r14, r15
        save \reg
        .endr
        frame FRAME
        mov %rdi, SCALAR_OUT(%rsp)
        mov %rsi, SCALAR_IN(%rsp)
        mov %rdx, BLOCKS(%rsp)
        mov %rcx, SCALAR_STATE(%rsp)
        mov %r8d, ROUNDS(%rsp)
        mov %r9d, SCALAR_COUNTER(%rsp)
        mov %r11d, ENDING(%rsp)
        test %rdx, %rdx
        jz .Lending
1:
        mov ROUNDS(%rsp), %eax
        mov %eax, SCALAR_ROUNDS(%rsp)
        scalar_load
        .balign 64
2:
        scalar_double_round
        subl $2, SCALAR_ROUNDS(%rsp)
        jnz 2b
        scalar_store
        addq $64, SCALAR_IN(%rsp)
        addq $64, SCALAR_OUT(%rsp)
        incl SCALAR_COUNTER(%rsp)
        decq BLOCKS(%rsp)
        jnz 1b
.Lending:
        decl ENDING(%rsp)
        jnz 3f
        mov SCALAR_STATE(%rsp), %rdi
        add $64, %rdi
        mov %rdi, SCALAR_OUT(%rsp)
        lea chacha_zeros(%rip), %rsi
        mov %rsi, SCALAR_IN(%rsp)
        movq $1, BLOCKS(%rsp)
        jmp 1b
3:
        scalar_wipe
        end_frame FRAME
        .irp reg, r15, r14, r13, r12, rbp, rbx
        restore \reg
        .endr
        ret
        end_function qs_chacha_blocks_scalar

        constants
chacha_zeros:
        .zero 64
        .text
#endif
