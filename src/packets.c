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

/* A block of text whose keystream lies in a buffer. */
struct rest {
    const uint8_t *keystream;
    uint32_t packet, block;
};

struct batch {
    struct qs_lanes lanes;
    struct qs_lanes_mac mac;       /* while it is not at work, its scratch is where the ends of texts are made */
    uint8_t ends[QS_LANES][3 * 16]; /* padded: the end of the AD, the end of the text; then the block of both lengths */
    qs_packet *packet[QS_LANES];
    struct rest rest[QS_LANES];
    uint32_t n, rests;
    uint32_t next, block; /* the text block to make next: of which packet, and which */
    const struct qs_lanes_kernel *kernel;
};

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

static void set_part(struct qs_lanes_mac *mac, unsigned part, unsigned i, const uint8_t *in, uint32_t count)
{
    mac->part[part].in[i] = in;
    mac->part[part].count[i] = count;
    mac->used |= (uint32_t)(count != 0) << part;
}

static void fill(struct batch *b, int sealing)
{
    struct qs_lanes_mac *mac = &b->mac;

    mac->n = b->n;
    mac->used = 0;
    for (unsigned i = 0; i < b->n; i++) {
        const qs_packet *p = b->packet[i];
        const struct qs_key *key = (const struct qs_key *)p->aead;
        uint8_t *end = b->ends[i];
        const size_t ad_end = p->ad_len % 16, text_end = p->len % 16;

        memcpy(b->lanes.state[i], key->key, sizeof key->key);
        qs_nonce_words(b->lanes.state[i] + 9, key, p->nonce);
        b->lanes.state[i][8] = 0;

        if (ad_end) pad(end, p->ad + p->ad_len - ad_end, ad_end);
        qs_store64(end + 32, p->ad_len);
        qs_store64(end + 40, p->len);
        set_part(mac, 0, i, p->ad, (uint32_t)(p->ad_len / 16));
        set_part(mac, 1, i, end, ad_end != 0);
        set_part(mac, 2, i, sealing ? p->out : p->in, (uint32_t)(p->len / 16));
        set_part(mac, 3, i, text_end ? end + 16 : end + 32, 1 + (text_end != 0));
    }
    for (unsigned part = 0; part < QS_LANES_PARTS; part++)
        memset(mac->part[part].count + b->n, 0, (QS_LANES - b->n) * sizeof(uint32_t));
}

/* ---- passes ------------------------------------------------------------------------------------------------------- */

static void set_lane(struct qs_lanes *l, unsigned lane, unsigned packet, uint32_t counter, const uint8_t *in, uint8_t *out)
{
    l->packet[lane] = packet;
    l->counter[lane] = counter;
    l->in[lane] = in;
    l->out[lane] = out;
}

static void run_pass(struct batch *b, unsigned lanes)
{
    struct qs_lanes *l = &b->lanes;

    l->n = lanes;
    for (unsigned i = lanes; i & (b->kernel->set - 1); i++) set_lane(l, i, 0, 0, zeros, b->mac.scratch + QS_BLOCK_LEN * i);
    b->kernel->blocks(l);
}

/* Gives the lanes from `lane` on to the next blocks of text, of packets whose status is QS_OK. All make keystream that waits
 * in wait[lane] if that is given, else only those that are the end of a text. Returns how many lanes are then in use. */
static unsigned text_lanes(struct batch *b, unsigned lane, uint8_t (*wait)[QS_BLOCK_LEN])
{
    uint8_t (*keystream)[QS_BLOCK_LEN] = wait ? wait : (uint8_t (*)[QS_BLOCK_LEN])b->mac.scratch;
    const unsigned lanes = b->kernel->lanes;

    b->rests = 0;
    for (; b->next < b->n; b->next++, b->block = 0) {
        const qs_packet *p = b->packet[b->next];
        const unsigned blocks = p->status == QS_OK ? text_blocks(p) : 0;
        const unsigned whole = wait ? 0 : (unsigned)(p->len / QS_BLOCK_LEN);

        for (; b->block < blocks; b->block++, lane++) {
            if (lane == lanes) return lane;
            const size_t at = (size_t)QS_BLOCK_LEN * b->block;
            if (b->block < whole) {
                set_lane(&b->lanes, lane, b->next, b->block + 1, p->in + at, p->out + at);
                continue;
            }
            set_lane(&b->lanes, lane, b->next, b->block + 1, zeros, keystream[lane]);
            b->rest[b->rests++] = (struct rest){keystream[lane], b->next, b->block};
        }
    }
    return lane;
}

/* Uses the keystream that waits. */
static void finish_rests(struct batch *b)
{
    for (unsigned i = 0; i < b->rests; i++) {
        const struct rest *r = &b->rest[i];
        const qs_packet *p = b->packet[r->packet];
        const size_t at = (size_t)QS_BLOCK_LEN * r->block, left = p->len - at;

        if (p->status == QS_OK)
            qs_xor_bytes(p->out + at, p->in + at, r->keystream, left < QS_BLOCK_LEN ? left : QS_BLOCK_LEN);
    }
}

static void text_passes(struct batch *b, unsigned lane)
{
    while ((lane = text_lanes(b, lane, NULL)) != 0) {
        run_pass(b, lane);
        finish_rests(b);
        lane = 0;
    }
}

/* The key blocks; the last pass of them is filled up by text_lanes. Returns how many lanes it has. */
static unsigned key_passes(struct batch *b)
{
    unsigned lane = 0;

    for (unsigned i = 0; i < b->n; i++) {
        if (lane == b->kernel->lanes) run_pass(b, lane), lane = 0;
        set_lane(&b->lanes, lane++, i, 0, zeros, b->mac.key[i]);
    }
    return lane;
}

static void make_tags(struct batch *b)
{
    for (unsigned i = 0; i < b->n; i++) {
        const size_t len = b->packet[i]->len, end = len % 16;
        if (end) pad(b->ends[i] + 16, b->mac.part[2].in[i] + len - end, end);
    }
    b->kernel->tags(&b->mac);
}

static void start(struct batch *b, int sealing)
{
    fill(b, sealing);
    b->kernel->arrange(&b->lanes);
    b->next = b->block = 0;
}

static QS_NOINLINE void seal_batch(struct batch *b)
{
    start(b, 1);
    text_passes(b, key_passes(b));
    make_tags(b);
    for (unsigned i = 0; i < b->n; i++) memcpy(b->packet[i]->tag, b->mac.tag[i], QS_TAG_LEN);
}

/* Returns how many tags were wrong. */
static QS_NOINLINE size_t open_batch(struct batch *b)
{
    size_t forged = 0;

    start(b, 0);
    /* A waiting block's keystream lies in the row that has its lane's number, among those that no key has. */
    const unsigned keys = key_passes(b);
    run_pass(b, text_lanes(b, keys, b->mac.key + (b->n - keys)));
    make_tags(b);
    for (unsigned i = 0; i < b->n; i++) {
        qs_packet *p = b->packet[i];
        p->status = qs_tag_compare(b->mac.tag[i], p->tag);
        forged += p->status != QS_OK;
    }
    finish_rests(b);
    text_passes(b, 0);
    return forged;
}

/* ---- batches ------------------------------------------------------------------------------------------------------ */

static size_t run_batch(struct batch *b, int sealing)
{
    if (b->n == 0) return 0;
    sort(b);
    if (!sealing) return open_batch(b);
    seal_batch(b);
    return 0;
}

/* Can this packet be in the batch? One that nobody is in yet takes any number of rounds. */
static int fits(struct batch *b, const qs_packet *p, const struct qs_alg_info *a)
{
    if (a->form > QS_SALTED || p->len > LONGEST || p->ad_len > LONGEST) return 0;
    if (b->n == 0) b->lanes.rounds = a->rounds;
    return a->rounds == b->lanes.rounds;
}

static QS_NOINLINE size_t in_batches(const struct qs_lanes_kernel *kernel, qs_packet *packets, size_t n, int sealing)
{
    struct batch b;
    size_t failed = 0;

    b.kernel = kernel;
    b.n = 0;
    for (size_t i = 0; i < n; i++) {
        qs_packet *p = &packets[i];
        const struct qs_alg_info *a = qs_alg_of(p->aead);

        p->status = qs_packet_check(p, a, sealing, packets, n * sizeof *packets);
        if (p->status == QS_OK) {
            if (fits(&b, p, a)) {
                b.packet[b.n++] = p;
                if (b.n == kernel->packets) failed += run_batch(&b, sealing), b.n = 0;
                continue;
            }
            p->status = qs_packet_run(p, a, sealing);
        }
        failed += p->status != QS_OK;
    }
    failed += run_batch(&b, sealing);
    qs_wipe(b.lanes.state, offsetof(struct batch, packet) - offsetof(struct batch, lanes.state));
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
