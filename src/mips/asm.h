/* SPDX-License-Identifier: MIT
 *
 * MIPS32 release 2: what every .S file here starts with.
 *
 * o32. Arguments: $4 to $7, then 16($sp) on; the 16 bytes below those are the callee's. Kept for the caller: $16 to $23,
 * $28, $29 (the stack pointer), $30. $31 is the return. $26 and $27 are the operating system's. All else is free.
 * $28 is not even saved and used: in firmware an interrupt may reach its data through it.
 * Delay slots are filled by hand; what stands in one is indented by one more blank. No macro instructions.
 */
#ifndef QS_MIPS_ASM_H
#define QS_MIPS_ASM_H

        .section .note.GNU-stack, "", %progbits
        .text

#if defined(__mips__) && _MIPS_SIM == _ABIO32 && __mips_isa_rev >= 2 && __mips_isa_rev < 6 &&                          \
    !defined(__mips_micromips) && !defined(QS_PLAIN_C) /* as in port.h */
#define QS_MIPS32R2 1

        .set noreorder
        .set noat
        .set nomacro
        .set nomips16
        .set nomicromips
        .set mips32r2

/* ---- functions ---------------------------------------------------------------------------------------------------- */

        /* A function that C calls, for this library only. */
        .macro function name
        .hidden \name
        public_function \name
        .endm

        /* One of quickstep.h. */
        .macro public_function name
        .text
        .balign 32
        .globl \name
        .type \name, @function
\name:
        .cfi_startproc
        .endm

        .macro end_function name
        .cfi_endproc
        .size \name, . - \name
        .endm

        /* Makes a frame and saves $16 to $23, $30 and $31 in it, from `at` on. */
        .macro save_registers frame, at
        addiu $sp, $sp, -(\frame)
        .cfi_def_cfa_offset \frame
        .irp n, 16, 17, 18, 19, 20, 21, 22, 23
        sw $\n, \at + 4 * (\n - 16)($sp)
        .cfi_rel_offset \n, \at + 4 * (\n - 16)
        .endr
        sw $30, \at + 32($sp)
        .cfi_rel_offset 30, \at + 32
        sw $31, \at + 36($sp)
        .cfi_rel_offset 31, \at + 36
        .endm

        /* Takes all that back; what follows is before that again. */
        .macro restore_and_return frame, at
        .cfi_remember_state
        lw $31, \at + 36($sp)
        .cfi_restore 31
        .irp n, 16, 17, 18, 19, 20, 21, 22, 23
        lw $\n, \at + 4 * (\n - 16)($sp)
        .cfi_restore \n
        .endr
        lw $30, \at + 32($sp)
        .cfi_restore 30
        jr $31
         addiu $sp, $sp, \frame
        .cfi_restore_state
        .endm

/* ---- bytes -------------------------------------------------------------------------------------------------------- */

/* little_endian: a word's bytes, between the CPU's order and ChaCha's and Poly1305's. LEFT, RIGHT: at which bytes of an
 * unaligned word lwl and lwr begin. */
#ifdef __MIPSEB__
#define LEFT 0
#define RIGHT 3
        .macro little_endian x
        wsbh \x, \x
        rotr \x, \x, 16
        .endm
#else
#define LEFT 3
#define RIGHT 0
        .macro little_endian x
        .endm
#endif

        .macro load aligned, x, offset, base
        .if \aligned
        lw \x, \offset(\base)
        .else
        lwl \x, \offset + LEFT(\base)
        lwr \x, \offset + RIGHT(\base)
        .endif
        .endm

        .macro store aligned, x, offset, base
        .if \aligned
        sw \x, \offset(\base)
        .else
        swl \x, \offset + LEFT(\base)
        swr \x, \offset + RIGHT(\base)
        .endif
        .endm
#endif

#endif
