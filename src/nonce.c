/* SPDX-License-Identifier: MIT
 *
 * Nonces of protocols that XOR a sequence number into a secret IV.
 */
#include "internal.h"

void qs_nonce_xor(uint8_t nonce[12], const uint8_t iv[12], uint64_t seq)
{
    for (unsigned i = 0; i < 4; i++) nonce[i] = iv[i];
    for (unsigned i = 4; i < 12; i++) nonce[i] = iv[i] ^ (uint8_t)(seq >> 8 * (11 - i));
}
