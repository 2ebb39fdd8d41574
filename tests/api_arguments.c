/* SPDX-License-Identifier: MIT
 *
 * Wrong lengths, NULL, and which error wins when a call has two.
 */
#include "api_call.h"

/* ---- lengths of keys and nonces ---------------------------------------------------------------------------------- */

static void key_lengths(void **state)
{
    uint8_t key[80];
    qs_aead aead, before;

    (void)state;
    random_bytes(key, sizeof key);
    random_bytes(&before, sizeof before);
    for (size_t i = 0; i < ALGORITHMS; i++) {
        const struct algorithm *a = &algorithms[i];

        assert_int_equal(qs_alg_key_len(a->alg), a->key_len);
        assert_int_equal(qs_alg_nonce_len(a->alg), a->nonce_len);
        for (size_t len = 0; len <= 80; len++) {
            const qs_status want = len == a->key_len ? QS_OK : QS_ERR_ARGUMENT;
            aead = before;
            EXPECT(want, qs_aead_init(&aead, a->alg, key, len));
            if (want != QS_OK)
                EXPECT(want, qs_aead_init(&aead, a->alg, (const uint8_t *)&aead, len)); /* before overlap */
            assert_int_equal(memcmp(&aead, &before, sizeof aead) == 0, want != QS_OK);
        }
        aead = before;
        EXPECT(QS_ERR_ARGUMENT, qs_aead_init(&aead, a->alg, key, SIZE_MAX));
        EXPECT(QS_ERR_ARGUMENT, qs_aead_init(&aead, a->alg, NULL, a->key_len));
        EXPECT(QS_ERR_ARGUMENT, qs_aead_init(&aead, a->alg, NULL, 0));
        EXPECT(QS_ERR_ARGUMENT, qs_aead_init(NULL, a->alg, key, a->key_len));
        assert_memory_equal(&aead, &before, sizeof aead);
    }
}

static void unknown_algorithms(void **state)
{
    static const int numbers[] = {0, 10, 11, 255, 256, 257, 65537, -1, -256, INT32_MAX, INT32_MIN};
    uint8_t key[64] = {0};
    qs_aead aead, before;

    (void)state;
    random_bytes(&before, sizeof before);
    aead = before;
    for (size_t i = 0; i < COUNT(numbers); i++) {
        assert_int_equal(qs_alg_key_len((qs_alg)numbers[i]), 0);
        assert_int_equal(qs_alg_nonce_len((qs_alg)numbers[i]), 0);
        for (size_t len = 0; len <= 64; len++)
            EXPECT(QS_ERR_ARGUMENT, qs_aead_init(&aead, (qs_alg)numbers[i], key, len));
    }
    assert_memory_equal(&aead, &before, sizeof aead);
}

static void nonce_lengths(void **state)
{
    (void)state;
    for (size_t i = 0; i < ALGORITHMS * WAYS; i++) {
        const struct algorithm *a = &algorithms[i / WAYS];
        const struct way *w = &ways[i % WAYS];
        struct call c = arena_call(a, w, ARENA_LEN);

        arena_expect(w, &c, QS_OK, "%s as it should be", a->name);
        if (!w->takes_nonce_len) continue;
        for (size_t len = 0; len <= 80; len++) {
            qs_stream s, before;

            if (len == a->nonce_len) continue;
            c.nonce_len = len;
            arena_expect(w, &c, QS_ERR_ARGUMENT, "%s, nonce of %zu bytes", a->name, len);
            memset(&before, 0x5a, sizeof before);
            s = before;
            EXPECT(QS_ERR_ARGUMENT, qs_stream_seal_init(&s, c.aead, c.nonce, len));
            EXPECT(QS_ERR_ARGUMENT, qs_stream_open_unverified_init(&s, c.aead, c.nonce, len));
            assert_memory_equal(&s, &before, sizeof s);
        }
    }
}

/* ---- two faults at once ------------------------------------------------------------------------------------------ */

/* What a fault changes: two that change the same cannot be combined. */
enum { AEAD = 1, OUT = 2, TAG = 4, NONCE = 8, NONCE_LEN = 16, AD = 32, AD_LEN = 64, IN = 128, LEN = 256 };

static const qs_aead zeroed;

struct fault {
    const char *name;
    qs_status status;
    unsigned changes;
    int of_opening; /* 1: opening only; 0: both; -1: sealing only */
    void (*make)(struct call *c);
};

static void no_aead(struct call *c) { c->aead = NULL; }
static void zeroed_aead(struct call *c) { c->aead = &zeroed; }
static void no_nonce(struct call *c) { c->nonce = NULL; }
static void short_nonce(struct call *c) { c->nonce_len--; }
static void no_tag(struct call *c) { c->tag = NULL; }
static void no_out(struct call *c) { c->out = NULL; }
static void no_in(struct call *c) { c->in = NULL; }
static void no_ad(struct call *c)
{
    c->ad = NULL;
    c->ad_len = 1;
}
static void too_long(struct call *c) { c->len = SIZE_MAX; }
static void shifted(struct call *c) { c->out = arena.in + 1; }
static void tag_in_text(struct call *c) { c->tag = arena.in + 8; }
static void tag_in_nonce(struct call *c) { c->tag = arena.nonce; }
static void out_on_key(struct call *c) { c->out = (uint8_t *)&arena.aead; }
static void out_on_nonce(struct call *c) { c->out = arena.nonce; }
static void forged(struct call *c)
{
    (void)c;
    arena.tag[3] ^= 4;
}

static const struct fault faults[] = {
    {"no aead", QS_ERR_ARGUMENT, AEAD, 0, no_aead},
    {"zeroed aead", QS_ERR_ARGUMENT, AEAD, 0, zeroed_aead},
    {"no nonce", QS_ERR_ARGUMENT, NONCE, 0, no_nonce},
    {"short nonce", QS_ERR_ARGUMENT, NONCE_LEN, 0, short_nonce},
    {"no tag", QS_ERR_ARGUMENT, TAG, 0, no_tag},
    {"no out", QS_ERR_ARGUMENT, OUT, 0, no_out},
    {"no in", QS_ERR_ARGUMENT, IN, 0, no_in},
    {"no ad", QS_ERR_ARGUMENT, AD | AD_LEN, 0, no_ad},
    {"too long", QS_ERR_LENGTH, LEN, 0, too_long},
    {"out shifted", QS_ERR_OVERLAP, OUT, 0, shifted},
    {"tag in text", QS_ERR_OVERLAP, TAG, 0, tag_in_text},
    {"tag in nonce", QS_ERR_OVERLAP, TAG, -1, tag_in_nonce},
    {"out on key", QS_ERR_OVERLAP, OUT, 0, out_on_key},
    {"out on nonce", QS_ERR_OVERLAP, OUT, 0, out_on_nonce},
    {"forged", QS_ERR_AUTH, TAG, 1, forged},
};

static int applies(const struct fault *f, const struct way *w)
{
    return (f->of_opening == 0 || f->of_opening == (w->opens ? 1 : -1)) &&
           (f->changes != NONCE_LEN || w->takes_nonce_len);
}

static int rank(qs_status status)
{
    static const qs_status order[] = {QS_ERR_ARGUMENT, QS_ERR_LENGTH, QS_ERR_OVERLAP, QS_ERR_AUTH};
    int i = 0;
    while (order[i] != status) i++;
    return i;
}

static void order_of_errors(void **state)
{
    unsigned pairs = 0;

    (void)state;
    for (size_t i = 0; i < ALGORITHMS * WAYS; i++) {
        const struct algorithm *a = &algorithms[i / WAYS];
        const struct way *w = &ways[i % WAYS];

        for (size_t j = 0; j < COUNT(faults); j++)
            for (size_t k = 0; k <= j; k++) {
                const struct fault *f = &faults[j], *g = &faults[k];
                if (f->make == too_long && a->most_text >= SIZE_MAX) continue;
                if (g->make == too_long && a->most_text >= SIZE_MAX) continue;
                if (!applies(f, w) || !applies(g, w) || (j != k && f->changes & g->changes)) continue;
                struct call c = arena_call(a, w, ARENA_LEN);
                f->make(&c);
                if (j != k) g->make(&c);
                arena_expect(w, &c, rank(f->status) < rank(g->status) ? f->status : g->status, "%s: %s, %s", a->name,
                             f->name, g->name);
                pairs++;
            }
    }
    assert_true(pairs > 100);
    covered_chosen("rules");
}

/* ---- NULL where the length is 0 ---------------------------------------------------------------------------------- */

static void empty_messages(void **state)
{
    static struct message m;
    uint8_t nothing[1], tag[16];

    (void)state;
    for (size_t i = 0; i < ALGORITHMS; i++)
        for (unsigned which = 0; which < 16; which++) {
            const struct algorithm *a = &algorithms[i];
            uint8_t *out = which & 1 ? nothing : NULL;
            const uint8_t *in = which & 2 ? nothing : NULL, *ad = which & 4 ? nothing : NULL;

            random_message(&m, a, which & 8 ? 5 : 0, 0);
            if (m.ad_len) ad = m.ad;
            for (size_t w = 0; w < WAYS; w++) {
                memset(tag, 0x5a, sizeof tag);
                const struct call c = {&m.aead, out, ways[w].opens ? m.tag : tag, m.nonce, a->nonce_len, ad, m.ad_len,
                                       in,      0};
                const qs_status status = ways[w].run(&c);
                if (status != QS_OK) FAIL("%s, %s, empty message %u: %d", a->name, ways[w].name, which, status);
                if (!ways[w].opens) expect_bytes(tag, m.tag, 16, "%s, %s, empty message", a->name, ways[w].name);

                uint8_t wrong[16];
                memcpy(wrong, m.tag, 16);
                wrong[which] ^= 1;
                const struct call f = {&m.aead, out, wrong, m.nonce, a->nonce_len, ad, m.ad_len, in, 0};
                if (ways[w].opens && ways[w].run(&f) != QS_ERR_AUTH)
                    FAIL("%s, %s opens a forged empty message", a->name, ways[w].name);
            }
            EXPECT(QS_OK, qs_aead_sealv(&m.aead, NULL, 0, tag, m.nonce, a->nonce_len, &(qs_const_iovec){ad, m.ad_len},
                                        1, NULL, 0));
            expect_bytes(tag, m.tag, 16, "%s, no pieces", a->name);
            EXPECT(QS_ERR_ARGUMENT, qs_aead_sealv(&m.aead, NULL, 1, tag, m.nonce, a->nonce_len, NULL, 0, NULL, 0));
            EXPECT(QS_ERR_ARGUMENT, qs_aead_sealv(&m.aead, NULL, 0, tag, m.nonce, a->nonce_len, NULL, 1, NULL, 0));
            EXPECT(QS_ERR_ARGUMENT, qs_aead_sealv(&m.aead, NULL, 0, tag, m.nonce, a->nonce_len, NULL, 0, NULL, 1));
        }
}

static void tinc_has_no_ad(void **state)
{
    (void)state;
    for (size_t i = 0; i < WAYS; i++) {
        struct call c = arena_call(&algorithms[QS_TINC_SPTPS - 1], &ways[i], ARENA_LEN);
        for (size_t len = 1; len <= ARENA_AD; len++) {
            c.ad_len = len;
            arena_expect(&ways[i], &c, QS_ERR_ARGUMENT, "tinc with %zu bytes of AD", len);
        }
        c.ad_len = 0;
        arena_expect(&ways[i], &c, QS_OK, "tinc without AD");
    }

    uint8_t byte = 0, tag[16];
    const qs_const_iovec ad[2] = {{NULL, 0}, {&byte, 1}}, huge[2] = {{&byte, SIZE_MAX}, {&byte, 1}};
    struct call c = arena_call(&algorithms[QS_TINC_SPTPS - 1], &ways[0], ARENA_LEN);
    EXPECT(QS_ERR_ARGUMENT, qs_aead_sealv(c.aead, NULL, 0, tag, c.nonce, 8, ad, 2, NULL, 0));
    EXPECT(QS_ERR_ARGUMENT, qs_aead_sealv(c.aead, NULL, 0, tag, c.nonce, 8, huge, 2, NULL, 0));
    EXPECT(QS_OK, qs_aead_sealv(c.aead, NULL, 0, tag, c.nonce, 8, ad, 1, NULL, 0));
}

/* ---- the other functions ----------------------------------------------------------------------------------------- */

static void rounds_and_null(void **state)
{
    uint8_t key[32] = {1}, nonce[24] = {2}, in[70] = {3}, out[70], before[70];

    (void)state;
    memset(before, 0x5a, sizeof before);
    memcpy(out, before, sizeof out);
    for (unsigned i = 0; i < 300; i++) {
        const unsigned rounds = i < 299 ? i : UINT32_MAX;
        const qs_status want = i == 8 || i == 12 || i == 20 ? QS_OK : QS_ERR_ARGUMENT;

        EXPECT(want, qs_chacha_xor(out, key, nonce, 0, rounds, in, sizeof in));
        EXPECT(want, qs_chacha_djb_xor(out, key, nonce, 0, rounds, in, sizeof in));
        EXPECT(want, qs_xchacha_xor(out, key, nonce, 0, rounds, in, sizeof in));
        EXPECT(want, qs_hchacha(out, key, nonce, rounds));
        if (want == QS_OK) memcpy(out, before, sizeof out);
        assert_memory_equal(out, before, sizeof out);
    }

    for (size_t len = 0; len <= sizeof in; len += sizeof in) {
        const qs_status missing = len ? QS_ERR_ARGUMENT : QS_OK;

        EXPECT(missing, qs_chacha_xor(NULL, key, nonce, 0, 20, in, len));
        EXPECT(missing, qs_chacha_djb_xor(NULL, key, nonce, 0, 20, in, len));
        EXPECT(missing, qs_xchacha_xor(NULL, key, nonce, 0, 20, in, len));
        EXPECT(missing, qs_chacha_xor(NULL, key, nonce, 0, 20, NULL, len));
        EXPECT(QS_ERR_ARGUMENT, qs_chacha_xor(out, NULL, nonce, 0, 20, in, len));
        EXPECT(QS_ERR_ARGUMENT, qs_chacha_xor(out, key, NULL, 0, 20, in, len));
        EXPECT(QS_ERR_ARGUMENT, qs_chacha_djb_xor(out, NULL, nonce, 0, 20, in, len));
        EXPECT(QS_ERR_ARGUMENT, qs_chacha_djb_xor(out, key, NULL, 0, 20, in, len));
        EXPECT(QS_ERR_ARGUMENT, qs_xchacha_xor(out, NULL, nonce, 0, 20, in, len));
        EXPECT(QS_ERR_ARGUMENT, qs_xchacha_xor(out, key, NULL, 0, 20, in, len));
    }
    EXPECT(QS_ERR_ARGUMENT, qs_chacha_xor(out, key, nonce, UINT32_MAX, 19, out + 1, 65)); /* three errors at once, */
    EXPECT(QS_ERR_LENGTH, qs_chacha_xor(out, key, nonce, UINT32_MAX, 20, out + 1, 65));   /* two, */
    EXPECT(QS_ERR_OVERLAP, qs_chacha_xor(out, key, nonce, UINT32_MAX, 20, out + 1, 64));  /* one */
    EXPECT(QS_ERR_ARGUMENT, qs_xchacha_xor(out, NULL, nonce, UINT64_MAX, 20, out + 1, 65));
    EXPECT(QS_ERR_LENGTH, qs_xchacha_xor(out, key, nonce, UINT64_MAX, 20, out + 1, 65));
    EXPECT(QS_ERR_ARGUMENT, qs_chacha_djb_xor(out, key, nonce, UINT64_MAX, 0, out + 1, 65));
    EXPECT(QS_ERR_ARGUMENT, qs_hchacha(out + 1, out, nonce, 21));
    EXPECT(QS_ERR_ARGUMENT, qs_hchacha(NULL, key, nonce, 20));
    EXPECT(QS_ERR_ARGUMENT, qs_hchacha(out, NULL, nonce, 20));
    EXPECT(QS_ERR_ARGUMENT, qs_hchacha(out, key, NULL, 20));
    EXPECT(QS_ERR_ARGUMENT, qs_tag_verify(NULL, key));
    EXPECT(QS_ERR_ARGUMENT, qs_tag_verify(key, NULL));
    EXPECT(QS_ERR_ARGUMENT, qs_replay_check(NULL, 0));
    EXPECT(QS_ERR_ARGUMENT, qs_replay_accept(NULL, 0));
    assert_memory_equal(out, before, sizeof out);
}

static void openssh_arguments(void **state)
{
    uint8_t key[64] = {1}, in[40] = {2}, out[40], tag[16], before[40];
    qs_openssh ssh;

    (void)state;
    memset(before, 0x5a, sizeof before);
    memcpy(out, before, sizeof out);
    memcpy(tag, before, sizeof tag);
    qs_openssh_init(&ssh, key);
    for (size_t len = 0; len < 4; len++) {
        EXPECT(QS_ERR_LENGTH, qs_openssh_seal(&ssh, out, tag, 0, in, len));
        EXPECT(QS_ERR_LENGTH, qs_openssh_open(&ssh, out, 0, in, len, tag));
        EXPECT(QS_ERR_LENGTH, qs_openssh_seal(&ssh, out, out, 0, in, len)); /* before the overlap */
    }
    EXPECT(QS_ERR_LENGTH, qs_openssh_seal(&ssh, NULL, tag, 0, NULL, 0));
    for (size_t len = 1; len <= sizeof in; len += 3) {
        EXPECT(QS_ERR_ARGUMENT, qs_openssh_seal(NULL, out, tag, 0, in, len));
        EXPECT(QS_ERR_ARGUMENT, qs_openssh_seal(&ssh, NULL, tag, 0, in, len));
        EXPECT(QS_ERR_ARGUMENT, qs_openssh_seal(&ssh, out, NULL, 0, in, len));
        EXPECT(QS_ERR_ARGUMENT, qs_openssh_seal(&ssh, out, tag, 0, NULL, len));
        EXPECT(QS_ERR_ARGUMENT, qs_openssh_open(NULL, out, 0, in, len, tag));
        EXPECT(QS_ERR_ARGUMENT, qs_openssh_open(&ssh, NULL, 0, in, len, tag));
        EXPECT(QS_ERR_ARGUMENT, qs_openssh_open(&ssh, out, 0, NULL, len, tag));
        EXPECT(QS_ERR_ARGUMENT, qs_openssh_open(&ssh, out, 0, in, len, NULL));
    }
    EXPECT(QS_ERR_AUTH, qs_openssh_open(&ssh, out, 0, in, sizeof in, tag));
    assert_memory_equal(out, before, sizeof out);
    assert_memory_equal(tag, before, sizeof tag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(key_lengths),     cmocka_unit_test(unknown_algorithms),
                                       cmocka_unit_test(nonce_lengths),   cmocka_unit_test(order_of_errors),
                                       cmocka_unit_test(empty_messages),  cmocka_unit_test(tinc_has_no_ad),
                                       cmocka_unit_test(rounds_and_null), cmocka_unit_test(openssh_arguments)};

    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
