/* SPDX-License-Identifier: MIT
 *
 * libsodium: one-shot calls on the key itself.
 */
#include "../peer.h"

#include <sodium.h>

/* Nothing in it can be switched off, but its ChaCha and Poly1305 use nothing above AVX2. */
static const char *start(const char *level, int *held)
{
    *held = bench_level_at(level) >= BENCH_AVX2;
    return sodium_init() < 0 ? NULL : sodium_version_string();
}

static void *prepare(enum bench_op op, const uint8_t key[32])
{
    (void)op;
    void *copy = malloc(32);
    return copy ? memcpy(copy, key, 32) : NULL;
}

static int seal(qs_packet *p)
{
    return crypto_aead_chacha20poly1305_ietf_encrypt_detached(p->out, p->tag, NULL, p->in, p->len, p->ad, p->ad_len,
                                                              NULL, p->nonce, (const uint8_t *)p->aead);
}

static int open_(qs_packet *p)
{
    return crypto_aead_chacha20poly1305_ietf_decrypt_detached(p->out, NULL, p->in, p->len, p->tag, p->ad, p->ad_len,
                                                              p->nonce, (const uint8_t *)p->aead);
}

static int chacha20(qs_packet *p)
{
    return crypto_stream_chacha20_ietf_xor_ic(p->out, p->in, p->len, p->nonce, 1, (const uint8_t *)p->aead);
}

static int xchacha20(qs_packet *p)
{
    return crypto_stream_xchacha20_xor_ic(p->out, p->in, p->len, p->nonce, 1, (const uint8_t *)p->aead);
}

static int mac(qs_packet *p) { return crypto_onetimeauth_poly1305(p->tag, p->in, p->len, p->nonce); }

static int random_bytes(qs_packet *p)
{
    randombytes_buf(p->out, p->len);
    return 0;
}

BENCH_RANDOM_BURST(random_burst, random_bytes)

const struct bench_peer bench_peer = {
    .name = "libsodium",
    .start = start,
    .prepare = prepare,
    .call = {[BENCH_SEAL] = seal,
             [BENCH_OPEN] = open_,
             [BENCH_CHACHA20] = chacha20,
             [BENCH_XCHACHA20] = xchacha20,
             [BENCH_MAC] = mac,
             [BENCH_RANDOM] = random_bytes},
    .random_burst = random_burst,
};
