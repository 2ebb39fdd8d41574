/* SPDX-License-Identifier: MIT
 *
 * What the tests of random bytes share: a table that all processes and threads write their output to, in which no 16
 * bytes may stand twice.
 */
#ifndef QS_TESTS_RANDOM_SEEN_H
#define QS_TESTS_RANDOM_SEEN_H

#include "harness.h"

/* Makes the table, shared with all children to come; what stood in it is forgotten. */
void seen_start(size_t most);

/* Draws len bytes (at least 16) and notes the first 16 and the last 16 of them. May be called in signal handlers and in
 * children; exits with status 3 where qs_random fails or leaves zeros, and 4 where the table is full. */
void seen_draw(size_t len);

/* The same of bytes that were drawn elsewhere. */
void seen_note(const void *bytes, size_t len);

/* A length of the kind that draws differ in: short, within the pool, across its end, straight to the caller. */
size_t seen_length(uint64_t random);

/* How many pieces were noted; fails if two are equal, or if there are fewer than `least`. */
size_t seen_check(size_t least);

#endif
