/* SPDX-License-Identifier: MIT
 *
 * LoongArch64: the rows, best first.
 */
#include "cpu.h"

#ifdef QS_LOONGARCH64

#pragma GCC visibility push(hidden)
qs_chacha_blocks qs_chacha_blocks_lasx, qs_chacha_blocks_lsx, qs_chacha_blocks_scalar;
qs_poly1305_blocks qs_poly1305_blocks_scalar;
#pragma GCC visibility pop

static const struct qs_kernel chacha_rows[] = {
    {"lasx", QS_UAL | QS_LSX | QS_LASX, 0, 1, {.chacha = qs_chacha_blocks_lasx}},
    {"lsx", QS_UAL | QS_LSX, 0, 1, {.chacha = qs_chacha_blocks_lsx}},
    {"scalar", QS_UAL, 0, 0, {.chacha = qs_chacha_blocks_scalar}},
    QS_CHACHA_GENERIC_ROW,
};
static const struct qs_kernel poly1305_rows[] = {
    {"scalar", QS_UAL, 0, 0, {.poly1305 = qs_poly1305_blocks_scalar}},
    QS_POLY1305_GENERIC_ROWS,
};
static const struct qs_kernel aead_rows[] = {QS_AEAD_STEPS_ROW};
static const struct qs_kernel packets_rows[] = {QS_PACKETS_SINGLE_ROW};

QS_DEFINE_TABLES(chacha_rows, poly1305_rows, aead_rows, packets_rows);

#endif
