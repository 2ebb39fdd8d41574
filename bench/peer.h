/* SPDX-License-Identifier: MIT
 *
 * What the benchmark asks of a library it measures. Quickstep itself answers the same questions (ours.c), so that all
 * are timed by the same loop. Every other library is one file in peers/, a module that is loaded when it is asked for;
 * it defines `bench_peer`.
 */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <quickstep.h>

enum bench_op {
    BENCH_SEAL, /* ChaCha20-Poly1305 of RFC 8439 */
    BENCH_OPEN,
    BENCH_CHACHA20, /* nonce 12 bytes, first block number 1 */
    BENCH_CHACHA12,
    BENCH_CHACHA8,
    BENCH_XCHACHA20, /* nonce 24 bytes, first block number 1 */
    BENCH_MAC,       /* Poly1305 into tag; nonce is the 32-byte key, as each message has its own */
    BENCH_RANDOM,    /* random bytes to out */
    BENCH_OPS
};

enum { BENCH_NONCE_LEN = 32 }; /* bytes at every packet's nonce: the longest that an operation reads */

/* Does the operation on one packet. `aead` is what `prepare` made. Returns 0, or not 0 if it failed (open: a wrong
 * tag). */
typedef int bench_call(qs_packet *p);

/* The same on n packets, in whatever way the library has for many. */
typedef int bench_burst(qs_packet *p, size_t n);

struct bench_peer {
    const char *name;

    /* Starts the library; level is NULL or what it must be held to. Returns its version, or NULL if it does not work.
     * *held becomes 1 if it certainly uses nothing above the level. */
    const char *(*start)(const char *level, int *held);
    const char *absent; /* why it does not, if that is known */

    /* Whatever the library keeps for a key, reused for all packets of that key; called in the thread that will use it,
     * and kept until the process ends. NULL: failed. */
    void *(*prepare)(enum bench_op op, const uint8_t key[32]);

    bench_call *call[BENCH_OPS];          /* NULL: the library does not have it */
    bench_burst *seal_burst, *open_burst; /* NULL: a loop over call */
    bench_burst *random_burst;            /* n times the same bytes anew; NULL: a loop over call */
};

/* Random bytes take so few cycles that those of two calls through pointers, 3, would be a third of them. So each
 * library's calls are made directly, in a loop that stands beside its function, the same for all. */
#define BENCH_RANDOM_BURST(name, call)                                                                                 \
    static int name(qs_packet *p, size_t n)                                                                            \
    {                                                                                                                  \
        int failed = 0;                                                                                                \
        while (n--) failed |= call(p);                                                                                 \
        return failed;                                                                                                 \
    }

/* Levels of x86-64, where peers can be held to one; in ascending order, so that a peer which uses nothing above one of
 * them is held by all that are not lower. */
enum { BENCH_GENERIC, BENCH_SSSE3, BENCH_AVX2, BENCH_AVX512, BENCH_AVX512IFMA };

/* Which of them a name means; -1: none. */
static inline int bench_level_at(const char *level)
{
    static const char *const names[] = {"generic", "ssse3", "avx2", "avx512", "avx512ifma"};
    for (int i = 0; level && i < (int)(sizeof names / sizeof *names); i++)
        if (!strcmp(level, names[i])) return i;
    return -1;
}

#endif
