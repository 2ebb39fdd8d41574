/* SPDX-License-Identifier: MIT
 *
 * ChaCha where counters carry: at 2^32 and 2^64 in every lane and from every start, and where the sum of the
 * feed-forward is so small that an addition of the lane's number in wider lanes would carry into the next word.
 */
#include "kernel_slow.h"

enum { MOST = 4 * LANES + 3 }; /* blocks in one call */

static const unsigned all_rounds[] = {8, 12, 20};

static uint8_t key[32], nonce[24], text[64 * MOST], want[64 * MOST], area[FRINGE + 64 * MOST + FRINGE];
static uint8_t *const out = area + FRINGE;

static int setup(void **unused)
{
    (void)unused;
    random_bytes(key, sizeof key);
    random_bytes(nonce, sizeof nonce);
    random_bytes(text, sizeof text);
    return 0;
}

static void clear_output(void) { memset(area, FRINGE_BYTE, sizeof area); }

/* ---- word 12 in the kernels -------------------------------------------------------------------------------------- */

/* From every start to every end up to the last block before word 12 would wrap. */
static void last_blocks_of(const struct qs_kernel *row, void *arg)
{
    uint32_t state[16];

    (void)arg;
    for (uint32_t before = 1; before <= MOST; before++)
        for (size_t n = 1; n <= before; n++) {
            unsigned rounds = all_rounds[(before + n) % COUNT(all_rounds)];
            slow_state(state, key, nonce, 12, 0 - before);
            slow_chacha_blocks(want, text, n, state, rounds);
            clear_output();
            row->blocks.chacha(out, text, n, state, rounds);
            expect_output(out, want, 64 * n, "chacha %s: %zu blocks from counter 2^32 - %u, %u rounds", row->name, n,
                          before, rounds);
            if (!row->blocks.chacha_ending) continue;
            struct qs_keystream k;
            memcpy(k.state, state, sizeof k.state);
            clear_output();
            row->blocks.chacha_ending(out, text, n - 1, &k, rounds);
            for (unsigned i = 0; i < 64; i++) k.block[i] ^= text[64 * (n - 1) + i];
            expect_output(out, want, 64 * (n - 1), "chacha %s: %zu blocks and an end from counter 2^32 - %u, %u rounds",
                          row->name, n - 1, before, rounds);
            expect_bytes(k.block, want + 64 * (n - 1), 64, "chacha %s: the end of %zu blocks from counter 2^32 - %u",
                         row->name, n, before);
        }
    covered("counter", "chacha", row->name);
}

static void counters_up_to_the_last_block(void **unused)
{
    (void)unused;
    each_row(QS_CHACHA, last_blocks_of, NULL);
}

/* ---- the feed-forward -------------------------------------------------------------------------------------------- */

/* Blocks whose output word 12 is below 16, found by search: key byte i is 0x51 + 3 i, nonce byte i 0xa0 + 7 i. A kernel
 * that adds lane number j in lanes of 64 bits has word 13 one too high when j is larger than word 12. */
static const struct {
    unsigned rounds;
    uint32_t counter, word;
} small_words[] = {
    {20, 0x04529333, 14}, {20, 0x05e2857d, 3},  {20, 0x141f1684, 11}, {20, 0x1b346dde, 13}, {20, 0x20a2a05e, 6},
    {20, 0x2a593206, 10}, {20, 0x47c758ad, 15}, {20, 0x52319986, 1},  {20, 0x5d30777e, 3},  {12, 0x28645bd4, 11},
    {12, 0x529d6120, 9},  {12, 0x5cabfad4, 15}, {12, 0x676befd9, 13}, {12, 0x77b63f3d, 12}, {12, 0x7e2081bc, 3},
    {12, 0xb035a079, 11}, {12, 0xc34fb8b9, 0},  {8, 0x0165b003, 8},   {8, 0x02ac3840, 10},  {8, 0x2b7ea553, 12},
    {8, 0x50018bdc, 3},   {8, 0x668140b2, 5},   {8, 0x7309f4a3, 3},   {8, 0x86d4a9c0, 8},   {8, 0x950bc3a7, 11},
    {8, 0xaa5418bc, 14},
};

/* The block in every place of every call that kernels may take in different steps. */
static void small_words_of(const struct qs_kernel *row, void *arg)
{
    static const uint8_t zeros[64 * MOST];
    uint8_t k[32], n[12];
    uint32_t state[16];

    (void)arg;
    for (unsigned i = 0; i < 32; i++) k[i] = (uint8_t)(0x51 + 3 * i);
    for (unsigned i = 0; i < 12; i++) n[i] = (uint8_t)(0xa0 + 7 * i);
    for (unsigned v = 0; v < COUNT(small_words); v++)
        for (uint32_t lane = 0; lane < 4 * LANES; lane++) {
            slow_state(state, k, n, 12, small_words[v].counter - lane);
            slow_chacha_blocks(want, zeros, MOST, state, small_words[v].rounds);
            if (qs_load32(want + 64 * lane + 48) != small_words[v].word)
                FAIL("counter %08x does not make a small word", small_words[v].counter);
            for (size_t blocks = lane + 1; blocks <= MOST; blocks += 1 + random_below(8)) {
                clear_output();
                row->blocks.chacha(out, zeros, blocks, state, small_words[v].rounds);
                expect_output(out, want, 64 * blocks, "chacha %s: %zu blocks, block %u (counter %08x) has word 12 %u",
                              row->name, blocks, lane, small_words[v].counter, small_words[v].word);
            }
        }
    covered("forward", "chacha", row->name);
}

static void feed_forward_in_every_lane(void **unused)
{
    (void)unused;
    each_row(QS_CHACHA, small_words_of, NULL);
}

/* ---- the frontends: carry into word 13, and limits --------------------------------------------------------------- */

/* One call from `before` blocks below a boundary, where `high` is above it. With a limit, calls that need more than
 * `before` blocks fail and write nothing. */
static void compare_crossing(const char *row, size_t nonce_len, uint32_t high, uint32_t before, size_t len, int limit)
{
    const uint64_t counter = ((uint64_t)high << 32) - before;
    const size_t needed = (len + 63) / 64;
    int status;

    clear_output();
    if (nonce_len == 12) status = qs_chacha_xor(out, key, nonce, (uint32_t)counter, 20, text, len);
    else if (nonce_len == 8) status = qs_chacha_djb_xor(out, key, nonce, counter, 12, text, len);
    else status = qs_xchacha_xor(out, key, nonce, counter, 8, text, len);

    if (limit && needed > before) {
        if (status != QS_ERR_LENGTH)
            FAIL("chacha %s: %zu bytes, %u blocks before the limit: status %d", row, len, before, status);
        expect_output(out, out, 0, "chacha %s: %zu bytes beyond the limit", row, len);
        return;
    }
    if (status)
        FAIL("chacha %s: %zu bytes from counter %llx: status %d", row, len, (unsigned long long)counter, status);
    slow_chacha(want, key, nonce, nonce_len, nonce_len == 12 ? (uint32_t)counter : counter,
                nonce_len == 12  ? 20
                : nonce_len == 8 ? 12
                                 : 8,
                text, len);
    expect_output(out, want, len, "chacha %s: %zu bytes from counter %llx, nonce of %zu", row, len,
                  (unsigned long long)counter, nonce_len);
}

static void crossings_of(const struct qs_kernel *row, void *arg)
{
    (void)arg;
    for (uint32_t before = 0; before <= 2 * LANES + 2; before++)
        for (size_t blocks = 1; blocks <= 2 * LANES + 4; blocks++) {
            size_t len = 64 * blocks - random_below(64);
            compare_crossing(row->name, 8, 1, before, len, 0);
            compare_crossing(row->name, 24, (uint32_t)random_u64() | 1, before, len, 0);
            if (before == 0) continue; /* the counter would be 0, not the limit */
            compare_crossing(row->name, 8, 0, before, len, 1);
            compare_crossing(row->name, 24, 0, before, len, 1);
            compare_crossing(row->name, 12, 0, before, len, 1);
        }
    covered("limits", "chacha", row->name);
}

static void counters_across_2_to_32_and_up_to_2_to_64(void **unused)
{
    (void)unused;
    each_row(QS_CHACHA, crossings_of, NULL);
}

/* The same in pieces: the boundary falls between calls and within them. */
static void crossing_pieces_of(const struct qs_kernel *row, void *arg)
{
    (void)arg;
    for (unsigned i = 0; i < 1000; i++) {
        struct qs_keystream k = {.rounds = 20};
        uint64_t counter = (UINT64_C(1) << 32) - random_below(MOST);
        size_t at = 0, most = 1 + random_below(700);

        slow_chacha(want, key, nonce, 8, counter, 20, text, sizeof text);
        slow_state(k.state, key, nonce, 8, counter);
        clear_output();
        while (at < sizeof text) {
            size_t n = random_below(most + 1);
            if (n > sizeof text - at) n = sizeof text - at;
            qs_keystream_xor(&k, out + at, text + at, n);
            at += n;
        }
        expect_output(out, want, sizeof text, "chacha %s: pieces of up to %zu from counter %llx", row->name, most,
                      (unsigned long long)counter);
    }
}

static void counters_across_2_to_32_in_pieces(void **unused)
{
    (void)unused;
    each_row(QS_CHACHA, crossing_pieces_of, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_up_to_the_last_block),
        cmocka_unit_test(feed_forward_in_every_lane),
        cmocka_unit_test(counters_across_2_to_32_and_up_to_2_to_64),
        cmocka_unit_test(counters_across_2_to_32_in_pieces),
    };
    tests_start();
    return cmocka_run_group_tests(tests, setup, NULL);
}
