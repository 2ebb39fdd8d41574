/* SPDX-License-Identifier: MIT
 *
 * x86-64, AVX-512 with IFMA: whole messages.
 *
 *     void qs_seal_message_avx512ifma(const struct qs_message *m)
 *     qs_status qs_open_message_avx512ifma(const struct qs_message *m)
 *
 * AVX-512 F, VL, BW, DQ and IFMA; AVX2, BMI2.
 *
 * A pass (aead_avx512ifma_pass.S) makes the keystream of up to 2 KiB, and beside it the key block and the powers of r.
 * Then the text is XORed, and its MAC taken with eight blocks in the lanes (aead_avx512ifma_mac.S). Opening takes the
 * MAC first, over all of the text, while the keystream of the first 2 KiB waits in the frame.
 *
 * Up to 256 bytes: aead_avx512ifma_small.S. All of a call's end counts: the next one's rounds begin when the CPU's
 * window reaches them, so wiping is straight code for what the length has used, not a loop.
 *
 * Masked loads and stores touch nothing outside, but where the 64 bytes reach into a page that is not there the CPU
 * takes about 600 cycles to find out.
 */
#include "asm.h"
#ifdef QS_X86_64
#include "aead_avx512ifma.inc"

        /* Zeros from the multiple of 64 up to the end. */
        .macro wipe from, end
        vmovdqa64 %zmm0, \from(%rsp)
        .if \from + 64 < \end
        wipe \from + 64, \end
        .endif
        .endm

/* ---- both functions --------------------------------------------------------------------------------------------- */


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
        mov %edx, QUARTER(%rsp)
        mov M_AD_LEN(%rdi), %rcx
        mov %ecx, %eax
        and $15, %eax
        jz 1f
        mov M_AD(%rdi), %rsi
        mov $-1, %edx
        bzhi %eax, %edx, %edx
        kmovw %edx, %k1
        and $-16, %rcx
        vmovdqu8 (%rsi, %rcx), %xmm0{%k1}{z}
        vmovdqu %xmm0, AD_END(%rsp)
1:      mov M_LEN(%rdi), %rcx
        mov %rcx, LEFT(%rsp)
        test %rcx, %rcx
        jz no_text

        mov M_IN(%rdi), %rax
        mov M_OUT(%rdi), %rdx
        mov %rax, IN(%rsp)
        mov %rdx, OUT(%rsp)
        movl $0, HAVE_POWERS(%rsp)
        mov $0x2222, %eax
        kmovw %eax, %k1
        add %eax, %eax
        kmovw %eax, %k2
        add %eax, %eax
        kmovw %eax, %k3
        vpbroadcastd M_NONCE(%rdi), %zmm31{%k1}{z}
        vpbroadcastd M_NONCE + 4(%rdi), %zmm31{%k2}
        vpbroadcastd M_NONCE + 8(%rdi), %zmm31{%k3}
        vpaddd first_counter(%rip), %zmm31, %zmm31
        mov M_KEY(%rdi), %rsi
        vmovdqa sigma(%rip), %xmm0
        vmovdqu (%rsi), %ymm1
        vmovdqa %xmm0, STATE(%rsp)
        vmovdqu %ymm1, STATE + 16(%rsp)
        vmovdqa32 %xmm31, STATE + 48(%rsp)
        vpxord %zmm1, %zmm1, %zmm1
        .irp limb, POWERS_0, POWERS_1, POWERS_2
        vmovdqa64 %zmm1, \limb + ZEROS(%rsp)
        .endr
        cmp $256, %rcx
        ja 1f
        call qs_aead_avx512ifma_small
        jmp done
1:
        call pass

        load_constants
        vmovq AD_HASH(%rsp), %xmm24
        vmovq AD_HASH + 8(%rsp), %xmm25
        vmovq AD_HASH + 16(%rsp), %xmm26
        mov LEFT(%rsp), %rcx
        mov %rcx, MAC_LEFT(%rsp)
        cmpl $0, SEALING(%rsp)
        jne seal

/* ---- opening ---------------------------------------------------------------------------------------------------- */

        mov IN(%rsp), text
        mov text, MAC_TEXT(%rsp)
        sub $2049, %rcx
        cmp $512, %rcx
        jae 1f
        call qs_aead_avx512ifma_tail
        jmp 2f
1:      mov $-1, %rdx
        call qs_aead_avx512ifma_mac_groups
2:      call qs_aead_avx512ifma_mac_last
        mov MESSAGE(%rsp), %r14
        mov M_TAG(%r14), %rcx
        xor (%rcx), h0
        xor 8(%rcx), h1
        or h0, h1
        jnz forged
        xor %edx, %edx
        mov LEFT(%rsp), %rcx
        cmp $2048 + 512, %rcx
        jbe 2f
1:      mov $2048, %ecx
        call qs_aead_avx512ifma_xor_text
        call next_pass
        xor %edx, %edx
        mov LEFT(%rsp), %rcx
        cmp $2048, %rcx
        ja 1b
2:      call qs_aead_avx512ifma_xor_text
        jmp good

/* ---- sealing ---------------------------------------------------------------------------------------------------- */

        /* Text that is sealed goes into the MAC at once, but for what comes before a tail. */
seal:   mov IN(%rsp), text
        mov text, MAC_TEXT(%rsp)
        sub $2049, %rcx
        cmp $512, %rcx
        jb 1f
        call qs_aead_avx512ifma_seal_and_mac
        cmpq $2048, LEFT(%rsp)
        jbe 2f
        vmovdqa64 A0, HASH(%rsp)
        vmovdqa64 A1, HASH + 64(%rsp)
        vmovdqa64 A2, HASH + 128(%rsp)
        call next_pass
        call next_hash
        mov %rcx, MAC_LEFT(%rsp)
        jmp seal

1:      xor %edx, %edx
        mov $2048, %ecx
        call qs_aead_avx512ifma_xor_text
        mov OUT(%rsp), text
        mov text, MAC_TEXT(%rsp)
        call qs_aead_avx512ifma_tail
        mov $2048, %edx
        mov LEFT(%rsp), %rcx
        call qs_aead_avx512ifma_xor_text
        call qs_aead_avx512ifma_mac_last
2:
        mov MESSAGE(%rsp), %r14
        mov M_TAG(%r14), %rcx
put_tag:
        mov h0, (%rcx)
        mov h1, 8(%rcx)
good:   xor %ebx, %ebx
        jmp done

/* ---- the end ---------------------------------------------------------------------------------------------------- */

        /* Forged: all of the keystream is there still. */
forged: vpxor %xmm0, %xmm0, %xmm0
        lea KEYSTREAM(%rsp), %rdi
        lea FRAME(%rsp), %rcx
1:      vmovdqa64 %zmm0, (%rdi)
        add $64, %rdi
        cmp %rcx, %rdi
        jb 1b
        mov $ERR_AUTH, %ebx

        /* ebx is the result. Blocks of keystream that the text did not reach are wiped, and what the pass for the
         * length has written besides. */
done:   mov MESSAGE(%rsp), %r14
        mov M_LEN(%r14), %rcx
        mov LEFT(%rsp), %rdx
        vpxor %xmm0, %xmm0, %xmm0
        wipe KEY_R, STATE + 64
        wipe OPENED, OPENED + 64
        cmp $64, %rcx
        jbe 8f
        wipe FOLDS, FOLDS + 64
        wipe OPENED + 64, OPENED + 256
        wipe POWERS_1 + 64, POWERS_1 + ENTRY(1)
        wipe POWERS_2 + ENTRY(17), POWERS_2 + ENTRY(1)
        cmp $256, %rcx
        jbe 7f
        wipe FOLDS + 64, FOLDS + 192
        cmp $2048, %rcx
        jbe 1f
        wipe HASH, HASH + 192
1:      cmp $256, %rdx
        ja 2f
        wipe KEYSTREAM + 64, KEYSTREAM + 320
2:      cmp $512, %rdx
        ja 3f
        wipe KEYSTREAM + 320, KEYSTREAM + 512
        jmp 7f
3:      cmp $1024, %rdx
        ja 4f
        wipe KEYSTREAM + 576, KEYSTREAM + 1024
        jmp 7f
4:      cmp $1536, %rdx
        ja 5f
        wipe KEYSTREAM + 1088, KEYSTREAM + 1536
        jmp 7f
5:      cmp $2048, %rdx
        ja 6f
        wipe KEYSTREAM + 1600, KEYSTREAM + 2048
        jmp 7f
6:      wipe TAIL + 192, TAIL + 512
7:
        wipe_vectors_avx512
        jmp leave
8:      wipe BLOCKS, BLOCKS + 64
        wipe_avx512 28, 29, 31
        wipe_avx 1, 2, 3, 4, 5
        vzeroupper
leave:  mov %ebx, %eax
        mov CALLER(%rsp), %rsp
        .cfi_remember_state
        .cfi_def_cfa rsp, 56
        .irp reg, r15, r14, r13, r12, rbp, rbx
        restore \reg
        .endr
        ret
        .cfi_restore_state

/* ---- no text ---------------------------------------------------------------------------------------------------- */

no_text:
        call qs_aead_avx512ifma_key
        mov MESSAGE(%rsp), %r14
        xor %ecx, %ecx
        poly_absorb M_AD_LEN(%r14), M_LEN(%r14), $1, h0, h1, h2, q
        poly_mulx MUL
        poly_settle h0, h1, h2, q
        tag_of_hash KEY_S(%rsp)
        mov M_TAG(%r14), %rcx
        vpxor %xmm0, %xmm0, %xmm0
        .irp i, 64, 96, 128, 160                /* keys, and what the key block spilled */
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

/* ---- parts: called with the frame 8 bytes up -------------------------------------------------------------------- */

        /* The pass for what is left, at most 2 KiB. */
        subroutine pass
        mov at(LEFT), %rcx
        cmp $512, %rcx
        jbe qs_aead_avx512ifma_rows8
        cmp $768, %rcx
        jbe qs_aead_avx512ifma_rows12
        cmp $1024, %rcx
        jbe qs_aead_avx512ifma_words16
        cmp $1536, %rcx
        jbe qs_aead_avx512ifma_words24
        jmp qs_aead_avx512ifma_words32
        end_function pass

        /* The next 2 KiB, after a pass of that size. */
        subroutine next_pass
        vbroadcasti32x4 at(STATE + 48), %zmm31
        vpaddd next_counter(%rip), %zmm31, %zmm31
        vmovdqa32 %xmm31, at(STATE + 48)
        addq $2048, at(IN)
        addq $2048, at(OUT)
        subq $2048, at(LEFT)
        movl $1, at(HAVE_POWERS)
        jmp pass
        end_function next_pass

        /* The hash that waited while the pass ran. rcx = LEFT. */
        subroutine next_hash
        load_constants
        vmovdqa64 at(HASH), A0
        vmovdqa64 at(HASH + 64), A1
        vmovdqa64 at(HASH + 128), A2
        mov at(LEFT), %rcx
        ret
        end_function next_hash

        constants
sigma:  .long 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574 /* "expand 32-byte k" */
        .balign 64
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
