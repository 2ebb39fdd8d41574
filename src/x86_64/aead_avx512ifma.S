/* SPDX-License-Identifier: MIT
 *
 * x86-64, AVX-512 with IFMA: whole messages.
 *
 *     void qs_seal_message_avx512ifma(const struct qs_message *m)
 *     qs_status qs_open_message_avx512ifma(const struct qs_message *m)
 *
 * AVX-512 F, VL, BW, DQ and IFMA; BMI2.
 *
 * A pass (aead_avx512ifma_pass.S) makes the keystream of up to 2 KiB, and beside it the key block and the powers of r.
 * Then the text is XORed, and its MAC taken with eight blocks in the lanes. Opening takes the MAC first, over all of the
 * text, while the keystream of the first 2 KiB waits in the frame.
 *
 * The MAC of n blocks, then the block of lengths, which needs r alone, is the sum of block i (from 0) times r^(n + 1 - i).
 * Groups of four vectors (32 blocks) are summed by Horner's rule with r^32: their sum A stands for something to be added to
 * the next vector, lane by lane. The last one to four vectors take to each lane the power that it needs, so it does not
 * matter where the text ends. The AD's hash is added to block 0; the lengths' part to the sum of the lanes.
 */
#include "asm.h"
#ifdef QS_X86_64
#include "aead_avx512ifma.h"
#include "poly1305_ifma.inc"
#include "poly1305_scalar.inc"

#define L0 %zmm0
#define L1 %zmm1
#define L2 %zmm2
#define H0 %zmm3
#define H1 %zmm4
#define H2 %zmm5
#define X0 %zmm6
#define X1 %zmm7
#define X2 %zmm8
#define P0 %zmm9
#define P1 %zmm10
#define P2 %zmm11
#define P1_20 %zmm12
#define P2_20 %zmm13
#define LOW %zmm14
#define HIGH %zmm15
#define A0 %zmm16
#define A1 %zmm17
#define A2 %zmm18
#define MASK44 %zmm19
#define TWENTY %zmm20
#define PAD %zmm21
#define EVEN %zmm22
#define ODD %zmm23
#define SUM L0, L1, L2, H0, H1, H2

#define at(offset) 8 + offset(%rsp)
#define text %rsi
#define powers %rdi

/* r = r0 + r1 2^64 and a hash in general registers: see poly1305_scalar.inc */
#define r0 %r8
#define r1 %r9
#define s1 %r10
#define h0 %rax
#define h1 %rbx
#define h2 %r11
#define q %rcx
#define MUL r0, r1, s1, h0, h1, h2, q, %rsi, %rdi, %rbp

/* ---- vectors of eight blocks -------------------------------------------------------------------------------------- */

        /* The words of eight blocks, from two registers or a register and memory, become limbs X. */
        .macro limbs_of_text
        poly44_split LOW, HIGH, X0, X1, X2, MASK44, P0
        vpaddq PAD, X2, X2
        .endm

        .macro load_text offset=0
        vmovdqu64 \offset(text), LOW
        vmovdqa64 LOW, HIGH
        vpermt2q 64 + \offset(text), EVEN, LOW
        vpermt2q 64 + \offset(text), ODD, HIGH
        limbs_of_text
        .endm

        /* powers: each lane its own; power: one for all */
        .macro load_powers
        vmovdqu64 (powers), P0
        vmovdqu64 LIMB(powers), P1
        vmovdqu64 2 * LIMB(powers), P2
        vmovdqu64 3 * LIMB(powers), P1_20
        vmovdqu64 4 * LIMB(powers), P2_20
        .endm
        .macro load_power n
        vpbroadcastq at(POWERS_0 + ENTRY(\n)), P0
        vpbroadcastq at(POWERS_1 + ENTRY(\n)), P1
        vpbroadcastq at(POWERS_2 + ENTRY(\n)), P2
        vpbroadcastq at(POWERS_1_20 + ENTRY(\n)), P1_20
        vpbroadcastq at(POWERS_2_20 + ENTRY(\n)), P2_20
        .endm

        .macro add_hash
        vpaddq A0, X0, X0
        vpaddq A1, X1, X1
        vpaddq A2, X2, X2
        .endm

        .macro clear_sum
        .irp n, 0, 1, 2, 3, 4, 5
        vpxord %zmm\n, %zmm\n, %zmm\n
        .endr
        .endm

        .macro mul_add
        poly44_mul X0, X1, X2, P0, P1, P2, P1_20, P2_20, SUM
        .endm

        /* Words of 64 bits in xmm6 to 8 become limbs in the first lane. xmm9 is used. */
        .macro limbs_of_hash x0, x1, x2
        poly44_split %xmm6, %xmm7, %xmm\x0, %xmm\x1, %xmm\x2, %xmm19, %xmm9
        vpsllq $40, %xmm8, %xmm8
        vporq %xmm8, %xmm\x2, %xmm\x2
        .endm

        .macro load_constants
        vpbroadcastq mask44(%rip), MASK44
        vpbroadcastq twenty(%rip), TWENTY
        vpbroadcastq pad(%rip), PAD
        vmovdqa64 even(%rip), EVEN
        vmovdqa64 odd(%rip), ODD
        .endm

/* ---- both functions ----------------------------------------------------------------------------------------------- */


        function qs_open_message_avx512ifma
        xor %eax, %eax
        jmp message
        end_function qs_open_message_avx512ifma

        function qs_seal_message_avx512ifma
        mov $1, %eax
        jmp message
        end_function qs_seal_message_avx512ifma

        subroutine message
        .irp reg, rbx, rbp, r12, r13, r14, r15
        save \reg
        .endr
        mov %rsp, %rcx
        .cfi_def_cfa_register rcx
        sub $FRAME, %rsp
        and $-64, %rsp
        /* the CFA is what lies at CALLER, + 56: rbp is one of the pass's registers */
        mov %rcx, CALLER(%rsp)
        .cfi_escape 0x0f, 5, 0x77, CALLER, 0x06, 0x23, 56
        mov %rdi, MESSAGE(%rsp)
        mov %eax, SEALING(%rsp)
        mov M_ROUNDS(%rdi), %edx
        shr $2, %edx
        mov %rdx, QUARTER(%rsp)
        mov M_LEN(%rdi), %rcx
        mov %rcx, LEFT(%rsp)
        test %rcx, %rcx
        jz no_text

        mov M_IN(%rdi), %rax
        mov M_OUT(%rdi), %rdx
        mov %rax, IN(%rsp)
        mov %rdx, OUT(%rsp)
        movq $8, POWERS_LEFT(%rsp)
        movl $1, COUNTER(%rsp)
        mov $0x2222, %eax
        kmovw %eax, %k1
        add %eax, %eax
        kmovw %eax, %k2
        add %eax, %eax
        kmovw %eax, %k3
        vpbroadcastd M_NONCE(%rdi), %zmm0{%k1}{z}
        vpbroadcastd M_NONCE + 4(%rdi), %zmm0{%k2}
        vpbroadcastd M_NONCE + 8(%rdi), %zmm0{%k3}
        vpaddd first_counter(%rip), %zmm0, %zmm0
        vmovdqa64 %zmm0, STATE_D(%rsp)
        vpxord %zmm1, %zmm1, %zmm1
        .irp limb, POWERS_0, POWERS_1, POWERS_2, POWERS_1_20, POWERS_2_20
        vmovdqa64 %zmm1, \limb + ZEROS(%rsp)
        .endr
        call pass

        /* A = the AD's hash, for block 0; and the block of lengths times r. */
        mov MESSAGE(%rsp), %r14
        call hash_ad
        vmovq h0, %xmm6
        vmovq h1, %xmm7
        vmovq h2, %xmm8
        mov M_AD_LEN(%r14), h0
        mov M_LEN(%r14), h1
        mov $1, %r11d
        poly_mulx MUL
        poly_settle h0, h1, h2, q
        mov h0, LENGTHS_R(%rsp)
        mov h1, LENGTHS_R + 8(%rsp)
        mov h2, LENGTHS_R + 16(%rsp)
        load_constants
        limbs_of_hash 16, 17, 18

        mov LEFT(%rsp), %rcx
        mov %rcx, MAC_LEFT(%rsp)
        cmpl $0, SEALING(%rsp)
        jne seal

/* ---- opening ------------------------------------------------------------------------------------------------------ */

        mov IN(%rsp), text
        mov text, MAC_TEXT(%rsp)
        mov $-1, %rdx
        call groups
        call last_part
        mov MESSAGE(%rsp), %r14
        mov M_TAG(%r14), %rcx
        xor (%rcx), h0
        xor 8(%rcx), h1
        or h0, h1
        mov $ERR_AUTH, %ebx
        jnz done
1:      call xor_text
        cmpq $2048, LEFT(%rsp)
        jbe good
        call next_pass
        movq $2048, USED(%rsp)
        jmp 1b

/* ---- sealing ------------------------------------------------------------------------------------------------------ */

        /* The MAC reads the ciphertext where it lies aligned, if it is all there; else the output. */
seal:   lea KEYSTREAM(%rsp), text
        cmp $2048, %rcx
        cmova OUT(%rsp), text
        mov text, MAC_TEXT(%rsp)
1:      call xor_text
        mov $4, %edx
        call groups
        cmpq $2048, LEFT(%rsp)
        ja 2f
        call last_part
        mov MESSAGE(%rsp), %r14
        mov M_TAG(%r14), %rcx
        mov h0, (%rcx)
        mov h1, 8(%rcx)
good:   xor %ebx, %ebx
        jmp done

2:      vmovdqa64 A0, HASH(%rsp)
        vmovdqa64 A1, HASH + 64(%rsp)
        vmovdqa64 A2, HASH + 128(%rsp)
        call next_pass
        movq $2048, USED(%rsp)
        vmovdqa64 HASH(%rsp), A0
        vmovdqa64 HASH + 64(%rsp), A1
        vmovdqa64 HASH + 128(%rsp), A2
        load_constants
        jmp 1b

/* ---- the end ------------------------------------------------------------------------------------------------------ */

        /* ebx is the result. What is used of the frame is wiped, from the keys on: a multiple of 256 bytes. */
done:   vpxor %xmm0, %xmm0, %xmm0
        mov USED(%rsp), %rcx
        lea KEYSTREAM(%rsp, %rcx), %rcx
        lea KEY_R(%rsp), %rdi
1:      .irp i, 0, 1, 2, 3
        vmovdqa64 %zmm0, 64 * \i(%rdi)
        .endr
        add $256, %rdi
        cmp %rcx, %rdi
        jb 1b
        wipe_vectors_avx512
leave:  mov %ebx, %eax
        mov CALLER(%rsp), %rsp
        .cfi_remember_state
        .cfi_def_cfa rsp, 56
        .irp reg, r15, r14, r13, r12, rbp, rbx
        restore \reg
        .endr
        ret
        .cfi_restore_state

/* ---- no text ------------------------------------------------------------------------------------------------------ */

no_text:
        call qs_aead_avx512ifma_key
        mov MESSAGE(%rsp), %r14
        call hash_ad
        poly_absorb M_AD_LEN(%r14), M_LEN(%r14), $1, h0, h1, h2, q
        poly_mulx MUL
        poly_settle h0, h1, h2, q
        call tag
        mov M_TAG(%r14), %rcx
        vpxor %xmm0, %xmm0, %xmm0
        .irp i, 64, 96, 128                     /* keys, and what the key block spilled */
        vmovdqa %ymm0, \i(%rsp)
        .endr
        vzeroupper
        cmpl $0, SEALING(%rsp)
        je 1f
        mov h0, (%rcx)
        mov h1, 8(%rcx)
        xor %ebx, %ebx
        jmp leave
1:      xor 8(%rcx), h1
        xor (%rcx), h0
        or h0, h1
        mov $ERR_AUTH, %ecx
        mov $0, %ebx
        cmovnz %ecx, %ebx
        jmp leave
        end_function message

/* ---- parts: called with the frame 8 bytes up ---------------------------------------------------------------------- */

        /* The pass for what is left, at most 2 KiB. */
        subroutine pass
        mov at(LEFT), %rcx
        cmp $512, %rcx
        ja 2f
        cmp $256, %rcx
        ja 1f
        movq $256, at(USED)
        jmp qs_aead_avx512ifma_rows4
1:      movq $512, at(USED)
        jmp qs_aead_avx512ifma_rows8
2:      cmp $1024, %rcx
        ja 3f
        movq $1024, at(USED)
        jmp qs_aead_avx512ifma_rows16
3:      cmp $1536, %rcx
        ja 4f
        movq $1536, at(USED)
        jmp qs_aead_avx512ifma_rows24
4:      movq $2048, at(USED)
        jmp qs_aead_avx512ifma_blocks32
        end_function pass

        /* The next 2 KiB, after a pass of that size. */
        subroutine next_pass
        vmovdqa64 at(STATE_D), %zmm0
        vpaddd next_counter(%rip), %zmm0, %zmm0
        vmovdqa64 %zmm0, at(STATE_D)
        addl $32, at(COUNTER)
        addq $2048, at(IN)
        addq $2048, at(OUT)
        subq $2048, at(LEFT)
        movq $0, at(POWERS_LEFT)
        jmp pass
        end_function next_pass

        /* h = the AD's hash. r14 = message; changes all but r14, and r, which it sets. */
        subroutine hash_ad
        mov at(KEY_R), r0
        mov at(KEY_R + 8), r1
        mov at(KEY_R + 16), s1
        mov M_AD(%r14), %r12
        mov M_AD_LEN(%r14), %r13
        xor %eax, %eax
        xor %ebx, %ebx
        xor %r11d, %r11d
        xor %ecx, %ecx
1:      sub $16, %r13
        jb 3f
2:      poly_absorb (%r12), 8(%r12), $1, h0, h1, h2, q
        poly_mulx MUL
        add $16, %r12
        sub $16, %r13
        jae 2b
3:      cmp $-16, %r13
        jle 4f
        mov $-1, %esi
        lea 16(%r13), %edx
        bzhi %edx, %esi, %esi
        kmovw %esi, %k1
        vmovdqu8 (%r12), %xmm0{%k1}{z}
        vmovdqu %xmm0, at(AD_END)
        lea at(AD_END), %r12
        xor %r13d, %r13d
        jmp 2b
4:      poly_settle h0, h1, h2, q
        xor %ecx, %ecx
        ret
        end_function hash_ad

        /* h = the tag, from a settled h. */
        subroutine tag
        mov h0, %rsi
        mov h1, %rdi
        mov h2, %rdx
        add $5, %rsi
        adc $0, %rdi
        adc $0, %rdx
        test $~3, %edx                          /* h + 5 >= 2^130, so h >= 2^130 - 5 */
        cmovnz %rsi, h0
        cmovnz %rdi, h1
        add at(KEY_S), h0
        adc at(KEY_S + 8), h1
        ret
        end_function tag

        /* At most rdx groups of four vectors. At least 113 bytes stay for last_part: all of A's lanes need a block. */
        subroutine groups
        mov at(MAC_TEXT), text
        mov at(MAC_LEFT), %rcx
        lea -113(%rcx), %rax
        sar $9, %rax
        jle 2f
        cmp %rdx, %rax
        cmova %rdx, %rax
        mov %rax, %rdx
        shl $9, %rdx
        sub %rdx, %rcx
        mov %rcx, at(MAC_LEFT)
        .balign 32
1:      clear_sum
        load_text 128
        load_power 24
        mul_add
        load_text 256
        load_power 16
        mul_add
        load_text 384
        load_power 8
        mul_add
        load_text 0
        load_power 32
        add_hash
        mul_add
        poly44_carry SUM, MASK44, TWENTY
        vmovdqa64 L0, A0
        vmovdqa64 L1, A1
        vmovdqa64 L2, A2
        add $512, text
        dec %rax
        jnz 1b
        mov text, at(MAC_TEXT)
2:      ret
        end_function groups

        /* IN or KEYSTREAM to OUT, and where sealing the ciphertext to KEYSTREAM too. */
        subroutine xor_text
        mov at(IN), %rsi
        mov at(OUT), %rdi
        lea at(KEYSTREAM), %rdx
        mov at(LEFT), %rcx
        mov $2048, %eax
        cmp %rax, %rcx
        cmova %rax, %rcx
        sub $64, %rcx
        jb 2f
1:      vmovdqu64 (%rsi), %zmm0
        vpxord (%rdx), %zmm0, %zmm0
        vmovdqu64 %zmm0, (%rdi)
        vmovdqa64 %zmm0, (%rdx)
        add $64, %rsi
        add $64, %rdi
        add $64, %rdx
        sub $64, %rcx
        jae 1b
2:      add $64, %ecx
        jz 3f
        mov $-1, %rax
        bzhi %rcx, %rax, %rax
        kmovq %rax, %k1
        vmovdqu8 (%rsi), %zmm0{%k1}{z}
        vpxord (%rdx), %zmm0, %zmm0
        vmovdqu8 %zmm0, (%rdi){%k1}
        vmovdqa64 %zmm0, (%rdx)
3:      ret
        end_function xor_text

        /* The last 1 to 624 bytes, and the tag in h. */
        subroutine last_part
        mov at(MAC_TEXT), text
        mov at(MAC_LEFT), %rcx
        lea 15(%rcx), %eax
        shr $4, %eax                            /* blocks */
        lea -1(%rax), %edx
        shr $3, %edx                            /* vectors before the last */
        neg %rax
        lea 8 + POWERS + ZEROS(%rsp, %rax, 8), powers
        vmovq at(LENGTHS_R), %xmm6
        vmovq at(LENGTHS_R + 8), %xmm7
        vmovq at(LENGTHS_R + 16), %xmm8
        limbs_of_hash 0, 1, 2
        vpxor %xmm3, %xmm3, %xmm3
        vpxor %xmm4, %xmm4, %xmm4
        vpxor %xmm5, %xmm5, %xmm5
        test %edx, %edx
        jz 3f
        mov text, %r9
        mov powers, %r10
        mov %edx, %eax
1:      add $128, text
        add $64, powers
        dec %eax
        jz 2f
        load_text
        load_powers
        mul_add
        jmp 1b
2:      mov text, %r11
        mov powers, %r12
        mov %r9, text
        mov %r10, powers
        load_text
        load_powers
        add_hash
        mul_add
        .irp n, 16, 17, 18
        vpxord %zmm\n, %zmm\n, %zmm\n
        .endr
        mov %r11, text
        mov %r12, powers
3:      shl $7, %edx
        sub %edx, %ecx
        mov $-1, %rax
        bzhi %rcx, %rax, %rdx
        kmovq %rdx, %k1
        xor %edx, %edx
        sub $64, %ecx
        cmovb %edx, %ecx
        bzhi %rcx, %rax, %rax
        kmovq %rax, %k2
        vmovdqu8 (text), LOW{%k1}{z}
        vmovdqu8 64(text), X0{%k2}{z}
        vmovdqa64 LOW, HIGH
        vpermt2q X0, EVEN, LOW
        vpermt2q X0, ODD, HIGH
        limbs_of_text
        load_powers
        add_hash
        mul_add

        poly44_sum 0, 1, 2, 3, 4, 5, h0, h1, h2
        poly44_pack h0, h1, h2, %rsi, %rdi
        jmp tag
        end_function last_part

        constants
first_counter:
        .long 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0
next_counter:
        .long 32, 0, 0, 0, 32, 0, 0, 0, 32, 0, 0, 0, 32, 0, 0, 0
even:   .quad 0, 2, 4, 6, 8, 10, 12, 14
odd:    .quad 1, 3, 5, 7, 9, 11, 13, 15
mask44: .quad 0xfffffffffff
twenty: .quad 20
pad:    .quad 0x10000000000
#endif
