/* SPDX-License-Identifier: MIT
 *
 * Selection: levels, lists, the self-test, and limits that change while work is under way.
 */
#include "api_message.h"

#include <pthread.h>

enum { ROWS_MAX = 64, FEATURES_MAX = 32 };

static unsigned n_levels(void)
{
    unsigned n = 0;
    while (qs_cpu_level(n)) n++;
    return n;
}

static void levels(void **state)
{
    static const char *const unknown[] = {"",      "GENERIC", "generic ", " generic", "gener", "generic0",
                                          "avx51", "sse",     "avx2,avx", "NULL",     "\xff"};
    (void)state;
    assert_string_equal(qs_cpu_level(0), "generic");
    assert_null(qs_cpu_level(n_levels()));
    assert_null(qs_cpu_level(n_levels() + 1));
    assert_null(qs_cpu_level(SIZE_MAX));
#ifdef QS_X86_64
    static const char *const x86_64[] = {"generic", "ssse3", "avx2", "avx512", "avx512ifma"};
    assert_int_equal(n_levels(), COUNT(x86_64));
    for (size_t i = 0; i < COUNT(x86_64); i++) assert_string_equal(qs_cpu_level(i), x86_64[i]);
#endif
    for (size_t i = 0; qs_cpu_level(i); i++) {
        EXPECT(QS_OK, qs_cpu_limit(qs_cpu_level(i)));
        const struct qs_kernel *chacha = qs_kernel_of(QS_CHACHA), *poly1305 = qs_kernel_of(QS_POLY1305);
        for (size_t j = 0; j < COUNT(unknown); j++) {
            EXPECT(QS_ERR_ARGUMENT, qs_cpu_limit(unknown[j])); /* and nothing changes */
            assert_ptr_equal(qs_kernel_of(QS_CHACHA), chacha);
            assert_ptr_equal(qs_kernel_of(QS_POLY1305), poly1305);
        }
    }
    EXPECT(QS_OK, qs_cpu_limit(NULL));
}

/* At every level: what is listed is what the tables and the features say, and what runs. */
static void check_lists(const char *level)
{
    qs_feature features[FEATURES_MAX];
    qs_row rows[ROWS_MAX];
    const size_t n_features = qs_cpu_features(features, FEATURES_MAX), n = qs_rows(rows, ROWS_MAX);
    uint32_t found = 0, hidden = 0;
    size_t at = 0;

    assert_true(n_features <= FEATURES_MAX && n <= ROWS_MAX);
    for (size_t i = 0; i < n_features; i++) {
        assert_true(strlen(features[i].name) > 0);
        for (size_t j = 0; j < i; j++) assert_string_not_equal(features[i].name, features[j].name);
        found |= (uint32_t)(features[i].found != 0) << i;
        hidden |= (uint32_t)(features[i].hidden != 0) << i;
    }
    assert_int_equal(found, qs_cpu_detect());
    assert_int_equal(hidden & ~found, 0);
    if (!level) assert_int_equal(hidden, 0);
    else if (strcmp(level, "generic") == 0) assert_int_equal(hidden, found);

    for (unsigned p = 0; p < QS_PRIMITIVES; p++) {
        int chosen = 0;
        for (unsigned i = 0; i < qs_tables[p].n; i++, at++) {
            const struct qs_kernel *row = &qs_tables[p].rows[i];
            const qs_row_state want = row->needs & ~found                         ? QS_ROW_MISSING
                                      : row->avoid & found                        ? QS_ROW_AVOIDED
                                      : row->needs & hidden                       ? QS_ROW_HIDDEN
                                      : row == qs_kernel_of((enum qs_primitive)p) ? QS_ROW_CHOSEN
                                                                                  : QS_ROW_USABLE;
            assert_true(at < n);
            assert_string_equal(rows[at].primitive, qs_tables[p].primitive);
            assert_string_equal(rows[at].name, row->name);
            assert_int_equal(rows[at].needs, row->needs);
            assert_int_equal(rows[at].vector != 0, row->vector != 0);
            if (rows[at].state != want)
                FAIL("level %s, %s row %s is said to be in state %d, should be %d", level ? level : "(all)",
                     rows[at].primitive, row->name, rows[at].state, want);
            if (want == QS_ROW_USABLE) assert_true(chosen); /* the first that can run does */
            chosen |= want == QS_ROW_CHOSEN;
        }
        assert_true(chosen);
        assert_int_equal(rows[at - 1].needs, 0); /* the last row needs nothing */
    }
    assert_int_equal(at, n);
}

static void lists(void **state)
{
    qs_feature feature = {"canary", 7, 7};
    qs_row row[2] = {{"canary", "canary", 7, 7, QS_ROW_AVOIDED}, {"canary", "canary", 7, 7, QS_ROW_AVOIDED}};

    (void)state;
    check_lists(NULL);
    for (size_t i = 0; qs_cpu_level(i); i++) {
        EXPECT(QS_OK, qs_cpu_limit(qs_cpu_level(i)));
        check_lists(qs_cpu_level(i));
    }
    EXPECT(QS_OK, qs_cpu_limit(NULL));
    check_lists(NULL);

    /* No more is written than there is room for. */
    const size_t n = qs_rows(NULL, 0);
    assert_int_equal(qs_rows(row, 0), n);
    assert_string_equal(row[0].name, "canary");
    assert_int_equal(qs_rows(row, 1), n);
    assert_string_equal(row[0].name, qs_tables[0].rows[0].name);
    assert_string_equal(row[1].name, "canary");
    assert_int_equal(qs_cpu_features(NULL, 0), qs_cpu_features(&feature, 0));
    assert_string_equal(feature.name, "canary");
}

static void disabled_rows(void **state)
{
    (void)state;
    for (unsigned p = 0; p < QS_PRIMITIVES; p++) {
        const struct qs_table *t = &qs_tables[p];
        qs_row rows[ROWS_MAX];
        unsigned first = 0;

        for (unsigned i = 0; i < p; i++) first += qs_tables[i].n;
        for (unsigned i = 0; i < t->n; i++) {
            qs_disable((enum qs_primitive)p, UINT32_C(1) << i);
            assert_int_equal(qs_disabled((enum qs_primitive)p), UINT32_C(1) << i);
            assert_true(qs_kernel_of((enum qs_primitive)p) != &t->rows[i] || i == t->n - 1);
            qs_rows(rows, ROWS_MAX);
            if (qs_can_run(&t->rows[i])) assert_int_equal(rows[first + i].state, QS_ROW_DISABLED);
        }
        qs_disable((enum qs_primitive)p, UINT32_MAX); /* the last one stays */
        assert_ptr_equal(qs_kernel_of((enum qs_primitive)p), &t->rows[t->n - 1]);
        qs_disable((enum qs_primitive)p, 0);
    }
}

/* ---- limits that change under way -------------------------------------------------------------------------------- */

static const char *random_level(void)
{
    const size_t i = random_below(n_levels() + 1);
    return i < n_levels() ? qs_cpu_level(i) : NULL;
}

static void limits_under_way(void **state)
{
    static struct message m;
    static uint8_t out[TEXT_MAX];

    (void)state;
    for (int i = 0; i < 2000; i++) {
        const struct algorithm *a = &algorithms[random_below(ALGORITHMS)];
        uint8_t tag[16], want[16];
        qs_poly1305_ctx mac;
        qs_stream s;

        random_message(&m, a, random_below(60), random_below(1500));
        EXPECT(QS_OK, qs_stream_seal_init(&s, &m.aead, m.nonce, a->nonce_len));
        EXPECT(QS_OK, qs_stream_ad(&s, m.ad, m.ad_len));
        qs_poly1305_init(&mac, m.key);
        for (size_t done = 0; done < m.len;) {
            const size_t n = random_piece(m.len - done);
            EXPECT(QS_OK, qs_cpu_limit(random_level()));
            EXPECT(QS_OK, qs_stream_text(&s, out + done, m.plain + done, n));
            EXPECT(QS_OK, qs_cpu_limit(random_level()));
            qs_poly1305_update(&mac, m.plain + done, n);
            done += n;
        }
        EXPECT(QS_OK, qs_cpu_limit(random_level()));
        EXPECT(QS_OK, qs_stream_seal_final(&s, tag));
        expect_bytes(out, m.sealed, m.len, "%s, %zu bytes under changing limits", a->name, m.len);
        expect_bytes(tag, m.tag, 16, "%s, tag of %zu bytes under changing limits", a->name, m.len);
        qs_poly1305_final(&mac, tag);
        slow_poly1305(want, m.key, m.plain, m.len);
        expect_bytes(tag, want, 16, "MAC of %zu bytes under changing limits", m.len);
    }
    EXPECT(QS_OK, qs_cpu_limit(NULL));
}

static int stop;

static void *change_limits(void *arg)
{
    unsigned long *changes = arg;

    for (size_t i = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); i++) {
        const char *level = qs_cpu_level(i % (n_levels() + 1)); /* NULL behind the last: all */
        if (qs_cpu_limit(level) != QS_OK) return NULL;
        ++*changes;
    }
    return arg;
}

static void limits_from_another_thread(void **state)
{
    static struct message m;
    static uint8_t out[TEXT_MAX];
    unsigned long changes = 0;
    pthread_t thread;
    void *result;

    (void)state;
    random_message(&m, &algorithms[0], 20, 3000);
    assert_int_equal(pthread_create(&thread, NULL, change_limits, &changes), 0);
    for (int i = 0; i < 20000; i++) {
        const size_t len = 3000;
        uint8_t tag[16];

        EXPECT(QS_OK, qs_aead_seal(&m.aead, out, tag, m.nonce, 12, m.ad, m.ad_len, m.plain, len));
        expect_bytes(out, m.sealed, len, "sealed while another thread limits the CPU");
        expect_bytes(tag, m.tag, 16, "tag while another thread limits the CPU");
        EXPECT(QS_OK, qs_aead_open(&m.aead, out, m.nonce, 12, m.ad, m.ad_len, out, len, tag));
        expect_bytes(out, m.plain, len, "opened while another thread limits the CPU");
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, &changes);
    print_message("%lu limits set meanwhile\n", changes);
    assert_true(changes > 100);

    /* Whatever raced: the last limit holds. */
    EXPECT(QS_OK, qs_cpu_limit("generic"));
    check_lists("generic");
    EXPECT(QS_OK, qs_cpu_limit(NULL));
    check_lists(NULL);
}

/* ---- self-test --------------------------------------------------------------------------------------------------- */

struct seen {
    unsigned rows[QS_PRIMITIVES], aeads, packets, replay;
};

static void report(void *arg, const qs_selftest_result *r)
{
    struct seen *s = arg;

    if (r->status != QS_OK) FAIL("%s, row %s fails at %s", r->subject, r->row ? r->row : "chosen", r->vector);
    if (r->row) {
        unsigned p = 0;
        while (p < QS_PRIMITIVES && strcmp(r->subject, qs_tables[p].primitive) != 0) p++;
        assert_true(p < QS_PRIMITIVES);
        const struct qs_table *t = &qs_tables[p];
        unsigned i = 0;
        while (i < t->n && strcmp(t->rows[i].name, r->row) != 0) i++;
        assert_true(i < t->n && qs_can_run(&t->rows[i]));
        s->rows[p]++;
    } else {
        s->aeads += strstr(r->subject, "1305") != NULL;
        s->packets += strcmp(r->subject, "packets") == 0;
        s->replay += strcmp(r->subject, "replay") == 0;
    }
}

static void selftest(void **state)
{
    struct seen s = {{0}, 0, 0, 0};

    (void)state;
    EXPECT(QS_OK, qs_selftest());
    EXPECT(QS_OK, qs_selftest_each(NULL, NULL));
    EXPECT(QS_OK, qs_selftest_each(report, &s));
    for (unsigned p = 0; p < QS_PRIMITIVES; p++) {
        unsigned can_run = 0;
        for (unsigned i = 0; i < qs_tables[p].n; i++) can_run += (unsigned)qs_can_run(&qs_tables[p].rows[i]);
        assert_int_equal(s.rows[p], can_run);
        assert_int_equal(qs_disabled((enum qs_primitive)p), 0);
    }
    assert_true(s.aeads >= 2 && s.packets == 1 && s.replay == 1);

    /* Hidden rows are tested too, and nothing is chosen otherwise afterwards. */
    EXPECT(QS_OK, qs_cpu_limit("generic"));
    s = (struct seen){{0}, 0, 0, 0};
    EXPECT(QS_OK, qs_selftest_each(report, &s));
    assert_true(s.rows[0] > 0);
    check_lists("generic");
    EXPECT(QS_OK, qs_cpu_limit(NULL));
    check_lists(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(levels),
                                       cmocka_unit_test(lists),
                                       cmocka_unit_test(disabled_rows),
                                       cmocka_unit_test(limits_under_way),
                                       cmocka_unit_test(limits_from_another_thread),
                                       cmocka_unit_test(selftest)};

    tests_start();
    EXPECT(QS_OK, qs_cpu_limit(NULL)); /* this test sets its limits itself */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
