/* SPDX-License-Identifier: MIT
 *
 * Every ChaCha row, alone and under the stream functions, against the slow reference.
 */
#include "kernel_slow.h"

static const unsigned all_rounds[] = {8, 12, 20};

static uint8_t in[LONG_LENGTH + 128], want[LONG_LENGTH + 128], area[FRINGE + LONG_LENGTH + 128 + FRINGE];

/* A place for `len` bytes of output at the offset, with fringes. */
static uint8_t *output_at(size_t offset, size_t len)
{
    memset(area, FRINGE_BYTE, offset + len + 2 * FRINGE);
    return area + FRINGE + offset;
}

/* ---- the kernels ------------------------------------------------------------------------------------------------- */

static void compare_blocks(const struct qs_kernel *row, size_t n, size_t in_at, size_t out_at, unsigned rounds)
{
    uint32_t words[32], *state = words + random_below(16), kept[16];
    uint8_t *out = output_at(out_at, 64 * n);

    random_bytes(state, 64);
    if (random_below(4) == 0) random_dense(state, 64);
    if (state[12] > UINT32_MAX - n) state[12] -= (uint32_t)n; /* word 12 must not wrap */
    memcpy(kept, state, sizeof kept);
    slow_chacha_blocks(want, in + in_at, n, state, rounds);

    row->blocks.chacha(out, in + in_at, n, state, rounds);
    expect_output(out, want, 64 * n, "chacha %s: %zu blocks, %u rounds, in +%zu, out +%zu", row->name, n, rounds, in_at,
                  out_at);
    out = output_at(out_at, 64 * n);
    memcpy(out, in + in_at, 64 * n);
    row->blocks.chacha(out, out, n, state, rounds);
    expect_output(out, want, 64 * n, "chacha %s: %zu blocks, %u rounds, in place +%zu", row->name, n, rounds, out_at);
    if (memcmp(state, kept, sizeof kept)) FAIL("chacha %s: %zu blocks: state was written", row->name, n);
}

static void blocks_of(const struct qs_kernel *row, void *arg)
{
    (void)arg;
    random_bytes(in, sizeof in);
    for (unsigned i = 0; i < COUNT(all_rounds); i++)
        for (size_t n = 1; n <= EVERY_LENGTH / 64 + 1; n++)
            for (size_t j = 0; j < 4; j++) compare_blocks(row, n, random_below(64), (16 * j + n) % 64, all_rounds[i]);
    for (size_t in_at = 0; in_at < 64; in_at++)
        for (size_t out_at = 0; out_at < 64; out_at++) compare_blocks(row, 1 + random_below(6), in_at, out_at, 8);
    for (unsigned i = 0; i < 24; i++)
        compare_blocks(row, 1 + random_below(LONG_LENGTH / 64), random_below(64), random_below(64),
                       all_rounds[i % COUNT(all_rounds)]);
    covered("blocks", "chacha", row->name);
}

/* n whole blocks, and one of keystream. */
static void compare_ending(const struct qs_kernel *row, size_t n, size_t in_at, size_t out_at, unsigned rounds)
{
    struct {
        uint8_t before[64];
        struct qs_keystream k;
        uint8_t behind[64];
    } s, kept;
    uint8_t *out = output_at(out_at, 64 * n);

    random_bytes(&s, sizeof s);
    if (random_below(4) == 0) random_dense(s.k.state, 64);
    if (s.k.state[12] >= UINT32_MAX - n) s.k.state[12] -= (uint32_t)n + 1; /* word 12 must not wrap */
    memset(in + in_at + 64 * n, 0, 64);
    slow_chacha_blocks(want, in + in_at, n + 1, s.k.state, rounds);
    kept = s;
    memcpy(kept.k.block, want + 64 * n, 64);

    row->blocks.chacha_ending(out, in + in_at, n, &s.k, rounds);
    expect_output(out, want, 64 * n, "chacha %s: %zu blocks and an end, %u rounds, in +%zu, out +%zu", row->name, n,
                  rounds, in_at, out_at);
    expect_bytes((uint8_t *)&s, (uint8_t *)&kept, sizeof s, "chacha %s: the end behind %zu blocks, %u rounds",
                 row->name, n, rounds);
    out = output_at(out_at, 64 * n);
    memcpy(out, in + in_at, 64 * n);
    memset(s.k.block, 0xa5, 64);
    row->blocks.chacha_ending(out, out, n, &s.k, rounds);
    expect_output(out, want, 64 * n, "chacha %s: %zu blocks and an end, %u rounds, in place +%zu", row->name, n, rounds,
                  out_at);
    expect_bytes((uint8_t *)&s, (uint8_t *)&kept, sizeof s, "chacha %s: the end behind %zu blocks in place, %u rounds",
                 row->name, n, rounds);
}

static void endings_of(const struct qs_kernel *row, void *arg)
{
    (void)arg;
    if (!row->blocks.chacha_ending) return;
    random_bytes(in, sizeof in);
    for (unsigned i = 0; i < COUNT(all_rounds); i++)
        for (size_t n = 0; n <= EVERY_LENGTH / 64 + 1; n++)
            for (size_t j = 0; j < 4; j++) compare_ending(row, n, random_below(64), (16 * j + n) % 64, all_rounds[i]);
    for (unsigned i = 0; i < 24; i++)
        compare_ending(row, random_below(LONG_LENGTH / 64), random_below(64), random_below(64),
                       all_rounds[i % COUNT(all_rounds)]);
    covered("endings", "chacha", row->name);
}

static void each_kernel_makes_the_right_blocks(void **unused)
{
    (void)unused;
    each_row(QS_CHACHA, blocks_of, NULL);
    each_row(QS_CHACHA, endings_of, NULL);
}

/* ---- the stream functions ---------------------------------------------------------------------------------------- */

static uint8_t streams[COUNT(all_rounds)][3]
                      [LONG_LENGTH + 64]; /* text made by the reference; nonces of 12, 8, 24 bytes */
static uint8_t text[LONG_LENGTH + 64], key[32], nonce[24];
static const size_t nonce_lens[3] = {12, 8, 24};

static qs_status stream_xor(size_t nonce_len, uint8_t *out, const uint8_t *k, const uint8_t *n, uint64_t counter,
                            unsigned rounds, const uint8_t *from, size_t len)
{
    if (nonce_len == 12) return qs_chacha_xor(out, k, n, (uint32_t)counter, rounds, from, len);
    if (nonce_len == 8) return qs_chacha_djb_xor(out, k, n, counter, rounds, from, len);
    return qs_xchacha_xor(out, k, n, counter, rounds, from, len);
}

/* A stream of `len` bytes is the beginning of a longer one: the reference runs once for all rows and lengths. */
static void compare_stream(const char *row, unsigned r, unsigned form, size_t len, size_t at)
{
    uint8_t keys[96], nonces[96], *out, *k = keys + at % 64, *n = nonces + at * 5 % 64;
    const size_t in_at = at * 3 % 64;
    const char *format = "chacha %s: %zu bytes, %u rounds, nonce of %zu, %s, out +%zu, in +%zu";
    int failed;

    memcpy(k, key, 32);
    memcpy(n, nonce, nonce_lens[form]);
    memcpy(in + in_at, text, len);
    out = output_at(at % 64, len);
    failed = stream_xor(nonce_lens[form], out, k, n, 7, all_rounds[r], in + in_at, len);
    if (failed) FAIL("chacha %s: %zu bytes: status %d", row, len, failed);
    expect_output(out, streams[r][form], len, format, row, len, all_rounds[r], nonce_lens[form], "apart", at % 64,
                  in_at);

    out = output_at(at % 64, len);
    memcpy(out, text, len);
    failed = stream_xor(nonce_lens[form], out, k, n, 7, all_rounds[r], out, len);
    if (failed) FAIL("chacha %s: %zu bytes: status %d", row, len, failed);
    expect_output(out, streams[r][form], len, format, row, len, all_rounds[r], nonce_lens[form], "in place", at % 64,
                  at % 64);
}

static void compare_keystream(const char *row, size_t len, size_t at)
{
    uint8_t *out = output_at(at % 64, len);

    if (qs_chacha_xor(out, key, nonce, 7, 20, NULL, len)) FAIL("chacha %s: keystream of %zu bytes", row, len);
    for (size_t i = 0; i < len; i++) want[i] = streams[2][0][i] ^ text[i];
    expect_output(out, want, len, "chacha %s: keystream of %zu bytes, out +%zu", row, len, at % 64);
}

static void make_streams(void)
{
    random_bytes(key, sizeof key);
    random_bytes(nonce, sizeof nonce);
    random_bytes(text, sizeof text);
    for (unsigned r = 0; r < COUNT(all_rounds); r++)
        for (unsigned form = 0; form < 3; form++)
            slow_chacha(streams[r][form], key, nonce, nonce_lens[form], 7, all_rounds[r], text, LONG_LENGTH);
}

static void lengths_of(const struct qs_kernel *row, void *arg)
{
    (void)arg;
    for (size_t len = 0; len <= EVERY_LENGTH; len++) {
        /* Rounds and nonces make no difference to how a length is cut, so each length has three of the nine. */
        for (unsigned r = 0; r < COUNT(all_rounds); r++)
            compare_stream(row->name, r, (unsigned)(len + r) % 3, len, len + 21 * r);
        compare_keystream(row->name, len, len);
    }
    for (unsigned i = 0; i < 63; i++) {
        size_t len = random_below(LONG_LENGTH + 1);
        compare_stream(row->name, i % 3, i / 3 % 3, len, random_below(64));
        compare_keystream(row->name, len, random_below(64));
    }
    covered("lengths", "chacha", row->name);
}

static void hchacha_of(const struct qs_kernel *row, void *arg)
{
    uint8_t keys[96], nonces[96], out[FRINGE + 32 + 64 + FRINGE], right[32];

    (void)arg;
    for (size_t at = 0; at < 3 * 64; at++) {
        uint8_t *k = keys + at % 64, *n = nonces + at * 5 % 64, *o = out + FRINGE + at * 3 % 64;
        unsigned rounds = all_rounds[at / 64];

        random_bytes(keys, sizeof keys);
        random_bytes(nonces, sizeof nonces);
        slow_hchacha(right, k, n, rounds);
        memset(out, FRINGE_BYTE, sizeof out);
        if (qs_hchacha(o, k, n, rounds)) FAIL("hchacha %s failed", row->name);
        expect_output(o, right, 32, "hchacha %s, %u rounds, out +%zu", row->name, rounds, at * 3 % 64);
        memcpy(o, k, 32);
        if (qs_hchacha(o, o, n, rounds)) FAIL("hchacha %s failed in place", row->name);
        expect_output(o, right, 32, "hchacha %s, %u rounds, in place +%zu", row->name, rounds, at * 3 % 64);
    }
    covered("hchacha", "chacha", row->name);
}

static void each_row_makes_the_right_stream(void **unused)
{
    (void)unused;
    make_streams();
    each_row(QS_CHACHA, lengths_of, NULL);
    each_row(QS_CHACHA, hchacha_of, NULL);
}

/* ---- pieces, finished by other rows ------------------------------------------------------------------------------ */

/* Pieces of up to `most` bytes, in place or not; the row under test does the even ones, any other the odd ones. */
static void compare_pieces(const struct qs_kernel *row, size_t len, size_t most, int in_place)
{
    const unsigned mine = (unsigned)(row - qs_tables[QS_CHACHA].rows);
    struct qs_keystream k = {.rounds = 20};
    uint8_t *out = output_at(random_below(64), len);
    size_t at = 0;

    slow_state(k.state, key, nonce, 12, 7);
    if (in_place) memcpy(out, text, len);
    for (unsigned i = 0; at < len; i++) {
        size_t n = random_below(most + 1);
        if (n > len - at) n = len - at;
        if (i % 2) choose_random_row(QS_CHACHA);
        else choose_row(QS_CHACHA, mine);
        qs_keystream_xor(&k, out + at, in_place ? out + at : text + at, n);
        at += n;
    }
    expect_output(out, streams[2][0], len, "chacha %s: %zu bytes in pieces of up to %zu, %s", row->name, len, most,
                  in_place ? "in place" : "apart");
}

static void pieces_of(const struct qs_kernel *row, void *arg)
{
    (void)arg;
    for (unsigned i = 0; i < 1500; i++) {
        static const size_t most[] = {3, 17, 64, 65, 200, 600, 1100, 5000};
        compare_pieces(row, random_below(i % 100 ? EVERY_LENGTH + 1 : LONG_LENGTH + 1), most[i % COUNT(most)],
                       i / 8 % 2);
    }
    covered("pieces", "chacha", row->name);
}

static void pieces_make_the_same_stream(void **unused)
{
    (void)unused;
    make_streams();
    each_row(QS_CHACHA, pieces_of, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kernel_makes_the_right_blocks),
        cmocka_unit_test(each_row_makes_the_right_stream),
        cmocka_unit_test(pieces_make_the_same_stream),
    };
    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
