/* SPDX-License-Identifier: MIT
 *
 * Every row of packets that share lanes: its functions against the slow reference, at the edges of memory, with carries
 * wherever they can be; then whole batches by it, and by slow functions of other shapes, against each packet alone.
 */
#include "../src/aead.h"
#include "api_message.h"
#include "kernel_slow.h"

static struct qs_lanes lanes, slow_lanes;
static struct qs_lanes_stream stream;
static uint32_t first, rounds; /* of a pass */
static struct qs_lanes_mac mac, slow_mac, nothing; /* the last: is ready */

static const struct qs_lanes_kernel *row_of(const struct qs_kernel *row)
{
    return row->blocks.packets;
}

/* ---- ChaCha ------------------------------------------------------------------------------------------------------- */

enum { SLOT_IN, SLOT_OUT };
static uint8_t text[QS_LANES][64], out[QS_LANES][FRINGE + 64 + 64 + FRINGE], want[64];

static void fill_states(const struct qs_lanes_kernel *kernel, int dense)
{
    if (dense) random_dense(lanes.state, sizeof lanes.state);
    else random_bytes(lanes.state, sizeof lanes.state);
    memcpy(slow_lanes.state, lanes.state, sizeof lanes.state);
    random_bytes(lanes.scratch, sizeof lanes.scratch);
    if (kernel->arrange) kernel->arrange(&lanes);
    slow_lanes_arrange(&slow_lanes);
}

/* Where a lane writes. */
static uint8_t *output_of(unsigned lane)
{
    return (uint8_t *)(stream.place[stream.packet[first + lane]].out + 64 * (uintptr_t)stream.block[first + lane]);
}

static void set_place(unsigned lane, const uint8_t *in, uint8_t *to)
{
    struct qs_lanes_place *place = &stream.place[stream.packet[first + lane]];
    const uintptr_t at = 64 * (uintptr_t)stream.block[first + lane];

    place->in = (uintptr_t)in - at;
    place->out = (uintptr_t)to - at;
}

/* By the slow functions: output of one lane. What a row makes of the second half of a key does not matter. */
static void slow_lane(unsigned lane, uint8_t to[64], const uint8_t *in)
{
    static struct qs_lanes_stream one;

    one.packet[0] = stream.packet[first + lane];
    one.block[0] = stream.block[first + lane];
    one.place[one.packet[0]].in = (uintptr_t)in - 64 * (uintptr_t)one.block[0];
    one.place[one.packet[0]].out = (uintptr_t)to - 64 * (uintptr_t)one.block[0];
    slow_lanes_blocks(&slow_lanes, &one, 0, 1, rounds, NULL);
    if (one.block[0] == 0) memcpy(to + 32, output_of(lane) + 32, 32);
}

/* Each lane has a place of its own, of any packet below `most`; eight packets have enough places. At times all blocks of a
 * set are keys, or it is of the same packets as the one before. */
static void fill_pass(const struct qs_lanes_kernel *kernel, unsigned n, unsigned most)
{
    static const uint32_t choice[] = {20, 12, 8};
    const unsigned used = (n + kernel->set - 1) / kernel->set * kernel->set;
    uint8_t places[QS_LANES_PLACES];
    unsigned left = 0;
    int keys = 0, same = 0;

    first = (uint32_t)random_below(QS_LANES_STREAM - used + 1);
    rounds = choice[random_below(3)];
    random_bytes(text, sizeof text);
    memset(out, FRINGE_BYTE, sizeof out);
    memset(&stream, 0xff, sizeof stream);
    for (unsigned i = 0; i < QS_LANES_PLACES; i++)
        if (i % QS_LANES < most) places[left++] = (uint8_t)i;
    for (unsigned i = 0; i < used; i++) {
        unsigned at = (unsigned)random_below(left);
        if (i % kernel->set == 0) keys = random_below(3) == 0, same = i && random_below(3) == 0;
        for (unsigned k = 0; same && k < left; k++)
            if (places[k] % QS_LANES == stream.packet[first + i - kernel->set] % QS_LANES) at = k;
        stream.packet[first + i] = places[at];
        stream.block[first + i] = random_below(2) ? (uint8_t)random_below(256) : (uint8_t)(255 - random_below(2));
        places[at] = places[--left];
        if (keys) stream.block[first + i] = 0;
        if (stream.block[first + i] == 0) memset(text[i], 0, sizeof text[i]);
        uint8_t *const to = out[i] + FRINGE + random_below(64);
        set_place(i, random_below(2) ? memcpy(to, text[i], 64) : text[i], to);
    }
}

static void blocks_of(const struct qs_kernel *row, void *arg)
{
    const struct qs_lanes_kernel *kernel = row_of(row);
    static struct qs_lanes_stream before;

    (void)arg;
    if (!kernel) return;
    for (unsigned n = 1; n <= kernel->lanes; n++)
        for (unsigned i = 0; i < 40; i++) {
            const unsigned most = i % 2 ? kernel->packets : 8 + (unsigned)random_below(kernel->packets - 7);

            if (i % 4 == 0) fill_states(kernel, i % 8 == 0); /* and passes that follow on the same states */
            fill_pass(kernel, n, most);
            before = stream;
            kernel->blocks(&lanes, &stream, first, n, rounds, &nothing);
            if (memcmp(&before, &stream, sizeof stream)) FAIL("packets %s: the stream was written", row->name);
            for (unsigned lane = 0; lane < n; lane++) {
                slow_lane(lane, want, text[lane]);
                expect_output(output_of(lane), want, 64, "packets %s: lane %u of %u, packet %u, block %u, %u rounds", row->name,
                              lane, n, stream.packet[first + lane], stream.block[first + lane], rounds);
            }
        }
    covered("blocks", "packets", row->name);
}

/* One lane at a time reads and writes at the edges of memory. */
static void guard_blocks(const struct qs_kernel *row, const struct qs_lanes_kernel *kernel)
{
    fill_states(kernel, 0);
    for (unsigned lane = 0; lane < kernel->lanes; lane++)
        for (unsigned side = 0; side < 2; side++) {
            fill_pass(kernel, kernel->lanes, kernel->packets);
            uint8_t *in = (side ? guard_start : guard_end)(SLOT_IN, 64), *to = (side ? guard_start : guard_end)(SLOT_OUT, 64);
            set_place(lane, memcpy(in, text[lane], 64), to);
            guard_note("packets %s: lane %u", row->name, lane);
            kernel->blocks(&lanes, &stream, first, kernel->lanes, rounds, &nothing);
            slow_lane(lane, want, text[lane]);
            expect_bytes(to, want, 64, "packets %s: lane %u at the edge of memory", row->name, lane);
        }
}

/* ---- Poly1305 ----------------------------------------------------------------------------------------------------- */

enum { AD_MOST = 300, LEN_MOST = 1600 };
static uint8_t ads[QS_LANES][AD_MOST], texts[QS_LANES][LEN_MOST];

static size_t random_len(size_t most)
{
    switch (random_below(4)) {
    case 0: return 0;
    case 1: return 16 * random_below(most / 16 + 1);
    default: return random_below(random_below(2) ? most + 1 : 70);
    }
}

/* shape 0: all alike; 1: sorted, as they come; 2: any. Dense numbers carry and come near 2^130 - 5. */
static void fill_mac(unsigned n, unsigned shape)
{
    const size_t ad_len = random_len(AD_MOST), len = random_len(LEN_MOST);
    size_t lens[QS_LANES];

    random_bytes(&mac, sizeof mac);
    random_dense(ads, sizeof ads);
    random_dense(texts, sizeof texts);
    random_dense(mac.key, sizeof mac.key);
    if (random_below(2)) memset(mac.key, 0xff, sizeof mac.key);
    mac.n = mac.ready = n;
    mac.made = 0;
    memset(mac.progress, 0, sizeof mac.progress);
    for (unsigned i = 0; i < QS_LANES; i++) lens[i] = shape ? random_len(LEN_MOST) : len;
    for (unsigned i = 1; shape == 1 && i < n; i++)
        for (unsigned j = i; j && lens[j - 1] < lens[j]; j--) {
            const size_t swapped = lens[j];
            lens[j] = lens[j - 1], lens[j - 1] = swapped;
        }
    for (unsigned i = 0; i < QS_LANES; i++) {
        mac.ad[i] = ads[i], mac.text[i] = texts[i];
        mac.ad_len[i] = i >= n ? 0 : (uint32_t)(shape ? random_len(AD_MOST) : ad_len);
        mac.len[i] = i >= n ? 0 : (uint32_t)lens[i];
        if (i < n && mac.len[i] % 16) memset(mac.text_end[i] + mac.len[i] % 16, 0, 16 - mac.len[i] % 16);
        if (i < n && mac.ad_len[i] % 16) memset(mac.ad_end[i] + mac.ad_len[i] % 16, 0, 16 - mac.ad_len[i] % 16);
    }
}

static void compare_tags(const struct qs_kernel *row, const struct qs_lanes_kernel *kernel, unsigned shape)
{
    memcpy(&slow_mac, &mac, sizeof mac);
    slow_lanes_tags(&slow_mac);
    kernel->tags(&mac);
    for (unsigned i = 0; i < mac.n; i++)
        expect_bytes(mac.tag[i], slow_mac.tag[i], QS_TAG_LEN, "packets %s: tag %u of %u, shape %u, AD %u, text %u",
                     row->name, i, mac.n, shape, mac.ad_len[i], mac.len[i]);
    if (memcmp(mac.key, slow_mac.key, sizeof mac.key)) FAIL("packets %s: a key was written", row->name);
    if (memcmp(mac.ad_end, slow_mac.ad_end, offsetof(struct qs_lanes_mac, made) - offsetof(struct qs_lanes_mac, ad_end)))
        FAIL("packets %s: what tags only reads was written", row->name);
}

static void tags_of(const struct qs_kernel *row, void *arg)
{
    const struct qs_lanes_kernel *kernel = row_of(row);

    (void)arg;
    if (!kernel) return;
    for (unsigned n = 1; n <= kernel->packets; n++)
        for (unsigned i = 0; i < 12; i++) {
            fill_mac(n, i % 3);
            compare_tags(row, kernel, i % 3);
        }
    covered("tags", "packets", row->name);
}

/* Sums near 2^130 - 5 in each lane in turn, also where all lengths are alike: r is 1, so that h is the sum of two blocks and
 * the lengths, and s is 0. */
static void residues_of(const struct qs_kernel *row, void *arg)
{
    const struct qs_lanes_kernel *kernel = row_of(row);

    (void)arg;
    if (!kernel) return;
    for (unsigned i = 0; i < kernel->packets; i++)
        for (unsigned k = 0; k < 24; k++) {
            fill_mac(kernel->packets, 0);
            for (unsigned j = 0; k >= 12 && j < kernel->packets; j++) mac.ad_len[j] = 0, mac.len[j] = 32;
            memset(mac.key[i], 0, sizeof mac.key[i]);
            mac.key[i][0] = 1;
            mac.ad_len[i] = 0;
            mac.len[i] = 32; /* 3 * 2^128 + 32 * 2^64 + first + second = 2^130 - 7 + k */
            memset(texts[i], 0xff, 16);
            memset(texts[i] + 16, 0, 16);
            texts[i][0] -= 6;
            texts[i][8] -= 32;
            texts[i][16] = (uint8_t)(k % 12);
            compare_tags(row, kernel, 3);
        }
    covered("residues", "packets", row->name);
}

/* One packet's whole blocks lie at the edges of memory; where there are none, there is no memory. */
static void guard_tags(const struct qs_kernel *row, const struct qs_lanes_kernel *kernel)
{
    for (unsigned i = 0; i < kernel->packets; i++)
        for (unsigned side = 0; side < 6; side++) {
            fill_mac(kernel->packets, 1 + side % 2);
            const size_t whole = mac.len[i] / 16 * 16, ad_whole = mac.ad_len[i] / 16 * 16;
            uint8_t *in = (side < 3 ? guard_start : guard_end)(SLOT_IN, whole);
            uint8_t *ad = (side < 3 ? guard_start : guard_end)(SLOT_OUT, ad_whole);
            mac.text[i] = memcpy(in, texts[i], whole);
            mac.ad[i] = memcpy(ad, ads[i], ad_whole);
            guard_note("packets %s: packet %u, AD %u, text %u", row->name, i, mac.ad_len[i], mac.len[i]);
            compare_tags(row, kernel, 1 + side % 2);
        }
}

/* Two packets, of which the shorter one, whose text ends where memory does, is finished long before the other. */
static void guard_shorter(const struct qs_kernel *row, const struct qs_lanes_kernel *kernel)
{
    for (unsigned i = 0; i < 8; i++) {
        const unsigned shorter = i % 2, longer = !shorter;

        fill_mac(2, 2);
        mac.len[shorter] = 16 * (uint32_t)random_below(10);
        mac.len[longer] = 1024;
        mac.ad_len[shorter] = mac.ad_len[longer] = 0;
        mac.text[shorter] = memcpy(guard_end(SLOT_IN, mac.len[shorter]), texts[shorter], mac.len[shorter]);
        guard_note("packets %s: packet %u of 2, text %u", row->name, shorter, mac.len[shorter]);
        compare_tags(row, kernel, 4);
    }
}

/* ---- both at once ------------------------------------------------------------------------------------------------- */

/* Nothing of a packet is there before it is ready: not even a place to read from. */
static void make_ready(struct qs_lanes_mac *hidden, unsigned end)
{
    for (; mac.ready < end; mac.ready++) {
        const unsigned i = mac.ready;

        memcpy(mac.key[i], hidden->key[i], sizeof mac.key[i]);
        memcpy(mac.ad_end[i], hidden->ad_end[i], 16);
        memcpy(mac.text_end[i], hidden->text_end[i], 16);
        mac.ad[i] = hidden->ad[i], mac.text[i] = hidden->text[i];
    }
}

static void compare_made(const struct qs_kernel *row, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        expect_bytes(mac.tag[i], slow_mac.tag[i], QS_TAG_LEN, "packets %s: tag %u of %u beside passes, AD %u, text %u",
                     row->name, i, mac.n, mac.ad_len[i], mac.len[i]);
}

/* A batch whose packets become ready a few at a time, between passes of any number of lanes. Now and then tags are wanted
 * at once. */
static void compare_beside(const struct qs_kernel *row, const struct qs_lanes_kernel *kernel, unsigned n, unsigned shape)
{
    static struct qs_lanes_mac hidden;
    const unsigned step = 1 + (unsigned)random_below(random_below(2) ? 4 : n);
    const size_t impatient = random_below(2) ? 100 : 4;
    unsigned made = 0;

    fill_mac(n, shape);
    memcpy(&slow_mac, &mac, sizeof mac);
    slow_lanes_tags(&slow_mac);
    memcpy(&hidden, &mac, sizeof mac);
    memset(mac.key, 0xff, n * sizeof mac.key[0]);
    memset(mac.ad_end, 0xff, n * sizeof mac.ad_end[0]);
    memset(mac.text_end, 0xff, n * sizeof mac.text_end[0]);
    for (unsigned i = 0; i < n; i++) mac.ad[i] = mac.text[i] = NULL;
    mac.ready = 0;
    fill_states(kernel, 0);
    for (unsigned passes = 0; made < n; passes++) {
        const unsigned lanes_used = 1 + (unsigned)random_below(kernel->lanes);
        const size_t more = random_below(step + 1);

        make_ready(&hidden, mac.ready + more < n ? mac.ready + (unsigned)more : n);
        fill_pass(kernel, lanes_used, kernel->packets);
        random_bytes(mac.scratch, sizeof mac.scratch);
        kernel->blocks(&lanes, &stream, first, lanes_used, rounds, &mac);
        for (unsigned lane = 0; lane < lanes_used; lane++) {
            slow_lane(lane, want, text[lane]);
            expect_output(output_of(lane), want, 64, "packets %s: lane %u of %u beside tags", row->name, lane, lanes_used);
        }
        if (mac.made < made || mac.made > mac.ready) FAIL("packets %s: %u tags after %u", row->name, mac.made, made);
        made = mac.made;
        compare_made(row, made);
        if (random_below(impatient) == 0) {
            kernel->tags(&mac);
            made = mac.ready;
            compare_made(row, made);
        }
        if (passes > 10000) FAIL("packets %s: passes make no tags", row->name);
    }
    if (memcmp(mac.key, slow_mac.key, sizeof mac.key)) FAIL("packets %s: a key was written", row->name);
    if (memcmp(mac.ad_end, slow_mac.ad_end, offsetof(struct qs_lanes_mac, ready) - offsetof(struct qs_lanes_mac, ad_end)))
        FAIL("packets %s: what is only read was written", row->name);
}

static void beside_of(const struct qs_kernel *row, void *arg)
{
    const struct qs_lanes_kernel *kernel = row_of(row);

    (void)arg;
    if (!kernel || !kernel->beside) return;
    for (unsigned n = 1; n <= kernel->packets; n++)
        for (unsigned i = 0; i < 12; i++) compare_beside(row, kernel, n, i % 3);
    covered("beside", "packets", row->name);
}

static void each_row_makes_tags_beside_blocks(void **unused)
{
    (void)unused;
    each_row(QS_PACKETS, beside_of, NULL);
}

/* ---- the edges of memory ------------------------------------------------------------------------------------------ */

static void guard_of(const struct qs_kernel *row, void *arg)
{
    const struct qs_lanes_kernel *kernel = row_of(row);

    (void)arg;
    if (!kernel) return;
    guard_blocks(row, kernel);
    guard_tags(row, kernel);
    if (kernel->packets >= 2) guard_shorter(row, kernel);
    covered("guard", "packets", row->name);
}

static void each_row_makes_the_right_blocks(void **unused)
{
    (void)unused;
    each_row(QS_PACKETS, blocks_of, NULL);
}

static void each_row_makes_the_right_tags(void **unused)
{
    (void)unused;
    each_row(QS_PACKETS, tags_of, NULL);
    each_row(QS_PACKETS, residues_of, NULL);
}

static void each_row_keeps_within_its_memory(void **unused)
{
    (void)unused;
    each_row(QS_PACKETS, guard_of, NULL);
}

/* ---- batches ------------------------------------------------------------------------------------------------------ */

enum { MOST = 70 };
static struct message m[MOST];
static uint8_t sealed[MOST][TEXT_MAX], tags[MOST][QS_TAG_LEN];
static qs_packet packets[MOST];

enum { ANY_LENGTH, SAME_LENGTH, SAME_SUM };

/* Of packet i of n. SAME_SUM: the first one's on average, while the others are as much longer and shorter in turn. */
static size_t length_of(unsigned shape, size_t i, size_t n, size_t len, size_t longest)
{
    const size_t more = len < longest - len ? len : longest - len;

    if (shape == ANY_LENGTH) return random_below(longest + 1);
    if (shape == SAME_LENGTH || i == 0 || (i % 2 && i + 1 == n)) return len;
    return i % 2 ? len + more : len - more;
}

static void compare_batch(const char *name, const struct qs_lanes_kernel *kernel, size_t n, size_t longest)
{
    const size_t len = random_below(longest + 1);
    const unsigned shape = (unsigned)random_below(3);
    size_t forged = 0;

    for (size_t i = 0; i < n; i++) {
        const struct algorithm *a = random_below(8) ? &algorithms[0] : &algorithms[random_below(ALGORITHMS)];
        random_message(&m[i], a, random_below(random_below(2) ? 20 : 100), length_of(shape, i, n, len, longest));
        packets[i] = (qs_packet){&m[i].aead, sealed[i], tags[i], m[i].nonce, m[i].ad, m[i].ad_len, m[i].plain, m[i].len, QS_OK};
    }
    const size_t failed = qs_packets_by(kernel, packets, n, 1);
    if (failed) FAIL("packets %s: %zu of %zu fail", name, failed, n);
    for (size_t i = 0; i < n; i++) {
        expect_bytes(sealed[i], m[i].sealed, m[i].len, "packets %s: packet %zu of %zu, %zu bytes", name, i, n, m[i].len);
        expect_bytes(tags[i], m[i].tag, QS_TAG_LEN, "packets %s: tag %zu of %zu, %zu bytes", name, i, n, m[i].len);
    }
    for (size_t i = 0; i < n; i++) {
        packets[i].in = sealed[i];
        if (random_below(8) == 0) tags[i][random_below(16)] ^= 1, forged++, packets[i].status = QS_ERR_AUTH;
    }
    if (qs_packets_by(kernel, packets, n, 0) != forged) FAIL("packets %s: not %zu of %zu are forged", name, forged, n);
    for (size_t i = 0; i < n; i++) {
        const int right = memcmp(tags[i], m[i].tag, 16) == 0;
        if (packets[i].status != (right ? QS_OK : QS_ERR_AUTH)) FAIL("packets %s: status of %zu of %zu", name, i, n);
        expect_bytes(sealed[i], right ? m[i].plain : m[i].sealed, m[i].len, "packets %s: opened %zu of %zu", name, i, n);
    }
}

static void compare_batches(const char *name, const struct qs_lanes_kernel *kernel)
{
    for (size_t n = 0; n <= MOST; n++) {
        compare_batch(name, kernel, n, 130);
        compare_batch(name, kernel, n, n % 8 ? 300 : 2000);
    }
}

static void batches_of(const struct qs_kernel *row, void *arg)
{
    (void)arg;
    compare_batches(row->name, row_of(row));
    covered("batches", "packets", row->name);
}

static void each_row_in_batches(void **unused)
{
    (void)unused;
    each_row(QS_PACKETS, batches_of, NULL);
}

/* Every shape that a row may have, also where no row has it. */
static void each_shape_in_batches(void **unused)
{
    static const uint32_t shapes[][4] = {{32, 16, 32}, {32, 1, 32}, {16, 8, 32}, {16, 8, 16}, {8, 4, 32},    {4, 4, 8},
                                         {2, 1, 3},    {32, 16, 32, 1}, {16, 8, 32, 1}, {8, 8, 32, 1}, {4, 1, 32, 1}, {2, 2, 3, 1}};

    (void)unused;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        const int beside = shapes[i][3] != 0;
        const struct qs_lanes_kernel kernel = {shapes[i][0], shapes[i][1], shapes[i][2], beside, NULL, slow_lanes_arrange,
                                               beside ? slow_lanes_blocks_beside : slow_lanes_blocks,
                                               beside ? slow_lanes_tags_beside : slow_lanes_tags, {{1, 1536}}, 1536};
        char name[64];
        snprintf(name, sizeof name, "slow, %u lanes by %u, %u packets%s", kernel.lanes, kernel.set, kernel.packets,
                 beside ? ", both at once" : "");
        compare_batches(name, &kernel);
    }
}

int main(void)
{
    const struct CMUnitTest cases[] = {cmocka_unit_test(each_row_makes_the_right_blocks),
                                       cmocka_unit_test(each_row_makes_the_right_tags),
                                       cmocka_unit_test(each_row_makes_tags_beside_blocks),
                                       cmocka_unit_test(each_row_keeps_within_its_memory),
                                       cmocka_unit_test(each_row_in_batches), cmocka_unit_test(each_shape_in_batches)};

    tests_start();
    return cmocka_run_group_tests(cases, NULL, NULL);
}
