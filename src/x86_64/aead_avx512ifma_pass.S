/* SPDX-License-Identifier: MIT
 *
 * x86-64, AVX-512 with IFMA: the passes of a whole-message kernel. One pass makes 4, 8, 16, 24 or 32 blocks of keystream
 * in vector registers, and beside them, in general registers, the key block and the powers of r.
 *
 *     subroutines of aead_avx512ifma.S, called with its frame 8 bytes up; every register is free
 *     qs_aead_avx512ifma_key      the key block alone
 *     qs_aead_avx512ifma_rows4    to _rows24, _blocks32
 *
 * reads:  MESSAGE, QUARTER, POWERS_LEFT, COUNTER, STATE_D; the last 8 entries of the powers must be zeros
 * writes: KEYSTREAM, KEY_R, KEY_S; if POWERS_LEFT is not 0, the powers of r
 *
 * One vector pass is bound by its latency, about 500 cycles, however few blocks it has; the key block in general registers
 * takes half of that. So the first half of the vector rounds runs beside all rounds of the key block, the second half
 * beside the powers of r. Both are loops, one vector double round long: unrolled they would be 60 KB, and slower as soon as
 * lengths vary. To repeat the key block in later passes of a long message costs nothing, so there is no other version.
 *
 * Up to 24 blocks stand in rows: a register has one row of the state of four blocks, and turns rows a, c and d between
 * columns and diagonals; not b, which is ready last. Two sets of 16 blocks stand word by word, which takes fewer
 * instructions a block and all registers.
 */
#include "asm.h"
#ifdef QS_X86_64
#include "aead_avx512ifma.h"
#include "poly1305_ifma.inc"
#include "poly1305_scalar.inc"

#define at(offset) 8 + offset(%rsp)
#define deep(offset) 16 + offset(%rsp)

/* ---- the key block in general registers --------------------------------------------------------------------------- */

#define x0 %eax
#define x1 %ebx
#define x2 %ecx
#define x3 %edx
#define x4 %esi
#define x5 %edi
#define x6 %ebp
#define x7 %r8d
#define x8_10 %r9d
#define x9_11 %r10d
#define x12 %r11d
#define x13 %r12d
#define x14 %r13d
#define x15 %r14d
#define loops %r15

        /* a += b; d = (d ^ a) <<< 16; c += d; b = (b ^ c) <<< 12; a += b; d = (d ^ a) <<< 8; c += d; b = (b ^ c) <<< 7 */
        .macro two_quarters a, b, c, d, A, B, C, D
        .irp turn, "16, 12", "8, 7"
        two_halves \turn, \a, \b, \c, \d, \A, \B, \C, \D
        .endr
        .endm
        .macro two_halves m, n, a, b, c, d, A, B, C, D
        add \b, \a
        add \B, \A
        xor \a, \d
        xor \A, \D
        rol $\m, \d
        rol $\m, \D
        add \d, \c
        add \D, \C
        xor \c, \b
        xor \C, \B
        rol $\n, \b
        rol $\n, \B
        .endm

        .macro spill from, to
        mov x8_10, at(SPILL + 4 * \from)
        mov x9_11, at(SPILL + 4 * \from + 4)
        mov at(SPILL + 4 * \to), x8_10
        mov at(SPILL + 4 * \to + 4), x9_11
        .endm

        /* A double round in quarters, so that pieces of vector rounds stand between them. */
        .macro key_1
        two_quarters x0, x4, x8_10, x12, x1, x5, x9_11, x13
        spill 0, 2
        .endm
        .macro key_2
        two_quarters x2, x6, x8_10, x14, x3, x7, x9_11, x15
        .endm
        .macro key_3
        two_quarters x0, x5, x8_10, x15, x1, x6, x9_11, x12
        spill 2, 0
        .endm
        .macro key_4
        two_quarters x2, x7, x8_10, x13, x3, x4, x9_11, x14
        .endm

        .macro key_begin
        mov at(MESSAGE), %r15
        mov M_NONCE(%r15), x13
        mov M_NONCE + 4(%r15), x14
        mov M_NONCE + 8(%r15), x15
        mov M_KEY(%r15), %r15
        mov 24(%r15), x0
        mov 28(%r15), x1
        mov x0, at(SPILL + 8)
        mov x1, at(SPILL + 12)
        mov (%r15), x4
        mov 4(%r15), x5
        mov 8(%r15), x6
        mov 12(%r15), x7
        mov 16(%r15), x8_10
        mov 20(%r15), x9_11
        mov $0x61707865, x0
        mov $0x3320646e, x1
        mov $0x79622d32, x2
        mov $0x6b206574, x3
        xor x12, x12
        mov at(QUARTER), loops
        .endm

/* Words 0 to 7 of the key block, less the state, in x0 to x7. Afterwards: */
#define r0 %r8
#define r1 %r9
#define s1 %r10
#define h0 %rax                         /* r^n, from n = 1 on */
#define h1 %rbx
#define h2 %r11
#define q %rcx
#define t0 %rsi
#define t1 %rdi
#define t2 %rbp
#define powers_left %r14

        subroutine key_end
        mov deep(MESSAGE), %r15
        mov M_KEY(%r15), %r15
        add $0x61707865, x0
        add $0x3320646e, x1
        add $0x79622d32, x2
        add $0x6b206574, x3
        add (%r15), x4
        add 4(%r15), x5
        add 8(%r15), x6
        add 12(%r15), x7
        .irp high, rbx, rdx, rdi, r8
        shl $32, %\high
        .endr
        or %rbx, %rax
        or %rcx, %rdx
        or %rdi, %rsi
        or %rbp, %r8
        mov %rsi, deep(KEY_S)
        mov %r8, deep(KEY_S + 8)
        mov $0x0ffffffc0fffffff, r0
        and %rax, r0
        mov $0x0ffffffc0ffffffc, r1
        and %rdx, r1
        poly_s1 r1, s1, t0
        mov r0, deep(KEY_R)
        mov r1, deep(KEY_R + 8)
        mov s1, deep(KEY_R + 16)
        mov r0, h0
        mov r1, h1
        xor %r11d, %r11d
        mov deep(POWERS_LEFT), powers_left
        mov deep(QUARTER), loops
        ret
        end_function key_end

        /* The next four powers, as words of 64 bits in the places of limbs. */
        subroutine four_powers
        .irp i, 1, 2, 3, 4
        poly_mulx r0, r1, s1, h0, h1, h2, q, t0, t1, t2
        poly_settle h0, h1, h2, q
        mov h0, 16 + POWERS_0 + ENTRY(9) - 8 * \i(%rsp, powers_left, 8)
        mov h1, 16 + POWERS_1 + ENTRY(9) - 8 * \i(%rsp, powers_left, 8)
        mov h2, 16 + POWERS_2 + ENTRY(9) - 8 * \i(%rsp, powers_left, 8)
        .endr
        sub $4, powers_left
        ret
        end_function four_powers

/* ---- more powers, in vectors -------------------------------------------------------------------------------------- */

#define L0 %zmm24
#define L1 %zmm25
#define L2 %zmm26
#define H0 %zmm27
#define H1 %zmm28
#define H2 %zmm29
#define X %zmm30
#define T %zmm31

        .macro power_store entry
        vmovdqa64 L0, deep(POWERS_0 + \entry)
        vmovdqa64 L1, deep(POWERS_1 + \entry)
        vmovdqa64 L2, deep(POWERS_2 + \entry)
        poly44_s L1, L2, H1, H2, twenty(%rip){1to8}
        vmovdqa64 H1, deep(POWERS_1_20 + \entry)
        vmovdqa64 H2, deep(POWERS_2_20 + \entry)
        .endm

        /* Eight powers times one. */
        .macro power_mul from, by
        .irp n, 24, 25, 26, 27, 28, 29
        vpxord %zmm\n, %zmm\n, %zmm\n
        .endr
        power_limb POWERS_0 + \from, POWERS_0 + \by, POWERS_1 + \by, POWERS_2 + \by
        power_limb POWERS_1 + \from, POWERS_2_20 + \by, POWERS_0 + \by, POWERS_1 + \by
        power_limb POWERS_2 + \from, POWERS_1_20 + \by, POWERS_2_20 + \by, POWERS_0 + \by
        poly44_carry L0, L1, L2, H0, H1, H2, mask44(%rip){1to8}, twenty(%rip){1to8}
        .endm
        .macro power_limb x, y0, y1, y2
        vmovdqa64 deep(\x), X
        poly44_limb X, deep(\y0){1to8}, deep(\y1){1to8}, deep(\y2){1to8}, L0, L1, L2, H0, H1, H2
        .endm

        subroutine more_powers
        vmovdqa64 deep(POWERS_0 + ENTRY(9)), H0
        vmovdqa64 deep(POWERS_1 + ENTRY(9)), H1
        vmovdqa64 deep(POWERS_2 + ENTRY(9)), H2
        poly44_split H0, H1, L0, L1, L2, mask44(%rip){1to8}, T
        vpsllq $40, H2, H2
        vporq H2, L2, L2
        power_store ENTRY(9)
        power_mul ENTRY(9), ENTRY(8)
        power_store ENTRY(17)
        cmpq $256, deep(LEFT)
        jbe 1f
        power_mul ENTRY(9), ENTRY(16)
        power_store ENTRY(25)
        power_mul ENTRY(17), ENTRY(16)
        power_store ENTRY(33)
        cmpq $512, deep(LEFT)
        jbe 1f
        power_mul ENTRY(25), ENTRY(16)
        power_store ENTRY(41)
1:      ret
        end_function more_powers

/* ---- vector rounds ------------------------------------------------------------------------------------------------
 *
 * Lists of quarter rounds a, b, c, d by register number: rows of four blocks, or words of 16. */

#define QUOTED(list...) QUOTED_(list)
#define QUOTED_(list...) #list
#define ROWS_4 0, 1, 2, 3
#define ROWS_8 ROWS_4, 4, 5, 6, 7
#define ROWS_16 ROWS_8, 8, 9, 10, 11, 12, 13, 14, 15
#define ROWS_24 ROWS_16, 16, 17, 18, 19, 20, 21, 22, 23
#define COLUMNS_32 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, \
                   16, 20, 24, 28, 17, 21, 25, 29, 18, 22, 26, 30, 19, 23, 27, 31
#define DIAGONALS_32 0, 5, 10, 15, 1, 6, 11, 12, 2, 7, 8, 13, 3, 4, 9, 14, \
                     16, 21, 26, 31, 17, 22, 27, 28, 18, 23, 24, 29, 19, 20, 25, 30

        .macro add_ab turn, a, b, c, d, more:vararg
        vpaddd %zmm\b, %zmm\a, %zmm\a
        vpxord %zmm\a, %zmm\d, %zmm\d
        vprold $\turn, %zmm\d, %zmm\d
        .ifnb \more
        add_ab \turn, \more
        .endif
        .endm

        .macro add_cd turn, a, b, c, d, more:vararg
        vpaddd %zmm\d, %zmm\c, %zmm\c
        vpxord %zmm\c, %zmm\b, %zmm\b
        vprold $\turn, %zmm\b, %zmm\b
        .ifnb \more
        add_cd \turn, \more
        .endif
        .endm

        /* Row a turns by one word, d by two and c by three. */
        .macro turn_rows order_a, order_c, a, b, c, d, more:vararg
        vpshufd $\order_a, %zmm\a, %zmm\a
        vpshufd $\order_c, %zmm\c, %zmm\c
        vpshufd $0x4e, %zmm\d, %zmm\d
        .ifnb \more
        turn_rows \order_a, \order_c, \more
        .endif
        .endm

        .macro to_diagonals rows:vararg
        .ifnb \rows
        turn_rows 0x93, 0x39, \rows
        .endif
        .endm
        .macro to_columns rows:vararg
        .ifnb \rows
        turn_rows 0x39, 0x93, \rows
        .endif
        .endm

        /* All rounds of a pass. POWERS names the subroutine for the powers above r^9, if it may run before the end. */
        .macro rounds columns, diagonals, rows, powers
        key_begin
        .balign 32
1:      add_ab 16, \columns
        key_1
        add_cd 12, \columns
        key_2
        add_ab 8, \columns
        key_3
        add_cd 7, \columns
        to_diagonals \rows
        key_4
        add_ab 16, \diagonals
        key_1
        add_cd 12, \diagonals
        key_2
        add_ab 8, \diagonals
        key_3
        add_cd 7, \diagonals
        to_columns \rows
        key_4
        dec loops
        jnz 1b
        call key_end
        .balign 32
2:      add_ab 16, \columns
        add_cd 12, \columns
        add_ab 8, \columns
        add_cd 7, \columns
        to_diagonals \rows
        add_ab 16, \diagonals
        add_cd 12, \diagonals
        add_ab 8, \diagonals
        add_cd 7, \diagonals
        to_columns \rows
        test powers_left, powers_left
        jz 3f
        call four_powers
        .ifnb \powers
        test powers_left, powers_left
        jnz 3f
        call \powers
        .endif
3:      dec loops
        jnz 2b
        .endm

/* ---- four blocks in rows ------------------------------------------------------------------------------------------ */

        .macro rows_load first, a, b, c, d, more:vararg
        vbroadcasti32x4 sigma(%rip), %zmm\a
        vbroadcasti32x4 (%r15), %zmm\b
        vbroadcasti32x4 16(%r15), %zmm\c
        vmovdqa64 at(STATE_D), %zmm\d
        vpaddd row_counters + 16 * (\first)(%rip), %zmm\d, %zmm\d
        .ifnb \more
        rows_load \first + 4, \more
        .endif
        .endm

        /* The state is added, and rows become blocks. */
        .macro rows_store first, a, b, c, d, more:vararg
        vpaddd %zmm24, %zmm\a, %zmm\a
        vpaddd %zmm25, %zmm\b, %zmm\b
        vpaddd %zmm26, %zmm\c, %zmm\c
        vpaddd %zmm27, %zmm\d, %zmm\d
        vpaddd row_counters + 16 * (\first)(%rip), %zmm\d, %zmm\d
        four_blocks \a, \b, \c, \d, 28, 29, \first, 1
        .ifnb \more
        rows_store \first + 4, \more
        .endif
        .endm

        /* Lane i of 128 bits of a, b, c and d becomes block first + i * step. t and u are free. */
        .macro four_blocks a, b, c, d, t, u, first, step
        vshufi32x4 $0x44, %zmm\b, %zmm\a, %zmm\t
        vshufi32x4 $0xee, %zmm\b, %zmm\a, %zmm\a
        vshufi32x4 $0x44, %zmm\d, %zmm\c, %zmm\u
        vshufi32x4 $0xee, %zmm\d, %zmm\c, %zmm\c
        vshufi32x4 $0x88, %zmm\u, %zmm\t, %zmm\b
        vmovdqa64 %zmm\b, at(KEYSTREAM + 64 * (\first))
        vshufi32x4 $0xdd, %zmm\u, %zmm\t, %zmm\d
        vmovdqa64 %zmm\d, at(KEYSTREAM + 64 * (\first + \step))
        vshufi32x4 $0x88, %zmm\c, %zmm\a, %zmm\t
        vmovdqa64 %zmm\t, at(KEYSTREAM + 64 * (\first + 2 * \step))
        vshufi32x4 $0xdd, %zmm\c, %zmm\a, %zmm\u
        vmovdqa64 %zmm\u, at(KEYSTREAM + 64 * (\first + 3 * \step))
        .endm

        .macro rows_pass name, rows
        function \name
        mov at(MESSAGE), %r15
        mov M_KEY(%r15), %r15
        rows_load 0, \rows
        rounds "\rows", "\rows", "\rows", more_powers
        mov at(MESSAGE), %r15
        mov M_KEY(%r15), %r15
        vbroadcasti32x4 sigma(%rip), %zmm24
        vbroadcasti32x4 (%r15), %zmm25
        vbroadcasti32x4 16(%r15), %zmm26
        vmovdqa64 at(STATE_D), %zmm27
        rows_store 0, \rows
        ret
        end_function \name
        .endm

        rows_pass qs_aead_avx512ifma_rows4, QUOTED(ROWS_4)
        rows_pass qs_aead_avx512ifma_rows8, QUOTED(ROWS_8)
        rows_pass qs_aead_avx512ifma_rows16, QUOTED(ROWS_16)
        rows_pass qs_aead_avx512ifma_rows24, QUOTED(ROWS_24)

/* ---- two sets of 16 blocks, word by word -------------------------------------------------------------------------- */

        .macro words_load counters, w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15
        vpbroadcastd sigma(%rip), %zmm\w0
        vpbroadcastd sigma + 4(%rip), %zmm\w1
        vpbroadcastd sigma + 8(%rip), %zmm\w2
        vpbroadcastd sigma + 12(%rip), %zmm\w3
        vpbroadcastd (%rdi), %zmm\w4
        vpbroadcastd 4(%rdi), %zmm\w5
        vpbroadcastd 8(%rdi), %zmm\w6
        vpbroadcastd 12(%rdi), %zmm\w7
        vpbroadcastd 16(%rdi), %zmm\w8
        vpbroadcastd 20(%rdi), %zmm\w9
        vpbroadcastd 24(%rdi), %zmm\w10
        vpbroadcastd 28(%rdi), %zmm\w11
        vpbroadcastd at(COUNTER), %zmm\w12
        vpaddd \counters(%rip), %zmm\w12, %zmm\w12
        vpbroadcastd M_NONCE(%rsi), %zmm\w13
        vpbroadcastd M_NONCE + 4(%rsi), %zmm\w14
        vpbroadcastd M_NONCE + 8(%rsi), %zmm\w15
        .endm

        .macro words_add counters, w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15
        vpaddd sigma(%rip){1to16}, %zmm\w0, %zmm\w0
        vpaddd sigma + 4(%rip){1to16}, %zmm\w1, %zmm\w1
        vpaddd sigma + 8(%rip){1to16}, %zmm\w2, %zmm\w2
        vpaddd sigma + 12(%rip){1to16}, %zmm\w3, %zmm\w3
        vpaddd (%rdi){1to16}, %zmm\w4, %zmm\w4
        vpaddd 4(%rdi){1to16}, %zmm\w5, %zmm\w5
        vpaddd 8(%rdi){1to16}, %zmm\w6, %zmm\w6
        vpaddd 12(%rdi){1to16}, %zmm\w7, %zmm\w7
        vpaddd 16(%rdi){1to16}, %zmm\w8, %zmm\w8
        vpaddd 20(%rdi){1to16}, %zmm\w9, %zmm\w9
        vpaddd 24(%rdi){1to16}, %zmm\w10, %zmm\w10
        vpaddd 28(%rdi){1to16}, %zmm\w11, %zmm\w11
        vpaddd at(COUNTER){1to16}, %zmm\w12, %zmm\w12
        vpaddd \counters(%rip), %zmm\w12, %zmm\w12
        vpaddd M_NONCE(%rsi){1to16}, %zmm\w13, %zmm\w13
        vpaddd M_NONCE + 4(%rsi){1to16}, %zmm\w14, %zmm\w14
        vpaddd M_NONCE + 8(%rsi){1to16}, %zmm\w15, %zmm\w15
        .endm

        /* Words a to d of 16 blocks become these words of blocks 4 i, 4 i + 1, ... in lane i of 128 bits: in this order in
         * b, d, t and a. c and u are free then. */
        .macro four_words a, b, c, d, t, u
        vpunpckldq %zmm\b, %zmm\a, %zmm\t
        vpunpckhdq %zmm\b, %zmm\a, %zmm\a
        vpunpckldq %zmm\d, %zmm\c, %zmm\u
        vpunpckhdq %zmm\d, %zmm\c, %zmm\c
        vpunpcklqdq %zmm\u, %zmm\t, %zmm\b
        vpunpckhqdq %zmm\u, %zmm\t, %zmm\d
        vpunpcklqdq %zmm\c, %zmm\a, %zmm\t
        vpunpckhqdq %zmm\c, %zmm\a, %zmm\a
        .endm

        .macro words_store first, w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15, t, u
        four_words \w0, \w1, \w2, \w3, \t, \u
        four_words \w4, \w5, \w6, \w7, \w2, \u
        four_words \w8, \w9, \w10, \w11, \w6, \u
        four_words \w12, \w13, \w14, \w15, \w10, \u
        four_blocks \w1, \w5, \w9, \w13, \w14, \u, \first, 4
        four_blocks \w3, \w7, \w11, \w15, \w14, \u, \first + 1, 4
        four_blocks \t, \w2, \w6, \w10, \w14, \u, \first + 2, 4
        four_blocks \w0, \w4, \w8, \w12, \w14, \u, \first + 3, 4
        .endm

#define SET_A 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define SET_B 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31

        function qs_aead_avx512ifma_blocks32
        mov at(MESSAGE), %rsi
        mov M_KEY(%rsi), %rdi
        words_load counters, SET_A
        words_load counters + 64, SET_B
        rounds QUOTED(COLUMNS_32), QUOTED(DIAGONALS_32)
        mov at(MESSAGE), %rsi
        mov M_KEY(%rsi), %rdi
        words_add counters, SET_A
        words_add counters + 64, SET_B
        vmovdqa64 %zmm0, at(KEYSTREAM)
        vmovdqa64 %zmm1, at(KEYSTREAM + 64)
        words_store 16, SET_B, 0, 1
        vmovdqa64 at(KEYSTREAM), %zmm0
        vmovdqa64 at(KEYSTREAM + 64), %zmm1
        cmpq $0, at(POWERS_LEFT)
        je 1f
        call more_powers
1:      words_store 0, SET_A, 16, 17
        ret
        end_function qs_aead_avx512ifma_blocks32

        function qs_aead_avx512ifma_key
        key_begin
        add loops, loops
        .balign 32
1:      key_1
        key_2
        key_3
        key_4
        dec loops
        jnz 1b
        call key_end
        ret
        end_function qs_aead_avx512ifma_key

        constants
counters:
        .long 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        .long 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
row_counters:
        .irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23
        .long \i, 0, 0, 0
        .endr
sigma:  .long 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574 /* "expand 32-byte k" */
mask44: .quad 0xfffffffffff
twenty: .quad 20
#endif
