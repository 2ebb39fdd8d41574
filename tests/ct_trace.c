/* SPDX-License-Identifier: MIT
 *
 * Equal traces: under other keys and texts, a kernel or public function executes the same instructions in the same
 * order and touches the same addresses. The traps that are traced are those of the ABI's call stub.
 *
 * x86-64: compared here, by single steps. Elsewhere: `ct_trace SEED` makes all calls with the secrets that the seed
 * gives, and ct_qemu compares what the emulator saw.
 */
#define _GNU_SOURCE
#include "abi.h"
#include "ct_plants.h"

#if defined(ABI_STUB) && (defined(HAVE_ZYDIS) || !defined(__x86_64__))

static uint32_t table[256];

/* Calls body for every row, then for every public function on the rows of every level, then for every plant. */
static void on_row(const struct qs_kernel *row, void *arg)
{
    case_body *body = *(case_body **)arg;

    for (unsigned p = 0; p < QS_PRIMITIVES; p++) {
        const struct qs_table *t = &qs_tables[p];
        if (row < t->rows || row >= t->rows + t->n) continue;
        print_message("%s row %s\n", t->primitive, row->name);
        each_kernel_case((enum qs_primitive)p, row, row->vector ? KERNEL_DATA : 9 * 64, body, NULL);
        covered("trace", t->primitive, row->name);
    }
}

static void all_rows(case_body *body)
{
    for (unsigned p = 0; p < QS_PRIMITIVES; p++) each_row((enum qs_primitive)p, on_row, &body);
}

static void on_level(const char *level, void *arg)
{
    print_message("level %s\n", level);
    each_case(*(case_body **)arg, NULL);
}

static void all_functions(case_body *body)
{
    each_choice(on_level, &body);
}

static void all_plants(case_body *body, void *arg)
{
    const struct abi_arg args[] = {ARG_PTR(arena_key()), ARG_PTR(table)};

    for (const struct ct_plant_row *p = ct_plants; p->name; p++) {
        const struct abi_case c = {p->name, (abi_function *)p->function, args, COUNT(args), 0, CASE_ANY_STATUS, 1, NULL};
        body(&c, arg);
    }
}

#ifdef __x86_64__

#include <signal.h>
#include <ucontext.h>

#include <Zydis/Zydis.h>

/* Every pc, each followed by the addresses of the memory operands. */
static struct {
    uint64_t *entry;
    size_t n, room, at;
    int comparing;
    char difference[400]; /* the first one, or empty */
} trace;

static ZydisDecoder decoder;

static void differ(uint64_t pc, const char *what, uint64_t was, uint64_t is)
{
    ZydisFormatter formatter;
    ZydisDecodedInstruction in;
    ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
    char text[128] = "?";

    ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_ATT);
    if (ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, (const void *)pc, 15, &in, ops)))
        ZydisFormatterFormatInstruction(&formatter, &in, ops, in.operand_count_visible, text, sizeof text, pc, NULL);
    snprintf(trace.difference, sizeof trace.difference,
             "step %zu, at %#llx (function%+lld), %s: %s was %#llx, is %#llx", trace.at, (unsigned long long)pc,
             (long long)(pc - (uintptr_t)abi_now->function), text, what, (unsigned long long)was,
             (unsigned long long)is);
}

/* pc is the instruction that value belongs to; for a branch, the one before. */
static void add(uint64_t pc, const char *what, uint64_t value)
{
    if (trace.difference[0]) return;
    if (!trace.comparing) {
        if (trace.n < trace.room) trace.entry[trace.n++] = value;
        else snprintf(trace.difference, sizeof trace.difference, "the trace has no room for so many steps");
    } else if (trace.at == trace.n || trace.entry[trace.at] != value) {
        differ(pc, what, trace.at == trace.n ? 0 : trace.entry[trace.at], value);
    }
    trace.at++;
}

static void registers(ZydisRegisterContext *r, const greg_t *g)
{
    static const int order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                  REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

    for (int i = 0; i < 16; i++) {
        r->values[ZYDIS_REGISTER_RAX + i] = (uint64_t)g[order[i]];
        r->values[ZYDIS_REGISTER_EAX + i] = (uint32_t)g[order[i]];
    }
    r->values[ZYDIS_REGISTER_RIP] = (uint64_t)g[REG_RIP];
}

static void on_step(int number, siginfo_t *info, void *context)
{
    static uint64_t last;
    static ZydisRegisterContext r;
    greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;
    uint64_t pc = (uint64_t)g[REG_RIP], address;
    ZydisDecodedInstruction in;
    ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];

    (void)number, (void)info;
    if (trace.at == 0) last = pc;
    add(last, "the next instruction", pc);
    last = pc;
    if (pc == (uintptr_t)abi_returned || trace.difference[0]) {
        g[REG_EFL] &= ~0x100;
        return;
    }
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, (const void *)pc, 15, &in, ops))) {
        snprintf(trace.difference, sizeof trace.difference, "cannot decode the instruction at %#llx",
                 (unsigned long long)pc);
        return;
    }
    if (in.mnemonic == ZYDIS_MNEMONIC_NOP) return; /* its operand is padding */
    registers(&r, g);
    for (unsigned i = 0; i < in.operand_count; i++) {
        if (ops[i].type != ZYDIS_OPERAND_TYPE_MEMORY || ops[i].mem.type == ZYDIS_MEMOP_TYPE_AGEN) continue;
        if (ops[i].mem.type == ZYDIS_MEMOP_TYPE_VSIB) differ(pc, "a gather or scatter, which is not followed,", 0, 0);
        else if (ZYAN_SUCCESS(ZydisCalcAbsoluteAddressEx(&in, &ops[i], pc, &r, &address)))
            add(pc, "the address", address);
        else differ(pc, "an address that cannot be computed", 0, 0);
    }
}

static void run(const struct abi_case *c, uint64_t seed, int comparing)
{
    struct abi_call call = {.step = 1};

    arena_fill(seed, NULL);
    trace.comparing = comparing;
    trace.at = 0;
    if (!comparing) trace.n = 0;
    abi_call(&call, c->function, c->args, c->n_args);
    if (comparing && !trace.difference[0] && trace.at != trace.n) differ(0, "the end", trace.n, trace.at);
}

static void compare(const struct abi_case *c)
{
    /* Zeros and ones in all secrets (seeds 0 and 1) make carries and masks extreme. A step takes more than ten microseconds: what is
     * long is compared only once. */
    static const uint64_t seeds[] = {2, 1, 0, 3};
    const size_t n = c->blocks && c->blocks <= 3 ? COUNT(seeds) : 2;
    struct abi_call call = {0};

    trace.difference[0] = 0;
    arena_fill(2, NULL);
    abi_call(&call, c->function, c->args, c->n_args); /* makes choices and bindings that are made once */
    /* One place that calls, so that the stack is where it was. */
    for (size_t i = 0; i < n && !trace.difference[0]; i++) run(c, seeds[i], i > 0);
}

static void expect_equal(const struct abi_case *c, void *arg)
{
    (void)arg;
    if (!c->secret || !small_or_near_power(c->blocks)) return;
    compare(c);
    if (trace.difference[0]) FAIL("%s depends on secrets: %s", case_text(c), trace.difference);
}

static void expect_difference(const struct abi_case *c, void *arg)
{
    (void)arg;
    compare(c);
    if (!trace.difference[0]) FAIL("%s was not noticed", c->name);
    print_message("caught: %s: %s\n", c->name, trace.difference);
}

static void test_plants_are_caught(void **state)
{
    (void)state;
    all_plants(expect_difference, NULL);
}

static void test_rows(void **state)
{
    (void)state;
    all_rows(expect_equal);
}

static void test_public_functions(void **state)
{
    (void)state;
    all_functions(expect_equal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plants_are_caught),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_public_functions),
    };
    struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};

    sigaction(SIGTRAP, &action, NULL);
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    trace.room = 1 << 20;
    trace.entry = malloc(trace.room * sizeof *trace.entry);
    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static uint64_t seed;

static void call_once(const struct abi_case *c, void *arg)
{
    struct abi_call call = {0};

    if (!c->secret || !small_or_near_power(c->blocks)) return;
    arena_fill(seed, NULL);
    printf("%s %s\n", arg ? (const char *)arg : "case", case_text(c));
    abi_call(&call, c->function, c->args, c->n_args);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        puts("skipped: only ct_qemu can compare the traces of this architecture");
        return 77;
    }
    seed = strtoull(argv[1], NULL, 0);
    all_plants(call_once, (void *)"plant");
    all_rows(call_once);
    all_functions(call_once);
    return 0;
}

#endif

#else
SKIPPED("equal traces need a call stub for this architecture, and on x86-64 the library Zydis")
#endif
