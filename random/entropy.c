/* SPDX-License-Identifier: MIT
 *
 * Where seeds come from: the embedder's function, or the system.
 *
 * getrandom(2) without flags waits until the kernel's pool was filled once after boot. Where that call is missing or
 * forbidden, /dev/urandom does not wait by itself, so first /dev/random is waited for.
 */
#include "random.h"

static qs_entropy_source *source;

void qs_random_source(qs_entropy_source *other) { __atomic_store_n(&source, other, __ATOMIC_RELAXED); }

#if __STDC_HOSTED__

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/sysmacros.h>
#endif

/* Waits until /dev/random can be read: then there was entropy enough once. */
static int wait_for_pool(void)
{
    struct pollfd p = {.fd = open("/dev/random", O_RDONLY | O_CLOEXEC | O_NOCTTY), .events = POLLIN};
    int ready;

    if (p.fd < 0) return -1;
    do ready = poll(&p, 1, -1);
    while (ready < 0 && (errno == EINTR || errno == EAGAIN));
    close(p.fd);
    return ready == 1 && p.revents & POLLIN ? 0 : -1;
}

/* In the jail of a chroot the name may stand for anything. */
static int is_random_device(int fd)
{
    struct stat st;

    if (fstat(fd, &st) || !S_ISCHR(st.st_mode)) return 0;
#ifdef __linux__
    return major(st.st_rdev) == 1 && minor(st.st_rdev) == 9;
#else
    return 1;
#endif
}

static qs_status from_device(uint8_t *out, size_t len)
{
    const int fd = wait_for_pool() ? -1 : open("/dev/urandom", O_RDONLY | O_CLOEXEC | O_NOCTTY);

    if (fd < 0) return QS_ERR_ENTROPY;
    if (is_random_device(fd))
        while (len) {
            ssize_t n = read(fd, out, len);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) break;
            out += n;
            len -= (size_t)n;
        }
    close(fd);
    return len == 0 ? QS_OK : QS_ERR_ENTROPY;
}

static qs_status from_system(uint8_t *out, size_t len)
{
#ifdef SYS_getrandom
    while (len) {
        long n = syscall(SYS_getrandom, out, len, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == ENOSYS || errno == EPERM)) return from_device(out, len);
        if (n <= 0) return QS_ERR_ENTROPY;
        out += n;
        len -= (size_t)n;
    }
    return QS_OK;
#else
    return from_device(out, len);
#endif
}

qs_status qs_entropy(uint8_t *out, size_t len)
{
    qs_entropy_source *other = __atomic_load_n(&source, __ATOMIC_RELAXED);
    const int error = errno;
    qs_status status;

    if (other) return other(out, len) == QS_OK ? QS_OK : QS_ERR_ENTROPY;
    status = from_system(out, len);
    errno = error;
    return status;
}

#else

qs_status qs_entropy(uint8_t *out, size_t len)
{
    qs_entropy_source *other = __atomic_load_n(&source, __ATOMIC_RELAXED);
    return other && other(out, len) == QS_OK ? QS_OK : QS_ERR_ENTROPY;
}

#endif
