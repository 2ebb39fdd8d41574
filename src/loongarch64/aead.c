/* SPDX-License-Identifier: MIT
 *
 * Whole messages for LoongArch64: what stands around the kernels of a row, in C. Vectors make many blocks in the time of
 * one, so the key block is made in one pass with the first blocks of the text, and blocks that end the text, in part, in
 * one pass with whole ones. Both passes go through a buffer of keystream; what lies between them goes straight through.
 *
 * Opening computes the tag of what came, compares, and only then writes: the keystream of the first pass waits meanwhile.
 */
#include "../aead.h"
#include "kernels.h"

#ifdef QS_LOONGARCH64

/* A row, all of it known when its functions are compiled. */
struct row {
    qs_chacha_blocks *chacha;
    qs_poly1305_blocks *poly1305;
    qs_xor_stream *xor_bytes;
    size_t lanes;   /* blocks of one pass in columns */
    size_t columns; /* from how many blocks on a pass in columns takes less than rows */
};

enum { MOST_LANES = 8 };

struct work {
    uint8_t stream[QS_BLOCK_LEN * MOST_LANES];
    uint32_t state[16];
    struct QS_MAY_ALIAS accumulator {
        uint64_t h0, h1, h2;
    } h;
    struct QS_MAY_ALIAS mac_key {
        uint64_t r0, r1;
    } r;
    uint64_t s0, s1;
    uint8_t end[2 * QS_MAC_BLOCK_LEN]; /* the last bytes of the text, padded, and the lengths */
};

#define INLINE static inline __attribute__((always_inline))

/* Keystream for so many blocks, or some more, into w->stream. */
INLINE void make_stream(struct work *w, const struct row *row, size_t nblocks, unsigned rounds)
{
    static const uint8_t zeros[sizeof w->stream];

    if (nblocks >= row->columns) nblocks = row->lanes;
    row->chacha(w->stream, zeros, nblocks, w->state, rounds);
}

INLINE void mac(struct work *w, const struct row *row, const uint8_t *in, size_t nblocks)
{
    if (nblocks) row->poly1305((uint32_t *)&w->h, (const uint32_t *)&w->r, in, nblocks, 1);
}

/* The key block and the first blocks of the text, as many as there are and fill a pass. Leaves their state in w. */
INLINE void begin(struct work *w, const struct row *row, const struct qs_message *m)
{
    static const uint32_t constants[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}; /* "expand 32-byte k" */
    const size_t text_blocks = (m->len + QS_BLOCK_LEN - 1) / QS_BLOCK_LEN;
    const size_t ad_rest = m->ad_len % QS_MAC_BLOCK_LEN, ad_whole = m->ad_len - ad_rest;

    memcpy(w->state, constants, sizeof constants);
    memcpy(w->state + 4, m->key, 32);
    w->state[12] = 0;
    memcpy(w->state + 13, m->nonce, 12);
    make_stream(w, row, text_blocks < row->lanes ? text_blocks + 1 : row->lanes, m->rounds);

    w->r.r0 = qs_load64(w->stream) & UINT64_C(0x0ffffffc0fffffff);
    w->r.r1 = qs_load64(w->stream + 8) & UINT64_C(0x0ffffffc0ffffffc);
    w->s0 = qs_load64(w->stream + 16);
    w->s1 = qs_load64(w->stream + 24);
    w->h.h0 = w->h.h1 = w->h.h2 = 0;
    mac(w, row, m->ad, ad_whole / QS_MAC_BLOCK_LEN);
    if (ad_rest) {
        memset(w->end, 0, QS_MAC_BLOCK_LEN);
        memcpy(w->end, m->ad + ad_whole, ad_rest);
        mac(w, row, w->end, 1);
    }
}

/* The text's last blocks, `in` being the last bytes of it, and the tag: h mod 2^130 - 5, plus s, mod 2^128. */
INLINE void end(struct work *w, const struct row *row, const struct qs_message *m, const uint8_t *in, size_t len,
                uint64_t tag[2])
{
    const size_t rest = len % QS_MAC_BLOCK_LEN;

    mac(w, row, in, len / QS_MAC_BLOCK_LEN);
    qs_store64(w->end + QS_MAC_BLOCK_LEN, m->ad_len);
    qs_store64(w->end + QS_MAC_BLOCK_LEN + 8, m->len);
    if (rest) {
        memset(w->end, 0, QS_MAC_BLOCK_LEN);
        memcpy(w->end, in + len - rest, rest);
        mac(w, row, w->end, 2);
    } else {
        mac(w, row, w->end + QS_MAC_BLOCK_LEN, 1);
    }

    /* With k = h >> 130, h is congruent to h mod 2^130 + 5 k, which is at least 2^130 - 5 exactly when 5 more reach
     * 2^130: that makes k one higher. */
    const qs_uint128 h = w->h.h0 | (qs_uint128)w->h.h1 << 64;
    uint64_t k = w->h.h2 >> 2;
    const qs_uint128 more = h + (4 * k + k + 5);
    k += ((w->h.h2 & 3) + (more < h)) >> 2;
    const qs_uint128 t = h + (4 * k + k) + (w->s0 | (qs_uint128)w->s1 << 64);
    tag[0] = (uint64_t)t;
    tag[1] = (uint64_t)(t >> 64);
}

/* XORs what the stream of the first pass holds of the text; returns its length. */
INLINE size_t first_text(struct work *w, const struct row *row, const struct qs_message *m)
{
    const size_t most = QS_BLOCK_LEN * (row->lanes - 1), n = m->len < most ? m->len : most;

    row->xor_bytes(m->out, m->in, w->stream + QS_BLOCK_LEN, n);
    w->state[12] = (uint32_t)row->lanes;
    return n;
}

/* At most QS_CHUNK bytes of text where the first pass or this function left off. Only the last piece of a message may be
 * no multiple of `lanes` blocks. */
INLINE void more_text(struct work *w, const struct row *row, unsigned rounds, uint8_t *out, const uint8_t *in, size_t len)
{
    const size_t pass = QS_BLOCK_LEN * row->lanes, rest = len % pass, whole = len - rest;

    if (whole) {
        row->chacha(out, in, whole / QS_BLOCK_LEN, w->state, rounds);
        w->state[12] += (uint32_t)(whole / QS_BLOCK_LEN);
    }
    if (rest) {
        make_stream(w, row, (rest + QS_BLOCK_LEN - 1) / QS_BLOCK_LEN, rounds);
        row->xor_bytes(out + whole, in + whole, w->stream, rest);
    }
}

/* Long text is authenticated by the chunk, while the cache still holds it. */
INLINE void seal(const struct row *row, const struct qs_message *m)
{
    struct work w;
    uint64_t tag[2];

    begin(&w, row, m);
    size_t at = first_text(&w, row, m), unread = 0;
    while (m->len - at) {
        const size_t n = m->len - at < QS_CHUNK ? m->len - at : QS_CHUNK;
        more_text(&w, row, m->rounds, m->out + at, m->in + at, n);
        at += n;
        if (at < m->len) {
            const size_t whole = (at - unread) / QS_MAC_BLOCK_LEN;
            mac(&w, row, m->out + unread, whole);
            unread += whole * QS_MAC_BLOCK_LEN;
        }
    }
    end(&w, row, m, m->out + unread, m->len - unread, tag);
    qs_store64(m->tag, tag[0]);
    qs_store64(m->tag + 8, tag[1]);
}

INLINE qs_status open(const struct row *row, const struct qs_message *m)
{
    struct work w;
    uint64_t tag[2];

    begin(&w, row, m);
    end(&w, row, m, m->in, m->len, tag);
    const qs_status status = qs_tag_compare((const uint8_t *)tag, m->tag);
    if (status != QS_OK) return status;
    for (size_t at = first_text(&w, row, m), n; m->len - at; at += n) {
        n = m->len - at < QS_CHUNK ? m->len - at : QS_CHUNK;
        more_text(&w, row, m->rounds, m->out + at, m->in + at, n);
    }
    return QS_OK;
}

/* What C left lies in frames below these functions', and in vector registers. */
#define FUNCTIONS(isa, lanes, columns)                                                                                 \
    static const struct row isa = {qs_chacha_blocks_##isa, qs_poly1305_blocks_##isa, qs_xor_stream_##isa, lanes,       \
                                   columns};                                                                           \
    static QS_NOINLINE void seal_run_##isa(const struct qs_message *m)                                                 \
    {                                                                                                                  \
        seal(&isa, m);                                                                                                 \
    }                                                                                                                  \
    static QS_NOINLINE qs_status open_run_##isa(const struct qs_message *m)                                            \
    {                                                                                                                  \
        return open(&isa, m);                                                                                          \
    }                                                                                                                  \
    void qs_seal_message_##isa(const struct qs_message *m)                                                             \
    {                                                                                                                  \
        seal_run_##isa(m);                                                                                             \
        qs_stack_wipe();                                                                                               \
    }                                                                                                                  \
    qs_status qs_open_message_##isa(const struct qs_message *m)                                                        \
    {                                                                                                                  \
        const qs_status status = open_run_##isa(m);                                                                    \
        qs_stack_wipe();                                                                                               \
        return status;                                                                                                 \
    }

FUNCTIONS(lsx, 4, 4)
FUNCTIONS(lasx, 8, 7)

#endif
