/* SPDX-License-Identifier: MIT
 *
 * The construction, byte by byte, from a seed that is known. Links the generator as it is built without an operating
 * system: with one state, and nothing but the embedder's seeds.
 */
#include "harness.h"

#include "../random/random.h"

static uint8_t seed[32];
static int fails;

static qs_status source(uint8_t *out, size_t len)
{
    if (fails || len != sizeof seed) return QS_ERR_STATE;
    memcpy(out, seed, len);
    return QS_OK;
}

/* What header and source describe, in the simplest way. */
struct model {
    uint8_t key[32], pool[QS_RANDOM_POOL];
    size_t left;
};

static void stream(uint8_t *out, const uint8_t key[32], size_t len)
{
    uint32_t words[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};

    for (unsigned i = 0; i < 8; i++) words[4 + i] = qs_load32(key + 4 * i);
    for (; len; words[12]++) {
        uint8_t block[64] = {0};
        const size_t n = len < sizeof block ? len : sizeof block;
        chacha_reference()(block, block, 1, words, 20);
        memcpy(out, block, n);
        out += n, len -= n;
    }
}

static void model_take(struct model *m, uint8_t *out, size_t len)
{
    while (len) {
        if (m->left == 0) {
            stream(m->pool, m->key, sizeof m->pool);
            memcpy(m->key, m->pool, 32);
            m->left = sizeof m->pool - 32;
        }
        const size_t n = len < m->left ? len : m->left;
        memcpy(out, m->pool + 32 + m->left - n, n);
        m->left -= n;
        out += n, len -= n;
    }
}

static void model_call(struct model *m, uint8_t *out, size_t len)
{
    uint8_t key[32];

    if ((len <= 32 || len >= QS_RANDOM_DIRECT) && m->left < 32 && m->left < len)
        m->left = 0; /* too few for a short piece */
    if (len < QS_RANDOM_DIRECT) {
        model_take(m, out, len);
    } else {
        model_take(m, key, 32);
        stream(out, key, len);
    }
}

static void check_row(const struct qs_kernel *row, void *arg)
{
    static uint8_t got[70000], want[70000];
    static struct model m;

    (void)arg;
    assert_int_equal(qs_random_reseed(), QS_OK); /* a seed is added to the key there was: make that one known */
    for (unsigned i = 0; i < 8; i++) qs_store32(m.key + 4 * i, qs_random_thread.own->refill.state[4 + i]);
    m.left = 0;
    for (int reseeded = 0; reseeded < 3; reseeded++) {
        for (int i = 0; i < 3000; i++) {
            size_t len = random_below(40);
            if (i % 10 == 0) len = random_below(QS_RANDOM_DIRECT + 100);
            if (i % 50 == 0) len = random_below(70000);
            assert_int_equal(qs_random(got, len), QS_OK);
            model_call(&m, want, len);
            expect_bytes(got, want, len, "%s: call %d of %zu bytes", row->name, i, len);
        }
        random_bytes(seed, sizeof seed);
        assert_int_equal(qs_random_reseed(), QS_OK);
        for (unsigned i = 0; i < 32; i++) m.key[i] ^= seed[i];
        m.left = 0;
    }
    covered("random-known", "chacha", row->name);
}

static void test_model(void **state)
{
    (void)state;
    random_bytes(seed, sizeof seed);
    each_row(QS_CHACHA, check_row, NULL);
}

/* Every byte of a seed counts. */
static void test_seed_bytes(void **state)
{
    uint8_t out[33][32], first[32];

    (void)state;
    struct qs_random_state *s = qs_random_thread.own;
    memcpy(first, seed, sizeof seed);
    for (unsigned i = 0; i < 33; i++) {
        memcpy(seed, first, sizeof seed);
        if (i < 32) seed[i] ^= 0x40;
        s->epoch = 0; /* forgets the key there was */
        assert_int_equal(qs_random_reseed(), QS_OK);
        assert_int_equal(qs_random(out[i], 32), QS_OK);
        for (unsigned k = 0; k < i; k++)
            if (!memcmp(out[i], out[k], 32)) FAIL("byte %u of the seed does not count", i < 32 ? i : k);
    }
}

/* Without a source there are no bytes. */
static void test_no_source(void **state)
{
    uint8_t out[100];

    (void)state;
    memset(out, 0x5a, sizeof out);
    qs_random_source(NULL);
    assert_int_equal(qs_random(out, sizeof out), QS_ERR_ENTROPY);
    assert_int_equal(qs_random(out, 4), QS_ERR_ENTROPY);
    fails = 1;
    qs_random_source(source);
    assert_int_equal(qs_random(out, 4), QS_ERR_ENTROPY);
    for (unsigned i = 0; i < sizeof out; i++) assert_int_equal(out[i], 0x5a);
    fails = 0;
    assert_int_equal(qs_random(out, sizeof out), QS_OK);
}

/* An interrupt that comes while a call has the state makes its bytes from a seed of its own. */
static void test_interrupt(void **state)
{
    uint8_t got[2000] = {0}, want[2000]; /* MemorySanitizer does not see what assembly writes */

    (void)state;
    qs_random_thread.idle = NULL;
    for (size_t len = 0; len < sizeof got; len += 99) {
        assert_int_equal(qs_random(got, len), QS_OK);
        stream(want, seed, len);
        expect_bytes(got, want, len, "%zu bytes", len);
    }
    fails = 1;
    memset(got, 0x5a, sizeof got);
    for (size_t len = 1; len < sizeof got; len += 99) assert_int_equal(qs_random(got, len), QS_ERR_ENTROPY);
    for (size_t i = 0; i < sizeof got; i++) assert_int_equal(got[i], 0x5a);
    fails = 0;
    qs_random_thread.idle = qs_random_thread.own;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_source), cmocka_unit_test(test_model),
                                       cmocka_unit_test(test_seed_bytes), cmocka_unit_test(test_interrupt)};
    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
