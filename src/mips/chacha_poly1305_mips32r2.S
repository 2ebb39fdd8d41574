/* SPDX-License-Identifier: MIT
 *
 * ChaCha, Poly1305 and whole messages for MIPS32 release 2, o32, either byte order. The contracts are in ../kernel.h:
 *
 *   void qs_chacha_blocks_mips32r2(uint8_t *out, const uint8_t *in, size_t nblocks, const uint32_t state[16],
 *                                  unsigned rounds)
 *   void qs_poly1305_blocks_mips32r2(uint32_t h[5], const uint32_t r[4], const uint8_t *in, size_t nblocks, uint32_t pad)
 *   void qs_seal_mips32r2(const struct qs_message *m)
 *   qs_status qs_open_mips32r2(const struct qs_message *m)
 *
 * A message goes through ChaCha once: block 0, whole blocks and the rest of the text are ways out of one loop, and what
 * does not depend on the counter is done once for all of them. Then through Poly1305 once. Opening leaves ChaCha after block
 * 0 and comes back when the tag is right; what was mixed ahead has waited in the frame. So a message costs about 250
 * instructions more than its blocks.
 *
 * Everything is one object with one frame, whose parts branch into each other.
 */
#include "asm.h"

#ifdef QS_MIPS32R2

/* The frame. */
#define MIXED 0         /* words 1 to 3, 5 to 7, 9 to 11, 13 to 15 after what does not depend on the counter */
#define STATE 48        /* words 0 to 11 of the state */
#define COUNT 96        /* what ChaCha's loop begins with */
#define TAIL_LEN 100    /* bytes of text behind the whole blocks, if they are to be enciphered now */
#define TEXT 104        /* where the ciphertext is */
#define MODE 108        /* what to do when ChaCha is done */
#define KEY 112         /* the first half of block 0, in the CPU's byte order */
#define BUFFER 144      /* a block that is not whole; and behind it */
#define LENGTHS 160     /* the block of lengths */
#define SAVED 176
#define FRAME 216
#define ARGUMENT FRAME($sp) /* the first one, in its home: the message, or Poly1305's h */

#define BLOCKS -1       /* modes: return; */
#define OPENED 0        /* return QS_OK; */
#define SEALING 1       /* authenticate, write the tag; */
#define OPENING 2       /* authenticate, compare the tag, and on to OPENED */

/* struct qs_message */
#define M_KEY 0
#define M_OUT 4
#define M_IN 8
#define M_LEN 12
#define M_AD 16
#define M_AD_LEN 20
#define M_TAG 24
#define M_NONCE 28
#define M_ROUNDS 40

#include "chacha_mips32r2.inc"
#include "poly1305_mips32r2.inc"

/* ---- messages ----------------------------------------------------------------------------------------------------- */

        function qs_open_mips32r2
        save_registers FRAME, SAVED
        lw in, M_IN($4)
        lw $3, M_OUT($4)
        addiu $2, $0, OPENING
        sw in, TEXT($sp)
        move end, in            /* no text yet */
        b .Lmessage
         sw $0, TAIL_LEN($sp)
        end_function qs_open_mips32r2

        function qs_seal_mips32r2
        save_registers FRAME, SAVED
        lw end, M_LEN($4)
        lw in, M_IN($4)
        lw $3, M_OUT($4)
        addiu $2, $0, SEALING
        andi $1, end, 63
        subu end, end, $1
        addu end, in, end
        sw $3, TEXT($sp)
        sw $1, TAIL_LEN($sp)

.Lmessage:
        sw $4, ARGUMENT
        lw $7, M_KEY($4)
        lw count, M_ROUNDS($4)
        lw x13, M_NONCE($4)
        lw x14, M_NONCE + 4($4)
        lw x15, M_NONCE + 8($4)
        sw $2, MODE($sp)
        lui x0, 0x6170          /* "expand 32-byte k" */
        lui x1, 0x3320
        lui x2, 0x7962
        lui x3, 0x6b20
        ori x0, x0, 0x7865
        ori x1, x1, 0x646e
        ori x2, x2, 0x2d32
        ori x3, x3, 0x6574
        .irp n, 12, 13, 14, 15, 16, 17, 18, 19
        lw $\n, 4 * (\n - 12)($7)
        .endr
        move counter, $0
        addiu count, count, -6
        b .Lbegin
         move out, $3

.Ltext_done:
        lw $1, MODE($sp)
        lw $7, ARGUMENT
        bltz $1, .Lwipe
         lw r0, KEY($sp)
        beqz $1, .Lopened
         lw r1, KEY + 4($sp)

        lw r2, KEY + 8($sp)
        lw r3, KEY + 12($sp)
        lw end, M_AD_LEN($7)
        lw in, M_AD($7)
        ext r0, r0, 0, 28       /* clamp */
        ext s1, r1, 2, 26       /* r / 4 */
        ext s2, r2, 2, 26
        ext s3, r3, 2, 26
        sll r1, s1, 2
        sll r2, s2, 2
        sll r3, s3, 2
        addu s1, s1, r1
        addu s2, s2, r2
        addu s3, s3, r3
        move a4, $0
        addiu one, $0, 1
        addiu five, $0, 5
        beqz end, .Lauthenticate_text
         addiu pad, $0, 1
        bal .Labsorb
         ins end, $0, 0, 4
        lw $7, ARGUMENT
        nop
        lw m3, M_AD_LEN($7)
        nop
        andi m3, m3, 15
        beqz m3, .Lauthenticate_text
         nop
        bal .Lpad
         nop
        bal .Labsorb
         addiu end, $0, 16

.Lauthenticate_text:
        lw $7, ARGUMENT
        lw in, TEXT($sp)
        lw end, M_LEN($7)
        lw m1, M_AD_LEN($7)
        sw $0, LENGTHS + 4($sp)
        move m2, end
        little_endian m1
        little_endian m2
        sw m1, LENGTHS($sp)
        sw m2, LENGTHS + 8($sp)
        sw $0, LENGTHS + 12($sp)
        bal .Labsorb
         ins end, $0, 0, 4
        lw $7, ARGUMENT
        nop
        lw m3, M_LEN($7)
        nop
        andi m3, m3, 15
        beqz m3, 1f
         addiu end, $0, 16
        bal .Lpad
         addiu end, $0, 32
        b 2f
         nop
1:      addiu in, $sp, LENGTHS
2:      bal .Labsorb
         nop
        bal .Llast_step
         nop

        last_reduction KEY + 16
        little_endian b0
        little_endian b1
        little_endian b2
        little_endian b3

        lw $4, ARGUMENT
        lw $1, MODE($sp)
        lw $3, M_TAG($4)
        addiu $1, $1, -SEALING
        bnez $1, .Lcompare
         nop
        store 0, b0, 0, $3
        store 0, b1, 4, $3
        store 0, b2, 8, $3
        store 0, b3, 12, $3
        b .Lfinish
         nop

.Lcompare:
        load 0, m0, 0, $3
        load 0, m1, 4, $3
        load 0, m2, 8, $3
        load 0, m3, 12, $3
        xor b0, b0, m0
        xor b1, b1, m1
        xor b2, b2, m2
        xor b3, b3, m3
        or b0, b0, b1
        or b2, b2, b3
        or b0, b0, b2
        bnez b0, .Lfinish
         addiu $2, $0, -1       /* QS_ERR_AUTH */

        lw in, M_IN($4)         /* on with the text */
        lw end, M_LEN($4)
        lw x0, M_KEY($4)
        lw state13, M_NONCE($4)
        lw state14, M_NONCE + 4($4)
        lw state15, M_NONCE + 8($4)
        lw state4, 0(x0)
        lw state8, 16(x0)
        lw sum04, STATE($sp)
        lw out, M_OUT($4)
        andi x1, end, 63
        subu end, end, x1
        addu end, in, end
        sw x1, TAIL_LEN($sp)
        sw $0, MODE($sp)        /* OPENED */
        addiu counter, $0, 1
        bne in, end, .Lblock
         addu sum04, sum04, state4
        b .Lend_of_blocks
         nop

.Lopened:
        move $2, $0             /* QS_OK */
.Lfinish:
        .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
        sw $0, KEY + 4 * \n($sp) /* and BUFFER */
        .endr
.Lwipe:
        .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
        sw $0, MIXED + 4 * \n($sp)
        .endr
        .irp n, 5, 6, 7, 9, 10, 11
        sw $0, STATE + 4 * \n($sp)
        .endr
        restore_and_return FRAME, SAVED
        end_function qs_seal_mips32r2
#endif
