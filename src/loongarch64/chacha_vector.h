/* SPDX-License-Identifier: MIT
 *
 * ChaCha in vector registers, for LSX and for LASX. Who includes this defines R(n), vector register n; V(op), an
 * operation on all of it; LANES, its 32-bit lanes; and the macros in which the two differ: load_row, start_row_d,
 * write_columns and write_rows.
 *
 *   void NAME(uint8_t *out, const uint8_t *in, size_t nblocks, const uint32_t state[16], unsigned rounds)
 *
 * Beyond the contract in ../kernel.h, in may be NULL for at most LANES blocks: then the keystream itself is written, possibly
 * of one block more, and the vector registers are left to the caller to wipe.
 *
 * Many blocks go in columns: lane i of the sixteen registers is block i. The last few go in rows: a register holds four
 * words of a block, of two blocks with LASX, and one to three such sets of a, b, c and d go side by side. Only registers 0
 * to 23 are used, which need not be kept; no secret is left in them or on the stack.
 */
#define ADD V(add.w)
#define XOR V(xor.v)
#define ROTR V(rotri.w)
#define SHUFFLE V(shuf4i.w)
#define LOAD_ALL V(ldrepl.w)    /* a word of memory to all lanes */

#define x0      R(0)
#define x1      R(1)
#define x2      R(2)
#define x3      R(3)
#define x4      R(4)
#define x5      R(5)
#define x6      R(6)
#define x7      R(7)
#define x8      R(8)
#define x9      R(9)
#define x10     R(10)
#define x11     R(11)
#define x12     R(12)
#define x13     R(13)
#define x14     R(14)
#define x15     R(15)
#include "chacha.h"

#define out     $a0
#define in      $a1
#define nblocks $a2
#define state   $a3
#define rounds  $a4
#define number  $a5             /* state word 12 of the next block */
#define left    $t0
#define few     $t1

/* ---- columns ------------------------------------------------------------------------------------------------------ */

#define counter R(16)           /* state word 12 of these blocks */
#define key4    R(17)           /* state words that stay in registers */
#define key8    R(18)
#define word14  R(19)
#define word15  R(20)
#define x0_x4   R(21)           /* x0 + x4, before the first round */
#define u0      R(22)
#define u1      R(23)

        /* x += state words, two at a time */
        .macro  add_state x, at, y, next
        LOAD_ALL u0, state, \at
        LOAD_ALL u1, state, \next
        ADD     \x, \x, u0
        ADD     \y, \y, u1
        .endm

        /* Four words of blocks 0, 1, 2, 3: from columns a, b, c, d to rows b, d, a, c. In LASX the same in both halves, the
         * upper one being blocks 4 to 7. */
        .macro  turn    a, b, c, d
        V(ilvl.w) u0, \b, \a
        V(ilvh.w) u1, \b, \a
        V(ilvl.w) \a, \d, \c
        V(ilvh.w) \c, \d, \c
        V(ilvl.d) \b, \a, u0
        V(ilvh.d) \d, \a, u0
        V(ilvl.d) \a, \c, u1
        V(ilvh.d) \c, \c, u1
        .endm

        /* As many blocks as fill all lanes, as often as there are so many. Leaves `number`. */
        .macro  blocks_in_columns
        frame   FREE_WORDS
        prepare_free_words state
        LOAD_ALL counter, state, 48
        la.pcrel few, lane_numbers
        V(ld)   u0, few, 0
        LOAD_ALL x0_x4, state, 0
        LOAD_ALL key4, state, 16
        LOAD_ALL key8, state, 32
        LOAD_ALL word14, state, 56
        LOAD_ALL word15, state, 60
        ADD     counter, counter, u0
        ADD     x0_x4, x0_x4, key4
        addi.d  rounds, rounds, -4              /* two double rounds are not in the loop */
        ori     few, $zero, LANES
.Lcolumns:
        move    left, rounds
        first_double_round LOAD_ALL, counter, x0_x4, key4, key8
        double_round
.Lcolumns_rounds:
        addi.d  left, left, -4
        double_round
        double_round
        bnez    left, .Lcolumns_rounds

        ADD     x12, x12, counter
        ADD     x4, x4, key4
        ADD     x8, x8, key8
        ADD     x14, x14, word14
        ADD     x15, x15, word15
        add_state x0, 0, x1, 4
        add_state x2, 8, x3, 12
        add_state x5, 20, x6, 24
        add_state x7, 28, x9, 36
        add_state x10, 40, x11, 44
        LOAD_ALL u0, state, 52
        V(addi.wu) counter, counter, LANES
        ADD     x13, x13, u0
        turn    x0, x1, x2, x3
        turn    x4, x5, x6, x7
        turn    x8, x9, x10, x11
        turn    x12, x13, x14, x15
        beqz    in, .Lstream_in_columns
        write_columns
        addi.d  in, in, 64 * LANES
        addi.d  out, out, 64 * LANES
        addi.d  nblocks, nblocks, -LANES
        bgeu    nblocks, few, .Lcolumns

        V(pickve2gr.w) number, counter, 0
        addi.d  rounds, rounds, 4
        wipe_free_words
        end_frame FREE_WORDS
        .endm

/* ---- rows --------------------------------------------------------------------------------------------------------- */

#define AS      R(0), R(1), R(2)        /* of the three sets */
#define BS      R(3), R(4), R(5)
#define CS      R(6), R(7), R(8)
#define DS      R(9), R(10), R(11)
#define A_ROW   R(12), R(12), R(12)     /* the state's */
#define B_ROW   R(13), R(13), R(13)
#define C_ROW   R(14), R(14), R(14)
#define D_ROWS  R(15), R(16), R(17)     /* each set has its counters */

        /* op d, s, e: in each set */
        .macro  each    op, d0, d1, d2, s0, s1, s2, e0, e1, e2
        \op     \d0, \s0, \e0
        .if     .Lsets > 1
        \op     \d1, \s1, \e1
        .endif
        .if     .Lsets > 2
        \op     \d2, \s2, \e2
        .endif
        .endm

        /* a += b; d = (d ^ a) >>> n */
        .macro  row_line n, a0, a1, a2, b0, b1, b2, d0, d1, d2
        each    ADD, \a0, \a1, \a2, \a0, \a1, \a2, \b0, \b1, \b2
        each    XOR, \d0, \d1, \d2, \d0, \d1, \d2, \a0, \a1, \a2
        each    ROTR, \d0, \d1, \d2, \d0, \d1, \d2, \n, \n, \n
        .endm

        /* Four columns, then a, c and d are turned under b, which is ready last. */
        .macro  row_round turn_a, turn_c
        row_line 16, AS, BS, DS
        row_line 20, CS, DS, BS
        row_line 24, AS, BS, DS
        each    SHUFFLE, AS, AS, \turn_a, \turn_a, \turn_a
        row_line 25, CS, DS, BS
        each    SHUFFLE, DS, DS, 0x4e, 0x4e, 0x4e
        each    SHUFFLE, CS, CS, \turn_c, \turn_c, \turn_c
        .endm

        .macro  row_double_round
        row_round 0x93, 0x39
        row_round 0x39, 0x93
        .endm

        /* `count` sets of blocks, from `number` on. */
        .macro  blocks_in_rows count
        .set    .Lsets, \count
        load_row R(12), 0
        load_row R(13), 16
        load_row R(14), 32
        load_row R(15), 48
        start_row_d R(15), R(15)
        .if     .Lsets > 1
        start_row_d R(16), R(15)
        .endif
        .if     .Lsets > 2
        start_row_d R(17), R(15)
        .endif
        each    V(ori.b), AS, A_ROW, 0, 0, 0
        each    V(ori.b), BS, B_ROW, 0, 0, 0
        each    V(ori.b), CS, C_ROW, 0, 0, 0
        each    V(ori.b), DS, D_ROWS, 0, 0, 0
        move    left, rounds
.Lrows_rounds_\count:
        addi.d  left, left, -4
        row_double_round
        row_double_round
        bnez    left, .Lrows_rounds_\count

        each    ADD, AS, AS, A_ROW
        each    ADD, BS, BS, B_ROW
        each    ADD, CS, CS, C_ROW
        each    ADD, DS, DS, D_ROWS
        beqz    in, .Lstream_in_rows_\count
        write_rows 0, R(0), R(3), R(6), R(9)
        .if     .Lsets > 1
        write_rows 1, R(1), R(4), R(7), R(10)
        .endif
        .if     .Lsets > 2
        write_rows 2, R(2), R(5), R(8), R(11)
        .endif
        .endm

        /* Where in is NULL, blocks_in_rows goes there. */
        .macro  stream_in_rows count
.Lstream_in_rows_\count:
        store_rows 0, R(0), R(3), R(6), R(9)
        .if     \count > 1
        store_rows 1, R(1), R(4), R(7), R(10)
        .endif
        .if     \count > 2
        store_rows 2, R(2), R(5), R(8), R(11)
        .endif
        ret
        .endm

/* ---- a keystream that is there already --------------------------------------------------------------------------------
 *
 *   void NAME(uint8_t *out, const uint8_t *in, const uint8_t *stream, size_t len)
 *
 * 64 bytes at a time, then by the bits of what is left of len. */
#define stream  $a2
#define len     $a3
#define bit     $t0
#define part    $t0
#define pad     $t1
#define BYTES   (4 * LANES)

        .macro  advance bytes
        addi.d  in, in, \bytes
        addi.d  stream, stream, \bytes
        addi.d  out, out, \bytes
        .endm

        .macro  xor_64
        V(ld)   R(0), in, 0
        V(ld)   R(1), in, BYTES
        V(ld)   R(2), stream, 0
        V(ld)   R(3), stream, BYTES
        XOR     R(0), R(0), R(2)
        XOR     R(1), R(1), R(3)
        .if     LANES == 4
        V(ld)   R(4), in, 32
        V(ld)   R(5), in, 48
        V(ld)   R(2), stream, 32
        V(ld)   R(3), stream, 48
        XOR     R(4), R(4), R(2)
        XOR     R(5), R(5), R(3)
        V(st)   R(4), out, 32
        V(st)   R(5), out, 48
        .endif
        V(st)   R(0), out, 0
        V(st)   R(1), out, BYTES
        .endm

        .macro  xor_16  at
        vld     $vr0, in, \at
        vld     $vr2, stream, \at
        vxor.v  $vr0, $vr0, $vr2
        vst     $vr0, out, \at
        .endm

        .macro  xor_word bytes, load, store
        andi    bit, len, \bytes
        beqz    bit, .Lno_\bytes
        \load   part, in, 0
        \load   pad, stream, 0
        xor     part, part, pad
        \store  part, out, 0
        advance \bytes
.Lno_\bytes:
        .endm

        .macro  xor_function name
        function \name
        srli.d  left, len, 6
        beqz    left, .Lrest
.Lxor:
        xor_64
        addi.d  left, left, -1
        advance 64
        bnez    left, .Lxor
        andi    bit, len, 63
        beqz    bit, .Lno_1
.Lrest:
        andi    bit, len, 32
        beqz    bit, .Lno_32
        xor_16  0
        xor_16  16
        advance 32
.Lno_32:
        andi    bit, len, 16
        beqz    bit, .Lno_16
        xor_16  0
        advance 16
.Lno_16:
        xor_word 8, ld.d, st.d
        xor_word 4, ld.w, st.w
        xor_word 2, ld.h, st.h
        xor_word 1, ld.b, st.b
        ret
        end_function \name
        .endm
