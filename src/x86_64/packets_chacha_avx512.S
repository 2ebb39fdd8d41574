/* SPDX-License-Identifier: MIT
 *
 * ChaCha for packets that share vector lanes: 32 blocks, each with its own key, nonce, counter, input and output.
 * The contract is struct qs_lanes, struct
 * qs_lanes_stream and qs_lanes_blocks in kernel.h.
 *
 * A lane is a block. zmm0 to 15 are the sixteen words of blocks 0 to 15 (set A), zmm16 to 31 those of blocks 16 to 31
 * (set B). One set alone is bound by latency: 240 dependent operations of two cycles. Two sets in turn, instruction by
 * instruction, take a fifth longer and make twice as much. No register is left for anything else in the rounds, so the
 * words that the rounds start from wait in memory for the addition at the end.
 *
 * The packets' words 4 to 15 are transposed once (qs_lanes_arrange_avx512): then the states of any 16 lanes are eleven
 * two-table permutations by the number of each lane's packet, however many packets meet in a pass. Tried and lost:
 * transposing the states of each pass (30 cycles a set instead of 12).
 *
 * Needs AVX512F.
 */
#include "asm.h"

#ifdef QS_X86_64
        .arch .avx512f

/* struct qs_lanes_stream */
#define PLACE_IN 0
#define PLACE_OUT 8
#define PACKET 2064
#define BLOCK 2928
/* struct qs_lanes */
#define STATE 0
#define SCRATCH 1536
/* In its scratch: words 4 to 15 at the start, for both sets; a register of set B; where each lane reads and writes. */
#define START_A SCRATCH
#define START_B (SCRATCH + 12 * 64)
#define SPILL (SCRATCH + 24 * 64)
#define IN (SCRATCH + 25 * 64)
#define OUT (SCRATCH + 29 * 64)

#define Z_(n) %zmm##n
#define Z(n) Z_(n)
/* Word n in set B. */
#define B_0 16
#define B_1 17
#define B_2 18
#define B_3 19
#define B_4 20
#define B_5 21
#define B_6 22
#define B_7 23
#define B_8 24
#define B_9 25
#define B_10 26
#define B_11 27
#define B_12 28
#define B_13 29
#define B_14 30
#define B_15 31

/* ---- rounds: A_ for set A, AB_ for both in turn ------------------------------------------------------------------- */

#define A_ADD(d, s) vpaddd Z(s), Z(d), Z(d)
#define A_XOR(d, s) vpxord Z(s), Z(d), Z(d)
#define A_ROL(d, n) vprold $n, Z(d), Z(d)
#define AB_ADD(d, s) A_ADD(d, s); A_ADD(B_##d, B_##s)
#define AB_XOR(d, s) A_XOR(d, s); A_XOR(B_##d, B_##s)
#define AB_ROL(d, n) A_ROL(d, n); A_ROL(B_##d, n)

#define FOUR(op, d0, d1, d2, d3, s0, s1, s2, s3) op(d0, s0); op(d1, s1); op(d2, s2); op(d3, s3)

/* Half of four quarter rounds: a += b, d = (d ^ a) <<< m, c += d, b = (b ^ c) <<< n, with a = words 0 to 3. */
#define HALF(of, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3, m, n)                                                 \
        FOUR(of##ADD, 0, 1, 2, 3, b0, b1, b2, b3);                                                                     \
        FOUR(of##XOR, d0, d1, d2, d3, 0, 1, 2, 3);                                                                     \
        FOUR(of##ROL, d0, d1, d2, d3, m, m, m, m);                                                                     \
        FOUR(of##ADD, c0, c1, c2, c3, d0, d1, d2, d3);                                                                 \
        FOUR(of##XOR, b0, b1, b2, b3, c0, c1, c2, c3);                                                                 \
        FOUR(of##ROL, b0, b1, b2, b3, n, n, n, n)

/* And four lanes' addresses. */
#define DOUBLE_ROUND(of)                                                                                               \
        HALF(of, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 12);                                                    \
        address 0;                                                                                                     \
        HALF(of, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 8, 7);                                                      \
        address 1;                                                                                                     \
        HALF(of, 5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14, 16, 12);                                                    \
        address 2;                                                                                                     \
        HALF(of, 5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14, 8, 7);                                                      \
        address 3;                                                                                                     \
        add $4, %r11d

/* Where lane r11 + i reads and writes. */
        .macro address i
        movzbl (PACKET + \i)(%rdx, %r11), %eax
        movzbl (BLOCK + \i)(%rdx, %r11), %r10d
        shl $4, %eax
        shl $6, %r10d
        mov PLACE_IN(%rsi, %rax), %r9
        mov PLACE_OUT(%rsi, %rax), %rax
        add %r10, %r9
        add %r10, %rax
        prefetcht0 (%r9)
        mov %r9, (IN + 8 * \i)(%rdi, %r11, 8)
        mov %rax, (OUT + 8 * \i)(%rdi, %r11, 8)
        .endm

/* ---- transposition ------------------------------------------------------------------------------------------------
 *
 * With one free register t. Both steps leave their results in the order c, a, t, d, and b free. */

/* Four vectors; in each 128 bits, rows of words become columns. */
        .macro transpose_words a, b, c, d, t
        vpunpckldq %zmm\b, %zmm\a, %zmm\t
        vpunpckhdq %zmm\b, %zmm\a, %zmm\b
        vpunpckldq %zmm\d, %zmm\c, %zmm\a
        vpunpckhdq %zmm\d, %zmm\c, %zmm\d
        vpunpcklqdq %zmm\a, %zmm\t, %zmm\c
        vpunpckhqdq %zmm\a, %zmm\t, %zmm\a
        vpunpcklqdq %zmm\d, %zmm\b, %zmm\t
        vpunpckhqdq %zmm\d, %zmm\b, %zmm\d
        .endm

/* The same for whole 128-bit pieces. */
        .macro transpose_quads a, b, c, d, t
        vshufi32x4 $0x44, %zmm\b, %zmm\a, %zmm\t
        vshufi32x4 $0xee, %zmm\b, %zmm\a, %zmm\b
        vshufi32x4 $0x44, %zmm\d, %zmm\c, %zmm\a
        vshufi32x4 $0xee, %zmm\d, %zmm\c, %zmm\d
        vshufi32x4 $0x88, %zmm\a, %zmm\t, %zmm\c
        vshufi32x4 $0xdd, %zmm\a, %zmm\t, %zmm\a
        vshufi32x4 $0x88, %zmm\d, %zmm\b, %zmm\t
        vshufi32x4 $0xdd, %zmm\d, %zmm\b, %zmm\d
        .endm

/* Sixteen vectors x0 to x15. Row 4 i + j of the result is in register `i`th of the list (c, a, t, d) of column j:
 *          rows j, 4 + j, 8 + j, 12 + j in
 * j = 0:   x10,  x2,     x13,    x14
 * j = 1:   x8,   x0,     x6,     x12
 * j = 2:   x5,   t,      x4,     x9
 * j = 3:   x11,  x3,     x1,     x15 */
        .macro transpose x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15, t
        transpose_words \x0, \x1, \x2, \x3, \t              /* columns 0 to 3: x2, x0, t, x3; free: x1 */
        transpose_words \x4, \x5, \x6, \x7, \x1             /* x6, x4, x1, x7; x5 */
        transpose_words \x8, \x9, \x10, \x11, \x5           /* x10, x8, x5, x11; x9 */
        transpose_words \x12, \x13, \x14, \x15, \x9         /* x14, x12, x9, x15; x13 */
        transpose_quads \x2, \x6, \x10, \x14, \x13          /* x10, x2, x13, x14; x6 */
        transpose_quads \x0, \x4, \x8, \x12, \x6            /* x8, x0, x6, x12; x4 */
        transpose_quads \t, \x1, \x5, \x9, \x4              /* x5, t, x4, x9; x1 */
        transpose_quads \x3, \x7, \x11, \x15, \x1           /* x11, x3, x1, x15; x7 */
        .endm

/* ---- void qs_lanes_arrange_avx512(struct qs_lanes *l) -------------------------------------------------------------
 *
 * rdi: l, aligned to 64. Its state becomes words[12][32]: word 4 + i of packet j at byte 128 i + 4 j. Always all 32. */

        .macro load_state i, at
        vmovdqu32 (STATE + 48 * \at)(%rdi), %zmm\i{%k1}{z}
        .endm

        .macro load_states at
        .irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        load_state \i, (\at + \i)
        .endr
        transpose 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
        .endm

        function qs_lanes_arrange_avx512
        mov $0x0fff, %eax
        kmovw %eax, %k1
        load_states 0
        vmovdqa64 %zmm10, %zmm20
        vmovdqa64 %zmm8, %zmm21
        vmovdqa64 %zmm5, %zmm22
        vmovdqa64 %zmm11, %zmm23
        vmovdqa64 %zmm2, %zmm24
        vmovdqa64 %zmm0, %zmm25
        vmovdqa64 %zmm16, %zmm26
        vmovdqa64 %zmm3, %zmm27
        vmovdqa64 %zmm13, %zmm28
        vmovdqa64 %zmm6, %zmm29
        vmovdqa64 %zmm4, %zmm30
        vmovdqa64 %zmm1, %zmm31
        load_states 16
        .irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
        vmovdqa64 %zmm2\i, (STATE + 128 * \i)(%rdi)
        .endr
        vmovdqa64 %zmm30, (STATE + 128 * 10)(%rdi)
        vmovdqa64 %zmm31, (STATE + 128 * 11)(%rdi)
        vmovdqa64 %zmm10, (STATE + 64 + 128 * 0)(%rdi)
        vmovdqa64 %zmm8, (STATE + 64 + 128 * 1)(%rdi)
        vmovdqa64 %zmm5, (STATE + 64 + 128 * 2)(%rdi)
        vmovdqa64 %zmm11, (STATE + 64 + 128 * 3)(%rdi)
        vmovdqa64 %zmm2, (STATE + 64 + 128 * 4)(%rdi)
        vmovdqa64 %zmm0, (STATE + 64 + 128 * 5)(%rdi)
        vmovdqa64 %zmm16, (STATE + 64 + 128 * 6)(%rdi)
        vmovdqa64 %zmm3, (STATE + 64 + 128 * 7)(%rdi)
        vmovdqa64 %zmm13, (STATE + 64 + 128 * 8)(%rdi)
        vmovdqa64 %zmm6, (STATE + 64 + 128 * 9)(%rdi)
        vmovdqa64 %zmm4, (STATE + 64 + 128 * 10)(%rdi)
        vmovdqa64 %zmm1, (STATE + 64 + 128 * 11)(%rdi)
        wipe_vectors_avx512
        ret
        end_function qs_lanes_arrange_avx512

/* ---- void qs_lanes_blocks_avx512(struct qs_lanes *l, const struct qs_lanes_stream *s, uint32_t first, uint32_t n,
 *                                  uint32_t rounds)
 *
 * rdi: l, aligned to 64, arranged. rsi: s. rdx: s + first. ecx: n. r8d: double rounds left. r11: lanes that have
 * addresses. rax, r9, r10: a lane's place and output, input, and where its block is there.
 *
 * A lane's addresses take eleven instructions: beside the rounds, where general registers and loads have nothing else
 * to do, they are free, behind them they took 30 cycles of 760. Ten double rounds make 40 lanes: the first ones twice. */

/* Words 4 to 15 of a set: word 4 + i is word i of the packets that `which` names; of their numbers only the low five
 * bits count. x0 to x15: the set's registers. */
        .macro start set, at, x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15
        vpmovzxbd (PACKET + 16 * \set)(%rdx), %zmm\x0
        start_word \at, 0, \x0, \x4
        start_word \at, 1, \x0, \x5
        start_word \at, 2, \x0, \x6
        start_word \at, 3, \x0, \x7
        start_word \at, 4, \x0, \x8
        start_word \at, 5, \x0, \x9
        start_word \at, 6, \x0, \x10
        start_word \at, 7, \x0, \x11
        vpmovzxbd (BLOCK + 16 * \set)(%rdx), %zmm\x12
        vmovdqa64 %zmm\x12, (\at + 64 * 8)(%rdi)
        start_word \at, 9, \x0, \x13
        start_word \at, 10, \x0, \x14
        start_word \at, 11, \x0, \x15
        vpbroadcastd expand(%rip), %zmm\x0
        vpbroadcastd 4 + expand(%rip), %zmm\x1
        vpbroadcastd 8 + expand(%rip), %zmm\x2
        vpbroadcastd 12 + expand(%rip), %zmm\x3
        .endm

        .macro start_word at, i, which, x
        vmovdqa64 (STATE + 128 * \i)(%rdi), %zmm\x
        vpermt2d (STATE + 64 + 128 * \i)(%rdi), %zmm\which, %zmm\x
        vmovdqa64 %zmm\x, (\at + 64 * \i)(%rdi)
        .endm

/* Adds what the rounds started from. */
        .macro feed_forward at, x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15
        vpaddd expand(%rip){1to16}, %zmm\x0, %zmm\x0
        vpaddd 4 + expand(%rip){1to16}, %zmm\x1, %zmm\x1
        vpaddd 8 + expand(%rip){1to16}, %zmm\x2, %zmm\x2
        vpaddd 12 + expand(%rip){1to16}, %zmm\x3, %zmm\x3
        vpaddd (\at + 64 * 0)(%rdi), %zmm\x4, %zmm\x4
        vpaddd (\at + 64 * 1)(%rdi), %zmm\x5, %zmm\x5
        vpaddd (\at + 64 * 2)(%rdi), %zmm\x6, %zmm\x6
        vpaddd (\at + 64 * 3)(%rdi), %zmm\x7, %zmm\x7
        vpaddd (\at + 64 * 4)(%rdi), %zmm\x8, %zmm\x8
        vpaddd (\at + 64 * 5)(%rdi), %zmm\x9, %zmm\x9
        vpaddd (\at + 64 * 6)(%rdi), %zmm\x10, %zmm\x10
        vpaddd (\at + 64 * 7)(%rdi), %zmm\x11, %zmm\x11
        vpaddd (\at + 64 * 8)(%rdi), %zmm\x12, %zmm\x12
        vpaddd (\at + 64 * 9)(%rdi), %zmm\x13, %zmm\x13
        vpaddd (\at + 64 * 10)(%rdi), %zmm\x14, %zmm\x14
        vpaddd (\at + 64 * 11)(%rdi), %zmm\x15, %zmm\x15
        .endm

/* Four lanes' output. */
        .macro output lane, rows:vararg
        .set n, \lane
        .irp x, \rows
        mov (IN + 8 * n)(%rdi), %rax
        mov (OUT + 8 * n)(%rdi), %r9
        vpxord (%rax), %zmm\x, %zmm\x
        vmovdqu64 %zmm\x, (%r9)
        .set n, n + 1
        .endr
        .endm

        .macro outputs lane, x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15, t
        transpose \x0, \x1, \x2, \x3, \x4, \x5, \x6, \x7, \x8, \x9, \x10, \x11, \x12, \x13, \x14, \x15, \t
        output \lane, \x10, \x8, \x5, \x11, \x2, \x0, \t, \x3, \x13, \x6, \x4, \x1, \x14, \x12, \x9, \x15
        .endm

        function qs_lanes_blocks_avx512
        shr $1, %r8d
        mov %edx, %edx
        add %rsi, %rdx
        xor %r11d, %r11d
        start 0, START_A, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        cmp $16, %ecx
        jbe 3f
        start 1, START_B, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31

0:      lea (%r11, %r8, 4), %eax                /* of 8 or 12 rounds, lanes that are too many for them */
        cmp $32, %eax
        jae 1f
        address 0
        add $1, %r11d
        jmp 0b

        .balign 64
1:      DOUBLE_ROUND(AB_)
        and $31, %r11d
        dec %r8d
        jnz 1b

        vmovdqa64 %zmm31, SPILL(%rdi)
2:      feed_forward START_A, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        outputs 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 31
        cmp $16, %ecx
        jbe 4f
        vmovdqa64 SPILL(%rdi), %zmm31
        feed_forward START_B, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
        outputs 16, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 0
        jmp 4f

        .balign 64
3:      DOUBLE_ROUND(A_)
        and $15, %r11d
        dec %r8d
        jnz 3b
        jmp 2b

4:      wipe_vectors_avx512
        ret
        end_function qs_lanes_blocks_avx512

        constants
expand: .ascii "expand 32-byte k"
#endif
