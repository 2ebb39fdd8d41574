/* SPDX-License-Identifier: MIT
 *
 * Where a thread's state lives: pages of its own, that no child, no core dump and no swap shall see, and that are wiped
 * and given back when the thread ends.
 *
 * All of this may happen within a signal handler, so it calls what may be called there: system calls, and of the C
 * library pthread_setspecific where that does not allocate.
 */
#include "random.h"

#if __STDC_HOSTED__

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif
#ifndef MADV_DONTDUMP
#define MADV_DONTDUMP 16
#endif
#endif

__thread struct qs_random_thread qs_random_thread;

/* ---- at the end of a thread -------------------------------------------------------------------------------------- */

/* Of the keys of thread-specific data, glibc keeps the first 32 in the thread itself and allocates room for others. */
enum { KEYS_THAT_NEVER_ALLOCATE = 32 };

static pthread_key_t key;
static uint32_t key_state; /* 0: none; 1: being made; 2: there */

static void end_of_thread(void *state)
{
    struct qs_random_thread *t = &qs_random_thread;

    t->idle = NULL;
    QS_BARRIER(t);
    qs_wipe(state, sizeof(struct qs_random_state));
    munmap(state, sizeof(struct qs_random_state));
    t->left = 0;
    t->own = NULL;
}

static int make_key(void)
{
    uint32_t none = 0;

    if (__atomic_compare_exchange_n(&key_state, &none, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
        __atomic_store_n(&key_state, pthread_key_create(&key, end_of_thread) == 0 ? 2 : 0, __ATOMIC_RELEASE);
    return __atomic_load_n(&key_state, __ATOMIC_ACQUIRE) == 2;
}

/* At load already, so that it gets a low number. */
static __attribute__((constructor)) void make_key_early(void) { (void)make_key(); }

/* A library that is unloaded takes the function with it that the key names. */
static __attribute__((destructor)) void forget_key(void)
{
    if (__atomic_exchange_n(&key_state, 1, __ATOMIC_ACQ_REL) == 2) pthread_key_delete(key);
}

/* Has it wiped when the thread ends. */
static int end_with_thread(struct qs_random_state *s)
{
    return make_key() && key < KEYS_THAT_NEVER_ALLOCATE && pthread_setspecific(key, s) == 0;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Emulators have been seen that say yes to any advice and follow none. */
static int wiped_on_fork(void *pages)
{
#ifdef MADV_WIPEONFORK
    return madvise(pages, sizeof(struct qs_random_state), MADV_WIPEONFORK) == 0 &&
           madvise(pages, sizeof(struct qs_random_state), -1) != 0;
#else
    (void)pages;
    return 0;
#endif
}

void qs_random_lock(struct qs_random_state *s)
{
    const int error = errno;
    (void)mlock(s, sizeof *s); /* where it is not allowed, the state may be swapped out */
    errno = error;
}

static struct qs_random_state *map(void)
{
    struct qs_random_state *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (s == MAP_FAILED) return NULL;
    if (!end_with_thread(s)) {
        munmap(s, sizeof *s);
        return NULL;
    }
#ifdef MADV_DONTDUMP
    (void)madvise(s, sizeof *s, MADV_DONTDUMP);
#endif
    s->check_pid = !wiped_on_fork(s);
    return s;
}

struct qs_random_state *qs_random_start(void)
{
    const int error = errno;
    struct qs_random_state *s = map();
    errno = error;
    return s;
}

int32_t qs_random_pid(void) { return (int32_t)getpid(); }

int64_t qs_random_clock(void)
{
    struct timespec t = {0};
#ifdef CLOCK_MONOTONIC_COARSE
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
#else
    clock_gettime(CLOCK_MONOTONIC, &t);
#endif
    return (int64_t)t.tv_sec;
}

#else

/* No threads, no processes: interrupts are what signals are elsewhere. */
struct qs_random_thread qs_random_thread;

struct qs_random_state *qs_random_start(void)
{
    static struct qs_random_state only;
    return &only;
}

void qs_random_lock(struct qs_random_state *s) { (void)s; }

int32_t qs_random_pid(void) { return 0; }

int64_t qs_random_clock(void) { return 0; }

#endif
