/* SPDX-License-Identifier: MIT
 *
 * See ct_plants.h: byte 3 of the key decides about a branch, and about an address.
 */
        .text
#ifdef __x86_64__
        .globl ct_branch_assembly, ct_table_assembly
ct_branch_assembly:
        testb $1, 3(%rdi)
        jz 1f
        mov (%rsi), %eax
1:      ret
ct_table_assembly:
        movzbl 3(%rdi), %eax
        mov (%rsi,%rax,4), %eax
        ret
#endif
#if defined(__mips__) && _MIPS_SIM == _ABIO32
        .set noreorder
        .globl ct_branch_assembly, ct_table_assembly
        .type ct_branch_assembly, @function
        .type ct_table_assembly, @function
ct_branch_assembly:
        lbu $8, 3($4)
        andi $8, $8, 1
        beqz $8, 1f
        nop
        lw $2, 0($5)
1:      jr $31
        nop
ct_table_assembly:
        lbu $8, 3($4)
        sll $8, $8, 2
        addu $5, $5, $8
        jr $31
        lw $2, 0($5)
#endif
#ifdef __loongarch_lp64
        .globl ct_branch_assembly, ct_table_assembly
ct_branch_assembly:
        ld.bu $t0, $a0, 3
        andi $t0, $t0, 1
        beqz $t0, 1f
        ld.w $a0, $a1, 0
1:      jr $ra
ct_table_assembly:
        ld.bu $t0, $a0, 3
        slli.d $t0, $t0, 2
        ldx.w $a0, $a1, $t0
        jr $ra
#endif
        .section .note.GNU-stack, "", %progbits
