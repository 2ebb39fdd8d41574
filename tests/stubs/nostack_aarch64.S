/* SPDX-License-Identifier: MIT
 *
 * See nostack.h. x19 points to the call all the time: the function must keep it.
 */
#if defined(__aarch64__) && defined(__ARM_NEON)
#include "../nostack.h"

        .macro  each_free_vector text:vararg
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
        \text   \n
        .endr
        .endm
        .macro  clear n
        movi    v\n\().2d, #0
        .endm
        .macro  take_down n
        str     q\n, [x20, #16 * \n]
        .endm

        .text
        .globl  nostack_enter
        .type   nostack_enter, %function
nostack_enter:
        hint    #34                             /* bti c */
        stp     x19, x30, [sp, #-32]!
        str     x20, [sp, #16]
        mov     x19, x0
        mov     x9, sp
        str     x9, [x19, #NOSTACK_SAVED]
        each_free_vector clear
        .irp    n, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17
        mov     x\n, #0
        .endr
        ldp     x0, x1, [x19, #NOSTACK_ARGS]
        ldp     x2, x3, [x19, #NOSTACK_ARGS + 16]
        ldr     x16, [x19, #NOSTACK_SP]
        mov     sp, x16
        ldr     x16, [x19, #NOSTACK_FUNCTION]
        blr     x16
        ldr     x20, [x19, #NOSTACK_SAVED]
        mov     sp, x20

        add     x20, x19, #NOSTACK_GENERAL
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
        str     x\n, [x20, #8 * \n]
        .endr
        add     x20, x19, #NOSTACK_VECTORS
        each_free_vector take_down
        ldr     x20, [sp, #16]
        ldp     x19, x30, [sp], #32
        ret
        .size   nostack_enter, . - nostack_enter

below:  str     xzr, [sp, #-8]
        ret
above:  ldr     xzr, [sp, #16]
        ret
general: ldr    w9, [x1, #12]
        ret
vector: ldr     d31, [x1, #24]
        ret

        nostack_table
#endif
        .section .note.GNU-stack, "", %progbits
