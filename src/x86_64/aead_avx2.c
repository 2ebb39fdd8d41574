/* SPDX-License-Identifier: MIT
 *
 * x86-64, AVX2 and BMI2: one whole message, with 8 lanes. The passes are in aead_avx2.S.
 */
#include "../port.h"

#ifdef QS_X86_64

#define LANES 8
#define NAME(x) qs_aead_avx2_##x
#define TARGET __attribute__((target("avx2")))
#include "aead_plan.inc"

#pragma GCC visibility push(hidden)
void qs_aead_avx2_mac_mixed(work *w, const uint8_t *text, size_t rest, size_t n);
void qs_aead_avx2_mac_bulk(work *w, const uint8_t *text);
#pragma GCC visibility pop

/* 4 n + rest blocks in general registers beside 8 n + 4 in vectors. */
enum { MIXED = 20, MIXED_MOST = 15, BULK = 212 };

static void mac_blocks(work *w, const uint8_t *text, size_t blocks)
{
    for (; blocks >= BULK; text += 16 * BULK, blocks -= BULK) qs_aead_avx2_mac_bulk(w, text);
    while (blocks >= MIXED) {
        const size_t n = blocks < 12 * MIXED_MOST + 4 ? (blocks - 4) / 12 : MIXED_MOST;
        const size_t rest = blocks < 12 * MIXED_MOST + 12 ? blocks - 12 * n - 4 : 0;

        qs_aead_avx2_mac_mixed(w, text, rest, n);
        text += 16 * (12 * n + 4 + rest), blocks -= 12 * n + 4 + rest;
    }
    if (blocks) mac_chains(w, text, blocks);
}

void qs_seal_message_avx2(const struct qs_message *m)
{
    seal(m);
}

qs_status qs_open_message_avx2(const struct qs_message *m)
{
    return open(m);
}

#endif
