/* SPDX-License-Identifier: MIT
 *
 * The same random messages through OpenSSL.
 */
#include "api_message.h"

#ifndef HAVE_OPENSSL
SKIPPED("built without OpenSSL")
#else

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

enum { REPEATS = 200 };

#define MUST(call)                                                                                                     \
    do {                                                                                                               \
        if ((call) != 1) FAIL("OpenSSL refuses: %s", #call);                                                           \
    } while (0)

static void aead(const char *text, void *arg)
{
    static const qs_alg algs[] = {QS_CHACHA20_POLY1305, QS_ESP_CHACHA20_POLY1305, QS_WIREGUARD};
    static struct message m;
    static uint8_t theirs[TEXT_MAX], ours[TEXT_MAX];
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();

    (void)arg;
    assert_non_null(ctx);
    for (int i = 0; i < REPEATS; i++) {
        const struct algorithm *a = &algorithms[algs[random_below(COUNT(algs))] - 1];
        uint8_t nonce[12] = {0}, tag[16], their_tag[16];
        int n, at = 0;

        random_message(&m, a, random_below(2) ? random_below(40) : random_below(AD_MAX + 1),
                       random_below(3) ? random_below(600) : random_below(TEXT_MAX + 1));
        memcpy(nonce + 12 - a->nonce_len, m.nonce, a->nonce_len);
        if (a->key_len == 36) memcpy(nonce, m.key + 32, 4);

        MUST(EVP_EncryptInit_ex(ctx, EVP_chacha20_poly1305(), NULL, m.key, nonce));
        for (size_t done = 0; done < m.ad_len;) {
            size_t piece = random_piece(m.ad_len - done);
            if (piece) MUST(EVP_EncryptUpdate(ctx, NULL, &n, m.ad + done, (int)piece));
            done += piece;
        }
        for (size_t done = 0; done < m.len;) {
            size_t piece = random_piece(m.len - done);
            if (piece) MUST(EVP_EncryptUpdate(ctx, theirs + at, &n, m.plain + done, (int)piece));
            else n = 0;
            done += piece, at += n;
        }
        MUST(EVP_EncryptFinal_ex(ctx, theirs + at, &n));
        assert_int_equal(at + n, m.len);
        MUST(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, their_tag));

        EXPECT(QS_OK, qs_aead_seal(&m.aead, ours, tag, m.nonce, a->nonce_len, m.ad, m.ad_len, m.plain, m.len));
        expect_bytes(ours, theirs, m.len, "%s, %zu bytes, rows %s", a->name, m.len, text);
        expect_bytes(tag, their_tag, 16, "%s, tag of %zu + %zu bytes, rows %s", a->name, m.ad_len, m.len, text);
        EXPECT(QS_OK, qs_aead_open(&m.aead, theirs, m.nonce, a->nonce_len, m.ad, m.ad_len, theirs, m.len, their_tag));
        expect_bytes(theirs, m.plain, m.len, "%s opened, %zu bytes, rows %s", a->name, m.len, text);
    }
    EVP_CIPHER_CTX_free(ctx);
    covered_chosen("interop");
}

/* OpenSSL takes all of words 12 to 15 as its IV and carries out of word 12 into word 13: both forms come from it. */
static void stream(const char *text, void *arg)
{
    static uint8_t in[TEXT_MAX], theirs[TEXT_MAX], ours[TEXT_MAX];
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();

    (void)arg;
    assert_non_null(ctx);
    for (int i = 0; i < REPEATS; i++) {
        const size_t len = 1 + random_below(random_below(2) ? 600 : TEXT_MAX), blocks = (len + 63) / 64;
        const int original = (int)random_below(2);
        uint8_t key[32], iv[16];
        uint64_t counter;
        int n, at = 0;

        random_bytes(in, len);
        random_bytes(key, sizeof key);
        random_bytes(iv, sizeof iv);
        if (original) {
            counter = random_u64();
            if (random_below(2)) counter = (counter | UINT32_MAX) - random_below(blocks + 2); /* word 12 wraps */
            if (counter > UINT64_MAX - blocks) counter -= blocks;
            qs_store64(iv, counter);
        } else {
            counter = UINT32_MAX - (blocks - 1) - (random_below(2) ? 0 : random_below(UINT32_MAX - blocks));
            qs_store32(iv, (uint32_t)counter);
        }

        MUST(EVP_EncryptInit_ex(ctx, EVP_chacha20(), NULL, key, iv));
        for (size_t done = 0; done < len;) {
            size_t piece = random_piece(len - done);
            if (piece) MUST(EVP_EncryptUpdate(ctx, theirs + at, &n, in + done, (int)piece));
            else n = 0;
            done += piece, at += n;
        }
        if (original) EXPECT(QS_OK, qs_chacha_djb_xor(ours, key, iv + 8, counter, 20, in, len));
        else EXPECT(QS_OK, qs_chacha_xor(ours, key, iv + 4, (uint32_t)counter, 20, in, len));
        expect_bytes(ours, theirs, len, "%s, counter %llx, %zu bytes, rows %s", original ? "original" : "RFC 8439",
                     (unsigned long long)counter, len, text);
    }
    EVP_CIPHER_CTX_free(ctx);
    covered_chosen("interop");
}

static void mac(const char *text, void *arg)
{
    static uint8_t in[TEXT_MAX];
    EVP_MAC *algorithm = EVP_MAC_fetch(NULL, "POLY1305", NULL);
    EVP_MAC_CTX *ctx = EVP_MAC_CTX_new(algorithm);

    (void)arg;
    assert_non_null(ctx);
    for (int i = 0; i < 5 * REPEATS; i++) {
        const size_t len = random_below(random_below(2) ? 100 : TEXT_MAX + 1);
        uint8_t key[32], theirs[16], ours[16];
        size_t n;
        qs_poly1305_ctx pieces;

        random_dense(in, len);
        random_dense(key, sizeof key);
        MUST(EVP_MAC_init(ctx, key, sizeof key, NULL));
        MUST(EVP_MAC_update(ctx, in, len));
        MUST(EVP_MAC_final(ctx, theirs, &n, sizeof theirs));

        qs_poly1305(ours, key, in, len);
        expect_bytes(ours, theirs, 16, "Poly1305 of %zu bytes, rows %s", len, text);
        qs_poly1305_init(&pieces, key);
        for (size_t done = 0; done < len;) {
            size_t piece = random_piece(len - done);
            qs_poly1305_update(&pieces, in + done, piece);
            done += piece;
        }
        qs_poly1305_final(&pieces, ours);
        expect_bytes(ours, theirs, 16, "Poly1305 of %zu bytes in pieces, rows %s", len, text);
    }
    EVP_MAC_CTX_free(ctx);
    EVP_MAC_free(algorithm);
    covered_chosen("interop");
}

static void openssl_aead(void **state)
{
    (void)state;
    each_path(aead, NULL);
}

static void openssl_chacha20(void **state)
{
    (void)state;
    each_path(stream, NULL);
}

static void openssl_poly1305(void **state)
{
    (void)state;
    each_path(mac, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(openssl_aead), cmocka_unit_test(openssl_chacha20),
                                       cmocka_unit_test(openssl_poly1305)};

    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
