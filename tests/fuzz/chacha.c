/* SPDX-License-Identifier: MIT
 *
 * Fuzz target: the three ChaCha streams and HChaCha.
 */
#include "oracle.h"

static qs_status call(unsigned nonce_len, uint8_t *out, const uint8_t *key, const uint8_t *nonce, uint64_t counter,
                      unsigned rounds, const uint8_t *in, size_t len)
{
    if (nonce_len == 12) return qs_chacha_xor(out, key, nonce, (uint32_t)counter, rounds, in, len);
    if (nonce_len == 8) return qs_chacha_djb_xor(out, key, nonce, counter, rounds, in, len);
    return qs_xchacha_xor(out, key, nonce, counter, rounds, in, len);
}

static unsigned take_rounds(struct input *in)
{
    uint8_t how = take_u8(in);
    return how < 240 ? (const unsigned[]){20, 12, 8}[how % 3] : (unsigned)take_u64(in, how & 1 ? 1 : 4);
}

static void stream(struct input *i)
{
    const unsigned nonce_len = (const unsigned[]){12, 8, 24}[take_u8(i) % 3];
    const unsigned rounds = take_rounds(i);
    const uint64_t counter = nonce_len == 12 ? (uint32_t)take_counter(i) : take_counter(i);
    const uint64_t last = nonce_len == 12 ? UINT32_MAX : UINT64_MAX;
    const size_t len = take_len(i, MAX_TEXT), offset = take_u8(i) % 64, shift = take_u8(i) % 80;
    const uint8_t how = take_u8(i) % 8; /* keystream, in place, overlapping on either side, else apart */
    uint8_t key[32], nonce[24], in[MAX_TEXT], want[MAX_TEXT];
    qs_status status = QS_OK;

    take_bytes(i, key, sizeof key);
    take_bytes(i, nonce, nonce_len);
    take_bytes(i, in, len);
    if (how == 0) memset(in, 0, len);

    /* With how 2 and 3, in lies `shift` bytes behind or before out in the same room. */
    const size_t extra = how == 2 || how == 3 ? shift : 0;
    uint8_t *p = room(offset, len + extra), *apart = room(shift, len);
    uint8_t *out = how == 3 ? p + shift : p, *source = how == 2 ? p + shift : how == 1 || how == 3 ? p : apart;
    memcpy(source, in, len);
    memcpy(want, out, len);

    if (rounds != 20 && rounds != 12 && rounds != 8) status = QS_ERR_ARGUMENT;
    else if (len && (len - 1) / 64 > last - counter) status = QS_ERR_LENGTH;
    else if (extra && touch(out, len, source, len)) status = QS_ERR_OVERLAP;
    else oracle_chacha(want, key, nonce, nonce_len, counter, rounds, in, len);

    CHECK_STATUS(call(nonce_len, out, key, nonce, counter, rounds, how == 0 ? NULL : source, len), status, "stream");
    CHECK_BYTES(out, want, len, "stream");
    drop(p, offset);
    drop(apart, shift);
}

static void hchacha(struct input *i)
{
    const unsigned rounds = take_rounds(i);
    const int valid = rounds == 20 || rounds == 12 || rounds == 8;
    uint8_t key[32], nonce[16], out[32] = {0}, want[32] = {0};
    uint8_t *to = take_u8(i) % 2 ? key : out;

    take_bytes(i, key, sizeof key);
    take_bytes(i, nonce, sizeof nonce);
    memcpy(want, to, sizeof want);
    if (valid) oracle_hchacha(want, key, nonce, rounds);
    CHECK_STATUS(qs_hchacha(to, key, nonce, rounds), valid ? QS_OK : QS_ERR_ARGUMENT, "hchacha");
    CHECK_BYTES(to, want, sizeof want, "hchacha");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input i = {data, size};

    take_level(&i);
    if (take_u8(&i) % 8 == 7) hchacha(&i);
    else stream(&i);
    return 0;
}
