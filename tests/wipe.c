/* SPDX-License-Identifier: MIT
 *
 * What a call leaves behind. Each public call runs twice, under two keys of which no byte is the same, with all else
 * equal that is not secret. Then no byte of the dead stack and of the vector registers may differ: so neither key,
 * subkey, block 0, keystream, r, its powers, s, an accumulator nor the right tag of a forged message is left, in
 * whatever form. The deepest use of the stack is printed, and must keep to what the header promises.
 */
#include "kernel_slow.h"
#include "wipe_look.h"

/* Sanitizers and -O0 have stack frames of their own making. */
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OTHER_FRAMES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(thread_sanitizer)
#define OTHER_FRAMES 1
#endif
#endif
#ifndef OTHER_FRAMES
#define OTHER_FRAMES 0
#endif

/* What quickstep.h promises of the stack. */
#if defined(__s390__) || defined(__powerpc__)
enum { STACK_LIMIT = 2560 };
#elif defined(__x86_64__)
enum { STACK_LIMIT = 5632 };
#else
enum { STACK_LIMIT = 1280 };
#endif
enum { PACKETS_LIMIT = 22 * 1024, SELFTEST_LIMIT = 26 * 1024 };

enum { ROOM = 8192, ALGS = QS_TINC_SPTPS };

/* ---- the calls --------------------------------------------------------------------------------------------------- */

static uint8_t key[64], nonce[24], ad[100], text[ROOM], sealed[ROOM], out[ROOM], tag[16], forged[16];
static size_t len, ad_len, nonce_len;
static qs_alg alg;
static unsigned rounds = 20;
static qs_aead aead;
static qs_stream stream;
static qs_poly1305_ctx mac;
static qs_openssh ssh;
static qs_packet packets[9], many[32];
static int status;

struct call {
    const char *name;
    void (*prepare)(void); /* on the usual stack */
    void (*call)(void);    /* one public call */
    int expected;          /* status */
    size_t limit;          /* of the stack; 0: STACK_LIMIT */
    size_t depth;
};

#define CALL(name, expression)                                                                                         \
    static void name(void) { status = (int)(expression); }
#define CALL_VOID(name, expression)                                                                                    \
    static void name(void) { expression; }

static void prepare_nothing(void) {}

CALL(chacha, qs_chacha_xor(out, key, nonce, 1, rounds, text, len))
CALL(chacha_in_place, qs_chacha_xor(out, key, nonce, 1, rounds, out, len))
CALL(chacha_keystream, qs_chacha_xor(out, key, nonce, 1, rounds, NULL, len))
CALL(djb, qs_chacha_djb_xor(out, key, nonce, UINT32_MAX - 2, rounds, text, len))
CALL(xchacha, qs_xchacha_xor(out, key, nonce, 1, rounds, text, len))
CALL(hchacha, qs_hchacha(out, key, nonce, rounds))

static struct call chacha_calls[] = {
    {.name = "qs_chacha_xor", .prepare = prepare_nothing, .call = chacha},
    {.name = "qs_chacha_xor, in place", .prepare = prepare_nothing, .call = chacha_in_place},
    {.name = "qs_chacha_xor, keystream", .prepare = prepare_nothing, .call = chacha_keystream},
    {.name = "qs_chacha_djb_xor", .prepare = prepare_nothing, .call = djb},
    {.name = "qs_xchacha_xor", .prepare = prepare_nothing, .call = xchacha},
    {.name = "qs_hchacha", .prepare = prepare_nothing, .call = hchacha},
};

static void prepare_mac(void)
{
    qs_poly1305_init(&mac, key);
    qs_poly1305_update(&mac, ad, ad_len);
}

CALL_VOID(poly1305, qs_poly1305(tag, key, text, len))
CALL_VOID(mac_init, qs_poly1305_init(&mac, key))
CALL_VOID(mac_update, qs_poly1305_update(&mac, text, len))
CALL_VOID(mac_final, qs_poly1305_final(&mac, tag))

static struct call mac_calls[] = {
    {.name = "qs_poly1305", .prepare = prepare_nothing, .call = poly1305},
    {.name = "qs_poly1305_init", .prepare = prepare_nothing, .call = mac_init},
    {.name = "qs_poly1305_update", .prepare = prepare_mac, .call = mac_update},
    {.name = "qs_poly1305_final", .prepare = prepare_mac, .call = mac_final},
};

static qs_const_iovec ad_pieces[2], in_pieces[3];
static qs_iovec out_pieces[2];

static void prepare_key(void)
{
    if (qs_aead_init(&aead, alg, key, qs_alg_key_len(alg))) FAIL("qs_aead_init");
}

static void forge(void)
{
    memcpy(forged, tag, sizeof forged);
    forged[7] ^= 0x10;
}

static void prepare_sealed(void)
{
    prepare_key();
    if (qs_aead_seal(&aead, sealed, tag, nonce, nonce_len, ad, ad_len, text, len)) FAIL("qs_aead_seal");
    forge();
}

static void prepare_pieces(void)
{
    const size_t a = ad_len / 3, i = len / 3, o = len / 2;

    prepare_sealed();
    ad_pieces[0] = (qs_const_iovec){ad, a}, ad_pieces[1] = (qs_const_iovec){ad + a, ad_len - a};
    in_pieces[0] = (qs_const_iovec){text, i}, in_pieces[1] = (qs_const_iovec){text + i, i};
    in_pieces[2] = (qs_const_iovec){text + 2 * i, len - 2 * i};
    out_pieces[0] = (qs_iovec){out, o}, out_pieces[1] = (qs_iovec){out + o, len - o};
}

static void prepare_sealed_pieces(void)
{
    prepare_pieces();
    for (unsigned i = 0; i < COUNT(in_pieces); i++) in_pieces[i].base += sealed - text;
}

static void prepare_packets(void)
{
    prepare_sealed();
    for (unsigned i = 0; i < COUNT(packets); i++)
        packets[i] =
            (qs_packet){&aead, out + i * (ROOM / 16), out + ROOM - 16 * (i + 1), nonce, ad, ad_len, text, len / 9, QS_OK};
}

static void prepare_sealed_packets(void)
{
    prepare_packets();
    if (qs_seal_packets(packets, COUNT(packets))) FAIL("qs_seal_packets");
    for (unsigned i = 0; i < COUNT(packets); i++) packets[i].in = packets[i].out;
    packets[1].tag[3] ^= 1;
}

CALL(aead_init, qs_aead_init(&aead, alg, key, qs_alg_key_len(alg)))
CALL(aead_seal, qs_aead_seal(&aead, out, tag, nonce, nonce_len, ad, ad_len, text, len))
CALL(aead_open, qs_aead_open(&aead, out, nonce, nonce_len, ad, ad_len, sealed, len, tag))
CALL(aead_open_forged, qs_aead_open(&aead, out, nonce, nonce_len, ad, ad_len, sealed, len, forged))
CALL(aead_sealv, qs_aead_sealv(&aead, out_pieces, 2, tag, nonce, nonce_len, ad_pieces, 2, in_pieces, 3))
CALL(aead_openv, qs_aead_openv(&aead, out_pieces, 2, nonce, nonce_len, ad_pieces, 2, in_pieces, 3, tag))
/* More than some passes have lanes. */
static void prepare_many_sealed(void)
{
    prepare_sealed();
    for (unsigned i = 0; i < COUNT(many); i++)
        many[i] =
            (qs_packet){&aead, out + i * (ROOM / 64), out + ROOM - 16 * (i + 1), nonce, ad, ad_len, text, len / 64, QS_OK};
    if (qs_seal_packets(many, COUNT(many))) FAIL("qs_seal_packets");
    for (unsigned i = 0; i < COUNT(many); i++) many[i].in = many[i].out;
}

CALL(open_many, qs_open_packets(many, COUNT(many)))
CALL(seal_packets, qs_seal_packets(packets, COUNT(packets)))
CALL(open_packets, qs_open_packets(packets, COUNT(packets)))
CALL_VOID(aead_wipe, qs_aead_wipe(&aead))

static void prepare_seal_stream(void)
{
    prepare_key();
    if (qs_stream_seal_init(&stream, &aead, nonce, nonce_len)) FAIL("qs_stream_seal_init");
}

static void prepare_seal_stream_text(void)
{
    prepare_seal_stream();
    if (qs_stream_ad(&stream, ad, ad_len) || qs_stream_text(&stream, out, text, len / 3)) FAIL("qs_stream_text");
}

static void prepare_open_stream(void)
{
    prepare_sealed();
    if (qs_stream_open_unverified_init(&stream, &aead, nonce, nonce_len) || qs_stream_ad(&stream, ad, ad_len) ||
        qs_stream_text(&stream, out, sealed, len / 3))
        FAIL("qs_stream_open_unverified_init");
}

static void prepare_open_stream_final(void)
{
    prepare_open_stream();
    if (qs_stream_text(&stream, out + len / 3, sealed + len / 3, len - len / 3)) FAIL("qs_stream_text");
}

CALL(stream_seal_init, qs_stream_seal_init(&stream, &aead, nonce, nonce_len))
CALL(stream_open_init, qs_stream_open_unverified_init(&stream, &aead, nonce, nonce_len))
CALL(stream_ad, qs_stream_ad(&stream, ad, ad_len))
CALL(stream_seal_text, qs_stream_text(&stream, out + len / 3, text + len / 3, len - len / 3))
CALL(stream_open_text, qs_stream_text(&stream, out + len / 3, sealed + len / 3, len - len / 3))
CALL(stream_seal_final, qs_stream_seal_final(&stream, tag))
CALL(stream_open_final, qs_stream_open_final(&stream, tag))
CALL(stream_open_forged, qs_stream_open_final(&stream, forged))

static void prepare_ssh(void)
{
    qs_openssh_init(&ssh, key);
    if (len < 4) len = 4;
    if (qs_openssh_seal(&ssh, sealed, tag, 9, text, len)) FAIL("qs_openssh_seal");
    forge();
}

CALL_VOID(ssh_init, qs_openssh_init(&ssh, key))
CALL(ssh_length, qs_openssh_length(&ssh, 9, sealed) && 0)
CALL(ssh_seal, qs_openssh_seal(&ssh, out, tag, 9, text, len))
CALL(ssh_open, qs_openssh_open(&ssh, out, 9, sealed, len, tag))
CALL(ssh_open_forged, qs_openssh_open(&ssh, out, 9, sealed, len, forged))
CALL_VOID(nonce_xor, qs_nonce_xor(out, key, 77))

static struct call aead_calls[] = {
    {.name = "qs_aead_init", .prepare = prepare_nothing, .call = aead_init},
    {.name = "qs_aead_seal", .prepare = prepare_key, .call = aead_seal},
    {.name = "qs_aead_open", .prepare = prepare_sealed, .call = aead_open},
    {.name = "qs_aead_open, forged", .prepare = prepare_sealed, .call = aead_open_forged, .expected = QS_ERR_AUTH},
    {.name = "qs_aead_sealv", .prepare = prepare_pieces, .call = aead_sealv},
    {.name = "qs_aead_openv", .prepare = prepare_sealed_pieces, .call = aead_openv},
    {.name = "qs_seal_packets", .prepare = prepare_packets, .call = seal_packets, .limit = PACKETS_LIMIT},
    {.name = "qs_open_packets, one forged",
     .prepare = prepare_sealed_packets,
     .call = open_packets,
     .expected = 1,
     .limit = PACKETS_LIMIT},
    {.name = "qs_open_packets, many", .prepare = prepare_many_sealed, .call = open_many, .limit = PACKETS_LIMIT},
    {.name = "qs_aead_wipe", .prepare = prepare_key, .call = aead_wipe},
    {.name = "qs_stream_seal_init", .prepare = prepare_key, .call = stream_seal_init},
    {.name = "qs_stream_open_unverified_init", .prepare = prepare_key, .call = stream_open_init},
    {.name = "qs_stream_ad", .prepare = prepare_seal_stream, .call = stream_ad},
    {.name = "qs_stream_text, sealing", .prepare = prepare_seal_stream_text, .call = stream_seal_text},
    {.name = "qs_stream_text, opening", .prepare = prepare_open_stream, .call = stream_open_text},
    {.name = "qs_stream_seal_final", .prepare = prepare_seal_stream_text, .call = stream_seal_final},
    {.name = "qs_stream_open_final", .prepare = prepare_open_stream_final, .call = stream_open_final},
    {.name = "qs_stream_open_final, forged",
     .prepare = prepare_open_stream_final,
     .call = stream_open_forged,
     .expected = QS_ERR_AUTH},
    {.name = "qs_openssh_init", .prepare = prepare_nothing, .call = ssh_init},
    {.name = "qs_openssh_length", .prepare = prepare_ssh, .call = ssh_length},
    {.name = "qs_openssh_seal", .prepare = prepare_ssh, .call = ssh_seal},
    {.name = "qs_openssh_open", .prepare = prepare_ssh, .call = ssh_open},
    {.name = "qs_openssh_open, forged", .prepare = prepare_ssh, .call = ssh_open_forged, .expected = QS_ERR_AUTH},
    {.name = "qs_nonce_xor", .prepare = prepare_nothing, .call = nonce_xor},
};

/* ---- looking ----------------------------------------------------------------------------------------------------- */

/* Which known secret stands at p, for the message. */
static const char *name_of(const uint8_t *p)
{
    static uint8_t block0[64], keystream[ROOM];
    static char text_of[64];
    const struct {
        const char *name;
        const uint8_t *bytes;
        size_t len;
    } known[] = {{"key", key, sizeof key},     {"block 0", block0, sizeof block0}, {"keystream", keystream, len},
                 {"sealed text", sealed, len}, {"output", out, sizeof out},        {"right tag", tag, sizeof tag}};

    slow_block0(alg, block0, key, nonce);
    for (size_t i = 0; i < len; i++) keystream[i] = text[i] ^ sealed[i];
    for (size_t i = 0; i < COUNT(known); i++)
        for (size_t at = 0; at + 8 <= known[i].len; at++)
            if (memcmp(p, known[i].bytes + at, 8) == 0) {
                snprintf(text_of, sizeof text_of, "%s, byte %zu", known[i].name, at);
                return text_of;
            }
    return "something made of the key or the text";
}

/* A whole 8 bytes that differ are reported rather than the first byte of them. */
static void expect_same(const char *rows, const struct call *c, const char *where, const uint8_t *a, const uint8_t *b,
                        size_t n, size_t end)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i])
            FAIL("%s: %s, algorithm %d, %zu bytes, AD %zu: %s %zu holds %s", rows, c->name, alg, len, ad_len, where,
                 end ? end - i : i, name_of(b + (i + 8 <= n ? i : n - 8)));
}

static void look_under_key(const char *rows, struct call *c, struct look *l)
{
    /* The first time, so that lazy binding, which saves registers on the stack, is done. */
    for (unsigned i = 0; i < 2; i++) {
        memset(out, 0, sizeof out);
        status = 0;
        c->prepare();
        look_at(l, c->call);
        if (status != c->expected) FAIL("%s: %s, %zu bytes: status %d", rows, c->name, len, status);
    }
    if (l->depth > c->depth) c->depth = l->depth;
}

static void compare(const char *rows, struct call *c)
{
    static struct look look, first; /* both by way of one: registers of this program must not hold other addresses */

    for (unsigned i = 0; i < sizeof key; i++) key[i] = (uint8_t)random_u64();
    look_under_key(rows, c, &look);
    first = look;
    /* Another key; then another text under that key, which is a secret too. */
    for (unsigned pass = 0; pass < 2; pass++) {
        if (pass == 0)
            for (unsigned i = 0; i < sizeof key; i++) key[i] ^= 0xff;
        else
            for (unsigned i = 0; i < sizeof text; i++) text[i] ^= 0xff;
        look_under_key(rows, c, &look);
        expect_same(rows, c, "the stack below the caller, depth", first.dead, look.dead, first.dead_len,
                    first.dead_len);
        expect_same(rows, c, "a vector register, byte", first.vectors, look.vectors, LOOK_VECTORS, 0);
    }
}

/* The ways that kernels and frontends take. */
static const size_t lengths[] = {0,   1,   15,  16,  17,   63,   64,   65,   128,  140, 192,
                                 200, 257, 512, 700, 1024, 1100, 1500, 2048, 4096, 4177};

static void every_length(const char *rows, struct call *calls, size_t n)
{
    random_bytes(text, sizeof text);
    random_bytes(nonce, sizeof nonce);
    random_bytes(ad, sizeof ad);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < COUNT(lengths); j++) {
            len = lengths[j];
            compare(rows, &calls[i]);
        }
}

static void print_depths(const struct call *calls, size_t n)
{
    const struct call *deeper = NULL;

    for (size_t i = 0; i < n; i++) {
        print_message("stack %4zu bytes  %s\n", calls[i].depth, calls[i].name);
        if (calls[i].depth > (calls[i].limit ? calls[i].limit : STACK_LIMIT)) deeper = &calls[i];
    }
    if (deeper) FAIL("%s uses %zu bytes of stack", deeper->name, deeper->depth);
}

static void skip_other_frames(void)
{
    if (!OTHER_FRAMES) return;
    print_message("skipped: stack frames of -O0 and of sanitizers are not those that are wiped\n");
    skip();
}

static void chacha_of(const struct qs_kernel *row, void *arg)
{
    static const unsigned all_rounds[] = {8, 12, 20};

    (void)arg;
    for (unsigned i = 0; i < COUNT(all_rounds); i++) {
        rounds = all_rounds[i];
        every_length(row->name, chacha_calls, COUNT(chacha_calls));
    }
    covered("wipe", "chacha", row->name);
}

static void streams_leave_nothing(void **unused)
{
    (void)unused;
    skip_other_frames();
    alg = QS_CHACHA20_POLY1305;
    each_row(QS_CHACHA, chacha_of, NULL);
    print_depths(chacha_calls, COUNT(chacha_calls));
}

static void mac_of(const struct qs_kernel *row, void *arg)
{
    (void)arg;
    for (ad_len = 0; ad_len < sizeof ad; ad_len += 33) every_length(row->name, mac_calls, COUNT(mac_calls));
    covered("wipe", "poly1305", row->name);
}

static void macs_leave_nothing(void **unused)
{
    (void)unused;
    skip_other_frames();
    each_row(QS_POLY1305, mac_of, NULL);
    print_depths(mac_calls, COUNT(mac_calls));
}

static void aeads_of(const char *rows, void *arg)
{
    for (int a = 1; a <= ALGS; a++) {
        alg = (qs_alg)a;
        nonce_len = qs_alg_nonce_len(alg);
        ad_len = alg == QS_TINC_SPTPS ? 0 : 11 * (size_t)a;
        every_length(rows, aead_calls, COUNT(aead_calls));
    }
    covered("wipe", arg, rows);
}

static void aeads_leave_nothing(void **unused)
{
    (void)unused;
    skip_other_frames();
    each_path(aeads_of, "path");
    print_depths(aead_calls, COUNT(aead_calls));
}

/* ---- kernels alone: what frontends would wipe behind them -------------------------------------------------------- */

#ifdef QS_X86_64
static const struct qs_kernel *kernel_row;
static uint32_t kernel_words[16], kernel_h[5];
static struct qs_keystream kernel_k;

/* Constants, counter and nonce are public. */
static void prepare_chacha_kernel(void)
{
    memset(kernel_words, 0x11, sizeof kernel_words);
    memcpy(kernel_words + 4, key, 32);
    memcpy(kernel_k.state, kernel_words, sizeof kernel_k.state);
}

static void prepare_poly1305_kernel(void)
{
    memcpy(kernel_h, key, sizeof kernel_h);
    kernel_h[4] &= 7;
    memcpy(kernel_words, key + 32, 16);
    slow_clamp(kernel_words);
}

static struct qs_lanes_mac tags;

static void prepare_tags_kernel(void)
{
    memset(&tags, 0, sizeof tags);
    tags.n = tags.ready = 8;
    for (unsigned i = 0; i < tags.n; i++) {
        memcpy(tags.key[i], key + i, 32);
        tags.ad[i] = ad, tags.text[i] = text;
        tags.ad_len[i] = 16, tags.len[i] = (uint32_t)len;
    }
}

CALL_VOID(tags_kernel, kernel_row->blocks.packets->tags(&tags))
CALL_VOID(chacha_kernel, kernel_row->blocks.chacha(out, text, len / 64 + 1, kernel_words, 8))
CALL_VOID(ending_kernel, kernel_row->blocks.chacha_ending(out, text, len / 64, &kernel_k, 8))
CALL_VOID(poly1305_kernel, kernel_row->blocks.poly1305(kernel_h, kernel_words, text, len / 16 + 1, 1))

static struct call kernel_calls[] = {
    [QS_CHACHA] = {.name = "the kernel", .prepare = prepare_chacha_kernel, .call = chacha_kernel},
    [QS_POLY1305] = {.name = "the kernel", .prepare = prepare_poly1305_kernel, .call = poly1305_kernel},
    [QS_PACKETS] = {.name = "the kernel's tags", .prepare = prepare_tags_kernel, .call = tags_kernel},
};

static struct call ending_call = {
    .name = "the kernel, with an end", .prepare = prepare_chacha_kernel, .call = ending_kernel};

static void kernel_of(const struct qs_kernel *row, void *arg)
{
    const enum qs_primitive primitive = *(const enum qs_primitive *)arg;

    if (strncmp(row->name, "generic", 7) == 0) return; /* C, after which the frontend wipes */
    if (primitive == QS_PACKETS && (!row->blocks.packets || !row->blocks.packets->beside)) return; /* C, or none */
    kernel_row = row;
    every_length(row->name, &kernel_calls[primitive], 1);
    if (primitive == QS_CHACHA && row->blocks.chacha_ending) every_length(row->name, &ending_call, 1);
}

static void kernels_of_assembly_leave_nothing(void **unused)
{
    (void)unused;
    skip_other_frames();
    static enum qs_primitive primitives[] = {QS_CHACHA, QS_POLY1305, QS_PACKETS};

    for (unsigned i = 0; i < COUNT(primitives); i++) each_row(primitives[i], kernel_of, &primitives[i]);
}
#endif

/* ---- contexts, and calls that hold no secret --------------------------------------------------------------------- */

static void expect_wiped(const char *what, const void *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (((const uint8_t *)p)[i]) FAIL("%s left byte %zu of %zu", what, i, n);
}

static void finished_contexts_are_wiped(void **unused)
{
    (void)unused;
    random_bytes(key, sizeof key);
    random_bytes(text, sizeof text);
    alg = QS_CHACHA20_POLY1305;
    nonce_len = qs_alg_nonce_len(alg);
    ad_len = sizeof ad;
    for (len = 0; len < 200; len++) {
        memset(&mac, 0xa5, sizeof mac);
        memset(&stream, 0xa5, sizeof stream);
        prepare_mac();
        mac_final();
        expect_wiped("qs_poly1305_final", &mac, sizeof mac);
        prepare_seal_stream_text();
        stream_seal_final();
        expect_wiped("qs_stream_seal_final", &stream, sizeof stream);
        prepare_open_stream_final();
        stream_open_final();
        expect_wiped("qs_stream_open_final", &stream, sizeof stream);
        prepare_open_stream_final();
        stream_open_forged();
        expect_wiped("qs_stream_open_final of a forged message", &stream, sizeof stream);
        prepare_key();
        aead_wipe();
        expect_wiped("qs_aead_wipe", &aead, sizeof aead);
        memset(text, 0xa5, len + 16);
        qs_wipe(text + 8, len);
        expect_wiped("qs_wipe", text + 8, len);
        if (text[7] != 0xa5 || text[8 + len] != 0xa5) FAIL("qs_wipe of %zu bytes wiped more", len);
    }
}

static qs_replay window;

static void prepare_first_use(void)
{
    prepare_sealed();
    if (qs_cpu_limit(NULL)) FAIL("qs_cpu_limit");
}

static void list_rows(void)
{
    qs_row rows[4];
    status = qs_rows(rows, COUNT(rows)) == 0;
}

static void list_features(void)
{
    qs_feature features[4];
    qs_cpu_features(features, COUNT(features));
}

CALL_VOID(replay_init, qs_replay_init(&window))
CALL(replay_check, qs_replay_check(&window, 5000))
CALL(replay_accept, qs_replay_accept(&window, 5000))
CALL(cpu_limit, qs_cpu_limit("generic"))
CALL(selftest, qs_selftest())

static struct call other_calls[] = {
    {.name = "qs_aead_seal, first call of all", .prepare = prepare_first_use, .call = aead_seal},
    {.name = "qs_rows", .prepare = prepare_nothing, .call = list_rows},
    {.name = "qs_cpu_features", .prepare = prepare_nothing, .call = list_features},
    {.name = "qs_cpu_limit", .prepare = prepare_nothing, .call = cpu_limit},
    {.name = "qs_replay_init", .prepare = prepare_nothing, .call = replay_init},
    {.name = "qs_replay_check", .prepare = replay_init, .call = replay_check},
    {.name = "qs_replay_accept", .prepare = replay_init, .call = replay_accept},
    {.name = "qs_selftest", .prepare = prepare_nothing, .call = selftest, .limit = SELFTEST_LIMIT},
};

static void other_calls_keep_to_their_stack(void **unused)
{
    static struct look l;

    (void)unused;
    skip_other_frames();
    len = 1500;
    for (size_t i = 0; i < COUNT(other_calls); i++) look_under_key("chosen rows", &other_calls[i], &l);
    if (qs_cpu_limit(NULL)) FAIL("qs_cpu_limit");
    print_depths(other_calls, COUNT(other_calls));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_leave_nothing),
        cmocka_unit_test(macs_leave_nothing),
        cmocka_unit_test(aeads_leave_nothing),
#ifdef QS_X86_64
        cmocka_unit_test(kernels_of_assembly_leave_nothing),
#endif
        cmocka_unit_test(finished_contexts_are_wiped),
        cmocka_unit_test(other_calls_keep_to_their_stack),
    };
    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
