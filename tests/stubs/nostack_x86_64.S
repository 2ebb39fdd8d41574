/* SPDX-License-Identifier: MIT
 *
 * See nostack.h. rbx points to the call all the time: the function must keep it. The call itself puts the return address
 * just below the stack pointer given: there alone memory must be accessible.
 */
#ifdef __x86_64__
#include "../nostack.h"

        .text
        .globl  nostack_enter
        .type   nostack_enter, @function
nostack_enter:
        endbr64
        push    %rbx
        mov     %rdi, %rbx
        mov     %rsp, NOSTACK_SAVED(%rbx)
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        pxor    %xmm\n, %xmm\n
        .endr
        .irp    n, 8, 9, 10, 11
        xor     %r\n, %r\n
        .endr
        xor     %eax, %eax
        mov     NOSTACK_ARGS(%rbx), %rdi
        mov     NOSTACK_ARGS + 8(%rbx), %rsi
        mov     NOSTACK_ARGS + 16(%rbx), %rdx
        mov     NOSTACK_ARGS + 24(%rbx), %rcx
        mov     NOSTACK_SP(%rbx), %rsp
        call    *NOSTACK_FUNCTION(%rbx)
        mov     NOSTACK_SAVED(%rbx), %rsp

        mov     %rax, NOSTACK_GENERAL(%rbx)
        mov     %rcx, NOSTACK_GENERAL + 8(%rbx)
        mov     %rdx, NOSTACK_GENERAL + 16(%rbx)
        mov     %rsi, NOSTACK_GENERAL + 24(%rbx)
        mov     %rdi, NOSTACK_GENERAL + 32(%rbx)
        .irp    n, 8, 9, 10, 11
        mov     %r\n, NOSTACK_GENERAL + 8 * \n(%rbx)
        .endr
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        movups  %xmm\n, NOSTACK_VECTORS + 16 * \n(%rbx)
        .endr
        pop     %rbx
        ret
        .size   nostack_enter, . - nostack_enter

below:  movq    $0, -8(%rsp)
        ret
above:  testb   $0, 8(%rsp)
        ret
general: mov    12(%rsi), %eax
        ret
vector: movq    24(%rsi), %xmm7
        ret

        nostack_table
#endif
        .section .note.GNU-stack, "", %progbits
