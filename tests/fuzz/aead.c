/* SPDX-License-Identifier: MIT
 *
 * Fuzz target: one message in one call. Sealed, opened, forged; wrong lengths; and every buffer anywhere in one small
 * stretch of memory, so that all overlaps come up.
 */
#include "oracle.h"

/* What one call is given. */
struct message {
    qs_alg alg;
    uint8_t key[64], nonce[24], ad[MAX_AD], text[MAX_TEXT];
    size_t ad_len, len;
    qs_aead aead;
};

static void take_message(struct input *i, struct message *m, size_t max_ad, size_t max_len)
{
    m->alg = (qs_alg)(1 + take_u8(i) % QS_TINC_SPTPS);
    m->ad_len = m->alg == QS_TINC_SPTPS ? 0 : take_len(i, max_ad);
    m->len = take_len(i, max_len);
    take_bytes(i, m->key, oracle_key_len(m->alg));
    take_bytes(i, m->nonce, oracle_nonce_len(m->alg));
    take_bytes(i, m->ad, m->ad_len);
    take_bytes(i, m->text, m->len);
    CHECK_STATUS(qs_aead_init(&m->aead, m->alg, m->key, oracle_key_len(m->alg)), QS_OK, "qs_aead_init");
}

static void refuse(struct input *i)
{
    static struct message m;
    uint8_t key[64], out[64], tag[16], want[64];
    qs_aead aead, before;

    take_message(i, &m, 32, 64);
    const qs_alg alg = (qs_alg)take_u8(i);
    const size_t key_len = take_u8(i) % 70, nonce_len = take_u8(i) % 30;
    const int known = alg >= QS_CHACHA20_POLY1305 && alg <= QS_TINC_SPTPS;

    memset(&aead, 0x5a, sizeof aead);
    before = aead;
    take_bytes(i, key, sizeof key);
    CHECK(qs_alg_key_len(alg) == (known ? oracle_key_len(alg) : 0), "key length of algorithm %d", (int)alg);
    CHECK(qs_alg_nonce_len(alg) == (known ? oracle_nonce_len(alg) : 0), "nonce length of algorithm %d", (int)alg);
    if (known && key_len == oracle_key_len(alg)) return;
    CHECK_STATUS(qs_aead_init(&aead, alg, key, key_len), QS_ERR_ARGUMENT, "qs_aead_init");
    CHECK(!memcmp(&aead, &before, sizeof aead), "a refused qs_aead_init wrote");

    if (nonce_len == oracle_nonce_len(m.alg)) return;
    memset(out, 0xa5, sizeof out);
    memcpy(want, out, sizeof want);
    memset(tag, 0xa5, sizeof tag);
    CHECK_STATUS(qs_aead_seal(&m.aead, out, tag, key, nonce_len, m.ad, m.ad_len, m.text, m.len), QS_ERR_ARGUMENT,
                 "nonce length");
    CHECK_STATUS(qs_aead_open(&m.aead, out, key, nonce_len, m.ad, m.ad_len, m.text, m.len, tag), QS_ERR_ARGUMENT,
                 "nonce length");
    qs_aead_wipe(&m.aead);
    CHECK_STATUS(qs_aead_seal(&m.aead, out, tag, m.nonce, oracle_nonce_len(m.alg), m.ad, m.ad_len, m.text, m.len),
                 QS_ERR_ARGUMENT, "wiped key");
    CHECK_BYTES(out, want, sizeof out, "refused");
    CHECK_BYTES(tag, want, sizeof tag, "refused");
}

static void seal_open_forge(struct input *i)
{
    static struct message m;
    uint8_t want[MAX_TEXT], want_tag[16];

    take_message(i, &m, MAX_AD, MAX_TEXT);
    const size_t nonce_len = oracle_nonce_len(m.alg), offset = take_u8(i) % 64, shift = take_u8(i) % 64;
    const int in_place = take_u8(i) % 2;
    uint8_t *out = room(offset, m.len + 16), *in = in_place ? out : room(shift, m.len), *tag = out + m.len;
    uint8_t *ad = room(shift, m.ad_len);
    memcpy(ad, m.ad, m.ad_len);
    memcpy(in, m.text, m.len);
    oracle_seal(m.alg, want, want_tag, m.key, m.nonce, m.ad, m.ad_len, m.text, m.len);

    CHECK_STATUS(qs_aead_seal(&m.aead, out, tag, m.nonce, nonce_len, ad, m.ad_len, in, m.len), QS_OK, "seal");
    CHECK_BYTES(out, want, m.len, "seal");
    CHECK_BYTES(tag, want_tag, 16, "seal: tag");

    take_level(i);
    if (!in_place) memcpy(in, out, m.len);

    /* One bit of text, AD, nonce or tag; nothing may be revealed. */
    uint8_t *const parts[] = {tag, in, ad, m.nonce};
    const size_t lens[] = {16, m.len, m.ad_len, nonce_len}, part = take_u8(i) % COUNT(parts);
    if (lens[part]) {
        uint8_t *byte = parts[part] + take_below(i, lens[part]), bit = (uint8_t)(1 << take_u8(i) % 8);
        *byte ^= bit;
        memcpy(want, out, m.len);
        CHECK_STATUS(qs_aead_open(&m.aead, out, m.nonce, nonce_len, ad, m.ad_len, in, m.len, tag), QS_ERR_AUTH,
                     "open forged");
        CHECK_BYTES(out, want, m.len, "open forged: written");
        *byte ^= bit;
    }
    CHECK_STATUS(qs_aead_open(&m.aead, out, m.nonce, nonce_len, ad, m.ad_len, in, m.len, tag), QS_OK, "open");
    CHECK_BYTES(out, m.text, m.len, "open");
    drop(ad, shift);
    if (!in_place) drop(in, shift);
    drop(out, offset);
}

static void overlaps(struct input *i)
{
    static struct message m;
    uint8_t stretch[256], before[256], want[64], want_tag[16];
    enum { FREE = 160 }; /* every buffer begins below this */

    take_message(i, &m, 32, 64);
    const size_t nonce_len = oracle_nonce_len(m.alg);
    take_bytes(i, stretch, sizeof stretch);
    uint8_t *out = stretch + take_u8(i) % FREE, *in = stretch + take_u8(i) % FREE, *tag = stretch + take_u8(i) % FREE,
            *ad = stretch + take_u8(i) % FREE, *nonce = stretch + take_u8(i) % FREE;
    const uint8_t how = take_u8(i);
    if (how & 1) in = out;
    if (how & 2) tag = out + m.len;
    memcpy(before, stretch, sizeof before);

    const int overlap = (in != out && touch(out, m.len, in, m.len)) || touch(out, m.len, ad, m.ad_len) ||
                        touch(out, m.len, nonce, nonce_len) || touch(tag, 16, out, m.len) ||
                        touch(tag, 16, in, m.len) || touch(tag, 16, ad, m.ad_len);
    oracle_seal(m.alg, want, want_tag, m.key, nonce, ad, m.ad_len, in, m.len);

    if (overlap || touch(tag, 16, nonce, nonce_len)) {
        CHECK_STATUS(qs_aead_seal(&m.aead, out, tag, nonce, nonce_len, ad, m.ad_len, in, m.len), QS_ERR_OVERLAP,
                     "seal overlapping");
        CHECK_BYTES(stretch, before, sizeof stretch, "seal overlapping: written");
    } else {
        CHECK_STATUS(qs_aead_seal(&m.aead, out, tag, nonce, nonce_len, ad, m.ad_len, in, m.len), QS_OK,
                     "seal close by");
        memcpy(before + (out - stretch), want, m.len);
        memcpy(before + (tag - stretch), want_tag, 16);
        CHECK_BYTES(stretch, before, sizeof stretch, "seal close by");
    }
    /* Where open reads the tag, it may lie in the nonce. What lies there now is hardly a right one. */
    if (overlap) {
        CHECK_STATUS(qs_aead_open(&m.aead, out, nonce, nonce_len, ad, m.ad_len, in, m.len, tag), QS_ERR_OVERLAP,
                     "open overlapping");
        CHECK_BYTES(stretch, before, sizeof stretch, "open overlapping: written");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input i = {data, size};
    const uint8_t how = take_u8(&i) % 8;

    take_level(&i);
    if (how == 0) refuse(&i);
    else if (how < 4) overlaps(&i);
    else seal_open_forge(&i);
    return 0;
}
