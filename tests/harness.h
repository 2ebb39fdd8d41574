/* SPDX-License-Identifier: MIT
 *
 * What all tests share: random input that repeats, buffers between guard pages, every row in turn, the coverage list.
 * Tests are cmocka programs that link the static library and may include src/internal.h.
 */
#ifndef QS_TESTS_HARNESS_H
#define QS_TESTS_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../src/internal.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* No kernel has more lanes. Every length to four rounds of them and a ragged end is tested, then random ones. */
#ifdef QS_X86_64
enum { LANES = 32 };
#else
enum { LANES = 16 };
#endif
enum { EVERY_LENGTH = 4 * LANES * 64 + 65, LONG_LENGTH = 70000 };

/* ---- random input ------------------------------------------------------------------------------------------------
 *
 * The seed is fixed, or taken from QS_TEST_SEED; it is printed by tests_start, so that a failure can be repeated. */
void random_seed(uint64_t seed);
uint64_t random_u64(void);
size_t random_below(size_t n); /* 0 to n - 1 */
void random_bytes(void *p, size_t len);

/* Bytes as carries like them: runs of 00, FF, FB to FF and 80, mixed with random ones. */
void random_dense(void *p, size_t len);

/* ---- buffers between guard pages ---------------------------------------------------------------------------------
 *
 * A pool of pages that cannot be accessed, with room between them. guard_end: len bytes that end where the next page
 * begins (an access behind faults). guard_start: len bytes that begin where a page ends (an access before faults).
 * Each `slot` (0 to GUARD_SLOTS - 1) is a room of its own, GUARD_ROOM bytes large; what it held is forgotten. */
enum { GUARD_SLOTS = 8, GUARD_ROOM = 80 * 1024 };
uint8_t *guard_end(unsigned slot, size_t len);
uint8_t *guard_start(unsigned slot, size_t len);

/* What is about to run: call it before every access that could fault. A fault ends the program with this text, the slot
 * and the side. Within a test only: cmocka puts its own handler back between tests. */
void guard_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- every row --------------------------------------------------------------------------------------------------- */

/* Makes row i of a table the one that runs, also where a better one could, or this CPU should rather avoid it. */
void choose_row(enum qs_primitive primitive, unsigned i);

/* Chooses one of the rows that this CPU can run: between two pieces, so that another kernel goes on with the stream. */
void choose_random_row(enum qs_primitive primitive);

/* Back to the best one. */
void choose_best_row(enum qs_primitive primitive);

/* Calls body once for every row of a table that this CPU can run, while that row is the chosen one, and goes back to
 * the best one. Rows that cannot run are said to be skipped on stdout. */
typedef void row_body(const struct qs_kernel *row, void *arg);
void each_row(enum qs_primitive primitive, row_body *body, void *arg);

/* Calls body for every way a message can take: each row of each table in turn, named in `text` as "chacha:avx2", while the best
 * rows of the other tables serve beside it, and none that would go past it. */
typedef void named_body(const char *text, void *arg);
void each_path(named_body *body, void *arg);

/* Calls body for every level that qs_cpu_limit knows; `text` is the level. */
void each_level(named_body *body, void *arg);

/* The independent plain C kernels that rows are compared with. */
qs_chacha_blocks *chacha_reference(void);
qs_poly1305_blocks *poly1305_reference(void);

/* ---- coverage ----------------------------------------------------------------------------------------------------
 *
 * Records that a check of this kind ran on this row: one line "kind primitive row" in the file that QS_TEST_COVERAGE
 * names (appended; nothing if it is not set). What a test says here it must have done. */
void covered(const char *kind, const char *primitive, const char *row);

/* Fails the test with a message that names what a maintainer needs: use it with row, length, offsets. */
#define FAIL(...)                                                                                                      \
    do {                                                                                                               \
        print_error(__VA_ARGS__);                                                                                      \
        print_error("\n");                                                                                             \
        fail();                                                                                                        \
    } while (0)

/* The whole program of a test that cannot run here: that exit status means so. */
#define SKIPPED(why)                                                                                                   \
    int main(void)                                                                                                     \
    {                                                                                                                  \
        puts("skipped: " why);                                                                                         \
        return 77;                                                                                                     \
    }

/* Fails unless len bytes are equal; says the first that is not, after the text made from the format. */
void expect_bytes(const uint8_t *got, const uint8_t *want, size_t len, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same for an output with FRINGE bytes of FRINGE_BYTE before and behind it, which must be there still. */
enum { FRINGE = 64, FRINGE_BYTE = 0x5a };
void expect_output(const uint8_t *out, const uint8_t *want, size_t len, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* First thing in main: seeds, prints seed and the rows chosen, applies QUICKSTEP_CPU. */
void tests_start(void);

#endif
