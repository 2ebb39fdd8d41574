/* SPDX-License-Identifier: MIT */
#include "harness.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- random input: splitmix64 (Steele, Lea, Flood, 2014) --------------------------------------------------------- */

static uint64_t random_state;

void random_seed(uint64_t seed) { random_state = seed; }

uint64_t random_u64(void)
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

size_t random_below(size_t n) { return (size_t)(random_u64() % n); }

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

/* ---- guard pages ------------------------------------------------------------------------------------------------- */

static uint8_t *pool;
static size_t page, room, stride; /* of a slot: its room, and the guard page before it */

static uint8_t *guard_room(unsigned slot)
{
    if (slot >= GUARD_SLOTS) FAIL("guard slot %u does not exist", slot);
    if (!pool) {
        page = (size_t)sysconf(_SC_PAGESIZE);
        room = (GUARD_ROOM + page - 1) / page * page;
        stride = page + room;
        pool = mmap(NULL, GUARD_SLOTS * stride + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pool == MAP_FAILED) FAIL("no memory for guard pages");
        for (unsigned i = 0; i < GUARD_SLOTS; i++)
            if (mprotect(pool + i * stride + page, room, PROT_READ | PROT_WRITE)) FAIL("mprotect failed");
    }
    return pool + slot * stride + page;
}

uint8_t *guard_start(unsigned slot, size_t len)
{
    if (len > GUARD_ROOM) FAIL("%zu bytes do not fit a guarded room", len);
    return guard_room(slot);
}

uint8_t *guard_end(unsigned slot, size_t len) { return guard_start(slot, len) + room - len; }

static char note[256];

static void on_fault(int signal_number, siginfo_t *info, void *context)
{
    char text[512];
    size_t at = (size_t)((uintptr_t)info->si_addr - (uintptr_t)pool), slot = at / stride, into = at % stride;
    int n;

    (void)context;
    if (at >= GUARD_SLOTS * stride + page)
        n = snprintf(text, sizeof text, "signal %d at %p, no guard page: %s\n", signal_number, info->si_addr, note);
    else if (into < page / 2) /* nearer to the room before than to the one behind this guard page */
        n = snprintf(text, sizeof text, "access behind slot %zu (byte %zu): %s\n", slot - 1, into, note);
    else n = snprintf(text, sizeof text, "access before slot %zu (byte -%zu): %s\n", slot, page - into, note);
    if (write(STDERR_FILENO, text, (size_t)n) != n) _exit(2);
    _exit(1);
}

void guard_note(const char *format, ...)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    va_list args;

    va_start(args, format);
    vsnprintf(note, sizeof note, format, args);
    va_end(args);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Asking a CPU for its features takes long where a hypervisor answers, so it is asked once. */
static int can_run(enum qs_primitive primitive, unsigned i)
{
    static uint32_t runnable[QS_PRIMITIVES];
    const struct qs_table *t = &qs_tables[primitive];

    if (!runnable[primitive]) /* the last row always is */
        for (unsigned j = 0; j < t->n; j++) runnable[primitive] |= (uint32_t)qs_can_run(&t->rows[j]) << j;
    return (int)(runnable[primitive] >> i & 1);
}

void choose_row(enum qs_primitive primitive, unsigned i)
{
    qs_disable(primitive, ~(UINT32_C(1) << i));
    /* The row may be hidden, or one that this CPU avoids. */
    __atomic_store_n(&qs_chosen[primitive], &qs_tables[primitive].rows[i], __ATOMIC_SEQ_CST);
}

void choose_random_row(enum qs_primitive primitive)
{
    unsigned i;

    do i = (unsigned)random_below(qs_tables[primitive].n);
    while (!can_run(primitive, i));
    choose_row(primitive, i);
}

void choose_best_row(enum qs_primitive primitive) { qs_disable(primitive, 0); }

void each_row(enum qs_primitive primitive, row_body *body, void *arg)
{
    const struct qs_table *t = &qs_tables[primitive];

    for (unsigned i = 0; i < t->n; i++) {
        if (!can_run(primitive, i)) {
            print_message("skipped: this CPU cannot run %s row %s\n", t->primitive, t->rows[i].name);
            continue;
        }
        choose_row(primitive, i);
        body(&t->rows[i], arg);
        choose_best_row(primitive);
    }
}

struct path {
    named_body *body;
    void *arg;
    enum qs_primitive primitive;
};

static void with_row(const struct qs_kernel *row, void *arg)
{
    const struct path *p = arg;
    const struct qs_table *t = &qs_tables[p->primitive];
    char text[64];

    /* The last row of a table of whole messages only hands on to the tables before it. */
    if (p->primitive >= QS_AEAD && row == &t->rows[t->n - 1]) return;
    snprintf(text, sizeof text, "%s:%s", t->primitive, row->name);
    p->body(text, p->arg);
}

void each_path(named_body *body, void *arg)
{
    for (int p = 0; p < QS_PRIMITIVES; p++) {
        struct path path = {body, arg, (enum qs_primitive)p};
        for (int q = QS_AEAD; q < QS_PRIMITIVES; q++)
            if (q > p) choose_row((enum qs_primitive)q, qs_tables[q].n - 1);
        each_row((enum qs_primitive)p, with_row, &path);
        for (int q = QS_AEAD; q < QS_PRIMITIVES; q++) choose_best_row((enum qs_primitive)q);
    }
}

void each_level(named_body *body, void *arg)
{
    for (size_t i = 0; qs_cpu_level(i); i++) {
        assert_int_equal(qs_cpu_limit(qs_cpu_level(i)), QS_OK);
        body(qs_cpu_level(i), arg);
    }
    assert_int_equal(qs_cpu_limit(NULL), QS_OK);
}

qs_chacha_blocks *chacha_reference(void) { return qs_chacha_blocks_generic; }

qs_poly1305_blocks *poly1305_reference(void) { return qs_poly1305_blocks_generic32; }

/* ---- coverage and failures --------------------------------------------------------------------------------------- */

void covered(const char *kind, const char *primitive, const char *row)
{
    const char *path = getenv("QS_TEST_COVERAGE");
    FILE *f = path ? fopen(path, "a") : NULL;
    if (!f) return;
    fprintf(f, "%s %s %s\n", kind, primitive, row);
    fclose(f);
}

static void expect(const uint8_t *got, const uint8_t *want, size_t len, size_t fringe, const char *format, va_list args)
{
    char text[256];
    size_t i = 0;
    int where = 0; /* -1, 0 or 1: the first wrong byte is before, in or behind */

    for (size_t j = 1; j <= fringe && where == 0; j++) {
        if (got[-(ptrdiff_t)j] != FRINGE_BYTE) where = -1, i = j;
        else if (got[len + j - 1] != FRINGE_BYTE) where = 1, i = j;
    }
    if (where == 0) {
        while (i < len && got[i] == want[i]) i++;
        if (i == len) return;
    }
    vsnprintf(text, sizeof text, format, args);
    if (where == 0) FAIL("%s: byte %zu of %zu is %02x, should be %02x", text, i, len, got[i], want[i]);
    FAIL("%s: byte %zu %s the %zu of the output was written", text, i, where < 0 ? "before" : "behind", len);
}

void expect_bytes(const uint8_t *got, const uint8_t *want, size_t len, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    expect(got, want, len, 0, format, args);
    va_end(args);
}

void expect_output(const uint8_t *out, const uint8_t *want, size_t len, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    expect(out, want, len, FRINGE, format, args);
    va_end(args);
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
    print_message("seed %llu", (unsigned long long)value);
    for (int p = 0; p < QS_PRIMITIVES; p++)
        print_message(", %s row %s", qs_tables[p].primitive, qs_kernel_of((enum qs_primitive)p)->name);
    print_message("\n");
}
