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
 * What goes on its own: tinc's form, packets of another number of rounds than the batch, those too long to gain (see
 * LONGEST), and a packet alone.
 */
#include "aead.h"

/* Longer text or AD goes alone. */
enum { LONGEST = 4096 };

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
    qs_packet *packet[QS_LANES];
    uint32_t n, rounds, differ; /* packets; do their lengths differ? */
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

static unsigned text_blocks(const qs_packet *p)
{
    return (unsigned)((p->len + QS_BLOCK_LEN - 1) / QS_BLOCK_LEN);
}

/* Longest first, by the number of ChaCha blocks; all beyond a number are alike. */
static void sort(struct batch *b)
{
    enum { MOST = 31 };
    uint8_t place[MOST + 2] = {0}, key[QS_LANES];
    qs_packet *sorted[QS_LANES];

    for (unsigned i = 0; i < b->n; i++) {
        unsigned blocks = text_blocks(b->packet[i]);
        key[i] = (uint8_t)(blocks < MOST ? MOST - blocks : 0);
        place[key[i] + 1]++;
    }
    for (unsigned i = 1; i <= MOST; i++) place[i] = (uint8_t)(place[i] + place[i - 1]);
    for (unsigned i = 0; i < b->n; i++) sorted[place[key[i]]++] = b->packet[i];
    memcpy(b->packet, sorted, b->n * sizeof *sorted);
}

static void fill(struct batch *b, int sealing)
{
    struct qs_lanes_mac *mac = &b->mac;
    const unsigned n = b->n;

    mac->n = n;
    for (unsigned i = 0; i < n; i++) {
        const qs_packet *p = b->packet[i];
        const struct qs_key *key = (const struct qs_key *)p->aead;
        uint32_t *state = b->lanes.state[i];
        const size_t ad_end = p->ad_len % 16;

        memcpy(state, key->key, sizeof key->key);
        state[8] = 0;
        qs_nonce_words(state + 9, key, p->nonce, &qs_algs[key->alg]);
        mac->ad[i] = p->ad;
        mac->ad_len[i] = (uint32_t)p->ad_len;
        mac->text[i] = sealing ? p->out : p->in;
        mac->len[i] = (uint32_t)p->len;
        if (ad_end) pad(mac->ad_end[i], p->ad + p->ad_len - ad_end, ad_end);
    }
    for (unsigned i = n; i < QS_LANES; i++) {
        mac->ad[i] = mac->text[i] = zeros;
        mac->ad_len[i] = mac->len[i] = 0;
    }
    b->next_key = b->next = b->block = 0;
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

struct start {
    uint32_t packet, counter;
    const uint8_t *in;
    uint8_t *out;
};
static inline void set_lanes(struct qs_lanes_pass *pass, unsigned lane, unsigned count, struct start from, struct start step)
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
            from.packet += 4 * dk, from.counter += 4 * dc, from.in += 4 * din, from.out += 4 * dout;
        }
    }
    for (; lane < end; lane++) {
        set_lane(pass, lane, from.packet, from.counter, from.in, from.out);
        from.packet += step.packet, from.counter += step.counter;
        from.in += (uintptr_t)step.in, from.out += (uintptr_t)step.out;
    }
}

/* Plans the next pass: key blocks, then text of packets whose status is QS_OK, in which an end of less than a block makes
 * its keystream in a buffer. If `wait`, all text does, in the rows of mac.key that are not a key's; there are as many as
 * lanes. Returns how many lanes are in use. */
static unsigned plan(struct batch *b, struct plan *to, int wait)
{
    const unsigned lanes = b->kernel->lanes, n = b->n;
    unsigned lane = 0, rests = 0, i = b->next, block = b->block;

    if (b->next_key < n) {
        const unsigned left = n - b->next_key, count = left < lanes ? left : lanes;
        set_lanes(&to->pass, 0, count, (struct start){b->next_key, 0, zeros, b->mac.key[b->next_key]},
                  (struct start){1, 0, 0, (uint8_t *)sizeof b->mac.key[0]});
        b->next_key += count, lane += count;
    }
    to->keystream = wait ? b->mac.key + (n - lane) : (uint8_t (*)[QS_BLOCK_LEN])b->mac.scratch;
    for (; i < n; i++, block = 0) {
        const qs_packet *p = b->packet[i];
        if (p->status != QS_OK) continue;
        const unsigned len = b->mac.len[i], blocks = (len + QS_BLOCK_LEN - 1) / QS_BLOCK_LEN;
        const unsigned whole = wait ? 0 : len / QS_BLOCK_LEN;

        if (block < whole) {
            const unsigned left = whole - block, count = left < lanes - lane ? left : lanes - lane;
            set_lanes(&to->pass, lane, count,
                      (struct start){i, block + 1, p->in + QS_BLOCK_LEN * block, p->out + QS_BLOCK_LEN * block},
                      (struct start){0, 1, (const uint8_t *)QS_BLOCK_LEN, (uint8_t *)QS_BLOCK_LEN});
            lane += count, block += count;
        }
        for (; block < blocks; block++, lane++) {
            if (lane == lanes) goto full;
            set_lane(&to->pass, lane, i, block + 1, zeros, to->keystream[lane]);
            to->rest[rests].lane = (uint8_t)lane;
            to->rest[rests].packet = (uint8_t)i;
            to->rest[rests++].block = (uint8_t)block;
        }
    }
full:
    b->next = i, b->block = block;
    to->rests = rests;
    to->pass.n = lane;
    to->pass.rounds = b->rounds;
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
    fill(b, 1);
    b->kernel->arrange(&b->lanes);
    run(b, &b->plan[0], &b->plan[1]);
    make_tags(b);
    for (unsigned i = 0; i < b->n; i++) memcpy(b->packet[i]->tag, b->mac.tag[i], QS_TAG_LEN);
}

/* Returns how many tags were wrong. */
static QS_NOINLINE size_t open_batch(struct batch *b)
{
    struct plan *const keys = &b->plan[0];
    size_t forged = 0;

    fill(b, 0);
    b->kernel->arrange(&b->lanes);
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

/* ---- batches ------------------------------------------------------------------------------------------------------ */

static size_t run_batch(struct batch *b, int sealing)
{
    if (b->n == 0) return 0;
    if (b->differ) sort(b);
    if (!sealing) return open_batch(b);
    seal_batch(b);
    return 0;
}

/* Does a stretch of memory, from its last byte and its length less one, keep clear of another? Both are not empty. */
static inline int clear_of(uintptr_t last, size_t len_1, const void *other, size_t other_len)
{
    return last - (uintptr_t)other >= len_1 + other_len;
}

/* Is this a usual packet, that fits the batch and in which nothing is wrong? No says nothing: it is the slow check that
 * knows what is wrong. What has no length may be said to overlap where it does not. */
static QS_NOINLINE int surely_fits(const struct batch *b, const qs_packet *p, int sealing, const qs_packet *array, size_t n)
{
    if (!p->aead || !p->nonce || !p->tag || !p->in || !p->out || (!p->ad && p->ad_len)) return 0;
    if (p->len - 1 >= LONGEST || p->ad_len > LONGEST) return 0;

    const struct qs_alg_info *a = qs_find_alg(((const struct qs_key *)p->aead)->alg);
    if (!a || a->form > QS_SALTED || a->rounds != b->rounds) return 0;

    const size_t len_1 = p->len - 1, array_len = n * sizeof *array;
    const uintptr_t last = (uintptr_t)p->out + len_1, tag_last = (uintptr_t)p->tag + QS_TAG_LEN - 1;
    return (p->out == p->in || clear_of(last, len_1, p->in, p->len)) && clear_of(last, len_1, p->ad, p->ad_len) &&
           clear_of(last, len_1, p->nonce, a->nonce_len) && clear_of(last, len_1, p->aead, sizeof *p->aead) &&
           clear_of(last, len_1, array, array_len) && clear_of(last, len_1, p->tag, QS_TAG_LEN) &&
           clear_of(tag_last, QS_TAG_LEN - 1, p->in, p->len) && clear_of(tag_last, QS_TAG_LEN - 1, p->ad, p->ad_len) &&
           (!sealing || (clear_of(tag_last, QS_TAG_LEN - 1, p->nonce, a->nonce_len) &&
                         clear_of(tag_last, QS_TAG_LEN - 1, p->aead, sizeof *p->aead) &&
                         clear_of(tag_last, QS_TAG_LEN - 1, array, array_len)));
}

/* Can this packet be in the batch? One that nobody is in yet takes any number of rounds. */
static int fits(struct batch *b, const qs_packet *p, const struct qs_alg_info *a)
{
    if (a->form > QS_SALTED || p->len > LONGEST || p->ad_len > LONGEST) return 0;
    if (b->n == 0) b->rounds = a->rounds;
    return a->rounds == b->rounds;
}

static QS_NOINLINE size_t in_batches(const struct qs_lanes_kernel *kernel, qs_packet *packets, size_t n, int sealing)
{
    struct batch b;
    size_t failed = 0;

    b.kernel = kernel;
    b.n = b.differ = 0;
    b.rounds = 20;
    for (size_t i = 0; i < n; i++) {
        qs_packet *p = &packets[i];

        if (surely_fits(&b, p, sealing, packets, n)) p->status = QS_OK;
        else {
            const struct qs_alg_info *a = qs_alg_of(p->aead);
            p->status = qs_packet_check(p, a, sealing, packets, n * sizeof *packets);
            if (p->status == QS_OK && !fits(&b, p, a)) p->status = qs_packet_run(p, a, sealing), a = NULL;
            failed += p->status != QS_OK;
            if (!a || p->status != QS_OK) continue;
        }
        b.packet[b.n++] = p;
        b.differ |= p->len != b.packet[0]->len;
        if (b.n == kernel->packets) failed += run_batch(&b, sealing), b.n = b.differ = 0;
    }
    failed += run_batch(&b, sealing);
    qs_wipe(&b.lanes, offsetof(struct batch, packet) - offsetof(struct batch, lanes));
    qs_stack_wipe();
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
    return kernel && n > 1 ? in_batches(kernel, packets, n, sealing) : each_packet(packets, n, sealing);
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
