/* SPDX-License-Identifier: MIT
 *
 * What the frontends share: a keystream and a MAC of any lengths over the kernels, checks, wiping.
 */
#ifndef QS_INTERNAL_H
#define QS_INTERNAL_H

#include "kernel.h"

#pragma GCC visibility push(hidden)

enum { QS_BLOCK_LEN = 64, QS_MAC_BLOCK_LEN = 16 };

/* ---- keystream ---------------------------------------------------------------------------------------------------- */

struct qs_keystream {
    uint32_t state[16]; /* of the next block; words 12 and 13 count as one where the nonce has 64 bits */
    uint8_t block[QS_BLOCK_LEN]; /* directly behind it, as kernels know */
    uint32_t left;               /* bytes at the end of block not used yet */
    uint32_t rounds;
};
_Static_assert(offsetof(struct qs_keystream, block) == 64, "kernels of the type qs_chacha_ending know it");

/* Keys are kept as words, so that their bytes are put in order once and not for every message. */
static inline void qs_load_words(uint32_t *words, const uint8_t *bytes, unsigned n)
{
    for (unsigned i = 0; i < n; i++) words[i] = qs_load32(bytes + 4 * i);
}

/* tail is words 12 to 15: a 64-bit counter, low half first, and a 64-bit nonce; or a 32-bit counter and a 96-bit nonce. */
void qs_keystream_init(struct qs_keystream *k, const uint32_t key[8], const uint32_t tail[4], unsigned rounds);

/* XORs len bytes, going on where the last call ended. The caller has checked the construction's limit. */
void qs_keystream_xor(struct qs_keystream *k, uint8_t *out, const uint8_t *in, size_t len);

/* XORs whole blocks, and counts them. Nothing may be left over. */
void qs_keystream_blocks(struct qs_keystream *k, uint8_t *out, const uint8_t *in, size_t nblocks);

/* One whole block into `block`, and the counter one up. Nothing may be left over. */
void qs_keystream_block(struct qs_keystream *k, uint8_t block[QS_BLOCK_LEN]);

/* out = in ^ key; in == out or no overlap. */
void qs_xor_bytes(uint8_t *out, const uint8_t *in, const uint8_t *key, size_t len);

/* What memcpy does, in general registers: a C library's may leave text in vector registers that QS_CLEAR_VECTORS does not
 * know of, such as the upper sixteen of AVX-512. For a few bytes. */
void qs_copy(uint8_t *to, const uint8_t *from, size_t len);

/* HChaCha of a keystream whose state is constants, key and a 16-byte nonce. Makes the derived key the state's key, and
 * returns where it stands there. */
const uint32_t *qs_keystream_hchacha(struct qs_keystream *k);

/* ---- MAC ---------------------------------------------------------------------------------------------------------- */

struct QS_MAY_ALIAS qs_mac {
    uint32_t h[5], r[4], s[4];
    uint8_t block[QS_MAC_BLOCK_LEN]; /* `used` bytes of a block that is not full yet */
    uint32_t used;
};

void qs_mac_init(struct qs_mac *m, const uint8_t key[32]);
void qs_mac_blocks(struct qs_mac *m, const uint8_t *in, size_t nblocks, uint32_t pad); /* at least one; none is begun */
void qs_mac_update(struct qs_mac *m, const uint8_t *in, size_t len);
void qs_mac_pad(struct qs_mac *m); /* zeros up to the next multiple of 16, as the AEADs want it */
void qs_mac_lengths(struct qs_mac *m, uint64_t ad_len, uint64_t text_len); /* pads, and adds the AEADs' last block */
void qs_mac_final(struct qs_mac *m, uint8_t tag[QS_TAG_LEN]);

qs_status qs_tag_compare(const uint8_t a[QS_TAG_LEN], const uint8_t b[QS_TAG_LEN]);

/* ---- checks ------------------------------------------------------------------------------------------------------- */

/* Do the two stretches of memory share a byte? Differences are taken modulo 2^N, so that no sum can overflow. */
static inline int qs_overlap(const void *a, size_t a_len, const void *b, size_t b_len)
{
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return a_len && b_len && (x - y < b_len || y - x < a_len);
}

/* The same for stretches that are not empty: two comparisons and no branch. */
static inline unsigned qs_meet(const void *a, size_t a_len, const void *b, size_t b_len)
{
    const uintptr_t d = (uintptr_t)b - (uintptr_t)a;
    return (d < a_len) | (d > (uintptr_t)0 - b_len);
}

/* Overlap other than being the same. */
static inline int qs_overlap_partly(const void *out, const void *in, size_t len)
{
    return out != in && qs_overlap(out, len, in, len);
}

static inline int qs_null(const void *p, size_t len)
{
    return p == NULL && len != 0;
}

/* ---- wiping ------------------------------------------------------------------------------------------------------- */

/* Wipes the stack below the caller, where plain C may have left copies of secrets, and the vector registers. A public
 * function does its work in a function that is not inlined, and then calls this: so its own frame holds no secret, and
 * all the frames that did lie where this one wipes.
 * Or it has all its secrets in one place of its own frame, which it wipes, and calls this only behind plain C. */
void qs_stack_wipe(void);

#pragma GCC visibility pop

#endif
