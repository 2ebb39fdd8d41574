/* SPDX-License-Identifier: MIT
 *
 * The AEADs: the steps of a message, and whole messages in one call.
 */
#include "aead.h"

static const struct qs_alg_info algs[] = {
    [QS_CHACHA20_POLY1305] = {32, 12, 20, QS_RFC8439},    [QS_CHACHA12_POLY1305] = {32, 12, 12, QS_RFC8439},
    [QS_CHACHA8_POLY1305] = {32, 12, 8, QS_RFC8439},      [QS_XCHACHA20_POLY1305] = {32, 24, 20, QS_EXTENDED},
    [QS_XCHACHA12_POLY1305] = {32, 24, 12, QS_EXTENDED},  [QS_XCHACHA8_POLY1305] = {32, 24, 8, QS_EXTENDED},
    [QS_ESP_CHACHA20_POLY1305] = {36, 8, 20, QS_SALTED},  [QS_WIREGUARD] = {32, 8, 20, QS_SALTED},
    [QS_TINC_SPTPS] = {64, 8, 20, QS_SPTPS},
};

const struct qs_alg_info *qs_find_alg(uint32_t alg)
{
    return alg - 1 < sizeof algs / sizeof *algs - 1 ? &algs[alg] : NULL;
}

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

QS_NOINLINE void qs_run_begin(struct qs_run *r, const struct qs_key *key, const uint8_t *nonce)
{
    const struct qs_alg_info *a = &algs[key->alg];
    const uint32_t *words = key->key;

    if (a->form == QS_EXTENDED) {
        qs_keystream_init(&r->cipher, words, qs_load64(nonce), nonce + 8, a->rounds);
        words = qs_keystream_hchacha(&r->cipher);
    }
    const uint32_t word13 = a->form == QS_RFC8439 ? qs_load32(nonce) : key->salt;
    qs_keystream_init(&r->cipher, words, (uint64_t)word13 << 32, nonce + a->nonce_len - 8, a->rounds);
    qs_keystream_block(&r->cipher, r->cipher.block);
    qs_mac_init(&r->mac, r->cipher.block);
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

struct message {
    const qs_aead *aead;
    uint8_t *out;
    const uint8_t *nonce;
    size_t nonce_len;
    const uint8_t *ad;
    size_t ad_len;
    const uint8_t *in;
    size_t len;
    const uint8_t *tag; /* read by open; for seal, where it will be written */
    const void *array;  /* the packets this message is one of, */
    size_t array_len;   /* in bytes; or nothing */
};

/* Is this no place for an output? Text is looked at on its own. */
static int output_touches(const struct message *m, const void *p, size_t len)
{
    return qs_overlap(p, len, m->ad, m->ad_len) || qs_overlap(p, len, m->nonce, m->nonce_len) ||
           qs_overlap(p, len, m->aead, sizeof *m->aead) || qs_overlap(p, len, m->array, m->array_len);
}

static qs_status check(const struct message *m, int sealing)
{
    const struct qs_alg_info *a = qs_alg_of(m->aead);

    if (!a || !m->nonce || m->nonce_len != a->nonce_len || !m->tag || qs_null(m->ad, m->ad_len) ||
        qs_null(m->in, m->len) || qs_null(m->out, m->len) || (a->form == QS_SPTPS && m->ad_len))
        return QS_ERR_ARGUMENT;
    if (!qs_text_fits(a->form, m->len)) return QS_ERR_LENGTH;
    if (qs_overlap_partly(m->out, m->in, m->len) || output_touches(m, m->out, m->len) ||
        qs_overlap(m->tag, QS_TAG_LEN, m->in, m->len) || qs_overlap(m->tag, QS_TAG_LEN, m->out, m->len) ||
        (sealing ? output_touches(m, m->tag, QS_TAG_LEN) : qs_overlap(m->tag, QS_TAG_LEN, m->ad, m->ad_len)))
        return QS_ERR_OVERLAP;
    return QS_OK;
}

static QS_NOINLINE void seal_run(const struct message *m, uint8_t tag[QS_TAG_LEN])
{
    struct qs_run r;

    qs_run_begin(&r, (const struct qs_key *)m->aead, m->nonce);
    qs_run_ad(&r, m->ad, m->ad_len);
    qs_run_text(&r, qs_encrypt_and_authenticate, m->out, m->in, m->len);
    qs_run_end(&r, tag);
}

static QS_NOINLINE qs_status open_run(const struct message *m)
{
    struct qs_run r;

    qs_run_begin(&r, (const struct qs_key *)m->aead, m->nonce);
    qs_run_ad(&r, m->ad, m->ad_len);
    qs_run_authenticate(&r, m->in, m->len);
    qs_status status = qs_run_verify(&r, m->tag);
    if (status == QS_OK) qs_decrypt(&r, m->out, m->in, m->len);
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

qs_status qs_aead_seal(const qs_aead *aead, uint8_t *out, uint8_t tag[16], const uint8_t *nonce, size_t nonce_len,
                       const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len)
{
    const struct message m = {aead, out, nonce, nonce_len, ad, ad_len, in, len, tag, NULL, 0};
    return seal(&m, tag);
}

qs_status qs_aead_open(const qs_aead *aead, uint8_t *out, const uint8_t *nonce, size_t nonce_len, const uint8_t *ad,
                       size_t ad_len, const uint8_t *in, size_t len, const uint8_t tag[16])
{
    const struct message m = {aead, out, nonce, nonce_len, ad, ad_len, in, len, tag, NULL, 0};
    return open(&m);
}

qs_status qs_packet_process(const qs_packet *p, int sealing, const void *array, size_t array_len)
{
    const struct qs_alg_info *a = qs_alg_of(p->aead);
    const struct message m = {p->aead, p->out, p->nonce, a ? a->nonce_len : 0, p->ad, p->ad_len,
                              p->in,   p->len, p->tag,   array,               array_len};
    return sealing ? seal(&m, p->tag) : open(&m);
}
