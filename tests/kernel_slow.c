/* SPDX-License-Identifier: MIT */
#include "kernel_slow.h"

static uint32_t load32(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void store(uint8_t *p, uint64_t x, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) p[i] = (uint8_t)(x >> 8 * i);
}

/* ---- ChaCha: RFC 8439, 2.1 to 2.4 -------------------------------------------------------------------------------- */

static void add_xor_rotate(uint32_t *a, uint32_t b, uint32_t *d, unsigned n)
{
    *a += b;
    *d ^= *a;
    *d = *d << n | *d >> (32 - n);
}

static void permute(uint32_t x[16], unsigned rounds)
{
    static const uint8_t quarters[2][4][4] = {{{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}},
                                              {{0, 5, 10, 15}, {1, 6, 11, 12}, {2, 7, 8, 13}, {3, 4, 9, 14}}};
    for (unsigned i = 0; i < 4 * rounds; i++) {
        const uint8_t *q = quarters[i / 4 % 2][i % 4];
        uint32_t *a = &x[q[0]], *b = &x[q[1]], *c = &x[q[2]], *d = &x[q[3]];
        add_xor_rotate(a, *b, d, 16);
        add_xor_rotate(c, *d, b, 12);
        add_xor_rotate(a, *b, d, 8);
        add_xor_rotate(c, *d, b, 7);
    }
}

void slow_chacha_blocks(uint8_t *out, const uint8_t *in, size_t nblocks, const uint32_t state[16], unsigned rounds)
{
    for (size_t n = 0; n < nblocks; n++) {
        uint32_t start[16], x[16];

        memcpy(start, state, sizeof start);
        start[12] += (uint32_t)n;
        memcpy(x, start, sizeof x);
        permute(x, rounds);
        for (unsigned i = 0; i < 16; i++, out += 4, in += 4) store(out, (x[i] + start[i]) ^ load32(in), 4);
    }
}

static void set_state(uint32_t x[16], const uint8_t key[32], const uint8_t last[16])
{
    for (unsigned i = 0; i < 4; i++) x[i] = load32((const uint8_t *)"expand 32-byte k" + 4 * i);
    for (unsigned i = 0; i < 8; i++) x[4 + i] = load32(key + 4 * i);
    for (unsigned i = 0; i < 4; i++) x[12 + i] = load32(last + 4 * i);
}

void slow_state(uint32_t state[16], const uint8_t key[32], const uint8_t *nonce, size_t nonce_len, uint64_t counter)
{
    uint8_t last[16];

    store(last, counter, 8);
    memcpy(last + 16 - nonce_len, nonce, nonce_len);
    set_state(state, key, last);
}

void slow_hchacha(uint8_t out[32], const uint8_t key[32], const uint8_t nonce[16], unsigned rounds)
{
    uint32_t x[16];

    set_state(x, key, nonce);
    permute(x, rounds);
    for (unsigned i = 0; i < 4; i++) store(out + 4 * i, x[i], 4), store(out + 16 + 4 * i, x[12 + i], 4);
}

void slow_chacha(uint8_t *out, const uint8_t key[32], const uint8_t *nonce, size_t nonce_len, uint64_t counter,
                 unsigned rounds, const uint8_t *in, size_t len)
{
    uint8_t subkey[32], block[64];
    uint32_t state[16];
    static const uint8_t zeros[64];

    if (nonce_len == 24) {
        slow_hchacha(subkey, key, nonce, rounds);
        key = subkey, nonce += 16, nonce_len = 8;
    }
    for (size_t i = 0; i < len; i++) {
        if (i % 64 == 0) {
            slow_state(state, key, nonce, nonce_len, counter + i / 64);
            slow_chacha_blocks(block, zeros, 1, state, rounds);
        }
        out[i] = in[i] ^ block[i % 64];
    }
}

/* ---- Poly1305: RFC 8439, 2.5, in digits of 8 bits, least significant first --------------------------------------- */

enum { DIGITS = 36 };

static void carry(uint32_t x[DIGITS])
{
    for (unsigned i = 0; i + 1 < DIGITS; i++) x[i + 1] += x[i] >> 8, x[i] &= 255;
}

/* x mod p, p = 2^130 - 5. */
static void reduce(uint32_t x[DIGITS])
{
    uint32_t high[DIGITS], any;

    /* 2^130 = 5: what lies above comes in at the bottom, as often as there is something. */
    do {
        any = 0;
        for (unsigned i = 0; i < DIGITS; i++) {
            unsigned j = i + 16;
            high[i] = j + 1 < DIGITS ? (x[j] >> 2 | x[j + 1] << 6) & 255 : j < DIGITS ? x[j] >> 2 : 0;
            any |= high[i];
        }
        x[16] &= 3;
        memset(x + 17, 0, (DIGITS - 17) * sizeof *x);
        for (unsigned i = 0; i < DIGITS; i++) x[i] += 5 * high[i];
        carry(x);
    } while (any);

    /* Now x < 2^130. If x + 5 reaches 2^130, x - p is what is left of it. */
    memcpy(high, x, sizeof high);
    high[0] += 5;
    carry(high);
    if (high[16] >> 2) {
        high[16] &= 3;
        memcpy(x, high, sizeof high);
    }
}

static void to_digits(uint32_t x[DIGITS], const uint32_t *words, unsigned n)
{
    memset(x, 0, DIGITS * sizeof *x);
    for (unsigned i = 0; i < 4 * n; i++) x[i] = words[i / 4] >> 8 * (i % 4) & 255;
}

static void to_words(uint32_t *words, const uint32_t x[DIGITS], unsigned n)
{
    memset(words, 0, n * sizeof *words);
    for (unsigned i = 0; i < 4 * n; i++) words[i / 4] |= x[i] << 8 * (i % 4);
}

/* x y mod p, for numbers of at most 18 digits. */
static void multiply(uint32_t x[DIGITS], const uint32_t y[DIGITS])
{
    uint32_t product[DIGITS] = {0};

    for (unsigned i = 0; i < 18; i++)
        for (unsigned j = 0; j < 18; j++) product[i + j] += x[i] * y[j];
    carry(product);
    reduce(product);
    memcpy(x, product, sizeof product);
}

void slow_reduce(uint32_t h[5])
{
    uint32_t x[DIGITS];

    to_digits(x, h, 5);
    reduce(x);
    to_words(h, x, 5);
}

void slow_add(uint32_t h[5], const uint32_t b[5])
{
    uint32_t x[DIGITS], y[DIGITS];

    to_digits(x, h, 5);
    to_digits(y, b, 5);
    for (unsigned i = 0; i < DIGITS; i++) x[i] += y[i];
    carry(x);
    reduce(x);
    to_words(h, x, 5);
}

void slow_multiply(uint32_t h[5], const uint32_t b[5])
{
    uint32_t x[DIGITS], y[DIGITS];

    to_digits(x, h, 5);
    to_digits(y, b, 5);
    multiply(x, y);
    to_words(h, x, 5);
}

void slow_clamp(uint32_t r[4])
{
    for (unsigned i = 0; i < 4; i++) r[i] &= i ? 0x0ffffffc : 0x0fffffff;
}

void slow_poly1305_blocks(uint32_t h[5], const uint32_t r[4], const uint8_t *in, size_t nblocks, uint32_t pad)
{
    uint32_t x[DIGITS], y[DIGITS];

    to_digits(x, h, 5);
    to_digits(y, r, 4);
    for (; nblocks; nblocks--, in += 16) {
        for (unsigned i = 0; i < 16; i++) x[i] += in[i];
        x[16] += pad;
        carry(x);
        multiply(x, y);
    }
    to_words(h, x, 5);
}

void slow_poly1305(uint8_t tag[16], const uint8_t key[32], const uint8_t *in, size_t len)
{
    uint32_t h[5] = {0}, r[4];
    uint8_t last[16] = {0};
    uint64_t sum = 0;

    for (unsigned i = 0; i < 4; i++) r[i] = load32(key + 4 * i);
    slow_clamp(r);
    slow_poly1305_blocks(h, r, in, len / 16, 1);
    if (len % 16) {
        memcpy(last, in + len / 16 * 16, len % 16);
        last[len % 16] = 1;
        slow_poly1305_blocks(h, r, last, 1, 0);
    }
    for (unsigned i = 0; i < 4; i++) {
        sum += (uint64_t)h[i] + load32(key + 16 + 4 * i);
        store(tag + 4 * i, sum, 4);
        sum >>= 32;
    }
}

/* ---- AEADs: the table in quickstep.h ----------------------------------------------------------------------------- */

static unsigned rounds_of(qs_alg alg)
{
    return alg == QS_CHACHA8_POLY1305 || alg == QS_XCHACHA8_POLY1305     ? 8
           : alg == QS_CHACHA12_POLY1305 || alg == QS_XCHACHA12_POLY1305 ? 12
                                                                         : 20;
}

/* The stream of an AEAD from block `counter` on. */
static void stream(qs_alg alg, uint8_t *out, const uint8_t *key, const uint8_t *nonce, uint64_t counter,
                   const uint8_t *in, size_t len)
{
    unsigned rounds = rounds_of(alg);
    uint8_t salted[12] = {0};

    switch (alg) {
    case QS_ESP_CHACHA20_POLY1305: memcpy(salted, key + 32, 4); /* fall through */
    case QS_WIREGUARD:
        memcpy(salted + 4, nonce, 8);
        slow_chacha(out, key, salted, 12, counter, rounds, in, len);
        break;
    case QS_TINC_SPTPS: slow_chacha(out, key, nonce, 8, counter, rounds, in, len); break;
    case QS_XCHACHA20_POLY1305:
    case QS_XCHACHA12_POLY1305:
    case QS_XCHACHA8_POLY1305: slow_chacha(out, key, nonce, 24, counter, rounds, in, len); break;
    default: slow_chacha(out, key, nonce, 12, counter, rounds, in, len);
    }
}

void slow_block0(qs_alg alg, uint8_t block[64], const uint8_t *key, const uint8_t *nonce)
{
    static const uint8_t zeros[64];
    stream(alg, block, key, nonce, 0, zeros, sizeof zeros);
}

void slow_seal(qs_alg alg, uint8_t *out, uint8_t tag[16], const uint8_t *key, const uint8_t *nonce, const uint8_t *ad,
               size_t ad_len, const uint8_t *in, size_t len)
{
    static uint8_t covered_bytes[80000 + 64];
    uint8_t block[64], *end = covered_bytes;

    slow_block0(alg, block, key, nonce);
    stream(alg, out, key, nonce, 1, in, len);
    if (alg == QS_TINC_SPTPS) {
        slow_poly1305(tag, block, out, len);
        return;
    }
    memset(covered_bytes, 0, sizeof covered_bytes);
    if (ad_len) memcpy(end, ad, ad_len);
    end += (ad_len + 15) / 16 * 16;
    if (len) memcpy(end, out, len);
    end += (len + 15) / 16 * 16;
    store(end, ad_len, 8);
    store(end + 8, len, 8);
    slow_poly1305(tag, block, covered_bytes, (size_t)(end + 16 - covered_bytes));
}

void slow_openssh_seal(uint8_t *out, uint8_t tag[16], const uint8_t key[64], uint32_t seq, const uint8_t *in,
                       size_t len)
{
    static const uint8_t zeros[64];
    const uint8_t nonce[8] = {0,           0, 0, 0, (uint8_t)(seq >> 24), (uint8_t)(seq >> 16), (uint8_t)(seq >> 8),
                              (uint8_t)seq};
    uint8_t block[64];

    slow_chacha(out, key + 32, nonce, 8, 0, 20, in, 4);
    slow_chacha(out + 4, key, nonce, 8, 1, 20, in + 4, len - 4);
    slow_chacha(block, key, nonce, 8, 0, 20, zeros, sizeof block);
    slow_poly1305(tag, block, out, len);
}

/* ---- packets that share lanes ------------------------------------------------------------------------------------- */

void slow_lanes_arrange(struct qs_lanes *l)
{
    uint32_t states[QS_LANES][12];

    memcpy(states, l->state, sizeof states);
    for (size_t i = 0; i < QS_LANES; i++) memcpy(l->state[i], states[QS_LANES - 1 - i], sizeof states[0]);
    memset(l->scratch, 0x77, sizeof l->scratch);
}

void slow_lanes_blocks(struct qs_lanes *l, const struct qs_lanes_stream *s, uint32_t first, uint32_t n, uint32_t rounds,
                       struct qs_lanes_mac *m)
{
    (void)m;
    uint32_t state[16];
    uint8_t no_key[32] = {0}, no_nonce[8] = {0};

    for (size_t i = first; i < first + n; i++) {
        const struct qs_lanes_place place = s->place[s->packet[i]];
        const size_t at = 64 * (size_t)s->block[i];

        slow_state(state, no_key, no_nonce, 8, 0);
        memcpy(state + 4, l->state[QS_LANES - 1 - s->packet[i] % QS_LANES], 48);
        state[12] = s->block[i];
        slow_chacha_blocks((uint8_t *)(place.out + at), (const uint8_t *)(place.in + at), 1, state, rounds);
    }
}

static size_t append(uint8_t *message, size_t at, const uint8_t *in, size_t len, const uint8_t end[16])
{
    memcpy(message + at, in, len - len % 16);
    at += len - len % 16;
    if (len % 16 == 0) return at;
    memcpy(message + at, end, 16);
    return at + 16;
}

static void slow_tag(struct qs_lanes_mac *m, size_t i)
{
    static uint8_t message[80000];
    size_t at = append(message, 0, m->ad[i], m->ad_len[i], m->ad_end[i]);

    at = append(message, at, m->text[i], m->len[i], m->text_end[i]);
    for (size_t j = 0; j < 8; j++) {
        message[at + j] = (uint8_t)((uint64_t)m->ad_len[i] >> 8 * j);
        message[at + 8 + j] = (uint8_t)((uint64_t)m->len[i] >> 8 * j);
    }
    slow_poly1305(m->tag[i], m->key[i], message, at + 16);
}

static void check_packets(const struct qs_lanes_mac *m)
{
    if (m->n == 0) FAIL("a batch of no packets");
    for (size_t i = m->n; i < QS_LANES; i++)
        if (m->len[i] || m->ad_len[i]) FAIL("packet %zu does not exist and has a length", i);
}

void slow_lanes_tags(struct qs_lanes_mac *m)
{
    check_packets(m);
    if (m->ready != m->n) FAIL("%u of %u packets are ready", m->ready, m->n);
    for (size_t i = 0; i < m->n; i++) slow_tag(m, i);
    memset(m->scratch, 0x77, sizeof m->scratch);
}

/* progress: how many tags were made, and how many packets were ready. */
static void tags_beside(struct qs_lanes_mac *m, size_t end)
{
    check_packets(m);
    if (m->ready > m->n) FAIL("%u of %u packets are ready", m->ready, m->n);
    for (size_t i = m->progress[0]; i < end; i++) slow_tag(m, i);
    if (m->progress[0] < end) m->progress[0] = (uint8_t)end;
}

void slow_lanes_blocks_beside(struct qs_lanes *l, const struct qs_lanes_stream *s, uint32_t first, uint32_t n,
                              uint32_t rounds, struct qs_lanes_mac *m)
{
    slow_lanes_blocks(l, s, first, n, rounds, m);
    tags_beside(m, random_below(m->ready + 1));
    m->made = m->progress[0];
}

void slow_lanes_tags_beside(struct qs_lanes_mac *m)
{
    tags_beside(m, m->ready);
}
