/* SPDX-License-Identifier: MIT
 *
 * ChaCha in general registers, one block at a time.
 *
 *     void qs_chacha_blocks_scalar(uint8_t *out, const uint8_t *in, size_t nblocks, const uint32_t state[16],
 *                                  unsigned rounds)
 *
 * Needs nothing beyond x86-64. Where vector operations take two cycles and general ones take one (Zen 5), no vector
 * code makes one block as soon, so rows with vectors come here for it: 275 cycles against 400.
 *
 * qs_chacha_scalar_from: the same, for other kernels, with the number of the first block in r9d.
 * Registers: chacha_scalar.inc. */
#include "asm.h"

#ifdef QS_X86_64
#include "chacha_scalar.inc"

#define BLOCKS SCALAR_FRAME
#define ROUNDS (SCALAR_FRAME + 8)
#define FRAME (SCALAR_FRAME + 16)

        function qs_chacha_blocks_scalar
        mov 48(%rcx), %r9d
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

        scalar_wipe
        end_frame FRAME
        .irp reg, r15, r14, r13, r12, rbp, rbx
        restore \reg
        .endr
        ret
        end_function qs_chacha_blocks_scalar
#endif
