/* SPDX-License-Identifier: MIT
 *
 * libgcrypt: a reused handle, a new IV for each packet.
 */
#include "../peer.h"

#include <gcrypt.h>

/* What lies above each level. A name that this version does not know is something it does not use. */
static const char *const above[][5] = {
    [BENCH_GENERIC] = {"intel-ssse3", "intel-avx", "intel-avx2", "intel-avx512"},
    [BENCH_SSSE3] = {"intel-avx", "intel-avx2", "intel-avx512"},
    [BENCH_AVX2] = {"intel-avx512"},
    [BENCH_AVX512] = {NULL},
    [BENCH_AVX512IFMA] = {NULL},
};

static const char *start(const char *level, int *held)
{
    int at = bench_level_at(level);

    for (size_t i = 0; at >= 0 && above[at][i]; i++) gcry_control(GCRYCTL_DISABLE_HWF, above[at][i], NULL);
    *held = at >= BENCH_GENERIC;
    const char *version = gcry_check_version(NULL);
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    return version;
}

static void *prepare(enum bench_op op, const uint8_t key[32])
{
    if (op == BENCH_MAC) {
        gcry_mac_hd_t m;
        return gcry_mac_open(&m, GCRY_MAC_POLY1305, 0, NULL) ? NULL : m;
    }
    gcry_cipher_hd_t h;
    int mode = op == BENCH_CHACHA20 ? GCRY_CIPHER_MODE_STREAM : GCRY_CIPHER_MODE_POLY1305;
    return gcry_cipher_open(&h, GCRY_CIPHER_CHACHA20, mode, 0) || gcry_cipher_setkey(h, key, 32) ? NULL : h;
}

static int seal(qs_packet *p)
{
    gcry_cipher_hd_t h = (gcry_cipher_hd_t)p->aead;
    return gcry_cipher_setiv(h, p->nonce, 12) || (p->ad_len && gcry_cipher_authenticate(h, p->ad, p->ad_len)) ||
           gcry_cipher_encrypt(h, p->out, p->len, p->in, p->len) || gcry_cipher_gettag(h, p->tag, QS_TAG_LEN);
}

static int open_(qs_packet *p)
{
    gcry_cipher_hd_t h = (gcry_cipher_hd_t)p->aead;
    return gcry_cipher_setiv(h, p->nonce, 12) || (p->ad_len && gcry_cipher_authenticate(h, p->ad, p->ad_len)) ||
           gcry_cipher_decrypt(h, p->out, p->len, p->in, p->len) || gcry_cipher_checktag(h, p->tag, QS_TAG_LEN);
}

static int chacha20(qs_packet *p)
{
    gcry_cipher_hd_t h = (gcry_cipher_hd_t)p->aead;
    uint8_t iv[16] = {1}; /* counter, least significant byte first, and nonce */
    memcpy(iv + 4, p->nonce, 12);
    return gcry_cipher_setiv(h, iv, sizeof iv) || gcry_cipher_encrypt(h, p->out, p->len, p->in, p->len);
}

static int mac(qs_packet *p)
{
    gcry_mac_hd_t m = (gcry_mac_hd_t)p->aead;
    size_t n = QS_TAG_LEN;
    return gcry_mac_setkey(m, p->nonce, 32) || gcry_mac_write(m, p->in, p->len) || gcry_mac_read(m, p->tag, &n);
}

const struct bench_peer bench_peer = {
    .name = "libgcrypt",
    .start = start,
    .prepare = prepare,
    .call = {[BENCH_SEAL] = seal, [BENCH_OPEN] = open_, [BENCH_CHACHA20] = chacha20, [BENCH_MAC] = mac},
};
