/* SPDX-License-Identifier: MIT
 *
 * The generator's parts: a state for each thread, where it lives, where its seeds come from.
 *
 * This folder is for programs under an operating system; without one (-ffreestanding) the same generator has one state
 * and takes its seeds from the function given to qs_random_source. src/ knows nothing of it.
 */
#ifndef QS_RANDOM_H
#define QS_RANDOM_H

#include "../src/internal.h"

#pragma GCC visibility push(hidden)

/* A kernel's keystream into memory that holds zeros, or from zeros: what it needs, in one place that is wiped. */
struct qs_random_stream {
    uint32_t state[16];          /* ChaCha's: constants, key, block number, nonce 0 */
    uint8_t block[QS_BLOCK_LEN]; /* the key at first; the last block, where the output takes a part of it */
};

enum {
    QS_RANDOM_KEY = 32,
    QS_RANDOM_VDSO = 256, /* room for the vDSO's own state, which takes 144 bytes */

    /* Made by one call of the kernel: five passes of the 32 blocks that AVX-512 takes at once; the state takes three
     * pages. Bytes in pieces of 32 took 5 % longer from 6144, the most for two pages; from 14336, the most for four,
     * they came 2 % sooner. A program that worked on 8 to 64 KiB between its calls noticed no difference. */
    QS_RANDOM_POOL = 10240,

    /* From here on the stream goes straight to the caller: with AVX-512 a pass of its own costs no more than bytes of
     * the pool and their copy (at 1536 bytes 7 % more). */
    QS_RANDOM_DIRECT = 2048
};

/* Lives in pages of its own, which a child of fork finds filled with zeros. So zeros must mean: nothing here.
 *
 * `pool` holds keystream. Its first 32 bytes became the next key and are zeros; the bytes behind them that are `left`
 * (of struct qs_random_thread) are not handed out yet; all behind those are, and zeros. */
struct qs_random_state {
    uint32_t epoch;     /* qs_random_epoch when it was seeded; 0: it is not. Written before the seed is fetched */
    uint32_t quick;     /* the same, or 0 where every call must look at the process number first */
    uint32_t check_pid; /* the system does not wipe the pages */
    int32_t pid;        /* that the state belongs to, if so */
    uint32_t vdso;      /* bytes of vdso_state in use; 0: the vDSO gives no random bytes */
    uint64_t made;      /* bytes since it was seeded */
    int64_t seeded;     /* when, in seconds */
    struct qs_random_stream refill, direct;
    uint8_t fresh[QS_RANDOM_KEY];
    _Alignas(64) uint8_t vdso_state[QS_RANDOM_VDSO];
    _Alignas(64) uint8_t pool[QS_RANDOM_POOL];
};

/* What a thread knows of its state. A call takes it out of `idle`, before it looks at anything, and puts it back at its
 * end: a signal handler that interrupts the call finds none. A child has the same count, and a state that is not
 * seeded. */
struct qs_random_thread {
    struct qs_random_state *idle;
    struct qs_random_state *own; /* NULL: none yet. Set while `idle` is not: a call is under way */
    uint32_t left;               /* bytes of pool to hand out */
};

#if __STDC_HOSTED__
/* Initial-exec: an access is an addition, and never allocates. */
extern __thread struct qs_random_thread qs_random_thread __attribute__((tls_model("initial-exec")));
#else
extern struct qs_random_thread qs_random_thread;
#endif

/* States seeded in an earlier epoch are seeded anew before they give another byte. Never 0; relaxed atomics. */
extern uint32_t qs_random_epoch;

/* state.c. A new state for this thread, or NULL: there is no memory. Calls nothing that allocates or locks. */
struct qs_random_state *qs_random_start(void);

/* Keeps the state out of swap where that is allowed; a child of fork has to ask again. */
void qs_random_lock(struct qs_random_state *s);

/* Which process and what time it is; 0 without an operating system. Seconds of a clock that nobody sets. */
int32_t qs_random_pid(void);
int64_t qs_random_clock(void);

/* entropy.c. Fills all of out, or fails with QS_ERR_ENTROPY; what is in out then must not be used. */
qs_status qs_entropy(uint8_t *out, size_t len);

/* vdso.c. The vDSO's getrandom: from the kernel's own generator, re-keyed whenever that is, so also after this machine
 * was cloned. `state` begins as zeros. Returns the bytes written, or a negative error. */
typedef long qs_vdso_getrandom(void *out, size_t len, unsigned flags, void *state, size_t state_len);

/* The function, and how large a state it wants; NULL: this kernel has none. */
qs_vdso_getrandom *qs_vdso_getrandom_find(size_t *state_len);

#pragma GCC visibility pop

#endif
