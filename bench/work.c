/* SPDX-License-Identifier: MIT
 *
 * The calls that are timed, and the check of what they put out.
 *
 * Opening needs a right tag for every nonce: all packets have the same arbitrary ciphertext at every nonce of a ring,
 * and the tags that belong to them are made beforehand.
 */
#define _GNU_SOURCE
#include "bench.h"

#include <sys/mman.h>

struct bench_arena {
    uint8_t *in, *out, *want;
    uint8_t nonces[BENCH_IMIX][BENCH_NONCE_LEN], keys[BENCH_IMIX][32];
    uint8_t tags[BENCH_IMIX * BENCH_RING][QS_TAG_LEN];
    uint8_t ad[16];
    qs_packet packets[BENCH_IMIX];
    void *(*contexts)[BENCH_OPS][BENCH_IMIX]; /* [line] */
    uint64_t calls;

    /* what bench_repeat runs */
    const struct bench_case *what;
    bench_call *call;
    bench_burst *burst, *random_burst;
    uint8_t (*ring)[QS_TAG_LEN];
    unsigned at; /* the packet that comes next */
};

/* Packets follow each other at odd multiples of 64 bytes, so that they spread over all sets of a cache. */
static size_t stride(const struct bench_case *c) { return (((c->imix ? 1500 : c->len) / 64 + 1) | 1) * 64; }

/* Nonces that opening goes round. */
static unsigned ring_of(const struct bench_case *c) { return c->len < BENCH_LONG ? BENCH_RING : 2; }

static size_t packet_len(const struct bench_case *c, unsigned i)
{
    static const uint16_t imix[12] = {40, 576, 40, 40, 576, 40, 40, 576, 40, 576, 40, 1500};
    return c->imix ? imix[i % 12] : c->len;
}

/* Not random, but nothing here depends on that. */
static void fill(uint8_t *p, size_t len, uint64_t seed)
{
    for (size_t i = 0; i < len; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        p[i] = (uint8_t)(seed >> 56);
    }
}

struct bench_arena *bench_arena_new(const struct bench_run *run)
{
    size_t room = 4096;
    struct bench_arena *a = calloc(1, sizeof *a);

    for (unsigned c = 0; c < run->n_cases; c++) {
        size_t needed = stride(&run->cases[c]) * run->cases[c].total;
        if (needed > room) room = needed;
    }
    room = (room + 4095) & ~(size_t)4095;
    /* Input and output are half a page apart modulo a page: where a load is compared with the stores before it by the
     * low 12 bits of their addresses, it does not wait for one that it has nothing to do with. */
    uint8_t *all =
        mmap(NULL, 3 * room + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (!a || all == MAP_FAILED || !(a->contexts = calloc(run->lines.n, sizeof *a->contexts))) {
        fprintf(stderr, "quickstep: out of memory\n");
        exit(2);
    }
    a->in = all;
    a->out = all + room + 2048;
    a->want = all + 2 * room + 4096;
    fill(a->in, room, 1);
    fill(a->keys[0], sizeof a->keys, 2);
    fill(a->nonces[0], sizeof a->nonces, 3);
    fill(a->ad, sizeof a->ad, 4);
    return a;
}

/* The number of the call, or its place in the ring, and the packet's own number make a nonce. */
static void set_nonce(struct bench_arena *a, unsigned i, uint64_t number)
{
    number = number * BENCH_IMIX + i;
    memcpy(a->nonces[i] + 4, &number, sizeof number);
}

static void use_plain_c(void)
{
    struct bench_line plain = {.ours = 1};
    for (unsigned p = 0; p < QS_PRIMITIVES; p++) plain.rows[p] = &qs_tables[p].rows[qs_tables[p].n - 1];
    bench_use_rows(&plain);
}

/* What a packet must give, into `want` and tag; of opening, the text and the tag that belong to the ciphertext. */
static int reference(struct bench_arena *a, const struct bench_case *c, unsigned i, uint8_t tag[QS_TAG_LEN])
{
    const uint8_t *key = a->keys[c->own_keys ? i : 0], *nonce = a->nonces[i], *in = a->in + i * stride(c);
    const size_t len = packet_len(c, i);
    uint8_t *want = a->want + i * stride(c);
    qs_aead aead;

    switch (c->op) {
    case BENCH_SEAL:
        return qs_aead_init(&aead, QS_CHACHA20_POLY1305, key, 32) ||
               qs_aead_seal(&aead, want, tag, nonce, 12, a->ad, c->ad_len, in, len);
    case BENCH_OPEN:
        return qs_chacha_xor(want, key, nonce, 1, 20, in, len) || qs_aead_init(&aead, QS_CHACHA20_POLY1305, key, 32) ||
               qs_aead_seal(&aead, want, tag, nonce, 12, a->ad, c->ad_len, want, len) ||
               qs_chacha_xor(want, key, nonce, 1, 20, want, len);
    case BENCH_CHACHA20: return qs_chacha_xor(want, key, nonce, 1, 20, in, len);
    case BENCH_CHACHA12: return qs_chacha_xor(want, key, nonce, 1, 12, in, len);
    case BENCH_CHACHA8: return qs_chacha_xor(want, key, nonce, 1, 8, in, len);
    case BENCH_XCHACHA20: return qs_xchacha_xor(want, key, nonce, 1, 20, in, len);
    default: qs_poly1305(tag, nonce, in, len); return 0;
    }
}

void bench_make_tags(struct bench_arena *a, struct bench_case *c)
{
    c->tags = malloc((size_t)c->total * BENCH_RING * QS_TAG_LEN);
    if (!c->tags) abort();
    use_plain_c();
    for (unsigned i = 0; i < c->total; i++)
        for (unsigned r = 0; r < ring_of(c); r++) {
            set_nonce(a, i, r);
            if (reference(a, c, i, c->tags + (i * BENCH_RING + r) * QS_TAG_LEN)) abort();
        }
}

/* One call. */
static int step(struct bench_arena *a)
{
    const unsigned n = a->what->packets, r = (unsigned)(a->calls % ring_of(a->what));
    const uint64_t number = a->what->op == BENCH_OPEN ? r : a->calls;
    qs_packet *p = a->packets + a->at;
    int failed = 0;

    for (unsigned i = 0; i < n; i++) {
        set_nonce(a, a->at + i, number);
        p[i].tag = a->ring[(a->at + i) * BENCH_RING + r];
    }
    if (a->burst) failed = a->burst(p, n);
    else
        for (unsigned i = 0; i < n; i++) failed |= a->call(&p[i]);
    a->calls++;
    a->at = a->at + n < a->what->total ? a->at + n : 0;
    return failed;
}

int bench_repeat(struct bench_arena *a, unsigned reps)
{
    int failed = 0;

    if (a->what->op == BENCH_RANDOM) { /* no nonce to set, and no time for that */
        if (a->random_burst) return a->random_burst(a->packets, reps);
        while (reps--) failed |= a->call(a->packets);
        return failed;
    }
    while (reps--) failed |= step(a);
    return failed;
}

static int set_up(struct bench_arena *a, const struct bench_run *run, unsigned c, unsigned l)
{
    const struct bench_case *what = a->what = &run->cases[c];
    const struct bench_peer *peer = run->lines.line[l].peer;

    a->call = peer->call[what->op];
    a->burst = what->packets == 1 ? NULL : what->op == BENCH_SEAL ? peer->seal_burst : peer->open_burst;
    a->random_burst = peer->random_burst;
    a->ring = what->op == BENCH_OPEN ? (uint8_t(*)[QS_TAG_LEN])what->tags : a->tags;
    a->at = 0;
    for (unsigned i = 0; i < what->total; i++) {
        unsigned k = what->own_keys ? i : 0;
        void **context = &a->contexts[l][what->op][k];
        if (!*context && !(*context = peer->prepare(what->op, a->keys[k]))) return -1;
        a->packets[i] = (qs_packet){.aead = *context,
                                    .out = a->out + i * stride(what),
                                    .nonce = a->nonces[i],
                                    .ad = a->ad,
                                    .ad_len = what->ad_len,
                                    .in = a->in + i * stride(what),
                                    .len = packet_len(what, i)};
    }
    return 0;
}

int bench_prepare(struct bench_arena *a, const struct bench_run *run, unsigned c, unsigned l)
{
    return set_up(a, run, c, l) || bench_repeat(a, run->cases[c].total / run->cases[c].packets);
}

/* Of one packet after a call. */
static int right(struct bench_arena *a, const struct bench_case *c, unsigned i, const uint8_t *tag)
{
    uint8_t want[QS_TAG_LEN];
    if (reference(a, c, i, want)) abort();
    int has_tag = c->op == BENCH_SEAL || c->op == BENCH_MAC, has_text = c->op != BENCH_MAC;
    return (!has_tag || !memcmp(tag, want, QS_TAG_LEN)) &&
           (!has_text || !memcmp(a->out + i * stride(c), a->want + i * stride(c), packet_len(c, i)));
}

/* Nothing is known of random bytes but that each is written, and seldom what it was before: once in 256 calls. The
 * input, which such a run does not need, holds what was before. */
static const char *check_random(struct bench_arena *a, size_t len)
{
    enum { CALLS = 64 };
    uint8_t *stayed = a->want;

    memset(stayed, 0, len);
    memset(a->out, 0x5a, len);
    for (unsigned i = 0; i < CALLS; i++) {
        memcpy(a->in, a->out, len);
        if (bench_repeat(a, 1)) return "the call fails";
        for (size_t k = 0; k < len; k++) stayed[k] += a->in[k] == a->out[k];
    }
    for (size_t k = 0; k < len; k++)
        if (stayed[k] > CALLS / 4) return "bytes are not written, or not new";
    return NULL;
}

const char *bench_check(struct bench_arena *a, const struct bench_run *run, unsigned c, unsigned l)
{
    const struct bench_case *what = &run->cases[c];
    const struct bench_line *line = &run->lines.line[l];

    if (set_up(a, run, c, l)) return "no context for the key";
    if (what->op == BENCH_RANDOM) {
        bench_use_rows(line);
        return check_random(a, what->len);
    }
    for (unsigned calls = (what->len < BENCH_LONG ? 2 : 1) * what->total / what->packets; calls--;) {
        const unsigned from = a->at;
        memset(a->out + from * stride(what), 0x5a, what->packets * stride(what));
        bench_use_rows(line);
        if (step(a)) return what->op == BENCH_OPEN ? "a right tag is refused" : "the call fails";
        use_plain_c();
        for (unsigned i = from; i < from + what->packets; i++)
            if (!right(a, what, i, a->packets[i].tag)) return "the output is wrong";
    }
    if (what->op != BENCH_OPEN) return NULL;

    uint8_t *tag = what->tags + (a->at * BENCH_RING + a->calls % ring_of(what)) * QS_TAG_LEN;
    tag[15] ^= 0x80;
    bench_use_rows(line);
    int refused = step(a);
    tag[15] ^= 0x80;
    return refused ? NULL : "a wrong tag is accepted";
}
