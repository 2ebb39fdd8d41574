/* SPDX-License-Identifier: MIT
 *
 * BoringSSL: an EVP_AEAD context per key.
 */
#include "../peer.h"

#include <openssl/aead.h>
#include <openssl/chacha.h>
#include <openssl/crypto.h>
#include <openssl/poly1305.h>
#include <openssl/rand.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

/* Reads the same mask as OpenSSL. */
static const char *start(const char *level, int *held)
{
    *held = level && getenv("OPENSSL_ia32cap") != NULL;
    return "API " TEXT(BORINGSSL_API_VERSION); /* it has no versions */
}

static void *prepare(enum bench_op op, const uint8_t key[32])
{
    if (op == BENCH_SEAL || op == BENCH_OPEN)
        return EVP_AEAD_CTX_new(EVP_aead_chacha20_poly1305(), key, 32, QS_TAG_LEN);
    void *copy = malloc(32);
    return copy ? memcpy(copy, key, 32) : NULL;
}

static int seal(qs_packet *p)
{
    size_t n;
    return !EVP_AEAD_CTX_seal_scatter((const EVP_AEAD_CTX *)p->aead, p->out, p->tag, &n, QS_TAG_LEN, p->nonce, 12,
                                      p->in, p->len, NULL, 0, p->ad, p->ad_len);
}

static int open_(qs_packet *p)
{
    return !EVP_AEAD_CTX_open_gather((const EVP_AEAD_CTX *)p->aead, p->out, p->nonce, 12, p->in, p->len, p->tag,
                                     QS_TAG_LEN, p->ad, p->ad_len);
}

static int chacha20(qs_packet *p)
{
    CRYPTO_chacha_20(p->out, p->in, p->len, (const uint8_t *)p->aead, p->nonce, 1);
    return 0;
}

static int mac(qs_packet *p)
{
    poly1305_state c;
    CRYPTO_poly1305_init(&c, p->nonce);
    CRYPTO_poly1305_update(&c, p->in, p->len);
    CRYPTO_poly1305_finish(&c, p->tag);
    return 0;
}

static int random_bytes(qs_packet *p) { return RAND_bytes(p->out, p->len) != 1; }

BENCH_RANDOM_BURST(random_burst, random_bytes)

const struct bench_peer bench_peer = {
    .name = "boringssl",
    .start = start,
    .prepare = prepare,
    .call = {[BENCH_SEAL] = seal,
             [BENCH_OPEN] = open_,
             [BENCH_CHACHA20] = chacha20,
             [BENCH_MAC] = mac,
             [BENCH_RANDOM] = random_bytes},
    .random_burst = random_burst,
};
