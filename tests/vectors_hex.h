/* SPDX-License-Identifier: MIT
 *
 * Hexadecimal to bytes, for known answers.
 */
#ifndef QS_TESTS_VECTORS_HEX_H
#define QS_TESTS_VECTORS_HEX_H

#include "harness.h"

/* Returns the number of bytes; fails the test if the text is not whole bytes of hexadecimal or needs more than max. */
static inline size_t hex_decode(uint8_t *out, size_t max, const char *hex)
{
    size_t n = strlen(hex);

    if (n % 2 || n / 2 > max || strspn(hex, "0123456789abcdefABCDEF") != n) FAIL("not %zu bytes of hex: %s", max, hex);
    for (size_t i = 0; i < n / 2; i++) {
        const char digits[3] = {hex[2 * i], hex[2 * i + 1], 0};
        out[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    return n / 2;
}

#endif
