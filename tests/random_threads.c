/* SPDX-License-Identifier: MIT
 *
 * Threads that draw at the same time, a signal handler that draws ten thousand times a second, threads that end.
 */
#define _GNU_SOURCE
#include "random_seen.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../random/random.h"

static unsigned given_back, not_wiped;

/* In the place of the C library's: looks at what is given back. */
int munmap(void *p, size_t len)
{
    if (len == sizeof(struct qs_random_state)) {
        const uint8_t *b = p;
        size_t zeros = 0;
        while (zeros < len && b[zeros] == 0) zeros++;
        __atomic_fetch_add(&given_back, 1, __ATOMIC_RELAXED);
        __atomic_fetch_add(&not_wiped, zeros != len, __ATOMIC_RELAXED);
    }
    return (int)syscall(SYS_munmap, p, len);
}

/* And draws in the middle of a thread's first call, as a handler might. */
static int draw_in_madvise;
static unsigned second_states;

int madvise(void *p, size_t len, int advice)
{
    if (draw_in_madvise) {
        const struct qs_random_state *own = qs_random_thread.own;
        seen_draw(20);
        second_states += qs_random_thread.own != own;
    }
    return (int)syscall(SYS_madvise, p, len, advice);
}

static unsigned draws;

static void *drawing(void *arg)
{
    uint64_t x = (uintptr_t)arg * 99991;

    for (unsigned i = 0; i < draws; i++) {
        x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
        seen_draw(seen_length(x));
    }
    return NULL;
}

static void run_threads(unsigned n)
{
    pthread_t thread[8];

    for (uintptr_t i = 0; i < n; i++) assert_int_equal(pthread_create(&thread[i], NULL, drawing, (void *)(i + 1)), 0);
    for (unsigned i = 0; i < n; i++) assert_int_equal(pthread_join(thread[i], NULL), 0);
}

static void test_threads(void **state)
{
    (void)state;
    seen_start(400000);
    draws = 20000;
    run_threads(4);
    print_message("%zu pieces\n", seen_check(100000));
    covered("threads", "random", "all");
}

/* A thread's state is wiped and given back when it ends; while it lasts nothing is. */
static void test_end(void **state)
{
    (void)state;
    assert_int_equal(qs_random(NULL, 0), QS_OK);
    seen_start(100000);
    given_back = 0;
    draws = 3;
    for (int i = 0; i < 200; i++) run_threads(3);
    assert_int_equal(given_back, 600);
    assert_int_equal(not_wiped, 0);
    seen_check(1000);
}

static void test_draw_while_it_starts(void **state)
{
    (void)state;
    seen_start(1000);
    given_back = 0;
    draws = 5;
    draw_in_madvise = 1;
    run_threads(1);
    draw_in_madvise = 0;
    assert_int_equal(second_states, 0);
    assert_int_equal(given_back, 1);
    seen_check(9);
}

/* A key of thread-specific data whose destructor draws, after the state was given back: there is a new one, and it is
 * given back too. */
static pthread_key_t late;

static void draw_late(void *arg)
{
    (void)arg;
    seen_draw(100);
}

static void *drawing_late(void *arg)
{
    seen_draw(50);
    assert_int_equal(pthread_setspecific(late, arg), 0);
    return NULL;
}

static void test_draw_at_the_end(void **state)
{
    pthread_t thread;

    (void)state;
    seen_start(1000);
    given_back = 0;
    assert_int_equal(pthread_key_create(&late, draw_late), 0);
    assert_int_equal(pthread_create(&thread, NULL, drawing_late, &late), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(given_back, 2);
    assert_int_equal(not_wiped, 0);
    seen_check(3);
    pthread_key_delete(late);
}

/* ---- SIGPROF ----------------------------------------------------------------------------------------------------- */

static unsigned handled, in_a_call;

static void on_prof(int number)
{
    const int error = errno;

    (void)number;
    if (qs_random_thread.own && !qs_random_thread.idle) __atomic_fetch_add(&in_a_call, 1, __ATOMIC_RELAXED);
    seen_draw(16 + __atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED) % 50);
    errno = error;
}

static void test_handler(void **state)
{
    struct sigaction action = {.sa_handler = on_prof, .sa_flags = SA_RESTART}, before;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF};
    const struct itimerspec often = {{0, 100000}, {0, 100000}};
    struct timespec start, now;
    timer_t timer;

    (void)state;
    seen_start(2500000);
    sigaction(SIGPROF, &action, &before);
    assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
    assert_int_equal(timer_settime(timer, 0, &often, NULL), 0);
    clock_gettime(CLOCK_MONOTONIC, &start);
    draws = 3000;
    unsigned rounds = 0;
    do {
        run_threads(2); /* their first calls among it */
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (++rounds < 150 && (now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < 1500);
    assert_int_equal(timer_delete(timer), 0);
    sigaction(SIGPROF, &before, NULL);
    print_message("%u signals, %u of them in a call; %zu pieces\n", handled, in_a_call, seen_check(6000));
    assert_true(handled > 100);
    covered("profiler", "random", "all");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads), cmocka_unit_test(test_end),
                                       cmocka_unit_test(test_draw_while_it_starts),
                                       cmocka_unit_test(test_draw_at_the_end), cmocka_unit_test(test_handler)};
    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
