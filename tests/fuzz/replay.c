/* SPDX-License-Identifier: MIT
 *
 * Fuzz target: the anti-replay window against a list of all that was accepted; and the XOR nonce.
 */
#include "fuzz.h"

enum { MAX_STEPS = 400 };

static void window(struct input *i)
{
    uint64_t accepted[MAX_STEPS], highest = 0;
    size_t n = 0;
    qs_replay window;

    qs_replay_init(&window);
    for (unsigned step = 0; step < MAX_STEPS && i->left; step++) {
        const uint8_t how = take_u8(i);
        uint64_t counter;
        int again = 0;

        if (how < 96) counter = highest + how;
        else if (how < 160) counter = highest - take_u64(i, 2) % (QS_REPLAY_WIDTH + 3);
        else if (how < 192) counter = highest - QS_REPLAY_WIDTH + how % 4 - 1;
        else if (how < 224) counter = highest + take_u64(i, 2);
        else counter = take_counter(i);

        for (size_t k = 0; k < n; k++) again |= accepted[k] == counter;
        const int old = n && counter < highest && highest - counter >= QS_REPLAY_WIDTH;
        const qs_status want = again || old ? QS_ERR_REPLAY : QS_OK;
        CHECK_STATUS(qs_replay_check(&window, counter), want, "check");
        if (how % 8 == 7) continue; /* its tag was wrong: the window must not have moved */
        CHECK_STATUS(qs_replay_accept(&window, counter), want, "accept");
        if (want == QS_OK) accepted[n++] = counter;
        if (want == QS_OK && counter > highest) highest = counter;
    }
}

static void nonce(struct input *i)
{
    uint8_t iv[12], nonce[12], want[12];
    uint64_t seq;

    take_bytes(i, iv, sizeof iv);
    memcpy(want, iv, sizeof want);
    seq = take_u64(i, 8);
    for (unsigned k = 0; k < 8; k++) want[11 - k] ^= (uint8_t)(seq >> 8 * k);
    uint8_t *to = take_u8(i) % 2 ? iv : nonce;
    qs_nonce_xor(to, iv, seq);
    CHECK_BYTES(to, want, sizeof want, "nonce");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input i = {data, size};

    if (take_u8(&i) % 8 == 7) nonce(&i);
    else window(&i);
    return 0;
}
