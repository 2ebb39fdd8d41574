/* SPDX-License-Identifier: MIT
 *
 * The AEADs: one message in one call, whole or in pieces, and incrementally. All are the same five steps: begin, AD, text,
 * lengths, tag. The one-shot calls are scatter/gather of one piece.
 */
#include "internal.h"

enum form {
    RFC8439, /* 96-bit nonce; tag over padded AD, padded text and both lengths */
    SALTED,  /* the same, where the nonce is 4 bytes from the key and 8 from the caller */
    XCHACHA, /* the same on a key from HChaCha, where the nonce is 4 zeros and the last 8 bytes of the caller's */
    SPTPS    /* 64-bit nonce; tag over the text alone */
};

static const struct alg {
    uint8_t key_len, nonce_len, rounds, form;
} algs[] = {
    [QS_CHACHA20_POLY1305] = {32, 12, 20, RFC8439},     [QS_CHACHA12_POLY1305] = {32, 12, 12, RFC8439},
    [QS_CHACHA8_POLY1305] = {32, 12, 8, RFC8439},       [QS_XCHACHA20_POLY1305] = {32, 24, 20, XCHACHA},
    [QS_XCHACHA12_POLY1305] = {32, 24, 12, XCHACHA},    [QS_XCHACHA8_POLY1305] = {32, 24, 8, XCHACHA},
    [QS_ESP_CHACHA20_POLY1305] = {36, 8, 20, SALTED},   [QS_WIREGUARD] = {32, 8, 20, SALTED},
    [QS_TINC_SPTPS] = {64, 8, 20, SPTPS},
};

static const struct alg *find_alg(uint32_t alg)
{
    return alg - 1 < sizeof algs / sizeof *algs - 1 ? &algs[alg] : NULL;
}

size_t qs_alg_key_len(qs_alg alg)
{
    const struct alg *a = find_alg((uint32_t)alg);
    return a ? a->key_len : 0;
}

size_t qs_alg_nonce_len(qs_alg alg)
{
    const struct alg *a = find_alg((uint32_t)alg);
    return a ? a->nonce_len : 0;
}

/* What a qs_aead holds. A wiped one has alg 0, which is none. */
struct QS_MAY_ALIAS key {
    uint32_t alg;
    uint8_t salt[4];
    uint8_t key[32];
};
_Static_assert(sizeof(struct key) <= sizeof(qs_aead), "qs_aead is large enough");

/* What a qs_stream holds, and the one-shot calls have on their stack. A wiped one has phase OVER. */
enum phase { OVER, IN_AD, IN_TEXT };

struct QS_MAY_ALIAS stream {
    struct qs_keystream cipher;
    struct qs_mac mac;
    uint64_t ad_len, text_len;
    uint8_t alg, phase, opening;
};
_Static_assert(sizeof(struct stream) <= sizeof(qs_stream), "qs_stream is large enough");

/* The last block's number is 2^32 - 1, or 2^64 - 1 for a 64-bit counter; text begins with block 1. */
static int text_fits(const struct alg *a, uint64_t len)
{
    return qs_blocks_remain(1, len, a->form == SPTPS ? UINT64_MAX : UINT32_MAX);
}

/* ---- the five steps ----------------------------------------------------------------------------------------------- */

static void begin(struct stream *s, const struct key *key, const uint8_t *nonce)
{
    const struct alg *a = find_alg(key->alg);
    uint8_t full_nonce[12];

    if (a->form == RFC8439 || a->form == SPTPS) {
        qs_keystream_init(&s->cipher, key->key, nonce, a->nonce_len, 0, a->rounds);
    } else {
        memcpy(full_nonce, key->salt, 4);
        memcpy(full_nonce + 4, nonce + a->nonce_len - 8, 8);
        if (a->form == XCHACHA) qs_hchacha_derive(s->cipher.block, key->key, nonce, a->rounds);
        qs_keystream_init(&s->cipher, a->form == XCHACHA ? s->cipher.block : key->key, full_nonce, 12, 0, a->rounds);
    }
    qs_keystream_block(&s->cipher, s->cipher.block);
    qs_mac_init(&s->mac, s->cipher.block);
    s->ad_len = s->text_len = 0;
    s->alg = (uint8_t)key->alg;
    s->phase = IN_AD;
}

static void add_ad(struct stream *s, const uint8_t *ad, size_t len)
{
    qs_mac_update(&s->mac, ad, len);
    s->ad_len += len;
}

static void end_ad(struct stream *s)
{
    if (s->phase == IN_AD) qs_mac_pad(&s->mac);
    s->phase = IN_TEXT;
}

static void authenticate(struct stream *s, const uint8_t *in, size_t len)
{
    qs_mac_update(&s->mac, in, len);
    s->text_len += len;
}

/* Long text goes in chunks, so that Poly1305 finds what ChaCha has just written in the first-level cache. */
enum { CHUNK = 4096 };

static void encrypt_and_authenticate(struct stream *s, uint8_t *out, const uint8_t *in, size_t len)
{
    while (len) {
        size_t n = len < CHUNK ? len : CHUNK;
        qs_keystream_xor(&s->cipher, out, in, n);
        authenticate(s, out, n);
        out += n, in += n, len -= n;
    }
}

static void authenticate_and_decrypt(struct stream *s, uint8_t *out, const uint8_t *in, size_t len)
{
    while (len) {
        size_t n = len < CHUNK ? len : CHUNK;
        authenticate(s, in, n);
        qs_keystream_xor(&s->cipher, out, in, n);
        out += n, in += n, len -= n;
    }
}

static void finish(struct stream *s, uint8_t tag[QS_TAG_LEN])
{
    if (algs[s->alg].form != SPTPS) {
        uint8_t lengths[QS_MAC_BLOCK_LEN];
        qs_mac_pad(&s->mac);
        qs_store64(lengths, s->ad_len);
        qs_store64(lengths + 8, s->text_len);
        qs_mac_update(&s->mac, lengths, sizeof lengths);
    }
    qs_mac_final(&s->mac, tag);
}

/* ---- prepared key ------------------------------------------------------------------------------------------------- */

qs_status qs_aead_init(qs_aead *aead, qs_alg alg, const uint8_t *key, size_t key_len)
{
    const struct alg *a = find_alg((uint32_t)alg);
    struct key *k = (struct key *)aead;

    if (!aead || !key || !a || key_len != a->key_len) return QS_ERR_ARGUMENT;
    if (qs_overlap(aead, sizeof *aead, key, key_len)) return QS_ERR_OVERLAP;

    memset(aead, 0, sizeof *aead);
    k->alg = (uint32_t)alg;
    memcpy(k->key, key, sizeof k->key);
    if (alg == QS_ESP_CHACHA20_POLY1305) memcpy(k->salt, key + 32, sizeof k->salt);
    QS_CLEAR_VECTORS();
    return QS_OK;
}

void qs_aead_wipe(qs_aead *aead)
{
    qs_wipe(aead, sizeof *aead);
}

/* ---- one message in one call -------------------------------------------------------------------------------------- */

/* A piece of in or out, where it is only looked at. */
struct QS_MAY_ALIAS piece {
    const uint8_t *base;
    size_t len;
};
_Static_assert(sizeof(struct piece) == sizeof(qs_iovec) && sizeof(struct piece) == sizeof(qs_const_iovec),
               "pieces look alike");

struct message {
    const qs_aead *aead;
    const uint8_t *nonce;
    size_t nonce_len;
    const struct piece *ad;
    size_t ad_n;
    const struct piece *in;
    size_t in_n;
    const struct piece *out;
    size_t out_n;
    const uint8_t *tag;  /* read by open; for seal, where it will be written */
    const void *array;   /* the packets this message is one of, */
    size_t array_len;    /* in bytes; or nothing */
};

static const struct alg *alg_of(const qs_aead *aead)
{
    return aead ? find_alg(((const struct key *)aead)->alg) : NULL;
}

static int null_pieces(const struct piece *v, size_t n)
{
    if (qs_null(v, n)) return 1;
    for (size_t i = 0; i < n; i++)
        if (qs_null(v[i].base, v[i].len)) return 1;
    return 0;
}

/* Adds up lengths; nonzero if the sum does not fit. */
static int sum_pieces(const struct piece *v, size_t n, size_t *sum)
{
    *sum = 0;
    for (size_t i = 0; i < n; i++)
        if (__builtin_add_overflow(*sum, v[i].len, sum)) return 1;
    return 0;
}

static int overlap_pieces(const void *p, size_t len, const struct piece *v, size_t n)
{
    if (qs_overlap(p, len, v, n * sizeof *v)) return 1;
    for (size_t i = 0; i < n; i++)
        if (qs_overlap(p, len, v[i].base, v[i].len)) return 1;
    return 0;
}

static int overlaps_inputs(const struct message *m, const void *p, size_t len)
{
    return overlap_pieces(p, len, m->ad, m->ad_n) || qs_overlap(p, len, m->nonce, m->nonce_len) ||
           qs_overlap(p, len, m->aead, sizeof *m->aead) || qs_overlap(p, len, m->array, m->array_len);
}

static int overlap_error(const struct message *m, int sealing)
{
    const struct piece *out = m->out;
    size_t out_at = 0;

    if (overlap_pieces(m->tag, QS_TAG_LEN, out, m->out_n) || overlap_pieces(m->tag, QS_TAG_LEN, m->in, m->in_n) ||
        overlap_pieces(m->tag, QS_TAG_LEN, m->ad, m->ad_n) || (sealing && overlaps_inputs(m, m->tag, QS_TAG_LEN)))
        return 1;

    for (size_t i = 0; i < m->out_n; out_at += out[i].len, i++) {
        const void *base = out[i].base;
        size_t len = out[i].len, in_at = 0;

        if (overlaps_inputs(m, base, len) || overlap_pieces(base, len, out, i) ||
            qs_overlap(base, len, out, m->out_n * sizeof *out) || qs_overlap(base, len, m->in, m->in_n * sizeof *m->in))
            return 1;

        /* Where the distance between address and position is the same, shared bytes are at the same position. */
        for (size_t j = 0; j < m->in_n; in_at += m->in[j].len, j++)
            if (qs_overlap(base, len, m->in[j].base, m->in[j].len) &&
                (uintptr_t)base - out_at != (uintptr_t)m->in[j].base - in_at)
                return 1;
    }
    return 0;
}

static qs_status check(const struct message *m, int sealing)
{
    const struct alg *a = alg_of(m->aead);
    size_t ad_len, in_len, out_len;

    if (!a || !m->nonce || m->nonce_len != a->nonce_len || !m->tag || null_pieces(m->ad, m->ad_n) ||
        null_pieces(m->in, m->in_n) || null_pieces(m->out, m->out_n))
        return QS_ERR_ARGUMENT;
    int ad_overflow = sum_pieces(m->ad, m->ad_n, &ad_len);
    if (a->form == SPTPS && (ad_len || ad_overflow)) return QS_ERR_ARGUMENT;
    if (ad_overflow || sum_pieces(m->in, m->in_n, &in_len) ||
        sum_pieces(m->out, m->out_n, &out_len) || in_len != out_len || !text_fits(a, in_len))
        return QS_ERR_LENGTH;
    return overlap_error(m, sealing) ? QS_ERR_OVERLAP : QS_OK;
}

/* Walks pieces of out and in together, stretch by stretch of what is contiguous in both. */
struct walk {
    const struct piece *out, *in;
    size_t out_n, out_at, in_at;
};

static size_t next_stretch(struct walk *w, uint8_t **out, const uint8_t **in)
{
    while (w->out_n && w->out->len == w->out_at) w->out++, w->out_n--, w->out_at = 0;
    if (w->out_n == 0) return 0;
    while (w->in->len == w->in_at) w->in++, w->in_at = 0; /* totals are equal: there is more */

    size_t out_left = w->out->len - w->out_at, in_left = w->in->len - w->in_at;
    size_t n = out_left < in_left ? out_left : in_left;
    *out = (uint8_t *)w->out->base + w->out_at;
    *in = w->in->base + w->in_at;
    w->out_at += n;
    w->in_at += n;
    return n;
}

static void begin_message(struct stream *s, const struct message *m)
{
    begin(s, (const struct key *)m->aead, m->nonce);
    for (size_t i = 0; i < m->ad_n; i++) add_ad(s, m->ad[i].base, m->ad[i].len);
    end_ad(s);
}

static QS_NOINLINE void seal_run(const struct message *m, uint8_t tag[QS_TAG_LEN])
{
    struct stream s;
    struct walk w = {m->out, m->in, m->out_n, 0, 0};
    uint8_t *out;
    const uint8_t *in;

    begin_message(&s, m);
    for (size_t n; (n = next_stretch(&w, &out, &in)) != 0;) encrypt_and_authenticate(&s, out, in, n);
    finish(&s, tag);
    qs_wipe(&s, sizeof s);
}

static QS_NOINLINE qs_status open_run(const struct message *m)
{
    struct stream s;
    struct walk w = {m->out, m->in, m->out_n, 0, 0};
    uint8_t *out, tag[QS_TAG_LEN];
    const uint8_t *in;

    begin_message(&s, m);
    for (size_t i = 0; i < m->in_n; i++) authenticate(&s, m->in[i].base, m->in[i].len);
    finish(&s, tag);
    qs_status status = qs_tag_compare(tag, m->tag);
    if (status == QS_OK)
        for (size_t n; (n = next_stretch(&w, &out, &in)) != 0;) qs_keystream_xor(&s.cipher, out, in, n);
    qs_wipe(&s, sizeof s);
    qs_wipe(tag, sizeof tag); /* the right tag of a forged message is a secret */
    return status;
}

static qs_status seal(const struct message *m, uint8_t tag[QS_TAG_LEN])
{
    qs_status status = check(m, 1);

    if (status != QS_OK) return status;
    seal_run(m, tag);
    qs_stack_wipe();
    return QS_OK;
}

static qs_status open(const struct message *m)
{
    qs_status status = check(m, 0);

    if (status != QS_OK) return status;
    status = open_run(m);
    qs_stack_wipe();
    return status;
}

qs_status qs_aead_sealv(const qs_aead *aead, const qs_iovec *out, size_t out_n, uint8_t tag[16], const uint8_t *nonce,
                        size_t nonce_len, const qs_const_iovec *ad, size_t ad_n, const qs_const_iovec *in, size_t in_n)
{
    const struct message m = {aead, nonce,      nonce_len,    (const struct piece *)ad,  ad_n,  (const struct piece *)in,
                              in_n, (const struct piece *)out, out_n, tag, NULL, 0};
    return seal(&m, tag);
}

qs_status qs_aead_openv(const qs_aead *aead, const qs_iovec *out, size_t out_n, const uint8_t *nonce,
                        size_t nonce_len, const qs_const_iovec *ad, size_t ad_n, const qs_const_iovec *in,
                        size_t in_n, const uint8_t tag[16])
{
    const struct message m = {aead, nonce,      nonce_len,    (const struct piece *)ad,  ad_n,  (const struct piece *)in,
                              in_n, (const struct piece *)out, out_n, tag, NULL, 0};
    return open(&m);
}

qs_status qs_aead_seal(const qs_aead *aead, uint8_t *out, uint8_t tag[16], const uint8_t *nonce, size_t nonce_len,
                       const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len)
{
    const struct piece a = {ad, ad_len}, i = {in, len}, o = {out, len};
    const struct message m = {aead, nonce, nonce_len, &a, 1, &i, 1, &o, 1, tag, NULL, 0};
    return seal(&m, tag);
}

qs_status qs_aead_open(const qs_aead *aead, uint8_t *out, const uint8_t *nonce, size_t nonce_len, const uint8_t *ad,
                       size_t ad_len, const uint8_t *in, size_t len, const uint8_t tag[16])
{
    const struct piece a = {ad, ad_len}, i = {in, len}, o = {out, len};
    const struct message m = {aead, nonce, nonce_len, &a, 1, &i, 1, &o, 1, tag, NULL, 0};
    return open(&m);
}

/* The algorithm says how long the nonce is. */
static size_t packet_nonce_len(const qs_packet *p)
{
    const struct alg *a = alg_of(p->aead);
    return a ? a->nonce_len : 0;
}

qs_status qs_packet_seal(const qs_packet *p, const void *array, size_t array_len)
{
    const struct piece a = {p->ad, p->ad_len}, i = {p->in, p->len}, o = {p->out, p->len};
    const struct message m = {p->aead, p->nonce, packet_nonce_len(p), &a, 1, &i, 1, &o, 1, p->tag, array, array_len};
    return seal(&m, p->tag);
}

qs_status qs_packet_open(const qs_packet *p, const void *array, size_t array_len)
{
    const struct piece a = {p->ad, p->ad_len}, i = {p->in, p->len}, o = {p->out, p->len};
    const struct message m = {p->aead, p->nonce, packet_nonce_len(p), &a, 1, &i, 1, &o, 1, p->tag, array, array_len};
    return open(&m);
}

/* ---- incremental -------------------------------------------------------------------------------------------------- */

static QS_NOINLINE void stream_init_run(struct stream *s, const qs_aead *aead, const uint8_t *nonce, int opening)
{
    begin(s, (const struct key *)aead, nonce);
    s->opening = (uint8_t)opening;
}

static qs_status stream_init(qs_stream *s, const qs_aead *aead, const uint8_t *nonce, size_t nonce_len, int opening)
{
    const struct alg *a = alg_of(aead);

    if (!s || !a || !nonce || nonce_len != a->nonce_len) return QS_ERR_ARGUMENT;
    if (qs_overlap(s, sizeof *s, aead, sizeof *aead) || qs_overlap(s, sizeof *s, nonce, nonce_len))
        return QS_ERR_OVERLAP;
    stream_init_run((struct stream *)s, aead, nonce, opening);
    qs_stack_wipe();
    return QS_OK;
}

qs_status qs_stream_seal_init(qs_stream *s, const qs_aead *aead, const uint8_t *nonce, size_t nonce_len)
{
    return stream_init(s, aead, nonce, nonce_len, 0);
}

qs_status qs_stream_open_unverified_init(qs_stream *s, const qs_aead *aead, const uint8_t *nonce, size_t nonce_len)
{
    return stream_init(s, aead, nonce, nonce_len, 1);
}

static QS_NOINLINE void stream_ad_run(struct stream *s, const uint8_t *ad, size_t len)
{
    add_ad(s, ad, len);
}

qs_status qs_stream_ad(qs_stream *stream, const uint8_t *ad, size_t len)
{
    struct stream *s = (struct stream *)stream;

    if (!s || qs_null(ad, len)) return QS_ERR_ARGUMENT;
    if (s->phase == OVER) return QS_ERR_STATE;
    if (len == 0) return QS_OK;
    if (algs[s->alg].form == SPTPS) return QS_ERR_ARGUMENT;
    if (s->phase != IN_AD) return QS_ERR_STATE;
    if (len > UINT64_MAX - s->ad_len) return QS_ERR_LENGTH;

    stream_ad_run(s, ad, len);
    qs_stack_wipe();
    return QS_OK;
}

static QS_NOINLINE void stream_text_run(struct stream *s, uint8_t *out, const uint8_t *in, size_t len)
{
    end_ad(s);
    if (s->opening) authenticate_and_decrypt(s, out, in, len);
    else encrypt_and_authenticate(s, out, in, len);
}

qs_status qs_stream_text(qs_stream *stream, uint8_t *out, const uint8_t *in, size_t len)
{
    struct stream *s = (struct stream *)stream;

    if (!s || qs_null(out, len) || qs_null(in, len)) return QS_ERR_ARGUMENT;
    if (s->phase == OVER) return QS_ERR_STATE;
    if (len == 0) return QS_OK;
    if (len > UINT64_MAX - s->text_len || !text_fits(&algs[s->alg], s->text_len + len)) return QS_ERR_LENGTH;
    if (qs_overlap_partly(out, in, len) || qs_overlap(out, len, s, sizeof(qs_stream))) return QS_ERR_OVERLAP;

    stream_text_run(s, out, in, len);
    qs_stack_wipe();
    return QS_OK;
}

static QS_NOINLINE void stream_seal_final_run(struct stream *s, uint8_t tag[QS_TAG_LEN])
{
    end_ad(s);
    finish(s, tag);
}

qs_status qs_stream_seal_final(qs_stream *stream, uint8_t tag[16])
{
    struct stream *s = (struct stream *)stream;

    if (!s || !tag) return QS_ERR_ARGUMENT;
    if (s->phase == OVER || s->opening) return QS_ERR_STATE;
    if (qs_overlap(tag, QS_TAG_LEN, s, sizeof(qs_stream))) return QS_ERR_OVERLAP;

    stream_seal_final_run(s, tag);
    qs_wipe(stream, sizeof *stream);
    qs_stack_wipe();
    return QS_OK;
}

static QS_NOINLINE qs_status stream_open_final_run(struct stream *s, const uint8_t tag[QS_TAG_LEN])
{
    uint8_t right[QS_TAG_LEN];

    end_ad(s);
    finish(s, right);
    qs_status status = qs_tag_compare(right, tag);
    qs_wipe(right, sizeof right);
    return status;
}

qs_status qs_stream_open_final(qs_stream *stream, const uint8_t tag[16])
{
    struct stream *s = (struct stream *)stream;

    if (!s || !tag) return QS_ERR_ARGUMENT;
    if (s->phase == OVER || !s->opening) return QS_ERR_STATE;

    qs_status status = stream_open_final_run(s, tag);
    qs_wipe(stream, sizeof *stream);
    qs_stack_wipe();
    return status;
}
