/* SPDX-License-Identifier: MIT
 *
 * What got slower between two runs.
 *
 * Compared are core cycles, so that another clock frequency does not count. The libraries that both runs measured, in
 * the same version, are the controls: their code is the same, so what moved all of them moved the machine, and is
 * divided out; how far they scatter about that is what such a pair of runs can be off by chance. A result of ours is
 * slower only if it moved further than that, and than the minima of its own groups of rounds leave in doubt.
 */
#include "bench.h"

#include <math.h>

enum { FEWEST_CONTROLS = 6 };
static const double least_limit = 0.025; /* seen between runs of one program where the controls showed less */

struct pair {
    const json_t *old, *now;
    double change; /* natural logarithm of new cycles over old ones */
    int ours;
};

static const char *text(const json_t *j, const char *key)
{
    const char *s = json_string_value(json_object_get(j, key));
    return s ? s : "";
}

static double number(const json_t *j, const char *key) { return json_number_value(json_object_get(j, key)); }

static int same_cell(const json_t *a, const json_t *b)
{
    static const char *const keys[] = {"bytes", "ad", "packets", "keys", "threads"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (number(a, keys[i]) != number(b, keys[i])) return 0;
    return !strcmp(text(a, "line"), text(b, "line")) && !strcmp(text(a, "operation"), text(b, "operation")) &&
           !strcmp(text(a, "column"), text(b, "column"));
}

static const json_t *line_of(const json_t *run, const char *name)
{
    size_t i;
    json_t *line;
    json_array_foreach(json_object_get(run, "lines"), i, line)
    {
        if (!strcmp(text(line, "name"), name)) return line;
    }
    return NULL;
}

/* All results that both runs have. They mostly stand in the same order, so the search begins behind the last one found.
 */
static size_t match(const json_t *old, const json_t *now, struct pair *pairs)
{
    const json_t *olds = json_object_get(old, "results");
    const size_t n_old = json_array_size(olds);
    size_t at = 0, n = 0, i;
    json_t *b;

    json_array_foreach(json_object_get(now, "results"), i, b)
    {
        const json_t *line_b = line_of(now, text(b, "line")), *line_a = line_of(old, text(b, "line"));
        const int ours = json_is_true(json_object_get(line_b, "ours"));
        if (!line_a || !line_b || (!ours && strcmp(text(line_a, "version"), text(line_b, "version")))) continue;
        for (size_t tried = 0; tried < n_old; tried++) {
            const json_t *a = json_array_get(olds, (at + tried) % n_old);
            if (!same_cell(a, b)) continue;
            const double was = number(a, "cycles"), is = number(b, "cycles");
            if (was > 0 && is > 0) pairs[n++] = (struct pair){a, b, log(is / was), ours};
            at = (at + tried + 1) % n_old;
            break;
        }
    }
    return n;
}

/* How far the lower quartile of the groups' minima lies above the least of them: whether the minimum was found often.
 */
static double doubt(const json_t *result)
{
    const json_t *list = json_object_get(result, "ns_minima");
    const size_t n = json_array_size(list) < BENCH_GROUPS ? json_array_size(list) : BENCH_GROUPS;
    float x[BENCH_GROUPS];

    for (size_t i = 0; i < n; i++) x[i] = (float)json_number_value(json_array_get(list, i));
    return n && bench_min(x, n) > 0 ? bench_quantile(x, n, 0.25) / bench_min(x, n) - 1 : 0;
}

static void machine_moved(const struct pair *pairs, size_t n, double *drift, double *scatter, size_t *controls)
{
    float *x = malloc((n + 1) * sizeof *x);
    size_t k = 0;

    *drift = *scatter = 0;
    for (size_t i = 0; x && i < n; i++)
        if (!pairs[i].ours) x[k++] = (float)pairs[i].change;
    *controls = k;
    if (k >= FEWEST_CONTROLS) {
        *drift = bench_quantile(x, k, 0.5);
        for (size_t i = 0; i < k; i++) x[i] = fabsf(x[i] - (float)*drift);
        *scatter = bench_quantile(x, k, 0.9);
    }
    free(x);
}

static double per_cent(double change) { return 100 * (exp(change) - 1); }

int bench_compare(const json_t *old, const json_t *now, FILE *f)
{
    struct pair *pairs = malloc((json_array_size(json_object_get(now, "results")) + 1) * sizeof *pairs);
    const size_t n = pairs ? match(old, now, pairs) : 0;
    const json_t *old_cpu = json_object_get(old, "cpu"), *now_cpu = json_object_get(now, "cpu");
    double drift, scatter, widest = least_limit;
    size_t controls, ours = 0;
    int slower = 0;

    if (pairs) machine_moved(pairs, n, &drift, &scatter, &controls);
    for (size_t i = 0; i < n; i++) ours += (size_t)pairs[i].ours;
    if (!ours) {
        fprintf(stderr,
                "quickstep: nothing to compare: the two runs have no result of ours at the same size in common\n");
        free(pairs);
        return -1;
    }

    fprintf(f, "\ncompared with %s, quickstep %s, core cycles\n", text(old, "date"), text(old, "version"));
    if (strcmp(text(old_cpu, "name"), text(now_cpu, "name")))
        fprintf(f, "THESE ARE DIFFERENT CPUs: then %s, now %s\n", text(old_cpu, "name"), text(now_cpu, "name"));
    if (strcmp(text(old, "level"), text(now, "level")))
        fprintf(f, "THE LEVELS DIFFER: then %s, now %s\n", text(old, "level"), text(now, "level"));
    if (controls >= FEWEST_CONTROLS)
        fprintf(f, "%zu results of other libraries moved by %+.1f %%, which is divided out, and scatter by %.1f %%\n",
                controls, per_cent(drift), 100 * scatter);
    else fprintf(f, "no other library was measured in both: a machine that was slower as a whole shows as a change\n");

    for (size_t i = 0; i < n; i++) {
        if (!pairs[i].ours) continue;
        const double change = pairs[i].change - drift;
        double limit = fmax(least_limit, fmax(3 * scatter, doubt(pairs[i].old) + doubt(pairs[i].now)));
        const char *verdict = change > limit ? "SLOWER" : change < -limit ? "faster" : "";
        slower += change > limit;
        widest = fmax(widest, limit);
        if (ours <= 100 || *verdict)
            fprintf(f, "  %-19s %-28s %9s %10.1f -> %10.1f %+6.1f %% %s\n", text(pairs[i].now, "line"),
                    text(pairs[i].now, "group"), text(pairs[i].now, "column"), number(pairs[i].old, "cycles"),
                    number(pairs[i].now, "cycles"), per_cent(change), verdict);
    }
    fprintf(f, "%d of %zu slower; a change below %.1f %% may be noise\n", slower, ours, per_cent(widest));
    free(pairs);
    return slower;
}
