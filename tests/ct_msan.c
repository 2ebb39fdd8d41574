/* SPDX-License-Identifier: MIT
 *
 * Constant time, as MemorySanitizer sees it: key and text count as uninitialized memory, and a branch or address that
 * depends on them is reported. Built and run by ct_msan (the script), with all of the library.
 *
 * Without an argument: every row and public function. `ct_msan N`: plant N, which must be reported; behind the last one
 * the exit status is 3.
 */
#include "abi_cases.h"
#include "ct_plants.h"

#include <sanitizer/common_interface_defs.h>
#include <sanitizer/msan_interface.h>

/* What the library calls in place of qs_tag_compare: whether a tag is right is not secret. */
qs_status ct_public_tag_compare(const uint8_t a[QS_TAG_LEN], const uint8_t b[QS_TAG_LEN]);
qs_status ct_public_tag_compare(const uint8_t a[QS_TAG_LEN], const uint8_t b[QS_TAG_LEN])
{
    qs_status status = qs_tag_compare(a, b);
    __msan_unpoison(&status, sizeof status);
    return status;
}

static void poison(void *p, size_t len)
{
    __msan_poison(p, len);
}

static const char *now = "the start"; /* which case */

static void say_where(void)
{
    fprintf(stderr, "ct_msan: a branch or address depends on secrets in: %s\n", now);
}

static uintptr_t call(const struct abi_case *c)
{
    typedef uintptr_t ten_words(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                                uintptr_t, uintptr_t);
    uintptr_t a[10] = {0}, result;

    _Static_assert(sizeof(uintptr_t) == 8, "every argument is one word");
    assert_true(c->n_args <= COUNT(a));
    for (size_t i = 0; i < c->n_args; i++) a[i] = (uintptr_t)c->args[i].value;
    now = case_text(c);
    result = ((ten_words *)c->function)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9]);
    __msan_unpoison(&result, sizeof result);
    return result;
}

/* What a kernel writes is as secret as its key, unless the sanitizer did not see how it came about: assembly. */
static void check_kernel(const struct abi_case *c, void *arg)
{
    int *seen = arg;
    enum { WRITTEN = 16 };

    arena_fill(2, poison);
    __msan_unpoison(c->written, WRITTEN);
    call(c);
    *seen = __msan_test_shadow(c->written, WRITTEN) == 0;
}

static void check_row(const struct qs_kernel *row, void *arg)
{
    enum qs_primitive primitive = *(enum qs_primitive *)arg;
    int seen = 0;

    each_kernel_case(primitive, row, KERNEL_DATA, check_kernel, &seen);
    if (seen) covered("msan", qs_tables[primitive].primitive, row->name);
    print_message("%s row %s%s\n", qs_tables[primitive].primitive, row->name,
                  seen ? "" : ": skipped, it is assembly; see ct_trace");
}

static void check_function(const struct abi_case *c, void *arg)
{
    (void)arg;
    if (!c->secret) return;
    arena_fill(2, poison);
    int result = (int)call(c);
    if (c->status != CASE_ANY_STATUS && result != c->status) FAIL("%s returns %d", case_text(c), result);
}

static void check_level(const char *level, void *arg)
{
    print_message("level %s\n", level);
    each_case(check_function, arg);
}

int main(int argc, char **argv)
{
    static uint32_t table[256];

    __sanitizer_set_death_callback(say_where);
    if (argc > 1) {
        const struct ct_plant_row *p = ct_plants;
        for (int i = atoi(argv[1]); i && p->name; p++) i -= p->seen_by_compiler;
        while (p->name && !p->seen_by_compiler) p++;
        if (!p->name) return 3;
        arena_fill(2, poison);
        now = p->name;
        p->function(arena_key(), table);
        return 0;
    }
    tests_start();
    for (enum qs_primitive p = 0; p < QS_PRIMITIVES; p++) each_row(p, check_row, &p);
    each_choice(check_level, NULL);
    return 0;
}
