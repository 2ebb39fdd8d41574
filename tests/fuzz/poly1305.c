/* SPDX-License-Identifier: MIT
 *
 * Fuzz target: Poly1305 in one call, and in pieces where each may be taken by the rows of another level.
 */
#include "oracle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input i = {data, size};
    uint8_t key[32], want[16], tag[16], other[16];
    qs_poly1305_ctx ctx;
    static const qs_poly1305_ctx wiped;

    take_level(&i);
    const size_t len = take_len(&i, MAX_TEXT), offset = take_u8(&i) % 64;
    uint8_t *text = room(offset, len);
    take_bytes(&i, key, sizeof key);
    take_bytes(&i, text, len);
    oracle_poly1305(want, key, text, len);

    qs_poly1305(tag, key, text, len);
    CHECK_BYTES(tag, want, sizeof tag, "one call");

    qs_poly1305_init(&ctx, key);
    for (size_t at = 0, n; at < len; at += n) {
        n = i.left ? take_len(&i, len - at) : len - at;
        qs_poly1305_update(&ctx, n ? text + at : NULL, n);
        if (take_u8(&i) % 4 == 3) take_level(&i);
    }
    qs_poly1305_final(&ctx, tag);
    CHECK_BYTES(tag, want, sizeof tag, "pieces");
    CHECK(!memcmp(&ctx, &wiped, sizeof ctx), "final left something in the context");

    memcpy(other, tag, sizeof other);
    CHECK_STATUS(qs_tag_verify(tag, other), QS_OK, "equal tags");
    other[take_u8(&i) % 16] ^= (uint8_t)(1 << take_u8(&i) % 8);
    CHECK_STATUS(qs_tag_verify(tag, other), QS_ERR_AUTH, "different tags");
    drop(text, offset);
    return 0;
}
