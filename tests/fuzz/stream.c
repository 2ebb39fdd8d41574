/* SPDX-License-Identifier: MIT
 *
 * Fuzz target: the incremental calls in any order, with any pieces, each by the rows of any level. A model of the state
 * machine knows what each call returns; the text and tag that come out are those of one call.
 */
#include "oracle.h"

static struct model {
    enum { OVER, AD, TEXT } phase;
    int opening;
    qs_alg alg;
    uint8_t key[64], nonce[24];
    uint8_t ad[MAX_AD], in[MAX_TEXT], out[MAX_TEXT]; /* all that went in and came out so far */
    size_t ad_len, len;
} m;
static qs_stream s;
static qs_aead aead;

static void start(struct input *i)
{
    m.alg = (qs_alg)(1 + take_u8(i) % QS_TINC_SPTPS);
    m.opening = take_u8(i) % 2;
    take_bytes(i, m.key, oracle_key_len(m.alg));
    take_bytes(i, m.nonce, oracle_nonce_len(m.alg));
    m.ad_len = m.len = 0;
    m.phase = AD;
    CHECK_STATUS(qs_aead_init(&aead, m.alg, m.key, oracle_key_len(m.alg)), QS_OK, "qs_aead_init");
    const size_t nonce_len = oracle_nonce_len(m.alg);
    CHECK_STATUS(m.opening ? qs_stream_open_unverified_init(&s, &aead, m.nonce, nonce_len)
                           : qs_stream_seal_init(&s, &aead, m.nonce, nonce_len),
                 QS_OK, "init");
    qs_aead_wipe(&aead); /* not needed any more */
}

static void ad(struct input *i)
{
    const size_t len = take_len(i, MAX_AD - m.ad_len), offset = take_u8(i) % 64;
    uint8_t *p = room(offset, len);
    const qs_status want = m.phase == OVER          ? QS_ERR_STATE
                           : len == 0               ? QS_OK
                           : m.alg == QS_TINC_SPTPS ? QS_ERR_ARGUMENT
                           : m.phase == TEXT        ? QS_ERR_STATE
                                                    : QS_OK;

    take_bytes(i, p, len);
    CHECK_STATUS(qs_stream_ad(&s, len ? p : NULL, len), want, "ad");
    if (want == QS_OK && len) {
        memcpy(m.ad + m.ad_len, p, len);
        m.ad_len += len;
    }
    drop(p, offset);
}

static void text(struct input *i)
{
    const size_t len = take_len(i, MAX_TEXT - m.len), offset = take_u8(i) % 64;
    const int in_place = offset % 2;
    uint8_t *in = room(offset, len), *out = in_place ? in : room(offset / 2, len);
    const qs_status want = m.phase == OVER ? QS_ERR_STATE : QS_OK;

    take_bytes(i, in, len);
    memcpy(m.in + m.len, in, len);
    CHECK_STATUS(qs_stream_text(&s, len ? out : NULL, len ? in : NULL, len), want, "text");
    if (want == QS_OK && len) {
        memcpy(m.out + m.len, out, len);
        m.len += len;
        m.phase = TEXT;
    } else if (want != QS_OK && in_place) {
        CHECK_BYTES(out, m.in + m.len, len, "text refused: written");
    }
    if (!in_place) drop(out, offset / 2);
    drop(in, offset);
}

/* The finals: of this direction or the other, with a right tag or a wrong one. */
static void final(struct input *i)
{
    static uint8_t sealed[MAX_TEXT];
    static const qs_stream wiped;
    uint8_t tag[16] = {0}, got[16] = {0};
    const uint8_t how = take_u8(i);
    const int opening = how & 1, forged = how & 2;

    if (m.phase == OVER || opening != m.opening) {
        CHECK_STATUS(opening ? qs_stream_open_final(&s, tag) : qs_stream_seal_final(&s, tag), QS_ERR_STATE, "final");
        CHECK_BYTES(tag, got, sizeof tag, "final refused: written");
        return;
    }
    if (opening) { /* what came out is the text that gives what went in */
        oracle_seal(m.alg, sealed, tag, m.key, m.nonce, m.ad, m.ad_len, m.out, m.len);
        CHECK_BYTES(sealed, m.in, m.len, "opened text");
        if (forged) tag[how >> 4] ^= (uint8_t)(1 << (how >> 2 & 3));
        CHECK_STATUS(qs_stream_open_final(&s, tag), forged ? QS_ERR_AUTH : QS_OK, "open_final");
    } else {
        oracle_seal(m.alg, sealed, tag, m.key, m.nonce, m.ad, m.ad_len, m.in, m.len);
        CHECK_STATUS(qs_stream_seal_final(&s, got), QS_OK, "seal_final");
        CHECK_BYTES(m.out, sealed, m.len, "sealed text");
        CHECK_BYTES(got, tag, sizeof tag, "tag");
    }
    CHECK(!memcmp(&s, &wiped, sizeof s), "final left something in the stream");
    m.phase = OVER;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input i = {data, size};

    memset(&s, 0, sizeof s);
    m.phase = OVER;
    m.ad_len = m.len = 0;
    if (take_u8(&i) % 8) start(&i); /* else on a zeroed stream */
    while (i.left) {
        const uint8_t how = take_u8(&i);
        if (how < 16) start(&i);
        else if (how < 90) ad(&i);
        else if (how < 210) text(&i);
        else if (how < 240) final(&i);
        else take_level(&i);
    }
    return 0;
}
