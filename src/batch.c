/* SPDX-License-Identifier: MIT
 *
 * Many packets in one call: who makes which block of those that share vector lanes. The work is in the kernels.
 *
 * A batch of packets of RFC 8439's construction, all of one number of rounds, is laid out as a stream of blocks: first
 * the key block of every packet, then the blocks of its text, packet by packet. A pass of the ChaCha kernel makes the
 * next `lanes` blocks of that stream, whosever they are; only the last pass of a batch can have lanes left over.
 * Poly1305 then runs over all packets at once, a packet in each lane; they are sorted by length for that, so that lanes
 * which work side by side have about equally much to do. Opening makes the key blocks and the tags first, and text only
 * of packets whose tag was right; lanes that the key blocks leave over make text that waits.
 *
 * Other kernels make tags beside the passes, of packets that are ready. For these, sealing has key blocks just before
 * the texts that they belong to, of a few packets at a time. Opening makes text and tags at once: when a pass is due,
 * the tags of its packets have often been made beside those before it; text of forged packets is taken out of the
 * stream. What is not verified yet goes elsewhere until it is, and is copied then.
 */
#include "batch.h"

static const uint8_t zeros[QS_BLOCK_LEN];

typedef uint32_t four __attribute__((vector_size(16), aligned(1), may_alias));
typedef uintptr_t two __attribute__((vector_size(2 * sizeof(uintptr_t)), aligned(1), may_alias));

/* ---- filling in --------------------------------------------------------------------------------------------------- */

/* The last len % 16 bytes of a text or AD, and zeros. */
static inline void pad(uint8_t to[16], const uint8_t *from, size_t len)
{
    const unsigned end = len % 16;
    uint64_t lo = 0, hi = 0;

    if (len >= 16) { /* sixteen bytes, without those that come too early */
        const unsigned early = 8 * (16 - end);

        lo = qs_load64(from + len - 16), hi = qs_load64(from + len - 8);
        if (early >= 64) lo = hi >> (early - 64), hi = 0;
        else lo = lo >> early | hi << (64 - early), hi >>= early;
    } else
        for (unsigned i = 0; i < end; i++)
            if (i < 8) lo |= (uint64_t)from[i] << 8 * i;
            else hi |= (uint64_t)from[i] << (8 * i - 64);
    qs_store64(to, lo);
    qs_store64(to + 8, hi);
}

/* Longest first in mac's lanes, by the number of ChaCha blocks; all beyond a number are alike. */
static void sort(struct batch *b)
{
    enum { MOST = 31 };
    struct qs_lanes_mac *mac = &b->mac;
    uint8_t place[MOST + 2] = {0}, key[QS_LANES];
    struct {
        const uint8_t *ad, *text;
        uint32_t ad_len, len;
    } as_they_came[QS_LANES];

    for (unsigned i = 0; i < b->n; i++) {
        const unsigned blocks = (mac->len[i] + QS_BLOCK_LEN - 1) / QS_BLOCK_LEN;
        key[i] = (uint8_t)(blocks < MOST ? MOST - blocks : 0);
        place[key[i] + 1]++;
        as_they_came[i].ad = mac->ad[i], as_they_came[i].ad_len = mac->ad_len[i];
        as_they_came[i].text = mac->text[i], as_they_came[i].len = mac->len[i];
    }
    for (unsigned i = 1; i <= MOST; i++) place[i] = (uint8_t)(place[i] + place[i - 1]);
    for (unsigned i = 0; i < b->n; i++) {
        const unsigned to = place[key[i]]++;
        b->number[to] = (uint8_t)i;
        mac->ad[to] = as_they_came[i].ad, mac->ad_len[to] = as_they_came[i].ad_len;
        mac->text[to] = as_they_came[i].text, mac->len[to] = as_they_came[i].len;
    }
}

/* Four at a time; those of packets that are not there are 0. */
size_t qs_batch_measure(struct batch *b)
{
    struct qs_lanes_mac *mac = &b->mac;
    const unsigned n = b->n;
    four total = {0}, bits = {0}, ad_bits = {0};

    for (unsigned i = n; i < QS_LANES; i++) {
        mac->ad[i] = mac->text[i] = zeros;
        mac->ad_len[i] = mac->len[i] = 0;
    }
    for (unsigned i = 0; i < QS_LANES; i += 4) {
        const four len = *(const four *)(mac->len + i);
        total += len, bits |= len, ad_bits |= *(const four *)(mac->ad_len + i);
    }
    const uint32_t sum = total[0] + total[1] + total[2] + total[3];
    b->bits = bits[0] | bits[1] | bits[2] | bits[3];
    b->ad_bits = ad_bits[0] | ad_bits[1] | ad_bits[2] | ad_bits[3];
    b->ends |= (b->bits | b->ad_bits) % 16;
    /* They are alike if none has a bit that the first one has not, and their sum says that none has fewer. */
    b->differ = b->bits != mac->len[0] || sum != n * mac->len[0];
    return sum;
}

/* 0, 1, 2 and so on. */
static const uint8_t numbers[64] = {
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
    32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
    48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
};

static void start(struct batch *b)
{
    struct qs_lanes_mac *mac = &b->mac;
    const unsigned n = b->n;

    if (b->differ) sort(b);
    else memcpy(b->number, numbers, QS_LANES);
    for (unsigned i = 0; b->ad_bits % 16 && i < n; i++) {
        if (mac->ad_len[i] % 16) pad(mac->ad_end[i], mac->ad[i], mac->ad_len[i]);
    }
    two place = {(uintptr_t)zeros, (uintptr_t)mac->key};
    for (unsigned i = 0; i < n; i++, place += (two){0, sizeof mac->key[0]})
        *(two *)&b->stream.place[KEY + b->number[i]] = place;
    set_place(b, NOTHING, 0, zeros, mac->scratch + QS_BATCH_ENDS);
    mac->n = n;
    mac->ready = mac->made = 0;
    if (b->kernel->beside) memset(mac->progress, 0, sizeof mac->progress);
    b->waiting = b->waiting_blocks = b->elsewhere = 0;
    b->room = mac->scratch + (b->bits % QS_BLOCK_LEN ? QS_BLOCK_LEN * QS_LANES : 0);
    if (b->used < b->room) b->used = b->room;
    b->compared = b->forged = 0;
    if (b->kernel->arrange) b->kernel->arrange(&b->lanes);
}

/* ---- the stream --------------------------------------------------------------------------------------------------- */

typedef uint8_t sixteen __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint16_t eight __attribute__((vector_size(16), aligned(1), may_alias));

/* Blocks of a place from `block` on, at `at` in the stream, sixteen at a time: what is behind them is written over by
 * those that follow. Returns where those go. */
static inline unsigned append(struct batch *b, unsigned at, unsigned place, unsigned block, unsigned count)
{
    for (unsigned i = 0; i < count; i += 16) {
        memset(b->stream.packet + at + i, (int)place, 16);
        memcpy(b->stream.block + at + i, numbers + block + i, 16);
    }
    return at + count;
}
_Static_assert(1 + QS_BATCH_LONGEST / QS_BLOCK_LEN + 16 + 15 <= sizeof numbers, "as far as append reads");
_Static_assert(QS_LANES * (2 + QS_BATCH_LONGEST / QS_BLOCK_LEN) + 32 <= QS_LANES_STREAM, "as far as append writes");

/* The texts of packets from this one on have one block each, behind the one that ends at `at`. */
static inline void one_each(struct batch *b, unsigned at, unsigned from, unsigned end)
{
    eight ends = (eight){1, 2, 3, 4, 5, 6, 7, 8} + (uint16_t)at;

    for (; from < end; from += 8, ends += 8) *(eight *)(b->text + from + 1) = ends;
}

/* One block of each packet, in the order of mac's lanes. */
static inline unsigned append_each(struct batch *b, unsigned at, unsigned from, unsigned end, unsigned place, unsigned block)
{
    for (unsigned i = 0; i < end - from; i += 16) {
        *(sixteen *)(b->stream.packet + at + i) = *(const sixteen *)(b->number + from + i) + (uint8_t)place;
        memset(b->stream.block + at + i, (int)block, 16);
    }
    return at + (end - from);
}

/* The end of a packet's text, less than a block: its keystream. */
static inline unsigned append_end(struct batch *b, unsigned at, unsigned i, unsigned whole, uint8_t keystream[QS_BLOCK_LEN])
{
    set_place(b, END + i, whole + 1, zeros, keystream);
    return append(b, at, END + i, whole + 1, 1);
}

/* Text for the lanes that the keys leave over in their last pass; or as much as there is room for, if tags can be made beside
 * it. It goes to the rows of mac.key that are no packet's. */
static unsigned append_waiting(struct batch *b, unsigned at)
{
    unsigned left = b->kernel->beside ? QS_LANES - b->n : (0 - b->n) & (b->kernel->lanes - 1), j;
    uint8_t (*row)[QS_BLOCK_LEN] = b->mac.key + b->n;

    for (j = 0; j < b->n && left; j++) {
        const unsigned i = b->number[j], len = b->mac.len[j];
        const unsigned whole = len / QS_BLOCK_LEN, count = whole < left ? whole : left;

        set_place(b, WAITING + i, 1, b->packet[i]->in, *row);
        at = append(b, at, WAITING + i, 1, count);
        row += count, left -= count;
        if (count == whole && len % QS_BLOCK_LEN == 0) continue;
        if (count < whole || !left) {
            b->waiting_blocks = count;
            break;
        }
        at = append_end(b, at, i, whole, *row++), left--;
    }
    b->waiting = j;
    return at;
}

/* The text of the packet in a lane of mac, from a whole block on. */
static inline unsigned append_text(struct batch *b, unsigned at, unsigned j, unsigned block)
{
    const unsigned i = b->number[j], len = b->mac.len[j], whole = len / QS_BLOCK_LEN;

    at = append(b, at, TEXT + i, 1 + block, whole - block);
    return len % QS_BLOCK_LEN ? append_end(b, at, i, whole, b->mac.scratch + QS_BLOCK_LEN * i) : at;
}

/* Are texts alike, and so short that the first block of each may come first, then the second? With more blocks, the
 * many places of a pass push each other out of the first-level cache where they lie 2048 bytes apart: 1420 bytes took
 * 7 % longer. Beside passes, tags of more than one block would begin later. */
static inline int are_alike(const struct batch *b)
{
    return !b->differ && b->mac.len[0] - 1 < (b->kernel->beside ? QS_BLOCK_LEN : 3 * QS_BLOCK_LEN - 1);
}

/* The text of packets then. */
static unsigned append_alike(struct batch *b, unsigned at, unsigned from, unsigned end)
{
    const unsigned whole = b->mac.len[0] / QS_BLOCK_LEN;

    one_each(b, at, from, end);
    for (unsigned block = 1; block <= whole; block++) at = append_each(b, at, from, end, TEXT, block);
    if (b->bits % QS_BLOCK_LEN == 0) return at;
    for (unsigned i = from; i < end; i++) set_place(b, END + i, whole + 1, zeros, b->mac.scratch + QS_BLOCK_LEN * i);
    return append_each(b, at, from, end, END, whole + 1);
}

/* out = in ^ key, len from 1 to 63; in == out or no overlap. In pieces that may share bytes: so all are read before one
 * is written. */
static inline void xor16(four *to, const uint8_t *in, const uint8_t *key)
{
    *to = *(const four *)in ^ *(const four *)key;
}
static inline void xor_end(uint8_t *out, const uint8_t *in, const uint8_t *key, size_t len)
{
    if (len >= 16) {
        const size_t last = len - 16, second = len > 32 ? 16 : 0, third = len > 32 ? len - 32 : last;
        four a, b, c, d;

        xor16(&a, in, key);
        xor16(&b, in + second, key + second);
        xor16(&c, in + third, key + third);
        xor16(&d, in + last, key + last);
        *(four *)out = a;
        *(four *)(out + second) = b;
        *(four *)(out + third) = c;
        *(four *)(out + last) = d;
    } else if (len >= 8) {
        const size_t last = len - 8;
        const uint64_t a = qs_load64(in) ^ qs_load64(key), b = qs_load64(in + last) ^ qs_load64(key + last);

        qs_store64(out, a);
        qs_store64(out + last, b);
    } else
        qs_xor_bytes(out, in, key, len);
}

/* Text that waited, and the end, of the packet in a lane of mac. */
static void finish(const struct batch *b, unsigned j)
{
    const unsigned i = b->number[j];
    const qs_packet *p = b->packet[i];
    const size_t end = p->len % QS_BLOCK_LEN, whole = p->len - end;
    const int elsewhere = b->elsewhere >> j & 1;
    const uintptr_t from = b->stream.place[(elsewhere ? TEXT : WAITING) + i].out + QS_BLOCK_LEN; /* if something waited */
    size_t waited = j == b->waiting ? (size_t)QS_BLOCK_LEN * b->waiting_blocks : 0;

    if (j < b->waiting || elsewhere) waited = whole;
    for (size_t at = 0; at < waited; at += QS_BLOCK_LEN) { /* no memcpy, for the reason that qs_copy has */
        const four *const x = (const four *)(from + at), x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];
        four *const y = (four *)(p->out + at);

        y[0] = x0, y[1] = x1, y[2] = x2, y[3] = x3;
    }
    if (end)
        xor_end(p->out + whole, p->in + whole, (const uint8_t *)b->stream.place[END + i].out + QS_BLOCK_LEN + whole, end);
}

/* ---- seal and open ------------------------------------------------------------------------------------------------- */

/* All blocks of packets before this one are made, and when sealing, so is their text: Poly1305 may have them. */
static void ready(struct batch *b, unsigned end)
{
    struct qs_lanes_mac *mac = &b->mac;

    if (b->bits % QS_BLOCK_LEN) { /* two loops: what was stored in other pieces is slow to load at once */
        for (unsigned j = mac->ready; b->rules.sealing && j < end; j++) finish(b, j);
        for (unsigned j = mac->ready; j < end; j++)
            if (mac->len[j] % 16) pad(mac->text_end[j], mac->text[j], mac->len[j]);
    }
    mac->ready = end;
}

/* Blocks of the stream that go nowhere. */
static void nothing(struct batch *b, unsigned at, unsigned count)
{
    memset(b->stream.packet + at, NOTHING, count);
    memset(b->stream.block + at, 0, count);
}

/* Of the packets whose tags are made and not compared yet; their blocks of text are taken out of the stream. */
static QS_NOINLINE void find_forged(struct batch *b)
{
    for (unsigned j = b->compared; j < b->mac.made; j++) {
        qs_packet *p = b->packet[b->number[j]];

        p->status = qs_tag_compare(b->mac.tag[j], p->tag);
        if (p->status == QS_OK) continue;
        b->forged++;
        if (!b->kernel->beside) continue; /* its text is not in the stream yet */
        nothing(b, b->text[j], b->text[j + 1] - b->text[j]);
    }
}

/* Makes the tags of packets before this one, unless they are there, and compares all that are, at once: that none is wrong
 * is what is usual. */
static void verify(struct batch *b, unsigned end)
{
    struct qs_lanes_mac *mac = &b->mac;

    if (mac->made < end) {
        if (b->kernel->beside) mac->ready = end;
        b->kernel->tags(mac);
        mac->made = mac->ready;
        mac->ready = b->n;
    }
    four differences = {0};
    for (unsigned j = b->compared; j < mac->made; j++)
        differences |= *(const four *)mac->tag[j] ^ *(const four *)b->packet[b->number[j]]->tag;
    const four wrong = differences; /* which has an address, and would be stored each time */
    if (qs_tag_compare((const uint8_t *)&wrong, zeros) != QS_OK) find_forged(b);
    b->compared = mac->made;
}

/* Text of packets from one on, which the next pass begins, goes elsewhere first if their tags are not made yet: they are made
 * beside that pass then, and not before it. Returns 0 if there is no room left in mac.scratch. */
static int send_elsewhere(struct batch *b, unsigned from, unsigned end)
{
    const uint8_t *const top = b->mac.scratch + QS_BATCH_ENDS;
    unsigned j = from < b->mac.made ? b->mac.made : from;
    uint32_t elsewhere = b->elsewhere;
    uint8_t *room = b->room;

    if (j < b->waiting) j = b->waiting; /* those before have no blocks in this stream */
    for (; j < end; j++) {
        const ptrdiff_t whole = b->mac.len[j] - b->mac.len[j] % QS_BLOCK_LEN;

        if (whole > top - room || (j == b->waiting && b->waiting_blocks)) break;
        b->stream.place[TEXT + b->number[j]].out = (uintptr_t)room - QS_BLOCK_LEN;
        room += whole;
        elsewhere |= 1u << j;
    }
    b->room = room, b->elsewhere = elsewhere;
    return j >= end;
}

/* Makes all blocks of the stream; text that was opened and not verified yet only when its tag is right. */
static void run(struct batch *b, unsigned blocks, int unverified)
{
    const unsigned lanes = b->kernel->lanes, n = b->n;
    unsigned begun = 0, end;

    nothing(b, blocks, QS_LANES / 2); /* as many as a set may want */
    for (unsigned at = 0; at < blocks; at += lanes) {
        if (unverified) {
            const unsigned due = begun;
            while (begun < n && b->text[begun] < at + lanes) begun++;
            verify(b, send_elsewhere(b, due, begun) ? 0 : begun);
        }
        b->kernel->blocks(&b->lanes, &b->stream, at, blocks - at < lanes ? blocks - at : lanes, b->info.rounds, &b->mac);
        if (!b->kernel->beside) continue;
        for (end = b->mac.ready; end < n && b->text[end + 1] <= at + lanes;) end++;
        ready(b, end);
    }
}

void qs_batch_seal(struct batch *b)
{
    const unsigned n = b->n, group = b->kernel->beside ? b->kernel->set : n;
    unsigned at = 0;

    start(b);
    const int alike = are_alike(b);
    for (unsigned from = 0, end; from < n; from = end) {
        end = n - from < group ? n : from + group;
        at = append_each(b, at, from, end, KEY, 0);
        if (alike) at = append_alike(b, at, from, end);
        for (unsigned j = alike ? end : from; j < end; j++) b->text[j + 1] = (uint16_t)(at = append_text(b, at, j, 0));
    }
    run(b, at, 0);
    ready(b, n);
    b->kernel->tags(&b->mac);
    for (unsigned j = 0; j < n; j++) memcpy(b->packet[b->number[j]]->tag, b->mac.tag[j], QS_TAG_LEN);
}

size_t qs_batch_open(struct batch *b)
{
    const unsigned n = b->n;
    unsigned at = 0;

    start(b);
    one_each(b, 0, 0, n); /* what is beside passes waits for keys alone */
    run(b, append_waiting(b, append_each(b, 0, 0, n, KEY, 0)), 0);
    ready(b, n);
    if (!b->kernel->beside) verify(b, n);
    memset(b->text, 0, (1 + b->waiting) * sizeof b->text[0]);
    const int alike = are_alike(b) && !(b->forged | b->waiting | b->waiting_blocks);
    if (alike) at = append_alike(b, 0, 0, n);
    for (unsigned j = alike ? n : b->waiting, block = b->waiting_blocks; j < n; j++, block = 0) {
        if (b->packet[b->number[j]]->status == QS_OK) at = append_text(b, at, j, block);
        b->text[j + 1] = (uint16_t)at;
    }
    run(b, at, b->kernel->beside);
    verify(b, n);
    if (b->used < b->room) b->used = b->room;
    uint32_t late = b->bits % QS_BLOCK_LEN || b->waiting || b->waiting_blocks ? UINT32_MAX >> (32 - n) : b->elsewhere;
    for (; late; late &= late - 1) {
        const unsigned j = (unsigned)__builtin_ctz(late);
        if (b->packet[b->number[j]]->status == QS_OK) finish(b, j);
    }
    return b->forged;
}
