/* SPDX-License-Identifier: MIT
 *
 * x86-64, AVX-512 with IFMA: the end of a message that is not much longer than a pass.
 *
 *     subroutine of aead_avx512ifma.S, called with its frame 8 bytes up, A and constants in their registers
 *     qs_aead_avx512ifma_tail     8 blocks of keystream, which follow the 32 of the pass before
 *
 * reads:  QUARTER, STATE; MAC_TEXT and MAC_LEFT, more than 2 KiB and at most 512 bytes more; FOLDS
 * writes: TAIL; MAC_TEXT, MAC_LEFT and A, as qs_aead_avx512ifma_mac_groups does
 *
 * Eight blocks take as long as 16, the latency of the rounds, and leave most of the vector units idle. So the MAC of
 * what is there of the text, all but the last 257 to 768 bytes, goes beside them: two vectors beside each double round,
 * a group of four beside two. The key block, which the rounds go beside elsewhere, is made already. Passes of 24 and 32
 * blocks, which all but the end of a long text wants, leave too few registers for this.
 */
#include "asm.h"
#ifdef QS_X86_64
#include "chacha_avx512.inc"
#include "aead_avx512ifma.inc"

#define loop_count %r15d
#define groups_left %r14

        /* Rows of two groups of four blocks, in registers that the MAC does not use. */
        .macro both macro, arguments:vararg
        \macro \arguments 0, 1, 2, 3
        \macro \arguments 28, 29, 30, 31
        .endm
        .macro turn a, b, c, d
        rows_turn \a, \c, \d
        .endm
        .macro turn_back a, b, c, d
        rows_turn_back \a, \c, \d
        .endm
        .macro begin a, b, c, d
        vmovdqa64 %zmm15, %zmm\a
        vmovdqa64 %zmm16, %zmm\b
        vmovdqa64 %zmm17, %zmm\c
        .endm
        .macro forward a, b, c, d
        vpaddd %zmm15, %zmm\a, %zmm\a
        vpaddd %zmm16, %zmm\b, %zmm\b
        vpaddd %zmm17, %zmm\c, %zmm\c
        .endm

        /* zmm15 to zmm18, 27: rows as they are at first, the last of each group's own. */
        .macro state
        vbroadcasti32x4 at(STATE), %zmm15
        vbroadcasti32x4 at(STATE + 16), %zmm16
        vbroadcasti32x4 at(STATE + 32), %zmm17
        vbroadcasti32x4 at(STATE + 48), %zmm18
        vpaddd numbers + 64(%rip), %zmm18, %zmm27
        vpaddd numbers(%rip), %zmm18, %zmm18
        .endm

        function qs_aead_avx512ifma_tail
        state
        both begin
        vmovdqa64 %zmm18, %zmm3
        vmovdqa64 %zmm27, %zmm31
        mov at(QUARTER), loop_count
        add loop_count, loop_count
        mov at(MAC_TEXT), text
        mov at(MAC_LEFT), %rax
        lea -257(%rax), groups_left
        shr $9, groups_left                     /* 3 or 4 */
        lea first_half(%rip), next_step
        .balign 32
1:      .irp number, 1, 2, 3, 4
        both rows_step \number,
        .endr
        both turn
        .irp number, 1, 2, 3, 4
        both rows_step \number,
        .endr
        both turn_back
        do_step
        dec loop_count
        jnz 1b
        steps_left
        mov text, %rax
        sub at(MAC_TEXT), %rax
        sub %rax, at(MAC_LEFT)
        mov text, at(MAC_TEXT)

        state
        both forward
        vpaddd %zmm18, %zmm3, %zmm3
        vpaddd %zmm27, %zmm31, %zmm31
        rows_transpose 0, 1, 2, 3, 4
        rows_transpose 28, 29, 30, 31, 5
        vmovdqa64 %zmm2, at(TAIL)
        vmovdqa64 %zmm4, at(TAIL + 64 * 1)
        vmovdqa64 %zmm0, at(TAIL + 64 * 2)
        vmovdqa64 %zmm3, at(TAIL + 64 * 3)
        vmovdqa64 %zmm30, at(TAIL + 64 * 4)
        vmovdqa64 %zmm5, at(TAIL + 64 * 5)
        vmovdqa64 %zmm28, at(TAIL + 64 * 6)
        vmovdqa64 %zmm31, at(TAIL + 64 * 7)
        ret
        end_function qs_aead_avx512ifma_tail

/* ---- a group of four vectors, in two steps ----------------------------------------------------------------------- */

        subroutine first_half
        endbr64
        clear_sum
        load_text 128
        load_fold deep(FOLD(24))
        mul_add
        load_text 256
        load_fold deep(FOLD(16))
        mul_add
        lea second_half(%rip), next_step
        ret
        end_function first_half

        subroutine second_half
        endbr64
        load_text 384
        load_fold deep(FOLD(8))
        mul_add
        load_text 0
        load_fold deep(FOLD(32))
        add_hash
        mul_add
        fold_sum
        add $512, text
        lea first_half(%rip), next_step
        dec groups_left
        cmovz groups_left, next_step
        ret
        end_function second_half

        constants
numbers: .long 32, 0, 0, 0, 33, 0, 0, 0, 34, 0, 0, 0, 35, 0, 0, 0
        .long 36, 0, 0, 0, 37, 0, 0, 0, 38, 0, 0, 0, 39, 0, 0, 0
#endif
