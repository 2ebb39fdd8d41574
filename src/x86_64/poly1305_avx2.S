/* SPDX-License-Identifier: MIT
 *
 * x86-64: Poly1305 with 26-bit limbs, four blocks at a time. AVX2.
 *
 *     void qs_poly1305_blocks_avx2(uint32_t h[5], const uint32_t r[4], const uint8_t *in, size_t nblocks, uint32_t pad)
 *
 * Below VECTOR blocks the scalar kernel is faster. Otherwise r^2, r^3, r^4 come from scalar code, where a product takes a
 * third of the time, and the first nblocks mod 4 blocks go through it too. Then groups of four blocks, by Horner:
 *     x = (x + a) r^8 + b r^4       two groups; if their number is even, one has gone before: x = (x + a) r^4
 *     h = the sum of all lanes of (x + a) (r^4, r^2, r^3, r)        the last group
 * The order of lanes is what unpacking blocks 0 and 1 with blocks 2 and 3 gives. All sixteen registers are sums, limbs of x
 * and of blocks, and one more; the powers, each with 5 times its limbs, are in memory. r^4 and r^8 stand there once and are
 * loaded into all lanes: that takes as long as whole vectors, and needs half the stack.
 */
#include "asm.h"
#ifdef QS_X86_64
#include "poly1305_scalar.inc"
#include "poly1305_avx2.inc"

#define VECTOR 13 /* blocks, at least three groups: alone 199 cycles, the scalar kernel 190; one after the other less */

/* Limbs of sums; of x; of four blocks. */
#define D0 %ymm0
#define D1 %ymm1
#define D2 %ymm2
#define D D0, D1, D2, %ymm3, %ymm4
#define X %ymm5, %ymm6, %ymm7, %ymm8, %ymm9
#define B0 %ymm10
#define B1 %ymm11
#define B2 %ymm12
#define B3 %ymm13
#define B4 %ymm14
#define B B0, B1, B2, B3, B4
#define T %ymm15
#define MASK mask(%rip)
#define PAD PAD_AT(%rsp)

/* Powers: limbs, and 5 times limbs 1 to 4. r^8 is there once, r^4 in the lowest lane of the first. */
#define LANES (%rsp), 32(%rsp), 64(%rsp), 96(%rsp), 128(%rsp), 160(%rsp), 192(%rsp), 224(%rsp), 256(%rsp)
#define R4 LANES
#define R8 288(%rsp), 296(%rsp), 304(%rsp), 312(%rsp), 320(%rsp), 328(%rsp), 336(%rsp), 344(%rsp), 352(%rsp)
#define PAD_AT 384
#define BLOCKS 416(%rsp)
#define FRAME 448

        .macro times_lowest c, x, d
        vpbroadcastq \c, \d
        vpmuludq \d, \x, \d
        .endm

#define IN %r15
#define SCALAR %r9, %r10, %r11
#define Q %r12
#define TIMES_R (%rsi), 8(%rsi), %r14, SCALAR, Q, %rbx, %r13, %rcx

/* B = the next four blocks, or x = x + those */
        .macro load_blocks
        vmovdqu (IN), B0
        vmovdqu 32(IN), B1
        add $64, IN
        vpunpcklqdq B1, B0, D0
        vpunpckhqdq B1, B0, D1
        poly26_split D0, D1, B, MASK
        vpaddq PAD, B4, B4
        .endm

        .macro add_blocks
        load_blocks
        vpaddq B0, %ymm5, %ymm5
        vpaddq B1, %ymm6, %ymm6
        vpaddq B2, %ymm7, %ymm7
        vpaddq B3, %ymm8, %ymm8
        vpaddq B4, %ymm9, %ymm9
        .endm

        .macro carry_to_x
        poly26_carry D, MASK, B0, B1
        vmovdqa %ymm0, %ymm5
        vmovdqa %ymm1, %ymm6
        vmovdqa %ymm2, %ymm7
        vmovdqa %ymm3, %ymm8
        vmovdqa %ymm4, %ymm9
        .endm

/* Limbs of 64 bits in D0, D1, D2 to ones of 26. */
        .macro split_d x0, x1, x2, x3, x4
        poly26_split D0, D1, \x0, \x1, \x2, \x3, \x4, MASK
        vpsllq $24, D2, D2
        vpaddq D2, \x4, \x4
        .endm

/* Such a power, and 5 times its limbs 1 to 4, in \lanes times 8 bytes each. */
        .macro store_power at, lanes, move, size
        split_d B
        .irp n, 0, 1, 2, 3, 4
        \move %\size\()mm1\n, 8 * \lanes * \n + \at(%rsp)
        .endr
        .irp n, 1, 2, 3, 4
        poly26_s %ymm1\n, T
        \move %\size\()mm15, 8 * \lanes * (4 + \n) + \at(%rsp)
        .endr
        .endm

        function qs_poly1305_blocks_avx2
        cmp $VECTOR, %rcx
        jb qs_poly1305_blocks_scalar
        .irp reg, rbx, r12, r13, r14, r15
        save \reg
        .endr
        frame_pointer
        sub $FRAME, %rsp
        and $-32, %rsp
        mov %rdx, IN
        mov %r8d, %r8d
        mov %rcx, BLOCKS

        /* r^2, r^3, r^4. D0, D1, D2: 64-bit limbs 0, 1, 2 of (r^4, r^2, r^3, r). */
        mov (%rsi), %r9
        mov 8(%rsi), %r10
        poly_s1 %r10, %r14, %rax
        vmovq %r9, %xmm5
        vmovq %r10, %xmm6
        xor %r11d, %r11d
        poly_mul TIMES_R
        poly_settle SCALAR, Q
        vmovq %r9, %xmm7
        vmovq %r10, %xmm8
        vmovq %r11, %xmm9
        poly_mul TIMES_R
        poly_settle SCALAR, Q
        vmovq %r9, %xmm10
        vmovq %r10, %xmm11
        vmovq %r11, %xmm2
        poly_mul TIMES_R
        poly_settle SCALAR, Q
        vmovq %r9, %xmm0
        vmovq %r10, %xmm1
        vmovq %r11, %xmm3
        vpunpcklqdq %xmm5, %xmm10, %xmm5
        vpunpcklqdq %xmm6, %xmm11, %xmm6
        vpunpcklqdq %xmm7, %xmm0, %xmm0
        vpunpcklqdq %xmm8, %xmm1, %xmm1
        vpunpcklqdq %xmm9, %xmm3, %xmm3
        vinserti128 $1, %xmm5, D0, D0
        vinserti128 $1, %xmm6, D1, D1
        vinserti128 $1, %xmm2, %ymm3, D2
        store_power 0, 4, vmovdqa, y

        /* r^8 */
        poly_product SCALAR, SCALAR, %rbx, %r12, %r13, %r14, %rcx
        vmovq %rbx, %xmm0
        vmovq %r12, %xmm1
        vmovq %r13, %xmm2
        store_power 288, 1, vmovq, x

        /* The first blocks, to a multiple of four. */
        poly_load %rdi, SCALAR, Q
        testl $3, BLOCKS
        jz .Lgroups
        mov 8(%rsi), %rbx
        poly_s1 %rbx, %r14, %rax
.Lscalar:
        poly_absorb (IN), 8(IN), %r8, SCALAR, Q
        poly_mul TIMES_R
        add $16, IN
        decq BLOCKS
        testl $3, BLOCKS
        jnz .Lscalar
        poly_settle SCALAR, Q

        /* x: that in the lane of the next block, 0 in the others. rcx: groups before the last, at least two */
.Lgroups:
        vmovq %r9, %xmm0
        vmovq %r10, %xmm1
        vmovq %r11, %xmm2
        split_d X
        shl $24, %r8
        vmovq %r8, %xmm0
        vpbroadcastq %xmm0, D0
        vmovdqa D0, PAD
        mov BLOCKS, %rcx
        shr $2, %rcx
        dec %rcx
        test $1, %cl
        jz .Lpair

        /* x = (x + a) r^4 */
        add_blocks
        poly26_begin X, R4, D, T, times_lowest
        carry_to_x
        dec %rcx

        /* x = (x + a) r^8 + b r^4 */
.Lpair: add_blocks
        load_blocks
        poly26_begin B, R4, D, T, times_lowest
        poly26_mul X, R8, D, B0, T, vpbroadcastq
        carry_to_x
        sub $2, %rcx
        jnz .Lpair

        /* h = the sum of (x + a) (r^4, r^2, r^3, r) */
        add_blocks
        poly26_begin X, LANES, D, T
        poly26_sum 0, 1, 2, 3, 4, 15, SCALAR, %rbx, %r12
        poly26_pack SCALAR, %rbx, %r12, %rax, %rcx
        poly_store %r9, %r10, %r12, %rdi
        wipe_avx 15
        .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
        vmovdqa T, 32 * \n(%rsp)
        .endr
        wipe_vectors_avx
        end_frame_pointer
        .irp reg, r15, r14, r13, r12, rbx
        restore \reg
        .endr
        ret
        end_function qs_poly1305_blocks_avx2

        constants
mask:   .fill 4, 8, (1 << 26) - 1
#endif
