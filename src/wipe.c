/* SPDX-License-Identifier: MIT
 *
 * Wiping.
 */
#include "internal.h"

void qs_wipe(void *p, size_t len)
{
    if (len == 0) return;
    memset(p, 0, len);
    QS_BARRIER(p);
}

QS_NOINLINE void qs_stack_wipe(void)
{
    uint8_t dead[QS_STACK_BELOW];
    size_t len = sizeof dead;

    /* With a length that it knows, gcc would put in a string instruction, which takes longer to start than to run. */
    QS_OPAQUE(len);
    memset(dead, 0, len);
    QS_BARRIER(dead);
    QS_CLEAR_VECTORS();
}
