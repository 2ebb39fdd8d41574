/* SPDX-License-Identifier: MIT
 *
 * x86-64: the rows, best first.
 */
#include "cpu.h"

#ifdef QS_X86_64

static const struct qs_kernel chacha_rows[] = {QS_CHACHA_GENERIC_ROW};
static const struct qs_kernel poly1305_rows[] = {QS_POLY1305_GENERIC_ROWS};

const struct qs_table qs_tables[QS_PRIMITIVES] = {
    [QS_CHACHA] = {"chacha", chacha_rows, sizeof chacha_rows / sizeof *chacha_rows},
    [QS_POLY1305] = {"poly1305", poly1305_rows, sizeof poly1305_rows / sizeof *poly1305_rows},
};

#endif
