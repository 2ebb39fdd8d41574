/* SPDX-License-Identifier: MIT
 *
 * Runs a call on a stack of its own, and keeps what it leaves there and in the vector registers.
 */
#ifndef QS_TESTS_WIPE_LOOK_H
#define QS_TESTS_WIPE_LOOK_H

#include "harness.h"

enum { LOOK_STACK = 32 * 1024, LOOK_VECTORS = 32 * 64 + 8 * 8 };

struct look {
    uint8_t dead[LOOK_STACK]; /* the stack below the caller, as the call left it; its end is next to the caller */
    size_t dead_len;
    size_t depth;                  /* how far below the caller anything was written */
    uint8_t vectors[LOOK_VECTORS]; /* all vector registers, in order; then all mask registers */
};

void look_at(struct look *l, void (*call)(void));

/* Bytes of each vector register that are looked at; 0: none on this architecture. */
size_t look_vector_len(void);

#endif
