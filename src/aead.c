/* SPDX-License-Identifier: MIT
 *
 * The AEADs: the steps of a message, and whole messages in one call.
 */
#include "aead.h"

const struct qs_alg_info qs_algs[QS_TINC_SPTPS + 1] = {
    [QS_CHACHA20_POLY1305] = {32, 12, 20, QS_RFC8439},    [QS_CHACHA12_POLY1305] = {32, 12, 12, QS_RFC8439},
    [QS_CHACHA8_POLY1305] = {32, 12, 8, QS_RFC8439},      [QS_XCHACHA20_POLY1305] = {32, 24, 20, QS_EXTENDED},
    [QS_XCHACHA12_POLY1305] = {32, 24, 12, QS_EXTENDED},  [QS_XCHACHA8_POLY1305] = {32, 24, 8, QS_EXTENDED},
    [QS_ESP_CHACHA20_POLY1305] = {36, 8, 20, QS_SALTED},  [QS_WIREGUARD] = {32, 8, 20, QS_SALTED},
    [QS_TINC_SPTPS] = {64, 8, 20, QS_SPTPS},
};

size_t qs_alg_key_len(qs_alg alg)
{
    const struct qs_alg_info *a = qs_find_alg((uint32_t)alg);
    return a ? a->key_len : 0;
}

size_t qs_alg_nonce_len(qs_alg alg)
{
    const struct qs_alg_info *a = qs_find_alg((uint32_t)alg);
    return a ? a->nonce_len : 0;
}

/* ---- the steps ---------------------------------------------------------------------------------------------------- */

const uint32_t *qs_derive_key(struct qs_keystream *k, const struct qs_key *key, const uint8_t *nonce)
{
    uint32_t tail[4];

    qs_load_words(tail, nonce, 4);
    qs_keystream_init(k, key->key, tail, qs_algs[key->alg].rounds);
    return qs_keystream_hchacha(k);
}

static void keys_begin(struct qs_keystream *cipher, struct qs_mac *mac, const uint32_t key[8], const uint32_t nonce[3],
                       unsigned rounds)
{
    const uint32_t tail[4] = {0, nonce[0], nonce[1], nonce[2]};

    qs_keystream_init(cipher, key, tail, rounds);
    qs_keystream_block(cipher, cipher->block);
    qs_mac_init(mac, cipher->block);
}

QS_NOINLINE void qs_run_begin(struct qs_run *r, const struct qs_key *key, const uint8_t *nonce)
{
    const struct qs_alg_info *a = &qs_algs[key->alg];
    uint32_t words[3];

    qs_nonce_words(words, key, nonce, a);
    keys_begin(&r->cipher, &r->mac, a->form == QS_EXTENDED ? qs_derive_key(&r->cipher, key, nonce) : key->key, words,
               a->rounds);
    r->ad_len = r->text_len = 0;
    r->form = a->form;
    r->phase = QS_IN_AD;
}

QS_NOINLINE void qs_run_ad(struct qs_run *r, const uint8_t *ad, size_t len)
{
    qs_mac_update(&r->mac, ad, len);
    r->ad_len += len;
}

void qs_run_authenticate(struct qs_run *r, const uint8_t *in, size_t len)
{
    if (r->phase == QS_IN_AD) {
        qs_mac_pad(&r->mac);
        r->phase = QS_IN_TEXT;
    }
    qs_mac_update(&r->mac, in, len);
    r->text_len += len;
}

void qs_decrypt(struct qs_run *r, uint8_t *out, const uint8_t *in, size_t len)
{
    qs_keystream_xor(&r->cipher, out, in, len);
}

void qs_encrypt_and_authenticate(struct qs_run *r, uint8_t *out, const uint8_t *in, size_t len)
{
    qs_keystream_xor(&r->cipher, out, in, len);
    qs_run_authenticate(r, out, len);
}

void qs_authenticate_and_decrypt(struct qs_run *r, uint8_t *out, const uint8_t *in, size_t len)
{
    qs_run_authenticate(r, in, len);
    qs_decrypt(r, out, in, len);
}

QS_NOINLINE void qs_run_end(struct qs_run *r, uint8_t tag[QS_TAG_LEN])
{
    if (r->form != QS_SPTPS) qs_mac_lengths(&r->mac, r->ad_len, r->text_len);
    qs_mac_final(&r->mac, tag);
}

QS_NOINLINE qs_status qs_run_verify(struct qs_run *r, const uint8_t tag[QS_TAG_LEN])
{
    uint8_t right[QS_TAG_LEN];

    qs_run_end(r, right);
    return qs_tag_compare(right, tag);
}

QS_NOINLINE void qs_run_text(struct qs_run *r, qs_text_step *step, uint8_t *out, const uint8_t *in, size_t len)
{
    while (len) {
        size_t n = len < QS_CHUNK ? len : QS_CHUNK;
        step(r, out, in, n);
        out += n, in += n, len -= n;
    }
}

/* ---- prepared key ------------------------------------------------------------------------------------------------- */

qs_status qs_aead_init(qs_aead *aead, qs_alg alg, const uint8_t *key, size_t key_len)
{
    const struct qs_alg_info *a = qs_find_alg((uint32_t)alg);
    struct qs_key *k = (struct qs_key *)aead;

    if (!aead || !key || !a || key_len != a->key_len) return QS_ERR_ARGUMENT;
    if (qs_overlap(aead, sizeof *aead, key, key_len)) return QS_ERR_OVERLAP;

    memset(aead, 0, sizeof *aead);
    k->alg = (uint32_t)alg;
    qs_load_words(k->key, key, 8);
    if (alg == QS_ESP_CHACHA20_POLY1305) k->salt = qs_load32(key + 32);
    QS_CLEAR_VECTORS();
    return QS_OK;
}

void qs_aead_wipe(qs_aead *aead)
{
    qs_wipe(aead, sizeof *aead);
}

/* ---- one message in one call -------------------------------------------------------------------------------------- */

/* What the caller gave; from it, once it is checked, what a kernel wants. */
struct call {
    struct qs_message m;
    const qs_aead *aead;
    const uint8_t *nonce;
    size_t nonce_len;
    const void *array; /* the packets that this message is one of, */
    size_t array_len;  /* in bytes; or nothing */
};

/* Without branches on what overlaps what, and all of it down to the kernel's call in the public function: on a small core
 * checks and set-up are a fifteenth of a short packet, and were a sixth. */
static QS_INLINE qs_status check(const struct call *c, const struct qs_alg_info *a, int sealing)
{
    const uint8_t *const out = c->m.out, *const in = c->m.in, *const ad = c->m.ad, *const tag = c->m.tag;
    const size_t len = c->m.len, ad_len = c->m.ad_len;
    unsigned overlap = 0;

    if (!a || !c->nonce || c->nonce_len != a->nonce_len || !tag) return QS_ERR_ARGUMENT;
    if (len && (!in || !out)) return QS_ERR_ARGUMENT;
    if (ad_len && (!ad || a->form == QS_SPTPS)) return QS_ERR_ARGUMENT;
    if (!qs_text_fits(a->form, len)) return QS_ERR_LENGTH;

    if (len) {
        overlap = (out != in) & qs_meet(out, len, in, len);
        overlap |= qs_meet(out, len, tag, QS_TAG_LEN) | qs_meet(in, len, tag, QS_TAG_LEN);
        overlap |= qs_meet(out, len, c->nonce, c->nonce_len) | qs_meet(out, len, c->aead, sizeof *c->aead);
        if (ad_len) overlap |= qs_meet(out, len, ad, ad_len);
        if (c->array_len) overlap |= qs_meet(out, len, c->array, c->array_len);
    }
    if (ad_len) overlap |= qs_meet(ad, ad_len, tag, QS_TAG_LEN);
    if (sealing) {
        overlap |= qs_meet(c->nonce, c->nonce_len, tag, QS_TAG_LEN) | qs_meet(c->aead, sizeof *c->aead, tag, QS_TAG_LEN);
        if (c->array_len) overlap |= qs_meet(tag, QS_TAG_LEN, c->array, c->array_len);
    }
    return overlap ? QS_ERR_OVERLAP : QS_OK;
}

/* A whole message needs none of the bookkeeping that pieces of it do. What is left behind the text's whole blocks is
 * enciphered in `end` and authenticated there, in one go with the block of lengths that follows it. */
struct whole {
    struct qs_keystream cipher;
    struct qs_mac mac;
    uint8_t end[QS_BLOCK_LEN + QS_MAC_BLOCK_LEN];
};

/* Zeros behind len bytes of `end`, up to a block of the MAC's; returns the blocks. */
static size_t pad(uint8_t *end, size_t len)
{
    const size_t padded = (len + QS_MAC_BLOCK_LEN - 1) & ~(size_t)(QS_MAC_BLOCK_LEN - 1);

    memset(end + len, 0, padded - len);
    return padded / QS_MAC_BLOCK_LEN;
}

static void whole_begin(struct whole *w, const struct qs_message *m)
{
    const size_t left = m->ad_len % QS_MAC_BLOCK_LEN, even = m->ad_len - left;

    keys_begin(&w->cipher, &w->mac, m->key, m->nonce, m->rounds);
    if (even) qs_mac_blocks(&w->mac, m->ad, even / QS_MAC_BLOCK_LEN, 1);
    if (left) {
        qs_copy(w->end, m->ad + even, left);
        qs_mac_blocks(&w->mac, w->end, pad(w->end, left), 1);
    }
}

/* The tag, where `left` bytes of text are in `end` and those before have been authenticated. */
static void whole_end(struct whole *w, const struct qs_message *m, enum qs_form form, size_t left, uint8_t *tag)
{
    if (form == QS_SPTPS) qs_mac_update(&w->mac, w->end, left);
    else {
        const size_t n = pad(w->end, left);
        qs_store64(w->end + QS_MAC_BLOCK_LEN * n, m->ad_len);
        qs_store64(w->end + QS_MAC_BLOCK_LEN * n + 8, m->len);
        qs_mac_blocks(&w->mac, w->end, n + 1, 1);
    }
    qs_mac_final(&w->mac, tag);
}

static QS_NOINLINE void seal_run(const struct qs_message *m, enum qs_form form)
{
    struct whole w;
    const size_t left = m->len % QS_BLOCK_LEN;
    const uint8_t *in = m->in;
    uint8_t *out = m->out;

    whole_begin(&w, m);
    for (size_t even = m->len - left, n; even; in += n, out += n, even -= n) {
        n = even < QS_CHUNK ? even : QS_CHUNK;
        qs_keystream_blocks(&w.cipher, out, in, n / QS_BLOCK_LEN);
        qs_mac_blocks(&w.mac, out, n / QS_MAC_BLOCK_LEN, 1);
    }
    if (left) {
        qs_copy(w.end, in, left);
        qs_keystream_blocks(&w.cipher, w.end, w.end, 1);
        qs_copy(out, w.end, left);
    }
    whole_end(&w, m, form, left, m->tag);
}

static QS_NOINLINE qs_status open_run(const struct qs_message *m, enum qs_form form)
{
    struct whole w;
    const size_t left = m->len % QS_BLOCK_LEN, even = m->len - left;
    uint8_t right[QS_TAG_LEN];

    whole_begin(&w, m);
    if (even) qs_mac_blocks(&w.mac, m->in, even / QS_MAC_BLOCK_LEN, 1);
    if (left) qs_copy(w.end, m->in + even, left);
    whole_end(&w, m, form, left, right);
    if (qs_tag_compare(right, m->tag) != QS_OK) return QS_ERR_AUTH;

    if (even) qs_keystream_blocks(&w.cipher, m->out, m->in, even / QS_BLOCK_LEN);
    if (left) {
        qs_keystream_blocks(&w.cipher, w.end, w.end, 1);
        qs_copy(m->out + even, w.end, left);
    }
    return QS_OK;
}

static void seal_steps(const struct qs_message *m, enum qs_form form)
{
    seal_run(m, form);
    qs_stack_wipe();
}

static qs_status open_steps(const struct qs_message *m, enum qs_form form)
{
    qs_status status = open_run(m, form);

    qs_stack_wipe();
    return status;
}

void qs_seal_steps(const struct qs_message *m)
{
    seal_steps(m, QS_RFC8439);
}

qs_status qs_open_steps(const struct qs_message *m)
{
    return open_steps(m, QS_RFC8439);
}

/* To a kernel, all forms but SPTPS are RFC 8439's. */
static QS_INLINE qs_status by_row(const struct qs_message *m, int sealing)
{
    const struct qs_kernel *row = qs_kernel_of(QS_AEAD);

    if (!sealing) return row->blocks.aead.open(m);
    row->blocks.aead.seal(m);
    return QS_OK;
}

static QS_NOINLINE void derive(uint32_t derived[8], const struct qs_key *key, const uint8_t *nonce)
{
    struct qs_keystream k;

    memcpy(derived, qs_derive_key(&k, key, nonce), 32);
}

static QS_NOINLINE qs_status run_extended(struct qs_message *m, const struct qs_key *key, const uint8_t *nonce, int sealing)
{
    uint32_t derived[8];

    derive(derived, key, nonce);
    m->key = derived;
    const qs_status status = by_row(m, sealing);
    qs_wipe(derived, sizeof derived);
    qs_stack_wipe();
    return status;
}

static QS_NOINLINE qs_status run_sptps(const struct qs_message *m, int sealing)
{
    if (!sealing) return open_steps(m, QS_SPTPS);
    seal_steps(m, QS_SPTPS);
    return QS_OK;
}

/* A message that was checked. */
static QS_INLINE qs_status run(struct qs_message *m, const struct qs_key *key, const uint8_t *nonce,
                            const struct qs_alg_info *a, int sealing)
{
    qs_status status;

    m->key = key->key;
    m->rounds = a->rounds;
    qs_nonce_words(m->nonce, key, nonce, a);
    QS_BARRIER(m); /* so that a salt does not wait for its place somewhere on the stack */
    if (QS_LIKELY(a->form < QS_EXTENDED)) status = by_row(m, sealing);
    else if (a->form == QS_EXTENDED) status = run_extended(m, key, nonce, sealing);
    else status = run_sptps(m, sealing);
    m->nonce[0] = 0; /* may have been a salt that belongs to the key */
    QS_BARRIER(m);
    return status;
}

static QS_INLINE qs_status process(struct call *c, int sealing)
{
    const struct qs_alg_info *a = qs_alg_of(c->aead);
    const qs_status status = check(c, a, sealing);

    return status != QS_OK ? status : run(&c->m, (const struct qs_key *)c->aead, c->nonce, a, sealing);
}

/* Member by member: what is not set here is set by `run`, and nothing is cleared for that. */
static QS_INLINE void set_call(struct call *c, const qs_aead *aead, uint8_t *out, const uint8_t *tag, const uint8_t *nonce,
                            size_t nonce_len, const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len,
                            const void *array, size_t array_len)
{
    c->m.out = out;
    c->m.in = in;
    c->m.len = len;
    c->m.ad = ad;
    c->m.ad_len = ad_len;
    c->m.tag = (uint8_t *)(uintptr_t)tag; /* opening only reads it */
    c->aead = aead;
    c->nonce = nonce;
    c->nonce_len = nonce_len;
    c->array = array;
    c->array_len = array_len;
}

qs_status qs_aead_seal(const qs_aead *aead, uint8_t *out, uint8_t tag[16], const uint8_t *nonce, size_t nonce_len,
                       const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len)
{
    struct call c;

    set_call(&c, aead, out, tag, nonce, nonce_len, ad, ad_len, in, len, NULL, 0);
    return process(&c, 1);
}

qs_status qs_aead_open(const qs_aead *aead, uint8_t *out, const uint8_t *nonce, size_t nonce_len, const uint8_t *ad,
                       size_t ad_len, const uint8_t *in, size_t len, const uint8_t tag[16])
{
    struct call c;

    set_call(&c, aead, out, tag, nonce, nonce_len, ad, ad_len, in, len, NULL, 0);
    return process(&c, 0);
}

/* ---- one packet of many ------------------------------------------------------------------------------------------- */

static QS_INLINE void set_packet(struct call *c, const qs_packet *p, const struct qs_alg_info *a, const void *array,
                              size_t array_len)
{
    set_call(c, p->aead, p->out, p->tag, p->nonce, a ? a->nonce_len : 0, p->ad, p->ad_len, p->in, p->len, array, array_len);
}

qs_status qs_packet_check(const qs_packet *p, const struct qs_alg_info *a, int sealing, const void *array,
                          size_t array_len)
{
    struct call c;

    set_packet(&c, p, a, array, array_len);
    return check(&c, a, sealing);
}

qs_status qs_packet_run(const qs_packet *p, const struct qs_alg_info *a, int sealing)
{
    struct call c;

    set_packet(&c, p, a, NULL, 0);
    return run(&c.m, (const struct qs_key *)p->aead, p->nonce, a, sealing);
}

qs_status qs_packet_process(const qs_packet *p, int sealing, const void *array, size_t array_len)
{
    const struct qs_alg_info *a = qs_alg_of(p->aead);
    const qs_status status = qs_packet_check(p, a, sealing, array, array_len);

    return status != QS_OK ? status : qs_packet_run(p, a, sealing);
}
