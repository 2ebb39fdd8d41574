/* SPDX-License-Identifier: MIT
 *
 * Finds and loads the peers, held to a level where they can be.
 */
#define _GNU_SOURCE
#include "bench.h"

#include <dlfcn.h>

const char *const bench_peer_names[] = {"ipsec-mb", "openssl", "boringssl", "libgcrypt",  "libsodium",  "nettle",
                                        "wolfssl",  "vdso",    "getrandom", "getentropy", "arc4random", NULL};

static const struct bench_peer *system_peer(const char *name)
{
    for (unsigned i = 0; i < bench_n_system; i++)
        if (!strcmp(name, bench_system[i].name)) return &bench_system[i];
    return NULL;
}

/* Libraries that have ciphers and random bytes are of both kinds. */
static int of_kind(const char *name, int random)
{
    static const char *const both[] = {"openssl", "boringssl", "libsodium"};

    for (unsigned i = 0; i < sizeof both / sizeof *both; i++)
        if (!strcmp(name, both[i])) return 1;
    return random == (system_peer(name) != NULL);
}

/* OPENSSL_ia32cap takes features away ("~") from what cpuid says: leaf 1 (edx, ecx), then leaf 7 (ebx, ecx). OpenSSL
 * and BoringSSL read it while they are loaded. */
static void mask_openssl(const char *level)
{
    static const char *const masks[] = {
        /* SSSE3, XOP, AVX; then BMI2, ADX, AVX2, all of AVX-512 */
        [BENCH_GENERIC] = "~0x10000a0000000000:~0x00000002d02b0120",
        /* XOP, AVX; AVX2, BMI2, ADX, AVX-512 */
        [BENCH_SSSE3] = "~0x1000080000000000:~0x00000002d02b0120",
        [BENCH_AVX2] = "~0x0:~0x00000002d0230000",
        [BENCH_AVX512] = "~0x0:~0x0000000200200000",
        [BENCH_AVX512IFMA] = "~0x0:~0x0",
    };
    int at = bench_level_at(level);
    if (at >= 0) setenv("OPENSSL_ia32cap", masks[at], 1);
}

static int listed(const char *list, const char *name)
{
    size_t len = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += len)
        if ((at == list || at[-1] == ',') && (at[len] == ',' || !at[len])) return 1;
    return 0;
}

static int all_known(const char *list)
{
    for (const char *at = list;; at++) {
        const int len = (int)strcspn(at, ",");
        unsigned i = 0;
        while (bench_peer_names[i] &&
               (strlen(bench_peer_names[i]) != (size_t)len || strncmp(bench_peer_names[i], at, (size_t)len)))
            i++;
        if (!bench_peer_names[i]) {
            fprintf(stderr, "quickstep bench: --peers: no peer '%.*s'; there are", len, at);
            for (i = 0; bench_peer_names[i]; i++) fprintf(stderr, " %s", bench_peer_names[i]);
            fputc('\n', stderr);
            return 0;
        }
        at += len;
        if (!*at) return 1;
    }
}

/* The modules are found by the run path of this program: where they were built or installed. */
static void load(struct bench_line *line, const char *level)
{
    if ((line->peer = system_peer(line->name))) {
        line->version = line->peer->start(level, &line->held);
        line->state = line->version ? BENCH_PRESENT : BENCH_ABSENT;
        if (!line->version) snprintf(line->why, sizeof line->why, "%s", line->peer->absent);
        return;
    }

    char file[80];
    snprintf(file, sizeof file, "quickstep-peer-%s.so", line->name);
    void *module = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    line->peer = module ? dlsym(module, "bench_peer") : NULL;
    if (!line->peer) {
        const char *error = dlerror(), *missing = "cannot open shared object file";
        int not_built = error && !strncmp(error, file, strlen(file)) && strstr(error, missing);
        snprintf(line->why, sizeof line->why, "%s", not_built ? "its header was not there at build time" : error);
    } else if (!(line->version = line->peer->start(level, &line->held))) {
        snprintf(line->why, sizeof line->why, "the library does not start");
    } else {
        line->state = BENCH_PRESENT;
    }
}

int bench_add_peers(struct bench_lines *lines, int random, const char *list, const char *level)
{
    if (list && !strcmp(list, "none")) return 0;
    if (list && !all_known(list)) return -1;
    mask_openssl(level);
    for (unsigned i = 0; bench_peer_names[i]; i++) {
        if ((list && !listed(list, bench_peer_names[i])) || !of_kind(bench_peer_names[i], random)) continue;
        struct bench_line *grown = realloc(lines->line, (lines->n + 1) * sizeof *grown);
        if (!grown) abort();
        lines->line = grown;
        struct bench_line *line = &grown[lines->n++];
        *line = (struct bench_line){.state = BENCH_ABSENT};
        snprintf(line->name, sizeof line->name, "%s", bench_peer_names[i]);
        load(line, level);
    }
    return 0;
}
