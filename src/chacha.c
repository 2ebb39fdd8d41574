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

void qs_keystream_init(struct qs_keystream *k, const uint32_t key[8], const uint32_t tail[4], unsigned rounds)
{
    /* "expand 32-byte k" */
    k->state[0] = 0x61707865;
    k->state[1] = 0x3320646e;
    k->state[2] = 0x79622d32;
    k->state[3] = 0x6b206574;
    for (unsigned i = 0; i < 8; i++) k->state[4 + i] = key[i];
    for (unsigned i = 0; i < 4; i++) k->state[12 + i] = tail[i];
    k->rounds = rounds;
    k->left = 0;
}

/* Are there blocks for len bytes from counter on? */
static int blocks_remain(uint64_t counter, uint64_t len, uint64_t last)
{
    return len == 0 || (len - 1) / QS_BLOCK_LEN <= last - counter;
}

/* Whole blocks. A kernel never sees word 12 wrap: the run is cut there, and the carry goes into word 13. With a 96-bit
 * nonce word 13 is not a counter, but then the wrap comes only behind the last block that the limits allow. */
void qs_keystream_blocks(struct qs_keystream *k, uint8_t *out, const uint8_t *in, size_t nblocks)
{
    qs_chacha_blocks *kernel = qs_kernel_of(QS_CHACHA)->blocks.chacha;

    while (nblocks) {
        uint32_t until_wrap = ~k->state[12]; /* blocks before the one whose number is 2^32 - 1 */
        size_t n = nblocks - 1 > until_wrap ? (size_t)until_wrap + 1 : nblocks;

        kernel(out, in, n, k->state, k->rounds);
        k->state[12] += (uint32_t)n;
        k->state[13] += k->state[12] == 0;
        out += QS_BLOCK_LEN * n;
        in += QS_BLOCK_LEN * n;
        nblocks -= n;
    }
}

void qs_keystream_block(struct qs_keystream *k, uint8_t block[QS_BLOCK_LEN])
{
    qs_keystream_blocks(k, block, zeros, 1);
}

/* XOR knows no byte order: words as the CPU has them. */
void qs_xor_bytes(uint8_t *out, const uint8_t *in, const uint8_t *key, size_t len)
{
    typedef struct qs_unaligned_word word;

    for (; len >= sizeof(word); len -= sizeof(word), out += sizeof(word), in += sizeof(word), key += sizeof(word))
        ((word *)out)->x = ((const word *)in)->x ^ ((const word *)key)->x;
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

void qs_keystream_xor(struct qs_keystream *k, uint8_t *out, const uint8_t *in, size_t len)
{
    if (k->left && len) {
        size_t n = len < k->left ? len : k->left;
        qs_xor_bytes(out, in, k->block + QS_BLOCK_LEN - k->left, n);
        k->left -= (uint32_t)n;
        out += n, in += n, len -= n;
    }
    if (len >= QS_BLOCK_LEN) {
        size_t n = len / QS_BLOCK_LEN;
        qs_keystream_blocks(k, out, in, n);
        n *= QS_BLOCK_LEN;
        out += n, in += n, len -= n;
    }
    if (len) {
        qs_keystream_block(k, k->block);
        qs_xor_bytes(out, in, k->block, len);
        k->left = (uint32_t)(QS_BLOCK_LEN - len);
    }
}

/* HChaCha is the permutation without the feed-forward. The kernels add it, so it is taken away again: this costs eight
 * subtractions and lets every kernel serve. */
const uint32_t *qs_keystream_hchacha(struct qs_keystream *k)
{
    uint32_t *key = k->state + 4;
    uint8_t *block = k->block;

    qs_kernel_of(QS_CHACHA)->blocks.chacha(block, zeros, 1, k->state, k->rounds);
    for (unsigned i = 0; i < 4; i++) {
        key[i] = qs_load32(block + 4 * i) - k->state[i];
        key[4 + i] = qs_load32(block + 48 + 4 * i) - k->state[12 + i];
    }
    return key;
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

static QS_NOINLINE void stream_run(const struct stream_call *c)
{
    struct qs_keystream k;
    uint32_t key[8], tail[4];

    qs_load_words(key, c->key, 8);
    if (c->nonce_len == 24) {
        qs_load_words(tail, c->nonce, 4);
        qs_keystream_init(&k, key, tail, c->rounds);
        memcpy(key, qs_keystream_hchacha(&k), sizeof key);
    }
    tail[0] = (uint32_t)c->counter;
    tail[1] = c->nonce_len == 12 ? qs_load32(c->nonce) : (uint32_t)(c->counter >> 32);
    qs_load_words(tail + 2, c->nonce + c->nonce_len - 8, 2);
    qs_keystream_init(&k, key, tail, c->rounds);
    if (c->in == NULL) memset(c->out, 0, c->len);
    qs_keystream_xor(&k, c->out, c->in == NULL ? c->out : c->in, c->len);
}

static qs_status stream_xor(const struct stream_call *c)
{
    const uint64_t last_counter = c->nonce_len == 12 ? UINT32_MAX : UINT64_MAX;

    if (!c->key || !c->nonce || qs_null(c->out, c->len) || !rounds_valid(c->rounds)) return QS_ERR_ARGUMENT;
    if (!blocks_remain(c->counter, c->len, last_counter)) return QS_ERR_LENGTH;
    if ((c->in && qs_overlap_partly(c->out, c->in, c->len)) || qs_overlap(c->out, c->len, c->key, 32) ||
        qs_overlap(c->out, c->len, c->nonce, c->nonce_len))
        return QS_ERR_OVERLAP;
    if (c->len == 0) return QS_OK;

    stream_run(c);
    qs_stack_wipe();
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

static QS_NOINLINE void hchacha_run(uint8_t out[32], const uint8_t key[32], const uint8_t nonce[16], unsigned rounds)
{
    uint32_t words[8], tail[4];
    struct qs_keystream k;

    qs_load_words(words, key, 8);
    qs_load_words(tail, nonce, 4);
    qs_keystream_init(&k, words, tail, rounds);
    const uint32_t *derived = qs_keystream_hchacha(&k);
    for (unsigned i = 0; i < 8; i++) qs_store32(out + 4 * i, derived[i]);
}

qs_status qs_hchacha(uint8_t out[32], const uint8_t key[32], const uint8_t nonce[16], unsigned rounds)
{
    if (!out || !key || !nonce || !rounds_valid(rounds)) return QS_ERR_ARGUMENT;
    if (qs_overlap_partly(out, key, 32) || qs_overlap(out, 32, nonce, 16)) return QS_ERR_OVERLAP;

    hchacha_run(out, key, nonce, rounds);
    qs_stack_wipe();
    return QS_OK;
}
