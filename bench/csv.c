/* SPDX-License-Identifier: MIT
 *
 * A run as comma separated values: a line for each cell that was measured.
 */
#include "bench.h"

static void print_cell(FILE *f, const struct bench_run *run, unsigned c, unsigned l)
{
    const struct bench_case *what = &run->cases[c];
    const struct bench_line *line = &run->lines.line[l];
    const struct bench_cell *cell = bench_cell(run, c, l);

    fprintf(f, "%s,\"%s\",%s,%zu,%zu,%u,%u,%u,", run->profile->name, what->group, what->column, what->len, what->ad_len,
            what->packets, what->own_keys ? what->packets : 1, what->threads);
    fprintf(f, "%s,%s,%.3f,%.3f,%.2f,%.4f,%.2f,%.3f\n", line->name, line->version, bench_figure(run, c, l, BENCH_NS),
            bench_quantile(cell->ns, cell->n, 0.5) / what->packets / what->threads,
            bench_figure(run, c, l, BENCH_CYCLES), bench_figure(run, c, l, BENCH_CPB),
            bench_figure(run, c, l, BENCH_MBS), bench_times_best_peer(run, c, l).median);
}

void bench_print_csv(const struct bench_run *run, FILE *f)
{
    fprintf(f, "profile,group,column,bytes,ad,packets,keys,threads,"
               "line,version,ns,ns_median,cycles,cycles_per_byte,mb_per_s,times_best_peer\n");
    for (unsigned c = 0; c < run->n_cases; c++)
        for (unsigned l = 0; l < run->lines.n; l++)
            if (bench_cell(run, c, l)->n && run->lines.line[l].state == BENCH_PRESENT) print_cell(f, run, c, l);
}
