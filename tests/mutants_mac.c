/* SPDX-License-Identifier: MIT
 *
 * The lengths that the AEADs authenticate, beyond what a test can make messages of: all 64 bits of both count, each in
 * its place.
 */
#include "kernel_slow.h"

static void every_bit_of_the_lengths(void **state)
{
    static const uint8_t text[] = "padded or not";
    uint8_t key[32], message[64] = {0}, want[16], got[16];

    (void)state;
    random_bytes(key, sizeof key);
    for (unsigned bit = 0; bit < 128; bit++)
        for (size_t len = 0; len <= 16; len += 8) {
            const uint64_t ad_len = bit < 64 ? UINT64_C(1) << bit : 3;
            const uint64_t text_len = bit < 64 ? 5 : UINT64_C(1) << (bit - 64);
            struct qs_mac m;

            memcpy(message, text, sizeof text);
            memset(message + len, 0, sizeof message - len);
            const size_t padded = (len + 15) / 16 * 16;
            for (unsigned i = 0; i < 8; i++) {
                message[padded + i] = (uint8_t)(ad_len >> 8 * i);
                message[padded + 8 + i] = (uint8_t)(text_len >> 8 * i);
            }
            slow_poly1305(want, key, message, padded + 16);

            qs_mac_init(&m, key);
            qs_mac_update(&m, message, len);
            qs_mac_lengths(&m, ad_len, text_len);
            qs_mac_final(&m, got);
            expect_bytes(got, want, sizeof got, "%zu bytes, then lengths with bit %u", len, bit);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_bit_of_the_lengths)};

    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
