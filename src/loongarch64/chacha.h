/* SPDX-License-Identifier: MIT
 *
 * ChaCha's rounds, for scalar and vector registers alike. Who includes this defines ADD, XOR and ROTR, three operands
 * each, and x0 to x15: the registers of the sixteen state words.
 */
#ifndef QS_LOONGARCH64_CHACHA_H
#define QS_LOONGARCH64_CHACHA_H

        /* a += b; d = (d ^ a) >>> n, in four quarter rounds at a time, instruction by instruction: none waits for the one
         * before it. */
        .macro  lines   n, a0, a1, a2, a3, b0, b1, b2, b3, d0, d1, d2, d3
        ADD     \a0, \a0, \b0
        ADD     \a1, \a1, \b1
        ADD     \a2, \a2, \b2
        ADD     \a3, \a3, \b3
        XOR     \d0, \d0, \a0
        XOR     \d1, \d1, \a1
        XOR     \d2, \d2, \a2
        XOR     \d3, \d3, \a3
        ROTR    \d0, \d0, \n
        ROTR    \d1, \d1, \n
        ROTR    \d2, \d2, \n
        ROTR    \d3, \d3, \n
        .endm

#define A x0, x1, x2, x3
#define B x4, x5, x6, x7
#define C x8, x9, x10, x11
#define D x12, x13, x14, x15
#define B_DIAGONAL x5, x6, x7, x4
#define C_DIAGONAL x10, x11, x8, x9
#define D_DIAGONAL x15, x12, x13, x14

        .macro  columns
        lines   16, A, B, D
        lines   20, C, D, B
        lines   24, A, B, D
        lines   25, C, D, B
        .endm

        /* All but the first line. */
        .macro  diagonals_end
        lines   20, C_DIAGONAL, D_DIAGONAL, B_DIAGONAL
        lines   24, A, B_DIAGONAL, D_DIAGONAL
        lines   25, C_DIAGONAL, D_DIAGONAL, B_DIAGONAL
        .endm

        .macro  double_round
        columns
        lines   16, A, B_DIAGONAL, D_DIAGONAL
        diagonals_end
        .endm

/* ---- what the first double round can do without the counter -----------------------------------------------------------
 *
 * Only word 12 differs between the blocks of a call. So columns 1 to 3 are the same in all of them, and of the diagonals
 * the sums x1 + x6 and x2 + x7, and what x13 makes of the latter. This is done once, in scalar registers: twelve words
 * wait at sp. Words 0, 4, 8 and 12 are left for each block. */
#define FREE_WORDS 48
#define w1 $t0
#define w2 $t1
#define w3 $t2
#define w5 $t3
#define w6 $t4
#define w7 $t5
#define w9 $t6
#define w10 $t7
#define w11 $t8
#define w13 $a5
#define w14 $a6
#define w15 $a7

        .macro  line_of_three n, a1, a2, a3, b1, b2, b3, d1, d2, d3
        add.w   \a1, \a1, \b1
        add.w   \a2, \a2, \b2
        add.w   \a3, \a3, \b3
        xor     \d1, \d1, \a1
        xor     \d2, \d2, \a2
        xor     \d3, \d3, \a3
        rotri.w \d1, \d1, \n
        rotri.w \d2, \d2, \n
        rotri.w \d3, \d3, \n
        .endm

        /* op w, base, offset: for each of the words */
        .macro  each_free_word op, base, p1, p2, p3, p5, p6, p7, p9, p10, p11, p13, p14, p15
        \op     w1, \base, \p1
        \op     w2, \base, \p2
        \op     w3, \base, \p3
        \op     w5, \base, \p5
        \op     w6, \base, \p6
        \op     w7, \base, \p7
        \op     w9, \base, \p9
        \op     w10, \base, \p10
        \op     w11, \base, \p11
        \op     w13, \base, \p13
        \op     w14, \base, \p14
        \op     w15, \base, \p15
        .endm

        .macro  prepare_free_words state
        each_free_word ld.w, \state, 4, 8, 12, 20, 24, 28, 36, 40, 44, 52, 56, 60
        line_of_three 16, w1, w2, w3, w5, w6, w7, w13, w14, w15
        line_of_three 20, w9, w10, w11, w13, w14, w15, w5, w6, w7
        line_of_three 24, w1, w2, w3, w5, w6, w7, w13, w14, w15
        line_of_three 25, w9, w10, w11, w13, w14, w15, w5, w6, w7
        add.w   w2, w2, w7
        add.w   w1, w1, w6
        xor     w13, w13, w2
        rotri.w w13, w13, 16
        each_free_word st.w, $sp, 0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44
        .endm

        .macro  wipe_free_words
        .irp    at, 0, 8, 16, 24, 32, 40
        st.d    $zero, $sp, \at
        .endr
        .endm

        /* The first double round of a block: load fetches a word that waits, to all lanes; x0_x4 is x0 + x4, and x4, x8 and x12
         * come from `key4`, `key8` and `counter`, which stay. The loads stand where column 0 would wait for itself. */
        .macro  first_double_round load, counter, x0_x4, key4, key8
        XOR     x12, \counter, \x0_x4
        \load   x1, $sp, 0
        ROTR    x12, x12, 16
        \load   x2, $sp, 4
        ADD     x8, \key8, x12
        \load   x3, $sp, 8
        XOR     x4, \key4, x8
        \load   x5, $sp, 12
        ROTR    x4, x4, 20
        \load   x6, $sp, 16
        ADD     x0, \x0_x4, x4
        \load   x7, $sp, 20
        XOR     x12, x12, x0
        \load   x9, $sp, 24
        ROTR    x12, x12, 24
        \load   x10, $sp, 28
        ADD     x8, x8, x12
        \load   x11, $sp, 32
        XOR     x4, x4, x8
        \load   x13, $sp, 36
        ROTR    x4, x4, 25
        \load   x14, $sp, 40
        ADD     x0, x0, x5
        \load   x15, $sp, 44
        XOR     x12, x12, x1
        ADD     x3, x3, x4
        ROTR    x12, x12, 16
        XOR     x15, x15, x0
        XOR     x14, x14, x3
        ROTR    x15, x15, 16
        ROTR    x14, x14, 16
        diagonals_end
        .endm

#endif
