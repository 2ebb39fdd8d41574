/* SPDX-License-Identifier: MIT
 *
 * The profiles: each is the table that its audience knows.
 */
#include "bench.h"

enum { PACKETS, ESP, AEAD, STREAM, MAC, BATCH, SWEEP, BULK, THREADS, RANDOM, RANDOM_THREADS, PROFILES };

const struct bench_profile bench_profiles[PROFILES] = {
    [PACKETS] =
        {"packets", "1 to 1440 bytes, no AD: what tunnels print", {BENCH_MBS, BENCH_CYCLES, BENCH_CPB}, 3, BENCH_NS, 0},
    [ESP] = {"esp", "16 to 8192 bytes, 12 bytes of AD: what IPsec prints", {BENCH_OPS_S, BENCH_MBS}, 2, BENCH_NS, 0},
    [AEAD] =
        {"aead", "0 bytes to 16 KiB and IMIX, 16 bytes of AD, a call each", {BENCH_NS, BENCH_CPB}, 2, BENCH_NS, 0},
    [STREAM] = {"stream", "ChaCha20, 12 and 8 and XChaCha20 alone", {BENCH_MBS, BENCH_CPB}, 2, BENCH_CPB, 0},
    [MAC] = {"mac", "Poly1305 alone, a new key for each message", {BENCH_MBS, BENCH_CPB}, 2, BENCH_CPB, 0},
    [BATCH] =
        {"batch", "32 packets a call, 16 bytes of AD, one key or 32", {BENCH_NS, BENCH_PACKETS_S}, 2, BENCH_NS, 0},
    [SWEEP] = {"sweep", "every length from 0 to 4096: thresholds and cliffs", {BENCH_CYCLES}, 1, BENCH_NS, 0},
    [BULK] = {"bulk", "4 KiB to 16 MiB", {BENCH_MBS, BENCH_CPB}, 2, BENCH_CPB, 0},
    [THREADS] = {"threads", "batch on 1 to all cores", {BENCH_PACKETS_S, BENCH_SCALING}, 2, BENCH_PACKETS_S, 0},
    [RANDOM] =
        {"random", "random bytes, 4 to 65536 a call", {BENCH_NS_CALL, BENCH_CYCLES, BENCH_CPB}, 3, BENCH_NS_CALL, 1},
    [RANDOM_THREADS] =
        {"random-threads", "random bytes on 1 to all cores", {BENCH_PACKETS_S, BENCH_SCALING}, 2, BENCH_PACKETS_S, 1},
};
const unsigned bench_n_profiles = PROFILES;

const struct bench_profile *bench_profile_find(const char *name)
{
    for (unsigned i = 0; i < PROFILES; i++)
        if (!strcmp(name, bench_profiles[i].name)) return &bench_profiles[i];
    return NULL;
}

static const size_t packet_sizes[] = {1, 16, 64, 128, 1420, 1440};
static const size_t esp_sizes[] = {16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192};
static const size_t aead_sizes[] = {0, 16, 64, 128, 256, 512, 576, 1024, 1420, 2048, 4096, 16384};
static const size_t stream_sizes[] = {16, 64, 256, 576, 1024, 1420, 4096, 16384};
static const size_t batch_sizes[] = {64, 256, 576, 1420};
static const size_t bulk_sizes[] = {4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20};

static const struct bench_case packet_groups[] = {{.group = "encrypt", .op = BENCH_SEAL},
                                                  {.group = "decrypt", .op = BENCH_OPEN}};
static const struct bench_case esp_groups[] = {{.group = "encrypt, 12-byte AD", .op = BENCH_SEAL, .ad_len = 12},
                                               {.group = "decrypt, 12-byte AD", .op = BENCH_OPEN, .ad_len = 12}};
static const struct bench_case aead_groups[] = {{.group = "encrypt, 16-byte AD", .op = BENCH_SEAL, .ad_len = 16},
                                                {.group = "decrypt, 16-byte AD", .op = BENCH_OPEN, .ad_len = 16}};
static const struct bench_case stream_groups[] = {{.group = "ChaCha20", .op = BENCH_CHACHA20},
                                                  {.group = "ChaCha12", .op = BENCH_CHACHA12},
                                                  {.group = "ChaCha8", .op = BENCH_CHACHA8},
                                                  {.group = "XChaCha20", .op = BENCH_XCHACHA20}};
static const struct bench_case mac_groups[] = {{.group = "Poly1305", .op = BENCH_MAC}};
#define BATCH_OF .ad_len = 16, .packets = BENCH_PACKETS
static const struct bench_case batch_groups[] = {
    {.group = "encrypt 32 packets, 32 keys", .op = BENCH_SEAL, .own_keys = 1, BATCH_OF},
    {.group = "encrypt 32 packets, one key", .op = BENCH_SEAL, BATCH_OF},
    {.group = "decrypt 32 packets, 32 keys", .op = BENCH_OPEN, .own_keys = 1, BATCH_OF},
    {.group = "decrypt 32 packets, one key", .op = BENCH_OPEN, BATCH_OF}};
static const struct bench_case thread_groups[] = {{.op = BENCH_SEAL, .own_keys = 1, BATCH_OF},
                                                  {.op = BENCH_OPEN, .own_keys = 1, BATCH_OF}};

static const size_t random_sizes[] = {4, 8, 16, 32, 64, 256, 4096, 65536};
static const size_t random_thread_sizes[] = {4, 32, 4096};
static const struct bench_case random_groups[] = {{.group = "random bytes", .op = BENCH_RANDOM}};

#define LIST(a) a, sizeof(a) / sizeof *(a)
static const struct {
    const struct bench_case *groups;
    unsigned n_groups;
    const size_t *sizes;
    unsigned n_sizes;
} shapes[PROFILES] = {
    [PACKETS] = {LIST(packet_groups), LIST(packet_sizes)},
    [ESP] = {LIST(esp_groups), LIST(esp_sizes)},
    [AEAD] = {LIST(aead_groups), LIST(aead_sizes)},
    [STREAM] = {LIST(stream_groups), LIST(stream_sizes)},
    [MAC] = {LIST(mac_groups), LIST(stream_sizes)},
    [BATCH] = {LIST(batch_groups), LIST(batch_sizes)},
    [SWEEP] = {LIST(packet_groups), NULL, 4097},
    [BULK] = {LIST(packet_groups), LIST(bulk_sizes)},
    [THREADS] = {LIST(thread_groups), LIST(batch_sizes)},
    [RANDOM] = {LIST(random_groups), LIST(random_sizes)},
    [RANDOM_THREADS] = {LIST(random_groups), LIST(random_thread_sizes)},
};

static void name_size(char column[24], size_t len)
{
    if (len >= 1 << 20 && len % (1 << 20) == 0) snprintf(column, 24, "%zu MiB", len >> 20);
    else if (len >= 4096 && len % 1024 == 0) snprintf(column, 24, "%zu KiB", len >> 10);
    else snprintf(column, 24, "%zu B", len);
}

static struct bench_case *add(struct bench_run *run, const struct bench_case *like, size_t len)
{
    struct bench_case *grown = realloc(run->cases, (run->n_cases + 1) * sizeof *grown);
    if (!grown) return NULL;
    run->cases = grown;

    struct bench_case *c = &grown[run->n_cases++];
    *c = *like;
    c->len = len;
    if (!c->packets) c->packets = 1;
    c->total = c->packets;
    c->threads = 1;
    name_size(c->column, len);
    return c;
}

static int add_imix(struct bench_run *run, const struct bench_case *like)
{
    struct bench_case *c = add(run, like, (7 * 40 + 4 * 576 + 1500) / 12);
    if (!c) return -1;
    c->imix = 1;
    c->total = BENCH_IMIX;
    snprintf(c->column, sizeof c->column, "IMIX");
    return 0;
}

/* As long as the test that comes with Linux, so that what is done now and then counts too. */
static int add_marathon(struct bench_run *run, const struct bench_case *like)
{
    struct bench_case *c = add(run, like, 4);
    if (!c) return -1;
    c->calls = 25000000;
    snprintf(c->group, sizeof c->group, "25 million calls, if each time is below --seconds / 30");
    return 0;
}

/* 1, 2, 4 and so on, and all. */
static int add_threads(struct bench_run *run, const struct bench_case *like, size_t len)
{
    const unsigned all = bench_cpus((int[BENCH_MAX_THREADS]){0}, BENCH_MAX_THREADS);

    for (unsigned n = 1;; n = 2 * n < all ? 2 * n : all) {
        struct bench_case *c = add(run, like, len);
        if (!c) return -1;
        c->threads = n;
        snprintf(c->column, sizeof c->column, n == 1 ? "%u core" : "%u cores", n);
        if (like->op == BENCH_RANDOM) snprintf(c->group, sizeof c->group, "%zu random bytes", len);
        else
            snprintf(c->group, sizeof c->group,
                     like->op == BENCH_SEAL ? "encrypt 32 packets of %zu bytes, 32 keys"
                                            : "decrypt 32 packets of %zu bytes, 32 keys",
                     len);
        if (n == all) return 0;
    }
}

int bench_make_cases(struct bench_run *run, const size_t *sizes, unsigned n_sizes)
{
    const long which = run->profile - bench_profiles;
    const int own = sizes != NULL;

    if (!own) sizes = shapes[which].sizes, n_sizes = shapes[which].n_sizes;
    for (unsigned g = 0; g < shapes[which].n_groups; g++) {
        const struct bench_case *like = &shapes[which].groups[g];
        for (unsigned s = 0; s < n_sizes; s++) {
            size_t len = sizes ? sizes[s] : s;
            if (which == THREADS || which == RANDOM_THREADS ? add_threads(run, like, len) : !add(run, like, len))
                return -1;
        }
        if ((which == BATCH || which == AEAD) && !own && add_imix(run, like)) return -1;
        if (which == RANDOM && !own && add_marathon(run, like)) return -1;
    }
    run->cells = calloc((size_t)run->n_cases * run->lines.n, sizeof *run->cells);
    return run->cells ? 0 : -1;
}
