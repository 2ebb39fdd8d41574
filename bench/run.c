/* SPDX-License-Identifier: MIT
 *
 * Check everything, then rounds until the time is up.
 */
#define _GNU_SOURCE
#include "bench.h"

#include <signal.h>
#include <unistd.h>

enum { MARATHONS = 3 }; /* rounds that the cases with very many calls take part in */

static volatile sig_atomic_t stop;

static void on_interrupt(int sig)
{
    (void)sig;
    stop = 1;
}

static void progress(const char *text, double part, double left)
{
    static uint64_t last;
    uint64_t now = bench_now();

    if (!isatty(STDERR_FILENO) || now - last < 200000000) return;
    last = now;
    fprintf(stderr, "\r%s %3.0f %%, %3.0f s left ", text, part * 100, left);
}

static void progress_end(void)
{
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\r%60s\r", "");
}

static void push(struct bench_cell *cell, double ns)
{
    if (cell->n == cell->room) {
        size_t room = cell->room ? 2 * cell->room : 64;
        float *grown = realloc(cell->ns, room * sizeof *grown);
        if (!grown) return; /* the rounds so far are enough */
        cell->ns = grown;
        cell->room = room;
    }
    cell->ns[cell->n++] = (float)ns;
}

static void wrong(struct bench_run *run, unsigned c, unsigned l, const char *what)
{
    struct bench_line *line = &run->lines.line[l];

    progress_end();
    line->state = BENCH_WRONG;
    snprintf(line->why, sizeof line->why, "%s, %s: %s", run->cases[c].group, run->cases[c].column, what);
    fprintf(stderr, "quickstep: WRONG: %s: %s; it is not measured\n", line->name, line->why);
    run->wrong = 1;
}

/* Nanoseconds of `reps` calls; 0: one failed. */
static double time_here(struct bench_arena *a, const struct bench_run *run, unsigned c, unsigned l, unsigned reps)
{
    if (bench_prepare(a, run, c, l)) return 0;
    uint64_t start = bench_now();
    int failed = bench_repeat(a, reps);
    uint64_t took = bench_now() - start;
    if (failed) return 0;
    return (double)(took > bench_clock_cost() ? took - bench_clock_cost() : took);
}

/* The same with the stack `shift` bytes further down. Where the stack lies within a page and within a cache line is
 * chance, stays for the whole process and can cost per cents; so each round has it elsewhere. */
static double __attribute__((noinline))
time_shifted(struct bench_arena *a, const struct bench_run *run, unsigned c, unsigned l, unsigned reps, size_t shift)
{
    volatile char pad[shift + 1];
    pad[0] = 0;
    double ns = time_here(a, run, c, l, reps);
    return ns + pad[0];
}

/* Checks each cell and finds how many calls take `target` nanoseconds, or a few times that. */
static void check_all(struct bench_run *run, struct bench_arena *a, uint64_t deadline, double target)
{
    for (unsigned c = 0; c < run->n_cases && !stop && bench_now() < deadline; c++) {
        struct bench_case *what = &run->cases[c];
        /* A generator of random bytes fills its buffer now and then. A round has many of those, or the quickest would be
         * one that had fewer. */
        const int random = what->op == BENCH_RANDOM;
        const unsigned turn = what->total / what->packets, calls = random ? 1000 : turn;
        const double round = random ? 5 * target : target;

        if (what->op == BENCH_OPEN) bench_make_tags(a, what);
        for (unsigned l = 0; l < run->lines.n && !stop && bench_now() < deadline; l++) {
            struct bench_line *line = &run->lines.line[l];
            if (line->state != BENCH_PRESENT || !line->peer->call[what->op]) continue;

            const char *fault = bench_check(a, run, c, l);
            double least = 0;
            for (int i = 0; i < (what->len < BENCH_LONG ? 3 : 1) && !fault; i++) {
                bench_use_rows(line);
                double ns = time_here(a, run, c, l, calls) / calls;
                if (ns > 0 && (least == 0 || ns < least)) least = ns;
            }
            if (fault) wrong(run, c, l, fault);
            else if (what->calls)
                bench_cell(run, c, l)->reps = what->calls * least * MARATHONS < run->seconds * 1e8 ? what->calls : 0;
            else bench_cell(run, c, l)->reps = ((unsigned)(round / (least > 1 ? least : 1)) / turn + 1) * turn;
        }
        progress("checking output", (double)(c + 1) / run->n_cases, (double)(int64_t)(deadline - bench_now()) / 1e9);
    }
}

void bench_measure(struct bench_run *run, uint64_t start)
{
    const uint64_t end = start + (uint64_t)(run->seconds * 0.98e9); /* the rest is for the tables */
    const struct sigaction act = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    struct bench_team *team = NULL;
    unsigned threads = 1, cells = 0;

    sigaction(SIGINT, &act, NULL);
    for (unsigned c = 0; c < run->n_cases; c++)
        if (run->cases[c].threads > threads) threads = run->cases[c].threads;
    for (unsigned l = 0; l < run->lines.n; l++) cells += (run->lines.line[l].state == BENCH_PRESENT) * run->n_cases;

    /* Short, so that many fit between two interruptions, but not so short that reading the clock counts. */
    double target = run->seconds * 1e9 / (cells + 1.0) / 300;
    const double least = 200.0 * (double)bench_clock_cost();
    target = target > 20000 ? 20000 : target;
    target = target < least ? least : target;
    if (threads > 1) {
        target = 500000; /* meeting at a barrier must not count */
        team = bench_team_new(run, threads);
    }
    bench_pin(-1);
    struct bench_arena *a = bench_arena_new(run);
    check_all(run, a, end, target);

    const uint64_t measuring = bench_now();
    while (!stop && bench_now() < end) {
        for (unsigned c = 0; c < run->n_cases && !stop; c++) {
            for (unsigned k = 0; k < run->lines.n && !stop; k++) {
                const unsigned l = (unsigned)((k + run->rounds) % run->lines.n);
                struct bench_cell *cell = bench_cell(run, c, l);
                if (!cell->reps || (run->cases[c].calls && cell->n >= MARATHONS) ||
                    run->lines.line[l].state != BENCH_PRESENT)
                    continue;
                if (bench_now() >= end) break;

                bench_use_rows(&run->lines.line[l]);
                double ns = team ? bench_team_time(team, run->cases[c].threads, c, l, cell->reps)
                                 : time_shifted(a, run, c, l, cell->reps, run->rounds * 80 % 4096);
                if (ns > 0) push(cell, ns / cell->reps);
                else wrong(run, c, l, "a call failed while it was timed");
            }
            push(&run->chain, bench_chain());
            const uint64_t now = bench_now();
            if (now >= end) break;
            progress(run->profile->name, (double)(now - measuring) / (double)(end - measuring),
                     (double)(end - now) / 1e9);
        }
        run->rounds++;
    }
    const double counted_ghz = bench_counted_ghz(); /* now that the core runs at its speed */
    /* The chain can only be slowed; but the clock puts a sample some per mille off either way, so not the least. */
    run->cycle_ns = counted_ghz > 0 ? 1 / counted_ghz : bench_quantile(run->chain.ns, run->chain.n, 0.1);
    run->counted = counted_ghz > 0;
    run->interrupted = stop;
    progress_end();
}
