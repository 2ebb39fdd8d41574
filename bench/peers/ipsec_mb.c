/* SPDX-License-Identifier: MIT
 *
 * Intel's libIPSec_MB: the job interface without checks, one job per call; for many packets bursts of 16.
 */
#include "../peer.h"

#include <intel-ipsec-mb.h>

enum { BURST = 16 };

static int place; /* of the level in the ladder, or -1 */
static _Thread_local IMB_MGR *manager;

static IMB_MGR *manager_new(void)
{
    IMB_MGR *m = alloc_mb_mgr(0);
    if (!m) return NULL;
    switch (place) {
    case BENCH_GENERIC:
    case BENCH_SSSE3: init_mb_mgr_sse(m); break;
    case BENCH_AVX2: init_mb_mgr_avx2(m); break;
    default: init_mb_mgr_auto(m, NULL);
    }
    return imb_get_errno(m) ? NULL : m;
}

static const char *start(const char *level, int *held)
{
    place = bench_level_at(level);
    *held = place > BENCH_GENERIC && place != BENCH_AVX512; /* its AVX-512 code uses IFMA where the CPU has it */
    manager = manager_new();
    return manager ? imb_get_version_str() : NULL;
}

static void *prepare(enum bench_op op, const uint8_t key[32])
{
    (void)op;
    if (!manager) manager = manager_new();
    void *copy = manager ? malloc(32) : NULL;
    return copy ? memcpy(copy, key, 32) : NULL;
}

static void fill(IMB_JOB *job, const qs_packet *p, int seal, uint8_t *tag)
{
    job->cipher_mode = IMB_CIPHER_CHACHA20_POLY1305;
    job->hash_alg = IMB_AUTH_CHACHA20_POLY1305;
    job->cipher_direction = seal ? IMB_DIR_ENCRYPT : IMB_DIR_DECRYPT;
    job->chain_order = seal ? IMB_ORDER_CIPHER_HASH : IMB_ORDER_HASH_CIPHER;
    job->enc_keys = job->dec_keys = p->aead;
    job->key_len_in_bytes = 32;
    job->src = p->in;
    job->dst = p->out;
    job->cipher_start_src_offset_in_bytes = job->hash_start_src_offset_in_bytes = 0;
    job->msg_len_to_cipher_in_bytes = job->msg_len_to_hash_in_bytes = p->len;
    job->iv = p->nonce;
    job->iv_len_in_bytes = 12;
    job->auth_tag_output = tag;
    job->auth_tag_output_len_in_bytes = QS_TAG_LEN;
    job->u.CHACHA20_POLY1305.aad = p->ad;
    job->u.CHACHA20_POLY1305.aad_len_in_bytes = p->ad_len;
}

static int run(IMB_JOB *job)
{
    job = IMB_SUBMIT_JOB_NOCHECK(manager);
    if (!job) job = IMB_FLUSH_JOB(manager);
    return !job || job->status != IMB_STATUS_COMPLETED;
}

static int seal(qs_packet *p)
{
    IMB_JOB *job = IMB_GET_NEXT_JOB(manager);
    fill(job, p, 1, p->tag);
    return run(job);
}

/* It leaves the comparison of tags to its caller. */
static int differ(const uint8_t a[QS_TAG_LEN], const uint8_t b[QS_TAG_LEN])
{
    uint64_t x[2], y[2];
    memcpy(x, a, sizeof x);
    memcpy(y, b, sizeof y);
    return ((x[0] ^ y[0]) | (x[1] ^ y[1])) != 0;
}

static int open_(qs_packet *p)
{
    uint8_t tag[QS_TAG_LEN];
    IMB_JOB *job = IMB_GET_NEXT_JOB(manager);
    fill(job, p, 0, tag);
    return run(job) || differ(tag, p->tag);
}

static int burst(qs_packet *p, size_t n, int sealing)
{
    IMB_JOB *jobs[BURST];
    uint8_t tags[BURST][QS_TAG_LEN];
    int failed = 0;

    for (size_t k; n; p += k, n -= k) {
        k = n < BURST ? n : BURST;
        if (IMB_GET_NEXT_BURST(manager, (uint32_t)k, jobs) != k) return 1;
        for (size_t i = 0; i < k; i++) fill(jobs[i], &p[i], sealing, sealing ? p[i].tag : tags[i]);
        failed |= IMB_SUBMIT_BURST_NOCHECK(manager, (uint32_t)k, jobs) != k;
        for (size_t i = 0; i < k; i++) {
            failed |= jobs[i]->status != IMB_STATUS_COMPLETED;
            if (!sealing) failed |= differ(tags[i], p[i].tag);
        }
    }
    return failed;
}

static int seal_burst(qs_packet *p, size_t n) { return burst(p, n, 1); }

static int open_burst(qs_packet *p, size_t n) { return burst(p, n, 0); }

static int chacha20(qs_packet *p)
{
    IMB_JOB *job = IMB_GET_NEXT_JOB(manager);
    fill(job, p, 1, NULL);
    job->cipher_mode = IMB_CIPHER_CHACHA20;
    job->hash_alg = IMB_AUTH_NULL;
    return run(job);
}

static int mac(qs_packet *p)
{
    IMB_JOB *job = IMB_GET_NEXT_JOB(manager);
    fill(job, p, 1, p->tag);
    job->cipher_mode = IMB_CIPHER_NULL;
    job->hash_alg = IMB_AUTH_POLY1305;
    job->chain_order = IMB_ORDER_HASH_CIPHER;
    job->u.POLY1305._key = p->nonce;
    return run(job);
}

const struct bench_peer bench_peer = {
    .name = "ipsec-mb",
    .start = start,
    .prepare = prepare,
    .call = {[BENCH_SEAL] = seal, [BENCH_OPEN] = open_, [BENCH_CHACHA20] = chacha20, [BENCH_MAC] = mac},
    .seal_burst = seal_burst,
    .open_burst = open_burst,
};
