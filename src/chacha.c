/* SPDX-License-Identifier: MIT
 *
 * ChaCha's frontend: set-up, ragged ends, counters and their limits, HChaCha. The work is in the kernels.
 */
#include "internal.h"

static const uint8_t zeros[QS_BLOCK_LEN];

static int rounds_valid(unsigned rounds)
{
    return rounds == 20 || rounds == 12 || rounds == 8;
}

/* All but words 4 to 15. */
static void begin(struct qs_keystream *k, unsigned rounds)
{
    /* "expand 32-byte k" */
    qs_store_row(k->state, 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574);
    k->rounds = rounds;
    k->left = 0;
}

void qs_keystream_init(struct qs_keystream *k, const uint32_t key[8], const uint32_t tail[4], unsigned rounds)
{
    begin(k, rounds);
    for (unsigned i = 0; i < 8; i++) k->state[4 + i] = key[i];
    for (unsigned i = 0; i < 4; i++) k->state[12 + i] = tail[i];
}

/* Are there blocks for len bytes from counter on? */
static int blocks_remain(uint64_t counter, uint64_t len, uint64_t last)
{
    return len == 0 || (len - 1) / QS_BLOCK_LEN <= last - counter;
}

/* n blocks further. A kernel never sees word 12 wrap: a run is cut there, and the carry goes into word 13. With a 96-bit
 * nonce word 13 is not a counter, but then the wrap comes only behind the last block that the limits allow. */
static void count(struct qs_keystream *k, size_t n)
{
    k->state[12] += (uint32_t)n;
    k->state[13] += k->state[12] == 0;
}

/* Blocks before the one whose number is 2^32 - 1. */
static uint32_t until_wrap(const struct qs_keystream *k)
{
    return ~k->state[12];
}

static void blocks_by(const struct qs_kernel *row, struct qs_keystream *k, uint8_t *out, const uint8_t *in,
                      size_t nblocks)
{
    while (nblocks) {
        size_t n = nblocks - 1 > until_wrap(k) ? (size_t)until_wrap(k) + 1 : nblocks;

        row->blocks.chacha(out, in, n, k->state, k->rounds);
        count(k, n);
        out += QS_BLOCK_LEN * n;
        in += QS_BLOCK_LEN * n;
        nblocks -= n;
    }
}

void qs_keystream_blocks(struct qs_keystream *k, uint8_t *out, const uint8_t *in, size_t nblocks)
{
    blocks_by(qs_kernel_of(QS_CHACHA), k, out, in, nblocks);
}

void qs_keystream_block(struct qs_keystream *k, uint8_t block[QS_BLOCK_LEN])
{
    qs_keystream_blocks(k, block, zeros, 1);
}

/* XOR knows no byte order: words as the CPU has them. The last one overlaps the one before, and so is made first. Not inlined,
 * so that no piece of this is kept in the frame of a public function. */
QS_NOINLINE void qs_xor_bytes(uint8_t *out, const uint8_t *in, const uint8_t *key, size_t len)
{
    typedef struct qs_unaligned_word word;

    if (len >= sizeof(word)) {
        const size_t end = len - sizeof(word), last = ((const word *)(in + end))->x ^ ((const word *)(key + end))->x;

        for (size_t i = 0; i < end; i += sizeof(word))
            ((word *)(out + i))->x = ((const word *)(in + i))->x ^ ((const word *)(key + i))->x;
        ((word *)(out + end))->x = last;
    } else
        while (len--) *out++ = *in++ ^ *key++;
}

void qs_copy(uint8_t *to, const uint8_t *from, size_t len)
{
    typedef struct qs_unaligned_word word;

    for (; len >= sizeof(word); len -= sizeof(word), to += sizeof(word), from += sizeof(word)) {
        ((word *)to)->x = ((const word *)from)->x;
        QS_BARRIER(to); /* or the compiler would make a memcpy of it */
    }
    for (; len; len--) {
        *to++ = *from++;
        QS_BARRIER(to);
    }
}

/* XORs len bytes where nothing is left over. A block that is cut off is made together with the others, if the row can. */
static QS_INLINE void text_by(const struct qs_kernel *row, struct qs_keystream *k, uint8_t *out, const uint8_t *in,
                              size_t len)
{
    const size_t n = len / QS_BLOCK_LEN, end = len % QS_BLOCK_LEN, even = len - end;

    if (!row->blocks.chacha_ending || n > until_wrap(k)) {
        blocks_by(row, k, out, in, n);
        if (end) blocks_by(row, k, k->block, zeros, 1);
    } else if (end) {
        row->blocks.chacha_ending(out, in, n, k, k->rounds);
        count(k, n + 1);
    } else if (n) {
        row->blocks.chacha(out, in, n, k->state, k->rounds);
        count(k, n);
    }
    if (end) {
        qs_xor_bytes(out + even, in + even, k->block, end);
        k->left = (uint32_t)(QS_BLOCK_LEN - end);
    }
}

void qs_keystream_xor(struct qs_keystream *k, uint8_t *out, const uint8_t *in, size_t len)
{
    if (k->left && len) {
        size_t n = len < k->left ? len : k->left;
        qs_xor_bytes(out, in, k->block + QS_BLOCK_LEN - k->left, n);
        k->left -= (uint32_t)n;
        out += n, in += n, len -= n;
    }
    text_by(qs_kernel_of(QS_CHACHA), k, out, in, len);
}

/* HChaCha is the permutation without the feed-forward. The kernels add it, so it is taken away again: this costs eight
 * subtractions and lets every kernel serve. */
static QS_NOINLINE const uint32_t *hchacha_by(const struct qs_kernel *row, struct qs_keystream *k)
{
    uint32_t *key = k->state + 4;
    uint8_t *block = k->block;

    row->blocks.chacha(block, zeros, 1, k->state, k->rounds);
    for (unsigned i = 0; i < 4; i++) {
        key[i] = qs_load32(block + 4 * i) - k->state[i];
        key[4 + i] = qs_load32(block + 48 + 4 * i) - k->state[12 + i];
    }
    return key;
}

const uint32_t *qs_keystream_hchacha(struct qs_keystream *k)
{
    return hchacha_by(qs_kernel_of(QS_CHACHA), k);
}

static QS_INLINE void wipe_block(uint32_t words[16])
{
    qs_store_row(words, 0, 0, 0, 0);
    qs_store_row(words + 4, 0, 0, 0, 0);
    qs_store_row(words + 8, 0, 0, 0, 0);
    qs_store_row(words + 12, 0, 0, 0, 0);
}

/* At the end of a public function, which keeps its secrets in k and nowhere else in its own frame. Kernels that are not
 * plain C leave none below it; then wiping the stack would be for nothing, and take 30 cycles beside a block's 275. */
static QS_INLINE void wipe_behind(const struct qs_kernel *row, struct qs_keystream *k)
{
    wipe_block(k->state);
    wipe_block((uint32_t *)(void *)k->block);
    QS_BARRIER(k);
    if (!row->blocks.chacha_ending) qs_stack_wipe();
    else QS_CLEAR_VECTORS();
}

/* The three public streams differ in what their nonce is and in how wide their counter is. */
struct stream_call {
    uint8_t *out;
    const uint8_t *key, *nonce;
    size_t nonce_len; /* 12: 32-bit counter; 8 and 24: 64-bit counter */
    uint64_t counter;
    unsigned rounds;
    const uint8_t *in;
    size_t len;
};

static QS_FLAT void stream_run(const struct qs_kernel *row, struct qs_keystream *k, const struct stream_call *c)
{
    const uint8_t *const nonce_end = c->nonce + c->nonce_len - 8;

    begin(k, c->rounds);
    qs_load_row(k->state + 4, c->key);
    qs_load_row(k->state + 8, c->key + 16);
    if (c->nonce_len == 24) {
        qs_load_row(k->state + 12, c->nonce);
        hchacha_by(row, k);
    }
    qs_store_row(k->state + 12, (uint32_t)c->counter,
                 c->nonce_len == 12 ? qs_load32(c->nonce) : (uint32_t)(c->counter >> 32), qs_load32(nonce_end),
                 qs_load32(nonce_end + 4));
    if (c->in == NULL) memset(c->out, 0, c->len);
    text_by(row, k, c->out, c->in == NULL ? c->out : c->in, c->len);
}

static QS_FLAT qs_status stream_xor(const struct stream_call *c)
{
    const uint64_t last_counter = c->nonce_len == 12 ? UINT32_MAX : UINT64_MAX;
    const struct qs_kernel *row;
    struct qs_keystream k;

    if (!c->key || !c->nonce || qs_null(c->out, c->len) || !rounds_valid(c->rounds)) return QS_ERR_ARGUMENT;
    if (!blocks_remain(c->counter, c->len, last_counter)) return QS_ERR_LENGTH;
    if ((c->in && qs_overlap_partly(c->out, c->in, c->len)) || qs_overlap(c->out, c->len, c->key, 32) ||
        qs_overlap(c->out, c->len, c->nonce, c->nonce_len))
        return QS_ERR_OVERLAP;
    if (c->len == 0) return QS_OK;

    row = qs_kernel_of(QS_CHACHA);
    stream_run(row, &k, c);
    wipe_behind(row, &k);
    return QS_OK;
}

qs_status qs_chacha_xor(uint8_t *out, const uint8_t key[32], const uint8_t nonce[12], uint32_t counter,
                        unsigned rounds, const uint8_t *in, size_t len)
{
    const struct stream_call c = {out, key, nonce, 12, counter, rounds, in, len};
    return stream_xor(&c);
}

qs_status qs_chacha_djb_xor(uint8_t *out, const uint8_t key[32], const uint8_t nonce[8], uint64_t counter,
                            unsigned rounds, const uint8_t *in, size_t len)
{
    const struct stream_call c = {out, key, nonce, 8, counter, rounds, in, len};
    return stream_xor(&c);
}

qs_status qs_xchacha_xor(uint8_t *out, const uint8_t key[32], const uint8_t nonce[24], uint64_t counter,
                         unsigned rounds, const uint8_t *in, size_t len)
{
    const struct stream_call c = {out, key, nonce, 24, counter, rounds, in, len};
    return stream_xor(&c);
}

static QS_NOINLINE void hchacha_run(const struct qs_kernel *row, struct qs_keystream *k, uint8_t out[32],
                                    const uint8_t key[32], const uint8_t nonce[16], unsigned rounds)
{
    begin(k, rounds);
    qs_load_row(k->state + 4, key);
    qs_load_row(k->state + 8, key + 16);
    qs_load_row(k->state + 12, nonce);
    const uint32_t *derived = hchacha_by(row, k);
    for (unsigned i = 0; i < 8; i++) qs_store32(out + 4 * i, derived[i]);
}

qs_status qs_hchacha(uint8_t out[32], const uint8_t key[32], const uint8_t nonce[16], unsigned rounds)
{
    const struct qs_kernel *row;
    struct qs_keystream k;

    if (!out || !key || !nonce || !rounds_valid(rounds)) return QS_ERR_ARGUMENT;
    if (qs_overlap_partly(out, key, 32) || qs_overlap(out, 32, nonce, 16)) return QS_ERR_OVERLAP;

    row = qs_kernel_of(QS_CHACHA);
    hchacha_run(row, &k, out, key, nonce, rounds);
    wipe_behind(row, &k);
    return QS_OK;
}
