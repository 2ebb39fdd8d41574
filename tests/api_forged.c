/* SPDX-License-Identifier: MIT
 *
 * Forged messages: any bit changed anywhere is QS_ERR_AUTH, and the output is as it was, in place or not.
 */
#include "api_call.h"

enum { LEN = 67 }; /* a block and a ragged end */

static void forge(const struct way *w, struct call *c, uint8_t *bytes, size_t len, const char *what, const char *text)
{
    for (size_t bit = 0; bit < 8 * len; bit++)
        for (unsigned in_place = 0; in_place < 2; in_place++) {
            bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
            c->out = in_place ? arena.in : arena.out;
            arena_expect(w, c, QS_ERR_AUTH, "bit %zu of %s, in place %u, rows %s", bit, what, in_place, text);
            bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
}

static void every_bit(const char *text, void *arg)
{
    (void)arg;
    for (size_t i = 0; i < ALGORITHMS * WAYS; i++) {
        const struct algorithm *a = &algorithms[i / WAYS];
        const struct way *w = &ways[i % WAYS];
        if (!w->opens) continue;
        struct call c = arena_call(a, w, LEN);

        forge(w, &c, arena.tag, sizeof arena.tag, "tag", text);
        forge(w, &c, arena.in, LEN, "text", text);
        forge(w, &c, arena.nonce, a->nonce_len, "nonce", text);
        if (c.ad_len) forge(w, &c, arena.ad, c.ad_len, "AD", text);

        /* Another length: of text, of AD; text that became AD. */
        for (c.len = 0; c.len < LEN; c.len++) arena_expect(w, &c, QS_ERR_AUTH, "%s cut to %zu", a->name, c.len);
        c.len = LEN + 1;
        arena_expect(w, &c, QS_ERR_AUTH, "%s grown", a->name);
        c.len = LEN;
        for (; c.ad_len > 0; c.ad_len--) {
            if (c.ad_len < ARENA_AD) arena_expect(w, &c, QS_ERR_AUTH, "%s, AD cut to %zu", a->name, c.ad_len);
        }
        if (a->alg != QS_TINC_SPTPS) {
            arena_expect(w, &c, QS_ERR_AUTH, "%s, no AD", a->name);
            c.ad_len = ARENA_AD;
        }

        /* Special tags. */
        static const uint8_t bytes[] = {0x00, 0xff, 0x80};
        for (size_t j = 0; j < sizeof bytes; j++) {
            memset(arena.tag, bytes[j], 16);
            arena_expect(w, &c, QS_ERR_AUTH, "%s, tag of %02x", a->name, bytes[j]);
        }
        memcpy(arena.tag, arena_want_tag, 16);
        c.out = arena.in;
        arena_expect(w, &c, QS_OK, "%s, unforged, rows %s", a->name, text);
    }
    covered_chosen("rules");
}

static void messages(void **state)
{
    (void)state;
    each_path(every_bit, NULL);
}

static void keys(void **state)
{
    static struct message m;
    uint8_t out[LEN], canary[LEN];
    qs_aead aead;

    (void)state;
    memset(canary, 0x5a, sizeof canary);
    memcpy(out, canary, sizeof out);
    for (size_t i = 0; i < ALGORITHMS; i++) {
        const struct algorithm *a = &algorithms[i];
        const size_t used = a->alg == QS_TINC_SPTPS ? 32 : a->key_len; /* tinc: the second half is not used */

        random_message(&m, a, 20, LEN);
        for (size_t bit = 0; bit < 8 * a->key_len; bit++) {
            m.key[bit / 8] ^= (uint8_t)(1 << bit % 8);
            EXPECT(QS_OK, qs_aead_init(&aead, a->alg, m.key, a->key_len));
            EXPECT(bit < 8 * used ? QS_ERR_AUTH : QS_OK,
                   qs_aead_open(&aead, out, m.nonce, a->nonce_len, m.ad, m.ad_len, m.sealed, LEN, m.tag));
            expect_bytes(out, bit < 8 * used ? canary : m.plain, LEN, "%s, bit %zu of the key", a->name, bit);
            memcpy(out, canary, sizeof out);
            m.key[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    }
}

static void openssh(const char *text, void *arg)
{
    uint8_t key[64], plain[LEN], sealed[LEN], tag[16], out[LEN], canary[LEN];
    const uint32_t seq = (uint32_t)random_u64();
    qs_openssh ssh;

    (void)arg;
    random_bytes(key, sizeof key);
    random_bytes(plain, sizeof plain);
    slow_openssh_seal(sealed, tag, key, seq, plain, LEN);
    qs_openssh_init(&ssh, key);
    for (size_t bit = 0; bit < 8 * LEN + 128 + 32; bit++) {
        const size_t b = bit < 8 * LEN ? bit : bit < 8 * LEN + 128 ? bit - 8 * LEN : bit - 8 * LEN - 128;
        uint8_t *forged = bit < 8 * LEN ? sealed : tag;
        uint32_t s = seq;

        if (bit < 8 * LEN + 128) forged[b / 8] ^= (uint8_t)(1 << b % 8);
        else s ^= UINT32_C(1) << b;
        memset(out, 0x5a, sizeof out);
        EXPECT(QS_ERR_AUTH, qs_openssh_open(&ssh, out, s, sealed, LEN, tag));
        for (size_t i = 0; i < LEN; i++) assert_int_equal(out[i], 0x5a);
        memcpy(canary, sealed, LEN);
        EXPECT(QS_ERR_AUTH, qs_openssh_open(&ssh, sealed, s, sealed, LEN, tag));
        expect_bytes(sealed, canary, LEN, "OpenSSH, bit %zu, in place, rows %s", bit, text);
        if (bit < 8 * LEN + 128) forged[b / 8] ^= (uint8_t)(1 << b % 8);
    }
    for (size_t len = 4; len < LEN; len++) EXPECT(QS_ERR_AUTH, qs_openssh_open(&ssh, out, seq, sealed, len, tag));
    EXPECT(QS_OK, qs_openssh_open(&ssh, sealed, seq, sealed, LEN, tag));
    expect_bytes(sealed, plain, LEN, "OpenSSH, unforged, rows %s", text);
    covered_chosen("rules");
}

static void openssh_packets(void **state)
{
    (void)state;
    each_path(openssh, NULL);
}

/* qs_tag_verify: one bit, several bits that could cancel, and equal ones. */
static void tags(void **state)
{
    uint8_t a[16], b[16];

    (void)state;
    for (unsigned i = 0; i < 1000; i++) {
        random_dense(a, sizeof a);
        memcpy(b, a, sizeof b);
        EXPECT(QS_OK, qs_tag_verify(a, b));
        for (unsigned bit = 0; bit < 128; bit++) {
            b[bit / 8] ^= (uint8_t)(1 << bit % 8);
            EXPECT(QS_ERR_AUTH, qs_tag_verify(a, b));
            EXPECT(QS_ERR_AUTH, qs_tag_verify(b, a));
            b[(bit / 8 + 8) % 16] ^= (uint8_t)(1 << bit % 8); /* the same bit of the other half */
            EXPECT(QS_ERR_AUTH, qs_tag_verify(a, b));
            b[(bit / 8 + 4) % 16] ^= (uint8_t)(1 << bit % 8);
            EXPECT(QS_ERR_AUTH, qs_tag_verify(a, b));
            memcpy(b, a, sizeof b);
        }
        random_bytes(b, sizeof b);
        EXPECT(QS_ERR_AUTH, qs_tag_verify(a, b));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(messages), cmocka_unit_test(keys),
                                       cmocka_unit_test(openssh_packets), cmocka_unit_test(tags)};

    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
