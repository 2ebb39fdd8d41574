/* SPDX-License-Identifier: MIT
 *
 * Poly1305's frontend: key, buffering, the last block, the final reduction. The work is in the kernels.
 */
#include "internal.h"

void qs_mac_init(struct qs_mac *m, const uint8_t key[32])
{
    /* RFC 8439, 2.5: certain bits of r are 0, so that the kernels' carries stay small. */
    static const uint32_t clamp[4] = {0x0fffffff, 0x0ffffffc, 0x0ffffffc, 0x0ffffffc};

    for (unsigned i = 0; i < 4; i += 2) {
        const uint8_t *at = key + 4 * i;
        qs_store_words(m->h + i, 0, 0);
        qs_store_words(m->r + i, qs_load32(at) & clamp[i], qs_load32(at + 4) & clamp[i + 1]);
        qs_store_words(m->s + i, qs_load32(at + 16), qs_load32(at + 20));
    }
    m->h[4] = 0;
    m->used = 0;
}

void qs_mac_blocks(struct qs_mac *m, const uint8_t *in, size_t nblocks, uint32_t pad)
{
    qs_kernel_of(QS_POLY1305)->blocks.poly1305(m->h, m->r, in, nblocks, pad);
}

void qs_mac_update(struct qs_mac *m, const uint8_t *in, size_t len)
{
    if (len == 0) return;
    if (m->used) {
        size_t n = QS_MAC_BLOCK_LEN - m->used;
        if (len < n) n = len;
        qs_copy(m->block + m->used, in, n);
        m->used += (uint32_t)n;
        in += n, len -= n;
        if (m->used < QS_MAC_BLOCK_LEN) return;
        qs_mac_blocks(m, m->block, 1, 1);
        m->used = 0;
    }
    if (len >= QS_MAC_BLOCK_LEN) {
        size_t n = len / QS_MAC_BLOCK_LEN;
        qs_mac_blocks(m, in, n, 1);
        n *= QS_MAC_BLOCK_LEN;
        in += n, len -= n;
    }
    if (len) {
        qs_copy(m->block, in, len);
        m->used = (uint32_t)len;
    }
}

void qs_mac_pad(struct qs_mac *m)
{
    if (m->used == 0) return;
    memset(m->block + m->used, 0, QS_MAC_BLOCK_LEN - m->used);
    qs_mac_blocks(m, m->block, 1, 1);
    m->used = 0;
}

void qs_mac_lengths(struct qs_mac *m, uint64_t ad_len, uint64_t text_len)
{
    qs_mac_pad(m);
    qs_store64(m->block, ad_len);
    qs_store64(m->block + 8, text_len);
    qs_mac_blocks(m, m->block, 1, 1);
}

void qs_mac_final(struct qs_mac *m, uint8_t tag[QS_TAG_LEN])
{
    if (m->used) {
        m->block[m->used++] = 1;
        memset(m->block + m->used, 0, QS_MAC_BLOCK_LEN - m->used);
        qs_mac_blocks(m, m->block, 1, 0);
    }

    /* Reduce fully. With k = h >> 130, h is congruent to h' = h mod 2^130 + 5 k < 2^130 + 5, and h' >= 2^130 - 5 exactly
     * when h' + 5 reaches 2^130: that adds one more 5. What lies above 2^128 then drops out of the tag. */
    const uint32_t k = m->h[4] >> 2;
    uint64_t c = 5 * (k + 1);
    for (unsigned i = 0; i < 4; i++) c = (c + m->h[i]) >> 32;

    /* tag = h + s mod 2^128 */
    c = 5 * (k + (((m->h[4] & 3) + (uint32_t)c) >> 2));
    for (unsigned i = 0; i < 4; i++) {
        c += (uint64_t)m->h[i] + m->s[i];
        qs_store32(tag + 4 * i, (uint32_t)c);
        c >>= 32;
    }
}

qs_status qs_tag_compare(const uint8_t a[QS_TAG_LEN], const uint8_t b[QS_TAG_LEN])
{
    typedef const struct qs_unaligned_word word;
    size_t d = 0;

    for (unsigned i = 0; i < QS_TAG_LEN; i += sizeof(word)) d |= ((word *)(a + i))->x ^ ((word *)(b + i))->x;
    uint32_t differ = (uint32_t)(d | (uint64_t)d >> 32);
    QS_OPAQUE(differ);
    differ = (differ | (0 - differ)) >> 31; /* 0 or 1 */
    return (qs_status)(QS_ERR_AUTH * (int)differ);
}

qs_status qs_tag_verify(const uint8_t a[16], const uint8_t b[16])
{
    if (!a || !b) return QS_ERR_ARGUMENT;
    return qs_tag_compare(a, b);
}

/* ---- public ------------------------------------------------------------------------------------------------------- */

_Static_assert(sizeof(struct qs_mac) <= sizeof(qs_poly1305_ctx), "qs_poly1305_ctx is large enough");

static QS_NOINLINE void update_run(struct qs_mac *m, const uint8_t *in, size_t len)
{
    qs_mac_update(m, in, len);
}

static QS_NOINLINE void final_run(struct qs_mac *m, uint8_t tag[QS_TAG_LEN])
{
    qs_mac_final(m, tag);
}

void qs_poly1305_init(qs_poly1305_ctx *ctx, const uint8_t key[32])
{
    qs_mac_init((struct qs_mac *)ctx, key);
    QS_CLEAR_VECTORS();
}

void qs_poly1305_update(qs_poly1305_ctx *ctx, const uint8_t *in, size_t len)
{
    update_run((struct qs_mac *)ctx, in, len);
    qs_stack_wipe();
}

void qs_poly1305_final(qs_poly1305_ctx *ctx, uint8_t tag[16])
{
    final_run((struct qs_mac *)ctx, tag);
    qs_wipe(ctx, sizeof *ctx);
    qs_stack_wipe();
}

void qs_poly1305(uint8_t tag[16], const uint8_t key[32], const uint8_t *in, size_t len)
{
    qs_poly1305_ctx ctx;

    qs_mac_init((struct qs_mac *)&ctx, key);
    update_run((struct qs_mac *)&ctx, in, len);
    qs_poly1305_final(&ctx, tag);
}
