/* SPDX-License-Identifier: MIT
 *
 * Incremental messages: any pieces give what the whole gives; what was not verified is revealed and the tag decides.
 */
#include "api_message.h"

static const qs_stream zeros;

static void feed_ad(qs_stream *s, const struct message *m)
{
    for (size_t done = 0; done < m->ad_len;) {
        const size_t n = random_piece(m->ad_len - done);
        EXPECT(QS_OK, qs_stream_ad(s, m->ad + done, n));
        done += n;
    }
}

static void feed_text(qs_stream *s, uint8_t *out, const uint8_t *in, size_t len)
{
    for (size_t done = 0; done < len;) {
        const size_t n = random_piece(len - done);
        EXPECT(QS_OK, qs_stream_text(s, out + done, in + done, n));
        done += n;
    }
}

static void pieces(const char *text, void *arg)
{
    static struct message m;
    static uint8_t out[TEXT_MAX + 1];

    (void)arg;
    for (int i = 0; i < 300; i++) {
        const struct algorithm *a = &algorithms[random_below(ALGORITHMS)];
        uint8_t tag[16];
        qs_stream s;

        random_message(&m, a, random_below(random_below(2) ? 50 : AD_MAX),
                       random_below(random_below(4) ? 400 : TEXT_MAX + 1));

        if (i % 3 == 0) { /* over a stream that was given up in the middle of a block */
            EXPECT(QS_OK, qs_stream_open_unverified_init(&s, &m.aead, m.nonce, a->nonce_len));
            EXPECT(QS_OK, qs_stream_ad(&s, m.ad, m.ad_len));
            EXPECT(QS_OK, qs_stream_text(&s, out, m.plain, m.len));
        }
        EXPECT(QS_OK, qs_stream_seal_init(&s, &m.aead, m.nonce, a->nonce_len));
        feed_ad(&s, &m);
        out[m.len] = 0x5a;
        feed_text(&s, out, m.plain, m.len);
        EXPECT(QS_OK, qs_stream_seal_final(&s, tag));
        expect_bytes(out, m.sealed, m.len, "%s, %zu bytes, rows %s", a->name, m.len, text);
        expect_bytes(tag, m.tag, 16, "%s, tag of %zu + %zu bytes, rows %s", a->name, m.ad_len, m.len, text);
        assert_int_equal(out[m.len], 0x5a);
        assert_memory_equal(&s, &zeros, sizeof s);

        EXPECT(QS_OK, qs_stream_open_unverified_init(&s, &m.aead, m.nonce, a->nonce_len));
        feed_ad(&s, &m);
        feed_text(&s, out, out, m.len);
        expect_bytes(out, m.plain, m.len, "%s opened in place, %zu bytes, rows %s", a->name, m.len, text);
        const size_t bit = random_below(256); /* half of them forged */
        if (bit < 128) tag[bit / 8] ^= (uint8_t)(1 << bit % 8);
        EXPECT(bit < 128 ? QS_ERR_AUTH : QS_OK, qs_stream_open_final(&s, tag));
        assert_memory_equal(&s, &zeros, sizeof s);
    }
    covered_chosen("incremental");
}

static void random_pieces(void **state)
{
    (void)state;
    each_path(pieces, NULL);
}

/* Every pair of cuts of a short message. */
static void every_cut(const char *text, void *arg)
{
    static struct message m;
    uint8_t out[140], tag[16];
    qs_stream s;

    (void)arg;
    for (size_t i = 0; i < ALGORITHMS; i++) {
        const struct algorithm *a = &algorithms[i];

        random_message(&m, a, 35, sizeof out);
        for (size_t one = 0; one <= m.len; one++)
            for (size_t two = one; two <= m.len; two += 1 + two % 3) {
                const size_t ad_cut = m.ad_len ? one % (m.ad_len + 1) : 0;
                EXPECT(QS_OK, qs_stream_seal_init(&s, &m.aead, m.nonce, a->nonce_len));
                EXPECT(QS_OK, qs_stream_ad(&s, m.ad, ad_cut));
                EXPECT(QS_OK, qs_stream_ad(&s, m.ad + ad_cut, m.ad_len - ad_cut));
                EXPECT(QS_OK, qs_stream_text(&s, out, m.plain, one));
                EXPECT(QS_OK, qs_stream_text(&s, out + one, m.plain + one, two - one));
                EXPECT(QS_OK, qs_stream_text(&s, out + two, m.plain + two, m.len - two));
                EXPECT(QS_OK, qs_stream_seal_final(&s, tag));
                expect_bytes(out, m.sealed, m.len, "%s cut at %zu and %zu, rows %s", a->name, one, two, text);
                expect_bytes(tag, m.tag, 16, "%s cut at %zu and %zu, tag, rows %s", a->name, one, two, text);
            }
    }
    covered_chosen("incremental");
}

static void all_cuts(void **state)
{
    (void)state;
    each_path(every_cut, NULL);
}

/* A message whose text, AD, or a bit of its tag is not the sealed one: all is revealed, and final says so. */
static void forged(void **state)
{
    static struct message m;
    uint8_t out[80];
    qs_stream s;

    (void)state;
    for (size_t i = 0; i < ALGORITHMS; i++) {
        const struct algorithm *a = &algorithms[i];

        random_message(&m, a, 16, sizeof out);
        for (size_t bit = 0; bit < 128 + 8 * (m.len + m.ad_len); bit++) {
            const size_t b = bit < 128 ? bit : bit < 128 + 8 * m.len ? bit - 128 : bit - 128 - 8 * m.len;
            uint8_t *what = bit < 128 ? m.tag : bit < 128 + 8 * m.len ? m.sealed : m.ad;

            what[b / 8] ^= (uint8_t)(1 << b % 8);
            EXPECT(QS_OK, qs_stream_open_unverified_init(&s, &m.aead, m.nonce, a->nonce_len));
            EXPECT(QS_OK, qs_stream_ad(&s, m.ad, m.ad_len));
            EXPECT(QS_OK, qs_stream_text(&s, out, m.sealed, m.len));
            EXPECT(QS_ERR_AUTH, qs_stream_open_final(&s, m.tag));
            assert_memory_equal(&s, &zeros, sizeof s);
            what[b / 8] ^= (uint8_t)(1 << b % 8);
            if (what == m.sealed) out[b / 8] ^= (uint8_t)(1 << b % 8);
            expect_bytes(out, m.plain, m.len, "%s, bit %zu forged", a->name, bit);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_pieces), cmocka_unit_test(all_cuts),
                                       cmocka_unit_test(forged)};

    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
