/* SPDX-License-Identifier: MIT
 *
 * Whole messages, for the scalar row, LSX and LASX: what stands around the kernels of a row. Who includes this defines
 * SCALAR, where there are no vectors; LANES, the blocks of a pass in columns; COLUMNS, from how many blocks on
 * such a pass takes less than rows; LEAST, from how many blocks on POLY1305 uses vectors; CHACHA, POLY1305 and XOR_STREAM,
 * the kernels; and the macros no_text (what CHACHA takes for zeros), wipe_two_blocks and wipe_all.
 *
 *   void NAME(const struct qs_message *m)              seals
 *   qs_status NAME(const struct qs_message *m)         opens
 *
 * Vectors make many blocks in the time of one, so the key block is made in one pass with the first blocks of the text, and
 * blocks that end the text, in part, in one pass with whole ones. Both passes go through a buffer of keystream; what lies
 * between them goes straight through. Text of more than a chunk is authenticated by the chunk, while the cache holds it.
 * Opening first computes the tag of what came and compares; the keystream of the first pass waits meanwhile.
 *
 * Tried and lost: the same in C, which saves, spills and then wipes a frame of unknown content (150 instructions more).
 */
#define CHUNK   4096            /* a multiple of 64 LANES */

#define m       $s0
#define out     $s1
#define in      $s2
#define left    $s3             /* of the text */
#define done    $s4             /* up to where the MAC has taken it */
#define sealing $s5
#define rest    $s6             /* of a chunk, behind whole passes */
#define n       $t0
#define x       $t1
#define y       $t2

#define STREAM  0               /* from sp on */
#define STATE   (64 * LANES)
#define COUNTER (STATE + 48)
#define ACC     (STATE + 64)
#define MAC_KEY (ACC + 32)      /* r and s */
#define END     (MAC_KEY + 32)  /* a padded end of AD or text */
#define SAVED   (END + 32)
#define SIZE    (SAVED + 64)

        .macro  save_seven
        .irp    r, 23, 24, 25, 26, 27, 28, 29
        st.d    $r\r, $sp, SAVED + 8 * (\r - 23)
        .cfi_rel_offset \r, SAVED + 8 * (\r - 23)
        .endr
        st.d    $ra, $sp, SAVED + 56
        .cfi_rel_offset 1, SAVED + 56
        .endm

        .macro  restore_seven
        .irp    r, 23, 24, 25, 26, 27, 28, 29
        ld.d    $r\r, $sp, SAVED + 8 * (\r - 23)
        .cfi_restore \r
        .endr
        ld.d    $ra, $sp, SAVED + 56
        .cfi_restore 1
        .endm

#ifdef SCALAR
        .macro  copy_constants_and_key from
        la.pcrel x, constants_and_clamp
        ld.d    $a0, x, 0
        ld.d    $a1, x, 8
        ld.d    $a2, \from, 0
        ld.d    $a3, \from, 8
        ld.d    $a4, \from, 16
        ld.d    $a5, \from, 24
        st.d    $a0, $sp, STATE
        st.d    $a1, $sp, STATE + 8
        st.d    $a2, $sp, STATE + 16
        st.d    $a3, $sp, STATE + 24
        st.d    $a4, $sp, STATE + 32
        st.d    $a5, $sp, STATE + 40
        .endm

        .macro  copy_mac_key
        la.pcrel y, constants_and_clamp
        ld.d    $a0, $sp, STREAM
        ld.d    $a1, $sp, STREAM + 8
        ld.d    $a2, y, 16
        ld.d    $a3, y, 24
        ld.d    $a4, $sp, STREAM + 16
        ld.d    $a5, $sp, STREAM + 24
        and     $a0, $a0, $a2
        and     $a1, $a1, $a3
        st.d    $a0, $sp, MAC_KEY
        st.d    $a1, $sp, MAC_KEY + 8
        st.d    $a4, $sp, MAC_KEY + 16
        st.d    $a5, $sp, MAC_KEY + 24
        .endm
#else
        .macro  copy_constants_and_key from
        la.pcrel x, constants_and_clamp
        vld     $vr0, x, 0
        vld     $vr1, \from, 0
        vld     $vr2, \from, 16
        vst     $vr0, $sp, STATE
        vst     $vr1, $sp, STATE + 16
        vst     $vr2, $sp, STATE + 32
        .endm

        .macro  copy_mac_key                    /* r clamped, and s */
        la.pcrel y, constants_and_clamp
        vld     $vr0, $sp, STREAM
        vld     $vr1, y, 16
        vld     $vr2, $sp, STREAM + 16
        vand.v  $vr0, $vr0, $vr1
        vst     $vr2, $sp, MAC_KEY + 16
        vst     $vr0, $sp, MAC_KEY
        .endm
#endif

        /* n blocks of keystream, or some more, to sp + STREAM. */
        .macro  make_stream
        sltui   x, n, COLUMNS
        move    $a2, n
        bnez    x, 1f
        ori     $a2, $zero, LANES
1:      addi.d  $a0, $sp, STREAM
        no_text $a1
        addi.d  $a3, $sp, STATE
        ld.w    $a4, m, 68
        bl      CHACHA
        .endm

        /* n blocks at `from`, if there are any. */
        .macro  authenticate from
        beqz    n, 1f
        addi.d  $a0, $sp, ACC
        addi.d  $a1, $sp, MAC_KEY
        move    $a2, \from
        move    $a3, n
        ori     $a4, $zero, 1
        bl      POLY1305
1:
        .endm

        .macro  take    bytes, load, store
        andi    $a3, $a1, \bytes
        beqz    $a3, 1f
        \load   $a3, $a0, 0
        \store  $a3, $a2, 0
        addi.d  $a0, $a0, \bytes
        addi.d  $a2, $a2, \bytes
1:
        .endm

        /* a1 < 16 bytes at a0 to sp + END, and zeros behind them. Changes a0 to a3. */
        .macro  pad_end
        addi.d  $a2, $sp, END
        st.d    $zero, $a2, 0
        st.d    $zero, $a2, 8
        take    8, ld.d, st.d
        take    4, ld.w, st.w
        take    2, ld.h, st.h
        take    1, ld.b, st.b
        .endm

        .macro  message_functions name, isa
        function qs_seal_message_\isa
        ori     $a1, $zero, 1
        b       \name
        end_function qs_seal_message_\isa

        function qs_open_message_\isa
        move    $a1, $zero
        b       \name
        end_function qs_open_message_\isa

        .type   \name, @function
\name:
        .cfi_startproc
        frame   SIZE
        save_seven
        move    m, $a0
        move    sealing, $a1

        ld.d    n, m, 0                         /* state: constants, key, 0, nonce */
        copy_constants_and_key n
        ld.d    x, m, 56
        ld.w    y, m, 64
        ld.d    left, m, 24
        st.w    $zero, $sp, COUNTER
        st.d    x, $sp, STATE + 52
        st.w    y, $sp, STATE + 60
        addi.d  n, left, 127                    /* the key block, and the text's */
        srli.d  n, n, 6
        make_stream

        ld.d    x, m, 40
        ld.d    out, m, 8
        ld.d    in, m, 16
        copy_mac_key
        st.d    $zero, $sp, ACC
        st.d    $zero, $sp, ACC + 8
        st.d    $zero, $sp, ACC + 16
        bnez    x, .Lad
.Lad_done:
        beqz    sealing, .Lopen

.Ltext:
        move    done, out
        ori     n, $zero, 64 * (LANES - 1)      /* what the first pass holds */
        bltu    n, left, 1f
        move    n, left
1:      sub.d   left, left, n
        move    $a0, out
        move    $a1, in
        addi.d  $a2, $sp, STREAM + 64
        move    $a3, n
        add.d   out, out, n
        add.d   in, in, n
        bl      XOR_STREAM
        bnez    left, .Lfirst_more
.Lchunk_done:
        beqz    sealing, .Lopened_chunk
        sub.d   n, out, done
        bnez    left, .Lsealed_chunk
.Lfinish:                                       /* the last n bytes are at `done` */
        sltui   x, n, 16 * LEAST
        beqz    x, .Lmany
.Lfew:
        addi.d  $a0, $sp, ACC
        move    $a1, m
        move    $a2, done
        move    $a3, n
        bl      qs_message_end
        ld.d    x, m, 48
        beqz    sealing, .Lcompare
        st.d    $a0, x, 0
        st.d    $a1, x, 8
.Lopened:
        move    $a0, $zero
.Lwipe:
        ld.d    x, m, 24
        sltui   x, x, 65
        beqz    x, .Lwipe_all
        wipe_two_blocks                         /* all that was used for so little text */
.Lwiped:
        .cfi_remember_state
        restore_seven
        end_frame SIZE
        ret
        .cfi_restore_state

        /* AD: whole blocks, then what is left of it */
.Lad:
        srli.d  n, x, 4
        ld.d    done, m, 32
        authenticate done
        ld.d    x, m, 40
        andi    $a1, x, 15
        beqz    $a1, .Lad_done
        sub.d   x, x, $a1
        add.d   $a0, done, x
        pad_end
        ori     n, $zero, 1
        addi.d  x, $sp, END
        authenticate x
        b       .Lad_done

        /* More text than the first pass holds: whole passes go straight through, what is left through the buffer. */
.Lfirst_more:
        ori     x, $zero, LANES
        st.w    x, $sp, COUNTER
.Lnext_chunk:
        lu12i.w n, CHUNK >> 12
        bltu    n, left, 1f
        move    n, left
1:      sub.d   left, left, n
        bstrpick.d rest, n, PASS_BITS - 1, 0
        sub.d   n, n, rest
        beqz    n, .Lragged
        move    $a0, out
        move    $a1, in
        srli.d  $a2, n, 6
        addi.d  $a3, $sp, STATE
        ld.w    $a4, m, 68
        ld.w    x, $sp, COUNTER
        add.d   out, out, n
        add.d   in, in, n
        add.w   x, x, $a2
        st.w    x, $sp, END                     /* the counter afterwards */
        bl      CHACHA
        ld.w    x, $sp, END
        st.w    x, $sp, COUNTER
.Lragged:
        beqz    rest, .Lchunk_done
        addi.d  n, rest, 63
        srli.d  n, n, 6
        make_stream
        move    $a0, out
        move    $a1, in
        addi.d  $a2, $sp, STREAM
        move    $a3, rest
        add.d   out, out, rest
        add.d   in, in, rest
        bl      XOR_STREAM
        b       .Lchunk_done

.Lsealed_chunk:
        move    x, done
        srli.d  n, n, 4
        alsl.d  done, n, done, 4
        authenticate x
        b       .Lnext_chunk

.Lmany:
        move    x, done
        srli.d  n, n, 4
        alsl.d  done, n, done, 4
        authenticate x
        ld.d    n, m, 24
        andi    n, n, 15
        b       .Lfew

.Lopen:
        move    done, in
        move    n, left
        b       .Lfinish
.Lcompare:
        ld.d    y, x, 0
        ld.d    x, x, 8
        xor     $a0, $a0, y
        xor     $a1, $a1, x
        or      $a0, $a0, $a1
        beqz    $a0, .Ltext
        addi.d  $a0, $zero, -1                  /* QS_ERR_AUTH */
        b       .Lwipe
.Lopened_chunk:
        bnez    left, .Lnext_chunk
        b       .Lopened

.Lwipe_all:
        wipe_all
        b       .Lwiped
        .cfi_endproc
        .size   \name, . - \name
        .endm
