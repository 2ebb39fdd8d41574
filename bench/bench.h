/* SPDX-License-Identifier: MIT
 *
 * The measuring core. A run is lines (we, our rows, the peers) times cases (an operation at a size); a cell is one line
 * at one case. In every round each cell is timed once, the lines in turn; what counts is the minimum over the rounds,
 * and between two lines the median of the ratio within a round.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdio.h>

#include "../src/internal.h"
#include "peer.h"

enum {
    BENCH_RING = 8,     /* nonces, and right tags, that opening goes round at most */
    BENCH_LONG = 65536, /* bytes of a packet from which on checks and rings are kept small */
    BENCH_PACKETS = 32, /* in a call of the batch profiles */
    BENCH_IMIX = 96,    /* packets of 40, 576 and 1500 bytes, 7:4:1, taken 32 at a time */
    BENCH_MAX_LEN = 16 << 20,
    BENCH_MAX_THREADS = 1024,
    BENCH_GROUPS = 16 /* groups of consecutive rounds whose minima show how steady the run was */
};

/* ---- time (clock.c) -------------------------------------------------------------------------------------------- */

uint64_t bench_now(void);        /* nanoseconds */
double bench_chain(void);        /* nanoseconds per addition of a chain in which each waits for the one before */
double bench_counted_ghz(void);  /* core clock by the CPU's own cycle counter; 0 where the system gives none */
uint64_t bench_clock_cost(void); /* nanoseconds that two readings of the clock are apart */
void bench_pin(int cpu);         /* this thread, to that CPU; -1: to the one it runs on */
unsigned bench_cpus(int *cpus, unsigned max); /* that this process may use */

/* ---- the machine (machine.c) ----------------------------------------------------------------------------------- */

const char *bench_cpu_name(void);
const char *bench_emulated(void); /* NULL, or what shows that this CPU is emulated, so that times mean nothing */

/* ---- lines (ours.c, peers.c) ----------------------------------------------------------------------------------- */

enum bench_state { BENCH_PRESENT, BENCH_ABSENT, BENCH_WRONG };

struct bench_line {
    char name[48];
    const struct bench_peer *peer;
    const struct qs_kernel *rows[QS_PRIMITIVES]; /* ours: the rows that run */
    int ours;
    const char *version;
    int held; /* to the level asked for */
    enum bench_state state;
    char why[160]; /* absent or wrong: a sentence */
};

struct bench_lines {
    struct bench_line *line;
    unsigned n;
};

extern const struct bench_peer bench_quickstep;

/* Adds Quickstep as it chooses now; with all_rows also with each other row of each table in the place of the chosen
 * one, and in plain C. */
void bench_add_ours(struct bench_lines *lines, int all_rows);

/* Adds the peers that the list (names and commas; NULL: all; "none") names, present or absent, and that have to do with
 * ciphers, or with random bytes. Returns 0, or -1 and says why if the list names an unknown one. */
int bench_add_peers(struct bench_lines *lines, int random, const char *list, const char *level);
extern const char *const bench_peer_names[];

/* The system's sources of random bytes (system.c). */
extern const struct bench_peer bench_system[];
extern const unsigned bench_n_system;

/* Makes the rows of a line the ones that run. */
void bench_use_rows(const struct bench_line *line);

/* ---- cases (profile.c) ----------------------------------------------------------------------------------------- */

struct bench_case {
    char group[64]; /* cases of one group make one table */
    char column[24];
    enum bench_op op;
    size_t len; /* bytes a packet; of the IMIX the mean */
    size_t ad_len;
    unsigned packets; /* a call */
    unsigned total;   /* packets that the calls go round; a multiple of `packets` */
    int imix, own_keys;
    unsigned threads;
    unsigned calls; /* 0, or how many are timed at once; then only in the first rounds */
    uint8_t *tags; /* opening: the right tag for each packet and nonce of the ring */
};

enum bench_metric {
    BENCH_MBS,
    BENCH_CYCLES,
    BENCH_CPB,
    BENCH_OPS_S,
    BENCH_NS,
    BENCH_NS_CALL,
    BENCH_PACKETS_S,
    BENCH_SCALING,
    BENCH_METRICS
};

struct bench_profile {
    const char *name, *help;
    enum bench_metric metrics[3]; /* shown, in this order */
    unsigned n_metrics;
    enum bench_metric plotted;
    int random; /* random bytes, not packets */
};

const struct bench_profile *bench_profile_find(const char *name); /* NULL: no such */
extern const struct bench_profile bench_profiles[];
extern const unsigned bench_n_profiles;

/* ---- a run (run.c) --------------------------------------------------------------------------------------------- */

struct bench_cell {
    float *ns; /* per call, of each round */
    size_t n, room;
    unsigned reps; /* calls a round; 0: this line does not do this case */
};

struct bench_run {
    const struct bench_profile *profile;
    const char *level, *command;
    double seconds;
    struct bench_lines lines;
    struct bench_case *cases;
    unsigned n_cases;
    struct bench_cell *cells; /* [case][line] */
    struct bench_cell chain;  /* ns per cycle, as bench_chain gives it */
    double cycle_ns;          /* nanoseconds a core cycle; 0: not known */
    int counted;              /* ... by the CPU's own counter */
    size_t rounds;
    int wrong, interrupted;
};

/* Cases of the profile at its own sizes, or at those given. Returns 0, or -1: more than memory. */
int bench_make_cases(struct bench_run *run, const size_t *sizes, unsigned n_sizes);

/* Checks all output, then measures until `seconds` after `start` (bench_now) or Ctrl-C. */
void bench_measure(struct bench_run *run, uint64_t start);

static inline struct bench_cell *bench_cell(const struct bench_run *run, unsigned c, unsigned l)
{
    return &run->cells[(size_t)c * run->lines.n + l];
}

/* ---- work (work.c, threads.c) ---------------------------------------------------------------------------------- */

/* What one thread needs: buffers, and a context for each key of each line. */
struct bench_arena;
struct bench_arena *bench_arena_new(const struct bench_run *run);

/* Compares the output of a line with that of plain C. Returns NULL, or what is wrong. */
const char *bench_check(struct bench_arena *a, const struct bench_run *run, unsigned c, unsigned l);

/* Fills in the tags for opening. */
void bench_make_tags(struct bench_arena *a, struct bench_case *c);

/* Prepares the cell and runs it once; then the calls that bench_repeat makes are of this cell. Not 0: failed. */
int bench_prepare(struct bench_arena *a, const struct bench_run *run, unsigned c, unsigned l);
int bench_repeat(struct bench_arena *a, unsigned reps);

/* Nanoseconds from the first thread's start to the last one's end, each making `reps` calls; 0: a call failed. */
struct bench_team;
struct bench_team *bench_team_new(const struct bench_run *run, unsigned threads);
double bench_team_time(struct bench_team *team, unsigned threads, unsigned c, unsigned l, unsigned reps);

/* ---- figures (stats.c) ----------------------------------------------------------------------------------------- */

double bench_min(const float *x, size_t n);
double bench_quantile(const float *x, size_t n, double q); /* 0 to 1; 0.5 is the median */

/* Minima of `BENCH_GROUPS` groups (or n, if fewer) of consecutive values. Returns how many. */
unsigned bench_group_minima(const float *x, size_t n, double minima[BENCH_GROUPS]);

/* Median over the rounds of a[i] / b[i], and the interval that most likely holds it: the quartiles of the medians of
 * BENCH_GROUPS groups. */
struct bench_ratio {
    double median, low, high;
};
struct bench_ratio bench_ratio_of(const float *a, size_t n_a, const float *b, size_t n_b);

double bench_figure(const struct bench_run *run, unsigned c, unsigned l, enum bench_metric metric); /* 0: none */
const char *bench_metric_name(enum bench_metric metric);
int bench_metric_less_is_better(enum bench_metric metric);

/* Line of the quickest peer of a case; -1: none. */
int bench_best_peer(const struct bench_run *run, unsigned c);

/* How many times as fast as that peer a line is, with the interval as above; all 0: not both measured. */
struct bench_ratio bench_times_best_peer(const struct bench_run *run, unsigned c, unsigned l);

/* ---- output ---------------------------------------------------------------------------------------------------- */

void bench_print_table(const struct bench_run *run, FILE *f);
void bench_print_csv(const struct bench_run *run, FILE *f);
int bench_plot_name_valid(const char *file);                   /* ends in .svg or .png */
int bench_plot(const struct bench_run *run, const char *file); /* 0, or -1 and says why */

#ifdef BENCH_JSON
#include <jansson.h>
json_t *bench_to_json(const struct bench_run *run);

/* Says what got slower. Returns how many cases did, or -1: nothing to compare, said why. */
int bench_compare(const json_t *old, const json_t *now, FILE *f);
#endif

#endif
