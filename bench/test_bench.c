/* SPDX-License-Identifier: MIT
 *
 * The parts of the benchmark whose answers are known: statistics, the check of output, the comparison of runs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench.h"

/* ---- statistics -------------------------------------------------------------------------------------------------- */

static void assert_near(double a, double b)
{
    if (a > b * 1.0001 || a < b * 0.9999) fail_msg("%g is not %g", a, b);
}

static void quantiles_of_few(void **state)
{
    const float x[] = {5, 1, 4, 2, 3};
    (void)state;
    assert_near(bench_min(x, 5), 1);
    assert_near(bench_quantile(x, 5, 0), 1);
    assert_near(bench_quantile(x, 5, 0.5), 3);
    assert_near(bench_quantile(x, 5, 1), 5);
    assert_near(bench_quantile(x, 4, 0.5), 3); /* of 1 2 4 5 */
    assert_near(bench_quantile(x, 1, 0.5), 5);
    assert_true(bench_quantile(x, 0, 0.5) == 0 && bench_min(x, 0) == 0);
}

static void quantiles_of_many(void **state)
{
    enum { N = 100003 };
    float *x = malloc(N * sizeof *x);
    (void)state;
    for (size_t i = 0; i < N; i++) x[i] = (float)(i * 7919 % N); /* each of 0 to N - 1 once */
    assert_true(bench_quantile(x, N, 0.5) > 0.48 * N && bench_quantile(x, N, 0.5) < 0.52 * N);
    assert_true(bench_quantile(x, N, 0.1) > 0.08 * N && bench_quantile(x, N, 0.1) < 0.12 * N);
    assert_true(bench_min(x, N) == 0);
    free(x);
}

static void minima_of_groups(void **state)
{
    float x[40];
    double minima[BENCH_GROUPS];
    (void)state;
    for (int i = 0; i < 40; i++) x[i] = (float)(100 + i);
    assert_int_equal(bench_group_minima(x, 3, minima), 3);
    assert_near(minima[2], 102);
    assert_int_equal(bench_group_minima(x, 40, minima), BENCH_GROUPS);
    assert_near(minima[0], 100);
    for (int g = 1; g < BENCH_GROUPS; g++) assert_near(minima[g], 100 + 40 * g / BENCH_GROUPS);
}

/* Rounds in which the machine was slower slow both: the ratio does not see it. */
static void ratios_within_a_round(void **state)
{
    float a[64], b[64];
    (void)state;
    for (int i = 0; i < 64; i++) {
        b[i] = (float)(i % 5 == 0 ? 900 : 100 + i % 3);
        a[i] = 1.5f * b[i];
    }
    struct bench_ratio r = bench_ratio_of(a, 64, b, 60);
    assert_near(r.median, 1.5);
    assert_near(r.low, 1.5);
    assert_near(r.high, 1.5);
}

static void figures(void **state)
{
    float ns[] = {420, 400, 410};
    struct bench_line line = {.ours = 1};
    struct bench_case what = {.op = BENCH_SEAL, .len = 1000, .packets = 2, .total = 2, .threads = 2};
    struct bench_cell cell = {.ns = ns, .n = 3, .reps = 1};
    struct bench_run run = {.lines = {&line, 1}, .cases = &what, .n_cases = 1, .cells = &cell, .cycle_ns = 0.25};
    (void)state;
    assert_near(bench_figure(&run, 0, 0, BENCH_NS), 100);
    assert_near(bench_figure(&run, 0, 0, BENCH_CYCLES), 400);
    assert_near(bench_figure(&run, 0, 0, BENCH_CPB), 0.4);
    assert_near(bench_figure(&run, 0, 0, BENCH_MBS), 10000);
    assert_near(bench_figure(&run, 0, 0, BENCH_PACKETS_S), 10);
    line.state = BENCH_WRONG;
    assert_true(bench_figure(&run, 0, 0, BENCH_NS) == 0); /* no figure of a line that failed its check */
}

/* ---- the check of output ----------------------------------------------------------------------------------------- */

static size_t spoil_from; /* packets at least this long come out wrong */

static int spoiled_seal(qs_packet *p)
{
    int failed = bench_quickstep.call[BENCH_SEAL](p);
    if (p->len >= spoil_from) p->out[p->len - 1] ^= 1;
    return failed;
}

static int spoiled_tag(qs_packet *p)
{
    int failed = bench_quickstep.call[BENCH_SEAL](p);
    p->tag[0] ^= 0x40;
    return failed;
}

static int trusting_open(qs_packet *p)
{
    int failed = bench_quickstep.call[BENCH_OPEN](p);
    return failed && qs_chacha_xor(p->out, (const uint8_t *)p->aead, p->nonce, 1, 20, p->in, p->len);
}

static int lazy_open(qs_packet *p)
{
    (void)p;
    return 0;
}

static int unwritten_random(qs_packet *p) { return qs_random(p->out, p->len - 1) != QS_OK; }

static int repeated_random(qs_packet *p)
{
    memset(p->out, 7, p->len);
    return 0;
}

BENCH_RANDOM_BURST(repeated_burst, repeated_random)

static int spoiled_burst(qs_packet *p, size_t n)
{
    int failed = bench_quickstep.seal_burst(p, n);
    p[n - 1].out[0] ^= 1;
    return failed;
}

/* What the check says of a peer that is ours but for one operation. */
static const char *checked(const struct bench_peer *peer, const char *profile, enum bench_op op)
{
    const size_t sizes[] = {100};
    struct bench_run run = {.profile = bench_profile_find(profile)};
    const char *says = NULL;

    bench_add_ours(&run.lines, 0);
    run.lines.line[0].peer = peer;
    assert_int_equal(bench_make_cases(&run, sizes, 1), 0);
    struct bench_arena *a = bench_arena_new(&run);
    unsigned checks = 0;
    for (unsigned c = 0; c < run.n_cases && !says; c++) {
        if (run.cases[c].op != op) continue;
        if (op == BENCH_OPEN) bench_make_tags(a, &run.cases[c]);
        says = bench_check(a, &run, c, 0);
        checks++;
    }
    assert_true(checks > 0);
    return says;
}

static void right_output_passes(void **state)
{
    static const struct {
        const char *profile;
        enum bench_op ops[2];
    } of[] = {{"packets", {BENCH_SEAL, BENCH_OPEN}}, {"esp", {BENCH_SEAL, BENCH_OPEN}},
              {"aead", {BENCH_SEAL, BENCH_OPEN}},    {"stream", {BENCH_CHACHA8, BENCH_XCHACHA20}},
              {"mac", {BENCH_MAC, BENCH_MAC}},       {"batch", {BENCH_SEAL, BENCH_OPEN}},
              {"random", {BENCH_RANDOM, BENCH_RANDOM}}};
    (void)state;
    for (unsigned i = 0; i < sizeof of / sizeof *of; i++)
        for (unsigned k = 0; k < 2; k++) assert_null(checked(&bench_quickstep, of[i].profile, of[i].ops[k]));
}

static void wrong_output_is_found(void **state)
{
    struct bench_peer peer = bench_quickstep;
    (void)state;

    peer.call[BENCH_SEAL] = spoiled_seal;
    spoil_from = 100;
    assert_string_equal(checked(&peer, "packets", BENCH_SEAL), "the output is wrong");
    spoil_from = 101;
    assert_null(checked(&peer, "packets", BENCH_SEAL));
    peer.call[BENCH_SEAL] = spoiled_tag;
    assert_string_equal(checked(&peer, "packets", BENCH_SEAL), "the output is wrong");

    peer = bench_quickstep;
    peer.call[BENCH_OPEN] = trusting_open;
    assert_string_equal(checked(&peer, "packets", BENCH_OPEN), "a wrong tag is accepted");
    peer.call[BENCH_OPEN] = lazy_open;
    assert_string_equal(checked(&peer, "packets", BENCH_OPEN), "the output is wrong");

    peer = bench_quickstep;
    peer.seal_burst = spoiled_burst;
    assert_string_equal(checked(&peer, "batch", BENCH_SEAL), "the output is wrong");

    peer = bench_quickstep;
    peer.random_burst = repeated_burst;
    assert_string_equal(checked(&peer, "random", BENCH_RANDOM), "bytes are not written, or not new");
    peer.random_burst = NULL;
    peer.call[BENCH_RANDOM] = unwritten_random;
    assert_string_equal(checked(&peer, "random", BENCH_RANDOM), "bytes are not written, or not new");
    peer.call[BENCH_RANDOM] = repeated_random;
    assert_string_equal(checked(&peer, "random", BENCH_RANDOM), "bytes are not written, or not new");
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

#ifdef BENCH_JSON
enum { SIZES = 6, PEERS = 3 };

static json_t *result(const char *line, int bytes, double cycles, double unsteady)
{
    json_t *minima = json_array();
    for (int g = 0; g < BENCH_GROUPS; g++) json_array_append_new(minima, json_real(cycles * (g ? 1 + unsteady : 1)));
    return json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:f, s:o}", "line", line, "group", "encrypt",
                     "column", "", "operation", "seal", "bytes", bytes, "ad", 0, "packets", 1, "keys", 1, "threads", 1,
                     "cycles", cycles, "ns_minima", minima);
}

/* A run in which the machine is `machine` times as slow, and we are `us` times as slow from 64 bytes on. */
static json_t *run_of(double machine, double us, double unsteady, int peers)
{
    json_t *lines = json_array(), *results = json_array();
    char name[8];

    json_array_append_new(lines, json_pack("{s:s, s:b, s:s}", "name", "quickstep", "ours", 1, "version", "1"));
    for (int p = 0; p < peers; p++) {
        snprintf(name, sizeof name, "peer%d", p);
        json_array_append_new(lines, json_pack("{s:s, s:b, s:s}", "name", name, "ours", 0, "version", "1"));
    }
    for (int i = 0; i < SIZES; i++) {
        const int bytes = 4 << 2 * i;
        json_array_append_new(results, result("quickstep", bytes, 1000 * machine * (bytes >= 64 ? us : 1), unsteady));
        for (int p = 0; p < peers; p++) {
            snprintf(name, sizeof name, "peer%d", p);
            /* some per mille of scatter */
            json_array_append_new(results, result(name, bytes, 2000 * machine * (1 + (i + p) % 3 * 0.002), unsteady));
        }
    }
    return json_pack("{s:s, s:s, s:o, s:o}", "date", "then", "version", "1", "lines", lines, "results", results);
}

static int slower(json_t *old, json_t *now)
{
    FILE *sink = fopen("/dev/null", "w");
    int n = bench_compare(old, now, sink);
    fclose(sink);
    json_decref(old);
    json_decref(now);
    return n;
}

static json_t *reversed(json_t *run)
{
    json_t *results = json_object_get(run, "results"), *other = json_array();
    for (size_t i = json_array_size(results); i--;) json_array_append(other, json_array_get(results, i));
    json_object_set_new(run, "results", other);
    return run;
}

static void comparisons(void **state)
{
    (void)state;
    assert_int_equal(slower(run_of(1, 1, 0, PEERS), run_of(1, 1, 0, PEERS)), 0);
    assert_int_equal(slower(run_of(1, 1, 0, PEERS), run_of(1, 1.01, 0, PEERS)), 0);
    assert_int_equal(slower(run_of(1, 1, 0, PEERS), run_of(1, 1.04, 0, PEERS)), 4);
    assert_int_equal(slower(run_of(1, 1, 0, 0), run_of(1, 1.04, 0, 0)), 4);
    assert_int_equal(slower(run_of(1, 1.04, 0, PEERS), run_of(1, 1, 0, PEERS)), 0);
    /* a slower machine is not a slower library, nor does it hide one */
    assert_int_equal(slower(run_of(1, 1, 0, PEERS), run_of(1.2, 1, 0, PEERS)), 0);
    assert_int_equal(slower(run_of(1, 1, 0, PEERS), run_of(0.8, 1.04, 0, PEERS)), 4);
    /* in whatever order they stand; and what only one of them has does not count */
    assert_int_equal(slower(run_of(1, 1, 0, PEERS), reversed(run_of(1, 1.04, 0, PEERS))), 4);
    assert_int_equal(slower(run_of(1, 1, 0, PEERS), run_of(1, 1, 0, PEERS - 1)), 0);
    assert_int_equal(slower(run_of(1, 1, 0, PEERS - 1), run_of(1, 1.04, 0, PEERS)), 4);
    /* minima that were found once only leave doubt */
    assert_int_equal(slower(run_of(1, 1, 0.05, PEERS), run_of(1, 1.04, 0.05, PEERS)), 0);
    assert_int_equal(slower(run_of(1, 1, 0.05, PEERS), run_of(1, 1.2, 0.05, PEERS)), 4);
}

static void nothing_in_common(void **state)
{
    json_t *now = run_of(1, 1, 0, PEERS);
    (void)state;
    json_array_clear(json_object_get(now, "results"));
    assert_int_equal(slower(run_of(1, 1, 0, PEERS), now), -1);
    assert_int_equal(slower(run_of(1, 1, 0, PEERS), json_object()), -1);
    assert_int_equal(slower(json_object(), run_of(1, 1, 0, PEERS)), -1);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_of_few),
        cmocka_unit_test(quantiles_of_many),
        cmocka_unit_test(minima_of_groups),
        cmocka_unit_test(ratios_within_a_round),
        cmocka_unit_test(figures),
        cmocka_unit_test(right_output_passes),
        cmocka_unit_test(wrong_output_is_found),
#ifdef BENCH_JSON
        cmocka_unit_test(comparisons),
        cmocka_unit_test(nothing_in_common),
#endif
    };
    return cmocka_run_group_tests_name("bench", tests, NULL, NULL);
}
