/* SPDX-License-Identifier: MIT
 *
 * Selection on a CPU of our own making: this program brings tables and a CPU whose features it sets. Which row runs, and
 * what is said of each, must follow from needs, quirks and limits alone, also on machines that have but one row.
 */
#include "harness.h"

enum { FAST = 1 << 0, FASTER = 1 << 1, QUIRK = 1 << 2 };

static uint32_t features;

uint32_t qs_cpu_detect(void)
{
    return features;
}

static const char *const names[] = {"fast", "faster", "quirk"};
static const struct qs_cpu_level levels[] = {{"generic", 0}, {"low", FAST}, {"high", FAST | FASTER}};
const struct qs_cpu_names qs_cpu_names = {names, COUNT(names), levels, COUNT(levels)};

/* They differ in what they need, not in what they do. */
#define ROW(name, needs, avoid) {name, needs, avoid, 0, {.chacha = qs_chacha_blocks_generic}}
static const struct qs_kernel chacha_rows[] = {ROW("faster", FAST | FASTER, 0), ROW("fast", FAST, QUIRK),
                                               QS_CHACHA_GENERIC_ROW};
static const struct qs_kernel poly1305_rows[] = {QS_POLY1305_GENERIC_ROWS};
static const struct qs_kernel aead_rows[] = {QS_AEAD_STEPS_ROW};
static const struct qs_kernel packets_rows[] = {QS_PACKETS_SINGLE_ROW};

QS_DEFINE_TABLES(chacha_rows, poly1305_rows, aead_rows, packets_rows);

/* level: NULL for no limit. states: of faster, fast, generic. */
static void expect(uint32_t cpu, const char *level, const qs_row_state states[3])
{
    qs_row rows[8] = {{NULL, NULL, 0, 0, QS_ROW_CHOSEN}};

    features = cpu;
    assert_int_equal(qs_cpu_limit(level), QS_OK);
    for (unsigned i = 0; i < COUNT(chacha_rows); i++) {
        if (states[i] == QS_ROW_CHOSEN && qs_kernel_of(QS_CHACHA) != &chacha_rows[i])
            FAIL("features %x, level %s: %s runs, should be %s", (unsigned)cpu, level ? level : "none",
                 qs_kernel_of(QS_CHACHA)->name, chacha_rows[i].name);
        assert_int_equal(qs_can_run(&chacha_rows[i]), states[i] != QS_ROW_MISSING);
    }
    assert_int_equal(qs_rows(rows, COUNT(rows)), COUNT(chacha_rows) + COUNT(poly1305_rows) + COUNT(aead_rows) + COUNT(packets_rows));
    for (unsigned i = 0; i < COUNT(chacha_rows); i++) {
        if (rows[i].state != states[i])
            FAIL("features %x, level %s: row %s is in state %d, should be %d", (unsigned)cpu, level ? level : "none",
                 rows[i].name, rows[i].state, states[i]);
        assert_int_equal(rows[i].needs, chacha_rows[i].needs);
    }
    assert_int_equal(qs_cpu_limit(NULL), QS_OK);
}
#define EXPECT_STATES(cpu, level, ...) expect(cpu, level, (const qs_row_state[]){__VA_ARGS__})

static void rows_follow_features(void **state)
{
    (void)state;
    EXPECT_STATES(0, NULL, QS_ROW_MISSING, QS_ROW_MISSING, QS_ROW_CHOSEN);
    EXPECT_STATES(FAST, NULL, QS_ROW_MISSING, QS_ROW_CHOSEN, QS_ROW_USABLE);
    EXPECT_STATES(FASTER, NULL, QS_ROW_MISSING, QS_ROW_MISSING, QS_ROW_CHOSEN);
    EXPECT_STATES(FAST | FASTER, NULL, QS_ROW_CHOSEN, QS_ROW_USABLE, QS_ROW_USABLE);
    EXPECT_STATES(FAST | QUIRK, NULL, QS_ROW_MISSING, QS_ROW_AVOIDED, QS_ROW_CHOSEN);
    EXPECT_STATES(FAST | FASTER | QUIRK, NULL, QS_ROW_CHOSEN, QS_ROW_AVOIDED, QS_ROW_USABLE);
}

static void rows_follow_limits(void **state)
{
    (void)state;
    EXPECT_STATES(FAST | FASTER, "high", QS_ROW_CHOSEN, QS_ROW_USABLE, QS_ROW_USABLE);
    EXPECT_STATES(FAST | FASTER, "low", QS_ROW_HIDDEN, QS_ROW_CHOSEN, QS_ROW_USABLE);
    EXPECT_STATES(FAST | FASTER, "generic", QS_ROW_HIDDEN, QS_ROW_HIDDEN, QS_ROW_CHOSEN);
    EXPECT_STATES(FAST, "high", QS_ROW_MISSING, QS_ROW_CHOSEN, QS_ROW_USABLE);
    EXPECT_STATES(0, "high", QS_ROW_MISSING, QS_ROW_MISSING, QS_ROW_CHOSEN);
    /* A limit hides what rows need, not what they avoid. */
    EXPECT_STATES(FAST | FASTER | QUIRK, "low", QS_ROW_HIDDEN, QS_ROW_AVOIDED, QS_ROW_CHOSEN);
}

static void disabled_rows_do_not_run(void **state)
{
    (void)state;
    qs_disable(QS_CHACHA, 1 << 0);
    EXPECT_STATES(FAST | FASTER, NULL, QS_ROW_DISABLED, QS_ROW_CHOSEN, QS_ROW_USABLE);
    EXPECT_STATES(FAST, NULL, QS_ROW_MISSING, QS_ROW_CHOSEN, QS_ROW_USABLE);
    qs_disable(QS_CHACHA, 1 << 0 | 1 << 1);
    EXPECT_STATES(FAST | FASTER, NULL, QS_ROW_DISABLED, QS_ROW_DISABLED, QS_ROW_CHOSEN);
    qs_disable(QS_CHACHA, 0);
    EXPECT_STATES(FAST | FASTER, NULL, QS_ROW_CHOSEN, QS_ROW_USABLE, QS_ROW_USABLE);
}

static void features_are_listed(void **state)
{
    qs_feature list[4] = {{NULL, 7, 7}, {NULL, 7, 7}, {NULL, 7, 7}, {NULL, 7, 7}};

    (void)state;
    features = FASTER | QUIRK;
    assert_int_equal(qs_cpu_limit("low"), QS_OK);
    assert_int_equal(qs_cpu_features(list, 2), COUNT(names));
    assert_string_equal(list[0].name, "fast");
    assert_int_equal(list[0].found, 0);
    assert_int_equal(list[0].hidden, 0);
    assert_string_equal(list[1].name, "faster");
    assert_int_equal(list[1].found, 1);
    assert_int_equal(list[1].hidden, 1);
    assert_null(list[2].name); /* not asked for */
    assert_int_equal(qs_cpu_limit(NULL), QS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_follow_features), cmocka_unit_test(rows_follow_limits),
                                       cmocka_unit_test(disabled_rows_do_not_run),
                                       cmocka_unit_test(features_are_listed)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
