/* SPDX-License-Identifier: MIT
 *
 * x86-64: what every .S file here starts with.
 *
 *     #include "asm.h"
 *     #ifdef QS_X86_64
 *             function qs_chacha_blocks_avx2
 *             save rbx
 *             frame 96
 *             ...
 *             end_frame 96
 *             restore rbx
 *             ret
 *             end_function qs_chacha_blocks_avx2
 *
 *             constants
 *     rotate_16: .byte ...
 *     #endif
 *
 * System V ABI. Arguments: rdi, rsi, rdx, rcx, r8, r9, then 8(%rsp) on; of a 32-bit argument the upper half is
 * anything. Result: rax. Kept for the caller: rbx, rbp, r12 to r15, rsp. Free: the other general registers, all vector
 * and mask registers. The direction flag is clear. A signal may overwrite what lies more than 128 bytes below rsp.
 * Upper halves of vector registers are clean at the return (vzeroupper), or code that uses SSE becomes slow.
 *
 * Unwinding must work at every instruction: what moves rsp or a kept register says so, and the macros below do.
 */
#ifndef QS_X86_64_ASM_H
#define QS_X86_64_ASM_H

        .section .note.GNU-stack, "", %progbits
        .text

#if defined(__x86_64__) && defined(__ELF__) && !defined(__ILP32__) /* as in port.h */
#define QS_X86_64 1

#ifdef __CET__
#include <cet.h> /* marks the object as one with landing pads */
#endif

/* ---- functions --------------------------------------------------------------------------------------------------- */

/* A function that C calls, for this library only. */
        .macro function name
        .hidden \name
        public_function \name
        .endm

/* One of quickstep.h. */
        .macro public_function name
        .text
        .balign 64
        .globl \name
        .type \name, @function
\name:
        .cfi_startproc
        endbr64
        .endm

/* Both kernels of ChaCha, qs_chacha_blocks_NAME and, before it, qs_chacha_ending_NAME. What follows is for both: r9d is the
 * number of the first block; r11 is 1 if a block more is wanted, behind the state, else 0. */
        .macro chacha_functions name
        function qs_chacha_ending_\name
        mov $1, %r11d
        jmp .Lchacha_from
        end_function qs_chacha_ending_\name

        function qs_chacha_blocks_\name
        xor %r11d, %r11d
.Lchacha_from:
        mov 48(%rcx), %r9d
        .endm

/* One that only this file calls, directly. */
        .macro subroutine name
        .text
        .balign 64
        .type \name, @function
\name:
        .cfi_startproc
        .endm

        .macro end_function name
        .cfi_endproc
        .size \name, . - \name
        .endm

/* ---- the stack --------------------------------------------------------------------------------------------------- */

        .macro save reg
        push %\reg
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \reg, 0
        .endm

        .macro restore reg
        pop %\reg
        .cfi_adjust_cfa_offset -8
        .cfi_restore \reg
        .endm

        .macro frame size
        sub $(\size), %rsp
        .cfi_adjust_cfa_offset \size
        .endm

        .macro end_frame size
        add $(\size), %rsp
        .cfi_adjust_cfa_offset -(\size)
        .endm

/* For a frame whose place depends on alignment: rbp keeps where the stack was, and unwinding goes by it whatever
 * happens to rsp in between.
 *
 *         frame_pointer
 *         sub $256, %rsp
 *         and $-64, %rsp
 *         ...
 *         end_frame_pointer */
        .macro frame_pointer
        save rbp
        mov %rsp, %rbp
        .cfi_def_cfa_register rbp
        .endm

        .macro end_frame_pointer
        mov %rbp, %rsp
        .cfi_def_cfa_register rsp
        restore rbp
        .endm

/* ---- wiping ---------------------------------------------------------------------------------------------------------
 *
 * The vector registers named (by number) become zero in their full width; all of these are zero idioms, which take no
 * execution unit. `wipe_vectors_...` wipes all of its set, and leaves upper halves clean: put it before `ret`. */

        .macro wipe_sse regs:vararg             /* 0 to 15; leaves upper halves as they are */
        .irp n, \regs
        pxor %xmm\n, %xmm\n
        .endr
        .endm

        .macro wipe_avx regs:vararg             /* 0 to 15 */
        .irp n, \regs
        vpxor %xmm\n, %xmm\n, %xmm\n
        .endr
        .endm

        .macro wipe_avx512 regs:vararg          /* 0 to 31 */
        .irp n, \regs
        vpxord %zmm\n, %zmm\n, %zmm\n
        .endr
        .endm

        .macro wipe_vectors_sse
        wipe_sse 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        .endm

        .macro wipe_vectors_avx
        wipe_avx 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        vzeroupper
        .endm

        .macro wipe_vectors_avx512              /* mask registers hold nothing secret */
        wipe_avx512 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
        wipe_vectors_avx
        .endm

/* ---- constants --------------------------------------------------------------------------------------------------- */

/* What follows is data that never changes, from a multiple of 64 on. `.text` or the next function ends it. */
        .macro constants
        .section .rodata
        .balign 64
        .endm
#endif

#endif
