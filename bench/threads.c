/* SPDX-License-Identifier: MIT
 *
 * The same calls on several cores at once, each thread with buffers and contexts of its own.
 */
#define _GNU_SOURCE
#include "bench.h"

#include <pthread.h>

struct worker {
    struct bench_team *team;
    unsigned number;
    int cpu;
    uint64_t start, end;
    int failed;
};

struct bench_team {
    const struct bench_run *run;
    unsigned n, waiting; /* threads that have not prepared yet */
    pthread_barrier_t begin, done;
    unsigned threads, c, l, reps; /* the work */
    struct worker *workers;
};

static void *work(void *arg)
{
    struct worker *w = arg;
    struct bench_team *t = w->team;

    bench_pin(w->cpu);
    struct bench_arena *a = bench_arena_new(t->run);
    for (;;) {
        pthread_barrier_wait(&t->begin);
        if (w->number < t->threads) {
            w->failed = bench_prepare(a, t->run, t->c, t->l);
            __atomic_sub_fetch(&t->waiting, 1, __ATOMIC_SEQ_CST);
            while (__atomic_load_n(&t->waiting, __ATOMIC_SEQ_CST)) {
            }
            w->start = bench_now();
            w->failed |= bench_repeat(a, t->reps);
            w->end = bench_now();
        }
        pthread_barrier_wait(&t->done);
    }
    return NULL;
}

struct bench_team *bench_team_new(const struct bench_run *run, unsigned threads)
{
    struct bench_team *t = calloc(1, sizeof *t);
    int cpus[BENCH_MAX_THREADS];
    pthread_t id;

    if (!t || !(t->workers = calloc(threads, sizeof *t->workers))) abort();
    t->run = run;
    t->n = threads;
    pthread_barrier_init(&t->begin, NULL, threads + 1);
    pthread_barrier_init(&t->done, NULL, threads + 1);
    bench_cpus(cpus, BENCH_MAX_THREADS);
    for (unsigned i = 0; i < threads; i++) {
        t->workers[i] = (struct worker){.team = t, .number = i, .cpu = cpus[i]};
        if (pthread_create(&id, NULL, work, &t->workers[i])) {
            fprintf(stderr, "quickstep: cannot start %u threads\n", threads);
            exit(2);
        }
    }
    return t;
}

double bench_team_time(struct bench_team *t, unsigned threads, unsigned c, unsigned l, unsigned reps)
{
    uint64_t start = UINT64_MAX, end = 0;
    int failed = 0;

    t->threads = t->waiting = threads;
    t->c = c;
    t->l = l;
    t->reps = reps;
    pthread_barrier_wait(&t->begin);
    pthread_barrier_wait(&t->done);
    for (const struct worker *w = t->workers; w < t->workers + threads; w++) {
        failed |= w->failed;
        if (w->start < start) start = w->start;
        if (w->end > end) end = w->end;
    }
    return failed ? 0 : (double)(end - start);
}
