/* SPDX-License-Identifier: MIT
 *
 * The end of a message's MAC for LoongArch64, in general registers, in one piece: text, lengths and tag.
 *
 *   tag in a0 and a1 = qs_message_end(work, m, text, len)
 *
 * work     h (three words of 64 bits, of which the last is small), at 32 r, at 48 s, and at 64 room for 16 bytes, which are
 *          left to the caller to wipe
 * m        the message
 * text     the last len bytes of it, all multiples of 16 before them being in h
 *
 * Only message.inc's functions call it. A call of a Poly1305 row for each piece would fetch and store h and r again, which
 * for few blocks takes as long as the blocks.
 */
#include "asm.h"
#ifdef QS_LOONGARCH64

#include "poly1305.inc"
#undef in

#define work    $a0
#define m       $a1
#define text    $a2
#define end     $a3             /* of whole blocks */
#define rest    $a4             /* bytes behind them */
#define k       $t3             /* h >> 130 */
#define reach   $t4

        /* The rest of the text, and zeros, into m0 and m1 */
        .macro  load_rest
        addi.d  part, work, 64
        pad_16  part, text, rest, carry
        ld.d    m0, work, 64
        ld.d    m1, work, 72
        .endm

        .macro  load_lengths
        ld.d    m0, m, 40
        ld.d    m1, m, 24
        .endm

        function qs_message_end
        andi    rest, end, 15
        sub.d   end, end, rest
        ld.d    h0, work, 0
        ld.d    h1, work, 8
        ld.d    h2, work, 16
        ld.d    r0, work, 32
        ld.d    r1, work, 40
        add.d   end, text, end
        srli.d  s1, r1, 2
        add.d   s1, s1, r1
        beq     text, end, .Lno_block
        ld.d    m0, text, 0
        ld.d    m1, text, 8
        add_first 1, addi.d
        addi.d  text, text, 16
        beq     text, end, .Lrest
.Lblock:
        ld.d    m1, text, 8
        ld.d    m0, text, 0
        multiply_add 1, addi.d
        addi.d  text, text, 16
        bne     text, end, .Lblock
.Lrest:
        beqz    rest, .Llengths
        load_rest
        multiply_add 1, addi.d
.Llengths:
        load_lengths
        multiply_add 1, addi.d
.Llast:
        move    m0, $zero
        move    m1, $zero
        multiply_add 0, addi.d

        /* tag = h mod 2^130 - 5, plus s, mod 2^128. With k = h >> 130, h is congruent to h mod 2^130 + 5 k, which is at
         * least 2^130 - 5 exactly when 5 more reach 2^130: that makes k one higher. */
        srli.d  k, h2, 2
        alsl.d  reach, k, k, 2
        andi    h2, h2, 3
        addi.d  reach, reach, 5
        add.d   reach, reach, h0
        sltu    reach, reach, h0
        add.d   reach, reach, h1
        sltu    reach, reach, h1
        add.d   reach, reach, h2
        srli.d  reach, reach, 2
        add.d   k, k, reach
        ld.d    $a1, work, 56
        ld.d    $a0, work, 48
        alsl.d  k, k, k, 2
        add.d   h0, h0, k
        sltu    k, h0, k
        add.d   $a0, $a0, h0
        add.d   h1, h1, k
        sltu    k, $a0, h0
        add.d   $a1, $a1, h1
        add.d   $a1, $a1, k
        ret

.Lno_block:
        beqz    rest, .Lno_text
        load_rest
        add_first 1, addi.d
        b       .Llengths
.Lno_text:
        load_lengths
        add_first 1, addi.d
        b       .Llast
        end_function qs_message_end
#endif
