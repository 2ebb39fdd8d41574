/* SPDX-License-Identifier: MIT
 *
 * The system as a source of seeds, where it does not do what is hoped for: interrupted, short, missing, forbidden, out
 * of file descriptors, a file in the place of the device. The system's functions are answered here.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "harness.h"

/* What the next calls answer: negative: an error number; else as many bytes at most. Behind the last: all of it. */
struct script {
    int answer[8];
    unsigned n, at;
};

static struct script getrandoms, opens, reads, polls;
static int is_device = 1;
static unsigned minor_number = 9;
static int open_files;
static char opened[4][32];
static unsigned n_opened;
static uint8_t next_byte;

static int answer(struct script *s, int otherwise)
{
    int a = s->at < s->n ? s->answer[s->at++] : otherwise;
    if (a >= 0) return a;
    errno = -a;
    return -1;
}

static long fill(int n, void *out, size_t len)
{
    if (n < 0) return -1;
    if ((size_t)n > len) n = (int)len;
    for (int i = 0; i < n; i++) ((uint8_t *)out)[i] = next_byte++;
    return n;
}

static long fake_syscall(long number, void *out, size_t len, unsigned flags)
{
    assert_int_equal(number, SYS_getrandom);
    assert_int_equal(flags, 0);
    return fill(answer(&getrandoms, 1000), out, len);
}

static int fake_open(const char *path, int flags)
{
    assert_true(flags & O_CLOEXEC);
    if (n_opened < 4) strcpy(opened[n_opened++], path);
    int fd = answer(&opens, 100);
    if (fd >= 0) open_files++;
    return fd;
}

static int fake_close(int fd)
{
    assert_int_equal(fd, 100);
    open_files--;
    errno = EIO;
    return -1;
}

static long fake_read(int fd, void *out, size_t len)
{
    assert_int_equal(fd, 100);
    return fill(answer(&reads, 1000), out, len);
}

static int fake_poll(struct pollfd *p, nfds_t n, int timeout)
{
    assert_int_equal(n, 1);
    assert_int_equal(timeout, -1);
    assert_int_equal(p->events, POLLIN);
    const int ready = answer(&polls, 1);
    p->revents = ready == 2 ? POLLERR : POLLIN;
    return ready == 2 ? 1 : ready;
}

static int fake_fstat(int fd, struct stat *st)
{
    assert_int_equal(fd, 100);
    memset(st, 0, sizeof *st);
    st->st_mode = is_device ? S_IFCHR : S_IFREG;
    st->st_rdev = makedev(1, minor_number);
    return 0;
}

#define syscall fake_syscall
#define open fake_open
#define close fake_close
#define read fake_read
#define poll fake_poll
#define fstat fake_fstat
#include "../random/entropy.c"
#undef syscall
#undef open
#undef close
#undef read
#undef poll
#undef fstat

static void script(struct script *s, unsigned n, const int *answers)
{
    memset(s, 0, sizeof *s);
    s->n = n;
    memcpy(s->answer, answers, n * sizeof *answers);
}
#define SCRIPT(s, ...) script(&(s), COUNT(((const int[]){__VA_ARGS__})), (const int[]){__VA_ARGS__})

static void set_up(void)
{
    getrandoms.n = opens.n = reads.n = polls.n = 0;
    is_device = 1;
    minor_number = 9;
    n_opened = 0;
    open_files = 0;
}

/* qs_entropy, and then qs_random, which must not have touched its buffer where that failed. */
static void expect(const char *what, qs_status want)
{
    uint8_t out[40], buf[100];
    const struct script before[] = {getrandoms, opens, reads, polls};

    memset(out, 0xaa, sizeof out);
    next_byte = 1;
    errno = 1234;
    qs_status got = qs_entropy(out, 32);
    if (got != want) FAIL("%s: %s", what, qs_strerror(got));
    if (errno != 1234) FAIL("%s: errno is changed", what);
    if (open_files) FAIL("%s: %d files stay open", what, open_files);
    for (unsigned i = 0; i < 8; i++) assert_int_equal(out[32 + i], 0xaa);
    for (unsigned i = 0; i < 32 && want == QS_OK; i++)
        if (out[i] != i + 1) FAIL("%s: byte %u of the seed is not from the source", what, i);

    getrandoms = before[0], opens = before[1], reads = before[2], polls = before[3];
    n_opened = 0;
    memset(buf, 0x5a, sizeof buf);
    got = qs_random_reseed();
    if (got != want) FAIL("%s: reseeding: %s", what, qs_strerror(got));
    getrandoms = before[0], opens = before[1], reads = before[2], polls = before[3];
    n_opened = 0;
    got = qs_random(buf, sizeof buf);
    if (got != want) FAIL("%s: drawing: %s", what, qs_strerror(got));
    for (unsigned i = 0; i < sizeof buf && want != QS_OK; i++)
        if (buf[i] != 0x5a) FAIL("%s: byte %u was touched", what, i);
    set_up();
}

static void test_getrandom(void **state)
{
    (void)state;
    set_up();
    expect("as it should be", QS_OK);
    SCRIPT(getrandoms, -EINTR, -EINTR, -EINTR);
    expect("interrupted", QS_OK);
    SCRIPT(getrandoms, 1, 7, -EINTR, 16, 3);
    expect("short", QS_OK);
    SCRIPT(getrandoms, 31, 0);
    expect("nothing", QS_ERR_ENTROPY);
    SCRIPT(getrandoms, 5, -EIO);
    expect("an error after some", QS_ERR_ENTROPY);
    SCRIPT(getrandoms, -EFAULT);
    expect("an error", QS_ERR_ENTROPY);
    SCRIPT(getrandoms, -EAGAIN);
    expect("try again", QS_ERR_ENTROPY);
}

static void test_device(void **state)
{
    static const int missing[] = {ENOSYS, EPERM};

    (void)state;
    set_up();
    for (unsigned i = 0; i < COUNT(missing); i++) {
#define NO_GETRANDOM() SCRIPT(getrandoms, -missing[i])
        NO_GETRANDOM();
        expect("the device", QS_OK);
        NO_GETRANDOM();
        SCRIPT(reads, -EINTR, 5, -EINTR, 20);
        expect("interrupted and short", QS_OK);
        NO_GETRANDOM();
        SCRIPT(reads, 31, 0);
        expect("end of file", QS_ERR_ENTROPY);
        NO_GETRANDOM();
        SCRIPT(reads, 31, -EIO);
        expect("cannot be read", QS_ERR_ENTROPY);
        NO_GETRANDOM();
        SCRIPT(opens, -EMFILE);
        expect("no file descriptor", QS_ERR_ENTROPY);
        NO_GETRANDOM();
        SCRIPT(opens, 100, -ENOENT);
        expect("no device", QS_ERR_ENTROPY);
        NO_GETRANDOM();
        SCRIPT(polls, -EINTR, -EINTR);
        expect("waiting interrupted", QS_OK);
        NO_GETRANDOM();
        SCRIPT(polls, -ENOMEM);
        expect("cannot wait", QS_ERR_ENTROPY);
        NO_GETRANDOM();
        SCRIPT(polls, 2);
        expect("waiting says error", QS_ERR_ENTROPY);
        NO_GETRANDOM();
        is_device = 0;
        expect("a file", QS_ERR_ENTROPY);
        NO_GETRANDOM();
        minor_number = 5;
        expect("/dev/zero", QS_ERR_ENTROPY);
    }
    SCRIPT(getrandoms, -ENOSYS);
    uint8_t out[32];
    assert_int_equal(qs_entropy(out, sizeof out), QS_OK);
    assert_int_equal(n_opened, 2);
    assert_string_equal(opened[0], "/dev/random"); /* waited for, not read */
    assert_string_equal(opened[1], "/dev/urandom");
}

static qs_status own_source(uint8_t *out, size_t len)
{
    memset(out, 0x33, len);
    return len == 32 ? QS_OK : QS_ERR_ARGUMENT;
}

/* The embedder's function comes first; whatever it fails with is QS_ERR_ENTROPY. */
static void test_own_source(void **state)
{
    uint8_t out[33];

    (void)state;
    set_up();
    qs_random_source(own_source);
    SCRIPT(getrandoms, -EIO);
    assert_int_equal(qs_entropy(out, 32), QS_OK);
    assert_int_equal(out[0], 0x33);
    assert_int_equal(getrandoms.at, 0);
    assert_int_equal(qs_entropy(out, 33), QS_ERR_ENTROPY);
    qs_random_source(NULL);
    assert_int_equal(qs_entropy(out, 32), QS_ERR_ENTROPY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_getrandom), cmocka_unit_test(test_device),
                                       cmocka_unit_test(test_own_source)};
    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
