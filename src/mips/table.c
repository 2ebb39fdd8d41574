/* SPDX-License-Identifier: MIT
 *
 * MIPS32 release 2, o32: the rows, best first.
 */
#include "cpu.h"

#ifdef QS_MIPS32R2

_Static_assert(offsetof(struct qs_message, key) == 0 && offsetof(struct qs_message, out) == 4 &&
                   offsetof(struct qs_message, in) == 8 && offsetof(struct qs_message, len) == 12 &&
                   offsetof(struct qs_message, ad) == 16 && offsetof(struct qs_message, ad_len) == 20 &&
                   offsetof(struct qs_message, tag) == 24 && offsetof(struct qs_message, nonce) == 28 &&
                   offsetof(struct qs_message, rounds) == 40 && QS_OK == 0 && QS_ERR_AUTH == -1,
               "chacha_poly1305_mips32r2.S knows them");

#pragma GCC visibility push(hidden)
qs_chacha_blocks qs_chacha_blocks_mips32r2;
qs_poly1305_blocks qs_poly1305_blocks_mips32r2;
qs_seal_message qs_seal_mips32r2;
qs_open_message qs_open_mips32r2;
#pragma GCC visibility pop

static const struct qs_kernel chacha_rows[] = {
    {"mips32r2", QS_RELEASE_2, 0, 0, {.chacha = qs_chacha_blocks_mips32r2}}, QS_CHACHA_GENERIC_ROW};
static const struct qs_kernel poly1305_rows[] = {
    {"mips32r2", QS_RELEASE_2, 0, 0, {.poly1305 = qs_poly1305_blocks_mips32r2}}, QS_POLY1305_GENERIC_ROWS};
static const struct qs_kernel aead_rows[] = {
    {"mips32r2", QS_RELEASE_2, 0, 0, {.aead = {qs_seal_mips32r2, qs_open_mips32r2}}}, QS_AEAD_STEPS_ROW};
static const struct qs_kernel packets_rows[] = {QS_PACKETS_SINGLE_ROW};

QS_DEFINE_TABLES(chacha_rows, poly1305_rows, aead_rows, packets_rows);

#endif
