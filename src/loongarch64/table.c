/* SPDX-License-Identifier: MIT
 *
 * LoongArch64: the rows, best first.
 */
#include "cpu.h"

#ifdef QS_LOONGARCH64

static const struct qs_kernel chacha_rows[] = {QS_CHACHA_GENERIC_ROW};
static const struct qs_kernel poly1305_rows[] = {QS_POLY1305_GENERIC_ROWS};
static const struct qs_kernel aead_rows[] = {QS_AEAD_STEPS_ROW};
static const struct qs_kernel packets_rows[] = {QS_PACKETS_SINGLE_ROW};

QS_DEFINE_TABLES(chacha_rows, poly1305_rows, aead_rows, packets_rows);

#endif
