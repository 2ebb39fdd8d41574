/* SPDX-License-Identifier: MIT
 *
 * Incremental messages: every order of five calls against a model of what the header says.
 */
#include "api_message.h"

enum call { AD_EMPTY, AD_PIECE, TEXT_EMPTY, TEXT_PIECE, FINAL, FINAL_OF_OTHER, CALLS };
enum { DEPTH = 5, AD_LEN = 5, TEXT_LEN = 27 };

static const char *const names[CALLS] = {"ad(0)", "ad(n)", "text(0)", "text(n)", "final", "the other final"};

static struct message m;                               /* all the bytes that five calls can use, */
static uint8_t tags[DEPTH + 1][DEPTH + 1][QS_TAG_LEN]; /* and the tag when only so many pieces of AD and of text did */

static void prepare(const struct algorithm *a)
{
    random_message(&m, a, DEPTH * AD_LEN, DEPTH * TEXT_LEN);
    for (size_t i = 0; i <= DEPTH; i++)
        for (size_t j = 0; j <= DEPTH; j++)
            slow_seal(a->alg, m.sealed, tags[i][j], m.key, m.nonce, m.ad, m.ad_len ? i * AD_LEN : 0, m.plain,
                      j * TEXT_LEN);
}

struct model {
    int over, in_text;
    size_t ad, text; /* pieces taken */
};

/* What the call must return; moves the model on if that is QS_OK. */
static qs_status expected(struct model *s, enum call call, int tinc)
{
    if (s->over || call == FINAL_OF_OTHER) return QS_ERR_STATE;
    if (call == AD_PIECE) {
        if (tinc) return QS_ERR_ARGUMENT;
        if (s->in_text) return QS_ERR_STATE;
        s->ad++;
    }
    if (call == TEXT_PIECE) s->in_text = 1, s->text++;
    if (call == FINAL) s->over = 1;
    return QS_OK;
}

static void run(const enum call *calls, size_t n, int opening, int null_when_empty)
{
    const struct algorithm *a = m.a;
    const uint8_t *in = opening ? m.sealed : m.plain, *want = opening ? m.plain : m.sealed;
    uint8_t out[DEPTH * TEXT_LEN], tag[QS_TAG_LEN], tag_before[QS_TAG_LEN], *nothing = null_when_empty ? NULL : out;
    struct model s = {0, 0, 0, 0};
    char done[100] = "";
    qs_stream stream;

    EXPECT(QS_OK,
           (opening ? qs_stream_open_unverified_init : qs_stream_seal_init)(&stream, &m.aead, m.nonce, a->nonce_len));
    for (size_t i = 0; i <= n; i++) {
        const enum call call = i < n ? calls[i] : FINAL; /* at the end, a final shows that nothing was harmed */
        const size_t ad_at = s.ad * AD_LEN, at = s.text * TEXT_LEN;
        const qs_stream before = stream;
        const qs_status want_status = expected(&s, call, a->alg == QS_TINC_SPTPS);
        qs_status status;

        strcat(strcat(done, " "), names[call]);
        switch (call) {
        case AD_EMPTY: status = qs_stream_ad(&stream, nothing, 0); break;
        case AD_PIECE: status = qs_stream_ad(&stream, m.ad + ad_at, AD_LEN); break;
        case TEXT_EMPTY: status = qs_stream_text(&stream, nothing, nothing, 0); break;
        case TEXT_PIECE: status = qs_stream_text(&stream, out + at, in + at, TEXT_LEN); break;
        default:
            if (opening) memcpy(tag, tags[s.ad][s.text], sizeof tag);
            else memset(tag, 0x5a, sizeof tag);
            memcpy(tag_before, tag, sizeof tag);
            if ((call == FINAL) == !opening) status = qs_stream_seal_final(&stream, tag);
            else status = qs_stream_open_final(&stream, tag);
        }
        if (status != want_status)
            FAIL("%s, opening %d:%s: %d, should be %d", a->name, opening, done, status, want_status);
        if (status != QS_OK)
            expect_bytes((const uint8_t *)&stream, (const uint8_t *)&before, sizeof stream, "%s: the stream", done);
        if (status == QS_OK && call == FINAL) {
            static const qs_stream zeros;
            expect_bytes(tag, tags[s.ad][s.text], 16, "%s, opening %d:%s: tag", a->name, opening, done);
            expect_bytes((const uint8_t *)&stream, (const uint8_t *)&zeros, sizeof stream, "%s: the stream", done);
        }
        if (status != QS_OK && call >= FINAL) expect_bytes(tag, tag_before, 16, "%s: the tag", done);
    }
    expect_bytes(out, want, s.text * TEXT_LEN, "%s, opening %d:%s: text", a->name, opening, done);
}

static void every_order(void **state)
{
    unsigned orders = 0;

    (void)state;
    for (size_t i = 0; i < ALGORITHMS; i++) {
        prepare(&algorithms[i]);
        for (size_t n = 0, total = 1; n <= DEPTH; n++, total *= CALLS)
            for (size_t code = 0; code < total; code++, orders++) {
                enum call calls[DEPTH];
                for (size_t j = 0, rest = code; j < n; j++, rest /= CALLS) calls[j] = (enum call)(rest % CALLS);
                run(calls, n, 0, (int)(code & 1));
                run(calls, n, 1, (int)(code & 1));
            }
    }
    print_message("%u orders\n", orders);
    covered_chosen("incremental");
}

/* Zeroed, wiped and finished streams refuse all. */
static void no_stream(void **state)
{
    static const qs_stream zeros;
    uint8_t byte[16] = {0};
    qs_stream s = zeros;

    (void)state;
    EXPECT(QS_ERR_STATE, qs_stream_ad(&s, byte, 1));
    EXPECT(QS_ERR_STATE, qs_stream_ad(&s, NULL, 0));
    EXPECT(QS_ERR_STATE, qs_stream_text(&s, byte, byte, 1));
    EXPECT(QS_ERR_STATE, qs_stream_text(&s, NULL, NULL, 0));
    EXPECT(QS_ERR_STATE, qs_stream_seal_final(&s, byte));
    EXPECT(QS_ERR_STATE, qs_stream_open_final(&s, byte));
    assert_memory_equal(&s, &zeros, sizeof s);

    prepare(&algorithms[0]);
    EXPECT(QS_OK, qs_stream_seal_init(&s, &m.aead, m.nonce, 12));
    qs_wipe(&s, sizeof s); /* given up */
    EXPECT(QS_ERR_STATE, qs_stream_text(&s, byte, byte, 1));
}

static void arguments(void **state)
{
    uint8_t bytes[16], before[16];
    qs_stream s, saved;

    (void)state;
    prepare(&algorithms[0]);
    memset(bytes, 0x5a, sizeof bytes);
    memcpy(before, bytes, sizeof before);
    for (unsigned opening = 0; opening < 2; opening++) {
        EXPECT(QS_OK, (opening ? qs_stream_open_unverified_init : qs_stream_seal_init)(&s, &m.aead, m.nonce, 12));
        saved = s;
        EXPECT(QS_ERR_ARGUMENT, qs_stream_seal_init(NULL, &m.aead, m.nonce, 12));
        EXPECT(QS_ERR_ARGUMENT, qs_stream_seal_init(&s, NULL, m.nonce, 12));
        EXPECT(QS_ERR_ARGUMENT, qs_stream_seal_init(&s, &m.aead, NULL, 12));
        EXPECT(QS_ERR_ARGUMENT, qs_stream_open_unverified_init(NULL, &m.aead, m.nonce, 12));
        EXPECT(QS_ERR_ARGUMENT, qs_stream_open_unverified_init(&s, NULL, m.nonce, 12));
        EXPECT(QS_ERR_ARGUMENT, qs_stream_open_unverified_init(&s, &m.aead, NULL, 12));
        EXPECT(QS_ERR_ARGUMENT, qs_stream_ad(NULL, bytes, 1));
        EXPECT(QS_ERR_ARGUMENT, qs_stream_ad(NULL, NULL, 0));
        EXPECT(QS_ERR_ARGUMENT, qs_stream_ad(&s, NULL, 1));
        EXPECT(QS_ERR_ARGUMENT, qs_stream_text(NULL, bytes, bytes, 1));
        EXPECT(QS_ERR_ARGUMENT, qs_stream_text(&s, NULL, bytes, 1));
        EXPECT(QS_ERR_ARGUMENT, qs_stream_text(&s, bytes, NULL, 1)); /* no keystream from an AEAD */
        EXPECT(QS_ERR_ARGUMENT, qs_stream_seal_final(NULL, bytes));
        EXPECT(QS_ERR_ARGUMENT, qs_stream_seal_final(&s, NULL));
        EXPECT(QS_ERR_ARGUMENT, qs_stream_open_final(NULL, bytes));
        EXPECT(QS_ERR_ARGUMENT, qs_stream_open_final(&s, NULL));
        EXPECT(QS_ERR_OVERLAP, qs_stream_text(&s, bytes + 1, bytes, 10));
        EXPECT(QS_ERR_OVERLAP, qs_stream_text(&s, bytes, bytes + 1, 10));
        assert_memory_equal(&s, &saved, sizeof s);
        assert_memory_equal(bytes, before, sizeof bytes);

        /* ARGUMENT, then STATE, then OVERLAP. */
        memset(&s, 0, sizeof s);
        EXPECT(QS_ERR_ARGUMENT, qs_stream_ad(&s, NULL, 1));
        EXPECT(QS_ERR_ARGUMENT, qs_stream_text(&s, NULL, bytes, 1));
        EXPECT(QS_ERR_ARGUMENT, qs_stream_seal_final(&s, NULL));
        EXPECT(QS_ERR_STATE, qs_stream_text(&s, bytes + 1, bytes, 10));
        EXPECT(QS_ERR_STATE, qs_stream_text(&s, bytes, bytes, SIZE_MAX));
        EXPECT(QS_ERR_STATE, qs_stream_seal_final(&s, (uint8_t *)&s));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_order), cmocka_unit_test(no_stream),
                                       cmocka_unit_test(arguments)};

    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
