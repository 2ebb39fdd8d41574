/* SPDX-License-Identifier: MIT
 *
 * Contexts: copied at any time, wiped at their end, refused when wiped or zeroed; and names for people.
 */
#include "api_call.h"

static int is_zero(const void *p, size_t len)
{
    const uint8_t *b = p;
    while (len && *b == 0) b++, len--;
    return len == 0;
}

/* Does the haystack contain 8 bytes in a row of the needle? */
static int contains(const void *haystack, size_t len, const uint8_t *needle, size_t needle_len)
{
    for (size_t i = 0; i + 8 <= len; i++)
        for (size_t j = 0; j + 8 <= needle_len; j++)
            if (memcmp((const uint8_t *)haystack + i, needle + j, 8) == 0) return 1;
    return 0;
}

static void wiped_keys(void **state)
{
    (void)state;
    for (unsigned zeroed = 0; zeroed < 2; zeroed++)
        for (size_t i = 0; i < ALGORITHMS * WAYS; i++) {
            struct call c = arena_call(&algorithms[i / WAYS], &ways[i % WAYS], ARENA_LEN);
            qs_stream s, before;

            if (zeroed) memset(&arena.aead, 0, sizeof arena.aead);
            else qs_aead_wipe(&arena.aead);
            assert_true(is_zero(&arena.aead, sizeof arena.aead));
            arena_expect(&ways[i % WAYS], &c, QS_ERR_ARGUMENT, "wiped key");
            memset(&s, 0x5a, sizeof s);
            before = s;
            EXPECT(QS_ERR_ARGUMENT, qs_stream_seal_init(&s, c.aead, c.nonce, c.nonce_len));
            EXPECT(QS_ERR_ARGUMENT, qs_stream_open_unverified_init(&s, c.aead, c.nonce, c.nonce_len));
            assert_memory_equal(&s, &before, sizeof s);
        }
}

/* A key prepared again holds nothing of the one before. */
static void prepared_again(void **state)
{
    static struct message m;
    uint8_t key[64];
    qs_aead fresh, again;

    (void)state;
    for (size_t i = 0; i < ALGORITHMS; i++)
        for (size_t j = 0; j < ALGORITHMS; j++) {
            random_message(&m, &algorithms[i], 0, 0);
            random_bytes(key, sizeof key);
            again = m.aead;
            EXPECT(QS_OK, qs_aead_init(&again, algorithms[j].alg, key, algorithms[j].key_len));
            memset(&fresh, 0, sizeof fresh);
            EXPECT(QS_OK, qs_aead_init(&fresh, algorithms[j].alg, key, algorithms[j].key_len));
            assert_memory_equal(&again, &fresh, sizeof fresh);
            assert_false(contains(&again, sizeof again, m.key, algorithms[i].key_len));
        }
    assert_true(sizeof(qs_aead) <= 64);
}

/* A prepared key does not depend on the CPU, and works from a copy at any address of its alignment. */
static void copied_keys(void **state)
{
    static struct message m;
    uint64_t room[9 + sizeof(qs_aead) / 8];
    uint8_t out[100], tag[16];

    (void)state;
    for (size_t i = 0; i < ALGORITHMS; i++)
        for (size_t at = 0; at < 8; at++) {
            qs_aead limited;

            random_message(&m, &algorithms[i], 12, sizeof out);
            assert_int_equal(qs_cpu_limit("generic"), QS_OK);
            memset(&limited, 0, sizeof limited);
            EXPECT(QS_OK, qs_aead_init(&limited, algorithms[i].alg, m.key, algorithms[i].key_len));
            assert_int_equal(qs_cpu_limit(NULL), QS_OK);
            assert_memory_equal(&limited, &m.aead, sizeof limited);

            memcpy(room + at, &m.aead, sizeof m.aead);
            qs_aead_wipe(&m.aead);
            EXPECT(QS_OK, qs_aead_seal((const qs_aead *)(room + at), out, tag, m.nonce, algorithms[i].nonce_len, m.ad,
                                       m.ad_len, m.plain, m.len));
            expect_bytes(out, m.sealed, m.len, "%s with a copied key", algorithms[i].name);
            expect_bytes(tag, m.tag, 16, "%s with a copied key, tag", algorithms[i].name);
        }
}

static void copied_macs(const char *text, void *arg)
{
    uint8_t key[32], a[300], b[300], tag[16], want[16];

    (void)arg;
    for (size_t cut = 0; cut < 70; cut++) {
        qs_poly1305_ctx first, second;
        const size_t rest = random_below(sizeof a - cut);

        random_bytes(key, sizeof key);
        random_bytes(a, sizeof a);
        memcpy(b, a, cut);
        random_bytes(b + cut, sizeof b - cut);
        qs_poly1305_init(&first, a); /* given up in the middle of a block */
        qs_poly1305_update(&first, b, cut);
        qs_poly1305_init(&first, key);
        qs_poly1305_update(&first, a, cut);
        memcpy(&second, &first, sizeof second);
        qs_poly1305_update(&first, a + cut, rest);
        qs_poly1305_update(&second, b + cut, sizeof b - cut);
        qs_poly1305_final(&first, tag);
        assert_true(is_zero(&first, sizeof first));
        slow_poly1305(want, key, a, cut + rest);
        expect_bytes(tag, want, 16, "MAC copied after %zu bytes, rows %s", cut, text);
        qs_poly1305_final(&second, tag);
        assert_true(is_zero(&second, sizeof second));
        slow_poly1305(want, key, b, sizeof b);
        expect_bytes(tag, want, 16, "copy of a MAC after %zu bytes, rows %s", cut, text);
    }
    covered_chosen("incremental");
}

static void copied_streams(const char *text, void *arg)
{
    static struct message m, n;
    uint8_t out[400], tag[16];

    (void)arg;
    for (size_t i = 0; i < ALGORITHMS; i++) {
        const struct algorithm *a = &algorithms[i];
        for (size_t cut = 0; cut <= 130; cut += 13) {
            qs_stream s, copy;

            /* n begins as m does, and ends otherwise. */
            random_message(&m, a, 37, 300);
            n = m;
            random_bytes(n.plain + cut, n.len - cut);
            slow_seal(a->alg, n.sealed, n.tag, n.key, n.nonce, n.ad, n.ad_len, n.plain, n.len);

            EXPECT(QS_OK, qs_stream_seal_init(&s, &m.aead, m.nonce, a->nonce_len));
            qs_aead_wipe(&m.aead); /* is not needed any more */
            EXPECT(QS_OK, qs_stream_ad(&s, m.ad, m.ad_len));
            EXPECT(QS_OK, qs_stream_text(&s, out, m.plain, cut));
            memcpy(&copy, &s, sizeof copy);
            EXPECT(QS_OK, qs_stream_text(&s, out + cut, m.plain + cut, m.len - cut));
            EXPECT(QS_OK, qs_stream_seal_final(&s, tag));
            assert_true(is_zero(&s, sizeof s));
            expect_bytes(out, m.sealed, m.len, "%s copied at %zu, rows %s", a->name, cut, text);
            expect_bytes(tag, m.tag, 16, "%s copied at %zu, tag, rows %s", a->name, cut, text);
            EXPECT(QS_OK, qs_stream_text(&copy, out + cut, n.plain + cut, n.len - cut));
            EXPECT(QS_OK, qs_stream_seal_final(&copy, tag));
            assert_true(is_zero(&copy, sizeof copy));
            expect_bytes(out, n.sealed, n.len, "copy of %s at %zu, rows %s", a->name, cut, text);
            expect_bytes(tag, n.tag, 16, "copy of %s at %zu, tag, rows %s", a->name, cut, text);
        }
    }
    covered_chosen("incremental");
}

static void copies_go_on(void **state)
{
    (void)state;
    each_path(copied_macs, NULL);
    each_path(copied_streams, NULL);
}

static void wiping(void **state)
{
    uint8_t bytes[200];

    (void)state;
    for (size_t from = 0; from < 64; from++)
        for (size_t len = 0; len <= 130; len++) {
            memset(bytes, 0x5a, sizeof bytes);
            qs_wipe(bytes + from, len);
            for (size_t i = 0; i < sizeof bytes; i++)
                if (bytes[i] != (i >= from && i < from + len ? 0 : 0x5a))
                    FAIL("wiped %zu + %zu: byte %zu", from, len, i);
        }
    qs_wipe(NULL, 0);
}

static void names(void **state)
{
    char version[32];

    (void)state;
    for (int i = 0; i >= -8; i--) {
        const char *text = qs_strerror((qs_status)i);
        assert_non_null(text);
        assert_true(strlen(text) > 3 && text[strlen(text) - 1] != '.');
        for (int j = 0; j > i; j--) assert_string_not_equal(text, qs_strerror((qs_status)j));
    }
    for (int i = -300; i < 300; i++) assert_non_null(qs_strerror((qs_status)i));
    assert_string_equal(qs_strerror((qs_status)1), qs_strerror((qs_status)-9));

    snprintf(version, sizeof version, "%d.%d.%d", QS_VERSION_MAJOR, QS_VERSION_MINOR, QS_VERSION_PATCH);
    assert_string_equal(QS_VERSION, version);
    assert_string_equal(qs_version(), QS_VERSION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(wiped_keys),  cmocka_unit_test(prepared_again),
                                       cmocka_unit_test(copied_keys), cmocka_unit_test(copies_go_on),
                                       cmocka_unit_test(wiping),      cmocka_unit_test(names)};

    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
