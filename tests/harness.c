/* SPDX-License-Identifier: MIT */
#include "harness.h"

#include <sys/mman.h>
#include <unistd.h>

/* ---- random input: splitmix64 (Steele, Lea, Flood, 2014) ---------------------------------------------------------- */

static uint64_t random_state;

void random_seed(uint64_t seed)
{
    random_state = seed;
}

uint64_t random_u64(void)
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

size_t random_below(size_t n)
{
    return (size_t)(random_u64() % n);
}

void random_bytes(void *p, size_t len)
{
    uint8_t *b = p;
    for (; len >= 8; len -= 8, b += 8) {
        uint64_t x = random_u64();
        memcpy(b, &x, 8);
    }
    for (uint64_t x = random_u64(); len; len--, x >>= 8) *b++ = (uint8_t)x;
}

void random_dense(void *p, size_t len)
{
    static const uint8_t bytes[] = {0x00, 0xff, 0xfb, 0xfc, 0xfe, 0x80, 0x01, 0xff};
    uint8_t *b = p;
    while (len) {
        size_t run = 1 + random_below(20);
        if (run > len) run = len;
        size_t which = random_below(COUNT(bytes) + 1);
        if (which < COUNT(bytes)) memset(b, bytes[which], run);
        else random_bytes(b, run);
        b += run, len -= run;
    }
}

/* ---- guard pages -------------------------------------------------------------------------------------------------- */

static uint8_t *guard_room(unsigned slot)
{
    static uint8_t *pool;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t room = (GUARD_ROOM + page - 1) / page * page, stride = room + page;

    if (slot >= GUARD_SLOTS) FAIL("guard slot %u does not exist", slot);
    if (!pool) {
        pool = mmap(NULL, GUARD_SLOTS * stride + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pool == MAP_FAILED) FAIL("no memory for guard pages");
        for (unsigned i = 0; i < GUARD_SLOTS; i++)
            if (mprotect(pool + page + i * stride, room, PROT_READ | PROT_WRITE)) FAIL("mprotect failed");
    }
    return pool + page + slot * stride;
}

uint8_t *guard_start(unsigned slot, size_t len)
{
    if (len > GUARD_ROOM) FAIL("%zu bytes do not fit a guarded room", len);
    return guard_room(slot);
}

uint8_t *guard_end(unsigned slot, size_t len)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return guard_start(slot, len) + (GUARD_ROOM + page - 1) / page * page - len;
}

/* ---- rows --------------------------------------------------------------------------------------------------------- */

void each_row(enum qs_primitive primitive, row_body *body, void *arg)
{
    const struct qs_table *t = &qs_tables[primitive];
    const uint32_t before = qs_disabled(primitive);

    for (unsigned i = 0; i < t->n; i++) {
        if (!qs_can_run(&t->rows[i])) {
            print_message("skipped: this CPU cannot run %s row %s\n", t->primitive, t->rows[i].name);
            continue;
        }
        qs_disable(primitive, ~(UINT32_C(1) << i));
        body(&t->rows[i], arg);
        qs_disable(primitive, before);
    }
}

struct pair {
    pair_body *body;
    void *arg;
    const char *chacha;
};

static void with_poly1305(const struct qs_kernel *row, void *arg)
{
    struct pair *p = arg;
    char text[64];
    snprintf(text, sizeof text, "%s+%s", p->chacha, row->name);
    p->body(text, p->arg);
}

static void with_chacha(const struct qs_kernel *row, void *arg)
{
    struct pair *p = arg;
    p->chacha = row->name;
    each_row(QS_POLY1305, with_poly1305, p);
}

void each_pair(pair_body *body, void *arg)
{
    struct pair p = {body, arg, NULL};
    each_row(QS_CHACHA, with_chacha, &p);
}

void each_level(pair_body *body, void *arg)
{
    for (size_t i = 0; qs_cpu_level(i); i++) {
        assert_int_equal(qs_cpu_limit(qs_cpu_level(i)), QS_OK);
        body(qs_cpu_level(i), arg);
    }
    assert_int_equal(qs_cpu_limit(NULL), QS_OK);
}

qs_chacha_blocks *chacha_reference(void)
{
    return qs_chacha_blocks_generic;
}

qs_poly1305_blocks *poly1305_reference(void)
{
    return qs_poly1305_blocks_generic32;
}

/* ---- coverage and failures ---------------------------------------------------------------------------------------- */

void covered(const char *kind, const char *primitive, const char *row)
{
    const char *path = getenv("QS_TEST_COVERAGE");
    FILE *f = path ? fopen(path, "a") : NULL;
    if (!f) return;
    fprintf(f, "%s %s %s\n", kind, primitive, row);
    fclose(f);
}

void expect_bytes(const uint8_t *got, const uint8_t *want, size_t len, const char *format, ...)
{
    char text[256];
    va_list args;
    size_t i = 0;

    while (i < len && got[i] == want[i]) i++;
    if (i == len) return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    FAIL("%s: byte %zu of %zu is %02x, should be %02x", text, i, len, got[i], want[i]);
}

void tests_start(void)
{
    const char *seed = getenv("QS_TEST_SEED"), *level = getenv("QUICKSTEP_CPU");
    uint64_t value = seed ? strtoull(seed, NULL, 0) : UINT64_C(20260101);

    random_seed(value);
    if (level && qs_cpu_limit(level) != QS_OK) {
        fprintf(stderr, "QUICKSTEP_CPU=%s: no such level\n", level);
        exit(2);
    }
    print_message("seed %llu, chacha row %s, poly1305 row %s\n", (unsigned long long)value,
                  qs_kernel_of(QS_CHACHA)->name, qs_kernel_of(QS_POLY1305)->name);
}
