/* SPDX-License-Identifier: MIT
 *
 * What the one-shot and the incremental calls of the AEADs share: five steps over one message. They are begin, AD, text,
 * and the end with lengths and tag; all pieces may be of any length.
 */
#ifndef QS_AEAD_H
#define QS_AEAD_H

#include "internal.h"

#pragma GCC visibility push(hidden)

enum qs_form {
    QS_RFC8439, /* 96-bit nonce; tag over padded AD, padded text and both lengths */
    QS_SALTED,  /* the same, where the nonce is 4 bytes from the key and 8 from the caller */
    QS_EXTENDED, /* the same on a key from HChaCha, where the nonce is 4 zeros and the last 8 bytes of the caller's */
    QS_SPTPS    /* 64-bit nonce; tag over the text alone */
};

struct qs_alg_info {
    uint8_t key_len, nonce_len, rounds, form;
};

extern const struct qs_alg_info qs_algs[QS_TINC_SPTPS + 1];

/* NULL for a number that is no algorithm. */
static inline const struct qs_alg_info *qs_find_alg(uint32_t alg)
{
    return alg - 1 < QS_TINC_SPTPS ? &qs_algs[alg] : NULL;
}

/* What a qs_aead holds. A wiped one has alg 0, which is none. */
struct QS_MAY_ALIAS qs_key {
    uint32_t alg;
    uint32_t salt; /* the first 4 bytes of the nonce, where the caller does not give them */
    uint32_t key[8];
};
_Static_assert(sizeof(struct qs_key) <= sizeof(qs_aead), "qs_aead is large enough");

/* NULL if there is no key, or none prepared. */
static inline const struct qs_alg_info *qs_alg_of(const qs_aead *aead)
{
    return aead ? qs_find_alg(((const struct qs_key *)aead)->alg) : NULL;
}

/* What a qs_stream holds, and the one-shot calls have on their stack. A wiped one has phase OVER. */
enum qs_phase { QS_OVER, QS_IN_AD, QS_IN_TEXT };

struct QS_MAY_ALIAS qs_run {
    struct qs_keystream cipher;
    struct qs_mac mac;
    uint64_t ad_len, text_len;
    uint8_t form, phase, opening;
};
_Static_assert(sizeof(struct qs_run) <= sizeof(qs_stream), "qs_stream is large enough");

/* Words 13 to 15 of a message's state. `a` is the algorithm of the key. */
static QS_INLINE void qs_nonce_words(uint32_t words[3], const struct qs_key *key, const uint8_t *nonce,
                                  const struct qs_alg_info *a)
{
    words[0] = a->form == QS_RFC8439 ? qs_load32(nonce) : key->salt;
    words[1] = qs_load32(nonce + a->nonce_len - 8);
    words[2] = qs_load32(nonce + a->nonce_len - 4);
}

/* The key that XChaCha derives from the first 16 bytes of its nonce: where it stands in k. */
const uint32_t *qs_derive_key(struct qs_keystream *k, const struct qs_key *key, const uint8_t *nonce);

void qs_run_begin(struct qs_run *r, const struct qs_key *key, const uint8_t *nonce);
void qs_run_ad(struct qs_run *r, const uint8_t *ad, size_t len);
void qs_run_authenticate(struct qs_run *r, const uint8_t *in, size_t len); /* ends the AD, also with len 0 */
void qs_run_end(struct qs_run *r, uint8_t tag[QS_TAG_LEN]);
qs_status qs_run_verify(struct qs_run *r, const uint8_t tag[QS_TAG_LEN]); /* ends, and compares */

/* One packet of an array of array_len bytes, which no output may touch. `a` is its algorithm, or NULL if there is none.
 * Check, and run what was checked; or both. They return what the packet's status shall be. */
qs_status qs_packet_check(const qs_packet *p, const struct qs_alg_info *a, int sealing, const void *array,
                          size_t array_len);
qs_status qs_packet_run(const qs_packet *p, const struct qs_alg_info *a, int sealing);
qs_status qs_packet_process(const qs_packet *p, int sealing, const void *array, size_t array_len);

/* Seals or opens packets by a row of the table `packets`; returns how many failed. */
size_t qs_packets_by(const struct qs_lanes_kernel *kernel, qs_packet *packets, size_t n, int sealing);

/* The limit of a message: its last block is number 2^32 - 1 where the counter has 32 bits. A 64-bit counter has no limit
 * that a length could reach. */
static inline int qs_text_fits(unsigned form, uint64_t len)
{
    return form == QS_SPTPS || len <= (uint64_t)UINT32_MAX * QS_BLOCK_LEN;
}

/* Long text goes in chunks, so that Poly1305 finds what ChaCha has just written in the first-level cache. */
enum { QS_CHUNK = 4096 };

/* What is done to a chunk; and to text of any length, chunk by chunk. */
typedef void qs_text_step(struct qs_run *r, uint8_t *out, const uint8_t *in, size_t len);
qs_text_step qs_encrypt_and_authenticate, qs_authenticate_and_decrypt, qs_decrypt;
void qs_run_text(struct qs_run *r, qs_text_step *step, uint8_t *out, const uint8_t *in, size_t len);

#pragma GCC visibility pop

#endif
