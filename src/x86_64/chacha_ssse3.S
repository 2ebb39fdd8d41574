/* SPDX-License-Identifier: MIT
 *
 * ChaCha with SSSE3: up to 8 blocks at a time.
 *
 *     void qs_chacha_blocks_ssse3(uint8_t *out, const uint8_t *in, size_t nblocks, const uint32_t state[16],
 *                                 unsigned rounds)
 *     void qs_chacha_ending_ssse3(uint8_t *out, const uint8_t *in, size_t nblocks, struct qs_keystream *k,
 *                                 unsigned rounds)
 *
 * Needs SSSE3. One and two blocks are left to the scalar kernel.
 *
 * Thresholds: cycles of the kernel alone on Zen 5, 20 rounds, input and output: 1 block 275, 2 blocks 545, 3 and 4 645,
 * 5 to 8 975. So the smallest shape that holds all blocks is the fastest; of more than 8, that many and then the rest.
 * `quickstep bench stream --level ssse3 --rows all --sizes ...` shows the same, with some 60 cycles of the frontend.
 *
 * Registers: rdi out, rsi in, rdx blocks left, r11 whether one more is wanted, rcx state, r8d rounds, r9d number of the
 * next block; eax counts rounds, r10 is where a set's area in the frame is. Vector registers: chacha_sets.inc. */
#include "asm.h"

#ifdef QS_X86_64
#include "chacha_ssse3.inc"

/* A quarter of a block: 16 bytes of the block in a register, if so many blocks are left; if not, they are in `next`. */
        .macro put reg, block, quarter, t, next
        movdqa %xmm\reg, %xmm\next
        cmp $\block, %rdx
        jbe 9f
        movdqu 64*\block+16*\quarter(%rsi), %xmm\t
        pxor %xmm\reg, %xmm\t
        movdqu %xmm\t, 64*\block+16*\quarter(%rdi)
        .endm

/* eax: is the block behind those left wanted, and in this set? */
        .macro put_quarter quarter, a, b, c, d, t, next
        words_transpose \a, \b, \c, \d, \t
        put \t, 0, \quarter, \c, \next
        put \d, 1, \quarter, \c, \next
        put \a, 2, \quarter, \c, \next
        put \b, 3, \quarter, \c, \next
9:      test %eax, %eax
        jz 1f
        movdqu %xmm\next, 64+16*\quarter(%rcx)
1:
        .endm

        chacha_functions ssse3
.Lshape:
        lea (%rdx, %r11), %rax
        cmp $2, %rax
        jbe qs_chacha_scalar_from
        sets_passes
        wipe_vectors_sse
        end_frame_pointer
        mov %rdx, %rax
        add %r11, %rax
        jnz .Lshape
        ret
        end_function qs_chacha_blocks_ssse3

/* XOR and store of a set: see sets_passes. */
        subroutine put_set
        xor %eax, %eax
        cmp $SET, %rdx
        cmovb %r11d, %eax
        put_quarter 0, 0, 1, 2, 3, 14, 15
        put_quarter 1, 4, 5, 6, 7, 14, 15
        put_quarter 2, 8, 9, 10, 11, 14, 15
        v_load V*14(%r10), 14
        v_load V*15(%r10), 15
        put_quarter 3, 12, 13, 14, 15, 0, 1
        wipe_sse 0
        set_next
        end_function put_set
#endif
