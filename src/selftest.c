/* SPDX-License-Identifier: MIT
 *
 * Known answers, through every row that this CPU can run and through every construction.
 *
 * All inputs are bytes that count up from 0, so that a second implementation reproduces the answers in a few lines; these
 * came from one in Python that shares nothing with this library.
 */
#include "aead.h"

enum { COUNTING_LEN = 200, MOST_BLOCKS = 33 }; /* more blocks than any row has lanes, and an odd number of them */

struct test {
    qs_selftest_result result;
    qs_selftest_report *report;
    void *arg;
    int failed; /* any test so far */
};

static void start(struct test *t, const char *subject, const char *row)
{
    t->result = (qs_selftest_result){subject, row, QS_OK, NULL, 0, 0, 0};
}

/* Remembers the first difference. */
static void expect(struct test *t, const char *vector, const uint8_t *got, const uint8_t *expected, size_t len)
{
    for (size_t i = 0; i < len && t->result.status == QS_OK; i++)
        if (got[i] != expected[i])
            t->result = (qs_selftest_result){
                t->result.subject, t->result.row, QS_ERR_SELFTEST, vector, i, expected[i], got[i]};
}

static void expect_status(struct test *t, const char *vector, qs_status got, qs_status expected)
{
    const uint8_t g = (uint8_t)got, e = (uint8_t)expected;
    expect(t, vector, &g, &e, 1);
}

static void expect_count(struct test *t, const char *vector, size_t got, size_t expected)
{
    const uint8_t g = (uint8_t)got, e = (uint8_t)expected;
    expect(t, vector, &g, &e, 1);
}

static int end(struct test *t)
{
    int failed = t->result.status != QS_OK;

    t->failed |= failed;
    if (t->report) t->report(t->arg, &t->result);
    return failed;
}

static void count_up(uint8_t *p, size_t len)
{
    for (size_t i = 0; i < len; i++) p[i] = (uint8_t)i;
}

/* ---- kernels ------------------------------------------------------------------------------------------------------ */

/* State: the constants, key 00 to 1f, then bytes 64 to 73 as counter and nonce. */
static const uint8_t chacha_answers[3][64] = {
    {0x51, 0x1b, 0xe2, 0x7f, 0xee, 0x14, 0xe2, 0xe2, 0x81, 0x92, 0x3e, 0xfc, 0xcf, 0x80, 0x3b, 0xc5,
     0x98, 0x6b, 0xcf, 0x29, 0x27, 0xea, 0x9c, 0xa5, 0x26, 0x29, 0x41, 0xff, 0x5a, 0xce, 0x68, 0xa3,
     0xa3, 0x59, 0xa2, 0x63, 0xa8, 0xe3, 0x98, 0xbe, 0x22, 0xc8, 0x6a, 0x5c, 0x76, 0x36, 0x0e, 0xad,
     0x6b, 0x23, 0x8c, 0xa6, 0x8a, 0x2e, 0xf6, 0x3d, 0xa0, 0x8f, 0x03, 0xc1, 0x59, 0xa4, 0x78, 0x6f},
    {0x0c, 0x14, 0xd1, 0x22, 0xd1, 0x7b, 0x6f, 0xf5, 0xa4, 0x48, 0x9c, 0xcd, 0xf2, 0x00, 0xed, 0x9d,
     0x43, 0xfe, 0x90, 0xe4, 0xad, 0xe3, 0x56, 0xfd, 0xd2, 0x09, 0x68, 0xe5, 0xef, 0x86, 0xca, 0x49,
     0x1c, 0x32, 0x27, 0xa1, 0x21, 0x07, 0x7f, 0x52, 0x89, 0x00, 0x2d, 0x3e, 0x9a, 0xb8, 0x76, 0x9a,
     0x0c, 0xe2, 0x74, 0xe8, 0xf8, 0x9e, 0x3f, 0x07, 0x80, 0xb3, 0x61, 0x51, 0xd1, 0xd9, 0xf7, 0x46},
    {0x3d, 0x3a, 0x87, 0x8e, 0xec, 0xc7, 0x2d, 0x84, 0x12, 0x21, 0x90, 0x12, 0x32, 0x24, 0x20, 0x82,
     0x6e, 0x3c, 0x2d, 0x72, 0x39, 0x17, 0xb7, 0x88, 0xf2, 0xdb, 0xd0, 0xed, 0x94, 0xe8, 0xd8, 0xed,
     0x00, 0x63, 0x18, 0x92, 0x54, 0x2b, 0xf3, 0xf0, 0x7d, 0x8d, 0xe6, 0xed, 0x6d, 0x01, 0x1c, 0x2b,
     0x3f, 0xdf, 0x8e, 0x9a, 0x28, 0xdc, 0xe7, 0x0b, 0x65, 0x6f, 0x23, 0xf1, 0xf9, 0x93, 0x3c, 0xbd}};

static QS_NOINLINE void chacha_row(struct test *t, const struct qs_kernel *row)
{
    static const struct {
        unsigned rounds;
        const char *one, *many, *ending;
    } runs[3] = {{20, "20 rounds, one block", "20 rounds, many blocks", "20 rounds, a block cut off"},
                 {12, "12 rounds, one block", "12 rounds, many blocks", "12 rounds, a block cut off"},
                 {8, "8 rounds, one block", "8 rounds, many blocks", "8 rounds, a block cut off"}};
    uint8_t counting[COUNTING_LEN], out[MOST_BLOCKS * QS_BLOCK_LEN], one[QS_BLOCK_LEN];
    uint32_t key[8], tail[4];
    struct qs_keystream k;

    count_up(counting, sizeof counting);
    qs_load_words(key, counting, 8);
    qs_load_words(tail, counting + 100, 4);
    for (unsigned i = 0; i < 3; i++) {
        const unsigned rounds = runs[i].rounds;

        qs_keystream_init(&k, key, tail, rounds);
        memset(out, 0, sizeof out);
        row->blocks.chacha(out, out, 1, k.state, rounds);
        expect(t, runs[i].one, out, chacha_answers[i], sizeof one);

        /* Many blocks, every number of them: the same as plain C makes one by one. */
        for (size_t n = 2; n <= MOST_BLOCKS; n++) {
            count_up(out, sizeof out);
            row->blocks.chacha(out, out, n, k.state, rounds);
            for (size_t b = 0; b < n; b++, k.state[12]++) {
                for (size_t j = 0; j < sizeof one; j++) one[j] = (uint8_t)(b * QS_BLOCK_LEN + j);
                qs_chacha_blocks_generic(one, one, 1, k.state, rounds);
                expect(t, runs[i].many, out + b * QS_BLOCK_LEN, one, sizeof one);
            }
            k.state[12] -= (uint32_t)n;
        }

        /* Any number of blocks and one that is cut off: the same as the row itself makes of whole ones. */
        for (size_t n = 0; row->blocks.chacha_ending && n < MOST_BLOCKS; n++) {
            memset(out, 0, sizeof out);
            row->blocks.chacha(out, out, n + 1, k.state, rounds);
            row->blocks.chacha_ending(out, out, n, &k, rounds);
            expect(t, runs[i].ending, k.block, out + n * QS_BLOCK_LEN, QS_BLOCK_LEN);
            memset(one, 0, sizeof one);
            for (size_t b = 0; b < n; b++) expect(t, runs[i].ending, out + b * QS_BLOCK_LEN, one, sizeof one);
        }
    }
}

/* A tag by one row alone, of a whole message. */
static void tag_by(const struct qs_kernel *row, uint8_t tag[QS_TAG_LEN], const uint8_t key[32], const uint8_t *in,
                   size_t len)
{
    struct qs_mac m;
    size_t whole = len / QS_MAC_BLOCK_LEN, rest = len % QS_MAC_BLOCK_LEN;

    qs_mac_init(&m, key);
    if (whole) row->blocks.poly1305(m.h, m.r, in, whole, 1);
    if (rest) {
        memset(m.block, 0, sizeof m.block);
        memcpy(m.block, in + whole * QS_MAC_BLOCK_LEN, rest);
        m.block[rest] = 1;
        row->blocks.poly1305(m.h, m.r, m.block, 1, 0);
    }
    qs_mac_final(&m, tag);
}

static QS_NOINLINE void poly1305_row(struct test *t, const struct qs_kernel *row)
{
    static const uint8_t counting_answer[QS_TAG_LEN] = {0xa3, 0x48, 0x37, 0x59, 0xba, 0xa2, 0xbd, 0x61,
                                                        0xb8, 0xb9, 0x66, 0x82, 0xca, 0xf7, 0xc4, 0x40};
    static const uint8_t wrap_answer[QS_TAG_LEN] = {3}; /* 2 (2^129 - 1) = 2^130 - 2 = 3 */
    static const uint8_t ones_answer[QS_TAG_LEN] = {0x93, 0x43, 0xd0, 0x00, 0x0d, 0x9f, 0x85, 0x36,
                                                    0xc7, 0x40, 0xc7, 0xda, 0x46, 0x44, 0x81, 0xfe};
    static const struct qs_kernel plain = {"generic32", 0, 0, 0, {.poly1305 = qs_poly1305_blocks_generic32}};
    uint8_t key[32] = {2}, in[MOST_BLOCKS * QS_MAC_BLOCK_LEN], tag[QS_TAG_LEN], want[QS_TAG_LEN];

    memset(in, 0xff, sizeof in);
    tag_by(row, tag, key, in, QS_MAC_BLOCK_LEN);
    expect(t, "residue just above 2^130 - 5", tag, wrap_answer, sizeof tag);

    memset(key, 0xff, sizeof key);
    tag_by(row, tag, key, in, sizeof in);
    expect(t, "all ones", tag, ones_answer, sizeof tag);
    for (size_t n = 2; n < MOST_BLOCKS; n++) {
        tag_by(row, tag, key, in, n * QS_MAC_BLOCK_LEN);
        tag_by(&plain, want, key, in, n * QS_MAC_BLOCK_LEN);
        expect(t, "all ones, as plain C", tag, want, sizeof tag);
    }

    count_up(in, COUNTING_LEN);
    tag_by(row, tag, in, in, COUNTING_LEN);
    expect(t, "counting bytes", tag, counting_answer, sizeof tag);
}

static void expect_counting(struct test *t, const char *vector, const uint8_t *got, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        const uint8_t want = (uint8_t)i;
        expect(t, vector, got + i, &want, 1);
    }
}

/* A whole message by one row, against the steps over the rows found right before: what the row seals the steps must open, and
 * the other way round. Everything happens in one buffer. */
static QS_NOINLINE void aead_row(struct test *t, const struct qs_kernel *row)
{
    uint8_t counting[COUNTING_LEN], text[MOST_BLOCKS * QS_BLOCK_LEN], tag[QS_TAG_LEN];
    uint32_t key[8];

    count_up(counting, sizeof counting);
    qs_load_words(key, counting, 8);
    for (size_t len = 0, step = 1; len <= sizeof text; len += step, step = len < 70 ? 1 : 59) {
        struct qs_message m = {.key = key, .out = text, .in = text, .len = len, .ad = counting, .ad_len = len * 5 & 63,
                               .tag = tag, .rounds = len & 1 ? 20 : len & 2 ? 12 : 8};

        qs_load_words(m.nonce, counting + 100, 3);
        memset(tag, 0, sizeof tag);
        count_up(text, len);
        row->blocks.aead.seal(&m);
        expect_status(t, "tag of sealing", qs_open_steps(&m), QS_OK);
        expect_counting(t, "text sealed", text, len);

        qs_seal_steps(&m);
        tag[len % sizeof tag] ^= 0x40;
        expect_status(t, "open a forgery", row->blocks.aead.open(&m), QS_ERR_AUTH);
        tag[len % sizeof tag] ^= 0x40;
        expect_status(t, "open", row->blocks.aead.open(&m), QS_OK);
        expect_counting(t, "text opened", text, len);
    }
}

/* Packets of 0 to 500 bytes by one row, against each on its own. */
static QS_NOINLINE void packets_row(struct test *t, const struct qs_kernel *row)
{
    enum { N = QS_LANES + 1, FORGED = 5 };
    uint8_t counting[COUNTING_LEN], text[2048], tag[N][QS_TAG_LEN];
    qs_packet packets[N];
    qs_aead keys[2];
    size_t at = 0;

    count_up(counting, sizeof counting);
    count_up(text, sizeof text);
    expect_status(t, "key", qs_aead_init(&keys[0], QS_CHACHA20_POLY1305, counting, 32), QS_OK);
    expect_status(t, "key", qs_aead_init(&keys[1], QS_CHACHA20_POLY1305, counting + 9, 32), QS_OK);
    for (unsigned i = 0; i < N; i++) {
        const size_t len = i < 2 ? 500 * i : i < 20 ? 7 * i : 16;
        packets[i] = (qs_packet){&keys[i % 2], text + at, tag[i], counting + i, counting, i % 37, text + at, len, QS_OK};
        at += len;
    }
    expect_count(t, "packets that fail", qs_packets_by(row->blocks.packets, packets, N, 1), 0);
    for (unsigned i = 0; i < N; i++) {
        const qs_packet *p = &packets[i];
        expect_status(t, "open alone", qs_aead_open(p->aead, p->out, p->nonce, 12, p->ad, p->ad_len, p->in, p->len, p->tag),
                      QS_OK);
    }
    expect_counting(t, "text sealed", text, at);

    for (unsigned i = 0; i < N; i++) {
        const qs_packet *p = &packets[i];
        expect_status(t, "seal alone", qs_aead_seal(p->aead, p->out, p->tag, p->nonce, 12, p->ad, p->ad_len, p->in, p->len),
                      QS_OK);
    }
    tag[FORGED][9] ^= 1;
    expect_count(t, "packets that fail", qs_packets_by(row->blocks.packets, packets, N, 0), 1);
    expect_status(t, "open a forgery", packets[FORGED].status, QS_ERR_AUTH);
    tag[FORGED][9] ^= 1;
    expect_count(t, "packets that fail", qs_packets_by(row->blocks.packets, &packets[FORGED], 1, 0), 0);
    expect_counting(t, "text opened", text, at);
    qs_wipe(keys, sizeof keys);
}

/* ---- constructions ------------------------------------------------------------------------------------------------ */

enum { TEXT_LEN = 150, NONCE_AT = 64, AD_AT = 100, AD_LEN = 13 };

static const struct aead_answer {
    qs_alg alg;
    const char *subject;
    uint8_t tag[QS_TAG_LEN]; /* of counting text, key from 00 on, nonce from 40 on, AD 64 to 70 (none for SPTPS) */
} aead_answers[] = {
    {QS_CHACHA20_POLY1305, "chacha20-poly1305",
     {0x1b, 0x77, 0x92, 0x66, 0xbe, 0x6f, 0x0e, 0x71, 0x34, 0xf5, 0x2d, 0x65, 0x52, 0xce, 0xa5, 0xc7}},
    {QS_CHACHA12_POLY1305, "chacha12-poly1305",
     {0x1b, 0x82, 0x7c, 0xf7, 0xb9, 0xc2, 0x09, 0x95, 0xf6, 0x07, 0x1e, 0xfd, 0x89, 0x32, 0xff, 0x42}},
    {QS_CHACHA8_POLY1305, "chacha8-poly1305",
     {0x60, 0x83, 0x3c, 0xca, 0xc1, 0xee, 0x9e, 0x4a, 0x70, 0x23, 0xdd, 0xa8, 0xed, 0xb0, 0xc4, 0xd6}},
    {QS_XCHACHA20_POLY1305, "xchacha20-poly1305",
     {0x83, 0x89, 0xec, 0x54, 0x3c, 0xca, 0xfb, 0x34, 0x96, 0xdd, 0x41, 0xd7, 0x42, 0x48, 0xba, 0x91}},
    {QS_XCHACHA12_POLY1305, "xchacha12-poly1305",
     {0xc0, 0xf6, 0x7e, 0xa2, 0x66, 0xc5, 0x14, 0x2b, 0x0c, 0xee, 0x31, 0xf3, 0x5e, 0xc1, 0xf4, 0x52}},
    {QS_XCHACHA8_POLY1305, "xchacha8-poly1305",
     {0xa9, 0xff, 0xe4, 0xce, 0xc6, 0xf1, 0xea, 0xf9, 0x8c, 0xcc, 0x60, 0x98, 0x57, 0x59, 0x02, 0x1a}},
    {QS_ESP_CHACHA20_POLY1305, "esp-chacha20-poly1305",
     {0x87, 0xc9, 0x0a, 0xc5, 0x2d, 0x96, 0x18, 0x24, 0xf2, 0xe8, 0xd7, 0x40, 0x1a, 0x74, 0x6f, 0x61}},
    {QS_WIREGUARD, "wireguard",
     {0x65, 0x39, 0x84, 0xab, 0xf2, 0xc6, 0x98, 0xe6, 0x65, 0x74, 0x97, 0xb0, 0x1c, 0x5f, 0x1d, 0x71}},
    {QS_TINC_SPTPS, "tinc-sptps",
     {0xf8, 0xae, 0x34, 0xf6, 0x39, 0x5a, 0xe2, 0x6f, 0xbb, 0xcf, 0x39, 0x86, 0x52, 0x28, 0x21, 0x09}},
};
enum { AEADS = sizeof aead_answers / sizeof *aead_answers };

static size_t ad_len(const struct aead_answer *a)
{
    return a->alg == QS_TINC_SPTPS ? 0 : AD_LEN;
}

static void aead(struct test *t, const struct aead_answer *a, const uint8_t *counting)
{
    uint8_t text[TEXT_LEN], sealed[TEXT_LEN], tag[QS_TAG_LEN];
    const size_t nonce_len = qs_alg_nonce_len(a->alg);
    const uint8_t *nonce = counting + NONCE_AT, *ad = counting + AD_AT;
    qs_aead key;

    memset(tag, 0, sizeof tag);
    expect_status(t, "init", qs_aead_init(&key, a->alg, counting, qs_alg_key_len(a->alg)), QS_OK);
    expect_status(t, "seal",
                  qs_aead_seal(&key, text, tag, nonce, nonce_len, ad, ad_len(a), counting, TEXT_LEN), QS_OK);
    expect(t, "tag", tag, a->tag, sizeof tag);

    memcpy(sealed, text, TEXT_LEN);
    tag[QS_TAG_LEN - 1] ^= 1;
    expect_status(t, "open a forgery",
                  qs_aead_open(&key, text, nonce, nonce_len, ad, ad_len(a), text, TEXT_LEN, tag), QS_ERR_AUTH);
    expect(t, "output of a forgery", text, sealed, TEXT_LEN);
    tag[QS_TAG_LEN - 1] ^= 1;
    expect_status(t, "open", qs_aead_open(&key, text, nonce, nonce_len, ad, ad_len(a), text, TEXT_LEN, tag), QS_OK);
    expect(t, "text", text, counting, TEXT_LEN);
    qs_aead_wipe(&key);
}

/* One packet of every algorithm in one call; then the third is forged. */
static void packets(struct test *t, const uint8_t *counting)
{
    enum { LEN = 40, FORGED = 2 };
    uint8_t text[AEADS][LEN], tags[AEADS][QS_TAG_LEN], alone[LEN], tag[QS_TAG_LEN];
    qs_aead keys[AEADS];
    qs_packet p[AEADS];

    for (unsigned i = 0; i < AEADS; i++) {
        const struct aead_answer *a = &aead_answers[i];
        expect_status(t, "init", qs_aead_init(&keys[i], a->alg, counting, qs_alg_key_len(a->alg)), QS_OK);
        p[i] = (qs_packet){&keys[i],  text[i], tags[i], counting + NONCE_AT, counting + AD_AT,
                           ad_len(a), counting, LEN - i, QS_ERR_STATE};
    }
    expect_count(t, "packets that failed to seal", qs_seal_packets(p, AEADS), 0);
    for (unsigned i = 0; i < AEADS; i++) {
        expect_status(t, "seal one",
                      qs_aead_seal(&keys[i], alone, tag, p[i].nonce, qs_alg_nonce_len(aead_answers[i].alg), p[i].ad,
                                   p[i].ad_len, p[i].in, p[i].len),
                      QS_OK);
        expect(t, "text sealed", text[i], alone, p[i].len);
        expect(t, "tag", tags[i], tag, sizeof tag);
        p[i].in = p[i].out;
    }
    tags[FORGED][0] ^= 0x80;
    expect_count(t, "packets that failed to open", qs_open_packets(p, AEADS), 1);
    for (unsigned i = 0; i < AEADS; i++) {
        expect_status(t, "status", p[i].status, i == FORGED ? QS_ERR_AUTH : QS_OK);
        if (i != FORGED) expect(t, "text opened", text[i], counting, p[i].len);
    }
    qs_wipe(keys, sizeof keys);
}

static void openssh(struct test *t, const uint8_t *counting)
{
    static const uint8_t answer[QS_TAG_LEN] = {0xca, 0xf6, 0xa5, 0x25, 0x1d, 0xf6, 0xd6, 0xb2,
                                               0xb6, 0xb2, 0xa3, 0x32, 0x17, 0xf8, 0x17, 0x32};
    enum { SEQ = 0x01020304 };
    uint8_t text[TEXT_LEN], tag[QS_TAG_LEN];
    qs_openssh ssh;

    qs_openssh_init(&ssh, counting);
    expect_status(t, "seal", qs_openssh_seal(&ssh, text, tag, SEQ, counting, TEXT_LEN), QS_OK);
    expect(t, "tag", tag, answer, sizeof tag);
    uint8_t length[4];
    qs_store32(length, __builtin_bswap32(qs_openssh_length(&ssh, SEQ, text)));
    expect(t, "length", length, counting, sizeof length);
    tag[0] ^= 1;
    expect_status(t, "open a forgery", qs_openssh_open(&ssh, text, SEQ, text, TEXT_LEN, tag), QS_ERR_AUTH);
    tag[0] ^= 1;
    expect_status(t, "open", qs_openssh_open(&ssh, text, SEQ, text, TEXT_LEN, tag), QS_OK);
    expect(t, "text", text, counting, TEXT_LEN);
    qs_wipe(&ssh, sizeof ssh);
}

static void hchacha(struct test *t, const uint8_t *counting)
{
    static const uint8_t answer[32] = {0xec, 0xa2, 0x71, 0x1e, 0x80, 0xb0, 0xc1, 0xaf, 0x4f, 0x65, 0xdc,
                                       0x82, 0x5b, 0x1b, 0x1b, 0x5a, 0x07, 0xbe, 0x25, 0x3f, 0x22, 0xc5,
                                       0x8b, 0xd2, 0x34, 0x22, 0x95, 0x51, 0xe9, 0x32, 0x06, 0xfc};
    uint8_t out[32];

    expect_status(t, "status", qs_hchacha(out, counting, counting + 100, 20), QS_OK);
    expect(t, "key", out, answer, sizeof out);
}

static void replay(struct test *t)
{
    static const struct {
        uint64_t counter;
        qs_status status;
    } steps[] = {
        {0, QS_OK}, {0, QS_ERR_REPLAY}, {2, QS_OK}, {1, QS_OK}, {2, QS_ERR_REPLAY},
        {QS_REPLAY_WIDTH, QS_OK}, {0, QS_ERR_REPLAY}, {1, QS_ERR_REPLAY}, {3, QS_OK},  /* 0 has left the window */
        {QS_REPLAY_WIDTH + 3, QS_OK}, {4, QS_OK}, {3, QS_ERR_REPLAY}, {5, QS_OK}, {4, QS_ERR_REPLAY},
        {1000000, QS_OK}, {1000000 - QS_REPLAY_WIDTH, QS_ERR_REPLAY}, {1000001 - QS_REPLAY_WIDTH, QS_OK},
        {UINT64_MAX - 1, QS_OK}, {UINT64_MAX, QS_OK}, {UINT64_MAX, QS_ERR_REPLAY}, {5, QS_ERR_REPLAY},
        {UINT64_MAX - QS_REPLAY_WIDTH, QS_ERR_REPLAY}, {UINT64_MAX - QS_REPLAY_WIDTH + 1, QS_OK},
    };
    qs_replay window;

    qs_replay_init(&window);
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
        expect_status(t, "check", qs_replay_check(&window, steps[i].counter), steps[i].status);
        expect_status(t, "accept", qs_replay_accept(&window, steps[i].counter), steps[i].status);
    }
}

/* ---- all of it ---------------------------------------------------------------------------------------------------- */

qs_status qs_selftest_each(qs_selftest_report *report, void *arg)
{
    struct test t = {.report = report, .arg = arg, .failed = 0};
    uint8_t counting[COUNTING_LEN];

    for (unsigned p = 0; p < QS_PRIMITIVES; p++) {
        const struct qs_table *table = &qs_tables[p];

        for (unsigned i = 0; i < table->n; i++) {
            const struct qs_kernel *row = &table->rows[i];

            if (!qs_can_run(row)) continue;
            start(&t, table->primitive, row->name);
            if (p == QS_CHACHA) chacha_row(&t, row);
            else if (p == QS_POLY1305) poly1305_row(&t, row);
            else if (p == QS_AEAD) aead_row(&t, row);
            else packets_row(&t, row);
            if (end(&t)) qs_disable((enum qs_primitive)p, qs_disabled((enum qs_primitive)p) | UINT32_C(1) << i);
        }
    }

    count_up(counting, sizeof counting);
    start(&t, "hchacha20", NULL), hchacha(&t, counting), end(&t);
    for (unsigned i = 0; i < AEADS; i++) {
        start(&t, aead_answers[i].subject, NULL), aead(&t, &aead_answers[i], counting), end(&t);
    }
    start(&t, "openssh", NULL), openssh(&t, counting), end(&t);
    start(&t, "packets", NULL), packets(&t, counting), end(&t);
    start(&t, "replay", NULL), replay(&t), end(&t);
    return t.failed ? QS_ERR_SELFTEST : QS_OK;
}

qs_status qs_selftest(void)
{
    return qs_selftest_each(NULL, NULL);
}
