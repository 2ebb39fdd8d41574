/* SPDX-License-Identifier: MIT
 *
 * Every buffer of every public call and of every kernel call lies against a page that cannot be accessed: once with its
 * end, once with its beginning. What reads or writes a byte too many ends the program and is named.
 */
#include "kernel_slow.h"

enum { ALGS = QS_TINC_SPTPS };

/* What lies in which slot. */
enum { KEY, NONCE, AD, IN, OUT, TAG, CONTEXT, EXTRA };
static const char slots[] = "slots: 0 key or r, 1 nonce or state, 2 AD, 3 in, 4 out or h, 5 tag, 6 context, 7 the rest";

/* How the buffers of one round lie: at the end of their rooms, or at the beginning. */
static int at_end;

static void *buffer(unsigned slot, size_t len)
{
    uint8_t *p = at_end ? guard_end(slot, len) : guard_start(slot, len);
    random_bytes(p, len);
    return p;
}

#define NOTE(what, row, len)                                                                                           \
    guard_note("%s, row %s, length %zu, guard at the %s; %s", what, row, (size_t)(len), at_end ? "end" : "start", slots)
#define MUST(call)                                                                                                     \
    do {                                                                                                               \
        int got_status = (int)(call);                                                                                  \
        if (got_status) FAIL("%s: %d", #call, got_status);                                                             \
    } while (0)

/* Every length where code takes another way, and some in between. */
static size_t next_length(size_t len)
{
    if (len < 600) return len + 1;
    if (len < EVERY_LENGTH) return len + 1 + random_below(30);
    return len + 1 + random_below(LONG_LENGTH / 4);
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static void chacha_kernel(const struct qs_kernel *row, void *arg)
{
    (void)arg;
    for (size_t n = 1; n <= LONG_LENGTH / 64; n += n < EVERY_LENGTH / 64 + 1 ? 1 : 1 + random_below(300)) {
        uint32_t *state = buffer(NONCE, 64);
        uint8_t *in = buffer(IN, 64 * n), *out = buffer(OUT, 64 * n);

        state[12] = 5;
        NOTE("ChaCha kernel", row->name, 64 * n);
        row->blocks.chacha(out, in, n, state, 8);
        row->blocks.chacha(out, out, n, state, 20);
        if (!row->blocks.chacha_ending) continue;
        /* Of a qs_keystream what the kernel may know: state and block. */
        state = buffer(NONCE, 128);
        state[12] = 5;
        NOTE("ChaCha kernel, with an end", row->name, 64 * n);
        row->blocks.chacha_ending(out, in, n, (struct qs_keystream *)(void *)state, 8);
        state = buffer(NONCE, 128);
        state[12] = 5;
        NOTE("ChaCha kernel, with an end", row->name, 64 * (n - 1));
        in = buffer(IN, 64 * (n - 1)), out = buffer(OUT, 64 * (n - 1));
        row->blocks.chacha_ending(out, in, n - 1, (struct qs_keystream *)(void *)state, 20);
    }
    covered("guard", "chacha", row->name);
}

static void poly1305_kernel(const struct qs_kernel *row, void *arg)
{
    (void)arg;
    for (size_t n = 1; n <= LONG_LENGTH / 16; n += n < EVERY_LENGTH / 16 + 1 ? 1 : 1 + random_below(900)) {
        uint32_t *h = buffer(OUT, 20), *r = buffer(KEY, 16);
        uint8_t *in = buffer(IN, 16 * n);

        h[4] &= 7;
        slow_clamp(r);
        NOTE("Poly1305 kernel", row->name, 16 * n);
        row->blocks.poly1305(h, r, in, n, n & 1);
    }
    covered("guard", "poly1305", row->name);
}

static void kernels_keep_to_their_buffers(void **unused)
{
    (void)unused;
    for (at_end = 0; at_end < 2; at_end++) {
        each_row(QS_CHACHA, chacha_kernel, NULL);
        each_row(QS_POLY1305, poly1305_kernel, NULL);
    }
}

/* ---- streams and MAC --------------------------------------------------------------------------------------------- */

static void stream_calls(const struct qs_kernel *row, void *arg)
{
    (void)arg;
    for (size_t len = 0; len <= LONG_LENGTH; len = next_length(len)) {
        uint8_t *in = buffer(IN, len), *out = buffer(OUT, len), *key = buffer(KEY, 32), *nonce;

        nonce = buffer(NONCE, 12);
        NOTE("qs_chacha_xor", row->name, len);
        MUST(qs_chacha_xor(out, key, nonce, 1, 20, in, len));
        MUST(qs_chacha_xor(out, key, nonce, 1, 20, out, len));
        MUST(qs_chacha_xor(out, key, nonce, 1, 20, NULL, len));
        nonce = buffer(NONCE, 8);
        NOTE("qs_chacha_djb_xor", row->name, len);
        MUST(qs_chacha_djb_xor(out, key, nonce, 1, 12, in, len));
        nonce = buffer(NONCE, 24);
        NOTE("qs_xchacha_xor", row->name, len);
        MUST(qs_xchacha_xor(out, key, nonce, 1, 8, in, len));
    }
    NOTE("qs_hchacha", row->name, 32);
    MUST(qs_hchacha(buffer(OUT, 32), buffer(KEY, 32), buffer(NONCE, 16), 20));
}

static void mac_calls(const struct qs_kernel *row, void *arg)
{
    (void)arg;
    for (size_t len = 0; len <= LONG_LENGTH; len = next_length(len)) {
        uint8_t *in = buffer(IN, len), *key = buffer(KEY, 32), *tag = buffer(TAG, 16), *again = buffer(EXTRA, 16);
        qs_poly1305_ctx *ctx = buffer(CONTEXT, sizeof *ctx);
        size_t half = random_below(len + 1);

        NOTE("qs_poly1305", row->name, len);
        qs_poly1305(tag, key, in, len);
        NOTE("qs_poly1305_init", row->name, len);
        qs_poly1305_init(ctx, key);
        NOTE("qs_poly1305_update, second piece", row->name, len - half);
        qs_poly1305_update(ctx, in, half);
        qs_poly1305_update(ctx, in + half, len - half);
        NOTE("qs_poly1305_final", row->name, len);
        qs_poly1305_final(ctx, again);
        NOTE("qs_tag_verify", row->name, 16);
        MUST(qs_tag_verify(tag, again));
    }
}

static void streams_and_mac_keep_to_their_buffers(void **unused)
{
    (void)unused;
    for (at_end = 0; at_end < 2; at_end++) {
        each_row(QS_CHACHA, stream_calls, NULL);
        each_row(QS_POLY1305, mac_calls, NULL);
    }
}

/* ---- AEADs ------------------------------------------------------------------------------------------------------- */

/* An algorithm's buffers for one message. */
struct message {
    qs_aead *aead;
    const uint8_t *nonce;
    size_t nonce_len, ad_len, len;
    uint8_t *ad, *in, *out, *tag;
};

static struct message message_of(qs_alg alg, size_t len)
{
    struct message m = {.nonce_len = qs_alg_nonce_len(alg), .len = len};

    m.ad_len = alg == QS_TINC_SPTPS ? 0 : len % 3 ? random_below(40) : random_below(700);
    m.aead = buffer(CONTEXT, sizeof *m.aead);
    m.nonce = buffer(NONCE, m.nonce_len);
    m.ad = buffer(AD, m.ad_len);
    m.in = buffer(IN, len);
    m.out = buffer(OUT, len);
    m.tag = buffer(TAG, 16);
    MUST(qs_aead_init(m.aead, alg, buffer(KEY, qs_alg_key_len(alg)), qs_alg_key_len(alg)));
    return m;
}

static void one_shot_calls(const char *rows, void *arg)
{
    (void)arg;
    for (size_t len = 0; len <= LONG_LENGTH; len = next_length(len)) {
        qs_alg alg = (qs_alg)(1 + random_below(ALGS));
        NOTE("qs_aead_init", rows, len);
        struct message m = message_of(alg, len);

        NOTE("qs_aead_seal", rows, len);
        MUST(qs_aead_seal(m.aead, m.out, m.tag, m.nonce, m.nonce_len, m.ad, m.ad_len, m.in, len));
        NOTE("qs_aead_open", rows, len);
        MUST(qs_aead_open(m.aead, m.in, m.nonce, m.nonce_len, m.ad, m.ad_len, m.out, len, m.tag));
        NOTE("qs_aead_open in place", rows, len);
        MUST(qs_aead_open(m.aead, m.out, m.nonce, m.nonce_len, m.ad, m.ad_len, m.out, len, m.tag));
        m.tag[3] ^= 1;
        NOTE("qs_aead_open of a forged message", rows, len);
        if (qs_aead_open(m.aead, m.in, m.nonce, m.nonce_len, m.ad, m.ad_len, m.out, len, m.tag) != QS_ERR_AUTH)
            FAIL("%s: %zu bytes with a wrong tag were opened", rows, len);
        NOTE("qs_aead_wipe", rows, len);
        qs_aead_wipe(m.aead);
    }
}

/* The last piece of each kind ends, or the first begins, at the guard page; so do the arrays of pieces. */
static void scatter_calls(const char *rows, void *arg)
{
    (void)arg;
    for (size_t len = 0; len <= EVERY_LENGTH; len = next_length(len)) {
        NOTE("qs_aead_init", rows, len);
        struct message m = message_of((qs_alg)(1 + random_below(ALGS)), len);
        size_t a = random_below(m.ad_len + 1), i = random_below(len + 1), o = random_below(len + 1);
        qs_const_iovec *v = buffer(EXTRA, 6 * sizeof *v);
        qs_iovec *out = (qs_iovec *)(v + 4);

        v[0] = (qs_const_iovec){m.ad, a}, v[1] = (qs_const_iovec){m.ad + a, m.ad_len - a};
        v[2] = (qs_const_iovec){m.in, i}, v[3] = (qs_const_iovec){m.in + i, len - i};
        out[0] = (qs_iovec){m.out, o}, out[1] = (qs_iovec){m.out + o, len - o};
        NOTE("qs_aead_sealv", rows, len);
        MUST(qs_aead_sealv(m.aead, out, 2, m.tag, m.nonce, m.nonce_len, v, 2, v + 2, 2));
        memcpy(m.in, m.out, len);
        NOTE("qs_aead_openv", rows, len);
        MUST(qs_aead_openv(m.aead, out, 2, m.nonce, m.nonce_len, v, 2, v + 2, 2, m.tag));
    }
}

static void incremental_calls(const char *rows, void *arg)
{
    (void)arg;
    for (size_t len = 0; len <= LONG_LENGTH; len = next_length(len)) {
        NOTE("qs_aead_init", rows, len);
        struct message m = message_of((qs_alg)(1 + random_below(ALGS)), len);
        qs_stream *s = buffer(EXTRA, sizeof *s);
        size_t half = random_below(len + 1);

        for (int opening = 0; opening < 2; opening++) {
            NOTE("qs_stream init", rows, len);
            MUST(opening ? qs_stream_open_unverified_init(s, m.aead, m.nonce, m.nonce_len)
                         : qs_stream_seal_init(s, m.aead, m.nonce, m.nonce_len));
            NOTE("qs_stream_ad", rows, m.ad_len);
            MUST(qs_stream_ad(s, m.ad, m.ad_len));
            NOTE("qs_stream_text, second piece", rows, len - half);
            MUST(qs_stream_text(s, m.out, m.in, half));
            MUST(qs_stream_text(s, m.out + half, m.in + half, len - half));
            NOTE("qs_stream final", rows, len);
            MUST(opening ? qs_stream_open_final(s, m.tag) : qs_stream_seal_final(s, m.tag));
            memcpy(m.in, m.out, len);
        }
    }
}

/* Three packets in one array; the guarded buffers belong to one of them, whichever lane that is in. */
static void packet_calls(const char *rows, void *arg)
{
    (void)arg;
    for (size_t len = 0; len <= EVERY_LENGTH; len = next_length(len)) {
        static uint8_t spare_out[2][EVERY_LENGTH + 16], spare_in[EVERY_LENGTH];
        NOTE("qs_aead_init", rows, len);
        struct message m = message_of((qs_alg)(1 + random_below(ALGS)), len);
        qs_packet *p = buffer(EXTRA, 3 * sizeof *p);
        size_t guarded = random_below(3), spare = 0;

        for (size_t i = 0; i < 3; i++) {
            p[i] = (qs_packet){m.aead, m.out, m.tag, m.nonce, m.ad, m.ad_len, m.in, len, QS_OK};
            if (i == guarded) continue;
            p[i].in = spare_in;
            p[i].len = random_below(2) ? len : random_below(EVERY_LENGTH);
            p[i].out = spare_out[spare++];
            p[i].tag = p[i].out + p[i].len;
        }
        NOTE("qs_seal_packets", rows, len);
        MUST(qs_seal_packets(p, 3));
        for (size_t i = 0; i < 3; i++) p[i].in = p[i].out;
        NOTE("qs_open_packets", rows, len);
        MUST(qs_open_packets(p, 3));
    }
}

static void openssh_calls(const char *rows, void *arg)
{
    for (size_t len = 4; len <= LONG_LENGTH; len = next_length(len)) {
        qs_openssh *ssh = buffer(CONTEXT, sizeof *ssh);
        uint8_t *in = buffer(IN, len), *out = buffer(OUT, len), *tag = buffer(TAG, 16);

        NOTE("qs_openssh_init", rows, len);
        qs_openssh_init(ssh, buffer(KEY, 64));
        NOTE("qs_openssh_length", rows, len);
        (void)qs_openssh_length(ssh, 3, buffer(EXTRA, 4));
        NOTE("qs_openssh_seal", rows, len);
        MUST(qs_openssh_seal(ssh, out, tag, 3, in, len));
        NOTE("qs_openssh_open", rows, len);
        MUST(qs_openssh_open(ssh, in, 3, out, len, tag));
    }
    covered("guard", arg, rows);
}

static void aeads_keep_to_their_buffers(void **unused)
{
    (void)unused;
    for (at_end = 0; at_end < 2; at_end++) {
        each_path(one_shot_calls, NULL);
        each_path(scatter_calls, NULL);
        each_path(incremental_calls, NULL);
        each_path(packet_calls, NULL);
        each_path(openssh_calls, "path");
    }
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

static void ignore_result(void *arg, const qs_selftest_result *result) { (void)arg, (void)result; }

static void other_calls_keep_to_their_buffers(void **unused)
{
    (void)unused;
    for (at_end = 0; at_end < 2; at_end++) {
        qs_replay *window = buffer(CONTEXT, sizeof *window);
        uint8_t *iv = buffer(KEY, 12), *nonce = buffer(NONCE, 12), expected[12];
        char *level = buffer(EXTRA, sizeof "generic");
        uint64_t counter = 0;

        memcpy(expected, iv, 12);
        expected[11] ^= 1;
        NOTE("qs_nonce_xor", "none", 12);
        qs_nonce_xor(nonce, iv, 1);
        expect_bytes(nonce, expected, 12, "qs_nonce_xor");
        qs_nonce_xor(iv, iv, 1);

        NOTE("qs_replay", "none", sizeof *window);
        qs_replay_init(window);
        for (unsigned i = 0; i < 20000; i++) {
            counter += random_below(i % 100 ? 5 : 10000);
            (void)!qs_replay_check(window, counter - random_below(5000));
            (void)!qs_replay_accept(window, counter - random_below(5000));
        }
        (void)!qs_replay_accept(window, UINT64_MAX);

        for (size_t len = 0; len < 300; len++) {
            NOTE("qs_wipe", "none", len);
            qs_wipe(buffer(OUT, len), len);
        }
        for (size_t n = 0; n <= qs_rows(NULL, 0); n++) {
            NOTE("qs_rows", "none", n);
            qs_rows(buffer(OUT, n * sizeof(qs_row)), n);
        }
        for (size_t n = 0; n <= qs_cpu_features(NULL, 0); n++) {
            NOTE("qs_cpu_features", "none", n);
            qs_cpu_features(buffer(OUT, n * sizeof(qs_feature)), n);
        }
        memcpy(level, "generic", sizeof "generic");
        NOTE("qs_cpu_limit", "none", sizeof "generic");
        MUST(qs_cpu_limit(level));
        memcpy(level, "generix", sizeof "generix");
        if (qs_cpu_limit(level) != QS_ERR_ARGUMENT) FAIL("qs_cpu_limit knows a level that is none");
        MUST(qs_cpu_limit(NULL));
        MUST(qs_selftest_each(ignore_result, NULL));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_keep_to_their_buffers),
        cmocka_unit_test(streams_and_mac_keep_to_their_buffers),
        cmocka_unit_test(aeads_keep_to_their_buffers),
        cmocka_unit_test(other_calls_keep_to_their_buffers),
    };
    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
