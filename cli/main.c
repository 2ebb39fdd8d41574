/* SPDX-License-Identifier: MIT
 *
 * quickstep: what the library sees, tests and measures on this machine.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <quickstep.h>

#include "cli.h"

static const char help[] =
    "Usage: quickstep COMMAND [OPTION]...\n"
    "ChaCha20-Poly1305 for packets: what the library sees, tests and measures on this machine.\n"
    "\n"
    "  cpu        the CPU, its features, the kernels compiled in, and which are chosen and why\n"
    "  selftest   known answers through every kernel and construction\n"
    "  random     random bytes to stdout; see quickstep random --help\n"
    "  bench      speed at packet sizes, beside other libraries; see quickstep bench --help\n"
    "\n"
    "  --help     this text\n"
    "  --version  the version\n"
    "\n"
    "QUICKSTEP_CPU in the environment hides all CPU features above a level; quickstep cpu lists them.\n"
    "Exit status: 0 success, 1 a check failed, 2 a bad option or value.\n";

static const struct {
    const char *name;
    cli_command *run;
} commands[] = {{"cpu", cli_cpu}, {"selftest", cli_selftest}, {"random", cli_random}, {"bench", cli_bench}};

int cli_no_options(int argc, char **argv, const char *text)
{
    static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    int c = getopt_long(argc, argv, "h", options, NULL);

    if (c == 'h') {
        fputs(text, stdout);
        return -1;
    }
    if (c != -1) return EXIT_USAGE;
    if (optind == argc) return 0;
    fprintf(stderr, "%s: unexpected argument '%s'\n", argv[0], argv[optind]);
    return EXIT_USAGE;
}

/* A level that the user set must be understood, or what follows would not be what was asked for. */
static int limit_cpu(void)
{
    const char *level = getenv("QUICKSTEP_CPU"), *known;

    if (!level || qs_cpu_limit(level) == QS_OK) return 0;
    fprintf(stderr, "quickstep: QUICKSTEP_CPU: no level '%s'; there are", level);
    for (size_t i = 0; (known = qs_cpu_level(i)); i++) fprintf(stderr, " %s", known);
    fputc('\n', stderr);
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    static char name[32];

    if (argc < 2) {
        fprintf(stderr, "quickstep: a command is missing: cpu, selftest, random or bench; see quickstep --help\n");
        return EXIT_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        fputs(help, stdout);
        return 0;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("quickstep %s\n", qs_version());
        return 0;
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(argv[1], commands[i].name)) continue;
        if (limit_cpu()) return EXIT_USAGE;
        snprintf(name, sizeof name, "quickstep %s", commands[i].name); /* what getopt_long begins its messages with */
        argv[1] = name;
        int status = commands[i].run(argc - 1, argv + 1);
        if (!fflush(stdout) && !ferror(stdout)) return status;
        fprintf(stderr, "quickstep: cannot write: %s\n", strerror(errno));
        return EXIT_FAILURE;
    }
    fprintf(stderr, "quickstep: no command '%s'; see quickstep --help\n", argv[1]);
    return EXIT_USAGE;
}
