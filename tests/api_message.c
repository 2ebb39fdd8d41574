/* SPDX-License-Identifier: MIT */
#include "api_message.h"

#define MOST_32 ((UINT64_C(1) << 38) - 64) /* (2^32 - 1) * 64 */
#define MOST_64 UINT64_MAX                 /* 2^64 blocks are more than a length can ask for */

const struct algorithm algorithms[ALGORITHMS] = {
    {"chacha20-poly1305", QS_CHACHA20_POLY1305, 32, 12, MOST_32},
    {"chacha12-poly1305", QS_CHACHA12_POLY1305, 32, 12, MOST_32},
    {"chacha8-poly1305", QS_CHACHA8_POLY1305, 32, 12, MOST_32},
    {"xchacha20-poly1305", QS_XCHACHA20_POLY1305, 32, 24, MOST_32},
    {"xchacha12-poly1305", QS_XCHACHA12_POLY1305, 32, 24, MOST_32},
    {"xchacha8-poly1305", QS_XCHACHA8_POLY1305, 32, 24, MOST_32},
    {"esp", QS_ESP_CHACHA20_POLY1305, 36, 8, MOST_32},
    {"wireguard", QS_WIREGUARD, 32, 8, MOST_32},
    {"tinc", QS_TINC_SPTPS, 64, 8, MOST_64},
};

void random_message(struct message *m, const struct algorithm *a, size_t ad_len, size_t len)
{
    if (ad_len > AD_MAX || len > TEXT_MAX) FAIL("a message of %zu + %zu bytes is too long for tests", ad_len, len);
    m->a = a;
    m->ad_len = a->alg == QS_TINC_SPTPS ? 0 : ad_len;
    m->len = len;
    random_bytes(m->key, sizeof m->key);
    random_bytes(m->nonce, sizeof m->nonce);
    random_bytes(m->ad, m->ad_len);
    random_dense(m->plain, len);
    slow_seal(a->alg, m->sealed, m->tag, m->key, m->nonce, m->ad, m->ad_len, m->plain, len);
    EXPECT(QS_OK, qs_aead_init(&m->aead, a->alg, m->key, a->key_len));
}

size_t random_piece(size_t left)
{
    static const size_t most[] = {1, 17, 65, 300, TEXT_MAX};
    size_t n = random_below(most[random_below(COUNT(most))] + 1);
    return n < left ? n : left;
}

size_t cut_in(qs_const_iovec v[PIECES_MAX], const uint8_t *base, size_t len)
{
    size_t n = 0;

    for (size_t wanted = random_below(PIECES_MAX); n < wanted; n++) {
        v[n] = (qs_const_iovec){base, random_piece(len)};
        base += v[n].len, len -= v[n].len;
    }
    if (len || random_below(2)) v[n++] = (qs_const_iovec){base, len};
    return n;
}

size_t cut_out(qs_iovec v[PIECES_MAX], uint8_t *base, size_t len)
{
    qs_const_iovec c[PIECES_MAX];
    size_t n = cut_in(c, base, len);

    for (size_t i = 0; i < n; i++) {
        v[i] = (qs_iovec){base, c[i].len};
        base += c[i].len;
    }
    return n;
}

void covered_chosen(const char *kind)
{
    for (int p = 0; p < QS_PRIMITIVES; p++)
        covered(kind, qs_tables[p].primitive, qs_kernel_of((enum qs_primitive)p)->name);
}
