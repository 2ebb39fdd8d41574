/* SPDX-License-Identifier: MIT
 *
 * Calls through a stub of assembly that knows what the architecture's ABI makes a function keep. The stubs are in
 * stubs/, one file per architecture; this header is read by them too.
 */
#ifndef QS_TESTS_ABI_H
#define QS_TESTS_ABI_H

/* An architecture that has a stub. */
#if defined(__x86_64__) || (defined(__mips__) && _MIPS_SIM == _ABIO32) || defined(__loongarch_lp64)
#define ABI_STUB 1
#endif

/* Offsets in struct abi_call, in words. */
#define ABI_FUNCTION 0
#define ABI_STEP 1
#define ABI_STACK_ARGS 2
#define ABI_RESULT 3
#define ABI_ARGS 4
#define ABI_BEFORE 14
#define ABI_AFTER 62
#define ABI_ABOVE 110
#define ABI_ABOVE_AFTER 126
#define ABI_MAX_ARGS 10
#define ABI_MAX_WORDS 48
#define ABI_ABOVE_WORDS 16

#ifdef __ASSEMBLER__

        .macro plant name
        .type plant_\name, @function
plant_\name:
        .cfi_startproc
        .endm

        .macro endplant name
        .cfi_endproc
        .size plant_\name, . - plant_\name
        .endm

        /* What is the same in all stubs of what they export. */
        .macro common_tables register_args
        .section .rodata.str, "aMS", @progbits, 1
name_above: .string "above"
name_below: .string "below the stack pointer and any red zone"
name_no_cfi: .string "stack pointer without unwind information"
name_wrong_cfi: .string "kept register with wrong unwind information"

        .section .data.rel.ro, "aw"
        .balign __SIZEOF_POINTER__
        .globl abi_signal_plants
abi_signal_plants:
        .dc.a name_below, plant_below, 0
        .dc.a name_no_cfi, plant_no_cfi, 0
        .dc.a name_wrong_cfi, plant_wrong_cfi, 0
        .dc.a 0, 0, 0

        .section .rodata, "a"
        .balign __SIZEOF_POINTER__
        .globl abi_register_args
abi_register_args:
        .dc.a \register_args
        .endm

#else

#include "abi_cases.h"

struct abi_call {
    _Alignas(8) abi_function *function;
    uintptr_t step;       /* x86-64: trap after every instruction; elsewhere: set by the stub while it calls */
    uintptr_t stack_args; /* words of arguments that do not go in registers */
    uintptr_t result;
    uintptr_t args[ABI_MAX_ARGS];
    uintptr_t before[ABI_MAX_WORDS], after[ABI_MAX_WORDS];          /* what must be kept, as abi_words names it */
    uintptr_t above[ABI_ABOVE_WORDS], above_after[ABI_ABOVE_WORDS]; /* the stack above the callee's own */
};

/* ---- what a stub exports ----------------------------------------------------------------------------------------- */

/* Loads what must be kept with `before` (or writes there what it loaded, where not every value is legal), calls, and
 * stores what it then finds in `after`. */
void abi_enter(struct abi_call *call);
extern const char abi_returned[], abi_end[]; /* where the call returns, and the end of abi_enter */

/* What word i of before and after is, and its number in unwind information (-1: none; -2: the stack pointer). */
struct abi_word {
    const char *name;
    intptr_t dwarf;
};
extern const struct abi_word abi_words[]; /* the last one has no name */
extern const size_t abi_register_args;

/* Functions that break what their name says: a name of abi_words, or "above". */
struct abi_plant {
    const char *name;
    abi_function *function;
    uintptr_t needs; /* features of the CPU */
};
extern const struct abi_plant abi_plants[]; /* the last one has no name */

/* Functions that are at fault only when a signal comes. The first keeps a word below the stack pointer and the red
 * zone, and returns 0 if it was still there; the others have wrong unwind information. Argument: a word that counts
 * signals, for those that wait for one. */
extern const struct abi_plant abi_signal_plants[];

/* ---- abi_call.c -------------------------------------------------------------------------------------------------- */

extern struct abi_call *abi_now; /* the call under way */
extern uint32_t abi_upper; /* x86-64: bits of XINUSE that tell of dirty upper halves; 0 if the CPU does not tell */

/* Calls f through the stub, with new random patterns. NULL, or what was not kept: a text that begins with its name. */
const char *abi_call(struct abi_call *call, abi_function *f, const struct abi_arg *args, size_t n);

/* Sets abi_upper, and says what cannot be checked on this CPU. */
void abi_start(void);

#endif
#endif
