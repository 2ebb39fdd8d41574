/* SPDX-License-Identifier: MIT
 *
 * chacha20-poly1305@openssh.com: two keys, one for the length field, one for the rest.
 */
#include "internal.h"

enum { LENGTH_LEN = 4, ROUNDS = 20 };

struct QS_MAY_ALIAS keys {
    uint32_t packet[8], length[8];
};
_Static_assert(sizeof(struct keys) == sizeof(qs_openssh), "qs_openssh is both keys");

void qs_openssh_init(qs_openssh *ssh, const uint8_t key[64])
{
    struct keys *keys = (struct keys *)ssh;

    qs_load_words(keys->packet, key, 8);
    qs_load_words(keys->length, key + 32, 8);
    QS_CLEAR_VECTORS();
}

/* The nonce is the sequence number as 64 bits, most significant byte first. */
static void keystream(struct qs_keystream *k, const uint32_t key[8], uint32_t seq)
{
    const uint32_t tail[4] = {0, 0, 0, __builtin_bswap32(seq)};

    qs_keystream_init(k, key, tail, ROUNDS);
}

/* k is free for this: there is no room for a second one on the stack. */
static void xor_length(struct qs_keystream *k, const struct keys *keys, uint8_t out[LENGTH_LEN], uint32_t seq,
                       const uint8_t in[LENGTH_LEN])
{
    keystream(k, keys->length, seq);
    qs_keystream_xor(k, out, in, LENGTH_LEN);
}

/* Leaves k at block 1, where the payload begins. */
static void begin(struct qs_keystream *k, struct qs_mac *mac, const struct keys *keys, uint32_t seq)
{
    keystream(k, keys->packet, seq);
    qs_keystream_block(k, k->block);
    qs_mac_init(mac, k->block);
}

static QS_NOINLINE void length_run(const struct keys *keys, uint8_t out[LENGTH_LEN], uint32_t seq,
                                   const uint8_t in[LENGTH_LEN])
{
    struct qs_keystream k;

    xor_length(&k, keys, out, seq, in);
}

uint32_t qs_openssh_length(const qs_openssh *ssh, uint32_t seq, const uint8_t in[4])
{
    uint8_t plain[LENGTH_LEN];

    length_run((const struct keys *)ssh, plain, seq, in);
    qs_stack_wipe();
    const uint32_t length =
        (uint32_t)plain[0] << 24 | (uint32_t)plain[1] << 16 | (uint32_t)plain[2] << 8 | plain[3];
    memset(plain, 0, sizeof plain); /* without a call: it could save the register that has the length */
    QS_BARRIER(plain);
    return length;
}

static QS_NOINLINE void seal_run(const struct keys *keys, uint8_t *out, uint8_t tag[QS_TAG_LEN], uint32_t seq,
                                 const uint8_t *in, size_t len)
{
    struct qs_keystream k;
    struct qs_mac mac;

    begin(&k, &mac, keys, seq);
    qs_keystream_xor(&k, out + LENGTH_LEN, in + LENGTH_LEN, len - LENGTH_LEN);
    xor_length(&k, keys, out, seq, in);
    qs_mac_update(&mac, out, len);
    qs_mac_final(&mac, tag);
}

static QS_NOINLINE qs_status open_run(const struct keys *keys, uint8_t *out, uint32_t seq, const uint8_t *in,
                                      size_t len, const uint8_t tag[QS_TAG_LEN])
{
    struct qs_keystream k;
    struct qs_mac mac;
    uint8_t right[QS_TAG_LEN];

    begin(&k, &mac, keys, seq);
    qs_mac_update(&mac, in, len);
    qs_mac_final(&mac, right);
    qs_status status = qs_tag_compare(right, tag);
    if (status == QS_OK) {
        qs_keystream_xor(&k, out + LENGTH_LEN, in + LENGTH_LEN, len - LENGTH_LEN);
        xor_length(&k, keys, out, seq, in);
    }
    return status;
}

static qs_status check(const qs_openssh *ssh, const uint8_t *out, const uint8_t *in, size_t len, const uint8_t *tag)
{
    if (!ssh || !tag || qs_null(out, len) || qs_null(in, len)) return QS_ERR_ARGUMENT;
    if (len < LENGTH_LEN) return QS_ERR_LENGTH;
    if (qs_overlap_partly(out, in, len) || qs_overlap(out, len, ssh, sizeof *ssh) ||
        qs_overlap(tag, QS_TAG_LEN, out, len) || qs_overlap(tag, QS_TAG_LEN, in, len))
        return QS_ERR_OVERLAP;
    return QS_OK;
}

qs_status qs_openssh_seal(const qs_openssh *ssh, uint8_t *out, uint8_t tag[16], uint32_t seq, const uint8_t *in,
                          size_t len)
{
    qs_status status = check(ssh, out, in, len, tag);

    if (status != QS_OK) return status;
    if (qs_overlap(tag, QS_TAG_LEN, ssh, sizeof *ssh)) return QS_ERR_OVERLAP;
    seal_run((const struct keys *)ssh, out, tag, seq, in, len);
    qs_stack_wipe();
    return QS_OK;
}

qs_status qs_openssh_open(const qs_openssh *ssh, uint8_t *out, uint32_t seq, const uint8_t *in, size_t len,
                          const uint8_t tag[16])
{
    qs_status status = check(ssh, out, in, len, tag);

    if (status != QS_OK) return status;
    status = open_run((const struct keys *)ssh, out, seq, in, len, tag);
    qs_stack_wipe();
    return status;
}
