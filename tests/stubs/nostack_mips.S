/* SPDX-License-Identifier: MIT
 *
 * See nostack.h. $16 points to the call all the time: the function must keep it.
 */
#if defined(__mips__) && _MIPS_SIM == _ABIO32 && defined(__mips_hard_float)
#include "../nostack.h"

        .set    noreorder
        .set    noat

        .macro  each_free_float text:vararg     /* in pairs, as doubles */
        .irp    n, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18
        \text   \n
        .endr
        .endm
        .macro  clear n
        mtc1    $0, $f\n
        .endm
        .macro  take_down n
        sdc1    $f\n, NOSTACK_VECTORS + 4 * \n($16)
        .endm

        .text
        .balign 4
        .globl  nostack_enter
        .type   nostack_enter, @function
        .ent    nostack_enter
nostack_enter:
        addiu   $sp, $sp, -32
        sw      $16, 16($sp)
        sw      $31, 20($sp)
        sw      $28, 24($sp)
        move    $16, $4
        sw      $sp, NOSTACK_SAVED($16)
        each_free_float clear
        .irp    n, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 24
        move    $\n, $0
        .endr
        mthi    $0
        mtlo    $0
        lw      $4, NOSTACK_ARGS($16)
        lw      $5, NOSTACK_ARGS + 4($16)
        lw      $6, NOSTACK_ARGS + 8($16)
        lw      $7, NOSTACK_ARGS + 12($16)
        lw      $25, NOSTACK_FUNCTION($16)
        jalr    $25
         lw     $sp, NOSTACK_SP($16)
        lw      $sp, NOSTACK_SAVED($16)

        .irp    n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 31
        sw      $\n, NOSTACK_GENERAL + 4 * \n($16)
        .endr
        mfhi    $2
        mflo    $3
        sw      $2, NOSTACK_GENERAL + 4 * 26($16)
        sw      $3, NOSTACK_GENERAL + 4 * 27($16)
        each_free_float take_down
        lw      $16, 16($sp)
        lw      $31, 20($sp)
        lw      $28, 24($sp)
        jr      $31
         addiu  $sp, $sp, 32
        .end    nostack_enter
        .size   nostack_enter, . - nostack_enter

below:  jr      $31
         sw     $0, -8($sp)
above:  jr      $31
         lw     $0, 16($sp)
general: jr     $31
         lw     $9, 12($5)
vector: jr      $31
         lwc1   $f6, 24($5)

        nostack_table
#endif
        .section .note.GNU-stack, "", %progbits
