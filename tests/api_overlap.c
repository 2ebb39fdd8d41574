/* SPDX-License-Identifier: MIT
 *
 * Overlapping buffers: in == out, or disjoint; anything else is refused before a byte is written.
 */
#include "api_call.h"

/* Is one of the bytes of a one of b? */
static int touch(const void *a, size_t a_len, const void *b, size_t b_len)
{
    for (size_t i = 0; i < a_len; i++)
        if ((uintptr_t)a + i >= (uintptr_t)b && (uintptr_t)a + i < (uintptr_t)b + b_len) return 1;
    return 0;
}

/* The rule for one message, from the header's words. */
static qs_status by_the_rule(const struct call *c, int opens)
{
    if (touch(c->tag, 16, c->out, c->len) || touch(c->tag, 16, c->in, c->len) || touch(c->tag, 16, c->ad, c->ad_len) ||
        (c->out != c->in && touch(c->out, c->len, c->in, c->len)) || touch(c->out, c->len, c->ad, c->ad_len) ||
        touch(c->out, c->len, c->nonce, c->nonce_len) || touch(c->out, c->len, c->aead, sizeof *c->aead))
        return QS_ERR_OVERLAP;
    if (!opens && (touch(c->tag, 16, c->nonce, c->nonce_len) || touch(c->tag, 16, c->aead, sizeof *c->aead)))
        return QS_ERR_OVERLAP;
    return QS_OK;
}

typedef void shift_body(const struct algorithm *a, const struct way *w, size_t len, int shift, void *arg);

static void each_shift(shift_body *body, void *arg)
{
    static const qs_alg algs[] = {QS_CHACHA20_POLY1305, QS_XCHACHA20_POLY1305, QS_ESP_CHACHA20_POLY1305, QS_TINC_SPTPS};
    static const size_t lens[] = {0, 1, 16, 65, 79};

    for (size_t i = 0; i < COUNT(algs) * WAYS; i++)
        for (size_t j = 0; j < COUNT(lens); j++)
            for (int shift = -80; shift <= 80; shift++)
                body(&algorithms[algs[i / WAYS] - 1], &ways[i % WAYS], lens[j], shift, arg);
}

static void shift_text(const struct algorithm *a, const struct way *w, size_t len, int shift, void *arg)
{
    struct call c = arena_call(a, w, len);

    (void)arg;
    c.out = ARENA_AT(in) + shift;
    arena_expect(w, &c, by_the_rule(&c, w->opens), "%s: %zu bytes to %d behind themselves", a->name, len, shift);
}

/* The tag near out, in, AD, nonce, key. */
static void shift_tag(const struct algorithm *a, const struct way *w, size_t len, int shift, void *arg)
{
    for (unsigned i = 0; i < 5; i++) {
        struct call c = arena_call(a, w, len);
        uint8_t *const near[] = {ARENA_AT(out), ARENA_AT(in), ARENA_AT(ad), ARENA_AT(nonce), ARENA_AT(aead)};

        c.tag = near[i] + shift;
        const qs_status status = by_the_rule(&c, w->opens);
        if (w->opens && touch(c.tag, 16, c.nonce, c.nonce_len)) continue; /* both are inputs: no rule, no answer */
        if (w->opens && touch(c.tag, 16, c.aead, sizeof *c.aead)) continue;
        if (w->opens && status == QS_OK) memcpy(c.tag, arena_want_tag, 16);
        arena_expect(w, &c, status, "%s: %zu bytes, tag %d behind buffer %u", a->name, len, shift, i);
    }
    (void)arg;
}

static void shift_out(const struct algorithm *a, const struct way *w, size_t len, int shift, void *arg)
{
    for (unsigned i = 0; i < 4; i++) {
        struct call c = arena_call(a, w, len);
        uint8_t *const near[] = {ARENA_AT(ad), ARENA_AT(nonce), ARENA_AT(aead), ARENA_AT(tag)};

        c.out = near[i] + shift;
        arena_expect(w, &c, by_the_rule(&c, w->opens), "%s: %zu bytes to %d behind buffer %u", a->name, len, shift, i);
    }
    (void)arg;
}

static void text_against_itself(void **state)
{
    (void)state;
    each_shift(shift_text, NULL);
    covered_chosen("rules");
}

static void tag_against_all(void **state)
{
    (void)state;
    each_shift(shift_tag, NULL);
}

static void out_against_inputs(void **state)
{
    (void)state;
    each_shift(shift_out, NULL);
}

/* Inputs may share memory with each other. */
static void inputs_together(void **state)
{
    (void)state;
    for (size_t i = 0; i < ALGORITHMS; i++) {
        const struct algorithm *a = &algorithms[i];
        uint8_t bytes[64], out[64], tag[16], want[64], want_tag[16];
        const size_t ad_len = a->alg == QS_TINC_SPTPS ? 0 : 60;
        qs_aead aead;

        random_bytes(bytes, sizeof bytes);
        EXPECT(QS_OK, qs_aead_init(&aead, a->alg, bytes, a->key_len));
        slow_seal(a->alg, want, want_tag, bytes, bytes + 1, bytes + 3, ad_len, bytes, sizeof bytes);
        EXPECT(QS_OK, qs_aead_seal(&aead, out, tag, bytes + 1, a->nonce_len, bytes + 3, ad_len, bytes, sizeof bytes));
        expect_bytes(out, want, sizeof out, "%s: inputs in one buffer", a->name);
        expect_bytes(tag, want_tag, sizeof tag, "%s: inputs in one buffer, tag", a->name);
    }
}

/* The arrays of pieces, and of packets, are inputs too. */
static void arrays(void **state)
{
    static union {
        uint8_t bytes[400];
        struct {
            uint8_t before[100];
            uint64_t align;
            qs_iovec out[2];
            qs_const_iovec in[2], ad[2];
            uint8_t behind[100];
        } v;
        struct {
            uint8_t before[100];
            uint64_t align;
            qs_packet p[2];
            uint8_t behind[100];
        } p;
    } u, saved;
    static struct message m;
    uint8_t text[16], text2[16], tag[16];

    (void)state;
    random_message(&m, &algorithms[0], 10, 16);
    for (size_t at = 0; at + 16 <= sizeof u.v; at++) {
        const size_t lo = offsetof(__typeof__(u.v), out), hi = offsetof(__typeof__(u.v), behind);
        const qs_status want = at + 16 > lo && at < hi ? QS_ERR_OVERLAP : QS_OK;

        for (unsigned tag_there = 0; tag_there < 2; tag_there++) {
            u.v.out[0] = (qs_iovec){tag_there ? text : u.bytes + at, 10};
            u.v.out[1] = (qs_iovec){tag_there ? text + 10 : u.bytes + at + 10, 6};
            u.v.in[0] = (qs_const_iovec){m.plain, 7}, u.v.in[1] = (qs_const_iovec){m.plain + 7, 9};
            u.v.ad[0] = (qs_const_iovec){m.ad, 3}, u.v.ad[1] = (qs_const_iovec){m.ad + 3, 7};
            saved = u;
            EXPECT(want, qs_aead_sealv(&m.aead, u.v.out, 2, tag_there ? u.bytes + at : tag, m.nonce, 12, u.v.ad, 2,
                                       u.v.in, 2));
            if (want != QS_OK) assert_memory_equal(&u, &saved, sizeof u);
            else expect_bytes(u.bytes + at, tag_there ? m.tag : m.sealed, 16, "beside the arrays, at %zu", at);
            if (tag_there) continue; /* opening only reads the tag */

            u.v.in[0].base = m.sealed, u.v.in[1].base = m.sealed + 7;
            saved = u;
            EXPECT(want, qs_aead_openv(&m.aead, u.v.out, 2, m.nonce, 12, u.v.ad, 2, u.v.in, 2, m.tag));
            if (want != QS_OK) assert_memory_equal(&u, &saved, sizeof u);
            else expect_bytes(u.bytes + at, m.plain, 16, "opened beside the arrays, at %zu", at);
        }
    }

    /* Packet 0's output in the array, or beside it; packet 1 is not affected. */
    for (size_t at = 0; at + 16 <= sizeof u.p; at++) {
        const size_t lo = offsetof(__typeof__(u.p), p), hi = offsetof(__typeof__(u.p), behind);
        const qs_status want = at + 16 > lo && at < hi ? QS_ERR_OVERLAP : QS_OK;

        for (unsigned what = 0; what < 3; what++) { /* seal to here, tag here, open to here */
            const uint8_t *in = what == 2 ? m.sealed : m.plain;
            u.p.p[0] = (qs_packet){&m.aead, text, what == 2 ? m.tag : tag, m.nonce, m.ad, m.ad_len, in, 16, QS_OK};
            u.p.p[1] = u.p.p[0];
            u.p.p[1].out = text2;
            if (what != 1) u.p.p[0].out = u.bytes + at;
            else u.p.p[0].tag = u.bytes + at;
            u.p.p[1].tag = what == 2 ? m.tag : text;
            if (what == 0) u.p.p[1].tag = tag, u.p.p[0].tag = text;
            saved = u;
            assert_int_equal((what == 2 ? qs_open_packets : qs_seal_packets)(u.p.p, 2), want != QS_OK);
            assert_int_equal(u.p.p[0].status, want);
            assert_int_equal(u.p.p[1].status, QS_OK);
            expect_bytes(text2, what == 2 ? m.plain : m.sealed, 16, "the other packet, at %zu", at);
            saved.p.p[0].status = want;
            if (want == QS_OK) memcpy(saved.bytes + at, what == 0 ? m.sealed : what == 1 ? m.tag : m.plain, 16);
            assert_memory_equal(&u, &saved, sizeof u);
        }
    }
}

/* ---- the other functions ----------------------------------------------------------------------------------------- */

static void streams(void **state)
{
    uint8_t memory[600], saved[600], want[100];

    (void)state;
    for (size_t len = 1; len <= 100; len += 33)
        for (unsigned which = 0; which < 3; which++)
            for (int shift = -110; shift <= 110; shift++)
                for (unsigned against = 0; against < 3; against++) {
                    const size_t nonce_len = which == 0 ? 12 : which == 1 ? 8 : 24;
                    const size_t other_len = against == 0 ? len : against == 1 ? 32 : nonce_len;
                    uint8_t key[32], nonce[24], in[100];

                    random_bytes(memory, sizeof memory);
                    uint8_t *const other = memory + 200, *const out = other + shift;
                    memcpy(key, against == 1 ? other : memory, 32);
                    memcpy(nonce, against == 2 ? other : memory, nonce_len);
                    memcpy(in, against == 0 ? other : memory, len);
                    slow_chacha(want, key, nonce, nonce_len, 1, 20, in, len);
                    const uint8_t *k = against == 1 ? other : key, *n = against == 2 ? other : nonce,
                                  *i = against == 0 ? other : in;
                    const int bad = touch(out, len, other, other_len) && !(against == 0 && shift == 0);
                    memcpy(saved, memory, sizeof memory);
                    const qs_status status = which == 0   ? qs_chacha_xor(out, k, n, 1, 20, i, len)
                                             : which == 1 ? qs_chacha_djb_xor(out, k, n, 1, 20, i, len)
                                                          : qs_xchacha_xor(out, k, n, 1, 20, i, len);
                    assert_int_equal(status, bad ? QS_ERR_OVERLAP : QS_OK);
                    if (!bad) memcpy(saved + (out - memory), want, len);
                    expect_bytes(memory, saved, sizeof memory, "%zu bytes, %d behind input %u", len, shift, against);
                }

    for (int shift = -40; shift <= 40; shift++)
        for (unsigned against = 0; against < 2; against++) {
            uint8_t key[32], nonce[16];

            random_bytes(memory, sizeof memory);
            memcpy(key, memory + (against ? 0 : 200), 32);
            memcpy(nonce, memory + (against ? 200 : 0), 16);
            slow_hchacha(want, key, nonce, 20);
            const int bad =
                against ? touch(memory + 200 + shift, 32, memory + 200, 16) : shift > -32 && shift < 32 && shift != 0;
            memcpy(saved, memory, sizeof memory);
            const qs_status status =
                qs_hchacha(memory + 200 + shift, memory + (against ? 0 : 200), memory + (against ? 200 : 0), 20);
            assert_int_equal(status, bad ? QS_ERR_OVERLAP : QS_OK);
            if (!bad) memcpy(saved + 200 + shift, want, 32);
            expect_bytes(memory, saved, sizeof memory, "HChaCha %d behind %s", shift, against ? "nonce" : "key");
        }
}

static void contexts(void **state)
{
    static union {
        uint8_t bytes[1024];
        uint64_t align;
        struct {
            uint8_t before[256];
            qs_stream s;
        } stream;
        struct {
            uint8_t before[256];
            qs_aead aead;
        } aead;
        struct {
            uint8_t before[256];
            qs_openssh ssh;
        } ssh;
    } u, saved;
    static struct message m;
    uint8_t out[64], tag[16], key[64] = {1};

    (void)state;
    random_message(&m, &algorithms[0], 10, 60);

    for (size_t at = 150; at < 256 + sizeof u.stream.s + 20; at++) {
        const int text_bad = touch(u.bytes + at, 60, &u.stream.s, sizeof u.stream.s);
        const int tag_bad = touch(u.bytes + at, 16, &u.stream.s, sizeof u.stream.s);

        EXPECT(QS_OK, qs_stream_seal_init(&u.stream.s, &m.aead, m.nonce, 12));
        EXPECT(QS_OK, qs_stream_ad(&u.stream.s, m.ad, m.ad_len));
        saved = u;
        EXPECT(text_bad ? QS_ERR_OVERLAP : QS_OK, qs_stream_text(&u.stream.s, u.bytes + at, m.plain, 60));
        if (text_bad) {
            assert_memory_equal(&u, &saved, sizeof u);
            EXPECT(QS_OK, qs_stream_text(&u.stream.s, out, m.plain, 60));
        }
        saved = u;
        EXPECT(tag_bad ? QS_ERR_OVERLAP : QS_OK, qs_stream_seal_final(&u.stream.s, u.bytes + at));
        if (tag_bad) {
            assert_memory_equal(&u, &saved, sizeof u);
            EXPECT(QS_OK, qs_stream_seal_final(&u.stream.s, tag));
        }
        expect_bytes(tag_bad ? tag : u.bytes + at, m.tag, 16, "tag at %zu near the stream", at);
    }

    for (size_t at = 150; at < 256 + sizeof u.aead.aead + 80; at++) {
        random_bytes(&u, sizeof u);
        saved = u;
        const int bad = touch(u.bytes + at, 32, &u.aead.aead, sizeof u.aead.aead);
        EXPECT(bad ? QS_ERR_OVERLAP : QS_OK, qs_aead_init(&u.aead.aead, QS_CHACHA20_POLY1305, u.bytes + at, 32));
        if (bad) assert_memory_equal(&u, &saved, sizeof u);
    }

    /* A stream on its own key or nonce. */
    for (size_t at = 0; at < 256 + sizeof u.stream.s; at += 8) {
        random_bytes(&u, sizeof u);
        memcpy(u.bytes + at, &m.aead, sizeof m.aead);
        saved = u;
        int bad = touch(u.bytes + at, sizeof(qs_aead), &u.stream.s, sizeof u.stream.s);
        EXPECT(bad ? QS_ERR_OVERLAP : QS_OK,
               qs_stream_seal_init(&u.stream.s, (const qs_aead *)(u.bytes + at), m.nonce, 12));
        if (bad) assert_memory_equal(&u, &saved, sizeof u);
        u = saved;
        bad = touch(u.bytes + at, 12, &u.stream.s, sizeof u.stream.s);
        EXPECT(bad ? QS_ERR_OVERLAP : QS_OK, qs_stream_open_unverified_init(&u.stream.s, &m.aead, u.bytes + at, 12));
        if (bad) assert_memory_equal(&u, &saved, sizeof u);
    }

    for (size_t at = 150; at < 256 + sizeof u.ssh.ssh + 20; at++) {
        qs_openssh_init(&u.ssh.ssh, key);
        saved = u;
        int bad = touch(u.bytes + at, 60, &u.ssh.ssh, sizeof u.ssh.ssh);
        EXPECT(bad ? QS_ERR_OVERLAP : QS_OK, qs_openssh_seal(&u.ssh.ssh, u.bytes + at, tag, 7, m.plain, 60));
        if (bad) assert_memory_equal(&u, &saved, sizeof u);
        saved = u;
        bad = touch(u.bytes + at, 16, &u.ssh.ssh, sizeof u.ssh.ssh);
        EXPECT(bad ? QS_ERR_OVERLAP : QS_OK, qs_openssh_seal(&u.ssh.ssh, out, u.bytes + at, 7, m.plain, 60));
        if (bad) assert_memory_equal(&u, &saved, sizeof u);
        bad = touch(u.bytes + at, 60, &u.ssh.ssh, sizeof u.ssh.ssh);
        slow_openssh_seal(out, tag, key, 7, m.plain, 60);
        saved = u;
        EXPECT(bad ? QS_ERR_OVERLAP : QS_OK, qs_openssh_open(&u.ssh.ssh, u.bytes + at, 7, out, 60, tag));
        if (bad) assert_memory_equal(&u, &saved, sizeof u);
    }

    /* OpenSSH: text against itself, tag against text. */
    qs_openssh_init(&u.ssh.ssh, key);
    for (int shift = -80; shift <= 80; shift++)
        for (unsigned what = 0; what < 3; what++) {
            uint8_t memory[300], before[300], plain[60];
            uint8_t *in = memory + 100, *to = what == 0 ? in + shift : what == 1 ? memory + 200 : in;
            uint8_t *t = what == 0 ? memory : (what == 1 ? to : in) + shift;
            if (t < memory || t + 16 > memory + sizeof memory) continue;
            const int bad = (to != in && touch(to, 60, in, 60)) || touch(t, 16, in, 60) || touch(t, 16, to, 60);

            random_bytes(memory, sizeof memory);
            memcpy(before, memory, sizeof memory);
            memcpy(plain, in, sizeof plain);
            EXPECT(bad ? QS_ERR_OVERLAP : QS_OK, qs_openssh_seal(&u.ssh.ssh, to, t, 7, in, 60));
            if (!bad) slow_openssh_seal(before + (to - memory), before + (t - memory), key, 7, before + 100, 60);
            expect_bytes(memory, before, sizeof memory, "OpenSSH shifted by %d", shift);
            memcpy(before, memory, sizeof memory);
            EXPECT(bad ? QS_ERR_OVERLAP : QS_OK, qs_openssh_open(&u.ssh.ssh, in, 7, to, 60, t));
            if (!bad) memcpy(before + 100, plain, 60);
            expect_bytes(memory, before, sizeof memory, "OpenSSH opened, shifted by %d", shift);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(text_against_itself),
                                       cmocka_unit_test(tag_against_all),
                                       cmocka_unit_test(out_against_inputs),
                                       cmocka_unit_test(inputs_together),
                                       cmocka_unit_test(arrays),
                                       cmocka_unit_test(streams),
                                       cmocka_unit_test(contexts)};

    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
