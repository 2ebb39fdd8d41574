/* SPDX-License-Identifier: MIT
 *
 * Many packets in one call: which of them share vector lanes. How they do is in batch.c.
 *
 * A batch takes packets of RFC 8439's construction, all of one number of rounds, in which nothing is wrong. What goes
 * on its own: XChaCha's and tinc's forms, packets of another number of rounds than the batch, those too long to gain
 * (see `longest` in kernel.h), and batches too small to (see `pays` there).
 */
#include "batch.h"

/* In calls with fewer packets it is found out first whether sharing pays. */
enum { FEW = 16 };

/* ---- filling in --------------------------------------------------------------------------------------------------- */

/* Words 4 to 15 of a packet's state. */
static inline void set_state(uint32_t state[12], const struct qs_key *key, const uint8_t *nonce, const struct qs_alg_info *a)
{
    memcpy(state, key->key, sizeof key->key);
    state[8] = 0;
    qs_nonce_words(state + 9, key, nonce, a);
}

/* Takes a packet into the batch. */
static inline void add(struct batch *b, qs_packet *p)
{
    struct qs_lanes_mac *mac = &b->mac;
    const unsigned i = b->n++;

    set_state(b->lanes.state[i], (const struct qs_key *)p->aead, p->nonce, &b->info);
    b->packet[i] = p;
    mac->ad[i] = p->ad;
    mac->ad_len[i] = (uint32_t)p->ad_len;
    mac->text[i] = b->rules.sealing ? p->out : p->in;
    mac->len[i] = (uint32_t)p->len;
    set_place(b, TEXT + i, 1, p->in, p->out);
}

/* ---- batches ------------------------------------------------------------------------------------------------------ */

static int pays(const struct qs_lanes_kernel *kernel, size_t n, size_t total)
{
    for (unsigned i = 0; i < sizeof kernel->pays / sizeof *kernel->pays; i++)
        if (n >= kernel->pays[i].packets && total <= (uint32_t)n * kernel->pays[i].len) return 1;
    return 0;
}

static QS_NOINLINE size_t each_alone(struct batch *b)
{
    size_t failed = 0;

    for (unsigned i = 0; i < b->n; i++) {
        qs_packet *p = b->packet[i];
        p->status = qs_packet_run(p, qs_alg_of(p->aead), b->rules.sealing);
        failed += p->status != QS_OK;
    }
    return failed;
}

/* Returns how many failed. */
static size_t run_batch(struct batch *b)
{
    size_t failed = 0;

    if (b->n == 0) return 0;
    if (!pays(b->kernel, b->n, qs_batch_measure(b))) failed = each_alone(b);
    else if (b->rules.sealing) qs_batch_seal(b);
    else failed = qs_batch_open(b);
    b->n = 0;
    return failed;
}

/* Does a stretch of memory, from its last byte and its length less one, keep clear of another? Both are not empty. */
static inline int clear_of(uintptr_t last, size_t len_1, const void *other, size_t other_len)
{
    return last - (uintptr_t)other >= len_1 + other_len;
}

/* Takes a usual packet, of the same algorithm as the one before it, that fits the batch and in which nothing is wrong.
 * Otherwise returns 0, which says nothing yet: it is the slow check that knows what is wrong. What is empty, or close
 * behind the array, may be said to overlap where it does not. */
static inline int add_usual(struct batch *b, qs_packet *p)
{
    const uint8_t *const out = p->out, *const in = p->in, *const ad = p->ad, *const nonce = p->nonce;
    const struct qs_key *const key = (const struct qs_key *)p->aead;
    const size_t len = p->len, ad_len = p->ad_len;

    if (!key || !nonce || !p->tag || !in || !out || (!ad && ad_len)) return 0;
    if (len - 1 >= b->rules.longest || ad_len > QS_BATCH_LONGEST || key->alg != b->alg) return 0;

    const size_t tag_1 = QS_TAG_LEN - 1, nonce_len = b->rules.nonce_len;
    const uintptr_t last = (uintptr_t)out + len - 1, tag_last = (uintptr_t)p->tag + tag_1;
    if (b->rules.sealing &&
        (!clear_of(tag_last, tag_1, nonce, nonce_len) || !clear_of(tag_last, tag_1, key, sizeof *p->aead) ||
         !clear_of(tag_last, 0, b->rules.array, b->rules.array_reach)))
        return 0;
    if (!clear_of(tag_last, tag_1, ad, ad_len) || !clear_of(tag_last, tag_1, in, len) ||
        !clear_of(tag_last, tag_1, out, len) || (out != in && !clear_of(last, len - 1, in, len)) ||
        !clear_of(last, len - 1, ad, ad_len) || !clear_of(last, len - 1, nonce, nonce_len) ||
        !clear_of(last, len - 1, key, sizeof *p->aead) || !clear_of(last, 0, b->rules.array, b->rules.array_reach))
        return 0;
    p->status = QS_OK;
    add(b, p);
    return 1;
}

enum { EIGHT = 8 };

/* May packets of other algorithms join the batch? 0 is none, and has no rounds. Longer nonces have not been checked to their
 * ends. */
static QS_NOINLINE int may_join(const struct batch *b, const qs_packet *p)
{
    unsigned not = 0;

    for (unsigned i = 0; i < EIGHT; i++) {
        const uint32_t alg = ((const struct qs_key *)p[i].aead)->alg;
        const struct qs_alg_info *a = &qs_algs[alg <= QS_TINC_SPTPS ? alg : 0];
        not |= (a->rounds ^ b->info.rounds) | (a->form > QS_SALTED) | (a->nonce_len > b->rules.nonce_len);
    }
    return !not;
}

static inline void take(struct batch *b, unsigned i, qs_packet *p, const struct qs_alg_info *a)
{
    set_state(b->lanes.state[i], (const struct qs_key *)p->aead, p->nonce, a);
    b->packet[i] = p;
    p->status = QS_OK;
    __builtin_prefetch(p->in); /* its text is wanted next, when the keys are made */
}

/* Takes eight usual packets, or returns 0. */
static inline int add_eight(struct batch *b, qs_packet *p)
{
    const struct qs_alg_info a = b->info;
    const unsigned n = b->n;
    uint32_t other = 0;

    if (b->full - n < EIGHT || !b->kernel->usual(p, &b->rules, n, &b->stream, &b->mac)) return 0;
    for (unsigned i = 0; i < EIGHT; i++) other |= ((const struct qs_key *)p[i].aead)->alg ^ b->alg;
    if (QS_LIKELY(!other))
        for (unsigned i = 0; i < EIGHT; i++) take(b, n + i, &p[i], &a);
    else if (may_join(b, p))
        for (unsigned i = 0; i < EIGHT; i++) take(b, n + i, &p[i], &qs_algs[((const struct qs_key *)p[i].aead)->alg]);
    else return 0;
    b->n = n + EIGHT;
    return 1;
}

/* Any packet: checks it, and takes it or processes it alone. Its status is QS_OK, or says why it failed. Not inlined:
 * it is rare, and would take registers from what is not. */
static QS_NOINLINE void add_any(struct batch *b, qs_packet *p)
{
    const struct qs_alg_info *a = qs_alg_of(p->aead);

    p->status = qs_packet_check(p, a, b->rules.sealing, b->rules.array, b->array_len);
    if (p->status != QS_OK) return;
    /* A batch takes the number of rounds of its first packet. */
    if (a->form > QS_SALTED || p->len > b->rules.longest || p->ad_len > QS_BATCH_LONGEST || (b->n && a->rounds != b->info.rounds))
        p->status = qs_packet_run(p, a, b->rules.sealing);
    else {
        b->alg = ((const struct qs_key *)p->aead)->alg;
        b->info = *a;
        /* A nonce is often close before its text: none may be taken for longer without need. */
        if (b->n == 0 || b->rules.nonce_len < a->nonce_len) b->rules.nonce_len = a->nonce_len;
        add(b, p);
    }
}

/* As qs_stack_wipe, but kernels in C with vectors have larger frames: the two deepest take 960 bytes. */
static QS_NOINLINE void wipe_frames(void)
{
    uint8_t dead[QS_STACK_BELOW + 1024];
    size_t len = sizeof dead;

    QS_OPAQUE(len);
    memset(dead, 0, len);
    QS_BARRIER(dead);
    QS_CLEAR_VECTORS();
}

/* In pieces: for more at a time a C library's memset may use a string instruction, and that took twice as long. */
static void wipe_pieces(uint8_t *at, const uint8_t *end)
{
    enum { PIECE = 1024 };

    for (size_t left = (size_t)(end - at), n; left; at += n, left -= n) {
        n = left < PIECE ? left : PIECE;
        qs_wipe(at, n);
    }
}

/* The states and what was made of them, keys, tags, and ends of texts if there were any; what follows them are addresses and
 * lengths, but for `progress`. */
static void wipe_batch(struct batch *b)
{
    wipe_pieces((uint8_t *)&b->lanes, (const uint8_t *)(&b->lanes + 1));
    wipe_pieces(b->mac.scratch, b->used);
    wipe_pieces(b->mac.scratch + QS_BATCH_ENDS, b->ends ? (const uint8_t *)b->mac.ad : b->mac.ad_end[0]);
    if (b->kernel->beside) qs_wipe(b->mac.progress, sizeof b->mac.progress);
}

static QS_NOINLINE size_t in_batches(const struct qs_lanes_kernel *kernel, qs_packet *packets, size_t n, int sealing)
{
    struct batch b;
    size_t failed = 0;

    b.kernel = kernel;
    b.n = 0;
    b.full = kernel->packets;
    b.ends = 0;
    b.used = b.mac.scratch + (kernel->beside ? 0 : QS_BATCH_ENDS); /* otherwise it is the kernel's as well */
    b.alg = QS_CHACHA20_POLY1305;
    b.info = qs_algs[QS_CHACHA20_POLY1305];
    b.array_len = n * sizeof *packets;
    b.rules = (struct qs_lanes_rules){.longest = kernel->longest,
                                      .ad_longest = QS_BATCH_LONGEST,
                                      .nonce_len = b.info.nonce_len,
                                      .array = packets,
                                      .array_reach = b.array_len + kernel->longest + QS_TAG_LEN,
                                      .sealing = sealing};
    for (qs_packet *p = packets, *const end = packets + n; p != end;) {
        qs_packet *const next = (size_t)(end - p) < EIGHT ? end : p + EIGHT;

        if (kernel->usual && next == p + EIGHT && QS_LIKELY(add_eight(&b, p))) p = next;
        for (; p != next; p++) {
            if (!QS_LIKELY(add_usual(&b, p))) {
                add_any(&b, p);
                failed += p->status != QS_OK;
            }
            if (b.n == b.full) failed += run_batch(&b);
        }
        if (b.n == b.full) failed += run_batch(&b);
    }
    failed += run_batch(&b);
    wipe_batch(&b);
    wipe_frames();
    return failed;
}

static size_t each_packet(qs_packet *packets, size_t n, int sealing)
{
    size_t failed = 0;

    for (size_t i = 0; i < n; i++) {
        qs_packet *p = &packets[i];
        p->status = qs_packet_process(p, sealing, packets, n * sizeof *packets);
        failed += p->status != QS_OK;
    }
    return failed;
}

size_t qs_packets_by(const struct qs_lanes_kernel *kernel, qs_packet *packets, size_t n, int sealing)
{
    size_t total = 0;

    if (!kernel) return each_packet(packets, n, sealing);
    if (n < FEW) { /* nothing but their lengths has been looked at when it does not pay */
        for (size_t i = 0; i < n; i++) total += packets[i].len < QS_BATCH_LONGEST ? packets[i].len : QS_BATCH_LONGEST;
        if (!pays(kernel, n, total)) return each_packet(packets, n, sealing);
    }
    return in_batches(kernel, packets, n, sealing);
}

static size_t process(qs_packet *packets, size_t n, int sealing)
{
    return packets ? qs_packets_by(qs_kernel_of(QS_PACKETS)->blocks.packets, packets, n, sealing) : n;
}

size_t qs_seal_packets(qs_packet *packets, size_t n)
{
    return process(packets, n, 1);
}

size_t qs_open_packets(qs_packet *packets, size_t n)
{
    return process(packets, n, 0);
}
