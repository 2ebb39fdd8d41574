/* SPDX-License-Identifier: MIT */
#include "api_call.h"

static qs_status seal(const struct call *c)
{
    return qs_aead_seal(c->aead, c->out, c->tag, c->nonce, c->nonce_len, c->ad, c->ad_len, c->in, c->len);
}

static qs_status open(const struct call *c)
{
    return qs_aead_open(c->aead, c->out, c->nonce, c->nonce_len, c->ad, c->ad_len, c->in, c->len, c->tag);
}

static qs_status sealv(const struct call *c)
{
    const qs_iovec out = {c->out, c->len};
    const qs_const_iovec ad = {c->ad, c->ad_len}, in = {c->in, c->len};
    return qs_aead_sealv(c->aead, &out, 1, c->tag, c->nonce, c->nonce_len, &ad, 1, &in, 1);
}

static qs_status openv(const struct call *c)
{
    const qs_iovec out = {c->out, c->len};
    const qs_const_iovec ad = {c->ad, c->ad_len}, in = {c->in, c->len};
    return qs_aead_openv(c->aead, &out, 1, c->nonce, c->nonce_len, &ad, 1, &in, 1, c->tag);
}

static qs_status packet(const struct call *c, size_t (*process)(qs_packet *, size_t))
{
    qs_packet p = {c->aead, c->out, c->tag, c->nonce, c->ad, c->ad_len, c->in, c->len, QS_ERR_ENTROPY};
    size_t failed = process(&p, 1);

    if (failed != (p.status != QS_OK)) FAIL("%zu failed, but the status is %d", failed, p.status);
    return p.status;
}

static qs_status seal_packet(const struct call *c) { return packet(c, qs_seal_packets); }

static qs_status open_packet(const struct call *c) { return packet(c, qs_open_packets); }

const struct way ways[WAYS] = {
    {"seal", seal, 0, 1},
    {"open", open, 1, 1},
    {"sealv", sealv, 0, 1},
    {"openv", openv, 1, 1},
    {"seal_packets", seal_packet, 0, 0},
    {"open_packets", open_packet, 1, 0},
};

struct arena arena;
uint8_t arena_want[ARENA_LEN], arena_want_tag[QS_TAG_LEN];

struct call arena_call(const struct algorithm *a, const struct way *w, size_t len)
{
    static struct message m;

    random_message(&m, a, ARENA_AD, len);
    random_bytes(&arena, sizeof arena);
    arena.aead = m.aead;
    memcpy(arena.ad, m.ad, m.ad_len);
    memcpy(arena.nonce, m.nonce, sizeof arena.nonce);
    memcpy(arena_want_tag, m.tag, sizeof m.tag);
    memcpy(arena.in, w->opens ? m.sealed : m.plain, len);
    memcpy(arena_want, w->opens ? m.plain : m.sealed, len);
    if (w->opens) memcpy(arena.tag, m.tag, sizeof m.tag);
    return (struct call){&arena.aead, arena.out, arena.tag, arena.nonce, a->nonce_len,
                         arena.ad,    m.ad_len,  arena.in,  m.len};
}

void arena_expect(const struct way *w, const struct call *c, qs_status status, const char *format, ...)
{
    static struct arena want;
    char text[200];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);

    want = arena;
    const qs_status got = w->run(c);
    if (got != status) FAIL("%s: %s gives %d, should be %d", w->name, text, got, status);
    if (status == QS_OK) {
        if (c->len) memcpy((uint8_t *)&want + (c->out - (uint8_t *)&arena), arena_want, c->len);
        if (!w->opens) memcpy((uint8_t *)&want + (c->tag - (uint8_t *)&arena), arena_want_tag, QS_TAG_LEN);
    }
    expect_bytes((const uint8_t *)&arena, (const uint8_t *)&want, sizeof arena, "%s: %s: memory", w->name, text);
}
