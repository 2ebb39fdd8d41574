/* SPDX-License-Identifier: MIT
 *
 * x86-64, SSSE3: one whole message, with 4 lanes. The passes are in aead_ssse3.S.
 */
#include "../port.h"

#ifdef QS_X86_64

#define LANES 4
#define NAME(x) qs_aead_ssse3_##x
#define TARGET
#include "aead_plan.inc"

static void mac_blocks(work *w, const uint8_t *text, size_t n)
{
    mac_chains(w, text, n);
}

void qs_seal_message_ssse3(const struct qs_message *m)
{
    seal(m);
}

qs_status qs_open_message_ssse3(const struct qs_message *m)
{
    return open(m);
}

#endif
