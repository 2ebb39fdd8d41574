/* SPDX-License-Identifier: MIT
 *
 * Calls with a stack pointer of one's choice, and what is in all registers afterwards. The stubs are in stubs/, named
 * nostack_ARCHITECTURE.S; this header is read by them too.
 */
#ifndef QS_TESTS_NOSTACK_H
#define QS_TESTS_NOSTACK_H

/* Offsets in struct nostack_call. */
#define NOSTACK_FUNCTION 0
#define NOSTACK_SP __SIZEOF_POINTER__
#define NOSTACK_SAVED (2 * __SIZEOF_POINTER__)
#define NOSTACK_VECTOR_LEN (3 * __SIZEOF_POINTER__)
#define NOSTACK_ARGS (4 * __SIZEOF_POINTER__)
#define NOSTACK_GENERAL (8 * __SIZEOF_POINTER__)
#define NOSTACK_VECTORS (40 * __SIZEOF_POINTER__)

#ifdef __ASSEMBLER__

        /* The plants, which each stub has. */
        .macro  nostack_table
        .section .rodata
below_name: .string "a word below the stack pointer is written"
above_name: .string "a word above the stack pointer is read"
general_name: .string "a word of the key is left in a general register"
vector_name: .string "words of the key are left in a floating point or vector register"

        .section .data.rel.ro, "aw"
        .balign __SIZEOF_POINTER__
        .globl  nostack_plants
nostack_plants:
        .dc.a   below_name, below, above_name, above, general_name, general, vector_name, vector, 0, 0
        .endm

#else
#include "harness.h"

typedef void nostack_function(uint8_t *dst, const uint32_t *key, uint32_t *counter, size_t nblocks);

struct nostack_call {
    _Alignas(8) nostack_function *function;
    uintptr_t sp;             /* during the call */
    uintptr_t saved;          /* the stub's own */
    uintptr_t vector_len;     /* bytes of a vector register that this CPU has, for stubs that need to know */
    uintptr_t args[4];
    uintptr_t general[32];    /* all general registers that a call may change, afterwards, */
    uint8_t vectors[32 * 64]; /* and the floating point and vector registers */
};

/* Sets all registers that a call may change to zero, calls, and takes down what is in them. */
void nostack_enter(struct nostack_call *call);

/* Each does one thing that the function must not; the first two touch the stack. */
extern const struct nostack_plant {
    const char *name;
    nostack_function *function;
} nostack_plants[];
enum { NOSTACK_PLANTS_ON_STACK = 2 };
#endif

#endif
