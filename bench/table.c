/* SPDX-License-Identifier: MIT
 *
 * The aligned tables.
 */
#include "bench.h"

#include <time.h>

enum { NAME = 20, COLUMN = 9, WIDEST = 10 }; /* more columns than that: the table is turned on its side */

static void print_figure(FILE *f, double x, const char *mark)
{
    if (x <= 0) fprintf(f, "%*s ", COLUMN - 1, "-");
    else fprintf(f, "%*.*f%s", COLUMN - 1, x >= 1000 ? 0 : x >= 100 ? 1 : 2, x, mark);
}

/* The line that is best at a case; -1: none was measured. */
static int best_line(const struct bench_run *run, unsigned c, enum bench_metric metric)
{
    const int less = bench_metric_less_is_better(metric);
    int best = -1;
    double record = 0;

    for (unsigned l = 0; l < run->lines.n; l++) {
        double x = bench_figure(run, c, l, metric);
        if (x > 0 && (best < 0 || (less ? x < record : x > record))) best = (int)l, record = x;
    }
    return best;
}

static void print_line(FILE *f, const struct bench_run *run, const struct bench_line *line)
{
    fprintf(f, "  %-*s ", NAME - 3, line->name);
    if (line->state == BENCH_ABSENT) fprintf(f, "absent: %s\n", line->why);
    else if (line->state == BENCH_WRONG) fprintf(f, "%s WRONG, not measured: %s\n", line->version, line->why);
    else {
        fprintf(f, "%s", line->version);
        for (unsigned p = 0; line->ours && p < QS_PRIMITIVES; p++)
            fprintf(f, ", %s %s", qs_tables[p].primitive, line->rows[p]->name);
        if (run->level) fprintf(f, line->held ? ", held to %s" : ", COULD NOT BE HELD to %s", run->level);
        fputc('\n', f);
    }
}

static void print_header(FILE *f, const struct bench_run *run)
{
    const char *emulated = bench_emulated();
    const time_t now = time(NULL);
    char date[32];

    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    fprintf(f, "%s\n%s on %s, %s\n", run->command, run->profile->name, bench_cpu_name(), date);
    if (emulated)
        fprintf(f, "THIS CPU IS EMULATED (%s): its times mean nothing. Count instructions instead.\n", emulated);
    if (run->cycle_ns > 0)
        fprintf(f, "core clock %.3f GHz, by %s; %zu rounds, minimum of each; * best; - not available\n",
                1 / run->cycle_ns, run->counted ? "the CPU's cycle counter" : "a chain of dependent additions",
                run->rounds);
    for (unsigned l = 0; l < run->lines.n; l++) print_line(f, run, &run->lines.line[l]);
}

/* How much longer than its minimum the median round of a line took: the median of that over cases `from` to `to`. */
static double spread(const struct bench_run *run, unsigned from, unsigned to, unsigned l)
{
    float *x = malloc((to - from) * sizeof *x);
    size_t n = 0;

    for (unsigned c = from; x && c < to; c++) {
        const struct bench_cell *cell = bench_cell(run, c, l);
        if (cell->n) x[n++] = (float)(bench_quantile(cell->ns, cell->n, 0.5) / bench_min(cell->ns, cell->n) - 1);
    }
    double median = bench_quantile(x, n, 0.5);
    free(x);
    return median;
}

/* How many times as fast as the best peer we are; whether the run was too noisy to say which is faster. */
static int print_ratio(FILE *f, const struct bench_run *run, unsigned c)
{
    const struct bench_ratio r = bench_times_best_peer(run, c, 0);
    const int unsure = r.low < 1 && r.high > 1;

    print_figure(f, r.median, unsure ? "~" : " ");
    return unsure;
}

static int print_ratios(FILE *f, const struct bench_run *run, unsigned from, unsigned to)
{
    int any_unsure = 0;

    if (bench_best_peer(run, from) < 0) return 0;
    fprintf(f, "%-*s", NAME, "times best peer");
    for (unsigned c = from; c < to; c++) any_unsure |= print_ratio(f, run, c);
    fputc('\n', f);
    return any_unsure;
}

static int print_group(FILE *f, const struct bench_run *run, unsigned from, unsigned to)
{
    double *spreads = malloc(run->lines.n * sizeof *spreads);

    for (unsigned l = 0; spreads && l < run->lines.n; l++) spreads[l] = spread(run, from, to, l);
    for (unsigned m = 0; spreads && m < run->profile->n_metrics; m++) {
        const enum bench_metric metric = run->profile->metrics[m];

        fprintf(f, "\n%s: %s\n%*s", run->cases[from].group, bench_metric_name(metric), NAME, "");
        for (unsigned c = from; c < to; c++) fprintf(f, "%*s ", COLUMN - 1, run->cases[c].column);
        fprintf(f, "   spread\n");
        for (unsigned l = 0; l < run->lines.n; l++) {
            if (run->lines.line[l].state != BENCH_PRESENT || !run->lines.line[l].peer->call[run->cases[from].op])
                continue;
            fprintf(f, "%-*.*s", NAME, NAME, run->lines.line[l].name);
            for (unsigned c = from; c < to; c++)
                print_figure(f, bench_figure(run, c, l, metric), (int)l == best_line(run, c, metric) ? "*" : " ");
            fprintf(f, "%7.1f %%\n", 100 * spreads[l]);
        }
    }
    free(spreads);
    return print_ratios(f, run, from, to);
}

/* A line for each size, a column for each thing measured; of very many sizes those that are multiples of 128. */
static int print_turned(FILE *f, const struct bench_run *run, unsigned from, unsigned to)
{
    const enum bench_metric metric = run->profile->metrics[0];
    int any_unsure = 0;

    fprintf(f, "\n%s: %s\n%-10s", run->cases[from].group, bench_metric_name(metric), "");
    for (unsigned l = 0; l < run->lines.n; l++)
        if (run->lines.line[l].state == BENCH_PRESENT) fprintf(f, "%*.*s ", COLUMN, COLUMN, run->lines.line[l].name);
    fprintf(f, " times best peer\n");
    for (unsigned c = from; c < to; c++) {
        if (to - from > 64 && run->cases[c].len % 128) continue;
        fprintf(f, "%9s ", run->cases[c].column);
        for (unsigned l = 0; l < run->lines.n; l++)
            if (run->lines.line[l].state == BENCH_PRESENT) {
                fputc(' ', f);
                print_figure(f, bench_figure(run, c, l, metric), (int)l == best_line(run, c, metric) ? "*" : " ");
            }
        any_unsure |= print_ratio(f, run, c);
        fputc('\n', f);
    }
    return any_unsure;
}

/* Where one byte more costs us most. */
static void print_cliffs(FILE *f, const struct bench_run *run, unsigned from, unsigned to)
{
    enum { MOST = 8 };
    unsigned at[MOST];
    double cost[MOST] = {0};

    for (unsigned c = from; c + 1 < to; c++) {
        double here = bench_figure(run, c, 0, BENCH_CYCLES), next = bench_figure(run, c + 1, 0, BENCH_CYCLES);
        if (here <= 0 || next - here <= cost[MOST - 1]) continue;
        unsigned i = MOST - 1;
        for (; i && cost[i - 1] < next - here; i--) cost[i] = cost[i - 1], at[i] = at[i - 1];
        cost[i] = next - here;
        at[i] = c;
    }
    fprintf(f, "one byte more costs us most from:");
    for (unsigned i = 0; i < MOST && cost[i] > 0; i++)
        fprintf(f, "%s %zu to %zu bytes %+.0f cycles", i ? "," : "", run->cases[at[i]].len, run->cases[at[i] + 1].len,
                cost[i]);
    fputc('\n', f);
}

void bench_print_table(const struct bench_run *run, FILE *f)
{
    int unsure = 0, peers = 0;
    float *spreads = malloc(run->lines.n * sizeof *spreads);
    size_t n = 0;

    print_header(f, run);
    if (run->interrupted) fprintf(f, "interrupted: these are the rounds so far\n");
    for (unsigned from = 0, to; from < run->n_cases; from = to) {
        for (to = from + 1; to < run->n_cases && !strcmp(run->cases[from].group, run->cases[to].group);) to++;
        unsure |= to - from <= WIDEST ? print_group(f, run, from, to) : print_turned(f, run, from, to);
        if (to - from > 64) print_cliffs(f, run, from, to);
    }
    for (unsigned l = 0; spreads && l < run->lines.n; l++)
        if (run->lines.line[l].state == BENCH_PRESENT) spreads[n++] = (float)spread(run, 0, run->n_cases, l);
    for (unsigned l = 0; l < run->lines.n; l++)
        peers += !run->lines.line[l].ours && run->lines.line[l].state == BENCH_PRESENT;
    if (peers)
        fprintf(
            f, "\ntimes best peer: how many times as fast as the quickest other library, median of the rounds' ratios");
    fprintf(f, "\nspread: how much longer than its minimum the median round took");
    if (run->rounds < 8)
        fprintf(f, "\ntoo few rounds to mean much, or none where there is a -: give it more time with --seconds");
    if (unsure) fprintf(f, "\n~: this run was too noisy to say which of the two is faster");
    if (bench_quantile(spreads, n, 0.5) > 0.05)
        fprintf(f, "\nthe machine was busy: trust the ratios and minima, and no difference below %.0f %%",
                20 * bench_quantile(spreads, n, 0.5));
    fputc('\n', f);
    free(spreads);
}
