/* SPDX-License-Identifier: MIT
 *
 * The AEADs incrementally: the steps of a message, called one by one.
 */
#include "aead.h"

static qs_status stream_init(qs_stream *stream, const qs_aead *aead, const uint8_t *nonce, size_t nonce_len,
                             int opening)
{
    struct qs_run *r = (struct qs_run *)stream;
    const struct qs_alg_info *a = qs_alg_of(aead);

    if (!r || !a || !nonce || nonce_len != a->nonce_len) return QS_ERR_ARGUMENT;
    if (qs_overlap(stream, sizeof *stream, aead, sizeof *aead) ||
        qs_overlap(stream, sizeof *stream, nonce, nonce_len))
        return QS_ERR_OVERLAP;

    qs_run_begin(r, (const struct qs_key *)aead, nonce);
    r->opening = (uint8_t)opening;
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

qs_status qs_stream_ad(qs_stream *s, const uint8_t *ad, size_t len)
{
    struct qs_run *r = (struct qs_run *)s;

    if (!r || qs_null(ad, len)) return QS_ERR_ARGUMENT;
    if (r->phase == QS_OVER) return QS_ERR_STATE;
    if (len == 0) return QS_OK;
    if (r->form == QS_SPTPS) return QS_ERR_ARGUMENT;
    if (r->phase != QS_IN_AD) return QS_ERR_STATE;
    if (len > UINT64_MAX - r->ad_len) return QS_ERR_LENGTH;

    qs_run_ad(r, ad, len);
    qs_stack_wipe();
    return QS_OK;
}

qs_status qs_stream_text(qs_stream *s, uint8_t *out, const uint8_t *in, size_t len)
{
    struct qs_run *r = (struct qs_run *)s;

    if (!r || qs_null(out, len) || qs_null(in, len)) return QS_ERR_ARGUMENT;
    if (r->phase == QS_OVER) return QS_ERR_STATE;
    if (len == 0) return QS_OK;
    if (len > UINT64_MAX - r->text_len || !qs_text_fits(r->form, r->text_len + len)) return QS_ERR_LENGTH;
    if (qs_overlap_partly(out, in, len) || qs_overlap(out, len, s, sizeof *s)) return QS_ERR_OVERLAP;

    qs_run_text(r, r->opening ? qs_authenticate_and_decrypt : qs_encrypt_and_authenticate, out, in, len);
    qs_stack_wipe();
    return QS_OK;
}

qs_status qs_stream_seal_final(qs_stream *s, uint8_t tag[16])
{
    struct qs_run *r = (struct qs_run *)s;

    if (!r || !tag) return QS_ERR_ARGUMENT;
    if (r->phase == QS_OVER || r->opening) return QS_ERR_STATE;
    if (qs_overlap(tag, QS_TAG_LEN, s, sizeof *s)) return QS_ERR_OVERLAP;

    qs_run_end(r, tag);
    qs_wipe(s, sizeof *s);
    qs_stack_wipe();
    return QS_OK;
}

qs_status qs_stream_open_final(qs_stream *s, const uint8_t tag[16])
{
    struct qs_run *r = (struct qs_run *)s;

    if (!r || !tag) return QS_ERR_ARGUMENT;
    if (r->phase == QS_OVER || !r->opening) return QS_ERR_STATE;

    qs_status status = qs_run_verify(r, tag);
    qs_wipe(s, sizeof *s);
    qs_stack_wipe();
    return status;
}
