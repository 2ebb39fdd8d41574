/* SPDX-License-Identifier: MIT */
#include "oracle.h"

#include <sodium.h>

/* ---- ChaCha from the textbook, for the rounds that libsodium has not ---------------------------------------------- */

static uint32_t load32(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void store(uint8_t *p, uint64_t x, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) p[i] = (uint8_t)(x >> 8 * i);
}

static void quarter(uint32_t x[16], unsigned a, unsigned b, unsigned c, unsigned d)
{
    static const unsigned amount[] = {16, 12, 8, 7};
    for (unsigned i = 0; i < 4; i++) {
        unsigned to = i % 2 ? c : a, from = i % 2 ? d : b, mix = i % 2 ? b : d;
        x[to] += x[from];
        x[mix] ^= x[to];
        x[mix] = x[mix] << amount[i] | x[mix] >> (32 - amount[i]);
    }
}

/* The permutation of constants, key and 16 bytes of input; with the feed-forward or without. */
static void permute(uint8_t out[64], const uint8_t key[32], const uint8_t input[16], unsigned rounds, int feed_forward)
{
    uint32_t state[16], x[16];

    for (unsigned i = 0; i < 4; i++) state[i] = load32((const uint8_t *)"expand 32-byte k" + 4 * i);
    for (unsigned i = 0; i < 8; i++) state[4 + i] = load32(key + 4 * i);
    for (unsigned i = 0; i < 4; i++) state[12 + i] = load32(input + 4 * i);
    memcpy(x, state, sizeof x);
    for (unsigned i = 0; i < rounds; i++)
        for (unsigned j = 0; j < 4; j++)
            if (i % 2) quarter(x, j, 4 + (j + 1) % 4, 8 + (j + 2) % 4, 12 + (j + 3) % 4);
            else quarter(x, j, 4 + j, 8 + j, 12 + j);
    for (unsigned i = 0; i < 16; i++) store(out + 4 * i, feed_forward ? x[i] + state[i] : x[i], 4);
}

static void textbook_hchacha(uint8_t out[32], const uint8_t key[32], const uint8_t nonce[16], unsigned rounds)
{
    uint8_t block[64];

    permute(block, key, nonce, rounds, 0);
    memcpy(out, block, 16);
    memcpy(out + 16, block + 48, 16);
}

static void textbook_chacha(uint8_t *out, const uint8_t key[32], const uint8_t *nonce, size_t nonce_len,
                            uint64_t counter, unsigned rounds, const uint8_t *in, size_t len)
{
    uint8_t block[64], input[16], subkey[32];

    if (nonce_len == 24) {
        textbook_hchacha(subkey, key, nonce, rounds);
        key = subkey, nonce += 16, nonce_len = 8;
    }
    memcpy(input + 16 - nonce_len, nonce, nonce_len);
    for (size_t i = 0; i < len; i++) {
        if (i % 64 == 0) {
            store(input, counter++, (unsigned)(16 - nonce_len));
            permute(block, key, input, rounds, 1);
        }
        out[i] = in[i] ^ block[i % 64];
    }
}

/* ---- streams and MAC ---------------------------------------------------------------------------------------------- */

void oracle_chacha(uint8_t *out, const uint8_t key[32], const uint8_t *nonce, size_t nonce_len, uint64_t counter,
                   unsigned rounds, const uint8_t *in, size_t len)
{
    if (rounds != 20) textbook_chacha(out, key, nonce, nonce_len, counter, rounds, in, len);
    else if (nonce_len == 12) crypto_stream_chacha20_ietf_xor_ic(out, in, len, nonce, (uint32_t)counter, key);
    else if (nonce_len == 8) crypto_stream_chacha20_xor_ic(out, in, len, nonce, counter, key);
    else crypto_stream_xchacha20_xor_ic(out, in, len, nonce, counter, key);
}

void oracle_hchacha(uint8_t out[32], const uint8_t key[32], const uint8_t nonce[16], unsigned rounds)
{
    if (rounds == 20) crypto_core_hchacha20(out, nonce, key, NULL);
    else textbook_hchacha(out, key, nonce, rounds);
}

void oracle_poly1305(uint8_t tag[16], const uint8_t key[32], const uint8_t *in, size_t len)
{
    crypto_onetimeauth_poly1305(tag, in, len, key);
}

/* ---- AEADs -------------------------------------------------------------------------------------------------------- */

size_t oracle_key_len(qs_alg alg)
{
    return alg == QS_ESP_CHACHA20_POLY1305 ? 36 : alg == QS_TINC_SPTPS ? 64 : 32;
}

size_t oracle_nonce_len(qs_alg alg)
{
    if (alg >= QS_ESP_CHACHA20_POLY1305) return 8;
    return alg >= QS_XCHACHA20_POLY1305 ? 24 : 12;
}

static void add(crypto_onetimeauth_poly1305_state *mac, const uint8_t *p, size_t len)
{
    static const uint8_t zeros[16];
    crypto_onetimeauth_poly1305_update(mac, p, len);
    crypto_onetimeauth_poly1305_update(mac, zeros, (16 - len % 16) % 16);
}

/* RFC 8439, 2.8, with any number of rounds. */
static void textbook_seal(uint8_t *out, uint8_t tag[16], const uint8_t key[32], const uint8_t nonce[12],
                          unsigned rounds, const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len)
{
    static const uint8_t zeros[32];
    uint8_t mac_key[32], lengths[16];
    crypto_onetimeauth_poly1305_state mac;

    oracle_chacha(mac_key, key, nonce, 12, 0, rounds, zeros, sizeof mac_key);
    oracle_chacha(out, key, nonce, 12, 1, rounds, in, len);
    crypto_onetimeauth_poly1305_init(&mac, mac_key);
    add(&mac, ad, ad_len);
    add(&mac, out, len);
    store(lengths, ad_len, 8);
    store(lengths + 8, len, 8);
    add(&mac, lengths, sizeof lengths);
    crypto_onetimeauth_poly1305_final(&mac, tag);
}

void oracle_seal(qs_alg alg, uint8_t *out, uint8_t tag[16], const uint8_t *key, const uint8_t *nonce, const uint8_t *ad,
                 size_t ad_len, const uint8_t *in, size_t len)
{
    static const uint8_t zeros[32];
    uint8_t full_nonce[12] = {0}, subkey[32];
    const unsigned rounds = alg == QS_CHACHA12_POLY1305 || alg == QS_XCHACHA12_POLY1305 ? 12
                            : alg == QS_CHACHA8_POLY1305 || alg == QS_XCHACHA8_POLY1305 ? 8
                                                                                        : 20;

    if (oracle_nonce_len(alg) == 8) memcpy(full_nonce + 4, nonce, 8);
    switch (alg) {
    case QS_CHACHA20_POLY1305:
        crypto_aead_chacha20poly1305_ietf_encrypt_detached(out, tag, NULL, in, len, ad, ad_len, NULL, nonce, key);
        break;
    case QS_XCHACHA20_POLY1305:
        crypto_aead_xchacha20poly1305_ietf_encrypt_detached(out, tag, NULL, in, len, ad, ad_len, NULL, nonce, key);
        break;
    case QS_ESP_CHACHA20_POLY1305:
        memcpy(full_nonce, key + 32, 4); /* fall through */
    case QS_WIREGUARD:
        crypto_aead_chacha20poly1305_ietf_encrypt_detached(out, tag, NULL, in, len, ad, ad_len, NULL, full_nonce, key);
        break;
    case QS_TINC_SPTPS:
        oracle_chacha(subkey, key, nonce, 8, 0, 20, zeros, sizeof subkey);
        oracle_chacha(out, key, nonce, 8, 1, 20, in, len);
        oracle_poly1305(tag, subkey, out, len);
        break;
    case QS_CHACHA12_POLY1305:
    case QS_CHACHA8_POLY1305:
        textbook_seal(out, tag, key, nonce, rounds, ad, ad_len, in, len);
        break;
    default:
        textbook_hchacha(subkey, key, nonce, rounds);
        memcpy(full_nonce + 4, nonce + 16, 8);
        textbook_seal(out, tag, subkey, full_nonce, rounds, ad, ad_len, in, len);
    }
}

/* PROTOCOL.chacha20poly1305 of OpenSSH. */
void oracle_openssh_seal(uint8_t *out, uint8_t tag[16], const uint8_t key[64], uint32_t seq, const uint8_t *in,
                         size_t len)
{
    static const uint8_t zeros[32];
    uint8_t nonce[8] = {0}, mac_key[32];

    for (unsigned i = 0; i < 4; i++) nonce[7 - i] = (uint8_t)(seq >> 8 * i);
    oracle_chacha(mac_key, key, nonce, 8, 0, 20, zeros, sizeof mac_key);
    oracle_chacha(out, key + 32, nonce, 8, 0, 20, in, 4);
    oracle_chacha(out + 4, key, nonce, 8, 1, 20, in + 4, len - 4);
    oracle_poly1305(tag, mac_key, out, len);
}

/* The textbook must agree with libsodium where both have an answer. */
__attribute__((constructor)) static void compare_textbook(void)
{
    uint8_t key[36], nonce[24], in[200], a[200], b[200], a_tag[16], b_tag[16];
    static const uint8_t nonce_lens[] = {8, 12, 24};

    CHECK(sodium_init() >= 0, "libsodium does not start");
    for (unsigned i = 0; i < sizeof in; i++) in[i] = (uint8_t)(7 * i);
    memcpy(key, in + 9, sizeof key);
    memcpy(nonce, in + 77, sizeof nonce);
    for (unsigned i = 0; i < COUNT(nonce_lens); i++) {
        uint64_t counter = nonce_lens[i] == 12 ? 5 : UINT32_MAX;
        oracle_chacha(a, key, nonce, nonce_lens[i], counter, 20, in, sizeof in);
        textbook_chacha(b, key, nonce, nonce_lens[i], counter, 20, in, sizeof in);
        CHECK_BYTES(b, a, sizeof a, "textbook ChaCha");
    }
    oracle_seal(QS_CHACHA20_POLY1305, a, a_tag, key, nonce, in, 21, in, sizeof in);
    textbook_seal(b, b_tag, key, nonce, 20, in, 21, in, sizeof in);
    CHECK_BYTES(b, a, sizeof a, "textbook AEAD");
    CHECK_BYTES(b_tag, a_tag, sizeof a_tag, "textbook tag");
}
