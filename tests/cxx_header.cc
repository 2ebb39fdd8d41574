// SPDX-License-Identifier: MIT
//
// The header in C++: it compiles, the functions link, and a message goes through.
#include <quickstep.h>

#include <cstdio>
#include <cstring>
#include <type_traits>

static_assert(std::is_trivially_copyable<qs_aead>::value, "a prepared key can be copied");
static_assert(std::is_trivially_copyable<qs_stream>::value, "a stream can be copied");
static_assert(sizeof(qs_aead) <= 64 && alignof(qs_aead) <= alignof(uint64_t), "a prepared key is small");

int main()
{
    const uint8_t key[32] = {1}, nonce[12] = {2};
    uint8_t text[] = "hello", tag[QS_TAG_LEN];
    qs_aead aead;

    if (qs_aead_init(&aead, QS_CHACHA20_POLY1305, key, sizeof key) != QS_OK) return 1;
    if (qs_aead_seal(&aead, text, tag, nonce, sizeof nonce, nullptr, 0, text, sizeof text) != QS_OK) return 2;
    if (std::strcmp(reinterpret_cast<const char *>(text), "hello") == 0) return 3;
    qs_packet packet = {&aead, text, tag, nonce, nullptr, 0, text, sizeof text, QS_ERR_STATE};
    if (qs_open_packets(&packet, 1) != 0 || packet.status != QS_OK) return 4;
    if (std::strcmp(reinterpret_cast<const char *>(text), "hello") != 0) return 5;
    tag[0] ^= 1;
    if (qs_aead_open(&aead, text, nonce, sizeof nonce, nullptr, 0, text, sizeof text, tag) != QS_ERR_AUTH) return 6;
    qs_aead_wipe(&aead);
    std::printf("%s: %s\n", qs_version(), qs_strerror(QS_OK));
    return 0;
}
