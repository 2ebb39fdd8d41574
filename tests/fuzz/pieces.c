/* SPDX-License-Identifier: MIT
 *
 * Fuzz target: scatter/gather. Pieces of text, AD and output lie anywhere in one stretch of memory, or, so that calls
 * succeed often, where they do not collide; a map of that memory, byte by byte, says whether they overlap.
 */
#include "oracle.h"

enum { STRETCH = 1024, MAX_PIECES = 6, MAX_PIECE = 90, FREE = STRETCH - MAX_PIECES * MAX_PIECE };

static uint8_t stretch[STRETCH], before[STRETCH];
static int out_at[STRETCH]; /* the stream position that a byte is output for, or -1 */

/* Cuts len bytes, which lie from base on (or, piece by piece, anywhere), into pieces. Returns their number. */
static size_t take_cuts(struct input *i, qs_const_iovec *v, uint8_t *base, size_t len, int anywhere)
{
    size_t n = 0, at = 0;

    while (at < len || (n < MAX_PIECES - 1 && take_u8(i) % 4 == 3)) {
        size_t piece = n == MAX_PIECES - 1 ? len - at : take_below(i, len - at + 1);
        v[n].base = anywhere ? stretch + take_below(i, FREE) : piece ? base + at : NULL;
        v[n++].len = piece;
        at += piece;
    }
    return n;
}

static size_t gather(uint8_t *to, const qs_const_iovec *v, size_t n)
{
    size_t at = 0;
    for (size_t k = 0; k < n; at += v[k++].len)
        if (v[k].len) memcpy(to + at, v[k].base, v[k].len);
    return at;
}

/* Is any of these bytes output, for another stream position than `at` on? With at < 0: for any. */
static int is_output(const uint8_t *p, size_t len, int at)
{
    for (size_t k = 0; k < len; k++) {
        int position = out_at[p - stretch + (ptrdiff_t)k];
        if (position >= 0 && (at < 0 || position != at + (int)k)) return 1;
    }
    return 0;
}

/* Puts the output into the map; nonzero if a byte is output twice. */
static int map_output(const qs_iovec *v, size_t n)
{
    int position = 0, twice = 0;

    memset(out_at, 0xff, sizeof out_at);
    for (size_t k = 0; k < n; k++)
        for (size_t b = 0; b < v[k].len; b++) {
            int *to = &out_at[v[k].base - stretch + (ptrdiff_t)b];
            twice |= *to >= 0;
            *to = position++;
        }
    return twice;
}

static int overlap(const qs_iovec *out, size_t out_n, const uint8_t *tag, const qs_const_iovec *ad, size_t ad_n,
                   const qs_const_iovec *in, size_t in_n)
{
    int position = 0;

    if (map_output(out, out_n) || is_output(tag, 16, -1)) return 1;
    for (size_t k = 0; k < ad_n; k++)
        if (ad[k].len && (is_output(ad[k].base, ad[k].len, -1) || touch(tag, 16, ad[k].base, ad[k].len))) return 1;
    for (size_t k = 0; k < in_n; position += (int)in[k++].len)
        if (in[k].len && (is_output(in[k].base, in[k].len, position) || touch(tag, 16, in[k].base, in[k].len)))
            return 1;
    return 0;
}

static void scatter(const qs_iovec *v, size_t n, const uint8_t *from)
{
    for (size_t k = 0; k < n; from += v[k++].len)
        if (v[k].len) memcpy(before + (v[k].base - stretch), from, v[k].len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input i = {data, size};
    enum { MAX_LEN = 200 };
    uint8_t key[64], nonce[24], text[MAX_PIECES * MAX_PIECE + MAX_LEN], ad_bytes[MAX_LEN], sealed[MAX_LEN], tag[16];
    qs_const_iovec in[MAX_PIECES + 1], ad[MAX_PIECES + 1], cuts[MAX_PIECES + 1];
    qs_iovec out[MAX_PIECES + 1];
    qs_aead aead;

    take_level(&i);
    const qs_alg alg = (qs_alg)(1 + take_u8(&i) % QS_TINC_SPTPS);
    const size_t nonce_len = oracle_nonce_len(alg);
    const uint8_t how = take_u8(&i);
    const int anywhere = how % 4 == 0, in_place = how & 4, cut_tag = how & 8;
    const size_t len = take_below(&i, MAX_PIECE + 1), ad_len = alg == QS_TINC_SPTPS ? 0 : take_below(&i, MAX_PIECE + 1);
    const size_t out_len = how >= 240 ? take_below(&i, MAX_PIECE + 1) : len;
    take_bytes(&i, key, oracle_key_len(alg));
    take_bytes(&i, nonce, nonce_len);
    take_bytes(&i, stretch, sizeof stretch);
    CHECK_STATUS(qs_aead_init(&aead, alg, key, oracle_key_len(alg)), QS_OK, "qs_aead_init");

    /* Without collisions: text at 100, AD at 300, output at 100 or 500, tag behind the output or at 800. */
    uint8_t *const base = stretch + (in_place ? 100 : 500);
    const size_t in_n = take_cuts(&i, in, stretch + 100, len, anywhere);
    const size_t ad_n = take_cuts(&i, ad, stretch + 300, ad_len, anywhere);
    const size_t out_n = take_cuts(&i, cuts, base, out_len, anywhere);
    uint8_t *tag_at = anywhere ? stretch + take_below(&i, FREE) : cut_tag ? base + out_len : stretch + 800;
    for (size_t k = 0; k < out_n; k++) out[k] = (qs_iovec){(uint8_t *)(uintptr_t)cuts[k].base, cuts[k].len};
    if (!anywhere && in_place && cut_tag) tag_at = base + (len > out_len ? len : out_len);

    gather(text, in, in_n);
    gather(ad_bytes, ad, ad_n);
    oracle_seal(alg, sealed, tag, key, nonce, ad_bytes, ad_len, text, len);
    memcpy(before, stretch, sizeof before);

    const qs_status want = len != out_len                                    ? QS_ERR_LENGTH
                           : overlap(out, out_n, tag_at, ad, ad_n, in, in_n) ? QS_ERR_OVERLAP
                                                                             : QS_OK;
    CHECK_STATUS(qs_aead_sealv(&aead, out, out_n, tag_at, nonce, nonce_len, ad, ad_n, in, in_n), want, "sealv");
    if (want == QS_OK) {
        scatter(out, out_n, sealed);
        memcpy(before + (tag_at - stretch), tag, 16);
    }
    CHECK_BYTES(stretch, before, sizeof stretch, "sealv");

    if (want != QS_OK) {
        CHECK_STATUS(qs_aead_openv(&aead, out, out_n, nonce, nonce_len, ad, ad_n, in, in_n, tag_at), want, "openv");
        CHECK_BYTES(stretch, before, sizeof stretch, "openv refused: written");
        return 0;
    }

    /* The other way: from where the output is, cut anew, back to where the text was; forged first. An input piece that
     * lay over another cannot be put back. */
    qs_iovec back[MAX_PIECES + 1];
    qs_const_iovec from[MAX_PIECES + 1];
    for (size_t k = 0; k < in_n; k++) back[k] = (qs_iovec){(uint8_t *)(uintptr_t)in[k].base, in[k].len};
    size_t from_n = out_n;
    memcpy(from, cuts, sizeof from);
    if (!anywhere) from_n = take_cuts(&i, from, base, len, 0);
    if (overlap(back, in_n, tag_at, ad, ad_n, from, from_n)) return 0;

    const size_t bit = take_below(&i, 128);
    tag_at[bit / 8] ^= (uint8_t)(1 << bit % 8);
    before[tag_at - stretch + (ptrdiff_t)(bit / 8)] ^= (uint8_t)(1 << bit % 8);
    CHECK_STATUS(qs_aead_openv(&aead, back, in_n, nonce, nonce_len, ad, ad_n, from, from_n, tag_at), QS_ERR_AUTH,
                 "openv forged");
    CHECK_BYTES(stretch, before, sizeof stretch, "openv forged: written");
    tag_at[bit / 8] ^= (uint8_t)(1 << bit % 8);
    memcpy(before + (tag_at - stretch), tag, 16);
    CHECK_STATUS(qs_aead_openv(&aead, back, in_n, nonce, nonce_len, ad, ad_n, from, from_n, tag_at), QS_OK, "openv");
    scatter(back, in_n, text);
    CHECK_BYTES(stretch, before, sizeof stretch, "openv");
    return 0;
}
