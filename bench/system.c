/* SPDX-License-Identifier: MIT
 *
 * The system's random bytes as peers: no library to load, and nothing to hold to a level.
 */
#define _GNU_SOURCE
#include "bench.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../random/random.h"

/* What each thread keeps; only the vDSO's function wants anything. */
static void *prepare(enum bench_op op, const uint8_t key[32])
{
    static int nothing;
    (void)op, (void)key;
    return &nothing;
}

static const char *kernel(const char *level, int *held)
{
    static struct utsname u;
    (void)level;
    *held = 1;
    return uname(&u) == 0 ? u.release : NULL;
}

static const char *libc(const char *level, int *held)
{
    (void)level;
    *held = 1;
#ifdef __GLIBC__
    static char version[32];
    snprintf(version, sizeof version, "glibc %d.%d", __GLIBC__, __GLIBC_MINOR__);
    return version;
#else
    return "of the C library";
#endif
}

/* ---- getrandom(2) ------------------------------------------------------------------------------------------------ */

static int getrandom_call(qs_packet *p)
{
    for (size_t at = 0; at < p->len;) {
        long n = syscall(SYS_getrandom, p->out + at, p->len - at, 0);
        if (n <= 0 && errno != EINTR) return -1;
        if (n > 0) at += (size_t)n;
    }
    return 0;
}

BENCH_RANDOM_BURST(getrandom_burst, getrandom_call)

/* ---- the vDSO's, called as a C library does: with a state for each thread ---------------------------------------- */

static qs_vdso_getrandom *vdso;
static size_t state_len;

static const char *vdso_start(const char *level, int *held)
{
    vdso = qs_vdso_getrandom_find(&state_len);
    return vdso ? kernel(level, held) : NULL;
}

static void *vdso_prepare(enum bench_op op, const uint8_t key[32])
{
    (void)op, (void)key;
    void *state = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return state == MAP_FAILED ? NULL : state;
}

static int vdso_call(qs_packet *p)
{
    for (size_t at = 0; at < p->len;) {
        long n = vdso(p->out + at, p->len - at, 0, (void *)p->aead, state_len);
        if (n <= 0 && n != -EINTR) return -1;
        if (n > 0) at += (size_t)n;
    }
    return 0;
}

BENCH_RANDOM_BURST(vdso_burst, vdso_call)

/* ---- the C library's --------------------------------------------------------------------------------------------- */

/* 256 bytes at most at a time. */
static int getentropy_call(qs_packet *p)
{
    for (size_t at = 0; at < p->len; at += 256)
        if (getentropy(p->out + at, p->len - at < 256 ? p->len - at : 256)) return -1;
    return 0;
}

BENCH_RANDOM_BURST(getentropy_burst, getentropy_call)

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 36)
static int arc4random_call(qs_packet *p)
{
    arc4random_buf(p->out, p->len);
    return 0;
}
BENCH_RANDOM_BURST(arc4random_burst, arc4random_call)
#define ARC4RANDOM .start = libc, .call = {[BENCH_RANDOM] = arc4random_call}, .random_burst = arc4random_burst
#else
static const char *no_start(const char *level, int *held)
{
    (void)level, (void)held;
    return NULL;
}
#define ARC4RANDOM .start = no_start
#endif

const struct bench_peer bench_system[] = {
    {.name = "getrandom",
     .start = kernel,
     .prepare = prepare,
     .call = {[BENCH_RANDOM] = getrandom_call},
     .random_burst = getrandom_burst},
    {.name = "vdso",
     .start = vdso_start,
     .absent = "this kernel's vDSO has no getrandom",
     .prepare = vdso_prepare,
     .call = {[BENCH_RANDOM] = vdso_call},
     .random_burst = vdso_burst},
    {.name = "getentropy",
     .start = libc,
     .prepare = prepare,
     .call = {[BENCH_RANDOM] = getentropy_call},
     .random_burst = getentropy_burst},
    {.name = "arc4random", .absent = "this C library has no arc4random_buf", .prepare = prepare, ARC4RANDOM},
};
const unsigned bench_n_system = sizeof bench_system / sizeof *bench_system;
