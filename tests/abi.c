/* SPDX-License-Identifier: MIT
 *
 * Every kernel and every public function keeps what the ABI makes it keep. Argument: the path of quickstep.h; every
 * function it declares must have been called.
 */
#include "abi.h"

#ifdef ABI_STUB

#include <ctype.h>

static const char *header;

/* ---- rows and public functions ----------------------------------------------------------------------------------- */

struct names {
    const char *name[128];
    size_t n;
};

static void check_case(const struct abi_case *c, void *arg)
{
    struct names *called = arg;
    struct abi_call call = {0};

    arena_fill(random_u64() | 2, NULL);
    const char *fault = abi_call(&call, c->function, c->args, c->n_args);
    if (fault) FAIL("%s: %s", case_text(c), fault);
    if (c->status != CASE_ANY_STATUS && (int)call.result != c->status)
        FAIL("%s returns %d, should be %d", case_text(c), (int)call.result, c->status);
    if (called && (called->n == 0 || called->name[called->n - 1] != c->name)) {
        assert_true(called->n < COUNT(called->name));
        called->name[called->n++] = c->name;
    }
}

static void check_row(const struct qs_kernel *row, void *arg)
{
    enum qs_primitive primitive = *(enum qs_primitive *)arg;

    print_message("row %s\n", row->name);
    each_kernel_case(primitive, row, KERNEL_DATA, check_case, NULL);
    covered("abi", qs_tables[primitive].primitive, row->name);
}

static void test_rows(void **state)
{
    (void)state;
    for (enum qs_primitive p = 0; p < QS_PRIMITIVES; p++) each_row(p, check_row, &p);
}

static void check_level(const char *level, void *arg)
{
    print_message("level %s\n", level);
    ((struct names *)arg)->n = 0;
    each_case(check_case, arg);
}

/* Every name before "(" on a line that begins with QS_API or QS_CHECKED. */
static void check_complete(const struct names *called)
{
    char line[512], *end;
    FILE *f = fopen(header, "r");
    size_t declared = 0;

    if (!f) FAIL("cannot read %s", header);
    while (fgets(line, sizeof line, f)) {
        if ((strncmp(line, "QS_API ", 7) && strncmp(line, "QS_CHECKED ", 11)) || !(end = strchr(line, '('))) continue;
        *end = 0;
        char *name = end;
        while (name > line && (isalnum((unsigned char)name[-1]) || name[-1] == '_')) name--;
#ifndef QS_HAVE_BLOCKS_NOSTACK
        if (!strcmp(name, "qs_chacha20_blocks_nostack")) continue;
#endif
        size_t i = 0;
        while (i < called->n && strcmp(called->name[i], name)) i++;
        if (i == called->n) FAIL("%s is declared in quickstep.h, and no case calls it", name);
        declared++;
    }
    fclose(f);
    assert_true(declared > 30);
}

static void test_public_functions(void **state)
{
    struct names called = {{NULL}, 0};

    (void)state;
    each_choice(check_level, &called);
    if (header) check_complete(&called);
    else print_message("skipped: no header named, whether all functions were called is not known\n");
}

/* ---- plants ------------------------------------------------------------------------------------------------------ */

static void test_plants_are_caught(void **state)
{
    size_t n = 0;

    (void)state;
    for (const struct abi_plant *p = abi_plants; p->name; p++) {
        struct abi_call call = {0};
        if ((p->needs & ~qs_cpu_detect()) || (p->needs && !abi_upper)) {
            print_message("skipped: this CPU cannot run, or not see, the plant: %s\n", p->name);
            continue;
        }
        const char *fault = abi_call(&call, p->function, NULL, 0);
        if (!fault) FAIL("plant %zu was not caught: %s", n, p->name);
        if (strncmp(fault, p->name, strlen(p->name))) FAIL("plant %s was taken for %s", p->name, fault);
        n++;
    }
    print_message("%zu plants caught\n", n);
    assert_true(n > 8);
}

/* Arguments arrive in their places, also those on the stack. */
static uintptr_t weigh(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f, uintptr_t g,
                       uintptr_t h, uintptr_t i, uintptr_t j)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
}

static void test_arguments(void **state)
{
    struct abi_arg args[ABI_MAX_ARGS];
    struct abi_call call = {0};
    uintptr_t want = 0;

    (void)state;
    for (size_t i = 0; i < ABI_MAX_ARGS; i++) {
        args[i] = (struct abi_arg)ARG_LEN(random_below(1000000));
        want += (i + 1) * (uintptr_t)args[i].value;
    }
    assert_null(abi_call(&call, (abi_function *)weigh, args, ABI_MAX_ARGS));
    assert_true(call.result == want);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_plants_are_caught),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_public_functions),
    };

    header = argc > 1 ? argv[1] : NULL;
    tests_start();
    abi_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else
SKIPPED("there is no call stub for this architecture")
#endif
