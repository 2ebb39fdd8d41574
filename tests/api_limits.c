/* SPDX-License-Identifier: MIT
 *
 * The last block that a construction can number is usable; one byte more is QS_ERR_LENGTH before anything is written.
 *
 * Lengths that no memory holds are tried on small buffers: the call must refuse before it touches them. That the
 * longest legal length is not refused shows in the next check: text shifted against itself is QS_ERR_OVERLAP then.
 */
#include "api_call.h"

enum { BLOCKS = 40 };

typedef qs_status stream_call(uint8_t *out, const uint8_t *key, const uint8_t *nonce, uint64_t counter,
                              const uint8_t *in, size_t len);

static qs_status rfc8439(uint8_t *out, const uint8_t *key, const uint8_t *nonce, uint64_t counter, const uint8_t *in,
                         size_t len)
{
    return qs_chacha_xor(out, key, nonce, (uint32_t)counter, 20, in, len);
}

static qs_status original(uint8_t *out, const uint8_t *key, const uint8_t *nonce, uint64_t counter, const uint8_t *in,
                          size_t len)
{
    return qs_chacha_djb_xor(out, key, nonce, counter, 20, in, len);
}

static qs_status xchacha(uint8_t *out, const uint8_t *key, const uint8_t *nonce, uint64_t counter, const uint8_t *in,
                         size_t len)
{
    return qs_xchacha_xor(out, key, nonce, counter, 20, in, len);
}

static const struct {
    const char *name;
    stream_call * xor ;
    size_t nonce_len;
    uint64_t last; /* number of the last block */
} streams[] = {
    {"RFC 8439", rfc8439, 12, UINT32_MAX}, {"original", original, 8, UINT64_MAX}, {"XChaCha", xchacha, 24, UINT64_MAX}};

static void last_blocks(const char *text, void *arg)
{
    static uint8_t in[64 * BLOCKS + 64], out[64 * BLOCKS + 64], want[64 * BLOCKS + 64], canary[64 * BLOCKS + 64];
    uint8_t key[32], nonce[24];

    (void)arg;
    memset(canary, 0x5a, sizeof canary);
    random_bytes(in, sizeof in);
    random_bytes(key, sizeof key);
    random_bytes(nonce, sizeof nonce);
    for (size_t i = 0; i < COUNT(streams); i++)
        for (unsigned blocks = 1; blocks <= BLOCKS; blocks++) {
            const uint64_t counter = streams[i].last - (blocks - 1);
            const size_t most = 64 * (size_t)blocks;

            slow_chacha(want, key, nonce, streams[i].nonce_len, counter, 20, in, most);
            for (size_t len = most - 63; len <= most; len += 63) {
                memcpy(out, canary, sizeof out);
                EXPECT(QS_OK, streams[i].xor (out, key, nonce, counter, in, len));
                expect_bytes(out, want, len, "%s: the last %u blocks, %zu bytes, rows %s", streams[i].name, blocks, len,
                             text);
                assert_memory_equal(out + len, canary, sizeof out - len);
            }
            memcpy(out, canary, sizeof out);
            for (size_t len = most + 1; len <= most + 64; len += 63) {
                EXPECT(QS_ERR_LENGTH, streams[i].xor (out, key, nonce, counter, in, len));
                EXPECT(QS_ERR_LENGTH, streams[i].xor (out, key, nonce, counter, NULL, len));
                EXPECT(QS_ERR_LENGTH, streams[i].xor (out, key, nonce, counter, out + 1, len)); /* before the overlap */
            }
            assert_memory_equal(out, canary, sizeof out);
        }
    covered_chosen("rules");
}

static void streams_at_their_end(void **state)
{
    (void)state;
    each_path(last_blocks, NULL);
}

/* Word 12 of a 64-bit counter wraps into word 13 wherever the wrap falls. */
static void wrap(const char *text, void *arg)
{
    static uint8_t in[64 * BLOCKS], out[64 * BLOCKS], want[64 * BLOCKS];
    uint8_t key[32], nonce[24];

    (void)arg;
    random_bytes(in, sizeof in);
    random_bytes(key, sizeof key);
    random_bytes(nonce, sizeof nonce);
    for (uint64_t high = 0; high < 3; high++)
        for (unsigned before = 0; before <= BLOCKS; before++)
            for (size_t i = 1; i < COUNT(streams); i++) {
                const uint64_t counter = ((high + 1) << 32) - before;
                slow_chacha(want, key, nonce, streams[i].nonce_len, counter, 20, in, sizeof in);
                EXPECT(QS_OK, streams[i].xor (out, key, nonce, counter, in, sizeof in));
                expect_bytes(out, want, sizeof out, "%s: wrap after %u blocks, rows %s", streams[i].name, before, text);
            }
    covered_chosen("rules");
}

static void word_12_wraps(void **state)
{
    (void)state;
    each_path(wrap, NULL);
}

static void longest_streams(void **state)
{
    const uint64_t whole = SIZE_MAX / 64 + 1; /* blocks that hold SIZE_MAX bytes */
    uint8_t key[32] = {0}, nonce[24] = {0}, buffer[8] = {0};
    static const uint8_t zeros[8];

    (void)state;
#if SIZE_MAX > UINT32_MAX
    const size_t most = (size_t)1 << 38; /* bytes of 2^32 blocks */
    EXPECT(QS_ERR_OVERLAP, rfc8439(buffer, key, nonce, 0, buffer + 1, most));
    EXPECT(QS_ERR_LENGTH, rfc8439(buffer, key, nonce, 0, buffer + 1, most + 1));
    EXPECT(QS_ERR_LENGTH, rfc8439(buffer, key, nonce, 0, buffer, most + 1));
    EXPECT(QS_ERR_LENGTH, rfc8439(buffer, key, nonce, 1, buffer, most));
    EXPECT(QS_ERR_OVERLAP, rfc8439(buffer, key, nonce, 1, buffer + 1, most - 64));
    EXPECT(QS_ERR_LENGTH, rfc8439(buffer, key, nonce, 0, buffer, SIZE_MAX));
#else
    EXPECT(QS_ERR_OVERLAP, rfc8439(buffer, key, nonce, 0 - whole, buffer + 1, SIZE_MAX));
    EXPECT(QS_ERR_LENGTH, rfc8439(buffer, key, nonce, 1 - whole, buffer + 1, SIZE_MAX));
#endif
    EXPECT(QS_ERR_LENGTH, rfc8439(buffer, key, nonce, UINT32_MAX, buffer, SIZE_MAX));
    for (size_t i = 1; i < COUNT(streams); i++) {
        EXPECT(QS_ERR_OVERLAP, streams[i].xor (buffer, key, nonce, 0, buffer + 1, SIZE_MAX));
        EXPECT(QS_ERR_OVERLAP, streams[i].xor (buffer, key, nonce, 0 - whole, buffer + 1, SIZE_MAX));
        EXPECT(QS_ERR_LENGTH, streams[i].xor (buffer, key, nonce, 1 - whole, buffer + 1, SIZE_MAX));
        EXPECT(QS_ERR_LENGTH, streams[i].xor (buffer, key, nonce, UINT64_MAX, buffer, SIZE_MAX));
    }
    assert_memory_equal(buffer, zeros, sizeof buffer);
}

/* Pieces that add up to one byte too many, or to more than a size_t holds, and so to a small number. */
static void sums(void **state)
{
    (void)state;
    for (size_t i = 0; i < ALGORITHMS; i++) {
        const struct algorithm *a = &algorithms[i];
        const size_t most = a->most_text < SIZE_MAX ? (size_t)a->most_text : SIZE_MAX;
        struct call c = arena_call(a, &ways[0], 8);
        uint8_t *p = arena.out;
        const struct {
            size_t in[3], out[3];
            qs_status status;
        } cases[] = {
            {{most - 5, 0, 5}, {1, most - 1, 0}, QS_ERR_OVERLAP},
            {{most - 5, 0, 6}, {1, most, 0}, QS_ERR_LENGTH},
            {{most, 1, 0}, {most, 0, 0}, QS_ERR_LENGTH},
            {{most, 0, 0}, {most, 1, 0}, QS_ERR_LENGTH},
            {{8, 0, 0}, {7, 0, 0}, QS_ERR_LENGTH},
            {{8, 0, 0}, {8, 0, 1}, QS_ERR_LENGTH},
            {{0, 0, 0}, {0, 0, 1}, QS_ERR_LENGTH},
            {{SIZE_MAX, 9, 0}, {8, 0, 0}, QS_ERR_LENGTH},
            {{8, 0, 0}, {1, SIZE_MAX, 8}, QS_ERR_LENGTH},
            {{SIZE_MAX, 9, 0}, {SIZE_MAX, 9, 0}, QS_ERR_LENGTH},
            {{SIZE_MAX, SIZE_MAX, 2}, {0, 0, 0}, QS_ERR_LENGTH},
            {{SIZE_MAX / 2 + 1, SIZE_MAX / 2 + 1, 0}, {0, 0, 0}, QS_ERR_LENGTH},
        };

        for (size_t j = 0; j < COUNT(cases); j++) {
            qs_iovec out[3];
            qs_const_iovec in[3];
            static struct arena before;

            for (unsigned k = 0; k < 3; k++) {
                out[k] = (qs_iovec){p + 1, cases[j].out[k]};
                in[k] = (qs_const_iovec){p, cases[j].in[k]};
            }
            before = arena;
            EXPECT(cases[j].status, qs_aead_sealv(c.aead, out, 3, c.tag, c.nonce, c.nonce_len, NULL, 0, in, 3));
            EXPECT(cases[j].status, qs_aead_openv(c.aead, out, 3, c.nonce, c.nonce_len, NULL, 0, in, 3, c.tag));
            assert_memory_equal(&arena, &before, sizeof arena);
        }

        const qs_const_iovec ad[3] = {{p, SIZE_MAX}, {p, 0}, {p, 1}}, in = {c.in, 8};
        const qs_iovec out = {c.out, 8};
        const qs_status want = a->alg == QS_TINC_SPTPS ? QS_ERR_ARGUMENT : QS_ERR_LENGTH;
        EXPECT(want, qs_aead_sealv(c.aead, &out, 1, c.tag, c.nonce, c.nonce_len, ad, 3, &in, 1));
        EXPECT(want, qs_aead_openv(c.aead, &out, 1, c.nonce, c.nonce_len, ad, 3, &in, 1, c.tag));

        /* A NULL with a length wins over sums, wherever both are. */
        const qs_const_iovec null_behind[3] = {{p, SIZE_MAX}, {p, 2}, {NULL, 1}}, null = {NULL, 8};
        const qs_iovec null_out[3] = {{p, SIZE_MAX}, {p, 2}, {NULL, 1}};
        EXPECT(QS_ERR_ARGUMENT, qs_aead_sealv(c.aead, &out, 1, c.tag, c.nonce, c.nonce_len, ad, 3, &null, 1));
        EXPECT(QS_ERR_ARGUMENT, qs_aead_sealv(c.aead, &out, 1, c.tag, c.nonce, c.nonce_len, null_behind, 3, &in, 1));
        EXPECT(QS_ERR_ARGUMENT, qs_aead_sealv(c.aead, &out, 1, c.tag, c.nonce, c.nonce_len, NULL, 0, null_behind, 3));
        EXPECT(QS_ERR_ARGUMENT, qs_aead_openv(c.aead, null_out, 3, c.nonce, c.nonce_len, NULL, 0, &in, 1, c.tag));
    }
}

#if SIZE_MAX > UINT32_MAX
static void longest_messages(void **state)
{
    (void)state;
    for (size_t i = 0; i < ALGORITHMS * WAYS; i++) {
        const struct algorithm *a = &algorithms[i / WAYS];
        const struct way *w = &ways[i % WAYS];
        struct call c = arena_call(a, w, ARENA_LEN);

        for (unsigned shift = 0; shift < 2; shift++) {
            c.out = arena.in + shift;
            for (size_t more = 1; more < 70; more++) {
                if (a->most_text > SIZE_MAX - more) break;
                c.len = (size_t)a->most_text + more;
                arena_expect(w, &c, QS_ERR_LENGTH, "%s: %zu bytes", a->name, c.len);
            }
            c.len = SIZE_MAX;
            if (a->most_text < SIZE_MAX) arena_expect(w, &c, QS_ERR_LENGTH, "%s: SIZE_MAX bytes", a->name);
        }
        for (c.len = (size_t)a->most_text; c.len > a->most_text - 70; c.len--)
            arena_expect(w, &c, QS_ERR_OVERLAP, "%s: %zu bytes", a->name, c.len);
    }
}

/* An incremental message that would pass the limit in all: refused, and it goes on as if nothing was asked. */
static void streams_of_pieces(void **state)
{
    static struct message m;
    uint8_t out[100], tag[16];
    qs_stream s;

    (void)state;
    for (size_t i = 0; i < ALGORITHMS; i++) {
        const struct algorithm *a = &algorithms[i];
        const size_t most = (size_t)a->most_text;

        random_message(&m, a, 30, sizeof out);
        EXPECT(QS_OK, qs_stream_seal_init(&s, &m.aead, m.nonce, a->nonce_len));
        if (m.ad_len) {
            EXPECT(QS_OK, qs_stream_ad(&s, m.ad, 7));
            EXPECT(QS_ERR_LENGTH, qs_stream_ad(&s, m.ad, SIZE_MAX));
            EXPECT(QS_ERR_LENGTH, qs_stream_ad(&s, m.ad, SIZE_MAX - 6));
            EXPECT(QS_OK, qs_stream_ad(&s, m.ad + 7, m.ad_len - 7));
        }
        if (most < SIZE_MAX) EXPECT(QS_ERR_LENGTH, qs_stream_text(&s, m.plain, m.plain, SIZE_MAX));
        if (most < SIZE_MAX) EXPECT(QS_ERR_LENGTH, qs_stream_text(&s, m.plain + 1, m.plain, most + 1));
        EXPECT(QS_ERR_OVERLAP, qs_stream_text(&s, m.plain + 1, m.plain, most));
        for (size_t at = 0; at < sizeof out; at += 10) {
            EXPECT(QS_OK, qs_stream_text(&s, out + at, m.plain + at, 10));
            EXPECT(QS_ERR_LENGTH, qs_stream_text(&s, m.plain + 1, m.plain, SIZE_MAX));
            EXPECT(QS_ERR_LENGTH, qs_stream_text(&s, m.plain + 1, m.plain, most - at - 9));
            EXPECT(QS_ERR_OVERLAP, qs_stream_text(&s, m.plain + 1, m.plain, most - at - 10));
        }
        EXPECT(QS_OK, qs_stream_seal_final(&s, tag));
        expect_bytes(out, m.sealed, sizeof out, "%s: text between refusals", a->name);
        expect_bytes(tag, m.tag, 16, "%s: tag after refusals", a->name);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_at_their_end),
        cmocka_unit_test(word_12_wraps),
        cmocka_unit_test(longest_streams),
        cmocka_unit_test(sums),
#if SIZE_MAX > UINT32_MAX
        cmocka_unit_test(longest_messages),
        cmocka_unit_test(streams_of_pieces)
#endif
    };

    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
