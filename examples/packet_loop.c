/* SPDX-License-Identifier: MIT
 *
 * A tunnel's inner loop, both ends in one program: thirty-two packets sealed in one call, some of them lost, repeated or
 * forged on the way, opened in one call, and let through once each.
 */
#include <quickstep.h>

#include <stdio.h>
#include <string.h>

enum { PACKETS = 32, MTU = 1420, COUNTER_LEN = 8 };

/* What travels: the counter, the text, the tag. */
struct wire {
    uint8_t counter[COUNTER_LEN];
    uint8_t text[MTU + QS_TAG_LEN];
    size_t len; /* of the text */
};

static void put_counter(uint8_t bytes[COUNTER_LEN], uint64_t counter)
{
    for (int i = 0; i < COUNTER_LEN; i++) bytes[i] = (uint8_t)(counter >> 8 * i);
}

static uint64_t get_counter(const uint8_t bytes[COUNTER_LEN])
{
    uint64_t counter = 0;
    for (int i = 0; i < COUNTER_LEN; i++) counter |= (uint64_t)bytes[i] << 8 * i;
    return counter;
}

/* In place: the text is where it will be sent from. */
static qs_packet describe(const qs_aead *key, struct wire *w)
{
    return (qs_packet){.aead = key, .nonce = w->counter, .in = w->text, .out = w->text, .len = w->len,
                       .tag = w->text + w->len};
}

int main(void)
{
    static const uint8_t secret[32] = {0x42}; /* from a handshake; never a constant */
    static struct wire wire[PACKETS];
    qs_packet batch[PACKETS];
    qs_aead key;
    qs_replay window;

    if (qs_aead_init(&key, QS_WIREGUARD, secret, sizeof secret) != QS_OK) return 1;
    qs_replay_init(&window);

    /* The sending end. */
    for (unsigned i = 0; i < PACKETS; i++) {
        wire[i].len = (size_t)snprintf((char *)wire[i].text, MTU, "packet %u", i);
        put_counter(wire[i].counter, i);
        batch[i] = describe(&key, &wire[i]);
    }
    if (qs_seal_packets(batch, PACKETS) != 0) return 1;

    /* The network: one packet forged, one repeated in another's place. */
    wire[3].text[0] ^= 1;
    wire[7] = wire[6];

    /* The receiving end. */
    unsigned passed = 0, forged = 0, repeated = 0;
    for (unsigned i = 0; i < PACKETS; i++) batch[i] = describe(&key, &wire[i]);
    size_t failed = qs_open_packets(batch, PACKETS);
    for (unsigned i = 0; i < PACKETS; i++) {
        if (batch[i].status != QS_OK) forged++;
        else if (qs_replay_accept(&window, get_counter(wire[i].counter)) != QS_OK) repeated++;
        else passed++;
    }
    qs_aead_wipe(&key);

    printf("%u passed, %u forged, %u repeated\n", passed, forged, repeated);
    return failed == 1 && passed == PACKETS - 2 && forged == 1 && repeated == 1 ? 0 : 1;
}
