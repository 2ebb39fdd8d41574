/* SPDX-License-Identifier: MIT
 *
 * ChaCha20 keystream for AArch64 that never touches the stack.
 *
 *   void qs_chacha20_blocks_nostack(uint8_t *dst, const uint32_t *key, uint32_t *counter, size_t nblocks)
 *
 * ../../include/quickstep.h says what it does. Advanced SIMD, only registers that a call may change; either byte order. One
 * block at a time, a row of four words in each register. Between the halves of a double round rows b, c and d turn, so that
 * diagonals stand below each other.
 */
        .section .note.GNU-stack, "", %progbits
#if defined(__aarch64__) && defined(__ARM_NEON)

#define dst     x0
#define key     x1
#define counter x2
#define left    x3              /* blocks */
#define count   w4              /* double rounds */
#define row_a   v0
#define row_b   v1
#define row_c   v2
#define row_d   v3
#define before  v4              /* of a rotation */
#define state_a v16             /* "expand 32-byte k" */
#define state_b v17
#define state_c v18
#define state_d v19             /* counter, and a nonce of zeros */
#define one     v20

        .macro  line n, p, q, s                 /* p += q; s = (s ^ p) <<< n */
        add     \p\().4s, \p\().4s, \q\().4s
        .if     \n == 16
        eor     \s\().16b, \s\().16b, \p\().16b
        rev32   \s\().8h, \s\().8h
        .else
        eor     before.16b, \s\().16b, \p\().16b
        shl     \s\().4s, before.4s, #\n
        sri     \s\().4s, before.4s, #32 - \n
        .endif
        .endm

        .macro  quarter_rounds
        line    16, row_a, row_b, row_d
        line    12, row_c, row_d, row_b
        line    8, row_a, row_b, row_d
        line    7, row_c, row_d, row_b
        .endm

        .macro  turn x, bytes
        ext     \x\().16b, \x\().16b, \x\().16b, #\bytes
        .endm

        .text
        .balign 64
        .globl  qs_chacha20_blocks_nostack
        .type   qs_chacha20_blocks_nostack, %function
qs_chacha20_blocks_nostack:
        .cfi_startproc
        hint    #34                             /* bti c */
        cbz     left, .Lnothing
        movz    x4, #0x7865
        movk    x4, #0x6170, lsl #16
        movk    x4, #0x646e, lsl #32
        movk    x4, #0x3320, lsl #48
        movz    x5, #0x2d32
        movk    x5, #0x7962, lsl #16
        movk    x5, #0x6574, lsl #32
        movk    x5, #0x6b20, lsl #48
        fmov    d16, x4
        mov     state_a.d[1], x5
        ld1     {v17.4s, v18.4s}, [key]
        ld1     {v19.2s}, [counter]
        mov     x4, #1
        fmov    d20, x4

.Lblock:
        mov     row_a.16b, state_a.16b
        mov     row_b.16b, state_b.16b
        mov     row_c.16b, state_c.16b
        mov     row_d.16b, state_d.16b
        mov     count, #10
.Lrounds:
        quarter_rounds
        turn    row_b, 4
        turn    row_c, 8
        turn    row_d, 12
        quarter_rounds
        turn    row_b, 12
        turn    row_c, 8
        turn    row_d, 4
        subs    count, count, #1
        b.ne    .Lrounds

        add     row_a.4s, row_a.4s, state_a.4s
        add     row_b.4s, row_b.4s, state_b.4s
        add     row_c.4s, row_c.4s, state_c.4s
        add     row_d.4s, row_d.4s, state_d.4s
        st1     {v0.16b, v1.16b, v2.16b, v3.16b}, [dst], #64    /* byte 0 of word 0 first, whatever the byte order */
        add     state_d.2d, state_d.2d, one.2d  /* carries into word 13, and no further */
        subs    left, left, #1
        b.ne    .Lblock

        st1     {v19.2s}, [counter]
        .irp    n, 0, 1, 2, 3, 4, 17, 18
        movi    v\n\().2d, #0
        .endr
.Lnothing:
        ret
        .cfi_endproc
        .size   qs_chacha20_blocks_nostack, . - qs_chacha20_blocks_nostack

#ifdef __ARM_FEATURE_BTI_DEFAULT
        .section .note.gnu.property, "a"        /* this object has landing pads */
        .balign 8
        .word   4, 16, 5
        .asciz  "GNU"
        .word   0xc0000000, 4, 1, 0
#endif
#endif
