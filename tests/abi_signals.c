/* SPDX-License-Identifier: MIT
 *
 * What a signal shows at any instruction of a kernel or public function: the handler runs on the same stack and
 * overwrites all that the ABI leaves to it, and the result must still be right; and from there the stack unwinds to the
 * caller, with the caller's registers. On x86-64 a signal comes at every instruction (the trap flag); elsewhere a timer
 * sends them, many times over.
 */
#define _GNU_SOURCE
#include "abi.h"

#ifdef ABI_STUB

#include <signal.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unwind.h>

static volatile uintptr_t signals;
static unsigned unwind_every; /* signals, or 0: never */
static char lost[128];        /* the first unwinding that went wrong, or empty */

/* ---- unwinding --------------------------------------------------------------------------------------------------- */

struct search {
    int found;
    const char *wrong; /* a word that unwinding gives another value than the caller left in it */
};

static _Unwind_Reason_Code at_frame(struct _Unwind_Context *context, void *arg)
{
    struct search *s = arg;

    if (_Unwind_GetIP(context) != (uintptr_t)abi_returned) return _URC_NO_REASON;
    s->found = 1;
    for (size_t i = 0; abi_words[i].name; i++) {
        intptr_t number = abi_words[i].dwarf;
        if (number == -1) continue;
        uintptr_t value = number == -2 ? _Unwind_GetCFA(context) : _Unwind_GetGR(context, (int)number);
        if (value != abi_now->before[i]) s->wrong = abi_words[i].name;
    }
    return _URC_NORMAL_STOP;
}

/* Led astray by wrong information, the unwinder may read where nothing is. */
static sigjmp_buf astray;

static void on_fault(int number)
{
    siglongjmp(astray, number);
}

static void unwind(uintptr_t pc)
{
    struct search s = {0, NULL};
    struct sigaction action = {.sa_handler = on_fault}, before;

    sigaction(SIGSEGV, &action, &before);
    if (sigsetjmp(astray, 1) == 0) _Unwind_Backtrace(at_frame, &s);
    sigaction(SIGSEGV, &before, NULL);

    if (lost[0] || (s.found && !s.wrong)) return;
    intptr_t offset = (intptr_t)(pc - (uintptr_t)abi_now->function);
    if (s.found) snprintf(lost, sizeof lost, "at function%+td the caller's %s is lost", (ptrdiff_t)offset, s.wrong);
    else snprintf(lost, sizeof lost, "at function%+td the stack does not unwind to the caller", (ptrdiff_t)offset);
}

#ifndef __x86_64__
/* No table describes the instructions that lead into a shared library, so what src/ needs of one is here. */
void *memcpy(void *restrict to, const void *restrict from, size_t len)
{
    typedef volatile uintptr_t __attribute__((may_alias)) word;
    size_t i = 0;

    if (((uintptr_t)to | (uintptr_t)from) % sizeof(word) == 0)
        for (; i + sizeof(word) <= len; i += sizeof(word)) *(word *)((char *)to + i) = *(word *)((char *)from + i);
    for (; i < len; i++) ((volatile char *)to)[i] = ((const char *)from)[i];
    return to;
}

void *memset(void *to, int byte, size_t len)
{
    volatile uint8_t *t = to;
    while (len--) *t++ = (uint8_t)byte;
    return to;
}
#endif

#if defined(__loongarch__) && defined(__GLIBC__)
#include <dlfcn.h>
#include <sys/auxv.h>

/* qemu's vdso describes the frame of a signal by registers that libgcc does not know, and the unwinder crashes. libgcc
 * knows that frame itself, if it does not find the description. */
int _dl_find_object(void *pc, struct dl_find_object *result)
{
    int (*find)(void *, struct dl_find_object *) = dlsym(RTLD_NEXT, "_dl_find_object");
    int failed = find ? find(pc, result) : -1;
    return failed || result->dlfo_map_start == (void *)getauxval(AT_SYSINFO_EHDR) ? -1 : 0;
}
#endif

/* ---- the signal -------------------------------------------------------------------------------------------------- */

static __attribute__((unused)) void overwrite(uint8_t *from, uint8_t *end)
{
    if (from < end && end - from < 1024) memset(from, 0xa5, (size_t)(end - from));
}

static void came(uintptr_t pc)
{
    signals++;
    if (unwind_every && signals % unwind_every == 0) unwind(pc);
}

#ifdef __x86_64__
/* Single steps: the stub begins them, and they end here when the call returns. */
enum { SIGNAL = SIGTRAP, ENOUGH = 1, STEP = 1, TRAP_FLAG = 0x100, RED_ZONE = 128 };

/* The kernel aligns the frame it makes below the red zone: overwrite the gap it leaves. */
static void overwrite_free_stack(const ucontext_t *u)
{
    enum { FXSAVE = 512, SOFTWARE_BYTES = 48, MAGIC = 0x46505853 };
    uint8_t *state = (uint8_t *)u->uc_mcontext.fpregs;
    uint32_t magic_and_size[2];

    memcpy(magic_and_size, state + FXSAVE - SOFTWARE_BYTES, sizeof magic_and_size);
    overwrite(state + (magic_and_size[0] == MAGIC ? magic_and_size[1] : FXSAVE),
              (uint8_t *)u->uc_mcontext.gregs[REG_RSP] - RED_ZONE);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    ucontext_t *u = context;
    uintptr_t pc = (uintptr_t)u->uc_mcontext.gregs[REG_RIP];

    (void)number, (void)info;
    if (pc == (uintptr_t)abi_returned) {
        u->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
        return;
    }
    overwrite_free_stack(u);
    came(pc);
}

static void set_timer(int microseconds)
{
    (void)microseconds;
}
#else
enum { SIGNAL = SIGALRM, ENOUGH = 10, STEP = 0 };

static void on_signal(int number, siginfo_t *info, void *context)
{
    ucontext_t *u = context;
#ifdef __mips__
    uintptr_t pc = (uintptr_t)u->uc_mcontext.pc;
#else
    uintptr_t pc = (uintptr_t)u->uc_mcontext.__pc;
#endif

    (void)number, (void)info;
    /* The stub sets `step` while it calls; what is outside, and its own instructions, do not count. */
    if (!abi_now || !abi_now->step || (pc >= (uintptr_t)abi_enter && pc < (uintptr_t)abi_end)) return;
#ifdef __mips__
    /* The kernel's signal mask has 16 bytes; it writes nothing behind it. */
    overwrite((uint8_t *)&u->uc_sigmask + 16, (uint8_t *)(uintptr_t)u->uc_mcontext.gregs[29]);
#endif
    came(pc);
}

static void set_timer(int microseconds)
{
    const struct itimerval t = {{0, microseconds}, {0, microseconds}};
    assert_int_equal(setitimer(ITIMER_REAL, &t, NULL), 0);
}
#endif

/* ---- cases ------------------------------------------------------------------------------------------------------- */

static void start_signals(unsigned unwind_at_each)
{
    unwind_every = unwind_at_each;
    lost[0] = 0;
    signals = 0;
    set_timer(100);
}

static void check_case(const struct abi_case *c, void *arg)
{
    struct abi_call plain = {0}, call = {.step = STEP};
    unsigned calls = 0;

    if (!c->secret || !small_or_near_power(c->blocks)) return;
    uint8_t *start = malloc(arena_size()), *want = malloc(arena_size());
    assert_true(start && want);
    arena_fill(2, NULL);
    memcpy(start, &arena, arena_size());
    assert_null(abi_call(&plain, c->function, c->args, c->n_args));
    memcpy(want, &arena, arena_size());

    start_signals(*(const unsigned *)arg);
    do {
        memcpy(&arena, start, arena_size());
        const char *fault = abi_call(&call, c->function, c->args, c->n_args);
        if (fault) FAIL("%s, interrupted by signals: %s", case_text(c), fault);
        if (memcmp(want, &arena, arena_size()) || (c->status != CASE_ANY_STATUS && (int)call.result != c->status))
            FAIL("%s gives another result when signals come: it keeps something below the stack pointer", case_text(c));
        if (lost[0]) FAIL("%s: %s", case_text(c), lost);
    } while (signals < ENOUGH && ++calls < 1000000);
    set_timer(0);
    free(start);
    free(want);
    if (signals < ENOUGH) FAIL("%s: no signals came", case_text(c));
}

static void check_row(const struct qs_kernel *row, void *arg)
{
    enum qs_primitive primitive = *(enum qs_primitive *)arg;
    unsigned each = 1, some = 61;

    print_message("row %s\n", row->name);
    each_kernel_case(primitive, row, 256, check_case, &each);
    each_kernel_case(primitive, row, row->vector ? KERNEL_DATA : 9 * 64, check_case, &some);
}

static void test_rows(void **state)
{
    (void)state;
    for (enum qs_primitive p = 0; p < QS_PRIMITIVES; p++) each_row(p, check_row, &p);
}

static void check_level(const char *level, void *arg)
{
    unsigned some = 17;

    (void)arg;
    print_message("level %s\n", level);
    each_case(check_case, &some);
}

static void test_public_functions(void **state)
{
    (void)state;
    each_choice(check_level, NULL);
}

static void call_plant(struct abi_call *call, const struct abi_plant *p)
{
    const struct abi_arg args[] = {ARG_PTR(&signals)};

    start_signals(1);
    const char *fault = abi_call(call, p->function, args, 1);
    set_timer(0);
    if (fault) FAIL("plant %s breaks more than it should: %s", p->name, fault);
}

static void test_plants_are_caught(void **state)
{
    const struct abi_plant *below_sp = abi_signal_plants;
    struct abi_call call = {.step = STEP};

    (void)state;
    call_plant(&call, below_sp);
    if (call.result == 0) FAIL("plant was not caught: %s", below_sp->name);
    print_message("caught: %s\n", below_sp->name);

    /* The information of this one is right: it must unwind. */
    if (lost[0]) FAIL("right unwind information was taken for wrong: %s", lost);
    for (const struct abi_plant *p = abi_signal_plants + 1; p->name; p++) {
        call_plant(&call, p);
        if (!lost[0]) FAIL("plant was not caught: %s", p->name);
        print_message("caught: %s (%s)\n", p->name, lost);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plants_are_caught),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_public_functions),
    };
    /* On the stack that is in use. */
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};

    sigaction(SIGNAL, &action, NULL);
    tests_start();
    abi_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else
SKIPPED("there is no call stub for this architecture")
#endif
