/* SPDX-License-Identifier: MIT
 *
 * The anti-replay window against the plainest model: the set of all counters accepted, and the highest of them.
 */
#include "harness.h"

enum { SLOTS = 1 << 18, STEPS = 60000 };

static struct {
    uint64_t counter[SLOTS];
    uint8_t used[SLOTS];
    uint64_t highest;
    size_t n;
} model;

static size_t slot_of(uint64_t counter)
{
    size_t i = (size_t)(counter * UINT64_C(0x9e3779b97f4a7c15) >> 46);
    while (model.used[i] && model.counter[i] != counter) i = (i + 1) % SLOTS;
    return i;
}

static qs_status model_check(uint64_t counter)
{
    if (model.n && counter < model.highest && model.highest - counter >= QS_REPLAY_WIDTH) return QS_ERR_REPLAY;
    return model.used[slot_of(counter)] ? QS_ERR_REPLAY : QS_OK;
}

static void model_accept(uint64_t counter)
{
    size_t i = slot_of(counter);
    model.used[i] = 1, model.counter[i] = counter;
    if (model.n++ == 0 || counter > model.highest) model.highest = counter;
}

static void offer(qs_replay *window, uint64_t counter)
{
    const qs_replay before = *window;
    const qs_status want = model_check(counter);
    qs_status got = qs_replay_check(window, counter);

    if (got != want)
        FAIL("counter %llu, highest %llu: check gives %d, should be %d", (unsigned long long)counter,
             (unsigned long long)model.highest, got, want);
    if (memcmp(window, &before, sizeof before) != 0) FAIL("check has changed the window");
    if (random_below(8) == 0) return; /* checked, and then the tag was wrong */
    got = qs_replay_accept(window, counter);
    if (got != want)
        FAIL("counter %llu, highest %llu: accept gives %d, should be %d", (unsigned long long)counter,
             (unsigned long long)model.highest, got, want);
    if (want == QS_OK) model_accept(counter);
    else if (memcmp(window, &before, sizeof before) != 0) FAIL("a replay has changed the window");
}

static void start(qs_replay *window)
{
    memset(&model, 0, sizeof model);
    memset(window, 0xff, sizeof *window);
    qs_replay_init(window);
}

/* Mostly near the highest, sometimes at the window's far edge or a jump of any size away. */
static void walk(qs_replay *window, uint64_t at)
{
    for (int i = 0; i < STEPS; i++) {
        const uint64_t base = model.n ? model.highest : at, near = random_below(200), width = QS_REPLAY_WIDTH;
        uint64_t c;

        switch (random_below(8)) {
        case 0: c = base + near; break;
        case 1: c = base + 1; break;
        case 2: c = base - near; break;
        case 3: c = base - width + near - 100; break;
        case 4: c = base - random_below(width + 300); break;
        case 5: c = base + (random_below(20) ? near : random_below(3 * width)); break;
        case 6: c = base / 64 * 64 + random_below(130) - 65; break; /* around a word's edge */
        default: c = random_below(400) ? base - near : base + (random_u64() >> random_below(64)) / 64;
        }
        if (c - base > UINT64_MAX / 2 && c > base) c = base;              /* not below 0 */
        if (c - base < UINT64_MAX / 2 && c < base) c = UINT64_MAX - near; /* nor beyond the end */
        offer(window, c);
    }
}

static void random_walks(void **state)
{
    static const uint64_t starts[] = {0, 1, 63, 64, 4031, 4032, 4096, UINT32_MAX, UINT64_MAX / 2, UINT64_MAX - 100000};
    qs_replay window;

    (void)state;
    for (size_t i = 0; i < COUNT(starts); i++) {
        start(&window);
        walk(&window, starts[i]);
        assert_true(model.n > 1000);
    }
}

/* In order, each once; then each again. */
static void in_order(void **state)
{
    qs_replay window;

    (void)state;
    for (uint64_t from = 0; from < 130; from += 43) {
        start(&window);
        for (uint64_t c = from; c < from + 10000; c++) {
            assert_int_equal(qs_replay_check(&window, c), QS_OK);
            assert_int_equal(qs_replay_accept(&window, c), QS_OK);
            assert_int_equal(qs_replay_check(&window, c), QS_ERR_REPLAY);
            assert_int_equal(qs_replay_accept(&window, c), QS_ERR_REPLAY);
        }
        for (uint64_t c = 0; c < from + 10000; c++) assert_int_equal(qs_replay_accept(&window, c), QS_ERR_REPLAY);
    }
}

/* Backwards from the highest: as many as the window is wide, no more. */
static void edges(void **state)
{
    qs_replay window;

    (void)state;
    assert_true(QS_REPLAY_WIDTH >= 2048);
    for (uint64_t phase = 0; phase < 130; phase++) {
        for (unsigned end = 0; end < 2; end++) {
            const uint64_t top = end ? UINT64_MAX - phase : 100000 + phase;
            uint64_t taken = 0;

            start(&window);
            assert_int_equal(qs_replay_accept(&window, top), QS_OK);
            for (uint64_t c = top; c > top - 2 * QS_REPLAY_WIDTH; c--)
                taken += qs_replay_accept(&window, c - 1) == QS_OK;
            assert_int_equal(taken, QS_REPLAY_WIDTH - 1);
            assert_int_equal(qs_replay_accept(&window, top), QS_ERR_REPLAY);
            if (end && phase) assert_int_equal(qs_replay_accept(&window, UINT64_MAX), QS_OK);
            if (end && phase) assert_int_equal(qs_replay_accept(&window, UINT64_MAX), QS_ERR_REPLAY);
        }
    }
}

/* 0 can be accepted once, first or late, and so can 2^64 - 1. */
static void first_and_last(void **state)
{
    qs_replay window;

    (void)state;
    start(&window);
    assert_int_equal(qs_replay_check(&window, 0), QS_OK);
    assert_int_equal(qs_replay_accept(&window, 0), QS_OK);
    assert_int_equal(qs_replay_accept(&window, 0), QS_ERR_REPLAY);
    start(&window);
    assert_int_equal(qs_replay_accept(&window, 5), QS_OK);
    assert_int_equal(qs_replay_accept(&window, 0), QS_OK);
    assert_int_equal(qs_replay_accept(&window, 0), QS_ERR_REPLAY);
    start(&window);
    assert_int_equal(qs_replay_accept(&window, QS_REPLAY_WIDTH - 1), QS_OK);
    assert_int_equal(qs_replay_accept(&window, 0), QS_OK);
    start(&window);
    assert_int_equal(qs_replay_accept(&window, QS_REPLAY_WIDTH), QS_OK);
    assert_int_equal(qs_replay_accept(&window, 0), QS_ERR_REPLAY);
    start(&window);
    assert_int_equal(qs_replay_accept(&window, UINT64_MAX), QS_OK);
    assert_int_equal(qs_replay_accept(&window, UINT64_MAX), QS_ERR_REPLAY);
    assert_int_equal(qs_replay_accept(&window, 0), QS_ERR_REPLAY);
    assert_int_equal(qs_replay_accept(&window, UINT64_MAX - 1), QS_OK);
}

/* A jump forgets what lies behind it, of whatever length it is, and nothing that lies within. */
static void jumps(void **state)
{
    qs_replay window;

    (void)state;
    for (uint64_t jump = 1; jump < 3 * QS_REPLAY_WIDTH; jump += 1 + jump % 29) {
        start(&window);
        for (uint64_t c = 10000; c < 10000 + 200; c++) offer(&window, c);
        const uint64_t top = model.highest + jump;
        assert_int_equal(qs_replay_accept(&window, top), QS_OK);
        model_accept(top);
        for (uint64_t c = top; c + QS_REPLAY_WIDTH + 70 > top; c--) offer(&window, c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_walks), cmocka_unit_test(in_order),
                                       cmocka_unit_test(edges), cmocka_unit_test(first_and_last),
                                       cmocka_unit_test(jumps)};

    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
