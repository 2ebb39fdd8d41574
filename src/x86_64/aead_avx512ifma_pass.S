/* SPDX-License-Identifier: MIT
 *
 * x86-64, AVX-512 with IFMA: the passes of a whole-message kernel. One pass makes 8, 12, 16, 24 or 32 blocks of
 * keystream in vector registers, and beside them the key block and powers of r, which begin in general registers.
 *
 *     subroutines of aead_avx512ifma.S, called with its frame 8 bytes up; every register is free
 *     qs_aead_avx512ifma_key      the key block alone, and the AD's hash in rax, rbx, r11
 *     qs_aead_avx512ifma_rows8, _rows12, _words16, _words24, _words32
 *
 * reads:  MESSAGE, QUARTER, HAVE_POWERS, LEFT, STATE, whose last row four times in zmm31 too; zeros behind the powers
 * writes: KEYSTREAM, KEY_R, KEY_S; if HAVE_POWERS is 0, powers of r, AD_HASH and LENGTHS_R
 *
 * A vector pass is bound by its latency, 470 cycles, however few blocks it has; the key block in general registers
 * takes half of that. So the first half of the vector rounds runs beside all rounds of the key block, the second half
 * beside the powers of r. Both are loops, one vector double round long: unrolled they would be 60 KB, and slower as
 * soon as lengths vary. To repeat the key block in later passes of a long message costs nothing: there is no version
 * without.
 *
 * Up to 12 blocks stand in rows, 16 as a set, 24 as a set and two groups of rows beside it, 32 as two sets
 * (chacha_avx512.inc): 495, 545, 555, 650 and 735 cycles with all the powers. Tried and lost: 16 and 24 in rows
 * (1 % more); all powers at once after r^9, which fill the queues and keep the rounds out (110 cycles at 8 blocks).
 */
#include "asm.h"
#ifdef QS_X86_64
#include "aead_avx512ifma_key.inc"
#include "chacha_avx512.inc"

        function qs_aead_avx512ifma_key_end
        mov deep(MESSAGE), key_message
        mov M_KEY(key_message), key_words
        add $0x61707865, X0
        add $0x3320646e, X1
        add $0x79622d32, X2
        add $0x6b206574, X3
        add (key_words), X4
        add 4(key_words), X5
        add 8(key_words), X6
        add 12(key_words), X7
        scalar_join %rax, %rbx
        scalar_join %rcx, %rdx
        scalar_join %r8, %r9
        scalar_join %r10, %r11
        mov %r9, deep(KEY_S)
        mov %r11, deep(KEY_S + 8)
        mov $0x0ffffffc0fffffff, r0
        and %rbx, r0
        mov $0x0ffffffc0ffffffc, r1
        and %rdx, r1
        poly_s1 r1, s1, %rsi
        mov r0, deep(KEY_R)
        mov r1, deep(KEY_R + 8)
        mov s1, deep(KEY_R + 16)
        mov r0, h0
        mov r1, h1
        xor %r11d, %r11d
        mov $8, %r14d
        mov deep(QUARTER), %r15d
        ret
        end_function qs_aead_avx512ifma_key_end

/* ---- steps beside the second half of a pass ----------------------------------------------------------------------
 *
 * Each is short, so that it does not keep vector rounds out of the CPU's queues while it waits for the one before, and
 * leaves in next_step where to go on. */

        /* Twice: the next four powers, as words of 64 bits in the places of limbs. */
        function qs_aead_avx512ifma_step_words
        .irp i, 1, 2, 3, 4
        poly_mulx MUL
        poly_settle h0, h1, h2, q
        mov h0, 16 + POWERS_0 + ENTRY(9) - 8 * \i(%rsp, powers_left, 8)
        mov h1, 16 + POWERS_1 + ENTRY(9) - 8 * \i(%rsp, powers_left, 8)
        mov h2, 16 + POWERS_2 + ENTRY(9) - 8 * \i(%rsp, powers_left, 8)
        .endr
        sub $4, powers_left
        jnz 1f
        lea step_hash(%rip), next_step
1:      ret
        end_function qs_aead_avx512ifma_step_words

        /* Limbs of the AD's hash, and of the block of lengths times r. */
        subroutine step_hash
        endbr64
        hash_ad
        poly44_limbs h0, h1, h2
        mov h0, deep(AD_HASH)
        mov h1, deep(AD_HASH + 8)
        mov h2, deep(AD_HASH + 16)
        mov deep(MESSAGE), %r14
        mov M_AD_LEN(%r14), h0
        mov M_LEN(%r14), h1
        mov $1, %r11d
        poly_mulx MUL
        poly_settle h0, h1, h2, q
        poly44_limbs h0, h1, h2
        mov h0, deep(LENGTHS_R)
        mov h1, deep(LENGTHS_R + 8)
        mov h2, deep(LENGTHS_R + 16)
        lea qs_aead_avx512ifma_step_17(%rip), next_step
        ret
        end_function step_hash

#define L0 %zmm24
#define L1 %zmm25
#define L2 %zmm26
#define H0 %zmm27
#define H1 %zmm28
#define H2 %zmm29
#define X %zmm30
#define T %zmm31

        .macro power_store high
        vmovdqa64 L0, deep(POWERS_0 + ENTRY(\high))
        vmovdqa64 L1, deep(POWERS_1 + ENTRY(\high))
        vmovdqa64 L2, deep(POWERS_2 + ENTRY(\high))
        .endm

        /* The second lane, and what to fold with besides. */
        .macro fold_store power, move=vmovhpd
        .ifc \move, vmovhpd
        poly44_s %xmm25, %xmm26, %xmm28, %xmm29, twenty(%rip){1to2}
        .endif
        \move %xmm24, deep(FOLD(\power))
        \move %xmm25, deep(FOLD(\power) + 8)
        \move %xmm26, deep(FOLD(\power) + 16)
        \move %xmm28, deep(FOLD(\power) + 24)
        \move %xmm29, deep(FOLD(\power) + 32)
        .endm

        /* l = x y, where x is each limb in X in turn, and y the same for all lanes */
        .macro power_mul load_x, by
        .irp n, 24, 25, 26, 27, 28, 29
        vpxord %zmm\n, %zmm\n, %zmm\n
        .endr
        \load_x POWERS_0
        power_limb FOLD(\by), FOLD(\by) + 8, FOLD(\by) + 16
        \load_x POWERS_1
        power_limb FOLD(\by) + 32, FOLD(\by), FOLD(\by) + 8
        \load_x POWERS_2
        power_limb FOLD(\by) + 24, FOLD(\by) + 32, FOLD(\by)
        poly44_carry L0, L1, L2, H0, H1, H2, mask44(%rip){1to8}, twenty(%rip){1to8}
        .endm
        .macro power_limb y0, y1, y2
        poly44_limb X, deep(\y0){1to8}, deep(\y1){1to8}, deep(\y2){1to8}, L0, L1, L2, H0, H1, H2
        .endm
        .macro r2_to_r9 limb
        vmovdqa64 deep(\limb + ENTRY(9)), X
        .endm
        .macro r8_and_r16 limb
        vmovq deep(\limb + ENTRY(8)), %xmm30
        vmovhpd deep(\limb + ENTRY(16)), %xmm30, %xmm30
        .endm

        /* From here on in vectors: limbs of r^2 to r^9, and r^10 to r^17. */
        function qs_aead_avx512ifma_step_17
        vmovdqa64 deep(POWERS_0 + ENTRY(9)), H0
        vmovdqa64 deep(POWERS_1 + ENTRY(9)), H1
        vmovdqa64 deep(POWERS_2 + ENTRY(9)), H2
        poly44_split H0, H1, L0, L1, L2, mask44(%rip){1to8}, T
        vpsllq $40, H2, H2
        vporq H2, L2, L2
        power_store 9
        fold_store 8
        lea qs_aead_avx512ifma_step_small(%rip), next_step
        mov deep(LEFT), %rax
        cmp $128, %rax
        jbe 1f
        power_mul r2_to_r9, 8
        power_store 17
        cmp $256, %rax
        jbe 1f
        fold_store 16
        lea step_32(%rip), next_step
1:      ret
        end_function qs_aead_avx512ifma_step_17

        /* r^24 and r^32. */
        subroutine step_32
        endbr64
        power_mul r8_and_r16, 16
        fold_store 32
        fold_store 24, vmovlpd
        xor %r12d, %r12d
        ret
        end_function step_32

/* ---- vector rounds ------------------------------------------------------------------------------------------------
 *
 * A set of 16 blocks, another, and lists of rows a, b, c, d of four blocks: see chacha_avx512.inc. */

#define QUOTED(list...) QUOTED_(list)
#define QUOTED_(list...) #list
#define ROWS_8 0, 1, 2, 3, 4, 5, 6, 7
#define ROWS_12 ROWS_8, 8, 9, 10, 11
#define ROWS_FROM_16 16, 17, 18, 19, 20, 21, 22, 23

        .macro rows_steps number, a, b, c, d, more:vararg
        rows_step \number, \a, \b, \c, \d
        .ifnb \more
        rows_steps \number, \more
        .endif
        .endm
        .macro rows_turns macro, a, b, c, d, more:vararg
        \macro \a, \c, \d
        .ifnb \more
        rows_turns \macro, \more
        .endif
        .endm

        /* A step of columns or diagonals. After the last step the rows turn. */
        .macro vector_step words, number, sets, rows
        .if \sets > 0
        low_\words \number
        .endif
        .if \sets > 1
        high_\words \number
        .endif
        .ifnb \rows
        rows_steps \number, \rows
        .if \number == 4
        .ifc \words, columns
        rows_turns rows_turn, \rows
        .else
        rows_turns rows_turn_back, \rows
        .endif
        .endif
        .endif
        .endm

        /* All rounds of a pass. Steps that are left over use zmm24 to 31. */
        .macro rounds sets, rows, vector_steps=1
        key_begin
        .balign 32
1:      .irp words, columns, diagonals
        vector_step \words, 1, \sets, "\rows"
        key_quarter 0
        vector_step \words, 2, \sets, "\rows"
        key_quarter 1
        vector_step \words, 3, \sets, "\rows"
        key_quarter 2
        vector_step \words, 4, \sets, "\rows"
        key_quarter 3
        .endr
        decl at(LOOPS)
        jnz 1b
        call qs_aead_avx512ifma_key_end
        lea qs_aead_avx512ifma_step_words(%rip), next_step
        cmpl $0, at(HAVE_POWERS)
        je 2f
        xor %r12d, %r12d
        .balign 32
2:      .irp words, columns, diagonals
        .irp number, 1, 2, 3, 4
        vector_step \words, \number, \sets, "\rows"
        .endr
        .endr
        do_step \vector_steps
        dec loops
        jnz 2b
        .endm

/* ---- passes ----------------------------------------------------------------------------------------------------- */

        .macro rows_load numbers, a, b, c, d, more:vararg
        vbroadcasti32x4 sigma(%rip), %zmm\a
        vbroadcasti32x4 (key_words), %zmm\b
        vbroadcasti32x4 16(key_words), %zmm\c
        vpaddd \numbers(%rip), %zmm31, %zmm\d
        .ifnb \more
        rows_load \numbers + 64, \more
        .endif
        .endm

        /* What rows_forward adds. */
        .macro rows_state
        vbroadcasti32x4 at(STATE), %zmm28
        vbroadcasti32x4 at(STATE + 16), %zmm29
        vbroadcasti32x4 at(STATE + 32), %zmm30
        vbroadcasti32x4 at(STATE + 48), %zmm31
        .endm

        .macro rows_store first, numbers, a, b, c, d, more:vararg
        rows_forward \a, \b, \c, \d, \numbers
        rows_transpose \a, \b, \c, \d, 27
        store_blocks \first, \c, 27, \a, \d
        .ifnb \more
        rows_store \first + 4, \numbers + 64, \more
        .endif
        .endm

        .macro store_blocks first, n, more:vararg
        vmovdqa64 %zmm\n, at(KEYSTREAM + 64 * (\first))
        .ifnb \more
        store_blocks \first + 1, \more
        .endif
        .endm

        .macro rows_pass name, rows
        pass \name
        rows_load chacha_row_numbers, \rows
        rounds 0, "\rows"
        steps_left
        rows_state
        rows_store 0, chacha_row_numbers, \rows
        ret
        end_function \name
        .endm
        rows_pass qs_aead_avx512ifma_rows8, QUOTED(ROWS_8)
        rows_pass qs_aead_avx512ifma_rows12, QUOTED(ROWS_12)

        pass qs_aead_avx512ifma_words16
        lea at(STATE), %rdi
        low_load %rdi, 48(%rdi), chacha_numbers
        rounds 1
        steps_left
        lea at(STATE), %rdi
        low_forward %rdi, 48(%rdi), chacha_numbers, 16
        low_transpose 16
        store_blocks 0, LOW_BLOCKS(16)
        ret
        end_function qs_aead_avx512ifma_words16

        pass qs_aead_avx512ifma_words24
        lea at(STATE), %rdi
        low_load %rdi, 48(%rdi), chacha_numbers
        vpaddd sixteen(%rip), %zmm31, %zmm31
        rows_load chacha_row_numbers, ROWS_FROM_16
        rounds 1, QUOTED(ROWS_FROM_16)
        steps_left
        rows_state
        vpaddd sixteen(%rip), %zmm31, %zmm31
        rows_store 16, chacha_row_numbers, ROWS_FROM_16
        lea at(STATE), %rdi
        low_forward %rdi, 48(%rdi), chacha_numbers, 16
        low_transpose 16
        store_blocks 0, LOW_BLOCKS(16)
        ret
        end_function qs_aead_avx512ifma_words24

        /* Steps that need vector registers come between the two sets' ways out. */
        pass qs_aead_avx512ifma_words32
        lea at(STATE), %rdi
        low_load %rdi, 48(%rdi), chacha_numbers
        high_load %rdi, 48(%rdi), chacha_numbers + 64
        rounds 2, , 0
        vmovdqa64 %zmm0, at(KEYSTREAM)
        lea at(STATE), %rdi
        high_forward %rdi, 48(%rdi), chacha_numbers + 64, 0
        high_transpose 0
        store_blocks 16, HIGH_BLOCKS(0)
        vmovdqa64 at(KEYSTREAM), %zmm0
        steps_left
        lea at(STATE), %rdi
        low_forward %rdi, 48(%rdi), chacha_numbers, 16
        low_transpose 16
        store_blocks 0, LOW_BLOCKS(16)
        ret
        end_function qs_aead_avx512ifma_words32

        pass qs_aead_avx512ifma_key
        key_begin
        shll at(LOOPS)
        .balign 32
1:      scalar_double_round
        decl at(LOOPS)
        jnz 1b
        call qs_aead_avx512ifma_key_end
        call hash_of_ad
        ret
        end_function qs_aead_avx512ifma_key

        subroutine hash_of_ad
        hash_ad
        ret
        end_function hash_of_ad

        constants
sixteen:
        .long 16, 0, 0, 0, 16, 0, 0, 0, 16, 0, 0, 0, 16, 0, 0, 0
sigma:  .long 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574 /* "expand 32-byte k" */
mask44: .quad 0xfffffffffff
twenty: .quad 20
#endif
