/* SPDX-License-Identifier: MIT
 *
 * A library with broken rows on purpose: this program brings tables of its own. The self-test must find each row,
 * however seldom it is wrong, take it out of service, and leave the next one to do the work rightly.
 */
#include "../src/aead.h"
#include "api_message.h"
#include "kernel_slow.h"

static void wrong_always(uint8_t *out, const uint8_t *in, size_t nblocks, const uint32_t state[16], unsigned rounds)
{
    qs_chacha_blocks_generic(out, in, nblocks, state, rounds);
    out[5] ^= 1;
}

static void wrong_in_lane_5(uint8_t *out, const uint8_t *in, size_t nblocks, const uint32_t state[16], unsigned rounds)
{
    qs_chacha_blocks_generic(out, in, nblocks, state, rounds);
    if (nblocks > 5) out[5 * 64 + 63] ^= 0x80;
}

static void wrong_at_12_rounds(uint8_t *out, const uint8_t *in, size_t nblocks, const uint32_t state[16],
                               unsigned rounds)
{
    qs_chacha_blocks_generic(out, in, nblocks, state, rounds == 12 ? 20 : rounds);
}

static void wrong_ending(uint8_t *out, const uint8_t *in, size_t nblocks, struct qs_keystream *k, unsigned rounds)
{
    uint32_t state[16];

    memcpy(state, k->state, sizeof state);
    if (nblocks) qs_chacha_blocks_generic(out, in, nblocks, state, rounds);
    state[12] += (uint32_t)nblocks + (nblocks == 3); /* the end's number is too high */
    memset(k->block, 0, sizeof k->block);
    qs_chacha_blocks_generic(k->block, k->block, 1, state, rounds);
}

/* The same for Poly1305. */
static void wrong_by_one(uint32_t h[5], const uint32_t r[4], const uint8_t *in, size_t nblocks, uint32_t pad)
{
    qs_poly1305_blocks_generic32(h, r, in, nblocks, pad);
    h[0]++;
}

static void wrong_when_long(uint32_t h[5], const uint32_t r[4], const uint8_t *in, size_t nblocks, uint32_t pad)
{
    qs_poly1305_blocks_generic32(h, r, in, nblocks, pad);
    if (nblocks >= 8) h[1] ^= 4;
}

static void wrong_last_block(uint32_t h[5], const uint32_t r[4], const uint8_t *in, size_t nblocks, uint32_t pad)
{
    (void)pad; /* as if every block were whole */
    qs_poly1305_blocks_generic32(h, r, in, nblocks, 1);
}

/* And for whole messages. */
static void wrong_tag(const struct qs_message *m)
{
    qs_seal_steps(m);
    m->tag[15] ^= 1;
}

/* The tag belongs to the wrong text. */
static void wrong_text_when_long(const struct qs_message *m)
{
    struct qs_message wrong = *m;

    if (m->len) memmove(m->out, m->in, m->len);
    if (m->len > 900) m->out[900] ^= 1;
    wrong.in = m->out;
    qs_seal_steps(&wrong);
}

static qs_status opens_forgeries(const struct qs_message *m)
{
    const qs_status status = qs_open_steps(m);
    return m->len % 2 ? QS_OK : status;
}

/* And for many packets. */
static void wrong_in_lane_9(struct qs_lanes *l, const struct qs_lanes_stream *s, uint32_t first, uint32_t n, uint32_t rounds,
                            struct qs_lanes_mac *m)
{
    const size_t i = first + 9;

    slow_lanes_blocks(l, s, first, n, rounds, m);
    if (n > 9) ((uint8_t *)s->place[s->packet[i]].out)[64 * s->block[i] + 20] ^= 1;
}

static void wrong_for_packet_17(struct qs_lanes *l, const struct qs_lanes_stream *s, uint32_t first, uint32_t n,
                                uint32_t rounds, struct qs_lanes_mac *m)
{
    slow_lanes_blocks(l, s, first, n, rounds, m);
    for (size_t i = first; i < first + n; i++)
        if (s->packet[i] % QS_LANES == 17) ((uint8_t *)s->place[s->packet[i]].out)[64 * s->block[i]] ^= 1;
}

static void wrong_when_lengths_differ(struct qs_lanes_mac *m)
{
    slow_lanes_tags(m);
    for (unsigned i = 1; i < m->n; i++)
        if (m->len[i] + 80 < m->len[0]) m->tag[i][3] ^= 4;
}

#define LANES_KERNEL(blocks, tags)                                                                                     \
    {                                                                                                                  \
        16, 4, 32, 0, NULL, slow_lanes_arrange, blocks, tags, {{2, 1536}}, 1536                                                                 \
    }
static const struct qs_lanes_kernel lane = LANES_KERNEL(wrong_in_lane_9, slow_lanes_tags);
static const struct qs_lanes_kernel packet = LANES_KERNEL(wrong_for_packet_17, slow_lanes_tags);
static const struct qs_lanes_kernel lengths = LANES_KERNEL(slow_lanes_blocks, wrong_when_lengths_differ);

static const unsigned broken[QS_PRIMITIVES] = {[QS_CHACHA] = 4, [QS_POLY1305] = 3, [QS_AEAD] = 3, [QS_PACKETS] = 3};

static const struct qs_kernel chacha_rows[] = {
    {"broken", 0, 0, 0, {.chacha = wrong_always}},
    {"broken in lane 5", 0, 0, 0, {.chacha = wrong_in_lane_5}},
    {"broken at 12 rounds", 0, 0, 0, {.chacha = wrong_at_12_rounds}},
    {"broken ending", 0, 0, 0, {.chacha = qs_chacha_blocks_generic, .chacha_ending = wrong_ending}},
    QS_CHACHA_GENERIC_ROW};
static const struct qs_kernel poly1305_rows[] = {{"broken", 0, 0, 0, {.poly1305 = wrong_by_one}},
                                                 {"broken when long", 0, 0, 0, {.poly1305 = wrong_when_long}},
                                                 {"broken last block", 0, 0, 0, {.poly1305 = wrong_last_block}},
                                                 QS_POLY1305_GENERIC_ROWS};

static const struct qs_kernel aead_rows[] = {
    {"broken tag", 0, 0, 0, {.aead = {wrong_tag, qs_open_steps}}},
    {"broken when long", 0, 0, 0, {.aead = {wrong_text_when_long, qs_open_steps}}},
    {"broken open", 0, 0, 0, {.aead = {qs_seal_steps, opens_forgeries}}},
    QS_AEAD_STEPS_ROW};

static const struct qs_kernel packets_rows[] = {{"broken lane", 0, 0, 0, {.packets = &lane}},
                                                {"broken packet", 0, 0, 0, {.packets = &packet}},
                                                {"broken lengths", 0, 0, 0, {.packets = &lengths}},
                                                QS_PACKETS_SINGLE_ROW};

QS_DEFINE_TABLES(chacha_rows, poly1305_rows, aead_rows, packets_rows);

/* The library defines these in the same file as its tables where an architecture has no folder of its own. */
#ifdef QS_NO_ARCH
static const struct qs_cpu_level levels[] = {{"generic", 0}};
const struct qs_cpu_names qs_cpu_names = {NULL, 0, levels, 1};

uint32_t qs_cpu_detect(void) { return 0; }
#endif

static int packets_are_right(void)
{
    enum { N = 20 };
    static struct message m[N];
    static uint8_t out[N][TEXT_MAX], tag[N][16];
    qs_packet packets[N];
    int right = 1;

    for (size_t i = 0; i < N; i++) {
        random_message(&m[i], &algorithms[0], random_below(40), random_below(500));
        packets[i] = (qs_packet){&m[i].aead, out[i], tag[i], m[i].nonce, m[i].ad, m[i].ad_len, m[i].plain, m[i].len, QS_OK};
    }
    assert_int_equal(qs_seal_packets(packets, N), 0);
    for (size_t i = 0; i < N; i++)
        right &= memcmp(out[i], m[i].sealed, m[i].len) == 0 && memcmp(tag[i], m[i].tag, 16) == 0;
    return right;
}

static int streams_are_right(void)
{
    static const uint8_t key[32] = {1}, nonce[12] = {2}, text[640] = {3};
    uint8_t out[640], want[640];
    int right = 1;

    slow_chacha(want, key, nonce, 12, 1, 20, text, sizeof text);
    for (size_t len = 0; len <= sizeof text; len++) {
        EXPECT(QS_OK, qs_chacha_xor(out, key, nonce, 1, 20, text, len));
        right &= memcmp(out, want, len) == 0;
    }
    return right;
}

static int messages_are_right(void)
{
    static struct message m;
    static uint8_t out[TEXT_MAX];
    int right = packets_are_right() & streams_are_right();

    for (size_t i = 0; i < 20 * ALGORITHMS; i++) {
        const struct algorithm *a = &algorithms[i % ALGORITHMS];
        uint8_t tag[16];

        random_message(&m, a, random_below(40), random_below(1500));
        EXPECT(QS_OK, qs_aead_seal(&m.aead, out, tag, m.nonce, a->nonce_len, m.ad, m.ad_len, m.plain, m.len));
        right &= memcmp(out, m.sealed, m.len) == 0 && memcmp(tag, m.tag, 16) == 0;
        m.tag[i % 16] ^= 2;
        right &= qs_aead_open(&m.aead, out, m.nonce, a->nonce_len, m.ad, m.ad_len, m.sealed, m.len, m.tag) == QS_ERR_AUTH;
    }
    return right;
}

static void expect_states(int found)
{
    qs_row rows[32];
    const size_t n = qs_rows(rows, COUNT(rows));

    assert_int_equal(n, COUNT(chacha_rows) + COUNT(poly1305_rows) + COUNT(aead_rows) + COUNT(packets_rows));
    for (size_t i = 0, row = 0, p = 0; i < n; i++, row++) {
        if (i && strcmp(rows[i].primitive, rows[i - 1].primitive) != 0) row = 0, p++;
        const qs_row_state want = found      ? row < broken[p]    ? QS_ROW_DISABLED
                                               : row == broken[p] ? QS_ROW_CHOSEN
                                                                  : QS_ROW_USABLE
                                  : row == 0 ? QS_ROW_CHOSEN
                                             : QS_ROW_USABLE;
        if (rows[i].state != want)
            FAIL("%s row %s is in state %d, should be %d", rows[i].primitive, rows[i].name, rows[i].state, want);
    }
}

struct seen {
    unsigned broken, right;
};

static void report(void *arg, const qs_selftest_result *r)
{
    struct seen *s = arg;

    if (r->row && strncmp(r->row, "broken", 6) == 0) {
        assert_int_equal(r->status, QS_ERR_SELFTEST);
        assert_non_null(r->vector);
        assert_int_not_equal(r->expected, r->got);
        print_message("%s row %s: %s, byte %zu is %02x, should be %02x\n", r->subject, r->row, r->vector, r->offset,
                      r->got, r->expected);
        s->broken++;
    } else {
        if (r->status != QS_OK) FAIL("%s, row %s: %s", r->subject, r->row ? r->row : "chosen", r->vector);
        s->right++;
    }
}

static void broken_rows_are_found(void **state)
{
    struct seen s = {0, 0};
    unsigned all = 0;

    (void)state;
    expect_states(0);
    assert_false(messages_are_right()); /* the broken rows do run */

    EXPECT(QS_ERR_SELFTEST, qs_selftest());
    expect_states(1);
    assert_true(messages_are_right());

    EXPECT(QS_ERR_SELFTEST, qs_selftest_each(report, &s)); /* something is broken still */
    for (unsigned p = 0; p < QS_PRIMITIVES; p++) all += broken[p];
    assert_int_equal(s.broken, all);
    assert_true(s.right > 10);

    /* No limit brings them back. */
    EXPECT(QS_OK, qs_cpu_limit("generic"));
    expect_states(1);
    EXPECT(QS_OK, qs_cpu_limit(NULL));
    expect_states(1);
    assert_true(messages_are_right());
}

/* Each alone in front of the right rows is noticed too: the failures above are not each other's. */
static void each_alone(void **state)
{
    (void)state;
    for (unsigned p = 0; p < QS_PRIMITIVES; p++)
        for (unsigned i = 0; i < broken[p]; i++) {
            for (unsigned q = 0; q < QS_PRIMITIVES; q++) qs_disable((enum qs_primitive)q, (1u << broken[q]) - 1);
            assert_true(messages_are_right());
            qs_disable((enum qs_primitive)p, ((1u << broken[p]) - 1) & ~(1u << i));
            assert_ptr_equal(qs_kernel_of((enum qs_primitive)p), &qs_tables[p].rows[i]);
            assert_false(messages_are_right());
            EXPECT(QS_ERR_SELFTEST, qs_selftest());
            assert_ptr_equal(qs_kernel_of((enum qs_primitive)p), &qs_tables[p].rows[broken[p]]);
            assert_true(messages_are_right());
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(broken_rows_are_found), cmocka_unit_test(each_alone)};

    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
