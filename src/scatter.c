/* SPDX-License-Identifier: MIT
 *
 * The AEADs, scatter/gather: text and AD in pieces, cut anywhere, out not necessarily where in is.
 */
#include "aead.h"

/* ---- checks ------------------------------------------------------------------------------------------------------- */

/* A piece of in or out, where it is only looked at. */
struct QS_MAY_ALIAS piece {
    const uint8_t *base;
    size_t len;
};
_Static_assert(sizeof(struct piece) == sizeof(qs_iovec) && sizeof(struct piece) == sizeof(qs_const_iovec),
               "pieces look alike");

enum list { AD, IN, OUT, LISTS };

struct message {
    const qs_aead *aead;
    const uint8_t *nonce;
    size_t nonce_len;
    struct {
        const struct piece *v;
        size_t n;
    } list[LISTS];
    const uint8_t *tag;
    uint8_t *seal_tag; /* tag, where seal writes it; NULL for open */
    size_t len[LISTS]; /* totals, found by check */
};

/* Adds up the lengths of a list. */
static qs_status sum_pieces(struct message *m, enum list l)
{
    const struct piece *v = m->list[l].v;
    qs_status status = qs_null(v, m->list[l].n) ? QS_ERR_ARGUMENT : QS_OK;

    m->len[l] = 0;
    for (size_t i = 0; i < m->list[l].n && status != QS_ERR_ARGUMENT; i++) {
        if (qs_null(v[i].base, v[i].len)) status = QS_ERR_ARGUMENT;
        else if (__builtin_add_overflow(m->len[l], v[i].len, &m->len[l])) status = QS_ERR_LENGTH;
    }
    return status;
}

/* Does a stretch of memory touch one of the first n pieces of a list? */
static int touches(const struct message *m, enum list l, size_t n, const void *p, size_t len)
{
    for (size_t i = 0; i < n; i++)
        if (qs_overlap(p, len, m->list[l].v[i].base, m->list[l].v[i].len)) return 1;
    return 0;
}

/* Is this no place for an output? out_n: pieces of out that it must not touch; for a piece itself, those before it. */
static int output_touches(const struct message *m, const void *p, size_t len, size_t out_n)
{
    for (unsigned l = 0; l < LISTS; l++)
        if (qs_overlap(p, len, m->list[l].v, m->list[l].n * sizeof(struct piece))) return 1;
    return touches(m, AD, m->list[AD].n, p, len) || touches(m, OUT, out_n, p, len) ||
           qs_overlap(p, len, m->nonce, m->nonce_len) || qs_overlap(p, len, m->aead, sizeof *m->aead);
}

static int overlaps(const struct message *m)
{
    size_t out_at = 0;

    for (unsigned l = 0; l < LISTS; l++)
        if (touches(m, (enum list)l, m->list[l].n, m->tag, QS_TAG_LEN)) return 1;
    if (m->seal_tag && output_touches(m, m->tag, QS_TAG_LEN, 0)) return 1;

    for (size_t i = 0; i < m->list[OUT].n; i++) {
        const struct piece *out = &m->list[OUT].v[i];
        size_t in_at = 0;

        if (output_touches(m, out->base, out->len, i)) return 1;
        /* Where the distance between address and position is the same, shared bytes are at the same position. */
        for (size_t j = 0; j < m->list[IN].n; j++) {
            const struct piece *in = &m->list[IN].v[j];
            if (qs_overlap(out->base, out->len, in->base, in->len) &&
                (uintptr_t)out->base - out_at != (uintptr_t)in->base - in_at)
                return 1;
            in_at += in->len;
        }
        out_at += out->len;
    }
    return 0;
}

/* Not inlined: what it needs of the stack would come on top of what the work needs. */
static QS_NOINLINE qs_status check(struct message *m)
{
    const struct qs_alg_info *a = qs_alg_of(m->aead);
    qs_status worst = QS_OK;

    if (!a || !m->nonce || m->nonce_len != a->nonce_len || !m->tag) return QS_ERR_ARGUMENT;
    for (unsigned l = 0; l < LISTS; l++) {
        qs_status status = sum_pieces(m, (enum list)l);
        if (l == AD && a->form == QS_SPTPS && (m->len[AD] || status != QS_OK)) status = QS_ERR_ARGUMENT;
        if (status == QS_ERR_ARGUMENT) return status;
        if (status != QS_OK) worst = status;
    }
    if (worst != QS_OK) return worst;
    if (m->len[IN] != m->len[OUT] || !qs_text_fits(a->form, m->len[IN])) return QS_ERR_LENGTH;
    return overlaps(m) ? QS_ERR_OVERLAP : QS_OK;
}

/* ---- work --------------------------------------------------------------------------------------------------------- */

/* Walks the pieces of in and out together, by stretches that are contiguous in both and no longer than a chunk. Their
 * totals are equal. */
static void each_stretch(struct qs_run *r, const struct message *m, qs_text_step *step)
{
    const struct piece *out = m->list[OUT].v, *in = m->list[IN].v;
    size_t out_at = 0, in_at = 0;

    for (size_t left = m->len[IN]; left;) {
        while (out_at == out->len) out++, out_at = 0;
        while (in_at == in->len) in++, in_at = 0;

        size_t n = QS_CHUNK;
        if (n > out->len - out_at) n = out->len - out_at;
        if (n > in->len - in_at) n = in->len - in_at;
        step(r, (uint8_t *)out->base + out_at, in->base + in_at, n);
        out_at += n, in_at += n, left -= n;
    }
}

static QS_NOINLINE qs_status process(const struct message *m)
{
    struct qs_run r;
    qs_status status = QS_OK;

    qs_run_begin(&r, (const struct qs_key *)m->aead, m->nonce);
    for (size_t i = 0; i < m->list[AD].n; i++) qs_run_ad(&r, m->list[AD].v[i].base, m->list[AD].v[i].len);
    if (m->seal_tag) {
        each_stretch(&r, m, qs_encrypt_and_authenticate);
        qs_run_end(&r, m->seal_tag);
    } else {
        for (size_t i = 0; i < m->list[IN].n; i++)
            qs_run_authenticate(&r, m->list[IN].v[i].base, m->list[IN].v[i].len);
        status = qs_run_verify(&r, m->tag);
        if (status == QS_OK) each_stretch(&r, m, qs_decrypt);
    }
    return status;
}

static qs_status check_and_process(struct message *m)
{
    qs_status status = check(m);

    if (status != QS_OK) return status;
    status = process(m);
    qs_stack_wipe();
    return status;
}

qs_status qs_aead_sealv(const qs_aead *aead, const qs_iovec *out, size_t out_n, uint8_t tag[16], const uint8_t *nonce,
                        size_t nonce_len, const qs_const_iovec *ad, size_t ad_n, const qs_const_iovec *in, size_t in_n)
{
    struct message m = {
        .aead = aead, .nonce = nonce, .nonce_len = nonce_len, .tag = tag, .seal_tag = tag,
        .list = {{(const struct piece *)ad, ad_n}, {(const struct piece *)in, in_n}, {(const struct piece *)out, out_n}}};
    return check_and_process(&m);
}

qs_status qs_aead_openv(const qs_aead *aead, const qs_iovec *out, size_t out_n, const uint8_t *nonce,
                        size_t nonce_len, const qs_const_iovec *ad, size_t ad_n, const qs_const_iovec *in,
                        size_t in_n, const uint8_t tag[16])
{
    struct message m = {
        .aead = aead, .nonce = nonce, .nonce_len = nonce_len, .tag = tag,
        .list = {{(const struct piece *)ad, ad_n}, {(const struct piece *)in, in_n}, {(const struct piece *)out, out_n}}};
    return check_and_process(&m);
}
