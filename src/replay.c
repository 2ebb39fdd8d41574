/* SPDX-License-Identifier: MIT
 *
 * Anti-replay window over packet counters, RFC 6479: a ring of bitmap words, so that moving the window clears whole words
 * and shifts nothing. One word of the ring is always partly ahead of the highest counter, hence WIDTH.
 */
#include "internal.h"

enum { WORD_BITS = 64, WORDS = 64 };
_Static_assert(QS_REPLAY_WIDTH == (WORDS - 1) * WORD_BITS, "the ring holds the window and the word under way");

struct QS_MAY_ALIAS ring {
    uint64_t highest; /* accepted so far; 0, with its bit not set, before the first */
    uint64_t seen[WORDS]; /* bit c % 64 of word c / 64 % WORDS */
};
_Static_assert(sizeof(struct ring) == sizeof(qs_replay), "qs_replay is the ring");

void qs_replay_init(qs_replay *window)
{
    memset(window, 0, sizeof *window);
}

qs_status qs_replay_check(const qs_replay *window, uint64_t counter)
{
    const struct ring *r = (const struct ring *)window;

    if (!window) return QS_ERR_ARGUMENT;
    if (counter > r->highest) return QS_OK;
    if (r->highest - counter >= QS_REPLAY_WIDTH) return QS_ERR_REPLAY;
    return r->seen[counter / WORD_BITS % WORDS] >> counter % WORD_BITS & 1 ? QS_ERR_REPLAY : QS_OK;
}

qs_status qs_replay_accept(qs_replay *window, uint64_t counter)
{
    struct ring *r = (struct ring *)window;
    qs_status status = qs_replay_check(window, counter);

    if (status != QS_OK) return status;
    if (counter > r->highest) {
        uint64_t from = r->highest / WORD_BITS, words = counter / WORD_BITS - from;
        if (words > WORDS) words = WORDS;
        for (uint64_t i = 1; i <= words; i++) r->seen[(from + i) % WORDS] = 0;
        r->highest = counter;
    }
    r->seen[counter / WORD_BITS % WORDS] |= UINT64_C(1) << counter % WORD_BITS;
    return QS_OK;
}
