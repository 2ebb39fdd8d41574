/* SPDX-License-Identifier: MIT
 *
 * ChaCha20 keystream for MIPS32 release 2 that never touches the stack.
 *
 *   void qs_chacha20_blocks_nostack(uint8_t *dst, const uint32_t *key, uint32_t *counter, size_t nblocks)
 *
 * ../../include/quickstep.h says what it does. Sixteen words, four arguments and a count are more than the registers that a
 * call may change: five that it must keep wait in floating point registers. Without those (soft float) there is no place
 * for them but the stack, and this function does not exist.
 */
#include "asm.h"
#if defined(QS_MIPS32R2) && defined(__mips_hard_float)

        .set    hardfloat

#define dst     $4
#define key     $5
#define counter $6
#define left    $7              /* blocks */
#define x0      $1
#define x1      $2
#define x2      $3
#define x3      $8
#define x4      $9
#define x5      $10
#define x6      $11
#define x7      $12
#define x8      $13
#define x9      $14
#define x10     $15
#define x11     $24
#define x12     $25
#define x13     $16
#define x14     $17
#define x15     $18
#define count   $19             /* double rounds; then a state word */
#define word    $20             /* of the state */

#include "chacha_rounds.inc"

        .macro  keep    n, f
        mtc1    $\n, $f\f
        .cfi_register \n, 32 + \f
        .endm

        .macro  give_back n, f
        mfc1    $\n, $f\f
        .cfi_restore \n
        mtc1    $0, $f\f
        .endm

        .macro  constant x, value
        lui     \x, \value >> 16
        ori     \x, \x, \value & 0xffff
        .endm

        .macro  add_constant x, value
        constant word, \value
        addu    \x, \x, word
        .endm

        .macro  add_words xa, xb, at, from      /* two, so that no load is waited for */
        lw      word, \at(\from)
        lw      count, \at + 4(\from)
        addu    \xa, \xa, word
        addu    \xb, \xb, count
        .endm

        .macro  write x, at
        little_endian \x
        sw      \x, \at(dst)
        .endm

        public_function qs_chacha20_blocks_nostack
        beqz    left, .Lnothing
         nop
        keep    16, 0
        keep    17, 2
        keep    18, 4
        keep    19, 6
        keep    20, 8

.Lblock:
        constant x0, 0x61707865                 /* "expand 32-byte k" */
        constant x1, 0x3320646e
        constant x2, 0x79622d32
        constant x3, 0x6b206574
        lw      x4, 0(key)
        lw      x5, 4(key)
        lw      x6, 8(key)
        lw      x7, 12(key)
        lw      x8, 16(key)
        lw      x9, 20(key)
        lw      x10, 24(key)
        lw      x11, 28(key)
        lw      x12, 0(counter)
        lw      x13, 4(counter)
        move    x14, $0
        move    x15, $0
        addiu   count, $0, 10
.Lrounds:
        addiu   count, count, -1
        double_round .Lrounds

        add_constant x0, 0x61707865
        add_constant x1, 0x3320646e
        add_constant x2, 0x79622d32
        add_constant x3, 0x6b206574
        add_words x4, x5, 0, key
        add_words x6, x7, 8, key
        add_words x8, x9, 16, key
        add_words x10, x11, 24, key
        add_words x12, x13, 0, counter
        addiu   word, word, 1                   /* carries into word 13, and no further */
        sw      word, 0(counter)
        sltiu   word, word, 1
        addu    count, count, word
        sw      count, 4(counter)

        addiu   left, left, -1
        write   x0, 0
        write   x1, 4
        write   x2, 8
        write   x3, 12
        write   x4, 16
        write   x5, 20
        write   x6, 24
        write   x7, 28
        write   x8, 32
        write   x9, 36
        write   x10, 40
        write   x11, 44
        write   x12, 48
        write   x13, 52
        write   x14, 56
        write   x15, 60
        bnez    left, .Lblock
         addiu  dst, dst, 64

        give_back 16, 0
        give_back 17, 2
        give_back 18, 4
        give_back 19, 6
        give_back 20, 8
        .irp    n, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25
        move    $\n, $0
        .endr
.Lnothing:
        jr      $31
         nop
        end_function qs_chacha20_blocks_nostack
#endif
