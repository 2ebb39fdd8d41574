/* SPDX-License-Identifier: MIT
 *
 * The algorithms as the header's table lists them, and random messages of each with what they must become.
 */
#ifndef QS_TESTS_API_MESSAGE_H
#define QS_TESTS_API_MESSAGE_H

#include "kernel_slow.h"

enum { KEY_MAX = 64, NONCE_MAX = 24, AD_MAX = 2048, TEXT_MAX = 8192 };

struct algorithm {
    const char *name;
    qs_alg alg;
    size_t key_len, nonce_len;
    uint64_t most_text; /* per message */
};

enum { ALGORITHMS = 9 };
extern const struct algorithm algorithms[ALGORITHMS];

struct message {
    const struct algorithm *a;
    qs_aead aead;
    uint8_t key[KEY_MAX], nonce[NONCE_MAX];
    uint8_t ad[AD_MAX], plain[TEXT_MAX];
    size_t ad_len, len;
    uint8_t sealed[TEXT_MAX], tag[QS_TAG_LEN]; /* by the slow reference */
};

/* ad_len counts as 0 where the algorithm has no AD. */
void random_message(struct message *m, const struct algorithm *a, size_t ad_len, size_t len);

/* Length of the next piece of a message of which `left` bytes are to come: often empty, short, or about a block. */
size_t random_piece(size_t left);

/* Cuts a buffer into random pieces; returns how many. */
enum { PIECES_MAX = 12 };
size_t cut_in(qs_const_iovec v[PIECES_MAX], const uint8_t *base, size_t len);
size_t cut_out(qs_iovec v[PIECES_MAX], uint8_t *base, size_t len);

/* covered() for the row of each primitive that is chosen now. */
void covered_chosen(const char *kind);

/* Fails unless the call returned this status. */
#define EXPECT(status, call)                                                                                           \
    do {                                                                                                               \
        const qs_status got_ = (call);                                                                                 \
        if (got_ != (status)) FAIL("%s:%d: %s: %d, should be %d", __FILE__, __LINE__, #call, got_, (int)(status));     \
    } while (0)

#endif
