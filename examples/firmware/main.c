/* SPDX-License-Identifier: MIT
 *
 * The least a firmware needs: one key, one packet sealed and opened again, no C library. `build` beside this file links
 * it for MIPS32 and Cortex-M and says how large it came out.
 */
#include <quickstep.h>

/* All that the library asks of the platform. A real firmware has better ones. */
void *memcpy(void *restrict to, const void *restrict from, size_t len);
void *memset(void *p, int byte, size_t len);

void *memcpy(void *restrict to, const void *restrict from, size_t len)
{
    uint8_t *t = to;
    const uint8_t *f = from;
    while (len--) *t++ = *f++;
    return to;
}

void *memset(void *p, int byte, size_t len)
{
    uint8_t *b = p;
    while (len--) *b++ = (uint8_t)byte;
    return p;
}

static const uint8_t key[32] = {0x80, 0x81, 0x82}; /* in a real one from the handshake */

int main(void)
{
    static uint8_t packet[64 + QS_TAG_LEN] = "a packet", nonce[8] = {1}; /* the packet counter, little-endian */
    qs_aead aead;

    qs_status status = qs_aead_init(&aead, QS_WIREGUARD, key, sizeof key);
    if (status == QS_OK)
        status = qs_aead_seal(&aead, packet, packet + 64, nonce, sizeof nonce, NULL, 0, packet, 64);
    if (status == QS_OK)
        status = qs_aead_open(&aead, packet, nonce, sizeof nonce, NULL, 0, packet, 64, packet + 64);
    qs_aead_wipe(&aead);
    return status == QS_OK ? 0 : 1;
}

/* Where the boot loader jumps to. */
void _start(void);
void _start(void)
{
    volatile int result = main();
    (void)result;
    for (;;) {
    }
}
