/* SPDX-License-Identifier: MIT
 *
 * OpenSSL 3 and newer: EVP with a reused context, a new IV for each packet.
 */
#include "../peer.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

static EVP_MAC *poly1305;

/* Held by the mask that the benchmark puts into OPENSSL_ia32cap before this module, and so the library, is loaded. */
static const char *start(const char *level, int *held)
{
    *held = level && getenv("OPENSSL_ia32cap") != NULL;
    poly1305 = EVP_MAC_fetch(NULL, "POLY1305", NULL);
    return OpenSSL_version(OPENSSL_VERSION_STRING);
}

static void *prepare(enum bench_op op, const uint8_t key[32])
{
    if (op == BENCH_MAC) return EVP_MAC_CTX_new(poly1305);

    EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
    const EVP_CIPHER *cipher = op == BENCH_CHACHA20 ? EVP_chacha20() : EVP_chacha20_poly1305();
    return c && EVP_CipherInit_ex(c, cipher, NULL, key, NULL, op != BENCH_OPEN) ? c : NULL;
}

static int seal(qs_packet *p)
{
    EVP_CIPHER_CTX *c = (EVP_CIPHER_CTX *)p->aead;
    int n;
    return !(EVP_EncryptInit_ex(c, NULL, NULL, NULL, p->nonce) &&
             (!p->ad_len || EVP_EncryptUpdate(c, NULL, &n, p->ad, (int)p->ad_len)) &&
             (!p->len || EVP_EncryptUpdate(c, p->out, &n, p->in, (int)p->len)) &&
             EVP_EncryptFinal_ex(c, p->out + p->len, &n) &&
             EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, QS_TAG_LEN, p->tag));
}

static int open_(qs_packet *p)
{
    EVP_CIPHER_CTX *c = (EVP_CIPHER_CTX *)p->aead;
    int n;
    return !(EVP_DecryptInit_ex(c, NULL, NULL, NULL, p->nonce) &&
             EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, QS_TAG_LEN, p->tag) &&
             (!p->ad_len || EVP_DecryptUpdate(c, NULL, &n, p->ad, (int)p->ad_len)) &&
             (!p->len || EVP_DecryptUpdate(c, p->out, &n, p->in, (int)p->len)) &&
             EVP_DecryptFinal_ex(c, p->out + p->len, &n));
}

static int chacha20(qs_packet *p)
{
    EVP_CIPHER_CTX *c = (EVP_CIPHER_CTX *)p->aead;
    uint8_t iv[16] = {1}; /* counter, least significant byte first, and nonce */
    int n;
    memcpy(iv + 4, p->nonce, 12);
    return !(EVP_EncryptInit_ex(c, NULL, NULL, NULL, iv) && EVP_EncryptUpdate(c, p->out, &n, p->in, (int)p->len));
}

static int mac(qs_packet *p)
{
    EVP_MAC_CTX *c = (EVP_MAC_CTX *)p->aead;
    size_t n;
    return !(EVP_MAC_init(c, p->nonce, 32, NULL) && EVP_MAC_update(c, p->in, p->len) &&
             EVP_MAC_final(c, p->tag, &n, QS_TAG_LEN));
}

static int random_bytes(qs_packet *p) { return RAND_bytes(p->out, (int)p->len) != 1; }

BENCH_RANDOM_BURST(random_burst, random_bytes)

const struct bench_peer bench_peer = {
    .name = "openssl",
    .start = start,
    .prepare = prepare,
    .call = {[BENCH_SEAL] = seal,
             [BENCH_OPEN] = open_,
             [BENCH_CHACHA20] = chacha20,
             [BENCH_MAC] = mac,
             [BENCH_RANDOM] = random_bytes},
    .random_burst = random_burst,
};
