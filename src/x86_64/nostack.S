/* SPDX-License-Identifier: MIT
 *
 * ChaCha20 keystream for x86-64 that never touches the stack.
 *
 *   void qs_chacha20_blocks_nostack(uint8_t *dst, const uint32_t *key, uint32_t *counter, size_t nblocks)
 *
 * ../../include/quickstep.h says what it does. SSE2, which every x86-64 has: one block at a time, a row of four words in each
 * register. Between the halves of a double round rows b, c and d turn, so that diagonals stand below each other.
 */
#include "asm.h"
#ifdef QS_X86_64

#define dst     %rdi
#define key     %rsi
#define counter %rdx
#define left    %rcx            /* blocks */
#define count   %eax            /* double rounds */
#define a       %xmm0
#define b       %xmm1
#define c       %xmm2
#define d       %xmm3
#define turned  %xmm4
#define state_a %xmm5           /* "expand 32-byte k" */
#define state_b %xmm6
#define state_c %xmm7
#define state_d %xmm8           /* counter, and a nonce of zeros */
#define one     %xmm9

        .macro  line n, p, q, s                 /* p += q; s = (s ^ p) <<< n */
        paddd   \q, \p
        pxor    \p, \s
        .if     \n == 16
        pshuflw $0xb1, \s, \s
        pshufhw $0xb1, \s, \s
        .else
        movdqa  \s, turned
        pslld   $\n, \s
        psrld   $32 - \n, turned
        por     turned, \s
        .endif
        .endm

        .macro  quarter_rounds
        line    16, a, b, d
        line    12, c, d, b
        line    8, a, b, d
        line    7, c, d, b
        .endm

        public_function qs_chacha20_blocks_nostack
        test    left, left
        jz      .Lnothing
        movabs  $0x3320646e61707865, %rax
        movq    %rax, state_a
        movabs  $0x6b20657479622d32, %rax
        movq    %rax, one
        punpcklqdq one, state_a
        movdqu  (key), state_b
        movdqu  16(key), state_c
        movq    (counter), state_d
        mov     $1, %eax
        movq    %rax, one

.Lblock:
        movdqa  state_a, a
        movdqa  state_b, b
        movdqa  state_c, c
        movdqa  state_d, d
        mov     $10, count
.Lrounds:
        quarter_rounds
        pshufd  $0x39, b, b
        pshufd  $0x4e, c, c
        pshufd  $0x93, d, d
        quarter_rounds
        pshufd  $0x93, b, b
        pshufd  $0x4e, c, c
        pshufd  $0x39, d, d
        dec     count
        jnz     .Lrounds

        paddd   state_a, a
        paddd   state_b, b
        paddd   state_c, c
        paddd   state_d, d
        movdqu  a, (dst)
        movdqu  b, 16(dst)
        movdqu  c, 32(dst)
        movdqu  d, 48(dst)
        paddq   one, state_d                    /* carries into word 13, and no further */
        add     $64, dst
        dec     left
        jnz     .Lblock

        movq    state_d, (counter)
        wipe_sse 0, 1, 2, 3, 4, 6, 7
.Lnothing:
        ret
        end_function qs_chacha20_blocks_nostack
#endif
