/* SPDX-License-Identifier: MIT
 *
 * Many packets in one call: which packets share vector lanes, and who makes which block. The work is in the kernels.
 *
 * A batch of packets of RFC 8439's construction, all of one number of rounds, is laid out as a stream of blocks: first
 * the key block of every packet, then the blocks of its text, packet by packet. A pass of the ChaCha kernel makes the next
 * `lanes` blocks of that stream, whosever they are; only the last pass of a batch can have lanes left over. Poly1305 then
 * runs over all packets at once, a packet in each lane; they are sorted by length for that, so that lanes which work side
 * by side have about equally much to do. Opening makes the key blocks and the tags first, and text only of packets whose tag
 * was right; lanes that the key blocks leave over make keystream that waits.
 *
 * What goes on its own: XChaCha's and tinc's forms, packets of another number of rounds than the batch, those too long to gain
 * (see `longest` in kernel.h), and batches too small to (see `pays` there).
 */
#include "aead.h"

/* Longer AD goes alone, and text at a length that the row says: there, a packet has enough blocks of its own. */
enum { LONGEST = 1536 };

/* In calls with fewer packets it is found out first whether sharing pays. */
enum { FEW = 16 };

/* A pass, and its blocks whose keystream goes to a buffer first, not into a text. */
struct plan {
    struct qs_lanes_pass pass;
    struct {
        uint8_t lane, packet, block;
    } rest[QS_LANES];
    uint8_t (*keystream)[QS_BLOCK_LEN]; /* keystream[lane] */
    uint32_t rests;
};

struct batch {
    struct plan plan[2];
    struct qs_lanes lanes;
    struct qs_lanes_mac mac; /* while it is not at work, its scratch is where the ends of texts are made */
    qs_packet *packet[QS_LANES]; /* in the order of mac's lanes */
    uint8_t state[QS_LANES];     /* the number of each one's state in `lanes` */
    uint32_t n, full;        /* packets in it, and at how many it is full */
    uint32_t alg;            /* of the last one, */
    struct qs_alg_info info; /* and what there is to know of it: all have its number of rounds */
    size_t longest;  /* text that may be in it */
    uint32_t differ; /* do their lengths differ? */
    int sealing;
    const qs_packet *array; /* that the caller gave */
    size_t array_len;       /* in bytes, */
    size_t array_reach;     /* and so far behind its start, or farther, no output ends that touches it */
    /* What to make next: the key block of this packet; when all have one, this block of that packet's text. */
    uint32_t next_key, next, block;
    const struct qs_lanes_kernel *kernel;
};
_Static_assert(LONGEST / QS_BLOCK_LEN < 256, "the number of a block has 8 bits");

static const uint8_t zeros[QS_BLOCK_LEN];

/* ---- filling in --------------------------------------------------------------------------------------------------- */

/* len bytes, less than 16, and zeros. */
static void pad(uint8_t to[16], const uint8_t *from, size_t len)
{
    uint64_t word[2] = {0, 0}, last = 0;
    unsigned i = 0, bits = 0;

    if (len & 8) word[i++] = qs_load64(from), from += 8;
    if (len & 4) last = qs_load32(from), from += 4, bits = 32;
    for (unsigned j = 0; j < (len & 3); j++, bits += 8) last |= (uint64_t)from[j] << bits;
    word[i] = last;
    qs_store64(to, word[0]);
    qs_store64(to + 8, word[1]);
}

/* Longest first, by the number of ChaCha blocks; all beyond a number are alike. States stay where they are. */
static void sort(struct batch *b)
{
    enum { MOST = 31 };
    const struct qs_lanes_mac *mac = &b->mac;
    uint8_t place[MOST + 2] = {0}, key[QS_LANES];
    struct {
        qs_packet *packet;
        const uint8_t *ad, *text;
        uint32_t ad_len, len;
    } sorted[QS_LANES];

    for (unsigned i = 0; i < b->n; i++) {
        const unsigned blocks = (mac->len[i] + QS_BLOCK_LEN - 1) / QS_BLOCK_LEN;
        key[i] = (uint8_t)(blocks < MOST ? MOST - blocks : 0);
        place[key[i] + 1]++;
    }
    for (unsigned i = 1; i <= MOST; i++) place[i] = (uint8_t)(place[i] + place[i - 1]);
    for (unsigned i = 0; i < b->n; i++) {
        const unsigned to = place[key[i]]++;
        b->state[to] = (uint8_t)i;
        sorted[to].packet = b->packet[i];
        sorted[to].ad = mac->ad[i], sorted[to].ad_len = mac->ad_len[i];
        sorted[to].text = mac->text[i], sorted[to].len = mac->len[i];
    }
    for (unsigned i = 0; i < b->n; i++) {
        b->packet[i] = sorted[i].packet;
        b->mac.ad[i] = sorted[i].ad, b->mac.ad_len[i] = sorted[i].ad_len;
        b->mac.text[i] = sorted[i].text, b->mac.len[i] = sorted[i].len;
    }
}

/* Takes a packet into the batch. */
static inline void add(struct batch *b, qs_packet *p)
{
    const struct qs_key *key = (const struct qs_key *)p->aead;
    struct qs_lanes_mac *mac = &b->mac;
    const unsigned i = b->n++;
    uint32_t *state = b->lanes.state[i];

    memcpy(state, key->key, sizeof key->key);
    state[8] = 0;
    qs_nonce_words(state + 9, key, p->nonce, &b->info);
    b->packet[i] = p;
    mac->ad[i] = p->ad;
    mac->ad_len[i] = (uint32_t)p->ad_len;
    mac->text[i] = b->sealing ? p->out : p->in;
    mac->len[i] = (uint32_t)p->len;
}

static void start(struct batch *b)
{
    static const uint8_t as_they_come[QS_LANES] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                                   16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
    struct qs_lanes_mac *mac = &b->mac;
    const unsigned n = b->n;
    uint32_t differ = 0, ad_ends = 0;

    for (unsigned i = 0; i < n; i++) differ |= mac->len[i] ^ mac->len[0], ad_ends |= mac->ad_len[i] % 16;
    b->differ = differ;
    if (differ) sort(b);
    else memcpy(b->state, as_they_come, sizeof as_they_come);
    for (unsigned i = 0; ad_ends && i < n; i++) {
        const size_t end = mac->ad_len[i] % 16;
        if (end) pad(mac->ad_end[i], mac->ad[i] + mac->ad_len[i] - end, end);
    }
    for (unsigned i = n; i < QS_LANES; i++) {
        mac->ad[i] = mac->text[i] = zeros;
        mac->ad_len[i] = mac->len[i] = 0;
    }
    mac->n = n;
    b->next_key = b->next = b->block = 0;
    if (b->kernel->arrange) b->kernel->arrange(&b->lanes);
}

/* ---- passes ------------------------------------------------------------------------------------------------------- */

static inline void set_lane(struct qs_lanes_pass *pass, unsigned lane, unsigned packet, uint32_t counter, const uint8_t *in,
                            uint8_t *out)
{
    pass->packet[lane] = packet;
    pass->counter[lane] = counter;
    pass->in[lane] = in;
    pass->out[lane] = out;
}

/* A run of lanes in which all of these grow from lane to lane, four at a time: the stores are what takes time here. */
typedef uint32_t four __attribute__((vector_size(16), aligned(4), may_alias));
typedef uintptr_t pair __attribute__((vector_size(2 * sizeof(uintptr_t)), aligned(sizeof(uintptr_t)), may_alias));

struct lane {
    uint32_t packet, counter;
    const uint8_t *in;
    uint8_t *out;
};
static inline void set_lanes(struct qs_lanes_pass *pass, unsigned lane, unsigned count, struct lane from, struct lane step)
{
    const unsigned end = lane + count;

    if (count >= 4) {
        const uint32_t k = from.packet, dk = step.packet, c = from.counter, dc = step.counter;
        const uintptr_t in = (uintptr_t)from.in, din = (uintptr_t)step.in;
        const uintptr_t out = (uintptr_t)from.out, dout = (uintptr_t)step.out;
        four packets = {k, k + dk, k + 2 * dk, k + 3 * dk}, counters = {c, c + dc, c + 2 * dc, c + 3 * dc};
        pair ins = {in, in + din}, outs = {out, out + dout};

        for (; lane + 4 <= end; lane += 4) {
            *(four *)(pass->packet + lane) = packets;
            *(four *)(pass->counter + lane) = counters;
            *(pair *)(pass->in + lane) = ins;
            *(pair *)(pass->in + lane + 2) = ins + 2 * din;
            *(pair *)(pass->out + lane) = outs;
            *(pair *)(pass->out + lane + 2) = outs + 2 * dout;
            packets += 4 * dk, counters += 4 * dc, ins += 4 * din, outs += 4 * dout;
        }
        const unsigned done = count & ~3u;
        from.packet += done * dk, from.counter += done * dc, from.in += done * din, from.out += done * dout;
    }
    for (; lane < end; lane++) {
        set_lane(pass, lane, from.packet, from.counter, from.in, from.out);
        from.packet += step.packet, from.counter += step.counter;
        from.in += (uintptr_t)step.in, from.out += (uintptr_t)step.out;
    }
}

/* The key blocks of up to as many packets as there are lanes; returns how many. */
static QS_NOINLINE unsigned plan_keys(struct batch *b, struct qs_lanes_pass *pass)
{
    const unsigned left = b->n - b->next_key, count = left < b->kernel->lanes ? left : b->kernel->lanes;

    set_lanes(pass, 0, count, (struct lane){b->next_key, 0, zeros, b->mac.key[b->next_key]},
              (struct lane){1, 0, 0, (uint8_t *)sizeof b->mac.key[0]});
    for (unsigned k = 0; b->differ && k < count; k++) pass->packet[k] = b->state[b->next_key + k];
    b->next_key += count;
    return count;
}

/* Whole blocks of a packet's text. */
static QS_NOINLINE void set_text(struct qs_lanes_pass *pass, unsigned lane, unsigned count, uint32_t state,
                                 const qs_packet *p, unsigned block)
{
    const size_t at = (size_t)QS_BLOCK_LEN * block;

    set_lanes(pass, lane, count, (struct lane){state, block + 1, p->in + at, p->out + at},
              (struct lane){0, 1, (const uint8_t *)QS_BLOCK_LEN, (uint8_t *)QS_BLOCK_LEN});
}

/* Plans the next pass: key blocks, then text of packets whose status is QS_OK, in which an end of less than a block makes
 * its keystream in a buffer. If `wait`, all text does, in the rows of mac.key that are not a key's; there are as many as
 * lanes. Returns how many lanes are in use. */
static unsigned plan(struct batch *b, struct plan *to, int wait)
{
    const unsigned lanes = b->kernel->lanes, n = b->n;
    unsigned lane = b->next_key < n ? plan_keys(b, &to->pass) : 0;
    unsigned rests = 0, i = b->next, block = b->block;

    to->keystream = wait ? b->mac.key + (n - lane) : (uint8_t (*)[QS_BLOCK_LEN])b->mac.scratch;
    for (; i < n && lane < lanes; i++, block = 0) {
        const qs_packet *p = b->packet[i];
        if (p->status != QS_OK) continue;
        const unsigned len = b->mac.len[i], blocks = (len + QS_BLOCK_LEN - 1) / QS_BLOCK_LEN;
        const unsigned whole = wait ? 0 : len / QS_BLOCK_LEN;

        if (block < whole) {
            const unsigned left = whole - block, count = left < lanes - lane ? left : lanes - lane;
            if (blocks == 1) set_lane(&to->pass, lane, b->state[i], 1, p->in, p->out);
            else set_text(&to->pass, lane, count, b->state[i], p, block);
            lane += count, block += count;
        }
        for (; block < blocks; block++, lane++) {
            if (lane == lanes) goto full;
            set_lane(&to->pass, lane, b->state[i], block + 1, zeros, to->keystream[lane]);
            to->rest[rests].lane = (uint8_t)lane;
            to->rest[rests].packet = (uint8_t)i;
            to->rest[rests++].block = (uint8_t)block;
        }
    }
full:
    b->next = i, b->block = block;
    to->rests = rests;
    to->pass.n = lane;
    to->pass.rounds = b->info.rounds;
    for (; lane & (b->kernel->set - 1); lane++) set_lane(&to->pass, lane, 0, 0, zeros, b->mac.scratch + QS_BLOCK_LEN * lane);
    return to->pass.n;
}

/* Uses the keystream in the buffer. */
static void finish(const struct batch *b, const struct plan *of)
{
    for (unsigned i = 0; i < of->rests; i++) {
        const qs_packet *p = b->packet[of->rest[i].packet];
        const size_t at = (size_t)QS_BLOCK_LEN * of->rest[i].block, left = p->len - at;

        if (p->status == QS_OK)
            qs_xor_bytes(p->out + at, p->in + at, of->keystream[of->rest[i].lane],
                         left < QS_BLOCK_LEN ? left : QS_BLOCK_LEN);
    }
}

/* All passes that are still to be made. Each is planned before the one before it runs: what was stored in narrow pieces must
 * have reached the cache when a kernel loads it in wide ones. */
static void run(struct batch *b, struct plan *now, struct plan *next)
{
    unsigned lanes = plan(b, now, 0);

    while (lanes) {
        struct plan *const done = now;
        lanes = plan(b, next, 0);
        b->kernel->blocks(&b->lanes, &done->pass);
        finish(b, done);
        now = next, next = done;
    }
}

static void make_tags(struct batch *b)
{
    for (unsigned i = 0; i < b->n; i++) {
        const size_t len = b->mac.len[i], end = len % 16;
        if (end) pad(b->mac.text_end[i], b->mac.text[i] + len - end, end);
    }
    b->kernel->tags(&b->mac);
}

static QS_NOINLINE void seal_batch(struct batch *b)
{
    start(b);
    run(b, &b->plan[0], &b->plan[1]);
    make_tags(b);
    for (unsigned i = 0; i < b->n; i++) memcpy(b->packet[i]->tag, b->mac.tag[i], QS_TAG_LEN);
}

/* Returns how many tags were wrong. */
static QS_NOINLINE size_t open_batch(struct batch *b)
{
    struct plan *const keys = &b->plan[0];
    size_t forged = 0;

    start(b);
    while (b->next_key < b->n) {
        plan(b, keys, 1);
        b->kernel->blocks(&b->lanes, &keys->pass);
    }
    make_tags(b);
    for (unsigned i = 0; i < b->n; i++) {
        qs_packet *p = b->packet[i];
        p->status = qs_tag_compare(b->mac.tag[i], p->tag);
        forged += p->status != QS_OK;
    }
    finish(b, keys);
    run(b, &b->plan[0], &b->plan[1]);
    return forged;
}

/* ---- tags, one by one ---------------------------------------------------------------------------------------------- */

static void update(struct qs_mac *m, const uint8_t *in, uint32_t len, const uint8_t end[16])
{
    qs_mac_update(m, in, len - len % 16);
    if (len % 16) qs_mac_update(m, end, 16);
}

QS_NOINLINE void qs_lanes_tags_each(struct qs_lanes_mac *m)
{
    struct qs_mac *mac = (struct qs_mac *)m->scratch;

    for (unsigned i = 0; i < m->n; i++) {
        qs_mac_init(mac, m->key[i]);
        update(mac, m->ad[i], m->ad_len[i], m->ad_end[i]);
        update(mac, m->text[i], m->len[i], m->text_end[i]);
        qs_mac_lengths(mac, m->ad_len[i], m->len[i]);
        qs_mac_final(mac, m->tag[i]);
    }
    QS_CLEAR_VECTORS();
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
        p->status = qs_packet_run(p, qs_alg_of(p->aead), b->sealing);
        failed += p->status != QS_OK;
    }
    return failed;
}

/* Returns how many failed. */
static size_t run_batch(struct batch *b)
{
    size_t failed = 0, total = 0;

    if (b->n == 0) return 0;
    for (unsigned i = 0; i < b->n; i++) total += b->mac.len[i];
    if (!pays(b->kernel, b->n, total)) failed = each_alone(b);
    else if (b->sealing) seal_batch(b);
    else failed = open_batch(b);
    b->n = 0;
    return failed;
}

/* Does a stretch of memory, from its last byte and its length less one, keep clear of another? Both are not empty. */
static inline int clear_of(uintptr_t last, size_t len_1, const void *other, size_t other_len)
{
    return last - (uintptr_t)other >= len_1 + other_len;
}

/* Takes a usual packet, of the same algorithm as the one before it, that fits the batch and in which nothing is wrong.
 * Otherwise returns 0, which says nothing yet: it is the slow check that knows what is wrong. What is empty, or close behind
 * the array, may be said to overlap where it does not. */
static inline int add_usual(struct batch *b, qs_packet *p)
{
    const uint8_t *const out = p->out, *const in = p->in, *const ad = p->ad, *const nonce = p->nonce;
    const struct qs_key *const key = (const struct qs_key *)p->aead;
    const size_t len = p->len, ad_len = p->ad_len;

    if (!key || !nonce || !p->tag || !in || !out || (!ad && ad_len)) return 0;
    if (len - 1 >= b->longest || ad_len > LONGEST || key->alg != b->alg) return 0;

    const size_t tag_1 = QS_TAG_LEN - 1, nonce_len = b->info.nonce_len;
    const uintptr_t last = (uintptr_t)out + len - 1, tag_last = (uintptr_t)p->tag + tag_1;
    if (b->sealing &&
        (!clear_of(tag_last, tag_1, nonce, nonce_len) || !clear_of(tag_last, tag_1, key, sizeof *p->aead) ||
         !clear_of(tag_last, 0, b->array, b->array_reach)))
        return 0;
    if (!clear_of(tag_last, tag_1, ad, ad_len) || !clear_of(tag_last, tag_1, in, len) ||
        !clear_of(tag_last, tag_1, out, len) || (out != in && !clear_of(last, len - 1, in, len)) ||
        !clear_of(last, len - 1, ad, ad_len) || !clear_of(last, len - 1, nonce, nonce_len) ||
        !clear_of(last, len - 1, key, sizeof *p->aead) || !clear_of(last, 0, b->array, b->array_reach))
        return 0;
    p->status = QS_OK;
    add(b, p);
    return 1;
}

/* Any packet: checks it, and takes it or processes it alone. Its status is QS_OK, or says why it failed. Not inlined: it is
 * rare, and would take registers from what is not. */
static QS_NOINLINE void add_any(struct batch *b, qs_packet *p)
{
    const struct qs_alg_info *a = qs_alg_of(p->aead);

    p->status = qs_packet_check(p, a, b->sealing, b->array, b->array_len);
    if (p->status != QS_OK) return;
    /* A batch takes the number of rounds of its first packet. */
    if (a->form > QS_SALTED || p->len > b->longest || p->ad_len > LONGEST || (b->n && a->rounds != b->info.rounds))
        p->status = qs_packet_run(p, a, b->sealing);
    else {
        b->alg = ((const struct qs_key *)p->aead)->alg;
        b->info = *a;
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

/* Keys, keystream, tags and ends of texts, which lie together; what follows them are addresses and lengths. In pieces: for
 * more at a time a C library's memset may use a string instruction, and that took twice as long. */
static void wipe_batch(struct batch *b)
{
    enum { PIECE = 1024 };
    uint8_t *at = (uint8_t *)&b->lanes;

    for (size_t left = (size_t)((const uint8_t *)b->mac.ad - at), n; left; at += n, left -= n) {
        n = left < PIECE ? left : PIECE;
        qs_wipe(at, n);
    }
}

static QS_NOINLINE size_t in_batches(const struct qs_lanes_kernel *kernel, qs_packet *packets, size_t n, int sealing)
{
    struct batch b;
    size_t failed = 0;

    b.kernel = kernel;
    b.longest = kernel->longest;
    b.n = 0;
    b.full = kernel->packets;
    b.alg = QS_CHACHA20_POLY1305;
    b.info = qs_algs[QS_CHACHA20_POLY1305];
    b.sealing = sealing;
    b.array = packets;
    b.array_len = n * sizeof *packets;
    b.array_reach = b.array_len + b.longest + QS_TAG_LEN;
    for (qs_packet *p = packets, *const end = packets + n; p != end; p++) {
        if (!QS_LIKELY(add_usual(&b, p))) {
            add_any(&b, p);
            failed += p->status != QS_OK;
        }
        if (!QS_LIKELY(b.n != b.full)) failed += run_batch(&b);
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
        for (size_t i = 0; i < n; i++) total += packets[i].len < LONGEST ? packets[i].len : LONGEST;
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
