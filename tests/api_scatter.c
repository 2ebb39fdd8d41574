/* SPDX-License-Identifier: MIT
 *
 * Scatter/gather: any cuts give the same message, and pieces may share memory exactly where the header says so. Random
 * layouts, legal and not, are judged byte by byte.
 */
#include "api_message.h"

/* ---- the same bytes, however cut --------------------------------------------------------------------------------- */

static void any_cuts(const char *text, void *arg)
{
    static struct message m;
    static uint8_t sealed[TEXT_MAX], opened[TEXT_MAX];

    (void)arg;
    for (int i = 0; i < 300; i++) {
        const struct algorithm *a = &algorithms[random_below(ALGORITHMS)];
        qs_iovec out[PIECES_MAX];
        qs_const_iovec in[PIECES_MAX], ad[PIECES_MAX];
        uint8_t tag[16];

        random_message(&m, a, random_below(200), random_below(random_below(4) ? 400 : TEXT_MAX + 1));
        memset(sealed, 0x5a, sizeof sealed);
        size_t out_n = cut_out(out, sealed, m.len), in_n = cut_in(in, m.plain, m.len),
               ad_n = cut_in(ad, m.ad, m.ad_len);
        EXPECT(QS_OK, qs_aead_sealv(&m.aead, out, out_n, tag, m.nonce, a->nonce_len, ad, ad_n, in, in_n));
        expect_bytes(sealed, m.sealed, m.len, "%s, %zu bytes sealed in pieces, rows %s", a->name, m.len, text);
        expect_bytes(tag, m.tag, 16, "%s, tag of %zu bytes in pieces, rows %s", a->name, m.len, text);

        memset(opened, 0x5a, sizeof opened);
        out_n = cut_out(out, opened, m.len), in_n = cut_in(in, sealed, m.len), ad_n = cut_in(ad, m.ad, m.ad_len);
        EXPECT(QS_OK, qs_aead_openv(&m.aead, out, out_n, m.nonce, a->nonce_len, ad, ad_n, in, in_n, tag));
        expect_bytes(opened, m.plain, m.len, "%s, %zu bytes opened in pieces, rows %s", a->name, m.len, text);
        for (size_t j = m.len; j < sizeof opened; j++) assert_int_equal(opened[j], 0x5a);

        /* In place, cut differently; then forged, and nothing may move. */
        out_n = cut_out(out, sealed, m.len), in_n = cut_in(in, sealed, m.len);
        tag[random_below(16)] ^= (uint8_t)(1 << random_below(8));
        EXPECT(QS_ERR_AUTH, qs_aead_openv(&m.aead, out, out_n, m.nonce, a->nonce_len, ad, ad_n, in, in_n, tag));
        expect_bytes(sealed, m.sealed, m.len, "%s, forged in pieces, rows %s", a->name, text);
        EXPECT(QS_OK, qs_aead_openv(&m.aead, out, out_n, m.nonce, a->nonce_len, ad, ad_n, in, in_n, m.tag));
        expect_bytes(sealed, m.plain, m.len, "%s, %zu bytes opened in place in pieces, rows %s", a->name, m.len, text);
    }
    covered_chosen("rules");
}

static void every_pair(void **state)
{
    (void)state;
    each_path(any_cuts, NULL);
}

/* ---- layouts ----------------------------------------------------------------------------------------------------- */

enum { MEMORY = 64, LAYOUTS = 200000 };

/* Where in memory each position of the stream lies. */
struct layout {
    size_t at[MEMORY], len;
};

/* Splits memory into stretches and takes some in random order, each byte once: a legal place for out. */
static void random_layout(struct layout *l)
{
    size_t cuts[6] = {0}, order[5] = {0, 1, 2, 3, 4};

    for (int i = 1; i < 5; i++) cuts[i] = cuts[i - 1] + random_below((MEMORY - cuts[i - 1]) / 2 + 1);
    cuts[5] = MEMORY;
    for (int i = 4; i > 0; i--) {
        size_t j = random_below((size_t)i + 1), t = order[i];
        order[i] = order[j], order[j] = t;
    }
    l->len = 0;
    for (size_t i = 0, n = random_below(5); i < n; i++)
        for (size_t at = cuts[order[i]]; at < cuts[order[i] + 1]; at++) l->at[l->len++] = at;
}

/* Cuts the stream at random, and wherever the next position is not the next byte. Some pieces are empty, at addresses
 * that must not matter. */
static size_t cut_layout(const struct layout *l, uint8_t *memory, qs_iovec v[2 * MEMORY])
{
    size_t n = 0;

    for (size_t i = 0; i < l->len; i++) {
        if (random_below(20) == 0) v[n++] = (qs_iovec){random_below(2) ? memory + random_below(MEMORY) : NULL, 0};
        if (i && l->at[i] == l->at[i - 1] + 1 && n && v[n - 1].len && random_below(6)) v[n - 1].len++;
        else v[n++] = (qs_iovec){memory + l->at[i], 1};
    }
    return n;
}

/* The rule: no byte of out twice, and none that is a byte of in at another position. */
static int legal(const struct layout *out, const struct layout *in)
{
    for (size_t p = 0; p < out->len; p++)
        for (size_t q = 0; q < out->len; q++)
            if ((q != p && out->at[q] == out->at[p]) || (q != p && in->at[q] == out->at[p])) return 0;
    return 1;
}

static void random_layouts(void **state)
{
    unsigned allowed = 0, refused = 0;

    (void)state;
    for (int i = 0; i < LAYOUTS; i++) {
        const struct algorithm *a = &algorithms[random_below(ALGORITHMS)];
        struct layout out, in;
        uint8_t key[KEY_MAX], nonce[NONCE_MAX], tag[16], plain[MEMORY], sealed[MEMORY], memory[MEMORY], want[MEMORY];
        qs_iovec out_v[2 * MEMORY], in_v[2 * MEMORY];
        qs_aead aead;
        const int opening = (int)random_below(2);

        /* Mostly the same place, with one difference or none: that is where a check goes wrong. */
        random_layout(&out);
        in = out;
        if (random_below(8) == 0) {
            random_layout(&in);
            if (in.len > out.len) in.len = out.len;
            else out.len = in.len;
        }
        if (out.len && random_below(2)) {
            struct layout *l = random_below(2) ? &out : &in;
            const size_t from = random_below(out.len), to = random_below(out.len);
            const unsigned what = (unsigned)random_below(3);
            if (what == 0) l->at[from] = random_below(MEMORY);
            else if (what == 1) {
                size_t t = l->at[from];
                l->at[from] = l->at[to], l->at[to] = t;
            } else l->at[from] = l->at[to];
        }

        random_bytes(key, sizeof key);
        random_bytes(nonce, sizeof nonce);
        random_bytes(memory, sizeof memory);
        EXPECT(QS_OK, qs_aead_init(&aead, a->alg, key, a->key_len));
        for (size_t p = 0; p < in.len; p++) plain[p] = memory[in.at[p]];
        const int ok = legal(&out, &in);
        if (ok) {
            slow_seal(a->alg, sealed, tag, key, nonce, NULL, 0, plain, in.len);
            if (opening) { /* what lies there becomes the sealed text; bytes that `in` has twice make it fail */
                for (size_t p = 0; p < in.len; p++) memory[in.at[p]] = sealed[p];
                int twice = 0;
                for (size_t p = 0; p < in.len; p++) twice |= memory[in.at[p]] != sealed[p];
                if (twice) continue;
            }
            memcpy(want, memory, sizeof want);
            for (size_t p = 0; p < out.len; p++) want[out.at[p]] = opening ? plain[p] : sealed[p];
        } else {
            memcpy(want, memory, sizeof want);
        }

        const size_t out_n = cut_layout(&out, memory, out_v), in_n = cut_layout(&in, memory, in_v);
        uint8_t got[16] = {0};
        const qs_status status = opening ? qs_aead_openv(&aead, out_v, out_n, nonce, a->nonce_len, NULL, 0,
                                                         (const qs_const_iovec *)in_v, in_n, tag)
                                         : qs_aead_sealv(&aead, out_v, out_n, got, nonce, a->nonce_len, NULL, 0,
                                                         (const qs_const_iovec *)in_v, in_n);
        if (status != (ok ? QS_OK : QS_ERR_OVERLAP)) FAIL("layout %d, %s, opening %d: %d", i, a->name, opening, status);
        expect_bytes(memory, want, sizeof memory, "layout %d, %s, opening %d", i, a->name, opening);
        if (ok && !opening) expect_bytes(got, tag, 16, "layout %d, %s, tag", i, a->name);
        if (ok) allowed++;
        else refused++;
    }
    print_message("%u layouts allowed, %u refused\n", allowed, refused);
    assert_true(allowed > LAYOUTS / 5 && refused > LAYOUTS / 5);
}

/* AD pieces and the tag against pieces of out, one byte shared at most. */
static void one_shared_byte(void **state)
{
    static struct message m;

    (void)state;
    random_message(&m, &algorithms[0], 0, 30);
    for (size_t piece = 0; piece < 3; piece++)
        for (unsigned end = 0; end < 2; end++)
            for (unsigned what = 0; what < 2; what++)
                for (unsigned by = 0; by < 2; by++) {
                    uint8_t memory[200], before[200], elsewhere[16];
                    uint8_t *const base[3] = {memory + 100, memory + 20, memory + 60};
                    const qs_iovec out[3] = {{base[0], 10}, {base[1], 10}, {base[2], 10}};
                    const qs_const_iovec in[1] = {{m.plain, 30}};
                    uint8_t *const p =
                        end ? base[piece] + 10 - by : base[piece] - 16 + by; /* 16 bytes that touch it or not */
                    const qs_const_iovec ad[3] = {{m.key, 5}, {p, what ? 16 : 0}, {NULL, 0}};

                    random_bytes(memory, sizeof memory);
                    memcpy(before, memory, sizeof memory);
                    EXPECT(by ? QS_ERR_OVERLAP : QS_OK,
                           qs_aead_sealv(&m.aead, out, 3, what ? elsewhere : p, m.nonce, 12, ad, 3, in, 1));
                    if (by) assert_memory_equal(memory, before, sizeof memory);
                    memcpy(memory, before, sizeof memory);
                    EXPECT(by ? QS_ERR_OVERLAP : QS_ERR_AUTH,
                           qs_aead_openv(&m.aead, out, 3, m.nonce, 12, ad, 3, in, 1, what ? m.tag : p));
                    assert_memory_equal(memory, before, sizeof memory);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_pair), cmocka_unit_test(random_layouts),
                                       cmocka_unit_test(one_shared_byte)};

    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
