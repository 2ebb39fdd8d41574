/* SPDX-License-Identifier: MIT
 *
 * A virtual machine that is copied while it runs: the state of the generator is the same in both copies, and the kernel
 * has a new generation of its keys in the one that was resumed. Here a copy of the state takes the machine's place.
 *
 *   random_vdso        with the vDSO of this kernel, which is told to make a new generation, as its driver for the
 *                      machine's generation ID would; that needs privileges
 *   random_vdso_model  with a model of one, and what such a function may answer
 */
#include "harness.h"

#include <errno.h>

#include "../random/random.h"

#ifdef __linux__
#include <fcntl.h>
#include <linux/random.h>
#include <sys/ioctl.h>
#include <unistd.h>
#endif

#ifdef MODEL

static struct {
    uint64_t generation;  /* of the kernel's keys */
    uint8_t fixed[16];    /* answered when `is_fixed` */
    int is_fixed, answer; /* negative: an error; or so many bytes at most */
    size_t state_len, called;
} vdso = {.generation = 1, .answer = 1000, .state_len = 144};

struct model_state {
    uint64_t generation, x;
};

static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Re-keyed from the kernel when that has another generation than the state; else the state alone says what comes. */
static long model(void *out, size_t len, unsigned flags, void *state, size_t state_len)
{
    struct model_state *s = state;
    uint8_t *o = out;

    if (state_len == ~(size_t)0 || flags || state_len != vdso.state_len) return -EINVAL;
    vdso.called++;
    if (vdso.answer < 0) return vdso.answer;
    if (s->generation != vdso.generation) {
        s->generation = vdso.generation;
        s->x = random_u64();
    }
    const size_t n = len < (size_t)vdso.answer ? len : (size_t)vdso.answer;
    for (size_t i = 0; i < n; i++) o[i] = vdso.is_fixed ? vdso.fixed[i] : (uint8_t)mixed(s->x++);
    return (long)n;
}

qs_vdso_getrandom *qs_vdso_getrandom_find(size_t *state_len)
{
    *state_len = vdso.state_len;
    return model;
}

static int new_generation(void)
{
    vdso.generation++;
    return 1;
}

#else

static int new_generation(void)
{
#ifdef RNDRESEEDCRNG
    const int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    const int done = fd >= 0 && ioctl(fd, RNDRESEEDCRNG) == 0;
    if (fd >= 0) close(fd);
    return done;
#else
    return 0;
#endif
}

#endif

/* ---- the machine ------------------------------------------------------------------------------------------------- */

static struct {
    struct qs_random_state state;
    uint32_t left;
} machine;

static void copy_machine(void)
{
    machine.state = *qs_random_thread.own;
    machine.left = qs_random_thread.left;
}

static void resume_copy(void)
{
    *qs_random_thread.own = machine.state;
    qs_random_thread.left = machine.left;
}

static void draw(uint8_t *out, size_t len, size_t piece)
{
    for (size_t at = 0; at < len; at += piece)
        assert_int_equal(qs_random(out + at, len - at < piece ? len - at : piece), QS_OK);
}

static int any_16_equal(const uint8_t *a, const uint8_t *b, size_t len)
{
    for (size_t i = 0; i + 16 <= len; i++)
        if (!memcmp(a + i, b + i, 16)) return 1;
    return 0;
}

enum { LEN = 3 * QS_RANDOM_POOL };

/* Two copies draw the same, then a third of a new generation. What differs, and from where? A kernel may make a new
 * generation by itself, between the first two; that will not happen each time. */
static void check_copies(size_t piece)
{
    static uint8_t first[LEN], second[LEN], third[LEN];

    for (int tries = 0;; tries++) {
        assert_int_equal(qs_random_reseed(), QS_OK);
        draw(first, 3000, 100);
        copy_machine();
        draw(first, LEN, piece);
        resume_copy();
        draw(second, LEN, piece);
        if (!memcmp(first, second, LEN)) break;
        if (tries == 5) FAIL("pieces of %zu: the copy of a state does not go on as the state did", piece);
    }
    resume_copy();
    if (!new_generation()) FAIL("the kernel makes no new generation");
    draw(third, LEN, piece);
    const size_t same = piece < QS_RANDOM_DIRECT ? machine.left / piece * piece : 0;
    if (memcmp(first, third, same)) FAIL("pieces of %zu: the pool was not used up", piece);
    if (any_16_equal(first + same + piece, third + same + piece, LEN - same - piece) ||
        (piece >= QS_RANDOM_DIRECT && any_16_equal(first, third, piece)))
        FAIL("pieces of %zu: after a new generation of keys the same bytes come", piece);
}

static void test_copied_machine(void **state)
{
    static const size_t pieces[] = {16, 32, 100, 1000, QS_RANDOM_DIRECT, 4096, LEN};
    size_t size;

    (void)state;
    assert_non_null(qs_vdso_getrandom_find(&size));
    print_message("a state of %zu bytes\n", size);
    assert_int_equal(qs_random(NULL, 0), QS_OK);
    if (qs_random_thread.own->vdso != size) FAIL("the vDSO is not used");
    for (size_t i = 0; i < COUNT(pieces); i++) check_copies(pieces[i]);
#ifdef MODEL
    covered("copied", "random", "all");
#endif
}

#ifdef MODEL

/* Each byte of its 16 counts, for the pool and for a long request. */
static void test_each_byte(void **state)
{
    static const size_t lengths[] = {16, 5000};
    static uint8_t out[17][16];
    static uint8_t all[5000];

    (void)state;
    vdso.is_fixed = 1;
    assert_int_equal(qs_random_reseed(), QS_OK);
    for (size_t l = 0; l < COUNT(lengths); l++) {
        if (lengths[l] >= QS_RANDOM_DIRECT) assert_int_equal(qs_random(all, 16), QS_OK); /* there is a pool */
        copy_machine();
        for (unsigned i = 0; i < 17; i++) {
            resume_copy();
            if (i < 16) vdso.fixed[i] ^= 1;
            assert_int_equal(qs_random(all, lengths[l]), QS_OK);
            if (i < 16) vdso.fixed[i] ^= 1;
            memcpy(out[i], all, 16);
            for (unsigned k = 0; k < i; k++)
                if (!memcmp(out[i], out[k], 16)) FAIL("%zu bytes: byte %u of the vDSO's does not count", lengths[l], k);
        }
        resume_copy();
        assert_int_equal(qs_random(all, lengths[l]), QS_OK);
        assert_memory_equal(out[16], all, 16);
    }
    vdso.is_fixed = 0;
}

/* Whatever it answers, bytes come; and a state that has no room is none. */
static void test_answers(void **state)
{
    static const int answers[] = {-EINTR, -ENOSYS, 0, 1, 15, 16};
    static uint8_t before[16], out[16];

    (void)state;
    for (unsigned i = 0; i < COUNT(answers); i++) {
        vdso.answer = answers[i];
        assert_int_equal(qs_random_reseed(), QS_OK);
        for (int k = 0; k < 3 * QS_RANDOM_POOL / 16; k++) {
            memcpy(before, out, 16);
            assert_int_equal(qs_random(out, 16), QS_OK);
            assert_memory_not_equal(before, out, 16);
        }
        for (unsigned k = 0; k < QS_RANDOM_KEY; k++) assert_int_equal(qs_random_thread.own->fresh[k], 0);
    }
    vdso.answer = 1000;
    vdso.state_len = QS_RANDOM_VDSO + 1;
    vdso.called = 0;
    assert_int_equal(qs_random_reseed(), QS_OK);
    assert_int_equal(qs_random(out, 16), QS_OK);
    assert_int_equal(vdso.called, 0);
    vdso.state_len = 144;
    assert_int_equal(qs_random_reseed(), QS_OK);
    assert_int_equal(qs_random(out, 16), QS_OK);
    assert_int_equal(vdso.called, 1);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copied_machine),
#ifdef MODEL
        cmocka_unit_test(test_each_byte),
        cmocka_unit_test(test_answers),
#endif
    };
    size_t size;

    if (!qs_vdso_getrandom_find(&size) || !new_generation()) {
        puts("skipped: no getrandom in this vDSO, or no leave to make the kernel's keys anew");
        return 77;
    }
    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
