/* SPDX-License-Identifier: MIT
 *
 * x86-64: Poly1305 by vpmadd52, eight blocks at a time. AVX-512 F and IFMA, AVX2.
 *
 *     void qs_poly1305_blocks_avx512ifma(uint32_t h[5], const uint32_t r[4], const uint8_t *in, size_t nblocks, uint32_t pad)
 *
 * Below VECTOR blocks the scalar kernel is faster. Otherwise the first nblocks mod 8 blocks go through scalar code, in the
 * shadow of the powers of r, each of which waits for the one before. Then groups a, b, c, d of eight blocks, by Horner:
 *     x = (x + a) r^8                           if the number of groups is even, while r^16 is made
 *     x = (x + a) r^16 + b r^8                  all, or while r^24 and r^32 are made
 *     x = (x + a) r^32 + b r^24 + c r^16 + d r^8
 *     h = the sum of all lanes of (x + a) (r^8, r^4, r^7, r^3, r^6, r^2, r^5, r)          the last group
 * The order of lanes is what unpacking blocks 0 to 3 with blocks 4 to 7 gives. Two groups a step wait for x, 31 cycles; four
 * take 47.5, where their multiplications and shifts alone take 45.
 */
#include "asm.h"
#ifdef QS_X86_64
#include "poly1305_scalar.inc"
#include "poly1305_ifma.inc"

#define VECTOR 11 /* blocks: alone a call takes 172 cycles, the scalar kernel 164; one after the other less */
#define QUADS 12  /* groups before the last from which four a step are faster: at 14 by 4 %, at 12 not yet */

/* Limbs of sums; of eight blocks; of x. Powers of r: limbs, and 20 times limbs 1 and 2. */
#define L0 %zmm0
#define L1 %zmm1
#define L2 %zmm2
#define L L0, L1, L2
#define H %zmm3, %zmm4, %zmm5
#define SUMS 0, 1, 2, 3, 4, 5
#define LO %zmm6
#define HI %zmm7
#define T %zmm8
#define B0 %zmm9
#define B1 %zmm10
#define B2 %zmm11
#define B B0, B1, B2
#define X0 %zmm12
#define X1 %zmm13
#define X2 %zmm14
#define X X0, X1, X2
#define R8_0 %zmm15 /* r^8 in all lanes; before that r and r^4 */
#define R8_1 %zmm16
#define R8_2 %zmm17
#define R8_S %zmm18, %zmm19
#define R8 R8_0, R8_1, R8_2, R8_S
#define R16_0 %zmm20 /* r^16; before that r^2 */
#define R16_1 %zmm21
#define R16_2 %zmm22
#define R16_S %zmm23, %zmm24
#define R16 R16_0, R16_1, R16_2, R16_S
#define P0 %zmm25 /* r^8, r^4, r^7, r^3, r^6, r^2, r^5, r */
#define P1 %zmm26
#define P2 %zmm27
#define P_S %zmm28, %zmm29
#define P P0, P1, P2, P_S
/* Below rsp, once for all lanes: r^24, r^32. And how many blocks are left to scalar code. */
#define LEFT -8(%rsp)
#define R24_AT -48
#define R32_AT -88
#define R24 R24_AT(%rsp){1to8}, 8 + R24_AT(%rsp){1to8}, 16 + R24_AT(%rsp){1to8}, 24 + R24_AT(%rsp){1to8}, 32 + R24_AT(%rsp){1to8}
#define R32 R32_AT(%rsp){1to8}, 8 + R32_AT(%rsp){1to8}, 16 + R32_AT(%rsp){1to8}, 24 + R32_AT(%rsp){1to8}, 32 + R32_AT(%rsp){1to8}
#define PAD %zmm30
#define MASK %zmm31
#define TWENTY twenty(%rip){1to8}

#define IN %r15
#define SCALAR %r9, %r10, %r11
#define Q %r12

        .macro zero_sums
        .irp n, SUMS
        vpxor %xmm\n, %xmm\n, %xmm\n
        .endr
        .endm

        .macro move from0, from1, from2, to0, to1, to2, mask
        vmovdqa64 \from0, \to0\mask
        vmovdqa64 \from1, \to1\mask
        vmovdqa64 \from2, \to2\mask
        .endm

        .macro carry
        poly44_carry L, H, MASK, TWENTY
        .endm

/* L = x r */
        .macro product x0, x1, x2, r0, r1, r2, s1, s2
        zero_sums
        poly44_mul \x0, \x1, \x2, \r0, \r1, \r2, \s1, \s2, L, H
        carry
        .endm

/* B = the next eight blocks, or x = x + those */
        .macro load_blocks
        vmovdqu64 (IN), T
        vpunpcklqdq 64(IN), T, LO
        vpunpckhqdq 64(IN), T, HI
        add $128, IN
        poly44_split LO, HI, B, MASK, T
        vpaddq PAD, B2, B2
        .endm

        .macro add_blocks
        load_blocks
        vpaddq B0, X0, X0
        vpaddq B1, X1, X1
        vpaddq B2, X2, X2
        .endm

/* The power in L, which has the same in all lanes, with its multiples by 20. */
        .macro store_power at
        poly44_s L1, L2, LO, HI, TWENTY
        .irp n, 0, 1, 2
        vmovq %xmm\n, 8 * \n + \at(%rsp)
        .endr
        vmovq %xmm6, 24 + \at(%rsp)
        vmovq %xmm7, 32 + \at(%rsp)
        .endm

        function qs_poly1305_blocks_avx512ifma
        cmp $VECTOR, %rcx
        jb qs_poly1305_blocks_scalar
        .irp reg, rbx, rbp, r12, r13, r14, r15
        save \reg
        .endr
        mov %rdx, IN
        mov %r8d, %r8d

        /* r, in the place of r^8 */
        vpbroadcastq mask(%rip), MASK
        vpbroadcastq (%rsi), LO
        vpbroadcastq 8(%rsi), HI
        poly44_split LO, HI, R8_0, R8_1, R8_2, MASK, T
        poly44_s R8_1, R8_2, R8_S, TWENTY
        mov $0b00110011, %eax           /* the lanes of even powers */
        kmovw %eax, %k1
        mov $0b00001111, %eax           /* of r^8, r^4, r^7, r^3 */
        kmovw %eax, %k2
        mov $0b01010101, %eax           /* of r^8, r^7, r^6, r^5 */
        kmovw %eax, %k3

        /* r^2, in the place of r^16; P = r^2 r^2 r r r^2 r^2 r r */
        product R8_0, R8_1, R8_2, R8
        move L, R16_0, R16_1, R16_2
        poly44_s R16_1, R16_2, R16_S, TWENTY
        vpblendmq L0, R8_0, P0{%k1}
        vpblendmq L1, R8_1, P1{%k1}
        vpblendmq L2, R8_2, P2{%k1}

        /* P = r^4 r^4 r^3 r^3 r^2 r^2 r r; r^4, in the place of r^8 */
        product P0, P1, P2, R16
        move L, P0, P1, P2, {%k2}
        vpbroadcastq %xmm25, R8_0
        vpbroadcastq %xmm26, R8_1
        vpbroadcastq %xmm27, R8_2
        poly44_s R8_1, R8_2, R8_S, TWENTY

        product P0, P1, P2, R8
        move L, P0, P1, P2, {%k3}
        poly44_s P1, P2, P_S, TWENTY
        vpbroadcastq %xmm25, R8_0
        vpbroadcastq %xmm26, R8_1
        vpbroadcastq %xmm27, R8_2
        vpbroadcastq %xmm28, %zmm18
        vpbroadcastq %xmm29, %zmm19

        /* The first blocks, to a multiple of eight. */
        poly_load %rdi, SCALAR, Q
        mov %ecx, %eax
        shr $3, %rcx
        and $7, %eax
        jz .Lgroups
        mov %eax, LEFT
        mov 8(%rsi), %rbx
        poly_s1 %rbx, %r14, %rax
.Lscalar:
        poly_absorb (IN), 8(IN), %r8, SCALAR, Q
        poly_mul (%rsi), 8(%rsi), %r14, SCALAR, Q, %rbx, %rbp, %r13
        add $16, IN
        decl LEFT
        jnz .Lscalar
        poly_settle SCALAR, Q

        /* x: that in the lane of the next block, 0 in the others. rcx: groups before the last */
.Lgroups:
        poly44_limbs SCALAR
        vmovq %r9, %xmm12
        vmovq %r10, %xmm13
        vmovq %r11, %xmm14
        shl $40, %r8
        vpbroadcastq %r8, PAD
        dec %rcx
        jz .Llast
        test $1, %cl
        jz .Leven

        /* x = (x + a) r^8 */
        add_blocks
        product X, R8
        move L, X
        dec %rcx
        jz .Llast

        /* eax: groups to go in pairs, all of a few or two that quads leave over. */
.Leven: product R8_0, R8_1, R8_2, R8
        move L, R16_0, R16_1, R16_2
        poly44_s R16_1, R16_2, R16_S, TWENTY
        mov %ecx, %eax
        and $2, %eax
        cmp $QUADS, %rcx
        cmovb %ecx, %eax
        sub %rax, %rcx
        test %eax, %eax
        jz .Lquads

        /* x = (x + a) r^16 + b r^8 */
.Lpair: add_blocks
        load_blocks
        zero_sums
        poly44_mul B, R8, L, H
        poly44_mul X, R16, L, H
        carry
        move L, X
        sub $2, %eax
        jnz .Lpair
        test %rcx, %rcx
        jz .Llast

.Lquads:
        product R8_0, R8_1, R8_2, R16
        store_power R24_AT
        product R16_0, R16_1, R16_2, R16
        store_power R32_AT

        /* x = (x + a) r^32 + b r^24 + c r^16 + d r^8 */
.Lquad: add_blocks
        load_blocks
        zero_sums
        poly44_mul B, R24, L, H
        load_blocks
        poly44_mul B, R16, L, H
        load_blocks
        poly44_mul B, R8, L, H
        poly44_mul X, R32, L, H
        carry
        move L, X
        sub $4, %rcx
        jnz .Lquad

        /* h = the sum of (x + a) P */
.Llast: add_blocks
        zero_sums
        poly44_mul X, P, L, H
        poly44_sum SUMS, SCALAR, x5120(%rip){1to8}
        poly44_pack SCALAR, %rax, %rcx
        poly_store SCALAR, %rdi
        wipe_avx512 0
        vmovdqu64 L0, -128(%rsp)
        vmovdqu64 L0, -64(%rsp)
        wipe_vectors_avx512
        .irp reg, r15, r14, r13, r12, rbp, rbx
        restore \reg
        .endr
        ret
        end_function qs_poly1305_blocks_avx512ifma

        constants
mask:   .quad (1 << 44) - 1
twenty: .quad 20
x5120:  .quad 5120
#endif
