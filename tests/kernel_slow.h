/* SPDX-License-Identifier: MIT
 *
 * The slow reference: the definitions, written down as plainly as can be and sharing no code with src/. The portable
 * kernels are rows of the tables too, so they are compared with this.
 */
#ifndef QS_TESTS_KERNEL_SLOW_H
#define QS_TESTS_KERNEL_SLOW_H

#include "harness.h"

/* Both as the kernels of that type; h comes out fully reduced. */
void slow_chacha_blocks(uint8_t *out, const uint8_t *in, size_t nblocks, const uint32_t state[16], unsigned rounds);
void slow_poly1305_blocks(uint32_t h[5], const uint32_t r[4], const uint8_t *in, size_t nblocks, uint32_t pad);

/* Modulo p = 2^130 - 5, fully reduced: h; h + b; h b. For numbers below 2^131. */
void slow_reduce(uint32_t h[5]);
void slow_add(uint32_t h[5], const uint32_t b[5]);
void slow_multiply(uint32_t h[5], const uint32_t b[5]);

/* r as the kernels want it: some bits of a random one are zero. */
void slow_clamp(uint32_t r[4]);

/* The words that a kernel wants for block `counter`; nonce_len 12 or 8. */
void slow_state(uint32_t state[16], const uint8_t key[32], const uint8_t *nonce, size_t nonce_len, uint64_t counter);

/* len bytes of the stream that starts at block `counter`. nonce_len 12: RFC 8439; 8: Bernstein's; 24: XChaCha. */
void slow_chacha(uint8_t *out, const uint8_t key[32], const uint8_t *nonce, size_t nonce_len, uint64_t counter,
                 unsigned rounds, const uint8_t *in, size_t len);
void slow_hchacha(uint8_t out[32], const uint8_t key[32], const uint8_t nonce[16], unsigned rounds);
void slow_poly1305(uint8_t tag[16], const uint8_t key[32], const uint8_t *in, size_t len);

/* The first block under a key and nonce of an AEAD: it begins with the Poly1305 key. */
void slow_block0(qs_alg alg, uint8_t block[64], const uint8_t *key, const uint8_t *nonce);

/* ad_len + len at most 80000. */
void slow_seal(qs_alg alg, uint8_t *out, uint8_t tag[16], const uint8_t *key, const uint8_t *nonce, const uint8_t *ad,
               size_t ad_len, const uint8_t *in, size_t len);
void slow_openssh_seal(uint8_t *out, uint8_t tag[16], const uint8_t key[64], uint32_t seq, const uint8_t *in,
                       size_t len);

/* The three functions of a row of `packets`. The first does put the states in another order. */
void slow_lanes_arrange(struct qs_lanes *l);
void slow_lanes_blocks(struct qs_lanes *l, const struct qs_lanes_stream *s, uint32_t first, uint32_t n, uint32_t rounds,
                       struct qs_lanes_mac *m);
void slow_lanes_tags(struct qs_lanes_mac *m);
/* The same for a row that makes tags beside its passes: each makes some. */
void slow_lanes_blocks_beside(struct qs_lanes *l, const struct qs_lanes_stream *s, uint32_t first, uint32_t n,
                              uint32_t rounds, struct qs_lanes_mac *m);
void slow_lanes_tags_beside(struct qs_lanes_mac *m);

#endif
