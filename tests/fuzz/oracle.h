/* SPDX-License-Identifier: MIT
 *
 * The answers of an independent library: libsodium for everything it has; what it has not (8 and 12 rounds) from the
 * textbook.
 */
#ifndef QS_FUZZ_ORACLE_H
#define QS_FUZZ_ORACLE_H

#include "fuzz.h"

/* nonce_len: 12 (32-bit counter), 8, or 24 (XChaCha) */
void oracle_chacha(uint8_t *out, const uint8_t key[32], const uint8_t *nonce, size_t nonce_len, uint64_t counter,
                   unsigned rounds, const uint8_t *in, size_t len);
void oracle_hchacha(uint8_t out[32], const uint8_t key[32], const uint8_t nonce[16], unsigned rounds);
void oracle_poly1305(uint8_t tag[16], const uint8_t key[32], const uint8_t *in, size_t len);

/* out and in may be the same. */
void oracle_seal(qs_alg alg, uint8_t *out, uint8_t tag[16], const uint8_t *key, const uint8_t *nonce, const uint8_t *ad,
                 size_t ad_len, const uint8_t *in, size_t len);
void oracle_openssh_seal(uint8_t *out, uint8_t tag[16], const uint8_t key[64], uint32_t seq, const uint8_t *in,
                         size_t len);

/* Key and nonce lengths as the header's table has them. */
size_t oracle_key_len(qs_alg alg);
size_t oracle_nonce_len(qs_alg alg);

#endif
