/* SPDX-License-Identifier: MIT
 *
 * A signal handler between any two instructions of a call (x86-64's trap flag): it draws, it forks and draws, it jumps
 * away. No output may come twice, be zeros, or be the same in parent and child, where the fork came before the call's
 * last look at its state; and a thread's first call is no exception.
 */
#define _GNU_SOURCE
#include "random_seen.h"

#include "../random/random.h"

#ifdef __x86_64__

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum {
    TRAP_FLAG = 0x100,
    MOST_CHILDREN = 4000,
    /* Instructions at most from the last look at the state to behind the call: of a call from the pool, and of others.
     * A fork from there on comes after the call. */
    LAST_LOOK_QUICK = 16,
    LAST_LOOK = 40
};

#ifdef NO_VDSO
/* As if the vDSO had no getrandom: then no bytes of it hide that a child has no seed. */
qs_vdso_getrandom *qs_vdso_getrandom_find(size_t *state_len)
{
    *state_len = 0;
    return NULL;
}
#endif

static volatile size_t steps; /* in the call that is being watched */
static size_t fork_every;     /* steps, or 0: never */
static size_t dense;          /* so many steps at the beginning have a fork each */
static size_t jump_at;        /* step, or 0: never */
static size_t draw_length;    /* of the handler; 0: it does not draw */
static int draw_always;       /* or only while the interrupted call has the state */
static volatile int is_child;
static sigjmp_buf jump;

/* What the interrupted call gave in each child; shared. */
struct children {
    size_t n;
    struct {
        size_t step;
        int done;
        uint8_t out[16];
    } child[MOST_CHILDREN];
};
static struct children *children;

static void on_step(int number, siginfo_t *info, void *context)
{
    ucontext_t *c = context;

    (void)number, (void)info;
    steps++;
    const int pick = steps < 300 || steps % 251 == 0; /* few of the kernel's own */
    if (draw_length && pick && (draw_always || (qs_random_thread.own && !qs_random_thread.idle)))
        seen_draw(draw_length);
    if (steps == jump_at) siglongjmp(jump, 1);
    if (!fork_every || (steps % fork_every && steps > dense) || children->n == MOST_CHILDREN) return;
    const size_t i = children->n++;
    pid_t pid = fork();
    if (pid == 0) {
        children->child[i].step = steps;
        c->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
        is_child = (int)i + 1;
        if (i % 2) seen_draw(seen_length(i));
        return;
    }
    int status = -1;
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status) _exit(6);
}

/* Below the red zone. */
#define STEP(change)                                                                                                   \
    __asm__ volatile("leaq -128(%%rsp), %%rsp\n\tpushfq\n\t" change "\n\tpopfq\n\tleaq 128(%%rsp), %%rsp"              \
                     :                                                                                                 \
                     :                                                                                                 \
                     : "memory", "cc")

static QS_NOINLINE qs_status stepped(uint8_t *out, size_t len)
{
    steps = 0;
    STEP("orq $0x100, (%%rsp)");
    qs_status status = qs_random(out, len);
    STEP("andq $~0x100, (%%rsp)");
    return status;
}

/* The call draws where the handler does too. Returns its steps. */
static size_t watch(size_t len)
{
    static uint8_t out[20000];

    if (len > sizeof out || stepped(out, len) != QS_OK) _exit(3);
    if (is_child) {
        memcpy(children->child[is_child - 1].out, out, 16);
        children->child[is_child - 1].done = 1;
        seen_draw(16);
        _exit(0);
    }
    if (len >= 16) seen_note(out, len);
    return steps;
}

static void install(void)
{
    struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
    seen_start(1500000);
    if (!children) children = mmap(NULL, sizeof *children, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(children != MAP_FAILED);
    memset(children, 0, sizeof *children);
    fork_every = dense = jump_at = draw_length = 0;
    draw_always = 0;
}

/* Leaves `left` bytes in the pool, so that the next call needs no new one, or part of one, or all. */
static void leave(size_t left)
{
    static uint8_t out[QS_RANDOM_POOL];

    if (qs_random_reseed() != QS_OK || qs_random(out, 32) != QS_OK) _exit(3);
    while (qs_random_thread.left > left)
        if (qs_random(out, qs_random_thread.left - left < 900 ? qs_random_thread.left - left : 900)) _exit(3);
}

/* What is asked for, and how much of it the pool has, or that a seed is due; steps between two forks, or 0: the handler
 * draws at every step and forks never. Before the first instructions of a call its state is idle still: there such a
 * handler uses it. */
enum { SEED_DUE = 9999 };
static const struct {
    size_t len, left, fork_every;
} calls[] = {{16, 2000, 0},  {31, 2000, 0},     {100, 2000, 0}, {16, 2000, 1},    {31, 2000, 1},      {32, 16, 301},
             {100, 2000, 1}, {2048, 2000, 101}, {2100, 8, 501}, {1000, 500, 401}, {32, SEED_DUE, 901}};

static void test_calls(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(calls); i++) {
        install();
        if (calls[i].left == SEED_DUE) {
            __atomic_add_fetch(&qs_random_epoch, 1, __ATOMIC_RELAXED);
            dense = 300;
        } else leave(calls[i].left);
        draw_length = 20;
        draw_always = calls[i].fork_every == 0;
        fork_every = calls[i].fork_every;
        const size_t n = watch(calls[i].len);
        size_t at_the_end = 0;
        for (size_t c = 0; c < children->n; c++) {
            assert_true(children->child[c].done);
            if (children->child[c].step + (n < 100 ? LAST_LOOK_QUICK : LAST_LOOK) < n)
                seen_note(children->child[c].out, 16);
            else at_the_end++;
        }
        print_message("%zu bytes, %zu left: %zu steps, %zu children, %zu of them at the very end, %zu pieces\n",
                      calls[i].len, calls[i].left, n, children->n, at_the_end, seen_check(20));
        assert_true(n > 10 && (draw_always || children->n - at_the_end > 10));
    }
    covered("handler", "random", "all");
    covered("handler-forks", "random", "all");
}

static void *first_call(void *arg)
{
    (void)arg;
    watch(16);
    return (void *)steps;
}

static void in_a_thread(void *(*body)(void *))
{
    pthread_t thread;
    void *n;

    assert_int_equal(pthread_create(&thread, NULL, body, NULL), 0);
    assert_int_equal(pthread_join(thread, &n), 0);
    print_message("%zu steps, %zu children, %zu pieces\n", (size_t)n, children->n, seen_check(1));
}

static void test_first_call(void **state)
{
    (void)state;
    install();
    draw_length = 20;
    fork_every = 1501;
    in_a_thread(first_call);
}

/* A handler that does not come back leaves the state in use for ever; the thread's calls go on without. */
static void *jumping(void *arg)
{
    (void)arg;
    if (qs_random(NULL, 0) != QS_OK) _exit(3);
    for (size_t at = 1; at < 60; at++) {
        jump_at = at;
        if (sigsetjmp(jump, 1) == 0) watch(16);
        jump_at = 0;
        for (int i = 0; i < 20; i++) seen_draw(seen_length((uint64_t)i << 33 | (unsigned)i));
    }
    return (void *)steps;
}

static void test_jump(void **state)
{
    (void)state;
    install();
    in_a_thread(jumping);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_calls), cmocka_unit_test(test_first_call),
                                       cmocka_unit_test(test_jump)};
    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

SKIPPED("no trap flag")

#endif
