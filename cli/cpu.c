/* SPDX-License-Identifier: MIT
 *
 * quickstep cpu: what was found, what is compiled in, what is chosen and why.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../bench/bench.h"
#include "cli.h"

enum { MOST = 64 };

/* Names of the features of a row, of those that are missing, or of those that are hidden. */
static const char *names(const qs_feature *features, size_t n, uint32_t bits, int missing, int hidden)
{
    static char text[256];
    size_t len = 0;

    text[0] = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(bits >> i & 1) || (missing && features[i].found) || (hidden && !features[i].hidden)) continue;
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%s", len ? " " : "", features[i].name);
        if (len >= sizeof text) break;
    }
    return text;
}

static void print_row(const qs_row *row, const qs_feature *features, size_t n)
{
    printf("  %-9s %-14s ", row->primitive, row->name);
    switch (row->state) {
    case QS_ROW_CHOSEN: printf("CHOSEN    the first one here that can run"); break;
    case QS_ROW_USABLE: printf("usable    one above it is chosen"); break;
    case QS_ROW_HIDDEN: printf("hidden    the level hides %s", names(features, n, row->needs, 0, 1)); break;
    case QS_ROW_MISSING:
        printf("missing   this CPU or its system lacks %s", names(features, n, row->needs, 1, 0));
        break;
    case QS_ROW_AVOIDED: printf("avoided   runs badly on this model of CPU"); break;
    case QS_ROW_DISABLED: printf("DISABLED  failed its self-test"); break;
    }
    if (row->state == QS_ROW_CHOSEN || row->state == QS_ROW_USABLE)
        printf("; needs %s", row->needs ? names(features, n, row->needs, 0, 0) : "nothing");
    putchar('\n');
}

int cli_cpu(int argc, char **argv)
{
    qs_feature features[MOST];
    qs_row rows[MOST];
    const char *limit = getenv("QUICKSTEP_CPU"), *emulated = bench_emulated(), *level;
    int status =
        cli_no_options(argc, argv,
                       "Usage: quickstep cpu\n"
                       "The CPU, its features found and hidden, the levels that QUICKSTEP_CPU may name, and for every\n"
                       "primitive the kernels compiled in, best first, with which is chosen and why.\n");

    if (status) return status > 0 ? status : 0;
    size_t n_features = qs_cpu_features(features, MOST), n_rows = qs_rows(rows, MOST);
    if (n_features > MOST) n_features = MOST;
    if (n_rows > MOST) n_rows = MOST;

    printf("cpu       %s%s\n", bench_cpu_name(), emulated ? ": emulated, so times mean nothing" : "");
    printf("features ");
    for (size_t i = 0; i < n_features; i++)
        printf(" %s%s", features[i].name, !features[i].found ? " (absent)" : features[i].hidden ? " (hidden)" : "");
    printf(n_features ? "\n" : " none that a kernel here needs\n");
    printf("levels   ");
    for (size_t i = 0; (level = qs_cpu_level(i)); i++) printf(" %s", level);
    if (limit) printf("; QUICKSTEP_CPU holds to %s\n", limit);
    else printf("; not held to one (QUICKSTEP_CPU is not set)\n");

    printf("\nkernels, best first\n");
    for (size_t i = 0; i < n_rows; i++) print_row(&rows[i], features, n_features);
    return 0;
}
