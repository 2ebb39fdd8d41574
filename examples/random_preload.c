/* SPDX-License-Identifier: MIT
 *
 * Serves getrandom, getentropy and arc4random to a program that knows nothing of this library:
 *
 *   LD_PRELOAD=build/examples/random_preload.so program
 *
 * Only calls through the C library come here; a program that makes the system call itself keeps it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <quickstep.h>

#define SERVED __attribute__((visibility("default")))

/* With any flag it is the system's: not to wait, not to be seeded, /dev/random's pool. */
SERVED ssize_t getrandom(void *buf, size_t len, unsigned flags)
{
    if (flags) return syscall(SYS_getrandom, buf, len, flags);
    switch (qs_random(buf, len)) {
    case QS_OK: return (ssize_t)len;
    case QS_ERR_ARGUMENT: errno = EFAULT; return -1;
    default: errno = ENOSYS; return -1;
    }
}

SERVED int getentropy(void *buf, size_t len)
{
    if (len <= 256 && qs_random(buf, len) == QS_OK) return 0;
    errno = EIO;
    return -1;
}

/* These cannot say that they failed. */
SERVED void arc4random_buf(void *buf, size_t len)
{
    if (qs_random(buf, len) != QS_OK) abort();
}

SERVED uint32_t arc4random(void)
{
    uint32_t x;
    if (qs_random_u32(&x) != QS_OK) abort();
    return x;
}

SERVED uint32_t arc4random_uniform(uint32_t bound)
{
    uint32_t x = 0;
    if (bound > 1 && qs_random_uniform(&x, bound) != QS_OK) abort();
    return x;
}
