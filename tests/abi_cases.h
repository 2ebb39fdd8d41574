/* SPDX-License-Identifier: MIT
 *
 * A call of every public function, and of kernels, as data: for tests that watch a call from outside.
 */
#ifndef QS_TESTS_ABI_CASES_H
#define QS_TESTS_ABI_CASES_H

#include "harness.h"

typedef void abi_function(void);

/* One argument: a word, or 64 bits, which are two words where words have 32. */
struct abi_arg {
    uint64_t value;
    int wide;
};

/* Of a register that passes 32 bits, the upper half is anyone's on these CPUs; the others want the sign in it. */
#if defined(__x86_64__) || defined(__aarch64__)
#define ABI_UNSIGNED(x) ((uint32_t)(x) | UINT64_C(0xdeadbeef) << 32)
#else
#define ABI_UNSIGNED(x) ((uintptr_t)(intptr_t)(int32_t)(x))
#endif

#define ARG_PTR(x)                                                                                                     \
    {                                                                                                                  \
        (uintptr_t)(x), 0                                                                                              \
    }
#define ARG_LEN(x)                                                                                                     \
    {                                                                                                                  \
        (uintptr_t)(x), 0                                                                                              \
    }
#define ARG_U32(x)                                                                                                     \
    {                                                                                                                  \
        ABI_UNSIGNED(x), 0                                                                                             \
    }
#define ARG_U64(x)                                                                                                     \
    {                                                                                                                  \
        (x), 1                                                                                                         \
    }

struct abi_case {
    const char *name; /* of the function */
    abi_function *function;
    const struct abi_arg *args;
    size_t n_args;
    size_t blocks; /* that a kernel gets; otherwise 0 */
    int status;    /* that it returns, or CASE_ANY_STATUS */
    int secret;    /* it touches secrets; otherwise it only looks at lengths, counters and the CPU */
    void *written; /* where a kernel writes at least 16 secret bytes, if it succeeds */
};

enum { CASE_ANY_STATUS = 1, KERNEL_DATA = 4096 };

typedef void case_body(const struct abi_case *c, void *arg);

/* The name, and for a public function the rows that are chosen; valid until the next call. */
const char *case_text(const struct abi_case *c);

/* Everything that the cases read and write lies here; secrets are its first members. */
struct arena;
extern struct arena arena;
size_t arena_size(void);
const uint8_t *arena_key(void);

/* Fills the arena: secrets (keys, texts, tags) from the seed, the rest always the same. Where `secret` is given, it is
 * called for all that is secret, before anything is derived from it. */
void arena_fill(uint64_t seed, void (*secret)(void *p, size_t len));

/* Calls body for a call of every public function. Body fills the arena before it makes the call. */
void each_case(case_body *body, void *arg);

/* Calls body for calls of a row's kernel: every number of blocks that max bytes (at most KERNEL_DATA) hold, all rounds.
 */
void each_kernel_case(enum qs_primitive primitive, const struct qs_kernel *row, size_t max, case_body *body, void *arg);

/* For tests that are too slow for every number of blocks. */
int small_or_near_power(size_t blocks);

/* Calls body for each level that chooses other rows than the one before. */
void each_choice(named_body *body, void *arg);

#endif
