/* SPDX-License-Identifier: MIT
 *
 * ChaCha20 keystream for 64-bit RISC-V that never touches the stack.
 *
 *   void qs_chacha20_blocks_nostack(uint8_t *dst, const uint32_t *key, uint32_t *counter, size_t nblocks)
 *
 * ../../include/quickstep.h says what it does. RV64 with D: the nine registers that a call must keep wait in floating point
 * registers. Four quarter rounds at a time, line by line, so that a core in order finds four independent instructions.
 * Words are kept sign-extended, as the W instructions leave them.
 */
        .section .note.GNU-stack, "", %progbits
#if defined(__riscv) && __riscv_xlen == 64 && defined(__riscv_flen) && __riscv_flen >= 64

#define dst     a0
#define key     a1
#define counter a2
#define left    a3              /* blocks */
#define w0      t0
#define w1      t1
#define w2      t2
#define w3      t3
#define w4      t4
#define w5      t5
#define w6      t6
#define w7      a4
#define w8      a5
#define w9      a6
#define w10     a7
#define w11     s0
#define w12     s1
#define w13     s2
#define w14     s3
#define w15     s4
#define r0      s5              /* halves of rotations; then state words */
#define r1      s6
#define r2      s7
#define r3      s8
#define count   ra              /* double rounds */
#define f_ra    ft9

        .macro  rotate n, x, half               /* x <<< n */
#ifdef __riscv_zbb
        roriw   \x, \x, 32 - \n
#else
        slliw   \half, \x, \n
        srliw   \x, \x, 32 - \n
        or      \x, \x, \half
#endif
        .endm

        .macro  lines n, p0, p1, p2, p3, q0, q1, q2, q3, s0, s1, s2, s3         /* p += q; s = (s ^ p) <<< n */
        addw    \p0, \p0, \q0
        addw    \p1, \p1, \q1
        addw    \p2, \p2, \q2
        addw    \p3, \p3, \q3
        xor     \s0, \s0, \p0
        xor     \s1, \s1, \p1
        xor     \s2, \s2, \p2
        xor     \s3, \s3, \p3
        rotate  \n, \s0, r0
        rotate  \n, \s1, r1
        rotate  \n, \s2, r2
        rotate  \n, \s3, r3
        .endm

        .macro  quarter_rounds b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3
        lines   16, w0, w1, w2, w3, \b0, \b1, \b2, \b3, \d0, \d1, \d2, \d3
        lines   12, \c0, \c1, \c2, \c3, \d0, \d1, \d2, \d3, \b0, \b1, \b2, \b3
        lines   8, w0, w1, w2, w3, \b0, \b1, \b2, \b3, \d0, \d1, \d2, \d3
        lines   7, \c0, \c1, \c2, \c3, \d0, \d1, \d2, \d3, \b0, \b1, \b2, \b3
        .endm

        .macro  keep reg, f
        fmv.d.x \f, \reg
        .cfi_register \reg, \f
        .endm

        .macro  give_back reg, f
        fmv.x.d \reg, \f
        .cfi_restore \reg
        fmv.d.x \f, zero
        .endm

        .text
        .balign 4
        .globl  qs_chacha20_blocks_nostack
        .type   qs_chacha20_blocks_nostack, @function
qs_chacha20_blocks_nostack:
        .cfi_startproc
        beqz    left, .Lnothing
        keep    s0, ft0
        keep    s1, ft1
        keep    s2, ft2
        keep    s3, ft3
        keep    s4, ft4
        keep    s5, ft5
        keep    s6, ft6
        keep    s7, ft7
        keep    s8, ft8
        keep    ra, f_ra

.Lblock:
        li      w0, 0x61707865                  /* "expand 32-byte k" */
        li      w1, 0x3320646e
        li      w2, 0x79622d32
        li      w3, 0x6b206574
        lw      w4, 0(key)
        lw      w5, 4(key)
        lw      w6, 8(key)
        lw      w7, 12(key)
        lw      w8, 16(key)
        lw      w9, 20(key)
        lw      w10, 24(key)
        lw      w11, 28(key)
        lw      w12, 0(counter)
        lw      w13, 4(counter)
        li      w14, 0
        li      w15, 0
        li      count, 10
.Lrounds:
        quarter_rounds w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15
        quarter_rounds w5, w6, w7, w4, w10, w11, w8, w9, w15, w12, w13, w14
        addi    count, count, -1
        bnez    count, .Lrounds

        li      r0, 0x61707865
        li      r1, 0x3320646e
        li      r2, 0x79622d32
        li      r3, 0x6b206574
        addw    w0, w0, r0
        addw    w1, w1, r1
        addw    w2, w2, r2
        addw    w3, w3, r3
        lw      r0, 0(key)
        lw      r1, 4(key)
        lw      r2, 8(key)
        lw      r3, 12(key)
        addw    w4, w4, r0
        addw    w5, w5, r1
        addw    w6, w6, r2
        addw    w7, w7, r3
        lw      r0, 16(key)
        lw      r1, 20(key)
        lw      r2, 24(key)
        lw      r3, 28(key)
        addw    w8, w8, r0
        addw    w9, w9, r1
        addw    w10, w10, r2
        addw    w11, w11, r3
        lw      r0, 0(counter)
        lw      r1, 4(counter)
        addw    w12, w12, r0
        addw    w13, w13, r1
        addiw   r0, r0, 1                       /* carries into word 13, and no further */
        seqz    r2, r0
        addw    r1, r1, r2
        sw      r0, 0(counter)
        sw      r1, 4(counter)

        sw      w0, 0(dst)
        sw      w1, 4(dst)
        sw      w2, 8(dst)
        sw      w3, 12(dst)
        sw      w4, 16(dst)
        sw      w5, 20(dst)
        sw      w6, 24(dst)
        sw      w7, 28(dst)
        sw      w8, 32(dst)
        sw      w9, 36(dst)
        sw      w10, 40(dst)
        sw      w11, 44(dst)
        sw      w12, 48(dst)
        sw      w13, 52(dst)
        sw      w14, 56(dst)
        sw      w15, 60(dst)
        addi    dst, dst, 64
        addi    left, left, -1
        bnez    left, .Lblock

        give_back s0, ft0
        give_back s1, ft1
        give_back s2, ft2
        give_back s3, ft3
        give_back s4, ft4
        give_back s5, ft5
        give_back s6, ft6
        give_back s7, ft7
        give_back s8, ft8
        give_back ra, f_ra
        .irp    x, t0, t1, t2, t3, t4, t5, t6, a4, a5, a6, a7
        li      \x, 0
        .endr
.Lnothing:
        ret
        .cfi_endproc
        .size   qs_chacha20_blocks_nostack, . - qs_chacha20_blocks_nostack
#endif
