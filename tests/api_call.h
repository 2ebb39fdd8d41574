/* SPDX-License-Identifier: MIT
 *
 * One message through each of the calls that seal or open a whole one, so that a rule is written once and checked in
 * all.
 */
#ifndef QS_TESTS_API_CALL_H
#define QS_TESTS_API_CALL_H

#include "api_message.h"

struct call {
    const qs_aead *aead;
    uint8_t *out, *tag;
    const uint8_t *nonce;
    size_t nonce_len; /* not said to packets */
    const uint8_t *ad;
    size_t ad_len;
    const uint8_t *in;
    size_t len;
};

struct way {
    const char *name;
    qs_status (*run)(const struct call *c);
    int opens;
    int takes_nonce_len;
};

enum { WAYS = 6 };
extern const struct way ways[WAYS];

/* A small message in one stretch of memory, everything apart from everything else and between canaries; and a copy, to
 * see what a call has written. */
enum { ARENA_GAP = 160, ARENA_AD = 40, ARENA_LEN = 200 };
struct arena {
    uint8_t gap0[ARENA_GAP], out[ARENA_LEN], gap1[ARENA_GAP], in[ARENA_LEN], gap2[ARENA_GAP], ad[ARENA_AD];
    uint8_t gap3[ARENA_GAP], nonce[NONCE_MAX], gap4[ARENA_GAP], tag[QS_TAG_LEN], gap5[ARENA_GAP];
    qs_aead aead;
    uint8_t gap6[ARENA_GAP];
};
extern struct arena arena;

/* A place in it, from which a test may step outside the member. */
#define ARENA_AT(member) ((uint8_t *)&arena + offsetof(struct arena, member))

/* Fills the arena with a message of len bytes to seal, or a sealed one to open, and the call that does it. */
struct call arena_call(const struct algorithm *a, const struct way *w, size_t len);

/* The message as it must come out; the tag too if it was sealed. */
extern uint8_t arena_want[ARENA_LEN], arena_want_tag[QS_TAG_LEN];

/* Runs the call; fails unless it returns the status and writes nothing, or all that it should if that is QS_OK. */
void arena_expect(const struct way *w, const struct call *c, qs_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
