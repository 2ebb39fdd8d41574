/* SPDX-License-Identifier: MIT
 *
 * See nostack.h. s0 points to the call all the time: the function must keep it.
 */
#if defined(__loongarch_lp64) && defined(__loongarch_hard_float)
#include "../nostack.h"

        .macro  each_free_vector text
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23
        \text   \n
        .endr
        .endm
        .macro  clear_8 n
        movgr2fr.d $f\n, $zero
        .endm
        .macro  clear_16 n
        vxor.v  $vr\n, $vr\n, $vr\n
        .endm
        .macro  clear_32 n
        xvxor.v $xr\n, $xr\n, $xr\n
        .endm
        .macro  store_8 n
        fst.d   $f\n, $t0, 8 * \n
        .endm
        .macro  store_16 n
        vst     $vr\n, $t0, 16 * \n
        .endm
        .macro  store_32 n
        xvst    $xr\n, $t0, 32 * \n
        .endm

        .text
        .align  2
        .globl  nostack_enter
        .type   nostack_enter, @function
nostack_enter:
        addi.d  $sp, $sp, -16
        st.d    $s0, $sp, 0
        st.d    $ra, $sp, 8
        move    $s0, $a0
        st.d    $sp, $s0, NOSTACK_SAVED
        ld.d    $t0, $s0, NOSTACK_VECTOR_LEN
        ori     $t1, $zero, 16
        beq     $t0, $t1, 2f
        bltu    $t1, $t0, 3f
        each_free_vector clear_8
        b       4f
2:      each_free_vector clear_16
        b       4f
3:      each_free_vector clear_32
4:
        .irp    n, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19
        move    $r\n, $zero
        .endr
        ld.d    $a0, $s0, NOSTACK_ARGS
        ld.d    $a1, $s0, NOSTACK_ARGS + 8
        ld.d    $a2, $s0, NOSTACK_ARGS + 16
        ld.d    $a3, $s0, NOSTACK_ARGS + 24
        ld.d    $t8, $s0, NOSTACK_FUNCTION
        ld.d    $sp, $s0, NOSTACK_SP
        jirl    $ra, $t8, 0
        ld.d    $sp, $s0, NOSTACK_SAVED

        .irp    n, 1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20
        st.d    $r\n, $s0, NOSTACK_GENERAL + 8 * \n
        .endr
        ld.d    $t1, $s0, NOSTACK_VECTOR_LEN
        ori     $t2, $zero, 16
        addi.d  $t0, $s0, NOSTACK_VECTORS
        beq     $t1, $t2, 2f
        bltu    $t2, $t1, 3f
        each_free_vector store_8
        b       4f
2:      each_free_vector store_16
        b       4f
3:      each_free_vector store_32
4:
        ld.d    $s0, $sp, 0
        ld.d    $ra, $sp, 8
        addi.d  $sp, $sp, 16
        jr      $ra
        .size   nostack_enter, . - nostack_enter

below:  st.d    $zero, $sp, -8
        jr      $ra
above:  ld.d    $zero, $sp, 16
        jr      $ra
general: ld.wu  $t3, $a1, 12
        jr      $ra
vector: fld.d   $f7, $a1, 24
        jr      $ra

        nostack_table
#endif
        .section .note.GNU-stack, "", %progbits
