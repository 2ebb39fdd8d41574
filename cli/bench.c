/* SPDX-License-Identifier: MIT
 *
 * quickstep bench: its options.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../bench/bench.h"
#include "cli.h"

enum { MOST_SIZES = 8192 };

struct options {
    struct bench_run run;
    int all_rows, json, csv;
    const char *peers, *plot, *old, *now;
    size_t sizes[MOST_SIZES];
    unsigned n_sizes;
    char command[512];
};

static void print_help(void)
{
    printf("Usage: quickstep bench [PROFILE] [OPTION]...\n"
           "       quickstep bench --compare OLD.json NEW.json\n"
           "Measures this library beside others: all in turn, in many short rounds, the minimum of each. Output is "
           "checked first.\n"
           "\n");
    for (unsigned i = 0; i < bench_n_profiles; i++)
        printf("  %-14s %s\n", bench_profiles[i].name, bench_profiles[i].help);
    printf("\n"
           "  --sizes LIST      bytes a packet instead of the profile's own: 64,1420\n"
           "  --peers LIST      which other libraries, or none; default all of");
    for (unsigned i = 0; bench_peer_names[i]; i++) printf(" %s", bench_peer_names[i]);
    printf("\n"
           "  --rows all        also every other kernel of ours that can run here, and plain C\n"
           "  --level LEVEL     hold us, and the peers that can be held, to");
    for (size_t i = 0; qs_cpu_level(i); i++) printf(" %s", qs_cpu_level(i));
    printf("\n"
           "  --seconds N       for the whole run; default 30\n"
           "  --json            print JSON instead of tables\n"
           "  --csv             print comma separated values instead of tables\n"
           "  --plot FILE       also draw the curves into FILE.svg or FILE.png, by gnuplot\n"
           "  --compare OLD     say what got slower than in OLD, a file that --json printed; exit status 1 if "
           "something did;\n"
           "                    with a second file NEW compare the two and measure nothing\n"
           "  --help            this text\n");
}

static int bad(const char *format, const char *value)
{
    fprintf(stderr, "quickstep bench: ");
    fprintf(stderr, format, value);
    fputc('\n', stderr);
    return EXIT_USAGE;
}

static int by_size(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

static int parse_sizes(struct options *o, const char *text)
{
    for (const char *at = text;; at++) {
        char *end;
        errno = 0;
        unsigned long size = strtoul(at, &end, 10);
        if (end == at || *at < '0' || *at > '9' || errno || size > BENCH_MAX_LEN || (*end && *end != ','))
            return bad("--sizes '%s': numbers from 0 to 16777216 with commas between them", text);
        if (o->n_sizes == MOST_SIZES) return bad("--sizes '%s': too many", text);
        o->sizes[o->n_sizes++] = size;
        at = end;
        if (!*at) break;
    }
    qsort(o->sizes, o->n_sizes, sizeof *o->sizes, by_size);
    return 0;
}

static int parse_level(struct options *o, const char *level)
{
    if (qs_cpu_limit(level) == QS_OK) {
        o->run.level = level;
        return 0;
    }
    fprintf(stderr, "quickstep bench: --level: no level '%s'; there are", level);
    for (size_t i = 0; qs_cpu_level(i); i++) fprintf(stderr, " %s", qs_cpu_level(i));
    fputc('\n', stderr);
    return EXIT_USAGE;
}

static int parse_seconds(struct options *o, const char *text)
{
    char *end;
    o->run.seconds = strtod(text, &end);
    if (end == text || *end || !(o->run.seconds >= 0.1 && o->run.seconds <= 86400))
        return bad("--seconds '%s': a number from 0.1 to 86400", text);
    return 0;
}

static int parse(struct options *o, int argc, char **argv)
{
    static const struct option options[] = {{"sizes", required_argument, NULL, 's'},
                                            {"peers", required_argument, NULL, 'p'},
                                            {"rows", required_argument, NULL, 'r'},
                                            {"level", required_argument, NULL, 'l'},
                                            {"seconds", required_argument, NULL, 't'},
                                            {"json", no_argument, NULL, 'j'},
                                            {"csv", no_argument, NULL, 'c'},
                                            {"plot", required_argument, NULL, 'g'},
                                            {"compare", required_argument, NULL, 'o'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};

    for (int c, status = 0; (c = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        switch (c) {
        case 's': status = parse_sizes(o, optarg); break;
        case 'p': o->peers = optarg; break;
        case 'r':
            o->all_rows = !strcmp(optarg, "all");
            if (!o->all_rows) status = bad("--rows '%s': the only choice is all", optarg);
            break;
        case 'l': status = parse_level(o, optarg); break;
        case 't': status = parse_seconds(o, optarg); break;
        case 'j': o->json = 1; break;
        case 'c': o->csv = 1; break;
        case 'g':
            o->plot = optarg;
            if (!bench_plot_name_valid(optarg)) status = bad("--plot '%s': the name must end in .svg or .png", optarg);
            break;
        case 'o': o->old = optarg; break;
        case 'h': print_help(); exit(0);
        default: return EXIT_USAGE;
        }
        if (status) return status;
    }
    if (o->json && o->csv) return bad("%s", "--json and --csv: choose one");
#ifndef BENCH_JSON
    if (o->json || o->old) return bad("%s", "--json and --compare: this build has no JSON library (jansson)");
#endif
    if (o->old && optind + 1 == argc && !bench_profile_find(argv[optind])) o->now = argv[optind++];
    if (optind < argc && !(o->run.profile = bench_profile_find(argv[optind++])))
        return bad("no profile '%s'; see quickstep bench --help", argv[optind - 1]);
    if (optind < argc) return bad("unexpected argument '%s'", argv[optind]);
    return 0;
}

#ifdef BENCH_JSON
static json_t *load(const char *file)
{
    json_error_t error;
    json_t *j = json_load_file(file, 0, &error);

    if (!j) fprintf(stderr, "quickstep bench: %s: %s\n", file, error.text);
    else if (json_integer_value(json_object_get(j, "quickstep_bench")) == 1) return j;
    else fprintf(stderr, "quickstep bench: %s: not a file of quickstep bench --json, version 1\n", file);
    json_decref(j);
    return NULL;
}

/* Prints the JSON, and compares; returns the exit status. */
static int json_output(const struct options *o, json_t *old, json_t *now)
{
    int slower = 0;

    if (!now) return bad("%s", "out of memory");
    if (o->json && (json_dumpf(now, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) || puts("") < 0))
        return bad("%s", strerror(errno));
    if (old) slower = bench_compare(old, now, o->json || o->csv ? stderr : stdout);
    json_decref(now);
    json_decref(old);
    return slower < 0 ? EXIT_USAGE : slower > 0;
}
#endif

int cli_bench(int argc, char **argv)
{
    static struct options o;
    const uint64_t start = bench_now();
    int status;

    o.run.profile = &bench_profiles[0];
    o.run.seconds = 30;
    o.run.command = o.command;
    for (int i = 0; i < argc; i++) {
        size_t len = strlen(o.command);
        snprintf(o.command + len, sizeof o.command - len, "%s%s", i ? " " : "", argv[i]);
    }
    if ((status = parse(&o, argc, argv))) return status;

#ifdef BENCH_JSON
    json_t *old = NULL, *now = NULL;
    if (o.old && !(old = load(o.old))) return EXIT_USAGE;
    if (o.now) return (now = load(o.now)) ? json_output(&o, old, now) : EXIT_USAGE;
    const char *profile = old ? json_string_value(json_object_get(old, "profile")) : NULL;
    if (old && (!profile || strcmp(profile, o.run.profile->name)))
        return bad("--compare: that is a run of profile %s; name the same one", profile ? profile : "?");
#endif

    bench_add_ours(&o.run.lines, o.all_rows);
    if (bench_add_peers(&o.run.lines, o.run.profile->random, o.peers, o.run.level)) return EXIT_USAGE;
    if (bench_make_cases(&o.run, o.n_sizes ? o.sizes : NULL, o.n_sizes)) return bad("%s", "out of memory");
    bench_measure(&o.run, start);

    if (o.csv) bench_print_csv(&o.run, stdout);
    else if (!o.json) bench_print_table(&o.run, stdout);
#ifdef BENCH_JSON
    if (o.json || old) status = json_output(&o, old, bench_to_json(&o.run));
#endif
    if (o.plot && bench_plot(&o.run, o.plot)) status = 1;
    if (o.run.wrong) status = 1;
    return o.run.interrupted ? 130 : status;
}
