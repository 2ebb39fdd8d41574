/* SPDX-License-Identifier: MIT
 *
 * Many packets in one call: each as if alone, whatever the others are.
 */
#include "api_message.h"

enum { MOST = 70, GAP = 32 };

/* What is wrong with a packet. */
enum fault {
    NOTHING,
    FORGED_TAG,
    FORGED_TEXT,
    FORGED_AD,
    FORGED_NONCE,
    NO_AEAD,
    WIPED_AEAD,
    NO_NONCE,
    NO_TAG,
    NO_IN,
    NO_OUT,
    NO_AD,
    AD_FOR_TINC,
    TOO_LONG,
    OVERLAPS,
    FAULTS
};

static struct message m[MOST];
static struct {
    uint8_t before[GAP], out[TEXT_MAX], behind[GAP], tag[QS_TAG_LEN], last[GAP];
} room[MOST], want[MOST];
static qs_packet packets[MOST];
static qs_status statuses[MOST];
static const qs_aead wiped;

static qs_status spoil(qs_packet *p, struct message *msg, enum fault fault)
{
    switch (fault) {
    case FORGED_TAG: p->tag[random_below(16)] ^= (uint8_t)(1 << random_below(8)); return QS_ERR_AUTH;
    case FORGED_TEXT:
        if (msg->len == 0) return QS_OK;
        ((uint8_t *)p->in)[random_below(msg->len)] ^= 0x40;
        return QS_ERR_AUTH;
    case FORGED_AD:
        if (msg->ad_len == 0) return QS_OK;
        msg->ad[random_below(msg->ad_len)] ^= 2;
        return QS_ERR_AUTH;
    case FORGED_NONCE: msg->nonce[random_below(msg->a->nonce_len)] ^= 0x80; return QS_ERR_AUTH;
    case NO_AEAD: p->aead = NULL; return QS_ERR_ARGUMENT;
    case WIPED_AEAD: p->aead = &wiped; return QS_ERR_ARGUMENT;
    case NO_NONCE: p->nonce = NULL; return QS_ERR_ARGUMENT;
    case NO_TAG: p->tag = NULL; return QS_ERR_ARGUMENT;
    case NO_IN: p->in = NULL; return msg->len ? QS_ERR_ARGUMENT : QS_OK;
    case NO_OUT: p->out = NULL; return msg->len ? QS_ERR_ARGUMENT : QS_OK;
    case NO_AD: p->ad = NULL, p->ad_len = 1; return QS_ERR_ARGUMENT;
    case AD_FOR_TINC:
        if (msg->a->alg != QS_TINC_SPTPS) return QS_OK;
        p->ad_len = 1;
        return QS_ERR_ARGUMENT;
    case TOO_LONG:
        if (msg->a->most_text >= SIZE_MAX) return QS_OK;
        p->len = SIZE_MAX;
        return QS_ERR_LENGTH;
    case OVERLAPS:
        if (msg->len < 2) return QS_OK;
        p->out = (uint8_t *)p->in + 1;
        return QS_ERR_OVERLAP;
    default: return QS_OK;
    }
}

/* One batch; what to draw the packets from decides whether neighbours look alike. */
static void batch(const char *text, size_t n, unsigned algs, size_t longest, unsigned faulty_percent, int opening)
{
    const struct algorithm *first = &algorithms[random_below(ALGORITHMS)];
    const size_t one_len = random_below(longest + 1);
    const int same_len = (int)random_below(2), in_place = (int)random_below(3);
    size_t failures = 0;

    random_bytes(room, n * sizeof *room);
    for (size_t i = 0; i < n; i++) {
        const struct algorithm *a = algs == 1 ? first : &algorithms[random_below(ALGORITHMS)];

        random_message(&m[i], a, random_below(random_below(2) ? 20 : 200),
                       same_len ? one_len : random_below(longest + 1));
        if (i && random_below(4) == 0 && m[i - 1].a == a) { /* one key for several packets */
            memcpy(m[i].key, m[i - 1].key, sizeof m[i].key);
            slow_seal(a->alg, m[i].sealed, m[i].tag, m[i].key, m[i].nonce, m[i].ad, m[i].ad_len, m[i].plain, m[i].len);
            EXPECT(QS_OK, qs_aead_init(&m[i].aead, a->alg, m[i].key, a->key_len));
        }
        const uint8_t *in = opening ? m[i].sealed : m[i].plain;
        uint8_t expected[TEXT_MAX];
        memcpy(expected, opening ? m[i].plain : m[i].sealed, m[i].len);
        if (in_place == 1 || (in_place == 2 && random_below(2))) in = memcpy(room[i].out, in, m[i].len);
        if (opening) memcpy(room[i].tag, m[i].tag, 16);
        packets[i] = (qs_packet){&m[i].aead, room[i].out, room[i].tag,
                                 m[i].nonce, m[i].ad,     m[i].ad_len,
                                 in,         m[i].len,    (qs_status)random_below(7)};

        enum fault fault = random_below(100) < faulty_percent ? (enum fault)random_below(FAULTS) : NOTHING;
        if (!opening && fault >= FORGED_TAG && fault <= FORGED_NONCE) fault = NOTHING;
        statuses[i] = spoil(&packets[i], &m[i], fault);
        failures += statuses[i] != QS_OK;
        memcpy(&want[i], &room[i], sizeof *want);
        if (statuses[i] == QS_OK) {
            memcpy(want[i].out, expected, m[i].len);
            if (!opening) memcpy(want[i].tag, m[i].tag, 16);
        }
    }

    const size_t failed = (opening ? qs_open_packets : qs_seal_packets)(packets, n);
    if (failed != failures) FAIL("%zu of %zu packets failed, should be %zu, rows %s", failed, n, failures, text);
    for (size_t i = 0; i < n; i++) {
        if (packets[i].status != statuses[i])
            FAIL("packet %zu of %zu, %s, opening %d: %d, should be %d, rows %s", i, n, m[i].a->name, opening,
                 packets[i].status, statuses[i], text);
        expect_bytes((const uint8_t *)&room[i], (const uint8_t *)&want[i], sizeof *room,
                     "packet %zu of %zu, %s, %zu bytes, status %d, opening %d, rows %s", i, n, m[i].a->name, m[i].len,
                     statuses[i], opening, text);
    }
}

static void batches(const char *text, void *arg)
{
    static const size_t counts[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, MOST};

    (void)arg;
    for (int opening = 0; opening < 2; opening++) {
        for (size_t i = 0; i < COUNT(counts); i++) {
            const size_t n = counts[i];
            batch(text, n, 1, 200, 0, opening);
            batch(text, n, ALGORITHMS, 200, 0, opening);
            batch(text, n, 1, 300, 30, opening);
            batch(text, n, ALGORITHMS, 300, 30, opening);
        }
        for (int i = 0; i < 10; i++) {
            batch(text, 1 + random_below(40), i % 2 ? 1 : ALGORITHMS, 1500, 10, opening);
            batch(text, 1 + random_below(5), i % 2 ? 1 : ALGORITHMS, TEXT_MAX, 10, opening);
        }
        batch(text, MOST, ALGORITHMS, 100, 100, opening);
    }
    covered_chosen("packets");
}

static void every_pair(void **state)
{
    (void)state;
    each_path(batches, NULL);
}

static void every_level(void **state)
{
    (void)state;
    each_level(batches, NULL);
}

/* What overlaps is found in every packet of many, small enough to share lanes: text out, or a tag, that touches by its first
 * or its last byte an entry of the array, AD, nonce, key, or the other. When opening, a tag is no output: it may be in nonce,
 * key or array. The other packets are of the same algorithm, or of ESP's, whose nonces are shorter. */
enum { MANY = 20, ALIKE = 64, AD_ALIKE = 16 };
static struct {
    _Alignas(64) uint8_t before[ALIKE], bytes[MANY * sizeof(qs_packet) + TEXT_MAX], behind[ALIKE];
} place;

static void spoil_one(const char *text, size_t i, unsigned what, int tag, int last, int opening, int mixed)
{
    static uint8_t texts[MANY][ALIKE], tags_of[MANY][QS_TAG_LEN], sealed[2][ALIKE], plain[2][ALIKE];
    static uint8_t close[8 + ALIKE];
    qs_packet *array = what == 0 ? (qs_packet *)place.bytes : packets;
    const size_t len = tag ? QS_TAG_LEN : ALIKE, lens[] = {MANY * sizeof *array, AD_ALIKE, 12, sizeof(qs_aead), ALIKE, ALIKE};

    for (size_t k = 0; k < 2; k++) {
        memcpy(sealed[k], m[k].sealed, ALIKE);
        memcpy(plain[k], m[k].plain, ALIKE);
    }
    for (size_t k = 0; k < MANY; k++) {
        const int other = mixed && k != i;
        const struct message *of = &m[other];
        memcpy(tags_of[k], of->tag, 16);
        array[k] = (qs_packet){&of->aead, texts[k], tags_of[k], of->nonce, of->ad, AD_ALIKE,
                               opening ? sealed[other] : plain[other], ALIKE, QS_OK};
    }
    if (mixed && i) { /* as ESP has it, the text directly behind the nonce */
        array[0].nonce = memcpy(close, m[1].nonce, 8);
        array[0].out = close + 8;
    }
    if (what) memset(place.bytes, 0, sizeof place.bytes);
    qs_packet *p = &array[i];
    switch (what) {
    case 0: break;
    case 1: p->ad = memcpy(place.bytes, m[0].ad, AD_ALIKE); break;
    case 2: p->nonce = memcpy(place.bytes, m[0].nonce, 12); break;
    case 3: p->aead = memcpy(place.bytes, &m[0].aead, sizeof(qs_aead)); break;
    case 4: p->in = memcpy(place.bytes, p->in, ALIKE); break;
    default:
        if (tag) p->out = place.bytes;
        else p->tag = place.bytes;
    }
    const size_t other = what == 5 && !tag ? QS_TAG_LEN : lens[what];
    uint8_t *at = last ? place.bytes + 1 - len : place.bytes + other - 1;
    if (tag) p->tag = at;
    else p->out = at;

    const int harmless = opening && tag && (what == 0 || what == 2 || what == 3);
    const size_t failed = (opening ? qs_open_packets : qs_seal_packets)(array, MANY);
    if (failed != 1 || p->status != (harmless ? QS_ERR_AUTH : QS_ERR_OVERLAP))
        FAIL("packet %zu: %s touches %u by its %s byte, opening %d: status %d, %zu failed, rows %s", i, tag ? "tag" : "text",
             what, last ? "last" : "first", opening, p->status, failed, text);
    for (size_t k = 0; k < MANY; k++)
        if (k != i) assert_int_equal(array[k].status, QS_OK);
}

static void overlaps_of(const char *text, void *arg)
{
    (void)arg;
    random_message(&m[0], &algorithms[0], AD_ALIKE, ALIKE);
    random_message(&m[1], &algorithms[QS_ESP_CHACHA20_POLY1305 - 1], AD_ALIKE, ALIKE);
    for (int opening = 0; opening < 2; opening++)
        for (size_t i = 0; i < MANY; i++)
            for (unsigned what = 0; what < 6; what++)
                for (int how = 0; how < 8; how++) spoil_one(text, i, what, how & 1, how >> 1 & 1, opening, how >> 2);
}

static void overlaps_in_batches(void **state)
{
    (void)state;
    each_level(overlaps_of, NULL);
}

static void no_packets(void **state)
{
    qs_packet p = {0};

    (void)state;
    assert_int_equal(qs_seal_packets(NULL, 0), 0);
    assert_int_equal(qs_open_packets(NULL, 0), 0);
    assert_int_equal(qs_seal_packets(NULL, 5), 5);
    assert_int_equal(qs_open_packets(NULL, SIZE_MAX), SIZE_MAX);
    p.status = QS_ERR_ENTROPY;
    assert_int_equal(qs_seal_packets(&p, 0), 0);
    assert_int_equal(qs_open_packets(&p, 0), 0);
    assert_int_equal(p.status, QS_ERR_ENTROPY);
    assert_int_equal(qs_seal_packets(&p, 1), 1);
    assert_int_equal(p.status, QS_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_pair), cmocka_unit_test(every_level),
                                       cmocka_unit_test(overlaps_in_batches), cmocka_unit_test(no_packets)};

    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
