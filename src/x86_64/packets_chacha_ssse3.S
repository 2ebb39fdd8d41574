/* SPDX-License-Identifier: MIT
 *
 * ChaCha for packets that share vector lanes: 8 blocks, each with its own key, nonce, counter, input and output. The contract
 * is struct qs_lanes, struct qs_lanes_stream and qs_lanes_blocks in kernel.h.
 *
 * A lane is a block, and a set is 4 of them. Two sets take turns as chacha_sets.inc says; every lane has a state of its own, so
 * words are transposed on the way in too, and what the rounds start from waits in memory. Four times in each double round
 * two blocks of Poly1305 are made in general registers, see packets_mac.inc.
 *
 * Needs SSSE3.
 */
#include "asm.h"

#ifdef QS_X86_64
        .arch .ssse3
#include "chacha_ssse3.inc"
#define MULX 0
#include "packets_beside.inc"

/* ---- void qs_lanes_blocks_ssse3(struct qs_lanes *l, const struct qs_lanes_stream *s, uint32_t first, uint32_t n,
 *                                 uint32_t rounds, struct qs_lanes_mac *m)
 *
 * rdi: l, aligned to 64; its states are as the caller filled them in. rsi: s. rdx: s + first. r8d: double rounds left. rax,
 * rcx, r9, r10: a set's four states; or rax, r9, r10: a lane's place and output, input, and where its block is there. */

        .macro state_of set, lane, to
        movzbl (PACKET + 4 * \set + \lane)(%rdx), %eax
        and $31, %eax
        lea (%rax, %rax, 2), %rax
        shl $4, %rax
        lea STATE(%rdi, %rax), %\to
        .endm

        .macro put_start set, word, x
        movdqa %xmm\x, (START + START_SIZE * \set + V * (\word - 4))(%rdi)
        movdqa %xmm\x, (WORDS + WORDS_SIZE * \set + V * \word)(%rdi)
        .endm

        .macro start set
        state_of \set, 0, rcx
        state_of \set, 1, r9
        state_of \set, 2, r10
        state_of \set, 3, rax
        .irp i, 4, 8, 12
        movdqu (4 * \i - 16)(%rcx), %xmm0
        movdqu (4 * \i - 16)(%r9), %xmm1
        movdqu (4 * \i - 16)(%r10), %xmm2
        movdqu (4 * \i - 16)(%rax), %xmm3
        words_transpose 0, 1, 2, 3, 4
        put_start \set, \i, 4
        put_start \set, (\i + 1), 3
        put_start \set, (\i + 2), 0
        put_start \set, (\i + 3), 1
        .endr
        movd (BLOCK + 4 * \set)(%rdx), %xmm0
        pxor %xmm1, %xmm1
        punpcklbw %xmm1, %xmm0
        punpcklwd %xmm1, %xmm0
        put_start \set, 12, 0
        .irp i, 0, 1, 2, 3
        v_broadcast (4 * \i) + expand(%rip), 0
        movdqa %xmm0, (WORDS + WORDS_SIZE * \set + V * \i)(%rdi)
        .endr
        .endm

/* The registers of words 4 to 7. */
        .macro words set, x4, x5, x6, x7
        movdqa (START + START_SIZE * \set)(%rdi), %xmm\x4
        movdqa (START + START_SIZE * \set + V)(%rdi), %xmm\x5
        movdqa (START + START_SIZE * \set + 2 * V)(%rdi), %xmm\x6
        movdqa (START + START_SIZE * \set + 3 * V)(%rdi), %xmm\x7
        .endm

        .macro output_lane set, word, lane, x
        movzbl (PACKET + 4 * \set + \lane)(%rdx), %eax
        movzbl (BLOCK + 4 * \set + \lane)(%rdx), %r10d
        shl $4, %eax
        shl $6, %r10d
        mov PLACE_IN(%rsi, %rax), %r9
        mov PLACE_OUT(%rsi, %rax), %rax
        movdqu (4 * \word)(%r9, %r10), %xmm5
        pxor %xmm5, %xmm\x
        movdqu %xmm\x, (4 * \word)(%rax, %r10)
        .endm

        .macro outputs set
        .irp word, 0, 4, 8, 12
        .if \word == 8
        cmpl $0, (BLOCK + 4 * \set)(%rdx)      /* all of them keys */
        je 1f
        .endif
        .irp i, 0, 1, 2, 3
        .if \word == 0
        v_broadcast (4 * \i) + expand(%rip), \i
        .else
        movdqa (START + START_SIZE * \set + V * (\word + \i - 4))(%rdi), %xmm\i
        .endif
        paddd (WORDS + WORDS_SIZE * \set + V * (\word + \i))(%rdi), %xmm\i
        .endr
        words_transpose 0, 1, 2, 3, 4
        output_lane \set, \word, 0, 4
        output_lane \set, \word, 1, 3
        output_lane \set, \word, 2, 0
        output_lane \set, \word, 3, 1
        .endr
1:
        .endm

        function qs_lanes_blocks_ssse3
        begin_blocks
        start 0
        start 1
        words 0, 0, 1, 2, 3
        words 1, 4, 5, 6, 7
        rounds_beside_chains
        outputs 0
        outputs 1
        wipe_vectors_sse
        end_frame FRAME
        restore_all
        ret
        end_function qs_lanes_blocks_ssse3

        tags qs_lanes_tags_ssse3

        constants
expand: .ascii "expand 32-byte k"
#endif
