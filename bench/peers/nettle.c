/* SPDX-License-Identifier: MIT
 *
 * nettle: a reused context, a new nonce for each packet. It has no Poly1305 by itself.
 */
#include "../peer.h"

#include <stdio.h>

#include <nettle/chacha-poly1305.h>
#include <nettle/chacha.h>
#include <nettle/memops.h>
#include <nettle/version.h>

/* On x86-64 its ChaCha is SSE2 assembly: nothing to hold back, and nothing below it. */
static const char *start(const char *level, int *held)
{
    static char version[16];
    *held = bench_level_at(level) >= BENCH_SSSE3;
    snprintf(version, sizeof version, "%d.%d", nettle_version_major(), nettle_version_minor());
    return version;
}

static void *prepare(enum bench_op op, const uint8_t key[32])
{
    void *c = malloc(sizeof(struct chacha_poly1305_ctx));
    if (c && op == BENCH_CHACHA20) chacha_set_key(c, key);
    else if (c) chacha_poly1305_set_key(c, key);
    return c;
}

static int seal(qs_packet *p)
{
    struct chacha_poly1305_ctx *c = (struct chacha_poly1305_ctx *)p->aead;
    chacha_poly1305_set_nonce(c, p->nonce);
    chacha_poly1305_update(c, p->ad_len, p->ad);
    chacha_poly1305_encrypt(c, p->len, p->out, p->in);
    chacha_poly1305_digest(c, QS_TAG_LEN, p->tag);
    return 0;
}

static int open_(qs_packet *p)
{
    struct chacha_poly1305_ctx *c = (struct chacha_poly1305_ctx *)p->aead;
    uint8_t tag[QS_TAG_LEN];
    chacha_poly1305_set_nonce(c, p->nonce);
    chacha_poly1305_update(c, p->ad_len, p->ad);
    chacha_poly1305_decrypt(c, p->len, p->out, p->in);
    chacha_poly1305_digest(c, QS_TAG_LEN, tag);
    return !memeql_sec(tag, p->tag, QS_TAG_LEN);
}

static int chacha20(qs_packet *p)
{
    static const uint8_t one[4] = {1};
    struct chacha_ctx *c = (struct chacha_ctx *)p->aead;
    chacha_set_nonce96(c, p->nonce);
    chacha_set_counter32(c, one);
    chacha_crypt32(c, p->len, p->out, p->in);
    return 0;
}

const struct bench_peer bench_peer = {
    .name = "nettle",
    .start = start,
    .prepare = prepare,
    .call = {[BENCH_SEAL] = seal, [BENCH_OPEN] = open_, [BENCH_CHACHA20] = chacha20},
};
