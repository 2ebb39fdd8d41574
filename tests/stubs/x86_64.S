/* SPDX-License-Identifier: MIT
 *
 * x86-64, System V ABI: rbx, rbp, r12 to r15 and rsp are kept; so are the control bits of mxcsr and x87, the direction
 * flag clear and the x87 stack empty. Upper halves of vector registers are to be clean at exit, as code that still uses
 * SSE instructions becomes slow otherwise. See abi.h.
 */
#ifdef __x86_64__
#include "../abi.h"

#define W(index) (8 * (index))
#define BEFORE(word) W(ABI_BEFORE + word)
#define AFTER(word) W(ABI_AFTER + word)

/* words, as abi_words names them */
#define RBX 0
#define RBP 1
#define R12 2
#define R13 3
#define R14 4
#define R15 5
#define RSP 6
#define DIRECTION 7
#define MXCSR 8
#define X87_CONTROL 9
#define X87_TAGS 10
#define UPPER 11

#define FRAME (8 * (ABI_MAX_ARGS + ABI_ABOVE_WORDS) + 8)

#define MXCSR_FLUSH_TO_ZERO 0x9f80
#define MXCSR_DEFAULT 0x1f80
#define MXCSR_CONTROL_BITS 0xffc0
#define XINUSE_UPPER_ZMM 0x40
#define X87_DOUBLE 0x027f
#define X87_ALL_EMPTY 0xffff

        .text
        .globl abi_enter
        .type abi_enter, @function
abi_enter:
        .cfi_startproc
        endbr64
        .irp reg, rbx, rbp, r12, r13, r14, r15
        push %\reg
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \reg, 0
        .endr
        sub $FRAME, %rsp
        .cfi_adjust_cfa_offset FRAME
        mov %rdi, %rax

        /* Arguments that do not go in registers, and the pattern above them. */
        mov W(ABI_STACK_ARGS)(%rax), %rcx
        lea W(ABI_ARGS + 6)(%rax), %rsi
        mov %rsp, %rdi
        cld
        rep movsq
        lea W(ABI_ABOVE)(%rax), %rsi
        mov $ABI_ABOVE_WORDS, %ecx
        rep movsq

        /* Not every value is legal in these; take one that is not the default. */
        mov %rsp, BEFORE(RSP)(%rax)
        movq $0, BEFORE(DIRECTION)(%rax)
        movq $MXCSR_FLUSH_TO_ZERO, BEFORE(MXCSR)(%rax)
        ldmxcsr BEFORE(MXCSR)(%rax)
        movq $X87_DOUBLE, BEFORE(X87_CONTROL)(%rax)
        movq $X87_ALL_EMPTY, BEFORE(X87_TAGS)(%rax)
        fninit
        fldcw BEFORE(X87_CONTROL)(%rax)
        movq $0, BEFORE(UPPER)(%rax)
        cmpl $0, abi_upper(%rip)
        je 1f
        vzeroupper
1:
        /* Vector and mask registers hold anything but zeros, and have clean upper halves. */
        .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        pcmpeqd %xmm\n, %xmm\n
        .endr
        testl $XINUSE_UPPER_ZMM, abi_upper(%rip)
        je 4f
        .irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
        vpternlogd $0xff, %zmm\n, %zmm\n, %zmm\n
        .endr
        .irp n, 0, 1, 2, 3, 4, 5, 6, 7
        kxnorw %k\n, %k\n, %k\n
        .endr
4:
        mov BEFORE(RBX)(%rax), %rbx
        mov BEFORE(RBP)(%rax), %rbp
        mov BEFORE(R12)(%rax), %r12
        mov BEFORE(R13)(%rax), %r13
        mov BEFORE(R14)(%rax), %r14
        mov BEFORE(R15)(%rax), %r15
        mov W(ABI_ARGS + 0)(%rax), %rdi
        mov W(ABI_ARGS + 1)(%rax), %rsi
        mov W(ABI_ARGS + 2)(%rax), %rdx
        mov W(ABI_ARGS + 3)(%rax), %rcx
        mov W(ABI_ARGS + 4)(%rax), %r8
        mov W(ABI_ARGS + 5)(%rax), %r9
        cmpq $0, W(ABI_STEP)(%rax)
        je 2f
        pushfq
        .cfi_adjust_cfa_offset 8
        orq $0x100, (%rsp)              /* the trap flag; the handler takes it away at abi_returned */
        popfq
        .cfi_adjust_cfa_offset -8
2:      call *W(ABI_FUNCTION)(%rax)
        .globl abi_returned
abi_returned:
        mov %rax, %rcx
        mov abi_now(%rip), %rax
        mov %rcx, W(ABI_RESULT)(%rax)
        mov %rbx, AFTER(RBX)(%rax)
        mov %rbp, AFTER(RBP)(%rax)
        mov %r12, AFTER(R12)(%rax)
        mov %r13, AFTER(R13)(%rax)
        mov %r14, AFTER(R14)(%rax)
        mov %r15, AFTER(R15)(%rax)
        mov %rsp, AFTER(RSP)(%rax)
        mov BEFORE(RSP)(%rax), %rsp

        /* The pattern first: what follows uses the stack only below rsp. */
        mov %rax, %rbx
        pushfq
        .cfi_adjust_cfa_offset 8
        pop %rcx
        .cfi_adjust_cfa_offset -8
        cld
        and $0x400, %ecx
        mov %rcx, AFTER(DIRECTION)(%rbx)
        mov W(ABI_STACK_ARGS)(%rbx), %rcx
        lea (%rsp,%rcx,8), %rsi
        lea W(ABI_ABOVE_AFTER)(%rbx), %rdi
        mov $ABI_ABOVE_WORDS, %ecx
        rep movsq

        movq $0, AFTER(MXCSR)(%rbx)
        stmxcsr AFTER(MXCSR)(%rbx)
        andl $MXCSR_CONTROL_BITS, AFTER(MXCSR)(%rbx)
        fnstenv -32(%rsp)
        movzwl -32(%rsp), %ecx
        mov %rcx, AFTER(X87_CONTROL)(%rbx)
        movzwl -32 + 8(%rsp), %ecx
        mov %rcx, AFTER(X87_TAGS)(%rbx)
        fninit
        movl $MXCSR_DEFAULT, -32(%rsp)
        ldmxcsr -32(%rsp)

        movq $0, AFTER(UPPER)(%rbx)
        cmpl $0, abi_upper(%rip)
        je 3f
        mov $1, %ecx
        xgetbv                          /* XINUSE */
        and abi_upper(%rip), %eax
        mov %rax, AFTER(UPPER)(%rbx)
        vzeroupper
3:
        add $FRAME, %rsp
        .cfi_adjust_cfa_offset -FRAME
        .irp reg, r15, r14, r13, r12, rbp, rbx
        pop %\reg
        .cfi_adjust_cfa_offset -8
        .cfi_restore \reg
        .endr
        ret
        .cfi_endproc
        .globl abi_end
abi_end:
        .size abi_enter, . - abi_enter

/* ---- plants: each breaks one thing -------------------------------------------------------------------------------- */

        .irp reg, rbx, rbp, r12, r13, r14, r15
        plant \reg
        not %\reg
        ret
        endplant \reg
        .endr

        plant rsp
        pop %rax
        sub $8, %rsp
        jmp *%rax
        endplant rsp

        plant direction
        std
        ret
        endplant direction

        plant mxcsr
        movl $MXCSR_DEFAULT, -4(%rsp)
        ldmxcsr -4(%rsp)
        ret
        endplant mxcsr

        plant x87_control
        fninit
        ret
        endplant x87_control

        plant x87_stack
        fldz
        ret
        endplant x87_stack

        plant mmx
        pxor %mm3, %mm3
        ret
        endplant mmx

        plant ymm
        vpcmpeqd %ymm5, %ymm5, %ymm5
        ret
        endplant ymm

        plant zmm
        vpternlogd $0xff, %zmm5, %zmm5, %zmm5
        ret
        endplant zmm

        plant above_first
        notq 8(%rsp)
        ret
        endplant above_first

        plant above_last
        notb 8 + 8 * ABI_ABOVE_WORDS - 1(%rsp)
        ret
        endplant above_last

        /* Keeps a word further below rsp than the red zone reaches. Returns 0 if it is still there. */
        plant below
        movabs $0x0123456789abcdef, %rax
        mov %rax, -136(%rsp)
        nop
        sub -136(%rsp), %rax
        ret
        endplant below

        /* Moves rsp, and does not say so. */
        plant no_cfi
        xor %eax, %eax
        sub $24, %rsp
        nop
        add $24, %rsp
        ret
        endplant no_cfi

        /* Saves rbx in one place, and names another. */
        plant wrong_cfi
        xor %eax, %eax
        push %rbx
        .cfi_adjust_cfa_offset 8
        .cfi_offset rbx, -24
        not %rbx
        pop %rbx
        .cfi_adjust_cfa_offset -8
        .cfi_restore rbx
        ret
        endplant wrong_cfi

/* ---- tables ------------------------------------------------------------------------------------------------------- */

        .section .rodata.str, "aMS", @progbits, 1
        .irp reg, rbx, rbp, r12, r13, r14, r15, rsp
name_\reg:
        .string "\reg"
        .endr
name_direction: .string "direction flag"
name_mxcsr: .string "mxcsr control bits"
name_x87_control: .string "x87 control word"
name_x87_tags: .string "x87 and mmx registers in use"
name_upper: .string "dirty upper halves (4: ymm, 0x40: zmm)"

        .section .data.rel.ro, "aw"
        .balign 8
        .globl abi_words, abi_plants
abi_words:
        .quad name_rbx, 3, name_rbp, 6, name_r12, 12, name_r13, 13, name_r14, 14, name_r15, 15, name_rsp, -2
        .quad name_direction, -1, name_mxcsr, -1, name_x87_control, -1, name_x87_tags, -1, name_upper, -1
        .quad 0, 0

#define NEEDS_AVX2 2
#define NEEDS_AVX512F 16
abi_plants:
        .irp reg, rbx, rbp, r12, r13, r14, r15, rsp, direction, mxcsr, x87_control
        .quad name_\reg, plant_\reg, 0
        .endr
        .quad name_x87_tags, plant_x87_stack, 0
        .quad name_x87_tags, plant_mmx, 0
        .quad name_upper, plant_ymm, NEEDS_AVX2
        .quad name_upper, plant_zmm, NEEDS_AVX512F
        .quad name_above, plant_above_first, 0
        .quad name_above, plant_above_last, 0
        .quad 0, 0, 0

        common_tables 6
#endif
        .section .note.GNU-stack, "", %progbits
