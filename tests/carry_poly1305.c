/* SPDX-License-Identifier: MIT
 *
 * Poly1305 where carries are rare in random tests: accumulators, products and residues around 0, p = 2^130 - 5, 2^128
 * and 2^130, and limbs of ones, in every row.
 */
#include "kernel_slow.h"

static const uint32_t minus_1[5] = {0xfffffffa, 0xffffffff, 0xffffffff, 0xffffffff, 3};
static const uint32_t bit128[5] = {0, 0, 0, 0, 1};

static void subtract(uint32_t h[5], const uint32_t b[5])
{
    uint32_t negative[5];

    memcpy(negative, b, sizeof negative);
    slow_multiply(negative, minus_1);
    slow_add(h, negative);
}

/* 1 / r = r^(p - 2); the bits of p - 2 = 2^130 - 7 are ones, but for bits 1 and 2. */
static void invert(uint32_t inverse[5], const uint32_t r[5])
{
    memcpy(inverse, r, 5 * sizeof *r);
    for (int bit = 128; bit >= 0; bit--) {
        slow_multiply(inverse, inverse);
        if (bit != 1 && bit != 2) slow_multiply(inverse, r);
    }
}

/* ---- messages that lead to a residue ----------------------------------------------------------------------------- */

/* The residues wanted, as their distance from a power of two: 0 and p, the ends of limbs of every radix in use, 2^128,
 * 2^130. */
static const struct {
    int bit, distance;
} residues[] = {
    {0, -1},  {0, 0},    {0, 1},   {0, 2},     {0, 3},    {0, 4},    {0, 5},    {0, 15},   {26, -1},  {26, 0},
    {32, -1}, {32, 0},   {44, -1}, {44, 0},    {52, -1},  {52, 0},   {64, -1},  {64, 0},   {78, -1},  {78, 0},
    {88, -1}, {88, 0},   {96, -1}, {96, 0},    {104, -1}, {104, 0},  {128, -6}, {128, -5}, {128, -1}, {128, 0},
    {128, 1}, {129, -1}, {129, 0}, {130, -12}, {130, -8}, {130, -7}, {130, -6},
};

static void residue(uint32_t h[5], size_t i)
{
    uint32_t distance[5] = {(uint32_t)abs(residues[i].distance), 0, 0, 0, 0};

    memset(h, 0, 5 * sizeof *h);
    h[residues[i].bit / 32] = UINT32_C(1) << residues[i].bit % 32;
    if (residues[i].distance < 0) subtract(h, distance);
    else slow_add(h, distance);
}

enum { BLOCKS = 4 * LANES + 5 };

struct message {
    uint32_t r[5];
    unsigned lanes;
    size_t n; /* blocks */
    uint8_t text[16 * BLOCKS];
};

/* For a kernel that adds every lanes-th block to one accumulator, a = a r^lanes + m + 2^128: blocks that make almost
 * every such a one of the residues, m = residue - a r^lanes - 2^128. Only a quarter of all residues can be reached by
 * one block; the first that can be, from a random one on, is taken. With `after`, it is the residue of a after the next
 * multiplication, so that h ends as such a one. */
static void make_message(struct message *m, int after)
{
    uint32_t accumulators[LANES][5] = {{0}}, step[5] = {1, 0, 0, 0, 0}, inverse[5] = {1, 0, 0, 0, 0};

    for (unsigned i = 0; i < m->lanes; i++) slow_multiply(step, m->r);
    if (after) invert(inverse, step);
    for (size_t j = 0; j < m->n; j++) {
        uint32_t *a = accumulators[j % m->lanes], block[5] = {0, 0, 0, 0, 1};
        size_t first = random_below(COUNT(residues));

        slow_multiply(a, step);
        slow_add(a, bit128);
        for (size_t i = 0; i < COUNT(residues) && block[4]; i++) {
            residue(block, (first + i) % COUNT(residues));
            slow_multiply(block, inverse);
            subtract(block, a);
        }
        if (block[4]) {
            random_bytes(block, 16);
            block[4] = 0;
        }
        for (unsigned i = 0; i < 4; i++) qs_store32(m->text + 16 * j + 4 * i, block[i]);
        slow_add(a, block);
    }
}

static void directed_of(const struct qs_kernel *row, void *arg)
{
    const struct message *m = arg;
    uint32_t h[5] = {0}, want[5] = {0};
    uint8_t key[32], tag[16], right[16];

    row->blocks.poly1305(h, m->r, m->text, m->n, 1);
    slow_poly1305_blocks(want, m->r, m->text, m->n, 1);
    if (h[4] > 7) FAIL("poly1305 %s: %zu directed blocks: h[4] is %u", row->name, m->n, h[4]);
    slow_reduce(h);
    if (memcmp(h, want, sizeof h))
        FAIL("poly1305 %s: %zu blocks made for %u lanes: h is %08x %08x %08x %08x %08x, should be %08x %08x %08x %08x "
             "%08x",
             row->name, m->n, m->lanes, h[4], h[3], h[2], h[1], h[0], want[4], want[3], want[2], want[1], want[0]);

    /* Through the final reduction and the addition of s, which carries or does not. */
    for (int ones = 0; ones < 2; ones++) {
        for (unsigned i = 0; i < 4; i++) qs_store32(key + 4 * i, m->r[i]);
        memset(key + 16, ones ? 0xff : 0, 16);
        slow_poly1305(right, key, m->text, 16 * m->n);
        qs_poly1305(tag, key, m->text, 16 * m->n);
        expect_bytes(tag, right, 16, "poly1305 %s: tag of %zu blocks made for %u lanes", row->name, m->n, m->lanes);
    }
}

static void carried(const struct qs_kernel *row, void *arg) { covered(arg, "poly1305", row->name); }

static void residues_around_every_limb(void **unused)
{
    static struct message m;

    (void)unused;
    for (unsigned i = 0; i < 600; i++) {
        m.lanes = 1u << i % 5;
        m.n = i % 2 ? BLOCKS : 1 + random_below(BLOCKS);
        if (i % 3) random_dense(m.r, 16);
        else random_bytes(m.r, 16);
        slow_clamp(m.r);
        m.r[0] |= 1; /* not 0: it has no inverse */
        make_message(&m, i / 5 % 2);
        each_row(QS_POLY1305, directed_of, &m);
    }
    each_row(QS_POLY1305, carried, "residues");
}

/* ---- accumulators and keys at the ends of what the contract allows ----------------------------------------------- */

static const uint32_t edges[] = {0,          1,          4,          5,          0x3fffffff, 0x7fffffff,
                                 0x80000000, 0xfffffffa, 0xfffffffb, 0xfffffffc, 0xffffffff};
static const uint32_t key_edges[] = {0, 1, 4, 0x03ffffff, 0x04000000, 0x0ffffff0, 0x0fffffff};

/* Five words that together are at an edge more often than not. */
static void edge_accumulator(uint32_t h[5])
{
    uint32_t word = edges[random_below(COUNT(edges))];
    for (unsigned i = 0; i < 4; i++) h[i] = random_below(3) ? word : edges[random_below(COUNT(edges))];
    if (random_below(2)) h[0] = edges[random_below(COUNT(edges))];
    h[4] = (uint32_t)random_below(8);
}

static void edges_of(const struct qs_kernel *row, void *arg)
{
    (void)arg;
    for (unsigned i = 0; i < 60000; i++) {
        static const uint8_t bytes[] = {0xff, 0xff, 0x00, 0xfb};
        uint8_t text[16 * (2 * LANES + 2)];
        uint32_t h[5], start[5], want[5], r[4], pad = i % 4 != 0;
        size_t n = i % 2 ? 1 : 1 + random_below(sizeof text / 16);
        uint32_t word = key_edges[random_below(COUNT(key_edges))];

        edge_accumulator(start);
        for (unsigned j = 0; j < 4; j++) r[j] = random_below(3) ? word : key_edges[random_below(COUNT(key_edges))];
        slow_clamp(r);
        memset(text, bytes[random_below(COUNT(bytes))], 16 * n);
        if (i % 5 == 0) random_dense(text, 16 * n);
        memcpy(h, start, sizeof h);
        memcpy(want, start, sizeof want);
        slow_poly1305_blocks(want, r, text, n, pad);
        row->blocks.poly1305(h, r, text, n, pad);
        uint32_t top = h[4];
        slow_reduce(h);
        if (top > 7 || memcmp(h, want, sizeof h))
            FAIL("poly1305 %s: %zu blocks of %02x.., pad %u, from h %08x %08x %08x %08x %08x, r %08x %08x %08x %08x: "
                 "h[4] is %u, h mod p %08x %08x %08x %08x %08x, should be %08x %08x %08x %08x %08x",
                 row->name, n, text[0], pad, start[4], start[3], start[2], start[1], start[0], r[3], r[2], r[1], r[0],
                 top, h[4], h[3], h[2], h[1], h[0], want[4], want[3], want[2], want[1], want[0]);
    }
    covered("limbs", "poly1305", row->name);
}

static void accumulators_at_every_edge(void **unused)
{
    (void)unused;
    each_row(QS_POLY1305, edges_of, NULL);
}

/* The frontend's final reduction, from every multiple of p within the format and its neighbours, and from edges. */
static void compare_final(const uint32_t h[5])
{
    struct qs_mac m = {0};
    uint32_t want[5];
    uint64_t sum = 0;
    uint8_t tag[16], right[16];

    random_dense(m.s, sizeof m.s);
    memcpy(m.h, h, sizeof m.h);
    memcpy(want, h, sizeof want);
    slow_reduce(want);
    for (unsigned i = 0; i < 4; i++) {
        sum += (uint64_t)want[i] + m.s[i];
        qs_store32(right + 4 * i, (uint32_t)sum);
        sum >>= 32;
    }
    qs_mac_final(&m, tag);
    expect_bytes(tag, right, 16, "final reduction of h = %08x %08x %08x %08x %08x, s = %08x %08x %08x %08x", h[4], h[3],
                 h[2], h[1], h[0], m.s[3], m.s[2], m.s[1], m.s[0]);
}

static void final_reduction_at_every_edge(void **unused)
{
    uint32_t h[5];

    (void)unused;
    for (unsigned i = 0; i < 100000; i++) {
        edge_accumulator(h);
        compare_final(h);
    }
    for (int near = -40; near <= 40; near++)
        for (uint32_t top = 0; top < 8; top++) {
            /* near top * 2^128: p = 2^130 - 5, 2^130, 2 p = 2^131 - 10, 2^131 - 1 and 0 are among them */
            uint32_t low = (uint32_t)near, high = near < 0 ? UINT32_MAX : 0;
            uint32_t around[5] = {low, high, high, high, near < 0 ? (top - 1) & 7 : top};
            compare_final(around);
        }
}

/* ---- carries that one message in 2^18 has ------------------------------------------------------------------------ */

/* Where a sum of lanes goes back into 64-bit words, small numbers are added to words of random bits. */
static void many_of(const struct qs_kernel *row, void *arg)
{
    size_t n = *(const size_t *)arg;

    for (size_t i = 0; i < n; i++) {
        uint64_t text[2 * 20], key[2];
        uint32_t h[5] = {0}, want[5] = {0}, r[4];
        size_t blocks = 13 + i % 8;

        for (size_t j = 0; j < 2 * blocks; j++) text[j] = random_u64();
        key[0] = random_u64(), key[1] = random_u64();
        memcpy(r, key, sizeof r);
        slow_clamp(r);
        row->blocks.poly1305(h, r, (const uint8_t *)text, blocks, 1);
        poly1305_reference()(want, r, (const uint8_t *)text, blocks, 1);
        slow_reduce(h);
        slow_reduce(want);
        if (memcmp(h, want, sizeof h)) FAIL("poly1305 %s: message %zu of %zu random blocks", row->name, i, blocks);
    }
}

static void carries_that_are_rare(void **unused)
{
    size_t n = getenv("QS_TEST_LONG") ? (size_t)1 << 21 : (size_t)1 << 12;

    (void)unused;
    each_row(QS_POLY1305, many_of, &n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residues_around_every_limb),
        cmocka_unit_test(accumulators_at_every_edge),
        cmocka_unit_test(final_reduction_at_every_edge),
        cmocka_unit_test(carries_that_are_rare),
    };
    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
