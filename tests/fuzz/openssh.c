/* SPDX-License-Identifier: MIT
 *
 * Fuzz target: chacha20-poly1305@openssh.com.
 */
#include "oracle.h"

static uint8_t key[64], text[MAX_TEXT], want[MAX_TEXT], tag[16];

static void seal_open_forge(struct input *i, const qs_openssh *ssh)
{
    const uint32_t seq = (uint32_t)take_counter(i);
    const size_t len = take_len(i, MAX_TEXT), offset = take_u8(i) % 64, shift = take_u8(i) % 64;
    const int in_place = take_u8(i) % 2;
    uint8_t *out = room(offset, len + 16), *in = in_place ? out : room(shift, len);

    take_bytes(i, text, len);
    memcpy(in, text, len);
    if (len < 4) {
        CHECK_STATUS(qs_openssh_seal(ssh, out, out + len, seq, in, len), QS_ERR_LENGTH, "seal");
        CHECK_STATUS(qs_openssh_open(ssh, out, seq, in, len, out + len), QS_ERR_LENGTH, "open");
    } else {
        oracle_openssh_seal(want, tag, key, seq, text, len);
        CHECK_STATUS(qs_openssh_seal(ssh, out, out + len, seq, in, len), QS_OK, "seal");
        CHECK_BYTES(out, want, len, "seal");
        CHECK_BYTES(out + len, tag, 16, "seal: tag");
        take_level(i);
        CHECK(qs_openssh_length(ssh, seq, out) ==
                  ((uint32_t)text[0] << 24 | (uint32_t)text[1] << 16 | (uint32_t)text[2] << 8 | text[3]),
              "length field");

        if (!in_place) memcpy(in, out, len), memset(out, 0x5a, len);
        uint8_t *forged = take_u8(i) % 2 ? in + take_below(i, len) : out + len + take_u8(i) % 16;
        const uint8_t bit = (uint8_t)(1 << take_u8(i) % 8);
        *forged ^= bit;
        memcpy(want, out, len);
        CHECK_STATUS(qs_openssh_open(ssh, out, seq, in, len, out + len), QS_ERR_AUTH, "open forged");
        CHECK_BYTES(out, want, len, "open forged: written");
        *forged ^= bit;
        CHECK_STATUS(qs_openssh_open(ssh, out, seq, in, len, out + len), QS_OK, "open");
        CHECK_BYTES(out, text, len, "open");
    }
    if (!in_place) drop(in, shift);
    drop(out, offset);
}

static void overlaps(struct input *i, const qs_openssh *ssh)
{
    uint8_t stretch[256], before[256];
    const size_t len = 4 + take_u8(i) % 60;

    take_bytes(i, stretch, sizeof stretch);
    uint8_t *out = stretch + take_u8(i) % 190, *in = stretch + take_u8(i) % 190, *tag_at = stretch + take_u8(i) % 190;
    if (take_u8(i) % 2) in = out;
    memcpy(before, stretch, sizeof before);
    oracle_openssh_seal(want, tag, key, 7, in, len);
    if ((in != out && touch(out, len, in, len)) || touch(tag_at, 16, out, len) || touch(tag_at, 16, in, len)) {
        CHECK_STATUS(qs_openssh_open(ssh, out, 7, in, len, tag_at), QS_ERR_OVERLAP, "open overlapping");
        CHECK_STATUS(qs_openssh_seal(ssh, out, tag_at, 7, in, len), QS_ERR_OVERLAP, "seal overlapping");
    } else {
        CHECK_STATUS(qs_openssh_seal(ssh, out, tag_at, 7, in, len), QS_OK, "seal close by");
        memcpy(before + (out - stretch), want, len);
        memcpy(before + (tag_at - stretch), tag, 16);
    }
    CHECK_BYTES(stretch, before, sizeof stretch, "close by");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input i = {data, size};
    qs_openssh ssh;
    const uint8_t how = take_u8(&i);

    take_level(&i);
    take_bytes(&i, key, sizeof key);
    qs_openssh_init(&ssh, key);
    if (how % 4 == 3) overlaps(&i, &ssh);
    else seal_open_forge(&i, &ssh);
    return 0;
}
