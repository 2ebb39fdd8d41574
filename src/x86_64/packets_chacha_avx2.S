/* SPDX-License-Identifier: MIT
 *
 * ChaCha for packets that share vector lanes: 16 blocks, each with its own key, nonce, counter, input and output. The
 * contract is struct qs_lanes, struct qs_lanes_stream and qs_lanes_blocks in kernel.h.
 *
 * A lane is a block, and a set is 8 of them. Two sets take turns as chacha_sets.inc says; what differs here is that every
 * lane has a state of its own, so that words are transposed on the way in too, and what the rounds start from waits in
 * memory. Tried and lost: all words in memory, a quarter round of both sets at a time.
 *
 * Four times in each double round two blocks of Poly1305 are made in general registers, see packets_mac.inc: 80 in a pass make
 * it 8 % longer, and would take two thirds of its time alone. Where both sets are of the same packets, one key block and one
 * of text each, the second takes its start and part of the first round from the first, and of key blocks only half is made: 4 %
 * at 64 bytes. Tried and lost: rotating by multiplications (8 to 20 %); one set a double round behind the other, so that its
 * start and end fall into rounds (3 %); more often one block of Poly1305 (10 %).
 *
 * Needs AVX2 and BMI2.
 */
#include "asm.h"

#ifdef QS_X86_64
        .arch .avx2
#include "chacha_avx2.inc"
#define MULX 1
#include "packets_beside.inc"
#include "packets_mac_avx2.inc"

#define SECOND 16 /* + the number of a word in set A's area: of set B */

/* ---- transposition ------------------------------------------------------------------------------------------------ */

/* Rows of words in a, b, c, d become columns, in each half of the vectors, by way of t to t4. */
        .macro transpose_quads a, b, c, d, t, t2, t3, t4
        vpunpckldq %ymm\b, %ymm\a, %ymm\t
        vpunpckhdq %ymm\b, %ymm\a, %ymm\t2
        vpunpckldq %ymm\d, %ymm\c, %ymm\t3
        vpunpckhdq %ymm\d, %ymm\c, %ymm\t4
        vpunpcklqdq %ymm\t3, %ymm\t, %ymm\a
        vpunpckhqdq %ymm\t3, %ymm\t, %ymm\b
        vpunpcklqdq %ymm\t4, %ymm\t2, %ymm\c
        vpunpckhqdq %ymm\t4, %ymm\t2, %ymm\d
        .endm

/* Eight rows of eight words: columns in 8, 9, 10, 11, 0, 1, 2, 3. */
        .macro transpose
        transpose_quads 0, 1, 2, 3, 8, 9, 10, 11
        transpose_quads 4, 5, 6, 7, 12, 13, 14, 15
        vperm2i128 $0x20, %ymm4, %ymm0, %ymm8
        vperm2i128 $0x20, %ymm5, %ymm1, %ymm9
        vperm2i128 $0x20, %ymm6, %ymm2, %ymm10
        vperm2i128 $0x20, %ymm7, %ymm3, %ymm11
        vperm2i128 $0x31, %ymm4, %ymm0, %ymm0
        vperm2i128 $0x31, %ymm5, %ymm1, %ymm1
        vperm2i128 $0x31, %ymm6, %ymm2, %ymm2
        vperm2i128 $0x31, %ymm7, %ymm3, %ymm3
        .endm

/* ---- void qs_lanes_blocks_avx2(struct qs_lanes *l, const struct qs_lanes_stream *s, uint32_t first, uint32_t n,
 *                                uint32_t rounds, struct qs_lanes_mac *m)
 *
 * rdi: l, aligned to 64; its states are as the caller filled them in. rsi: s. rdx: s + first. ecx: n. r8d: double rounds
 * left. rax, r9, r10: a lane's state; then its place and output, input, and where its block is there. */

/* The address of a lane's state in rax. */
        .macro state_of set, lane
        movzbl (PACKET + 8 * \set + \lane)(%rdx), %eax
        and $31, %eax
        imul $48, %eax, %eax
        .endm

        .macro put_start set, word, x
        vmovdqa %ymm\x, (START + START_SIZE * \set + 32 * (\word - 4))(%rdi)
        vmovdqa %ymm\x, (WORDS + WORDS_SIZE * \set + 32 * \word)(%rdi)
        .endm

        .macro start set
        .irp i, 0, 1, 2, 3, 4, 5, 6, 7
        state_of \set, \i
        vmovdqu STATE(%rdi, %rax), %ymm\i
        .endr
        transpose
        put_start \set, 4, 8
        put_start \set, 5, 9
        put_start \set, 6, 10
        put_start \set, 7, 11
        put_start \set, 8, 0
        put_start \set, 9, 1
        put_start \set, 10, 2
        put_start \set, 11, 3
        .irp i, 0, 1, 2, 3                      /* lanes i and i + 4: the last four words */
        state_of \set, \i
        vmovdqu (STATE + 32)(%rdi, %rax), %xmm\i
        state_of \set, (\i + 4)
        vinserti128 $1, (STATE + 32)(%rdi, %rax), %ymm\i, %ymm\i
        .endr
        transpose_quads 0, 1, 2, 3, 8, 9, 10, 11
        vpmovzxbd (BLOCK + 8 * \set)(%rdx), %ymm0
        put_start \set, 12, 0
        put_start \set, 13, 1
        put_start \set, 14, 2
        put_start \set, 15, 3
        .endm

/* Words 0 to 3 of a set, and the registers of words 4 to 7. */
        .macro words set, x4, x5, x6, x7
        .irp i, 0, 1, 2, 3
        vpbroadcastd (4 * \i) + expand(%rip), %ymm8
        vmovdqa %ymm8, (WORDS + WORDS_SIZE * \set + 32 * \i)(%rdi)
        .endr
        vmovdqa (START + START_SIZE * \set)(%rdi), %ymm\x4
        vmovdqa (START + START_SIZE * \set + 32)(%rdi), %ymm\x5
        vmovdqa (START + START_SIZE * \set + 64)(%rdi), %ymm\x6
        vmovdqa (START + START_SIZE * \set + 96)(%rdi), %ymm\x7
        .endm

/* Lanes 0 to 7 as `transpose` leaves them. */
        .macro each_lane what:req, set:req
        \what \set, 0, 8
        \what \set, 1, 9
        \what \set, 2, 10
        \what \set, 3, 11
        \what \set, 4, 0
        \what \set, 5, 1
        \what \set, 6, 2
        \what \set, 7, 3
        .endm

        .macro output_key set, lane, x
        movzbl (PACKET + 8 * \set + \lane)(%rdx), %eax
        shl $4, %eax
        mov PLACE_OUT(%rsi, %rax), %rax
        vmovdqu %ymm\x, (%rax)
        .endm

        /* First halves of blocks, in place of words 0 to 7. */
        .macro put_half set, lane, x
        vmovdqa %ymm\x, (WORDS + WORDS_SIZE * \set + 32 * \lane)(%rdi)
        .endm

        .macro output_lane set, lane, x
        movzbl (PACKET + 8 * \set + \lane)(%rdx), %eax
        movzbl (BLOCK + 8 * \set + \lane)(%rdx), %r10d
        shl $4, %eax
        shl $6, %r10d
        mov PLACE_IN(%rsi, %rax), %r9
        mov PLACE_OUT(%rsi, %rax), %rax
        vmovdqa (WORDS + WORDS_SIZE * \set + 32 * \lane)(%rdi), %ymm4
        vpxor 32(%r9, %r10), %ymm\x, %ymm\x
        vpxor (%r9, %r10), %ymm4, %ymm4
        vmovdqu %ymm\x, 32(%rax, %r10)
        vmovdqu %ymm4, (%rax, %r10)
        .endm

        .macro outputs set
        .irp i, 0, 1, 2, 3
        vpbroadcastd (4 * \i) + expand(%rip), %ymm\i
        .endr
        .irp i, 0, 1, 2, 3
        vpaddd (WORDS + WORDS_SIZE * \set + 32 * \i)(%rdi), %ymm\i, %ymm\i
        .endr
        .irp i, 4, 5, 6, 7
        vmovdqa (WORDS + WORDS_SIZE * \set + 32 * \i)(%rdi), %ymm\i
        vpaddd (START + START_SIZE * \set + 32 * (\i - 4))(%rdi), %ymm\i, %ymm\i
        .endr
        transpose
        cmpq $0, (BLOCK + 8 * \set)(%rdx)      /* all of them keys */
        jne 1f
        each_lane output_key, \set
        jmp 2f
1:      each_lane put_half, \set
        .irp i, 0, 1, 2, 3, 4, 5, 6, 7
        vmovdqa (WORDS + WORDS_SIZE * \set + 32 * (\i + 8))(%rdi), %ymm\i
        vpaddd (START + START_SIZE * \set + 32 * (\i + 4))(%rdi), %ymm\i, %ymm\i
        .endr
        transpose
        each_lane output_lane, \set
2:
        .endm

        function qs_lanes_blocks_avx2
        begin_blocks
        mov %ecx, BLOCKS
        start 0
        cmp $8, %ecx
        jbe .Lwords
        mov PACKET(%rdx), %rax
        xor PACKET + 8(%rdx), %rax
        mov $0x1f1f1f1f1f1f1f1f, %r9
        test %r9, %rax
        jz .Lsame_packets
        start 1
.Lwords:
        words 0, 0, 1, 2, 3
        words 1, 4, 5, 6, 7
        rounds_beside_chains
        outputs 0
        cmpl $8, BLOCKS
        jbe 3f
        outputs 1
3:      wipe_vectors_avx
        end_frame FRAME
        restore_all
        ret

        /* Only numbers of blocks differ, which are in column 0: after a round, columns 1 and 2 are the same still. (So is
         * column 3, but two go together.) */
.Lsame_packets:
        .irp word, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15
        vmovdqa (START + 32 * (\word - 4))(%rdi), %ymm0
        vmovdqa %ymm0, (START + START_SIZE + 32 * (\word - 4))(%rdi)
        .if \word == 8 || \word == 11 || \word == 15
        vmovdqa %ymm0, (WORDS + WORDS_SIZE + 32 * \word)(%rdi)
        .endif
        .endr
        vpmovzxbd (BLOCK + 8)(%rdx), %ymm0
        put_start 1, 12, 0
        words 0, 0, 1, 2, 3
        words 1, 4, 5, 6, 7
        chains_resume MANY_WAIT
        set_turn WORDS(%rdi), 0, 0, 8, 12, (SECOND + 0), 4, (SECOND + 8), (SECOND + 12)
        set_turn WORDS(%rdi), 1, 1, 9, 13, 2, 2, 10, 14
        set_turn WORDS(%rdi), 3, 3, 11, 15, (SECOND + 3), 7, (SECOND + 11), (SECOND + 15)
        vmovdqa %ymm1, %ymm5
        vmovdqa %ymm2, %ymm6
        .irp word, 1, 2, 9, 10, 13, 14
        vmovdqa (WORDS + 32 * \word)(%rdi), %ymm8
        vmovdqa %ymm8, (WORDS + WORDS_SIZE + 32 * \word)(%rdi)
        .endr
        jmp .Ldiagonals
        end_function qs_lanes_blocks_avx2

        tags_of_four qs_lanes_tags_avx2

        constants
expand: .ascii "expand 32-byte k"
#endif
