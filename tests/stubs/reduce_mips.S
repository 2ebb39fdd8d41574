/* SPDX-License-Identifier: MIT
 *
 * void reduce(uint32_t tag[4], const uint32_t h[5], const uint32_t s[4]): the last reduction of the MIPS assembly alone.
 */
#include "../../src/mips/asm.h"

#ifdef QS_MIPS32R2
#include "../../src/mips/poly1305_reduce.inc"

#define S 0
#define SAVED 16
#define FRAME 56

        function reduce
        save_registers FRAME, SAVED
        sw $4, FRAME($sp)
        .irp n, 0, 4, 8, 12
        lw $8, \n($6)
        sw $8, S + \n($sp)
        .endr
        lw b0, 0($5)
        lw b1, 4($5)
        lw b2, 8($5)
        lw b3, 12($5)
        lw b4, 16($5)
        last_reduction S
        lw $4, FRAME($sp)
        sw b0, 0($4)
        sw b1, 4($4)
        sw b2, 8($4)
        sw b3, 12($4)
        restore_and_return FRAME, SAVED
        end_function reduce
#endif
