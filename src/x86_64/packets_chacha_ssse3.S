/* SPDX-License-Identifier: MIT
 *
 * ChaCha for packets that share vector lanes: 8 blocks, each with its own key, nonce, counter, input and output. The contract
 * is struct qs_lanes and struct qs_lanes_pass in kernel.h.
 *
 * A lane is a block, and a set is 4 of them. Two sets take turns as chacha_sets.inc says; every lane has a state of its own, so
 * words are transposed on the way in too, and what the rounds start from waits in memory.
 *
 * Needs SSSE3.
 */
#include "asm.h"

#ifdef QS_X86_64
        .arch .ssse3
#include "chacha_ssse3.inc"

/* struct qs_lanes_pass */
#define PACKET 0
#define COUNTER 128
#define IN 256
#define OUT 512
#define ROUNDS 772
/* struct qs_lanes, and in its scratch, of set A (then B): words 4 to 15 at the start, and all words */
#define STATE 0
#define START 1536
#define START_SIZE (12 * V)
#define WORDS (START + 2 * START_SIZE)
#define WORDS_SIZE (16 * V)

/* ---- void qs_lanes_blocks_ssse3(struct qs_lanes *l, const struct qs_lanes_pass *pass) ------------------------------
 *
 * rdi: l, aligned to 64; its states are as the caller filled them in. rsi: pass, aligned to 64. ecx: double rounds left.
 * r8 to r11: a set's four states. rax, rdx: a lane's input and output. */

        .macro state_of set, lane, to
        mov (PACKET + 16 * \set + 4 * \lane)(%rsi), %eax
        lea (%rax, %rax, 2), %rax
        shl $4, %rax
        lea STATE(%rdi, %rax), %\to
        .endm

        .macro put_start set, word, x
        movdqa %xmm\x, (START + START_SIZE * \set + V * (\word - 4))(%rdi)
        movdqa %xmm\x, (WORDS + WORDS_SIZE * \set + V * \word)(%rdi)
        .endm

        .macro start set
        state_of \set, 0, r8
        state_of \set, 1, r9
        state_of \set, 2, r10
        state_of \set, 3, r11
        .irp i, 4, 8, 12
        movdqu (4 * \i - 16)(%r8), %xmm0
        movdqu (4 * \i - 16)(%r9), %xmm1
        movdqu (4 * \i - 16)(%r10), %xmm2
        movdqu (4 * \i - 16)(%r11), %xmm3
        words_transpose 0, 1, 2, 3, 4
        put_start \set, \i, 4
        put_start \set, (\i + 1), 3
        put_start \set, (\i + 2), 0
        put_start \set, (\i + 3), 1
        .endr
        movdqa (COUNTER + 16 * \set)(%rsi), %xmm0
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
        mov (IN + 32 * \set + 8 * \lane)(%rsi), %rax
        mov (OUT + 32 * \set + 8 * \lane)(%rsi), %rdx
        movdqu (4 * \word)(%rax), %xmm5
        pxor %xmm5, %xmm\x
        movdqu %xmm\x, (4 * \word)(%rdx)
        .endm

        .macro outputs set
        .irp word, 0, 4, 8, 12
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
        .endm

        function qs_lanes_blocks_ssse3
        mov ROUNDS(%rsi), %ecx
        shr $1, %ecx
        start 0
        start 1
        words 0, 0, 1, 2, 3
        words 1, 4, 5, 6, 7

        .balign 64
1:      set_columns WORDS(%rdi), 0, 1, 2, 3
        set_columns (WORDS + WORDS_SIZE)(%rdi), 4, 5, 6, 7
        set_diagonals WORDS(%rdi), 0, 1, 2, 3
        set_diagonals (WORDS + WORDS_SIZE)(%rdi), 4, 5, 6, 7
        dec %ecx
        jnz 1b

        set_store WORDS(%rdi), 0, 1, 2, 3
        set_store (WORDS + WORDS_SIZE)(%rdi), 4, 5, 6, 7
        outputs 0
        outputs 1
        wipe_vectors_sse
        ret
        end_function qs_lanes_blocks_ssse3

        constants
expand: .ascii "expand 32-byte k"
#endif
