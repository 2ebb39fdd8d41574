/* SPDX-License-Identifier: MIT
 *
 * x86-64, AVX2 and BMI2: the MAC of 16 blocks and more that no pass had room for, in vector and general registers at
 * once.
 *
 *     void qs_aead_avx2_mac_mixed(work *w, const uint8_t *text, size_t rest, size_t n)
 *     void qs_aead_avx2_mac_bulk(work *w, const uint8_t *text)
 *
 * mixed: text of 4 n + rest blocks in one chain of general registers, then 8 n + 4 blocks by poly1305_avx2.inc, all
 * side by side: n times 4 blocks beside two groups of 4. 1 <= n <= 15. The first part times r^(8 n + 4) plus the second
 * is the result.
 *
 * bulk: 212 blocks, with two chains in general registers, of 32 and of 48 blocks; then 132 in vectors. Two groups take
 * 54 cycles alone and beside five blocks of two chains, 61 beside four of one. To join two chains takes longer, so that
 * it only pays where the powers of r that it wants are few.
 *
 * The powers of r are those that the first pass made; what is made of them stands where the keystream was.
 *
 * w = rdi; rsi, r14: text of the parts; r8, r9, r10, r15 and r11, r12, r13, rbx: accumulators; ymm0 to 4: sums, 5 to 9:
 * limbs of the accumulator, 10 to 14: of blocks. A stack frame is not needed.
 */
#include "asm.h"
#ifdef QS_X86_64
#define LANES 8
#define NAME(x) qs_aead_avx2_##x
#include "poly1305_avx2.inc"
#include "aead_scalar.inc"

#define D %ymm0, %ymm1, %ymm2, %ymm3, %ymm4
#define X %ymm5, %ymm6, %ymm7, %ymm8, %ymm9
#define B %ymm10, %ymm11, %ymm12, %ymm13, %ymm14
#define T %ymm15

/* Powers as vectors: 5 limbs, then 5 times limbs 1 to 4. */
#define POWER(at) at(w), 32+at(w), 64+at(w), 96+at(w), 128+at(w), 160+at(w), 192+at(w), 224+at(w), 256+at(w)
#define BY_LANE 0   /* r^4, r^2, r^3, r: the order in which blocks are unpacked */
#define R4 288
#define R8 576
#define CUBE 864    /* r^3, 3 words */

        .macro load_group at, offset
        vmovdqu \offset(\at), %ymm10
        vmovdqu 32 + \offset(\at), %ymm11
        vpunpcklqdq %ymm11, %ymm10, %ymm0
        vpunpckhqdq %ymm11, %ymm10, %ymm1
        poly26_split %ymm0, %ymm1, B, mask(%rip)
        vpaddq pad(%rip), %ymm14, %ymm14
        .endm

        .macro add_group at
        load_group \at, 0
        vpaddq %ymm10, %ymm5, %ymm5
        vpaddq %ymm11, %ymm6, %ymm6
        vpaddq %ymm12, %ymm7, %ymm7
        vpaddq %ymm13, %ymm8, %ymm8
        vpaddq %ymm14, %ymm9, %ymm9
        .endm

        /* Limbs of ymm0, 1 and 3 (words 0, 1, 2), stored. */
        .macro store_power at
        poly26_split %ymm0, %ymm1, B, mask(%rip)
        vpsllq $24, %ymm3, %ymm3
        vpaddq %ymm3, %ymm14, %ymm14
        store_limbs \at
        .endm
        .macro store_limbs at
        vmovdqa %ymm10, \at(w)
        vmovdqa %ymm11, 32 + \at(w)
        vmovdqa %ymm12, 64 + \at(w)
        vmovdqa %ymm13, 96 + \at(w)
        vmovdqa %ymm14, 128 + \at(w)
        .irp n, 11, 12, 13, 14
        poly26_s %ymm\n, T
        vmovdqa T, 160 + (\n - 11) * 32 + \at(w)
        .endr
        .endm

        .macro pair_of_words at, other, x
        vmovq \at(w), \x
        vmovhps \other(w), \x, \x
        .endm

#define POWER_OF(k) POWERS+24*(k-1)(w), POWERS+24*(k-1)+8(w), POWERS+24*(k-1)+16(w)
        .macro times_power k
        poly_product a0, a1, a2, POWER_OF(\k), %r11, %r12, %r13, %r14, %rcx
        mov %r11, a0
        mov %r12, a1
        mov %r13, a2
        .endm

        /* The powers as vectors, and an accumulator of 0. */
        .macro vector_powers
        mov POWERS(w), a0               /* r^3 = r^2 r */
        mov POWERS + 8(w), a1
        mov POWERS + 16(w), a2
        poly_times_r a0, a1, a2, aq
        poly_settle a0, a1, a2, aq
        mov a0, CUBE(w)
        mov a1, CUBE + 8(w)
        mov a2, CUBE + 16(w)
        vpbroadcastq POWERS + 48(w), %ymm0
        vpbroadcastq POWERS + 56(w), %ymm1
        vpbroadcastq POWERS + 64(w), %ymm3
        store_power R8
        pair_of_words POWERS + 24, POWERS, %xmm0
        pair_of_words POWERS + 32, POWERS + 8, %xmm1
        pair_of_words POWERS + 40, POWERS + 16, %xmm3
        vmovq a0, %xmm5
        vmovhps KEY_R0(w), %xmm5, %xmm5
        vmovq a1, %xmm6
        vmovhps KEY_R1(w), %xmm6, %xmm6
        vmovq a2, %xmm7
        vinserti128 $1, %xmm5, %ymm0, %ymm0
        vinserti128 $1, %xmm6, %ymm1, %ymm1
        vinserti128 $1, %xmm7, %ymm3, %ymm3
        store_power BY_LANE
        .irp n, 10, 11, 12, 13, 14
        vpbroadcastq %xmm\n, %ymm\n
        .endr
        store_limbs R4
        .irp n, 5, 6, 7, 8, 9
        vpxor %xmm\n, %xmm\n, %xmm\n
        .endr
        .endm

        /* x = x r^8 + b r^4; \between comes between the products. D is free before, while groups are loaded. */
        .macro two_groups between
        poly26_begin B, POWER(R4), D, T
        \between
        poly26_mul X, POWER(R8), D, T, %ymm10
        .endm
        .macro carry_groups
        poly26_carry D, mask(%rip), %ymm10, %ymm11
        vmovdqa %ymm0, %ymm5
        vmovdqa %ymm1, %ymm6
        vmovdqa %ymm2, %ymm7
        vmovdqa %ymm3, %ymm8
        vmovdqa %ymm4, %ymm9
        .endm

        /* The last group, by lane, and the lanes added up, in r11, r12, rbx. */
        .macro last_group at
        add_group \at
        poly26_begin X, POWER(BY_LANE), D, T
        poly26_sum 0, 1, 2, 3, 4, 15, %r11, %r12, %r13, %r14, %rbx
        poly26_pack %r11, %r12, %r13, %r14, %rbx, %rax, %rcx
        .endm

        /* a + the words at \at, folded. */
        .macro add_words at
        add \at(w), a0
        adc \at + 8(w), a1
        adc \at + 16(w), a2
        poly_fold a0, a1, a2, %rax, %rcx
        .endm

        .macro end_mac
        mov a0, HASH_A(w)
        mov a1, HASH_A + 8(w)
        mov a2, HASH_A + 16(w)
        xor %eax, %eax
        mov %rax, HASH_B(w)
        mov %rax, HASH_B + 8(w)
        mov %rax, HASH_B + 16(w)
        restore_all
        vzeroupper
        ret
        .endm

        function qs_aead_avx2_mac_mixed
        save_all
        mov %rdx, LEFT(w)
        mov %rcx, %r12
        lea (%rdx, %rcx, 4), %rax
        shl $4, %rax
        lea (%rsi, %rax), at_b
        save r12
        vector_powers
        poly_load_a

        .balign 64
1:      add_group at_b
        poly_a 0
        load_group at_b, 64
        add $128, at_b
        two_groups "poly_a 16"
        poly_a 32
        carry_groups
        poly_a 48
        add $64, at_a
        dec %r12
        jnz 1b
        last_group at_b
        mov %r11, HASH_B(w)             /* waits there */
        mov %r12, HASH_B + 8(w)
        mov %rbx, HASH_B + 16(w)
        cmpq $0, LEFT(w)
        je 3f
2:      poly_a 0
        add $16, at_a
        decq LEFT(w)
        jnz 2b
3:      poly_settle a0, a1, a2, aq
        restore rbx                     /* n */
        times_power 2                   /* r^4 r^(8 n) */
        test $1, %bl
        jz 4f
        times_power 3
4:      test $2, %bl
        jz 5f
        times_power 4
5:      test $4, %bl
        jz 6f
        times_power 5
6:      test $8, %bl
        jz 7f
        times_power 6
7:      add_words HASH_B
        end_mac
        end_function qs_aead_avx2_mac_mixed

#define VECTORS EXTRA           /* where the text of the vectors goes on, and where it has ended their sum */
        function qs_aead_avx2_mac_bulk
        save_all
        lea 16 * 32(at_a), at_b
        lea 16 * 80(at_a), %rax
        mov %rax, VECTORS(w)
        movl $16, LEFT(w)
        vector_powers
        poly_load_a
        poly_load_b
        .balign 64
1:      mov VECTORS(w), %rax
        add_group %rax
        load_group %rax, 64
        sub $-128, %rax
        mov %rax, VECTORS(w)
        poly_b 0
        poly_a 0
        two_groups "poly_b 16"
        poly_a 16
        add $32, at_a
        carry_groups
        poly_b 32
        add $48, at_b
        decl LEFT(w)
        jnz 1b
        poly_store_a
        poly_store_b
        mov VECTORS(w), %rax
        last_group %rax
        mov %r11, VECTORS(w)
        mov %r12, VECTORS + 8(w)
        mov %rbx, VECTORS + 16(w)
        poly_load_a
        times_power 4                   /* r^48 */
        times_power 5
        add_words HASH_B
        times_power 2                   /* r^132 */
        times_power 6
        times_power 6
        add_words VECTORS
        end_mac
        end_function qs_aead_avx2_mac_bulk

        constants
mask:   .fill 4, 8, (1 << 26) - 1
pad:    .fill 4, 8, 1 << 24
#endif
