/* SPDX-License-Identifier: MIT
 *
 * LoongArch64: the rows, best first.
 */
#include "cpu.h"
#include "kernels.h"

#ifdef QS_LOONGARCH64

static const struct qs_kernel chacha_rows[] = {
    {"lasx", QS_UAL | QS_LSX | QS_LASX, 0, 1, {.chacha = qs_chacha_blocks_lasx}},
    {"lsx", QS_UAL | QS_LSX, 0, 1, {.chacha = qs_chacha_blocks_lsx}},
    {"scalar", QS_UAL, 0, 0, {.chacha = qs_chacha_blocks_scalar}},
    QS_CHACHA_GENERIC_ROW,
};
static const struct qs_kernel poly1305_rows[] = {
    {"lasx", QS_UAL | QS_LSX | QS_LASX, 0, 1, {.poly1305 = qs_poly1305_blocks_lasx}},
    {"lsx", QS_UAL | QS_LSX, 0, 1, {.poly1305 = qs_poly1305_blocks_lsx}},
    {"scalar", QS_UAL, 0, 0, {.poly1305 = qs_poly1305_blocks_scalar}},
    QS_POLY1305_GENERIC_ROWS,
};
static const struct qs_kernel aead_rows[] = {
    {"lasx", QS_UAL | QS_LSX | QS_LASX, 0, 1, {.aead = {qs_seal_message_lasx, qs_open_message_lasx}}},
    {"lsx", QS_UAL | QS_LSX, 0, 1, {.aead = {qs_seal_message_lsx, qs_open_message_lsx}}},
    {"scalar", QS_UAL, 0, 0, {.aead = {qs_seal_message_scalar, qs_open_message_scalar}}},
    QS_AEAD_STEPS_ROW,
};
static const struct qs_kernel packets_rows[] = {QS_PACKETS_SINGLE_ROW};

QS_DEFINE_TABLES(chacha_rows, poly1305_rows, aead_rows, packets_rows);

#endif
