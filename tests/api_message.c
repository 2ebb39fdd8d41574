/* SPDX-License-Identifier: MIT */
#include "api_message.h"

#define MOST_32 ((UINT64_C(1) << 38) - 64) /* (2^32 - 1) * 64 */
#define MOST_64 (UINT64_MAX - 63)          /* 2^64 - 64 */

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

void covered_chosen(const char *kind)
{
    for (int p = 0; p < QS_PRIMITIVES; p++)
        covered(kind, qs_tables[p].primitive, qs_kernel_of((enum qs_primitive)p)->name);
}
