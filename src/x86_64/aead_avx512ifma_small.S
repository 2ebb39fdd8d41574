/* SPDX-License-Identifier: MIT
 *
 * x86-64, AVX-512 with IFMA: whole messages of 1 to 256 bytes.
 *
 *     subroutine of aead_avx512ifma.S, called with its frame 8 bytes up; every register is free
 *     qs_aead_avx512ifma_small        seals or opens; ebx is the result
 *
 * reads: MESSAGE, QUARTER, SEALING, IN, OUT, LEFT, STATE, whose last row four times in zmm31 too
 *
 * Keystream and text stay in registers. What does not depend on the keystream is made ready beside the rounds: text,
 * masks, powers of r, and where the message is opened its tag.
 *
 * One group of rows is a chain of 240 additions, XORs and rotations. What a vector addition or XOR gives can be used
 * one cycle later on most CPUs; on Zen 5 two cycles later, where the instruction that wants it waits for it in the
 * CPU's queues already. So three vector rounds go beside two double rounds of the key block, whose latency then decides
 * how fast instructions come: these rounds take 17 cycles each, those that come as fast as they can 24. Two groups of
 * rows cannot have that. With three rounds for every two double rounds it is not fixed in the loop which way the rows
 * turn next, so that is in memory.
 *
 * What has been sealed up to 64 bytes, and what is opened up to 192, wants no power of r but r: products in a row, 12
 * cycles each. That takes no longer than eight blocks in lanes and the sum of these, and nothing has to be made ready
 * for it. 40 bytes are sealed in 455 cycles, opened in 391; with ten rounds beside ten of the key block, and powers, it
 * was 559 and 513. Tried and lost: the same for 65 to 128 bytes that are sealed, up to 8 % more.
 */
#include "asm.h"
#ifdef QS_X86_64
#include "chacha_avx512.inc"
#include "aead_avx512ifma.inc"

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

        /* One of the four steps of a round; a, c: which way these rows turn at its end. */
        .macro step number, a, c
        rows_step \number, 0, 1, 2, 3
        .if \number == 4
        vpshufb \a, %zmm0, %zmm0
        vpshufd $0x4e, %zmm3, %zmm3
        vpshufb \c, %zmm2, %zmm2
        .endif
        .endm

        .macro odd number
        step \number, at(TURN_A), at(TURN_C)
        .endm
        .macro even number
        step \number, at(TURN_C), at(TURN_A)
        .endm

        /* After an odd number of rounds. */
        .macro other_way
        vmovdqa64 at(TURN_A), %zmm4
        vmovdqa64 at(TURN_C), %zmm5
        vmovdqa64 %zmm4, at(TURN_C)
        vmovdqa64 %zmm5, at(TURN_A)
        .endm

        /* h hashed on over the lengths of the message in r14. */
        .macro hash_lengths
        poly_absorb M_AD_LEN(%r14), M_LEN(%r14), $1, h0, h1, h2, q
        poly_mulx MUL
        poly_settle h0, h1, h2, q
        .endm

        pass qs_aead_avx512ifma_small
        vbroadcasti32x4 sigma(%rip), %zmm0
        vbroadcasti32x4 (key_words), %zmm1
        vbroadcasti32x4 16(key_words), %zmm2
        vpaddd chacha_row_numbers(%rip), %zmm31, %zmm3
        vbroadcasti32x4 to_diagonals(%rip), %zmm4
        vbroadcasti32x4 to_columns(%rip), %zmm5
        vmovdqa64 %zmm4, at(TURN_A)
        vmovdqa64 %zmm5, at(TURN_C)
        key_begin
        .balign 32
1:      odd 1
        key_quarter 0
        odd 2
        odd 3
        key_quarter 1
        odd 4
        key_quarter 2
        even 1
        even 2
        key_quarter 3
        even 3
        key_quarter 0
        even 4
        odd 1
        key_quarter 1
        odd 2
        key_quarter 2
        odd 3
        odd 4
        key_quarter 3
        other_way
        decl at(LOOPS)
        jnz 1b
        call qs_aead_avx512ifma_key_end
        mov $64, %esi
        mov $192, %edx
        cmpl $0, at(SEALING)
        cmovne %esi, %edx
        lea step_ad(%rip), next_step
        cmp %rdx, at(LEFT)
        lea qs_aead_avx512ifma_step_words(%rip), %rdx
        cmova %rdx, next_step
        .balign 32
2:      .irp number, 1, 2, 3, 4
        odd \number
        .endr
        other_way
        do_step
        dec loops
        jnz 2b
        steps_left
        mov at(MESSAGE), %r14
        mov at(OUT), %r12
        mov at(LEFT), %r13
        cmp $64, %r13
        jbe one

/* ---- 65 to 256 bytes --------------------------------------------------------------------------------------------- */

        /* The sum of all, where text, powers and r13, the length, are as step_small leaves them. */
        .macro small_sum lengths
        begin_sum \lengths
        mac_first
        cmp $128, %r13
        jbe 5f
        mac_second
5:
        .endm

        /* x ^= stream, and out */
        .macro small_xor x, stream, mask, offset, zeroing
        vpxord %zmm\stream, %zmm\x, %zmm\x
        .ifnb \zeroing
        vmovdqu8 %zmm\x, %zmm\x{\mask}{z}
        .endif
        vmovdqu8 %zmm\x, \offset(%r12){\mask}
        .endm

        vbroadcasti32x4 at(STATE), %zmm4
        vbroadcasti32x4 at(STATE + 16), %zmm5
        vbroadcasti32x4 at(STATE + 32), %zmm6
        vbroadcasti32x4 at(STATE + 48), %zmm7
        vpaddd %zmm4, %zmm0, %zmm0
        vpaddd %zmm5, %zmm1, %zmm1
        vpaddd %zmm6, %zmm2, %zmm2
        vpaddd chacha_row_numbers(%rip), %zmm7, %zmm7
        vpaddd %zmm7, %zmm3, %zmm3
        rows_transpose 0, 1, 2, 3, 8            /* the blocks are in zmm2, 8, 0 and 3 */
        cmpl $0, at(SEALING)
        je 1f
        small_xor 28, 2, %k4, 0, 1
        small_xor 29, 8, %k5, 64, 1
        small_xor 30, 0, %k6, 128, 1
        small_xor 31, 3, %k7, 192, 1
        small_sum at(LENGTHS_R)
        tag_of_sum at(KEY_S)
        jmp put_tag
1:      tag_of_hash at(KEY_S)
        call compare
        jne 2f
        small_xor 28, 2, %k4, 0
        small_xor 29, 8, %k5, 64
        small_xor 30, 0, %k6, 128
        small_xor 31, 3, %k7, 192
2:      ret

/* ---- 1 to 64 bytes ----------------------------------------------------------------------------------------------- */

        /* The first lane of each row is what is wanted. */
one:    vpaddd at(STATE), %xmm0, %xmm0
        vpaddd at(STATE + 16), %xmm1, %xmm1
        vpaddd at(STATE + 32), %xmm2, %xmm2
        vpaddd at(STATE + 48), %xmm3, %xmm3
        vinserti128 $1, %xmm1, %ymm0, %ymm1
        vinserti128 $1, %xmm3, %ymm2, %ymm2
        vinserti64x4 $1, %ymm2, %zmm1, %zmm1
        cmpl $0, at(SEALING)
        je 1f
        vpternlogd $0x28, %zmm29, %zmm28, %zmm1 /* (keystream ^ text) & mask */
        vpternlogd $0x28, %xmm29, %xmm28, %xmm0 /* the first block is sooner ready by itself */
        vmovdqa64 %zmm1, at(BLOCKS)
        vmovdqu8 %zmm1, (%r12){%k4}
        lea at(BLOCKS + 16), %r12
        vmovq %xmm0, %rsi
        vpextrq $1, %xmm0, %rdi
        xor %ecx, %ecx
        poly_absorb %rsi, %rdi, $1, h0, h1, h2, q
        poly_mulx MUL
        sub $16, %r13
        jbe 5f
4:      poly_absorb (%r12), 8(%r12), $1, h0, h1, h2, q
        poly_mulx MUL
        add $16, %r12
        sub $16, %r13
        ja 4b
5:      hash_lengths
        tag_of_hash at(KEY_S)
put_tag:
        mov M_TAG(%r14), %rcx
        mov h0, (%rcx)
        mov h1, 8(%rcx)
        xor %ebx, %ebx
        ret

1:      tag_of_hash at(KEY_S)
        call compare
        jne 2f
        vpxord %zmm28, %zmm1, %zmm1
        vmovdqu8 %zmm1, (%r12){%k4}
2:      ret
        end_function qs_aead_avx512ifma_small

        /* Is h another tag than the message's, in r14? The result so far, and "not equal". */
        subroutine compare
        mov M_TAG(%r14), %rcx
        xor (%rcx), h0
        xor 8(%rcx), h1
        or h0, h1
        mov $ERR_AUTH, %ecx
        mov $0, %ebx
        cmovnz %ecx, %ebx
        ret
        end_function compare

/* ---- steps beside the rest of the rounds ------------------------------------------------------------------------- */

        /* The text in zmm28 to 31, and in k4 to k7 which bytes of each 64 there are. */
        .macro load_message
        mov deep(LEFT), %rcx
        mov $-1, %rax
        mov $64, %edi
        xor %ebp, %ebp
        .irp i, 4, 5, 6, 7
        cmp %rdi, %rcx
        mov %rcx, %rdx
        cmova %rdi, %rdx
        bzhi %rdx, %rax, %rdx
        kmovq %rdx, %k\i
        sub %rdi, %rcx
        cmovb %rbp, %rcx
        .endr
        mov deep(IN), text
        vmovdqu8 (text), %zmm28{%k4}{z}
        vmovdqu8 64(text), %zmm29{%k5}{z}
        vmovdqu8 128(text), %zmm30{%k6}{z}
        vmovdqu8 192(text), %zmm31{%k7}{z}
        .endm

        /* Without powers: the text, and the AD's hash. Up to 64 bytes zmm29 is a mask, too. */
        subroutine step_ad
        endbr64
        mov deep(LEFT), %rdx
        cmp $64, %rdx
        ja 3f
        mov $-1, %rax
        bzhi %rdx, %rax, %rax
        kmovq %rax, %k4
        mov deep(IN), text
        vmovdqu8 (text), %zmm28{%k4}{z}
        vpmovm2b %k4, %zmm29
        jmp 4f
3:      load_message
        vmovdqa64 %zmm29, deep(OPENED + 64)
        vmovdqa64 %zmm30, deep(OPENED + 128)
        vmovdqa64 %zmm31, deep(OPENED + 192)
4:      hash_ad
        xor %r12d, %r12d
        cmpl $0, deep(SEALING)
        jne 5f
        vmovdqa64 %zmm28, deep(OPENED)
        lea deep(OPENED), %r14
        mov deep(LEFT), %r13
        xor %ecx, %ecx
        lea step_text(%rip), next_step
5:      ret
        end_function step_ad

        /* The next two blocks of what is opened, h + q; after the last one the lengths. */
        subroutine step_text
        endbr64
        poly_absorb (%r14), 8(%r14), $1, h0, h1, h2, q
        poly_mulx MUL
        sub $16, %r13
        jbe 1f
        poly_absorb 16(%r14), 24(%r14), $1, h0, h1, h2, q
        poly_mulx MUL
        add $32, %r14
        sub $16, %r13
        jbe 1f
        ret
1:      mov deep(MESSAGE), %r14
        xor %r12d, %r12d
        hash_lengths
        ret
        end_function step_text

        /* The last one with powers: what sealing wants, or the hash of what is opened. */
        function qs_aead_avx512ifma_step_small
        load_message
        mov deep(LEFT), %r13
        load_constants
        vmovq deep(AD_HASH), %xmm24
        vmovq deep(AD_HASH + 8), %xmm25
        vmovq deep(AD_HASH + 16), %xmm26
        lea 15(%r13), %eax
        shr $4, %eax
        neg %rax
        lea 16 + POWERS + ZEROS(%rsp, %rax, 8), powers
        xor %r12d, %r12d                        /* no further step */
        cmpl $0, deep(SEALING)
        jne 1f
        small_sum deep(LENGTHS_R)
        hash_of_sum
1:      ret
        end_function qs_aead_avx512ifma_step_small

        constants
sigma:  .long 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574 /* "expand 32-byte k" */
to_diagonals:
        .byte 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
to_columns:
        .byte 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3
        .balign 64
even:   .quad 0, 2, 4, 6, 8, 10, 12, 14
odd:    .quad 1, 3, 5, 7, 9, 11, 13, 15
mask44: .quad 0xfffffffffff
twenty: .quad 20
pad:    .quad 0x10000000000
#endif
