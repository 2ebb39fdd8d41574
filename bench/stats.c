/* SPDX-License-Identifier: MIT
 *
 * From samples to figures.
 */
#include "bench.h"

double bench_min(const float *x, size_t n)
{
    float least = n ? x[0] : 0;
    for (size_t i = 1; i < n; i++)
        if (x[i] < least) least = x[i];
    return least;
}

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static double quantile_of_sorted(const float *x, size_t n, double q)
{
    double at = q * (double)(n - 1);
    size_t i = (size_t)at;
    return i + 1 < n ? x[i] + (at - (double)i) * (x[i + 1] - x[i]) : x[i];
}

double bench_quantile(const float *x, size_t n, double q)
{
    const size_t step = n / 4096 + 1; /* some thousand values tell it as well as all */
    float *sorted = n ? malloc((n / step + 1) * sizeof *x) : NULL;
    size_t taken = 0;

    if (!sorted) return 0;
    for (size_t i = 0; i < n; i += step) sorted[taken++] = x[i];
    n = taken;
    qsort(sorted, n, sizeof *sorted, by_size);
    double value = quantile_of_sorted(sorted, n, q);
    free(sorted);
    return value;
}

unsigned bench_group_minima(const float *x, size_t n, double minima[BENCH_GROUPS])
{
    unsigned groups = n < BENCH_GROUPS ? (unsigned)n : BENCH_GROUPS;
    for (unsigned g = 0; g < groups; g++) {
        size_t from = n * g / groups, to = n * (g + 1) / groups;
        minima[g] = bench_min(x + from, to - from);
    }
    return groups;
}

struct bench_ratio bench_ratio_of(const float *a, size_t n_a, const float *b, size_t n_b)
{
    struct bench_ratio r = {0, 0, 0};
    size_t n = n_a < n_b ? n_a : n_b;
    float *x = n ? malloc(n * sizeof *x) : NULL, medians[BENCH_GROUPS];
    unsigned groups = n < BENCH_GROUPS ? (unsigned)n : BENCH_GROUPS;

    if (!x) return r;
    for (size_t i = 0; i < n; i++) x[i] = a[i] / b[i];
    for (unsigned g = 0; g < groups; g++) {
        size_t from = n * g / groups, to = n * (g + 1) / groups;
        medians[g] = (float)bench_quantile(x + from, to - from, 0.5);
    }
    r.median = bench_quantile(x, n, 0.5);
    r.low = bench_quantile(medians, groups, 0.25);
    r.high = bench_quantile(medians, groups, 0.75);
    free(x);
    return r;
}

static const struct {
    const char *name;
    int less_is_better;
} metrics[BENCH_METRICS] = {
    [BENCH_MBS] = {"MB/s (10^6 bytes)", 0}, [BENCH_CYCLES] = {"cycles per call", 1},
    [BENCH_CPB] = {"cycles per byte", 1},   [BENCH_OPS_S] = {"1000 operations/s", 0},
    [BENCH_NS] = {"ns per packet", 1},      [BENCH_PACKETS_S] = {"million packets/s", 0},
    [BENCH_NS_CALL] = {"ns per call", 1},   [BENCH_SCALING] = {"times one core", 0},
};

const char *bench_metric_name(enum bench_metric metric) { return metrics[metric].name; }

int bench_metric_less_is_better(enum bench_metric metric) { return metrics[metric].less_is_better; }

/* Packets per second over those of the case of the same group that has one thread. */
static double scaling(const struct bench_run *run, unsigned c, unsigned l)
{
    for (unsigned one = 0; one < run->n_cases; one++) {
        if (run->cases[one].threads != 1 || strcmp(run->cases[one].group, run->cases[c].group)) continue;
        double alone = bench_figure(run, one, l, BENCH_PACKETS_S);
        return alone > 0 ? bench_figure(run, c, l, BENCH_PACKETS_S) / alone : 0;
    }
    return 0;
}

double bench_figure(const struct bench_run *run, unsigned c, unsigned l, enum bench_metric metric)
{
    const struct bench_case *what = &run->cases[c];
    const struct bench_cell *cell = bench_cell(run, c, l);
    const double cycle = run->cycle_ns;

    if (!cell->n || run->lines.line[l].state != BENCH_PRESENT) return 0;
    /* A call of n packets in each of t threads is n t packets. */
    double ns = bench_min(cell->ns, cell->n) / what->packets / what->threads;
    switch (metric) {
    case BENCH_MBS: return (double)what->len / ns * 1e3;
    case BENCH_CYCLES: return cycle > 0 ? ns / cycle : 0;
    case BENCH_CPB: return cycle > 0 && what->len ? ns / cycle / (double)what->len : 0;
    case BENCH_OPS_S: return 1e6 / ns;
    case BENCH_PACKETS_S: return 1e3 / ns;
    case BENCH_SCALING: return scaling(run, c, l);
    default: return ns;
    }
}

int bench_best_peer(const struct bench_run *run, unsigned c)
{
    int best = -1;
    double least = 0;

    for (unsigned l = 0; l < run->lines.n; l++) {
        double ns = run->lines.line[l].ours ? 0 : bench_figure(run, c, l, BENCH_NS);
        if (ns > 0 && (best < 0 || ns < least)) best = (int)l, least = ns;
    }
    return best;
}

struct bench_ratio bench_times_best_peer(const struct bench_run *run, unsigned c, unsigned l)
{
    const int best = bench_best_peer(run, c);
    const struct bench_cell *cell = bench_cell(run, c, l);

    if (best < 0 || run->lines.line[l].state != BENCH_PRESENT) return (struct bench_ratio){0, 0, 0};
    const struct bench_cell *peer = bench_cell(run, c, (unsigned)best);
    return bench_ratio_of(peer->ns, peer->n, cell->ns, cell->n);
}
