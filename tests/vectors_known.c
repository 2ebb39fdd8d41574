/* SPDX-License-Identifier: MIT
 *
 * Known answers from RFCs and drafts, through every public call that can give them, every pair of rows, every level.
 */
#include "api_message.h"
#include "vectors_data.h"
#include "vectors_hex.h"

enum { LONGEST = 512 };

static qs_status any_chacha(uint8_t *out, const uint8_t *key, const uint8_t *nonce, size_t nonce_len, uint64_t counter,
                            unsigned rounds, const uint8_t *in, size_t len)
{
    if (nonce_len == 12) return qs_chacha_xor(out, key, nonce, (uint32_t)counter, rounds, in, len);
    if (nonce_len == 8) return qs_chacha_djb_xor(out, key, nonce, counter, rounds, in, len);
    return qs_xchacha_xor(out, key, nonce, counter, rounds, in, len);
}

static void check_chacha(const char *text, void *arg)
{
    static const uint8_t zeros[LONGEST];

    (void)arg;
    for (size_t i = 0; i < COUNT(chacha_vectors); i++) {
        uint8_t key[32], nonce[24], want[LONGEST], in[LONGEST] = {0}, out[LONGEST];
        const char *name = chacha_vectors[i].name, *in_hex = chacha_vectors[i].in;
        const uint64_t counter = chacha_vectors[i].counter;
        const unsigned rounds = chacha_vectors[i].rounds;

        assert_int_equal(hex_decode(key, sizeof key, chacha_vectors[i].key), sizeof key);
        const size_t nonce_len = hex_decode(nonce, sizeof nonce, chacha_vectors[i].nonce);
        const size_t len = hex_decode(want, sizeof want, chacha_vectors[i].out);
        if (in_hex) assert_int_equal(hex_decode(in, sizeof in, in_hex), len);

        EXPECT(QS_OK, any_chacha(out, key, nonce, nonce_len, counter, rounds, in, len));
        expect_bytes(out, want, len, "%s, rows %s", name, text);
        EXPECT(QS_OK, any_chacha(out, key, nonce, nonce_len, counter, rounds, out, len));
        expect_bytes(out, in, len, "%s back in place, rows %s", name, text);
        if (!in_hex) {
            EXPECT(QS_OK, any_chacha(out, key, nonce, nonce_len, counter, rounds, NULL, len));
            expect_bytes(out, want, len, "%s as keystream, rows %s", name, text);
        }
        for (size_t at = 0; at < len; at += 64) { /* block by block */
            size_t n = len - at < 64 ? len - at : 64;
            EXPECT(QS_OK, any_chacha(out + at, key, nonce, nonce_len, counter + at / 64, rounds, in + at, n));
        }
        expect_bytes(out, want, len, "%s block by block, rows %s", name, text);
    }
    for (size_t i = 0; i < COUNT(hchacha20_vectors); i++) {
        uint8_t key[32], nonce[16], want[32], out[32];

        hex_decode(key, sizeof key, hchacha20_vectors[i].key);
        hex_decode(nonce, sizeof nonce, hchacha20_vectors[i].nonce);
        assert_int_equal(hex_decode(want, sizeof want, hchacha20_vectors[i].out), 32);
        EXPECT(QS_OK, qs_hchacha(out, key, nonce, 20));
        expect_bytes(out, want, 32, "%s, rows %s", hchacha20_vectors[i].name, text);
        EXPECT(QS_OK, qs_hchacha(key, key, nonce, 20));
        expect_bytes(key, want, 32, "%s in place, rows %s", hchacha20_vectors[i].name, text);
    }

    /* No vectors of HChaCha8 and 12 were published. It is the block function without the feed-forward, whose vectors
     * are above: with a zero key and nonce, words 4 to 15 have nothing to take away. */
    for (unsigned rounds = 8; rounds <= 20; rounds += rounds == 8 ? 4 : 8) {
        const uint8_t *const constants = (const uint8_t *)"expand 32-byte k";
        uint8_t block[64], out[32];

        EXPECT(QS_OK, qs_chacha_djb_xor(block, zeros, zeros, 0, rounds, NULL, 64));
        EXPECT(QS_OK, qs_hchacha(out, zeros, zeros, rounds));
        expect_bytes(out + 16, block + 48, 16, "HChaCha%u, last words, rows %s", rounds, text);
        for (unsigned i = 0; i < 16; i += 4)
            assert_int_equal(qs_load32(block + i) - qs_load32(constants + i), qs_load32(out + i));
    }
}

static void check_poly1305(const char *text, void *arg)
{
    (void)arg;
    for (size_t i = 0; i < COUNT(poly1305_vectors); i++) {
        uint8_t key[32], in[LONGEST], want[16], tag[16];
        const char *name = poly1305_vectors[i].name;
        qs_poly1305_ctx ctx;

        assert_int_equal(hex_decode(key, sizeof key, poly1305_vectors[i].key), sizeof key);
        assert_int_equal(hex_decode(want, sizeof want, poly1305_vectors[i].tag), sizeof want);
        const size_t len = hex_decode(in, sizeof in, poly1305_vectors[i].in);

        qs_poly1305(tag, key, in, len);
        expect_bytes(tag, want, 16, "%s, rows %s", name, text);
        for (size_t cut = 0; cut <= len; cut++) {
            qs_poly1305_init(&ctx, key);
            qs_poly1305_update(&ctx, in, cut);
            qs_poly1305_update(&ctx, in + cut, len - cut);
            qs_poly1305_final(&ctx, tag);
            expect_bytes(tag, want, 16, "%s cut at %zu, rows %s", name, cut, text);
        }
    }
}

static void check_aead(const char *text, void *arg)
{
    (void)arg;
    for (size_t i = 0; i < COUNT(aead_vectors); i++) {
        uint8_t key[64], nonce[24], ad[64], in[LONGEST], want[LONGEST], want_tag[16], out[LONGEST], tag[16];
        const char *name = aead_vectors[i].name;
        qs_aead aead;
        qs_stream s;

        const size_t key_len = hex_decode(key, sizeof key, aead_vectors[i].key);
        const size_t nonce_len = hex_decode(nonce, sizeof nonce, aead_vectors[i].nonce);
        const size_t ad_len = hex_decode(ad, sizeof ad, aead_vectors[i].ad);
        const size_t len = hex_decode(in, sizeof in, aead_vectors[i].in);
        assert_int_equal(hex_decode(want, sizeof want, aead_vectors[i].out), len);
        assert_int_equal(hex_decode(want_tag, sizeof want_tag, aead_vectors[i].tag), sizeof want_tag);

        EXPECT(QS_OK, qs_aead_init(&aead, aead_vectors[i].alg, key, key_len));
        EXPECT(QS_OK, qs_aead_seal(&aead, out, tag, nonce, nonce_len, ad, ad_len, in, len));
        expect_bytes(out, want, len, "%s sealed, rows %s", name, text);
        expect_bytes(tag, want_tag, 16, "%s tag, rows %s", name, text);
        EXPECT(QS_OK, qs_aead_open(&aead, out, nonce, nonce_len, ad, ad_len, out, len, want_tag));
        expect_bytes(out, in, len, "%s opened in place, rows %s", name, text);

        for (size_t cut = 0; cut <= len; cut += 7) {
            const qs_iovec to[] = {{out, cut}, {out + cut, len - cut}};
            const qs_const_iovec from[] = {{in, cut / 2}, {in + cut / 2, len - cut / 2}},
                                 ad_cut[] = {{ad, 3}, {ad + 3, ad_len - 3}};
            EXPECT(QS_OK, qs_aead_sealv(&aead, to, 2, tag, nonce, nonce_len, ad_cut, 2, from, 2));
            expect_bytes(out, want, len, "%s sealed in pieces cut at %zu, rows %s", name, cut, text);
            expect_bytes(tag, want_tag, 16, "%s tag in pieces cut at %zu, rows %s", name, cut, text);

            EXPECT(QS_OK, qs_stream_open_unverified_init(&s, &aead, nonce, nonce_len));
            EXPECT(QS_OK, qs_stream_ad(&s, ad, ad_len));
            EXPECT(QS_OK, qs_stream_text(&s, out, out, cut));
            EXPECT(QS_OK, qs_stream_text(&s, out + cut, out + cut, len - cut));
            EXPECT(QS_OK, qs_stream_open_final(&s, want_tag));
            expect_bytes(out, in, len, "%s opened incrementally cut at %zu, rows %s", name, cut, text);
        }

        qs_packet p = {&aead, out, tag, nonce, ad, ad_len, in, len, QS_ERR_STATE};
        assert_int_equal(qs_seal_packets(&p, 1), 0);
        expect_bytes(out, want, len, "%s as a packet, rows %s", name, text);
        expect_bytes(tag, want_tag, 16, "%s tag as a packet, rows %s", name, text);
        tag[15] ^= 0x80;
        EXPECT(QS_ERR_AUTH, qs_aead_open(&aead, out, nonce, nonce_len, ad, ad_len, out, len, tag));
    }
}

static void check_all(const char *text, void *arg)
{
    check_chacha(text, arg);
    check_poly1305(text, arg);
    check_aead(text, arg);
    covered_chosen("vectors");
}

static void every_pair(void **state)
{
    (void)state;
    each_path(check_all, NULL);
}

static void every_level(void **state)
{
    (void)state;
    each_level(check_all, NULL);
}

static void quic_nonce(void **state)
{
    uint8_t iv[12], want[12], nonce[12];

    (void)state;
    hex_decode(iv, sizeof iv, quic_iv);
    hex_decode(want, sizeof want, quic_nonce_hex);
    qs_nonce_xor(nonce, iv, QUIC_PACKET_NUMBER);
    expect_bytes(nonce, want, 12, "RFC 9001 A.5");

    /* Every bit of the number lands on its bit of the nonce, and leaves the rest alone, also in place. */
    for (unsigned bit = 0; bit < 64; bit++) {
        memcpy(want, iv, 12);
        want[11 - bit / 8] ^= (uint8_t)(1 << bit % 8);
        memcpy(nonce, iv, 12);
        qs_nonce_xor(nonce, nonce, UINT64_C(1) << bit);
        expect_bytes(nonce, want, 12, "bit %u of the record number", bit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_pair), cmocka_unit_test(every_level),
                                       cmocka_unit_test(quic_nonce)};

    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
