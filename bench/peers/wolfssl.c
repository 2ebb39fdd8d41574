/* SPDX-License-Identifier: MIT
 *
 * wolfSSL: one-shot calls on the key itself.
 */
#include "../peer.h"

#include <wolfssl/options.h>
#include <wolfssl/version.h>
#include <wolfssl/wolfcrypt/chacha.h>
#include <wolfssl/wolfcrypt/chacha20_poly1305.h>
#include <wolfssl/wolfcrypt/poly1305.h>

struct context {
    uint8_t key[32];
    ChaCha chacha;
    Poly1305 poly1305;
};

/* Distributions build it as plain C; with assembly there is no way to hold it. */
static const char *start(const char *level, int *held)
{
#ifdef USE_INTEL_SPEEDUP
    (void)level;
    *held = 0;
#else
    *held = level != NULL;
#endif
    return LIBWOLFSSL_VERSION_STRING;
}

static void *prepare(enum bench_op op, const uint8_t key[32])
{
    struct context *c = aligned_alloc(64, (sizeof *c + 63) & ~(size_t)63);
    if (!c) return NULL;
    memcpy(c->key, key, 32);
    return op == BENCH_CHACHA20 && wc_Chacha_SetKey(&c->chacha, key, 32) ? NULL : c;
}

static int seal(qs_packet *p)
{
    return wc_ChaCha20Poly1305_Encrypt(((struct context *)p->aead)->key, p->nonce, p->ad, (word32)p->ad_len, p->in,
                                       (word32)p->len, p->out, p->tag);
}

static int open_(qs_packet *p)
{
    return wc_ChaCha20Poly1305_Decrypt(((struct context *)p->aead)->key, p->nonce, p->ad, (word32)p->ad_len, p->in,
                                       (word32)p->len, p->tag, p->out);
}

static int chacha20(qs_packet *p)
{
    ChaCha *c = &((struct context *)p->aead)->chacha;
    return wc_Chacha_SetIV(c, p->nonce, 1) || wc_Chacha_Process(c, p->out, p->in, (word32)p->len);
}

#ifdef HAVE_XCHACHA
static int xchacha20(qs_packet *p)
{
    struct context *c = (struct context *)p->aead;
    return wc_XChacha_SetKey(&c->chacha, c->key, 32, p->nonce, 24, 1) ||
           wc_Chacha_Process(&c->chacha, p->out, p->in, (word32)p->len);
}
#endif

static int mac(qs_packet *p)
{
    Poly1305 *c = &((struct context *)p->aead)->poly1305;
    return wc_Poly1305SetKey(c, p->nonce, 32) || wc_Poly1305Update(c, p->in, (word32)p->len) ||
           wc_Poly1305Final(c, p->tag);
}

const struct bench_peer bench_peer = {
    .name = "wolfssl",
    .start = start,
    .prepare = prepare,
    .call = {[BENCH_SEAL] = seal,
             [BENCH_OPEN] = open_,
             [BENCH_CHACHA20] = chacha20,
             [BENCH_MAC] = mac,
#ifdef HAVE_XCHACHA
             [BENCH_XCHACHA20] = xchacha20
#endif
    },
};
