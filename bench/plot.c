/* SPDX-License-Identifier: MIT
 *
 * Curves, drawn by gnuplot: bytes on x, a line for each thing measured, a panel for each group.
 */
#define _GNU_SOURCE
#include "bench.h"

#include <errno.h>
#include <signal.h>

static const char *terminal(const char *file)
{
    const char *dot = strrchr(file, '.');
    if (dot && !strcmp(dot, ".svg")) return "svg";
    if (dot && !strcmp(dot, ".png")) return "pngcairo";
    return NULL;
}

int bench_plot_name_valid(const char *file) { return terminal(file) && !strpbrk(file, "'\n"); }

static double x_of(const struct bench_case *c, int by_threads) { return by_threads ? c->threads : (double)c->len; }

static void data(FILE *g, const struct bench_run *run, unsigned from, unsigned to, unsigned l, int by_threads)
{
    fprintf(g, "$d%u_%u << EOD\n", from, l);
    for (unsigned c = from; c < to; c++) {
        double y = bench_figure(run, c, l, run->profile->plotted);
        if (y > 0 && !run->cases[c].imix) fprintf(g, "%g %g\n", x_of(&run->cases[c], by_threads), y);
    }
    fprintf(g, "EOD\n");
}

/* A tick at each size measured; its label is left out where it would lie on the one before. */
static void x_axis(FILE *g, const struct bench_run *run, unsigned from, unsigned to, int by_threads)
{
    const char *comma = "";
    double labelled = 0, x = 0;

    fprintf(g, "set xtics (");
    for (unsigned c = from; c < to; c++) {
        const struct bench_case *what = &run->cases[c];
        if (what->imix || x_of(what, by_threads) == 0) continue; /* 0 is not on a logarithmic axis */
        x = x_of(what, by_threads);
        if (x < labelled * (by_threads ? 1 : 1.5)) {
            fprintf(g, "%s'' %.0f", comma, x);
        } else {
            const size_t len = strstr(what->column, "iB") ? strlen(what->column) : strcspn(what->column, " ");
            fprintf(g, "%s'%.*s' %.0f", comma, (int)len, what->column, x);
            labelled = x;
        }
        comma = ", ";
    }
    if (by_threads) fprintf(g, ")\nset xrange [0.9:*]\n");
    else fprintf(g, ")\nset logscale x 2\nset xrange [*:%g]\n", 1.1 * x);
}

/* A panel. */
static void panel(FILE *g, const struct bench_run *run, unsigned from, unsigned to)
{
    const enum bench_metric y = run->profile->plotted;
    const int dense = to - from > 64, by_threads = y == BENCH_PACKETS_S;
    int any = 0;

    for (unsigned l = 0; l < run->lines.n; l++)
        if (run->lines.line[l].state == BENCH_PRESENT) data(g, run, from, to, l, by_threads);
    fprintf(g, "set title '%s'\nset xlabel '%s'\nset ylabel '%s'\n", run->cases[from].group,
            by_threads ? "cores" : "bytes a packet", bench_metric_name(y));
    if (dense) fprintf(g, "set xrange [0:%zu]\n", run->cases[to - 1].len);
    else x_axis(g, run, from, to, by_threads);
    fprintf(g, dense || by_threads ? "unset logscale y\nset yrange [0:*]\n" : "set logscale y 2\n");
    for (unsigned l = 0; l < run->lines.n; l++) {
        const struct bench_line *line = &run->lines.line[l];
        if (line->state != BENCH_PRESENT || !bench_cell(run, from, l)->n) continue;
        fprintf(g, "%s $d%u_%u using 1:2 with %s lt %u lw %d title '%s'", any++ ? "," : "plot", from, l,
                dense ? "lines" : "linespoints", l + 1, line->ours ? 3 : 1, line->name);
    }
    if (any) fputc('\n', g);
}

int bench_plot(const struct bench_run *run, const char *file)
{
    unsigned panels = 0;
    for (unsigned c = 0; c < run->n_cases; c++)
        panels += !run->cases[c].calls && (!c || strcmp(run->cases[c].group, run->cases[c - 1].group));

    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignore, NULL); /* a gnuplot that is not there shows in pclose */
    FILE *g = popen("gnuplot", "w");
    if (!g) {
        fprintf(stderr, "quickstep: cannot run gnuplot: %s\n", strerror(errno));
        return -1;
    }
    const unsigned across = panels > 1 ? 2 : 1, down = (panels + across - 1) / across;
    fprintf(g, "set terminal %s size %u,%u font 'sans,11' background rgb 'white'\nset output '%s'\n", terminal(file),
            across * 700, down * 460 + 40, file);
    fprintf(g,
            "set termoption noenhanced\nset grid\nset key outside right center Left reverse\nset pointsize 0.8\n"
            "set linetype cycle 16\nset linetype 5 lc rgb '#8b6914'\nset multiplot layout %u,%u title '%s, %s'\n",
            down, across, run->profile->name, bench_cpu_name());
    for (unsigned from = 0, to; from < run->n_cases; from = to) {
        for (to = from + 1; to < run->n_cases && !strcmp(run->cases[from].group, run->cases[to].group);) to++;
        if (!run->cases[from].calls) panel(g, run, from, to); /* one point is no curve */
    }
    fprintf(g, "unset multiplot\n");
    if (pclose(g)) {
        fprintf(stderr, "quickstep: gnuplot failed: is it installed, and can %s be written?\n", file);
        return -1;
    }
    return 0;
}
