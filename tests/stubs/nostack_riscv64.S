/* SPDX-License-Identifier: MIT
 *
 * See nostack.h. s0 points to the call all the time: the function must keep it.
 */
#if defined(__riscv) && __riscv_xlen == 64 && defined(__riscv_flen) && __riscv_flen >= 64
#include "../nostack.h"

        .macro  each_free_float text
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29, 30, 31
        \text   \n
        .endr
        .endm
        .macro  clear n
        fmv.d.x f\n, zero
        .endm
        .macro  take_down n
        fsd     f\n, 8 * \n(t0)
        .endm

        .text
        .balign 4
        .globl  nostack_enter
        .type   nostack_enter, @function
nostack_enter:
        addi    sp, sp, -16
        sd      s0, 0(sp)
        sd      ra, 8(sp)
        mv      s0, a0
        sd      sp, NOSTACK_SAVED(s0)
        each_free_float clear
        .irp    x, t0, t1, t2, t3, t4, t5, a4, a5, a6, a7
        li      \x, 0
        .endr
        ld      a0, NOSTACK_ARGS(s0)
        ld      a1, NOSTACK_ARGS + 8(s0)
        ld      a2, NOSTACK_ARGS + 16(s0)
        ld      a3, NOSTACK_ARGS + 24(s0)
        ld      t6, NOSTACK_FUNCTION(s0)
        ld      sp, NOSTACK_SP(s0)
        jalr    t6
        ld      sp, NOSTACK_SAVED(s0)

        .irp    n, 1, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29, 30, 31
        sd      x\n, NOSTACK_GENERAL + 8 * \n(s0)
        .endr
        addi    t0, s0, NOSTACK_VECTORS
        each_free_float take_down
        ld      s0, 0(sp)
        ld      ra, 8(sp)
        addi    sp, sp, 16
        ret
        .size   nostack_enter, . - nostack_enter

below:  sd      zero, -8(sp)
        ret
above:  ld      zero, 16(sp)
        ret
general: lwu    t3, 12(a1)
        ret
vector: fld     ft7, 24(a1)
        ret

        nostack_table
#endif
        .section .note.GNU-stack, "", %progbits
