/* SPDX-License-Identifier: MIT
 *
 * Known answers from outside the project: Wycheproof, and vectors directed at carries. They are looked for in the
 * folder that QS_TEST_VECTORS names, or else the first argument; where it is not there, the tests say skipped.
 */
#include "api_message.h"
#include "vectors_hex.h"

#ifndef HAVE_JANSSON
SKIPPED("built without jansson")
#else

#include <jansson.h>

enum { LONGEST = 4096 };

static const char *folder;
static int skipped;

static FILE *open_or_skip(const char *name)
{
    char path[1024];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    f = fopen(path, "r");
    if (!f) {
        print_message("skipped: %s is not there\n", path);
        skipped = 1;
        skip();
    }
    return f;
}

/* ---- Wycheproof -------------------------------------------------------------------------------------------------- */

struct wycheproof {
    json_t *groups;
    qs_alg alg;
    unsigned valid, invalid, refused; /* seen in one pass */
};

static size_t decode(json_t *test, const char *field, uint8_t *out, size_t max)
{
    const char *hex = json_string_value(json_object_get(test, field));
    if (!hex) FAIL("no field %s", field);
    return hex_decode(out, max, hex);
}

static void run_wycheproof(const char *text, void *arg)
{
    struct wycheproof *w = arg;
    size_t i, j;
    json_t *group, *test;

    w->valid = w->invalid = w->refused = 0;
    json_array_foreach(w->groups, i, group) json_array_foreach(json_object_get(group, "tests"), j, test)
    {
        static uint8_t key[64], nonce[64], ad[LONGEST], msg[LONGEST], ct[LONGEST], out[LONGEST];
        uint8_t tag[16] = {0}, got[16];
        const char *result = json_string_value(json_object_get(test, "result"));
        const int id = (int)json_integer_value(json_object_get(test, "tcId"));
        qs_aead aead;

        const size_t key_len = decode(test, "key", key, sizeof key),
                     nonce_len = decode(test, "iv", nonce, sizeof nonce);
        const size_t ad_len = decode(test, "aad", ad, sizeof ad), len = decode(test, "ct", ct, sizeof ct);
        const int right_nonce = nonce_len == qs_alg_nonce_len(w->alg);
        assert_int_equal(decode(test, "tag", tag, sizeof tag), right_nonce ? 16 : 0);
        assert_non_null(result);

        EXPECT(QS_OK, qs_aead_init(&aead, w->alg, key, key_len));
        memset(out, 0x5a, sizeof out);
        qs_status status = qs_aead_open(&aead, out, nonce, nonce_len, ad, ad_len, ct, len, tag);
        if (strcmp(result, "valid") == 0) {
            if (status != QS_OK) FAIL("vector %d is valid but gives %d, rows %s", id, status, text);
            assert_int_equal(decode(test, "msg", msg, sizeof msg), len);
            expect_bytes(out, msg, len, "vector %d opened, rows %s", id, text);
            EXPECT(QS_OK, qs_aead_seal(&aead, out, got, nonce, nonce_len, ad, ad_len, msg, len));
            expect_bytes(out, ct, len, "vector %d sealed, rows %s", id, text);
            expect_bytes(got, tag, 16, "vector %d tag, rows %s", id, text);
            w->valid++;
        } else {
            if (status != (right_nonce ? QS_ERR_AUTH : QS_ERR_ARGUMENT)) FAIL("vector %d gives %d", id, status);
            for (size_t k = 0; k < sizeof out; k++)
                if (out[k] != 0x5a) FAIL("vector %d is invalid but byte %zu was written, rows %s", id, k, text);
            if (right_nonce) w->invalid++;
            else w->refused++;
        }
    }
    covered_chosen("vectors");
}

static void wycheproof(const char *name, qs_alg alg)
{
    FILE *f = open_or_skip(name);
    json_error_t error;
    json_t *root = json_loadf(f, 0, &error);
    struct wycheproof w = {json_object_get(root, "testGroups"), alg, 0, 0, 0};

    fclose(f);
    if (!root) FAIL("%s:%d: %s", name, error.line, error.text);
    each_path(run_wycheproof, &w);
    each_level(run_wycheproof, &w);
    print_message("%s: %u valid, %u forged, %u with a wrong nonce length\n", name, w.valid, w.invalid, w.refused);
    assert_int_equal(w.valid + w.invalid + w.refused, json_integer_value(json_object_get(root, "numberOfTests")));
    json_decref(root);
}

static void wycheproof_chacha20_poly1305(void **state)
{
    (void)state;
    wycheproof("wycheproof/chacha20_poly1305_test.json", QS_CHACHA20_POLY1305);
}

static void wycheproof_xchacha20_poly1305(void **state)
{
    (void)state;
    wycheproof("wycheproof/xchacha20_poly1305_test.json", QS_XCHACHA20_POLY1305);
}

/* ---- directed ---------------------------------------------------------------------------------------------------- */

struct lines {
    FILE *file;
    unsigned n;
};

/* Poly1305 whose last residue is at an edge: whole, and cut at and around every block boundary. */
static void run_poly1305(const char *text, void *arg)
{
    struct lines *l = arg;
    static char line[4 * LONGEST], name[64], key_hex[80], in_hex[2 * LONGEST], tag_hex[40];
    size_t said_len;

    rewind(l->file);
    for (l->n = 0; fgets(line, sizeof line, l->file);) {
        uint8_t key[32], in[LONGEST], want[16], tag[16];
        qs_poly1305_ctx ctx;

        if (*line == '#' || *line == '\n') continue;
        if (sscanf(line, "%63s %zu %79s %8191s %39s", name, &said_len, key_hex, in_hex, tag_hex) != 5)
            FAIL("not understood: %s", line);
        const size_t len = hex_decode(in, sizeof in, in_hex);
        assert_int_equal(len, said_len);
        assert_int_equal(hex_decode(key, sizeof key, key_hex), 32);
        assert_int_equal(hex_decode(want, sizeof want, tag_hex), 16);

        qs_poly1305(tag, key, in, len);
        expect_bytes(tag, want, 16, "%s, %zu bytes, rows %s", name, len, text);
        for (size_t cut = 1; cut < len; cut += cut % 16 == 1 ? 14 : 1) {
            qs_poly1305_init(&ctx, key);
            qs_poly1305_update(&ctx, in, cut);
            qs_poly1305_update(&ctx, in + cut, len - cut);
            qs_poly1305_final(&ctx, tag);
            expect_bytes(tag, want, 16, "%s, %zu bytes cut at %zu, rows %s", name, len, cut, text);
        }
        l->n++;
    }
    covered_chosen("directed");
}

/* Block c has a small output word 12, so that a feed-forward that carries out of it shows; it stands in every lane. */
static void run_feedforward(const char *text, void *arg)
{
    static const uint8_t zeros[32];
    struct lines *l = arg;
    char line[512], block_hex[160];
    unsigned c, w;

    rewind(l->file);
    for (l->n = 0; fgets(line, sizeof line, l->file);) {
        uint8_t want[64], out[32 * 64], slow[32 * 64];

        if (*line == '#' || *line == '\n') continue;
        if (sscanf(line, "%x %u %159s", &c, &w, block_hex) != 3) FAIL("not understood: %s", line);
        assert_int_equal(hex_decode(want, sizeof want, block_hex), 64);
        for (unsigned lane = 0; lane < 32; lane++) {
            for (unsigned rounds = 8; rounds <= 20; rounds += rounds == 8 ? 4 : 8) {
                EXPECT(QS_OK, qs_chacha_xor(out, zeros, zeros, c - lane, rounds, NULL, sizeof out));
                memset(slow, 0, sizeof slow);
                slow_chacha(slow, zeros, zeros, 12, c - lane, rounds, slow, sizeof slow);
                expect_bytes(out, slow, sizeof out, "block %x in lane %u, %u rounds, rows %s", c, lane, rounds, text);
            }
            expect_bytes(out + 64 * lane, want, 64, "block %x in lane %u, rows %s", c, lane, text);
            EXPECT(QS_OK, qs_chacha_djb_xor(out, zeros, zeros, c - lane, 20, NULL, sizeof out));
            expect_bytes(out + 64 * lane, want, 64, "block %x in lane %u, original form, rows %s", c, lane, text);
        }
        l->n++;
    }
    covered_chosen("directed");
}

static void directed(const char *name, named_body *body)
{
    struct lines l = {open_or_skip(name), 0};

    each_path(body, &l);
    print_message("%s: %u vectors\n", name, l.n);
    assert_int_not_equal(l.n, 0);
    fclose(l.file);
}

static void directed_poly1305(void **state)
{
    (void)state;
    directed("poly1305_directed.txt", run_poly1305);
}

static void directed_feedforward(void **state)
{
    (void)state;
    directed("chacha20_feedforward_carry.txt", run_feedforward);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(wycheproof_chacha20_poly1305),
                                       cmocka_unit_test(wycheproof_xchacha20_poly1305),
                                       cmocka_unit_test(directed_poly1305), cmocka_unit_test(directed_feedforward)};

    tests_start();
    folder = getenv("QS_TEST_VECTORS");
    if (!folder) folder = argc > 1 ? argv[1] : ".";
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : skipped ? 77 : 0;
}

#endif
