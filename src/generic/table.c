/* SPDX-License-Identifier: MIT
 *
 * Tables and CPU of an architecture that has no folder of its own: plain C alone.
 */
#include "../kernel.h"

#ifdef QS_NO_ARCH

static const struct qs_kernel chacha_rows[] = {QS_CHACHA_GENERIC_ROW};
static const struct qs_kernel poly1305_rows[] = {QS_POLY1305_GENERIC_ROWS};
static const struct qs_kernel aead_rows[] = {QS_AEAD_STEPS_ROW};
static const struct qs_kernel packets_rows[] = {QS_PACKETS_SINGLE_ROW};

QS_DEFINE_TABLES(chacha_rows, poly1305_rows, aead_rows, packets_rows);

static const struct qs_cpu_level levels[] = {{"generic", 0}};
const struct qs_cpu_names qs_cpu_names = {NULL, 0, levels, 1};

uint32_t qs_cpu_detect(void)
{
    return 0;
}

#endif
