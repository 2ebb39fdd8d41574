/* SPDX-License-Identifier: MIT
 *
 * Children of fork, vfork and a raw clone, made at random moments while other threads draw: no output comes twice.
 *
 *   random_forks          as the system has it
 *   random_forks no-wipe  on a system that does not wipe pages on fork: madvise is answered here
 *
 * QS_TEST_LONG makes 10000 rounds of eight children.
 */
#define _GNU_SOURCE
#include "random_seen.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../random/random.h"

/* The threads call all the time, and note so many of their draws in each round. */
enum { CHILDREN = 8, THREADS = 2, ROUND_DRAWS = 40 };

static int no_wipe;

/* In the place of the C library's. */
int madvise(void *p, size_t len, int advice)
{
    if (no_wipe && advice == MADV_WIPEONFORK) {
        errno = EINVAL;
        return -1;
    }
    return (int)syscall(SYS_madvise, p, len, advice);
}

static unsigned rounds_begun;
static int stop;

static void *drawing(void *arg)
{
    uint8_t bytes[100];
    uint64_t x = (uintptr_t)arg * 12345;
    size_t noted = 0;

    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
        if (noted < (size_t)ROUND_DRAWS * __atomic_load_n(&rounds_begun, __ATOMIC_RELAXED)) {
            seen_draw(seen_length(x));
            noted++;
        } else {
            if (qs_random(bytes, x >> 32 & 63) != QS_OK) _exit(3);
            if (x >> 60 == 0) sched_yield(); /* or children wait for a whole slice of time */
        }
    }
    return (void *)noted;
}

static pid_t raw_clone(void)
{
#ifdef __s390__
    return (pid_t)syscall(SYS_clone, 0, SIGCHLD, 0, 0, 0);
#else
    return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#endif
}

static void child(uint64_t x)
{
    for (unsigned i = 0; i < 2; i++) seen_draw(seen_length(x >> 8 * i));
}

/* A function of its own, as the child goes on in this frame. */
static QS_NOINLINE pid_t by_vfork(uint64_t x)
{
    pid_t pid = vfork();
    if (pid == 0) {
        child(x);
        _exit(0);
    }
    return pid;
}

static pid_t make_child(unsigned how, uint64_t x)
{
    if (how == 0) return by_vfork(x);
    pid_t pid = how == 1 ? raw_clone() : fork();
    if (pid == 0) {
        child(x);
        if (how == 3) { /* and one of its own */
            pid = fork();
            if (pid == 0) {
                child(x >> 16);
                _exit(0);
            }
            int status = 1;
            if (pid < 0 || waitpid(pid, &status, 0) != pid || status) _exit(5);
            child(x >> 24);
        }
        _exit(0);
    }
    return pid;
}

static void round_of_children(void)
{
    pid_t pids[CHILDREN];

    for (uint64_t n = random_below(4); n; n--) seen_draw(seen_length(random_u64()));
    for (unsigned i = 0; i < CHILDREN; i++) {
        pids[i] = make_child((unsigned)random_below(4), random_u64());
        if (pids[i] < 0) FAIL("no child: %s", strerror(errno));
        if (random_below(2)) seen_draw(seen_length(random_u64()));
    }
    for (unsigned i = 0; i < CHILDREN; i++) {
        int status = -1;
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        if (status) FAIL("a child ends with status %x: %s", status, status == 0x300 ? "no or weak random bytes" : "?");
    }
}

static void test_forks(void **state)
{
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#define FORKS_ARE_SLOW 1
#endif
#endif
#ifdef FORKS_ARE_SLOW
    const unsigned rounds = 5;
#else
    const char *is_long = getenv("QS_TEST_LONG");
    const unsigned rounds = is_long && *is_long ? 10000 : 100;
#endif
    pthread_t thread[THREADS];
    size_t drawn = 0;

    (void)state;
    seen_start((size_t)rounds * (THREADS * ROUND_DRAWS * 2 + CHILDREN * 16) + 100);
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, drawing, (void *)(i + 1)), 0);
    for (unsigned i = 0; i < rounds; i++) {
        __atomic_store_n(&rounds_begun, i + 1, __ATOMIC_RELAXED);
        round_of_children();
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < THREADS; i++) {
        void *noted;
        assert_int_equal(pthread_join(thread[i], &noted), 0);
        drawn += (size_t)noted;
    }
    assert_true(drawn > rounds);
    const int checks = qs_random_thread.own->check_pid;
    print_message("%u forks of %d, %zu draws of threads, %zu pieces of output; %s\n", rounds, CHILDREN, drawn,
                  seen_check(rounds * CHILDREN * 4),
                  checks ? "every call checks the process number" : "the system wipes the state on fork");
    if (no_wipe) assert_true(checks);
    covered(no_wipe ? "forks-pid" : "forks", "random", "all");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forks)};

    no_wipe = argc > 1 && !strcmp(argv[1], "no-wipe");
    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
