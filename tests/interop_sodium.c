/* SPDX-License-Identifier: MIT
 *
 * The same random messages through libsodium; OpenSSH's and tinc's forms put together from its raw ChaCha20 and
 * Poly1305.
 */
#include "api_message.h"

#ifndef HAVE_SODIUM
SKIPPED("built without libsodium")
#else

#include <sodium.h>

enum { REPEATS = 200 };

static size_t random_len(void) { return random_below(random_below(3) ? 600 : TEXT_MAX + 1); }

static void aead(const char *text, void *arg)
{
    static const qs_alg algs[] = {QS_CHACHA20_POLY1305, QS_XCHACHA20_POLY1305};
    static struct message m;
    static uint8_t theirs[TEXT_MAX], ours[TEXT_MAX];

    (void)arg;
    for (int i = 0; i < REPEATS; i++) {
        const struct algorithm *a = &algorithms[algs[random_below(2)] - 1];
        uint8_t tag[16], their_tag[16];
        unsigned long long tag_len;
        qs_iovec out[PIECES_MAX];
        qs_const_iovec in[PIECES_MAX], ad[PIECES_MAX];

        random_message(&m, a, random_below(random_below(2) ? 40 : AD_MAX + 1), random_len());
        (a->nonce_len == 12 ? crypto_aead_chacha20poly1305_ietf_encrypt_detached
                            : crypto_aead_xchacha20poly1305_ietf_encrypt_detached)(
            theirs, their_tag, &tag_len, m.plain, m.len, m.ad, m.ad_len, NULL, m.nonce, m.key);

        EXPECT(QS_OK, qs_aead_seal(&m.aead, ours, tag, m.nonce, a->nonce_len, m.ad, m.ad_len, m.plain, m.len));
        expect_bytes(ours, theirs, m.len, "%s, %zu bytes, rows %s", a->name, m.len, text);
        expect_bytes(tag, their_tag, 16, "%s, tag of %zu + %zu bytes, rows %s", a->name, m.ad_len, m.len, text);

        memset(ours, 0, m.len);
        size_t out_n = cut_out(out, ours, m.len), in_n = cut_in(in, theirs, m.len), ad_n = cut_in(ad, m.ad, m.ad_len);
        EXPECT(QS_OK, qs_aead_openv(&m.aead, out, out_n, m.nonce, a->nonce_len, ad, ad_n, in, in_n, their_tag));
        expect_bytes(ours, m.plain, m.len, "%s opened in pieces, %zu bytes, rows %s", a->name, m.len, text);
    }
    covered_chosen("interop");
}

static void stream(const char *text, void *arg)
{
    static uint8_t in[TEXT_MAX], theirs[TEXT_MAX], ours[TEXT_MAX];

    (void)arg;
    for (int i = 0; i < REPEATS; i++) {
        const size_t len = random_len(), blocks = (len + 63) / 64;
        uint8_t key[32], nonce[24];
        uint64_t counter = random_u64();

        random_bytes(in, len);
        random_bytes(key, sizeof key);
        random_bytes(nonce, sizeof nonce);
        if (random_below(2)) counter = (counter | UINT32_MAX) - random_below(blocks + 2); /* word 12 wraps */
        if (counter > UINT64_MAX - blocks) counter -= blocks;

        crypto_stream_chacha20_xor_ic(theirs, in, len, nonce, counter, key);
        EXPECT(QS_OK, qs_chacha_djb_xor(ours, key, nonce, counter, 20, in, len));
        expect_bytes(ours, theirs, len, "original, counter %llx, %zu bytes, rows %s", (unsigned long long)counter, len,
                     text);

        crypto_stream_xchacha20_xor_ic(theirs, in, len, nonce, counter, key);
        EXPECT(QS_OK, qs_xchacha_xor(ours, key, nonce, counter, 20, in, len));
        expect_bytes(ours, theirs, len, "XChaCha20, counter %llx, %zu bytes, rows %s", (unsigned long long)counter, len,
                     text);

        const uint32_t counter32 =
            (uint32_t)counter > UINT32_MAX - blocks ? UINT32_MAX - (uint32_t)blocks : (uint32_t)counter;
        crypto_stream_chacha20_ietf_xor_ic(theirs, in, len, nonce, counter32, key);
        EXPECT(QS_OK, qs_chacha_xor(ours, key, nonce, counter32, 20, in, len));
        expect_bytes(ours, theirs, len, "RFC 8439, counter %x, %zu bytes, rows %s", counter32, len, text);

        crypto_core_hchacha20(theirs, nonce, key, NULL);
        EXPECT(QS_OK, qs_hchacha(ours, key, nonce, 20));
        expect_bytes(ours, theirs, 32, "HChaCha20, rows %s", text);
    }
    covered_chosen("interop");
}

static void mac(const char *text, void *arg)
{
    static uint8_t in[TEXT_MAX];

    (void)arg;
    for (int i = 0; i < 5 * REPEATS; i++) {
        const size_t len = random_len();
        uint8_t key[32], theirs[16], ours[16];
        crypto_onetimeauth_state pieces;

        random_dense(in, len);
        random_dense(key, sizeof key);
        crypto_onetimeauth_init(&pieces, key);
        for (size_t done = 0; done < len;) {
            size_t piece = random_piece(len - done);
            crypto_onetimeauth_update(&pieces, in + done, piece);
            done += piece;
        }
        crypto_onetimeauth_final(&pieces, theirs);
        qs_poly1305(ours, key, in, len);
        expect_bytes(ours, theirs, 16, "Poly1305 of %zu bytes, rows %s", len, text);
        EXPECT(QS_OK, qs_tag_verify(ours, theirs));
    }
    covered_chosen("interop");
}

/* tinc 1.1: the first half of the key, sequence number as nonce, Poly1305 key from block 0, the bare ciphertext tagged.
 */
static void tinc(const char *text, void *arg)
{
    static struct message m;
    static uint8_t theirs[TEXT_MAX], ours[TEXT_MAX];

    (void)arg;
    for (int i = 0; i < REPEATS; i++) {
        uint8_t mac_key[32], tag[16], their_tag[16];

        random_message(&m, &algorithms[QS_TINC_SPTPS - 1], 0, random_len());
        crypto_stream_chacha20(mac_key, sizeof mac_key, m.nonce, m.key);
        crypto_stream_chacha20_xor_ic(theirs, m.plain, m.len, m.nonce, 1, m.key);
        crypto_onetimeauth(their_tag, theirs, m.len, mac_key);

        EXPECT(QS_OK, qs_aead_seal(&m.aead, ours, tag, m.nonce, 8, NULL, 0, m.plain, m.len));
        expect_bytes(ours, theirs, m.len, "tinc, %zu bytes, rows %s", m.len, text);
        expect_bytes(tag, their_tag, 16, "tinc, tag of %zu bytes, rows %s", m.len, text);
        EXPECT(QS_OK, qs_aead_open(&m.aead, ours, m.nonce, 8, NULL, 0, ours, m.len, their_tag));
        expect_bytes(ours, m.plain, m.len, "tinc opened, %zu bytes, rows %s", m.len, text);
    }
    covered_chosen("interop");
}

/* PROTOCOL.chacha20poly1305: K_2 is the first half of the key, K_1, for the length, the second. */
static void openssh(const char *text, void *arg)
{
    static uint8_t in[TEXT_MAX], theirs[TEXT_MAX], ours[TEXT_MAX];

    (void)arg;
    for (int i = 0; i < REPEATS; i++) {
        const size_t len = 4 + random_below(random_below(3) ? 600 : TEXT_MAX - 3);
        const uint32_t seq = random_below(2) ? (uint32_t)random_u64() : (uint32_t)random_below(300);
        const uint8_t nonce[8] = {0,           0, 0, 0, (uint8_t)(seq >> 24), (uint8_t)(seq >> 16), (uint8_t)(seq >> 8),
                                  (uint8_t)seq};
        uint8_t key[64], mac_key[32], tag[16], their_tag[16];
        qs_openssh ssh;

        random_bytes(key, sizeof key);
        random_bytes(in, len);
        crypto_stream_chacha20(mac_key, sizeof mac_key, nonce, key);
        crypto_stream_chacha20_xor(theirs, in, 4, nonce, key + 32);
        crypto_stream_chacha20_xor_ic(theirs + 4, in + 4, len - 4, nonce, 1, key);
        crypto_onetimeauth(their_tag, theirs, len, mac_key);

        qs_openssh_init(&ssh, key);
        EXPECT(QS_OK, qs_openssh_seal(&ssh, ours, tag, seq, in, len));
        expect_bytes(ours, theirs, len, "OpenSSH, %zu bytes, rows %s", len, text);
        expect_bytes(tag, their_tag, 16, "OpenSSH, tag of %zu bytes, rows %s", len, text);
        assert_int_equal(qs_openssh_length(&ssh, seq, theirs),
                         (uint32_t)in[0] << 24 | (uint32_t)in[1] << 16 | (uint32_t)in[2] << 8 | in[3]);
        EXPECT(QS_OK, qs_openssh_open(&ssh, theirs, seq, theirs, len, their_tag));
        expect_bytes(theirs, in, len, "OpenSSH opened in place, %zu bytes, rows %s", len, text);
    }
    covered_chosen("interop");
}

static void sodium_aead(void **state)
{
    (void)state;
    each_path(aead, NULL);
}

static void sodium_streams(void **state)
{
    (void)state;
    each_path(stream, NULL);
}

static void sodium_onetimeauth(void **state)
{
    (void)state;
    each_path(mac, NULL);
}

static void sodium_tinc(void **state)
{
    (void)state;
    each_path(tinc, NULL);
}

static void sodium_openssh(void **state)
{
    (void)state;
    each_path(openssh, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sodium_aead), cmocka_unit_test(sodium_streams),
                                       cmocka_unit_test(sodium_onetimeauth), cmocka_unit_test(sodium_tinc),
                                       cmocka_unit_test(sodium_openssh)};

    if (sodium_init() < 0) {
        fprintf(stderr, "libsodium does not start\n");
        return 1;
    }
    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
