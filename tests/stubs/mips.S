/* SPDX-License-Identifier: MIT
 *
 * MIPS, o32, both byte orders: s0 to s7, fp, sp and the even ones of f20 to f30 are kept. The first 16 bytes above the
 * return are home to the register arguments and belong to the callee; nothing below sp is anyone's. See abi.h.
 */
#if defined(__mips__) && _MIPS_SIM == _ABIO32
#include "../abi.h"

#define W(index) (4 * (index))
#define BEFORE(word) W(ABI_BEFORE + word)
#define AFTER(word) W(ABI_AFTER + word)

/* words, as abi_words names them */
#define S0 0
#define FP 8
#define SP 9
#define F20 10                          /* two words each, at a multiple of 8 bytes */

#define HOME 16
#define SAVED (HOME + 4 * (ABI_MAX_ARGS - 4 + ABI_ABOVE_WORDS))
#define SAVED_FLOAT (SAVED + 48)
#define FRAME (SAVED_FLOAT + 48)

#ifdef __mips_hard_float
#define FOR_EACH_FLOAT .irp n, 20, 22, 24, 26, 28, 30
#else
#define FOR_EACH_FLOAT .irp n
#endif

        .text
        .align 2
        .set nomips16
        .set noreorder
        .globl abi_enter
        .type abi_enter, @function
        .ent abi_enter
abi_enter:
        .cfi_startproc
        .frame $sp, FRAME, $31
        addiu $sp, $sp, -FRAME
        .cfi_def_cfa_offset FRAME
        .irp n, 16, 17, 18, 19, 20, 21, 22, 23
        sw $\n, SAVED + 4 * (\n - 16)($sp)
        .cfi_rel_offset \n, SAVED + 4 * (\n - 16)
        .endr
        sw $30, SAVED + 32($sp)
        .cfi_rel_offset 30, SAVED + 32
        sw $31, SAVED + 36($sp)
        .cfi_rel_offset 31, SAVED + 36
        sw $28, SAVED + 40($sp)
        FOR_EACH_FLOAT
        sdc1 $f\n, SAVED_FLOAT + 4 * (\n - 20)($sp)
        .endr

        /* Arguments that do not go in registers, and the pattern above them. */
        lw $8, W(ABI_STACK_ARGS)($4)
        addiu $9, $4, W(ABI_ARGS + 4)
        addiu $10, $sp, HOME
1:      beqz $8, 2f
        addiu $8, $8, -1
        lw $11, 0($9)
        sw $11, 0($10)
        addiu $9, $9, 4
        b 1b
        addiu $10, $10, 4
2:      addiu $9, $4, W(ABI_ABOVE)
        li $8, ABI_ABOVE_WORDS
3:      lw $11, 0($9)
        sw $11, 0($10)
        addiu $9, $9, 4
        addiu $8, $8, -1
        bnez $8, 3b
        addiu $10, $10, 4

        sw $sp, BEFORE(SP)($4)
        .irp n, 16, 17, 18, 19, 20, 21, 22, 23
        lw $\n, BEFORE(S0 + \n - 16)($4)
        .endr
        lw $30, BEFORE(FP)($4)
        FOR_EACH_FLOAT
        ldc1 $f\n, BEFORE(F20 + \n - 20)($4)
        .endr
        lw $25, W(ABI_FUNCTION)($4)
        li $8, 1
        sw $8, W(ABI_STEP)($4)
        lw $5, W(ABI_ARGS + 1)($4)
        lw $6, W(ABI_ARGS + 2)($4)
        lw $7, W(ABI_ARGS + 3)($4)
        jalr $25
        lw $4, W(ABI_ARGS + 0)($4)
        .globl abi_returned
abi_returned:
        bal 4f
        nop
4:      .cpload $31
        lw $8, %got(abi_now)($28)
        nop
        lw $8, 0($8)
        nop
        sw $0, W(ABI_STEP)($8)
        sw $2, W(ABI_RESULT)($8)
        .irp n, 16, 17, 18, 19, 20, 21, 22, 23
        sw $\n, AFTER(S0 + \n - 16)($8)
        .endr
        sw $30, AFTER(FP)($8)
        sw $sp, AFTER(SP)($8)
        FOR_EACH_FLOAT
        sdc1 $f\n, AFTER(F20 + \n - 20)($8)
        .endr
        lw $sp, BEFORE(SP)($8)

        lw $9, W(ABI_STACK_ARGS)($8)
        nop
        sll $9, $9, 2
        addu $10, $sp, $9
        addiu $8, $8, W(ABI_ABOVE_AFTER)
        li $9, ABI_ABOVE_WORDS
5:      lw $11, HOME($10)
        nop
        sw $11, 0($8)
        addiu $10, $10, 4
        addiu $9, $9, -1
        bnez $9, 5b
        addiu $8, $8, 4

        FOR_EACH_FLOAT
        ldc1 $f\n, SAVED_FLOAT + 4 * (\n - 20)($sp)
        .endr
        .irp n, 16, 17, 18, 19, 20, 21, 22, 23
        lw $\n, SAVED + 4 * (\n - 16)($sp)
        .endr
        lw $30, SAVED + 32($sp)
        lw $31, SAVED + 36($sp)
        lw $28, SAVED + 40($sp)
        jr $31
        addiu $sp, $sp, FRAME
        .globl abi_end
abi_end:
        .cfi_endproc
        .end abi_enter
        .size abi_enter, . - abi_enter

/* ---- plants: each breaks one thing -------------------------------------------------------------------------------- */

        .irp n, 16, 17, 18, 19, 20, 21, 22, 23, 30
        plant r\n
        jr $31
        nor $\n, $\n, $0
        endplant r\n
        .endr

        plant sp
        jr $31
        addiu $sp, $sp, -8
        endplant sp

        FOR_EACH_FLOAT
        plant f\n
        jr $31
        mtc1 $0, $f\n
        endplant f\n
        .endr

        plant above_first
        lw $8, HOME($sp)
        nop
        nor $8, $8, $0
        jr $31
        sw $8, HOME($sp)
        endplant above_first

        plant above_last
        lb $8, HOME + 4 * ABI_ABOVE_WORDS - 1($sp)
        nop
        nor $8, $8, $0
        jr $31
        sb $8, HOME + 4 * ABI_ABOVE_WORDS - 1($sp)
        endplant above_last

        /* Keeps a word below sp until a signal came. */
        plant below
        li $2, 0x12345678
        sw $2, -64($sp)
        lw $8, 0($4)
1:      lw $9, 0($4)
        nop
        beq $8, $9, 1b
        nop
        lw $9, -64($sp)
        jr $31
        subu $2, $2, $9
        endplant below

        /* Moves sp until a signal came, and does not say so. */
        plant no_cfi
        addiu $sp, $sp, -24
        lw $8, 0($4)
1:      lw $9, 0($4)
        nop
        beq $8, $9, 1b
        move $2, $0
        jr $31
        addiu $sp, $sp, 24
        endplant no_cfi

        /* Changes s0 until a signal came, and names another place than where it is saved. */
        plant wrong_cfi
        addiu $sp, $sp, -16
        .cfi_def_cfa_offset 16
        sw $16, 8($sp)
        .cfi_rel_offset 16, 4
        lw $8, 0($4)
1:      lw $9, 0($4)
        move $16, $0
        beq $8, $9, 1b
        move $2, $0
        lw $16, 8($sp)
        jr $31
        addiu $sp, $sp, 16
        endplant wrong_cfi

/* ---- tables ------------------------------------------------------------------------------------------------------- */

        .section .rodata.str, "aMS", @progbits, 1
        .irp n, 0, 1, 2, 3, 4, 5, 6, 7
name_s\n: .string "s\n"
        .endr
name_fp: .string "fp"
name_sp: .string "sp"
        FOR_EACH_FLOAT
name_f\n: .string "f\n"
        .endr

        .section .data.rel.ro, "aw"
        .align 2
        .globl abi_words, abi_plants
abi_words:
        .irp n, 0, 1, 2, 3, 4, 5, 6, 7
        .word name_s\n, 16 + \n
        .endr
        .word name_fp, 30, name_sp, -2
        FOR_EACH_FLOAT
        .word name_f\n, -1, name_f\n, -1
        .endr
        .word 0, 0
abi_plants:
        .word name_s0, plant_r16, 0, name_s1, plant_r17, 0, name_s2, plant_r18, 0, name_s3, plant_r19, 0
        .word name_s4, plant_r20, 0, name_s5, plant_r21, 0, name_s6, plant_r22, 0, name_s7, plant_r23, 0
        .word name_fp, plant_r30, 0, name_sp, plant_sp, 0
        FOR_EACH_FLOAT
        .word name_f\n, plant_f\n, 0
        .endr
        .word name_above, plant_above_first, 0, name_above, plant_above_last, 0
        .word 0, 0, 0

        common_tables 4
#endif
        .section .note.GNU-stack, "", %progbits
