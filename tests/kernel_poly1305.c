/* SPDX-License-Identifier: MIT
 *
 * Every Poly1305 row, alone and under the MAC functions, against the slow reference.
 */
#include "kernel_slow.h"

static uint8_t text[LONG_LENGTH + 64], copy[LONG_LENGTH + 64];

/* ---- the kernels ------------------------------------------------------------------------------------------------- */

static void fill(void *p, size_t len, int dense)
{
    if (dense) random_dense(p, len);
    else random_bytes(p, len);
}

/* h may be any number below 2^131. What comes out is compared mod p, and must be such a number again. */
static void compare_blocks(const struct qs_kernel *row, size_t n, size_t at, int dense)
{
    uint32_t h[5], want[5], kept[4], pad = (uint32_t)random_below(2);
    uint32_t rooms[2][16 + 5], *got = rooms[0] + random_below(16), *r = rooms[1] + random_below(16); /* at any word */

    fill(h, sizeof h, dense);
    h[4] &= 7;
    fill(r, sizeof kept, dense);
    slow_clamp(r);
    fill(copy + at, 16 * n, dense);
    memcpy(got, h, sizeof h);
    memcpy(want, h, sizeof h);
    memcpy(kept, r, sizeof kept);
    memcpy(text, copy + at, 16 * n);

    slow_poly1305_blocks(want, r, text, n, pad);
    row->blocks.poly1305(got, r, copy + at, n, pad);
    if (got[4] > 7) FAIL("poly1305 %s: %zu blocks, in +%zu: h[4] is %u", row->name, n, at, got[4]);
    slow_reduce(got);
    if (memcmp(got, want, sizeof want))
        FAIL("poly1305 %s: %zu blocks, in +%zu, pad %u, %s: h is %08x %08x %08x %08x %08x, should be %08x %08x %08x "
             "%08x %08x; r %08x %08x %08x %08x",
             row->name, n, at, pad, dense ? "dense" : "random", got[4], got[3], got[2], got[1], got[0], want[4],
             want[3], want[2], want[1], want[0], r[3], r[2], r[1], r[0]);
    if (memcmp(r, kept, sizeof kept) || memcmp(copy + at, text, 16 * n))
        FAIL("poly1305 %s: %zu blocks: an input was written", row->name, n);
}

static void blocks_of(const struct qs_kernel *row, void *arg)
{
    (void)arg;
    for (size_t n = 1; n <= EVERY_LENGTH / 16; n++)
        for (unsigned i = 0; i < 8; i++) compare_blocks(row, n, random_below(64), i % 4 != 0);
    for (size_t at = 0; at < 64; at++)
        for (size_t n = 1; n <= 2 * LANES + 1; n++) compare_blocks(row, n, at, 0);
    for (unsigned i = 0; i < 30000; i++) compare_blocks(row, 1 + random_below(2 * LANES + 2), random_below(64), 1);
    for (unsigned i = 0; i < 24; i++) compare_blocks(row, 1 + random_below(LONG_LENGTH / 16), random_below(64), i % 2);
    covered("blocks", "poly1305", row->name);
}

static void each_kernel_multiplies_right(void **unused)
{
    (void)unused;
    each_row(QS_POLY1305, blocks_of, NULL);
}

/* ---- whole messages ---------------------------------------------------------------------------------------------- */

static uint8_t key[32], tags[EVERY_LENGTH + 1][16]; /* the reference's, for every length */

static void compare_tag(const char *row, size_t len, const uint8_t want[16], size_t at)
{
    uint8_t keys[96], out[FRINGE + 16 + 64 + FRINGE], *tag = out + FRINGE + at * 3 % 64;

    memset(out, FRINGE_BYTE, sizeof out);
    memcpy(keys + at * 5 % 64, key, 32);
    memcpy(copy + at % 64, text, len);
    qs_poly1305(tag, keys + at * 5 % 64, copy + at % 64, len);
    expect_output(tag, want, 16, "poly1305 %s: %zu bytes, in +%zu, key +%zu, tag +%zu", row, len, at % 64, at * 5 % 64,
                  at * 3 % 64);
}

static void lengths_of(const struct qs_kernel *row, void *arg)
{
    (void)arg;
    for (size_t len = 0; len <= EVERY_LENGTH; len++) {
        compare_tag(row->name, len, tags[len], len);
        compare_tag(row->name, len, tags[len], len / 64);
    }
    for (size_t at = 0; at < 64; at++)
        for (size_t len = 0; len < 80; len++) compare_tag(row->name, len, tags[len], at);
    covered("lengths", "poly1305", row->name);
}

static void long_of(const struct qs_kernel *row, void *arg)
{
    const size_t *len = arg;
    uint8_t want[16];

    slow_poly1305(want, key, text, *len);
    compare_tag(row->name, *len, want, random_below(64));
}

static void make_tags(int dense)
{
    fill(key, sizeof key, dense);
    fill(text, sizeof text, dense);
    for (size_t len = 0; len <= EVERY_LENGTH; len++) slow_poly1305(tags[len], key, text, len);
}

static void each_row_makes_the_right_tag(void **unused)
{
    (void)unused;
    for (int dense = 0; dense < 2; dense++) {
        make_tags(dense);
        each_row(QS_POLY1305, lengths_of, NULL);
    }
    for (unsigned i = 0; i < 16; i++) {
        size_t len = random_below(LONG_LENGTH + 1);
        each_row(QS_POLY1305, long_of, &len);
    }
}

/* ---- pieces, finished by other rows ------------------------------------------------------------------------------ */

/* Pieces of up to `most` bytes; the row under test does the even ones, any other the odd ones. The context is used for
 * one message after the other, so that nothing of the last one may remain. */
static void compare_pieces(const struct qs_kernel *row, qs_poly1305_ctx *ctx, size_t len, size_t most)
{
    const unsigned mine = (unsigned)(row - qs_tables[QS_POLY1305].rows);
    uint8_t tag[16];
    size_t at = 0;

    qs_poly1305_init(ctx, key);
    for (unsigned i = 0; at < len; i++) {
        size_t n = random_below(most + 1);
        if (n > len - at) n = len - at;
        if (i % 2) choose_random_row(QS_POLY1305);
        else choose_row(QS_POLY1305, mine);
        qs_poly1305_update(ctx, text + at, n);
        at += n;
    }
    qs_poly1305_final(ctx, tag);
    expect_bytes(tag, tags[len], 16, "poly1305 %s: %zu bytes in pieces of up to %zu", row->name, len, most);
}

static void pieces_of(const struct qs_kernel *row, void *arg)
{
    static const size_t most[] = {3, 15, 16, 17, 40, 64, 300, 600, 1100, 4000};
    qs_poly1305_ctx ctx;

    (void)arg;
    memset(&ctx, 0xa5, sizeof ctx);
    for (unsigned i = 0; i < 3000; i++)
        compare_pieces(row, &ctx, random_below(EVERY_LENGTH + 1), most[i % COUNT(most)]);
    /* A message given up after it began. */
    qs_poly1305_init(&ctx, key);
    qs_poly1305_update(&ctx, text, 1000 - 3);
    compare_pieces(row, &ctx, 777, 100);
    covered("pieces", "poly1305", row->name);
}

static void pieces_make_the_same_tag(void **unused)
{
    (void)unused;
    for (int dense = 0; dense < 2; dense++) {
        make_tags(dense);
        each_row(QS_POLY1305, pieces_of, NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kernel_multiplies_right),
        cmocka_unit_test(each_row_makes_the_right_tag),
        cmocka_unit_test(pieces_make_the_same_tag),
    };
    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
