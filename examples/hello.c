/* SPDX-License-Identifier: MIT
 *
 * The README's example: seals a message and opens it again.
 */
#include <quickstep.h>

#include <stdio.h>

int main(void)
{
    uint8_t key[32] = {1}, nonce[12] = {0}, text[] = "attack at dawn", tag[QS_TAG_LEN];
    qs_aead aead;

    if (qs_aead_init(&aead, QS_CHACHA20_POLY1305, key, sizeof key) != QS_OK) return 1;
    if (qs_aead_seal(&aead, text, tag, nonce, sizeof nonce, NULL, 0, text, sizeof text) != QS_OK) return 1;
    qs_status status = qs_aead_open(&aead, text, nonce, sizeof nonce, NULL, 0, text, sizeof text, tag);
    printf("%s\n", status == QS_OK ? (const char *)text : qs_strerror(status));
    qs_aead_wipe(&aead);
    return status != QS_OK;
}
