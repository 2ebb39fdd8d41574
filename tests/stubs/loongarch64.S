/* SPDX-License-Identifier: MIT
 *
 * LoongArch64, lp64: s0 to s8, fp, sp and fs0 to fs7 are kept; tp and r21 belong to the system; nothing below sp is
 * anyone's. See abi.h.
 */
#ifdef __loongarch_lp64
#include "../abi.h"

#define W(index) (8 * (index))
#define BEFORE(word) W(ABI_BEFORE + word)
#define AFTER(word) W(ABI_AFTER + word)

/* words, as abi_words names them */
#define S0 0
#define FP 9
#define SP 10
#define TP 11
#define R21 12
#define FS0 13

#define SAVED (8 * (ABI_MAX_ARGS - 8 + ABI_ABOVE_WORDS))
#define SAVED_FLOAT (SAVED + 88)
#define FRAME (SAVED_FLOAT + 72)

        .text
        .align 2
        .globl abi_enter
        .type abi_enter, @function
abi_enter:
        .cfi_startproc
        addi.d $sp, $sp, -FRAME
        .cfi_def_cfa_offset FRAME
        .irp n, 23, 24, 25, 26, 27, 28, 29, 30, 31
        st.d $r\n, $sp, SAVED + 8 * (\n - 23)
        .cfi_rel_offset \n, SAVED + 8 * (\n - 23)
        .endr
        st.d $fp, $sp, SAVED + 72
        .cfi_rel_offset 22, SAVED + 72
        st.d $ra, $sp, SAVED + 80
        .cfi_rel_offset 1, SAVED + 80
        .irp n, 24, 25, 26, 27, 28, 29, 30, 31
        fst.d $f\n, $sp, SAVED_FLOAT + 8 * (\n - 24)
        .endr

        /* Arguments that do not go in registers, and the pattern above them. */
        ld.d $t0, $a0, W(ABI_STACK_ARGS)
        addi.d $t1, $a0, W(ABI_ARGS + 8)
        move $t2, $sp
1:      beqz $t0, 2f
        ld.d $t3, $t1, 0
        st.d $t3, $t2, 0
        addi.d $t0, $t0, -1
        addi.d $t1, $t1, 8
        addi.d $t2, $t2, 8
        b 1b
2:      addi.d $t1, $a0, W(ABI_ABOVE)
        ori $t0, $zero, ABI_ABOVE_WORDS
3:      ld.d $t3, $t1, 0
        st.d $t3, $t2, 0
        addi.d $t0, $t0, -1
        addi.d $t1, $t1, 8
        addi.d $t2, $t2, 8
        bnez $t0, 3b

        st.d $sp, $a0, BEFORE(SP)
        st.d $tp, $a0, BEFORE(TP)
        st.d $r21, $a0, BEFORE(R21)
        .irp n, 23, 24, 25, 26, 27, 28, 29, 30, 31
        ld.d $r\n, $a0, BEFORE(S0 + \n - 23)
        .endr
        ld.d $fp, $a0, BEFORE(FP)
        .irp n, 24, 25, 26, 27, 28, 29, 30, 31
        fld.d $f\n, $a0, BEFORE(FS0 + \n - 24)
        .endr
        ld.d $t1, $a0, W(ABI_FUNCTION)
        ori $t0, $zero, 1
        st.d $t0, $a0, W(ABI_STEP)
        .irp n, 1, 2, 3, 4, 5, 6, 7
        ld.d $a\n, $a0, W(ABI_ARGS + \n)
        .endr
        ld.d $a0, $a0, W(ABI_ARGS + 0)
        jirl $ra, $t1, 0
        .globl abi_returned
abi_returned:
        la.pcrel $t0, abi_now
        ld.d $t0, $t0, 0
        st.d $zero, $t0, W(ABI_STEP)
        st.d $a0, $t0, W(ABI_RESULT)
        .irp n, 23, 24, 25, 26, 27, 28, 29, 30, 31
        st.d $r\n, $t0, AFTER(S0 + \n - 23)
        .endr
        st.d $fp, $t0, AFTER(FP)
        st.d $sp, $t0, AFTER(SP)
        st.d $tp, $t0, AFTER(TP)
        st.d $r21, $t0, AFTER(R21)
        .irp n, 24, 25, 26, 27, 28, 29, 30, 31
        fst.d $f\n, $t0, AFTER(FS0 + \n - 24)
        .endr
        ld.d $sp, $t0, BEFORE(SP)
        ld.d $tp, $t0, BEFORE(TP)
        ld.d $r21, $t0, BEFORE(R21)

        ld.d $t1, $t0, W(ABI_STACK_ARGS)
        slli.d $t1, $t1, 3
        add.d $t1, $t1, $sp
        addi.d $t2, $t0, W(ABI_ABOVE_AFTER)
        ori $t0, $zero, ABI_ABOVE_WORDS
4:      ld.d $t3, $t1, 0
        st.d $t3, $t2, 0
        addi.d $t0, $t0, -1
        addi.d $t1, $t1, 8
        addi.d $t2, $t2, 8
        bnez $t0, 4b

        .irp n, 24, 25, 26, 27, 28, 29, 30, 31
        fld.d $f\n, $sp, SAVED_FLOAT + 8 * (\n - 24)
        .endr
        .irp n, 23, 24, 25, 26, 27, 28, 29, 30, 31
        ld.d $r\n, $sp, SAVED + 8 * (\n - 23)
        .endr
        ld.d $fp, $sp, SAVED + 72
        ld.d $ra, $sp, SAVED + 80
        addi.d $sp, $sp, FRAME
        jr $ra
        .globl abi_end
abi_end:
        .cfi_endproc
        .size abi_enter, . - abi_enter

/* ---- plants: each breaks one thing -------------------------------------------------------------------------------- */

        .irp n, 2, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
        plant r\n
        nor $r\n, $r\n, $zero
        jr $ra
        endplant r\n
        .endr

        plant sp
        addi.d $sp, $sp, -16
        jr $ra
        endplant sp

        .irp n, 24, 25, 26, 27, 28, 29, 30, 31
        plant f\n
        movgr2fr.d $f\n, $zero
        jr $ra
        endplant f\n
        .endr

        plant above_first
        ld.b $t0, $sp, 0
        nor $t0, $t0, $zero
        st.b $t0, $sp, 0
        jr $ra
        endplant above_first

        plant above_last
        ld.b $t0, $sp, 8 * ABI_ABOVE_WORDS - 1
        nor $t0, $t0, $zero
        st.b $t0, $sp, 8 * ABI_ABOVE_WORDS - 1
        jr $ra
        endplant above_last

        /* Keeps a word below sp until a signal came. */
        plant below
        li.d $t2, 0x123456789abcdef
        st.d $t2, $sp, -64
        ld.d $t0, $a0, 0
1:      ld.d $t1, $a0, 0
        beq $t0, $t1, 1b
        ld.d $t1, $sp, -64
        sub.d $a0, $t2, $t1
        jr $ra
        endplant below

        /* Moves sp until a signal came, and does not say so. */
        plant no_cfi
        addi.d $sp, $sp, -48
        ld.d $t0, $a0, 0
1:      ld.d $t1, $a0, 0
        beq $t0, $t1, 1b
        move $a0, $zero
        addi.d $sp, $sp, 48
        jr $ra
        endplant no_cfi

        /* Changes s0 until a signal came, and names another place than where it is saved. */
        plant wrong_cfi
        addi.d $sp, $sp, -32
        .cfi_def_cfa_offset 32
        st.d $s0, $sp, 8
        .cfi_rel_offset 23, 16
        move $s0, $zero
        ld.d $t0, $a0, 0
1:      ld.d $t1, $a0, 0
        beq $t0, $t1, 1b
        move $a0, $zero
        ld.d $s0, $sp, 8
        addi.d $sp, $sp, 32
        jr $ra
        endplant wrong_cfi

/* ---- tables ------------------------------------------------------------------------------------------------------- */

        .section .rodata.str, "aMS", @progbits, 1
        .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8
name_s\n: .string "s\n"
        .endr
        .irp name, fp, sp, tp, r21
name_\name: .string "\name"
        .endr
        .irp n, 0, 1, 2, 3, 4, 5, 6, 7
name_fs\n: .string "fs\n"
        .endr

        .section .data.rel.ro, "aw"
        .align 3
        .globl abi_words, abi_plants
abi_words:
        .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8
        .dword name_s\n, 23 + \n
        .endr
        .dword name_fp, 22, name_sp, -2, name_tp, -1, name_r21, -1
        .irp n, 0, 1, 2, 3, 4, 5, 6, 7
        .dword name_fs\n, -1
        .endr
        .dword 0, 0
abi_plants:
        .dword name_s0, plant_r23, 0, name_s1, plant_r24, 0, name_s2, plant_r25, 0, name_s3, plant_r26, 0
        .dword name_s4, plant_r27, 0, name_s5, plant_r28, 0, name_s6, plant_r29, 0, name_s7, plant_r30, 0
        .dword name_s8, plant_r31, 0, name_fp, plant_r22, 0, name_sp, plant_sp, 0, name_tp, plant_r2, 0
        .dword name_r21, plant_r21, 0
        .dword name_fs0, plant_f24, 0, name_fs1, plant_f25, 0, name_fs2, plant_f26, 0, name_fs3, plant_f27, 0
        .dword name_fs4, plant_f28, 0, name_fs5, plant_f29, 0, name_fs6, plant_f30, 0, name_fs7, plant_f31, 0
        .dword name_above, plant_above_first, 0, name_above, plant_above_last, 0
        .dword 0, 0, 0

        common_tables 8
#endif
        .section .note.GNU-stack, "", %progbits
