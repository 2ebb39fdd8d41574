/* SPDX-License-Identifier: MIT
 *
 * LoongArch64: what every .S file here starts with; see x86_64/asm.h for the shape of a file.
 *
 * lp64 ABI. Arguments: a0 to a7; of a 32-bit argument the upper half is its sign. Free: a0 to a7, t0 to t8, ra, f0 to f23,
 * and with them vector registers 0 to 23. Kept for the caller: s0 to s8, fp, sp, f24 to f31, which are the lower 64 bits of
 * vector registers 24 to 31. tp and r21 belong to the system. A signal may overwrite whatever lies below sp.
 *
 * Assemblers know LSX and LASX without being told. There are no landing pads.
 */
#ifndef QS_LOONGARCH64_ASM_H
#define QS_LOONGARCH64_ASM_H

        .section .note.GNU-stack, "", %progbits
        .text

#ifdef __loongarch_lp64
#define QS_LOONGARCH64 1 /* as in port.h */

        /* A function that C calls, for this library only. */
        .macro function name
        .globl \name
        .hidden \name
        subroutine \name
        .endm

        /* One that only this file calls. */
        .macro subroutine name
        .text
        .balign 32
        .type \name, @function
\name:
        .cfi_startproc
        .endm

        .macro end_function name
        .cfi_endproc
        .size \name, . - \name
        .endm

        .macro frame size
        addi.d $sp, $sp, -(\size)
        .cfi_adjust_cfa_offset \size
        .endm

        .macro end_frame size
        addi.d $sp, $sp, \size
        .cfi_adjust_cfa_offset -(\size)
        .endm

        /* s0 to s8, fp and ra into the 88 bytes at sp + offset. */
        .macro save_registers offset
        .irp n, 23, 24, 25, 26, 27, 28, 29, 30, 31
        st.d $r\n, $sp, \offset + 8 * (\n - 23)
        .cfi_rel_offset \n, \offset + 8 * (\n - 23)
        .endr
        st.d $fp, $sp, \offset + 72
        .cfi_rel_offset 22, \offset + 72
        st.d $ra, $sp, \offset + 80
        .cfi_rel_offset 1, \offset + 80
        .endm

        .macro restore_registers offset
        .irp n, 23, 24, 25, 26, 27, 28, 29, 30, 31
        ld.d $r\n, $sp, \offset + 8 * (\n - 23)
        .cfi_restore \n
        .endr
        ld.d $fp, $sp, \offset + 72
        .cfi_restore 22
        ld.d $ra, $sp, \offset + 80
        .cfi_restore 1
        .endm

        /* Zero in all of the vector registers that are free to use. */
        .macro wipe_vectors_lsx
        .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23
        vxor.v $vr\n, $vr\n, $vr\n
        .endr
        .endm

        .macro wipe_vectors_lasx
        .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23
        xvxor.v $xr\n, $xr\n, $xr\n
        .endr
        .endm

        /* len < 16 bytes at `from` to the 16 at `to`, and zeros behind them. Moves both; `part` is free. */
        .macro pad_16 to, from, len, part
        st.d $zero, \to, 0
        st.d $zero, \to, 8
        take 8, ld.d, st.d, \to, \from, \len, \part
        take 4, ld.w, st.w, \to, \from, \len, \part
        take 2, ld.h, st.h, \to, \from, \len, \part
        take 1, ld.b, st.b, \to, \from, \len, \part
        .endm

        .macro take bytes, load, store, to, from, len, part
        andi \part, \len, \bytes
        beqz \part, 1f
        \load \part, \from, 0
        \store \part, \to, 0
        addi.d \from, \from, \bytes
        addi.d \to, \to, \bytes
1:
        .endm

        /* What follows is data that never changes, from a multiple of 32 on. `.text` or the next function ends it. */
        .macro constants
        .section .rodata
        .balign 32
        .endm
#endif

#endif
