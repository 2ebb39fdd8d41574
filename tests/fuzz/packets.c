/* SPDX-License-Identifier: MIT
 *
 * Fuzz target: many packets in one call, of any keys, algorithms and lengths, some of them invalid, some forged.
 */
#include "oracle.h"

enum { MAX_PACKETS = 20, MAX_LEN = 1500 };

static struct one {
    qs_alg alg;
    uint8_t key[64], nonce[24], ad[64], text[MAX_LEN], sealed[MAX_LEN], tag[16];
    uint8_t *in, *out, *tag_at; /* out has room for the tag */
    size_t ad_len, len, offset;
    qs_status seal, open;
} all[MAX_PACKETS];
static qs_aead aeads[MAX_PACKETS];

static void take_packet(struct input *i, struct one *o, qs_aead *aead)
{
    const uint8_t how = take_u8(i);

    o->alg = (qs_alg)(1 + take_u8(i) % QS_TINC_SPTPS);
    o->ad_len = o->alg == QS_TINC_SPTPS ? 0 : take_u8(i) % sizeof o->ad;
    o->len = take_len(i, MAX_LEN);
    o->offset = how % 64;
    take_bytes(i, o->key, oracle_key_len(o->alg));
    take_bytes(i, o->nonce, oracle_nonce_len(o->alg));
    take_bytes(i, o->ad, o->ad_len);
    take_bytes(i, o->text, o->len);
    CHECK_STATUS(qs_aead_init(aead, o->alg, o->key, oracle_key_len(o->alg)), QS_OK, "qs_aead_init");
    oracle_seal(o->alg, o->sealed, o->tag, o->key, o->nonce, o->ad, o->ad_len, o->text, o->len);

    o->out = room(o->offset, o->len + 16);
    o->in = how & 64 ? o->out : room(o->offset, o->len);
    o->tag_at = o->out + o->len;
    memcpy(o->in, o->text, o->len);
    o->seal = QS_OK;
}

static void drop_packet(struct one *o)
{
    if (o->in != o->out) drop(o->in, o->offset);
    drop(o->out, o->offset);
}

/* Spoils a packet before sealing, in one of the ways that must come back as its status alone. */
static void spoil(struct input *i, struct one *o, qs_packet *p)
{
    static const qs_aead wiped;

    switch (take_u8(i) % 16) {
    case 0: p->aead = NULL, o->seal = QS_ERR_ARGUMENT; break;
    case 1: p->aead = &wiped, o->seal = QS_ERR_ARGUMENT; break;
    case 2: p->nonce = NULL, o->seal = QS_ERR_ARGUMENT; break;
    case 3: p->tag = NULL, o->seal = QS_ERR_ARGUMENT; break;
    case 4:
        if (o->len) p->in = NULL, o->seal = QS_ERR_ARGUMENT;
        break;
    case 5:
        if (o->len) p->tag = o->out + o->len - 1, o->seal = QS_ERR_OVERLAP;
        break;
    case 6: p->tag = (uint8_t *)p, o->seal = QS_ERR_OVERLAP; break;
    case 7:
        if (o->ad_len) p->tag = o->ad, o->seal = QS_ERR_OVERLAP;
        break;
    case 8:
        if (SIZE_MAX > UINT32_MAX && o->alg != QS_TINC_SPTPS) p->len = SIZE_MAX, o->seal = QS_ERR_LENGTH;
        break;
    default: break;
    }
}

static size_t expect_failures(const qs_packet *packets, size_t n, int opening)
{
    size_t failed = 0;
    for (size_t k = 0; k < n; k++) {
        qs_status want = opening ? all[k].open : all[k].seal;
        CHECK(packets[k].status == want, "packet %zu of %zu: status %d, should be %d", k, n, (int)packets[k].status,
              (int)want);
        failed += want != QS_OK;
    }
    return failed;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input i = {data, size};
    qs_packet packets[MAX_PACKETS];
    size_t failed;

    take_level(&i);
    const size_t n = take_below(&i, MAX_PACKETS + 1);
    for (size_t k = 0; k < n; k++) {
        struct one *o = &all[k];
        take_packet(&i, o, &aeads[k]);
        packets[k] = (qs_packet){&aeads[k], o->out, o->tag_at, o->nonce, o->ad, o->ad_len, o->in, o->len, QS_ERR_STATE};
        spoil(&i, o, &packets[k]);
    }

    failed = qs_seal_packets(packets, n);
    CHECK(failed == expect_failures(packets, n, 0), "%zu packets failed", failed);
    for (size_t k = 0; k < n; k++) {
        struct one *o = &all[k];
        uint8_t untouched[MAX_LEN];
        memset(untouched, 0xa5, sizeof untouched);
        if (o->seal == QS_OK) {
            CHECK_BYTES(o->out, o->sealed, o->len, "sealed packet");
            CHECK_BYTES(o->tag_at, o->tag, 16, "packet's tag");
        } else {
            CHECK_BYTES(o->out, o->in == o->out ? o->text : untouched, o->len, "refused packet: written");
        }
    }

    /* Back again, some with a wrong bit somewhere. What could not be sealed is put in as if it had been. */
    take_level(&i);
    for (size_t k = 0; k < n; k++) {
        struct one *o = &all[k];
        memcpy(o->in, o->sealed, o->len);
        memcpy(o->tag_at, o->tag, 16);
        packets[k] = (qs_packet){&aeads[k], o->out, o->tag_at, o->nonce, o->ad, o->ad_len, o->in, o->len, QS_ERR_STATE};
        o->open = QS_OK;
        const uint8_t how = take_u8(&i), bit = (uint8_t)(1 << how % 8);
        if (how < 40) o->tag_at[take_u8(&i) % 16] ^= bit, o->open = QS_ERR_AUTH;
        else if (how < 80 && o->len) o->in[take_below(&i, o->len)] ^= bit, o->open = QS_ERR_AUTH;
        else if (how < 100 && o->ad_len) o->ad[take_below(&i, o->ad_len)] ^= bit, o->open = QS_ERR_AUTH;
        memcpy(o->sealed, o->out, o->len); /* what a forged packet must leave there */
    }
    failed = qs_open_packets(packets, n);
    CHECK(failed == expect_failures(packets, n, 1), "%zu packets failed", failed);
    for (size_t k = 0; k < n; k++) {
        struct one *o = &all[k];
        CHECK_BYTES(o->out, o->open == QS_OK ? o->text : o->sealed, o->len, "opened packet");
        drop_packet(o);
    }
    return 0;
}
