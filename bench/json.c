/* SPDX-License-Identifier: MIT
 *
 * A run as JSON; doc/bench-json.md describes it.
 */
#include "bench.h"

#include <time.h>

static const char *const ops[BENCH_OPS] = {"seal", "open", "chacha20", "chacha12", "chacha8", "xchacha20", "poly1305",
                                     "random"};

static json_t *minima_of(const struct bench_cell *cell, double per)
{
    double minima[BENCH_GROUPS];
    unsigned n = bench_group_minima(cell->ns, cell->n, minima);
    json_t *list = json_array();

    for (unsigned i = 0; i < n; i++) json_array_append_new(list, json_real(minima[i] / per));
    return list;
}

static json_t *cpu_to_json(const struct bench_run *run)
{
    qs_feature features[32];
    size_t n = qs_cpu_features(features, 32);
    json_t *found = json_array();

    for (size_t i = 0; i < n && i < 32; i++)
        if (features[i].found) json_array_append_new(found, json_string(features[i].name));
    return json_pack("{s:s, s:o, s:b, s:f, s:s, s:o}", "name", bench_cpu_name(), "features", found, "emulated",
                     bench_emulated() != NULL, "ghz", run->cycle_ns > 0 ? 1 / run->cycle_ns : 0., "clock",
                     run->counted ? "counter" : "chain", "cycle_ns_minima", minima_of(&run->chain, 1));
}

static json_t *line_to_json(const struct bench_run *run, const struct bench_line *line)
{
    static const char *const states[] = {"measured", "absent", "wrong"};
    json_t *j = json_pack("{s:s, s:b, s:s, s:s?}", "name", line->name, "ours", line->ours, "state", states[line->state],
                          "version", line->version);

    if (line->why[0]) json_object_set_new(j, "why", json_string(line->why));
    if (run->level && line->state != BENCH_ABSENT) json_object_set_new(j, "held", json_boolean(line->held));
    if (line->ours) {
        json_t *rows = json_object();
        for (unsigned p = 0; p < QS_PRIMITIVES; p++)
            json_object_set_new(rows, qs_tables[p].primitive, json_string(line->rows[p]->name));
        json_object_set_new(j, "rows", rows);
    }
    return j;
}

static json_t *cell_to_json(const struct bench_run *run, unsigned c, unsigned l)
{
    const struct bench_case *what = &run->cases[c];
    const struct bench_cell *cell = bench_cell(run, c, l);
    const double per = (double)what->packets * what->threads;
    json_t *j = json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:i, s:i, s:i}", "line", run->lines.line[l].name, "group",
                          what->group, "column", what->column, "operation", ops[what->op], "bytes",
                          (json_int_t)what->len, "ad", (json_int_t)what->ad_len, "packets", (int)what->packets, "keys",
                          (int)(what->own_keys ? what->packets : 1), "threads", (int)what->threads);
    const int best = bench_best_peer(run, c);

    json_object_update_new(j, json_pack("{s:f, s:f, s:o, s:f, s:f, s:f}", "ns", bench_figure(run, c, l, BENCH_NS),
                                        "ns_median", bench_quantile(cell->ns, cell->n, 0.5) / per, "ns_minima",
                                        minima_of(cell, per), "cycles", bench_figure(run, c, l, BENCH_CYCLES),
                                        "cycles_per_byte", bench_figure(run, c, l, BENCH_CPB), "mb_per_s",
                                        bench_figure(run, c, l, BENCH_MBS)));
    if (best >= 0 && run->lines.line[l].ours) {
        json_object_set_new(j, "times_best_peer", json_real(bench_times_best_peer(run, c, l).median));
        json_object_set_new(j, "best_peer", json_string(run->lines.line[best].name));
    }
    return j;
}

json_t *bench_to_json(const struct bench_run *run)
{
    const time_t now = time(NULL);
    char date[32];
    json_t *lines = json_array(), *results = json_array();

    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    for (unsigned l = 0; l < run->lines.n; l++) json_array_append_new(lines, line_to_json(run, &run->lines.line[l]));
    for (unsigned c = 0; c < run->n_cases; c++)
        for (unsigned l = 0; l < run->lines.n; l++)
            if (bench_cell(run, c, l)->n && run->lines.line[l].state == BENCH_PRESENT)
                json_array_append_new(results, cell_to_json(run, c, l));
    return json_pack("{s:i, s:s, s:s, s:s, s:s, s:s?, s:f, s:I, s:b, s:o, s:o, s:o}", "quickstep_bench", 1, "version",
                     qs_version(), "date", date, "command", run->command, "profile", run->profile->name, "level",
                     run->level, "seconds", run->seconds, "rounds", (json_int_t)run->rounds, "interrupted",
                     run->interrupted, "cpu", cpu_to_json(run), "lines", lines, "results", results);
}
