/* SPDX-License-Identifier: MIT
 *
 * x86-64, AVX-512 with IFMA: text and MAC of a whole-message kernel, after a pass.
 *
 *     subroutines of aead_avx512ifma.S, called with its frame 8 bytes up, A and constants in their registers
 *     qs_aead_avx512ifma_xor_text         the text alone
 *     qs_aead_avx512ifma_mac_groups       the MAC alone, but for the last 257 to 768 bytes
 *     qs_aead_avx512ifma_mac_last         of these, and the tag
 *     qs_aead_avx512ifma_seal_and_mac     all of it, for more than 256 bytes
 *
 * The MAC of n blocks, then the block of lengths, which needs r alone, is the sum of block i (from 0) times
 * r^(n + 1 - i). Eight blocks stand in the lanes of a vector. Groups of up to four vectors are folded: each vector
 * times a power of r^8, the same for all lanes, so that the sum A stands for something to be added to the next vector,
 * lane by lane. In the last two vectors each lane has its own power, so it does not matter where the text ends; two,
 * because all lanes of A need a block. The AD's hash is the A before block 0; the lengths' part begins the last sum.
 *
 * Bounds: see poly1305_ifma.inc. A group has one x with A added and three others, the last two vectors one and one.
 *
 * After a pass the chain of folds decides, about 33 cycles each. Tried and lost: powers lane by lane for the last four
 * vectors, so one fold less, but three vectors of powers more, which cost the pass as much; XOR in a loop of its own,
 * and the MAC from the frame (75 cycles more at 2 KiB).
 */
#include "asm.h"
#ifdef QS_X86_64
#include "aead_avx512ifma.inc"

        /* IN to OUT, from rdx up to rcx. The keystream is zero afterwards. */
        function qs_aead_avx512ifma_xor_text
        vpxor %xmm1, %xmm1, %xmm1
        mov at(IN), %rsi
        mov at(OUT), %rdi
        sub %rdx, %rcx
        add %rdx, %rsi
        add %rdx, %rdi
        lea 8 + KEYSTREAM(%rsp, %rdx), %rdx
        sub $64, %rcx
        jb 2f
1:      vmovdqu64 (%rsi), %zmm0
        vpxord (%rdx), %zmm0, %zmm0
        vmovdqu64 %zmm0, (%rdi)
        vmovdqa64 %zmm1, (%rdx)
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
        vmovdqa64 %zmm1, (%rdx)
3:      ret
        end_function qs_aead_avx512ifma_xor_text

        /* At most rdx groups of four vectors, of all but the last two. */
        .macro groups load
        mov at(MAC_TEXT), text
        mov at(MAC_LEFT), %rcx
        lea -257(%rcx), %rax
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
        \load 128
        load_power 24
        mul_add
        \load 256
        load_power 16
        mul_add
        \load 384
        load_power 8
        mul_add
        \load 0
        load_power 32
        add_hash
        mul_add
        fold_sum
        add $512, text
        dec %rax
        jnz 1b
        mov text, at(MAC_TEXT)
2:
        .endm

        /* The last 257 to 768 bytes, and the tag in h: a group of up to three vectors, then the last two, each lane
         * times its own power. */
        .macro last_part load, sealing=0
        mov at(MAC_TEXT), text
        mov at(MAC_LEFT), %rcx
        lea -129(%rcx), %edx
        and $~127, %edx
        sub %edx, %ecx                          /* 129 to 256 */
        sub $128, %edx
        jb 3f
        lea 8 + FOLDS(%rsp), powers
        lea (text, %rdx), %rax
        mov %rax, text
        clear_sum
        test %edx, %edx
        jz 2f
1:      \load
        load_fold 0(powers)
        mul_add
        sub $128, text
        add $40, powers
        sub $128, %edx
        jnz 1b
2:      \load
        add_hash
        load_fold 0(powers)
        mul_add
        fold_sum
        lea 128(%rax), text

3:      mov $-1, %rax
        lea -128(%rcx), %edx
        bzhi %rdx, %rax, %r8
        kmovq %r8, %k1
        xor %r8d, %r8d
        sub $64, %edx
        cmovb %r8d, %edx
        bzhi %rdx, %rax, %rax
        kmovq %rax, %k2
        vmovdqu64 (text), %zmm28
        vmovdqu64 64(text), %zmm29
        vmovdqu8 128(text), %zmm30{%k1}{z}
        vmovdqu8 192(text), %zmm31{%k2}{z}
        .if \sealing
        seal_register 28, 0
        seal_register 29, 64
        seal_register 30, 128, %k1
        seal_register 31, 192, %k2
        .endif
        lea 15(%rcx), %eax
        shr $4, %eax
        neg %rax
        lea 8 + POWERS + ZEROS(%rsp, %rax, 8), powers
        begin_sum at(LENGTHS_R)
        mac_first
        mac_second
        tag_of_sum at(KEY_S)
        .endm

        function qs_aead_avx512ifma_mac_groups
        groups load_text
        ret
        end_function qs_aead_avx512ifma_mac_groups

        function qs_aead_avx512ifma_mac_last
        last_part load_text
        ret
        end_function qs_aead_avx512ifma_mac_last

        /* Text at IN, more than 256 bytes, to OUT: the last, at most 2 KiB, whole, and the tag in h; of more than 2560
         * bytes, four groups. */
        function qs_aead_avx512ifma_seal_and_mac
        mov at(OUT), to_out
        sub at(IN), to_out
        lea at(KEYSTREAM), to_stream
        sub at(IN), to_stream
        vpxor %xmm0, %xmm0, %xmm0
        mov $4, %edx
        groups load_sealed
        cmpq $2048, at(LEFT)
        ja 9f
        last_part load_sealed, 1
9:      ret
        end_function qs_aead_avx512ifma_seal_and_mac
#endif
