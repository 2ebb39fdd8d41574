/* SPDX-License-Identifier: MIT
 *
 * Packets that rows take for usual, against a slow look at each: a wrong yes would let an output overwrite what is
 * still needed. Only the packets themselves are read, so that addresses can be any numbers.
 */
#include "../src/aead.h"
#include "kernel_slow.h"

#if UINTPTR_MAX > UINT32_MAX /* 32-bit architectures have no such row */
enum { PACKETS = 8, LONGEST = 1536 };

static qs_packet packets[PACKETS];
static struct qs_lanes_rules rules;
static unsigned looked_at; /* rows */

static int touch(const void *a, size_t a_len, const void *b, size_t b_len)
{
    const uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;

    return a_len && b_len && (x - y < b_len || y - x < a_len);
}

static int slow_usual(const qs_packet *p)
{
    const size_t array_len = rules.array_reach - LONGEST - QS_TAG_LEN;

    if (!p->aead || !p->nonce || !p->in || !p->out || !p->tag || (!p->ad && p->ad_len)) return 0;
    if (p->len == 0 || p->len > rules.longest || p->ad_len > rules.ad_longest) return 0;
    if (touch(p->tag, QS_TAG_LEN, p->ad, p->ad_len) || touch(p->tag, QS_TAG_LEN, p->in, p->len) ||
        touch(p->tag, QS_TAG_LEN, p->out, p->len))
        return 0;
    if (touch(p->out, p->len, p->ad, p->ad_len) || touch(p->out, p->len, p->nonce, rules.nonce_len) ||
        touch(p->out, p->len, p->aead, sizeof *p->aead) || touch(p->out, p->len, rules.array, array_len) ||
        (p->in != p->out && touch(p->out, p->len, p->in, p->len)))
        return 0;
    return !rules.sealing ||
           !(touch(p->tag, QS_TAG_LEN, p->nonce, rules.nonce_len) ||
             touch(p->tag, QS_TAG_LEN, p->aead, sizeof *p->aead) || touch(p->tag, QS_TAG_LEN, rules.array, array_len));
}

/* Everything far from everything else, or text in its place; the array is before all, and can be larger than 4 GiB. */
static void fill(void)
{
    const uintptr_t origin = ((uintptr_t)1 << 40) + (random_u64() >> 20);
    const size_t array_len =
        (random_below(2) ? PACKETS : ((size_t)1 << 32) / sizeof *packets + random_below(100)) * sizeof *packets;

    rules = (struct qs_lanes_rules){.longest = LONGEST,
                                    .ad_longest = LONGEST,
                                    .nonce_len = random_below(2) ? 12 : 8,
                                    .array = (const qs_packet *)(origin - array_len),
                                    .array_reach = array_len + LONGEST + QS_TAG_LEN,
                                    .sealing = (int)random_below(2)};
    for (unsigned i = 0; i < PACKETS; i++) {
        uintptr_t at[6];

        for (unsigned k = 0; k < COUNT(at); k++) at[k] = origin + 65536 * i + 8192 * k + random_below(4096);
        packets[i] = (qs_packet){.aead = (const qs_aead *)at[0],
                                 .out = (uint8_t *)at[1],
                                 .tag = (uint8_t *)at[2],
                                 .nonce = (const uint8_t *)at[3],
                                 .ad = (const uint8_t *)at[4],
                                 .ad_len = random_below(LONGEST + 1),
                                 .in = (const uint8_t *)(random_below(2) ? at[1] : at[5]),
                                 .len = 1 + random_below(LONGEST)};
    }
}

/* One of a packet's addresses comes close to another, or to the array, but for a multiple of 4 GiB at times; or is
 * missing; or a length is none that packets have. */
static void disturb(void)
{
    static const size_t lens[] = {
        0, 1, LONGEST, LONGEST + 1, (size_t)1 << 31, (size_t)1 << 32, ((size_t)1 << 32) + 16, (size_t)-1};
    qs_packet *p = &packets[random_below(PACKETS)];
    uintptr_t what[7] = {(uintptr_t)p->aead, (uintptr_t)p->out, (uintptr_t)p->tag,     (uintptr_t)p->nonce,
                         (uintptr_t)p->ad,   (uintptr_t)p->in,  (uintptr_t)rules.array};
    const unsigned from = (unsigned)random_below(6), to = (unsigned)random_below(7);

    if (random_below(8) == 0) {
        *(random_below(2) ? &p->len : &p->ad_len) = lens[random_below(COUNT(lens))];
        return;
    }
    if (random_below(8) == 0) what[from] = 0;
    else {
        const size_t spread = random_below(2) ? 40 : 2 * LONGEST;
        what[from] = what[to] + random_below(2 * spread + 1) - spread;
        if (to == 6 && random_below(2)) what[from] += random_below(rules.array_reach);
        if (random_below(4) == 0) what[from] += random_below(3) << 32;
    }
    p->aead = (const qs_aead *)what[0], p->out = (uint8_t *)what[1], p->tag = (uint8_t *)what[2];
    p->nonce = (const uint8_t *)what[3], p->ad = (const uint8_t *)what[4], p->in = (const uint8_t *)what[5];
}

static void usual_of(const struct qs_kernel *row, void *arg)
{
    static struct qs_lanes_stream stream;
    static struct qs_lanes_mac mac;
    const struct qs_lanes_kernel *kernel = row->blocks.packets;
    unsigned missed = 0, good = 0;

    (void)arg;
    if (!kernel || !kernel->usual) return;
    for (unsigned round = 0; round < 200000; round++) {
        const unsigned at = 8 * (unsigned)random_below(QS_LANES / 8);
        int slow = 1;

        fill();
        if (round % 2) disturb();
        for (unsigned i = 0; i < PACKETS; i++) slow &= slow_usual(&packets[i]);
        const int usual = kernel->usual(packets, &rules, at, &stream, &mac);
        if (usual && !slow) FAIL("packets %s: takes for usual what is not, in round %u", row->name, round);
        if (round % 2 == 0 && !usual && rules.array_reach < (size_t)1 << 31)
            FAIL("packets %s: usual packets not recognized, in round %u", row->name, round);
        good += (unsigned)slow, missed += slow && !usual;
        for (unsigned i = 0; usual && i < PACKETS; i++) {
            const qs_packet *p = &packets[i];
            if (mac.ad[at + i] != p->ad || mac.text[at + i] != (rules.sealing ? p->out : p->in) ||
                mac.ad_len[at + i] != p->ad_len || mac.len[at + i] != p->len ||
                stream.place[at + i].in != (uintptr_t)p->in - QS_BLOCK_LEN ||
                stream.place[at + i].out != (uintptr_t)p->out - QS_BLOCK_LEN)
                FAIL("packets %s: packet %u of 8 is written down wrongly", row->name, i);
        }
    }
    print_message("packets %s: %u of %u that are usual not recognized\n", row->name, missed, good);
    looked_at++;
}

static void rows_see_what_is_wrong(void **unused)
{
    (void)unused;
    each_row(QS_PACKETS, usual_of, NULL);
    if (looked_at) return;
    print_message("skipped: no row here looks at eight packets\n");
    skip();
}
#else
static void rows_see_what_is_wrong(void **unused)
{
    (void)unused;
    print_message("skipped: no row here looks at eight packets\n");
    skip();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_see_what_is_wrong)};

    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
