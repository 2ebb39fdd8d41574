/* SPDX-License-Identifier: MIT */
#include "abi.h"

#ifdef ABI_STUB

#define WORD(field) (offsetof(struct abi_call, field) / sizeof(uintptr_t))
_Static_assert(WORD(function) == ABI_FUNCTION && WORD(step) == ABI_STEP && WORD(stack_args) == ABI_STACK_ARGS &&
                   WORD(result) == ABI_RESULT && WORD(args) == ABI_ARGS && WORD(before) == ABI_BEFORE &&
                   WORD(after) == ABI_AFTER && WORD(above) == ABI_ABOVE && WORD(above_after) == ABI_ABOVE_AFTER,
               "the stubs know struct abi_call");

struct abi_call *abi_now;
uint32_t abi_upper;

static void set_args(struct abi_call *call, const struct abi_arg *args, size_t n)
{
    size_t used = 0;

    for (size_t i = 0; i < n; i++) {
        size_t words = args[i].wide ? sizeof(uint64_t) / sizeof(uintptr_t) : 1;
        used = (used + words - 1) / words * words;
        assert_true(used + words <= ABI_MAX_ARGS);
        if (args[i].wide) memcpy(&call->args[used], &args[i].value, sizeof(uint64_t));
        else call->args[used] = (uintptr_t)args[i].value;
        used += words;
    }
    call->stack_args = used > abi_register_args ? used - abi_register_args : 0;
}

const char *abi_call(struct abi_call *call, abi_function *f, const struct abi_arg *args, size_t n)
{
    static char text[128];

    call->function = f;
    random_bytes(call->args, sizeof call->args);
    set_args(call, args, n);
    random_bytes(call->before, sizeof call->before);
    random_bytes(call->above, sizeof call->above);
    abi_now = call;
    abi_enter(call);

    for (size_t i = 0; abi_words[i].name; i++)
        if (call->before[i] != call->after[i]) {
            snprintf(text, sizeof text, "%s: was %#llx, is %#llx", abi_words[i].name,
                     (unsigned long long)call->before[i], (unsigned long long)call->after[i]);
            return text;
        }
    for (size_t i = 0; i < ABI_ABOVE_WORDS; i++)
        if (call->above[i] != call->above_after[i]) {
            snprintf(text, sizeof text, "above: word %zu of the stack above the callee's own was overwritten", i);
            return text;
        }
    return NULL;
}

void abi_start(void)
{
#ifdef __x86_64__
    enum {
        LEAF1_ECX_OSXSAVE = 1 << 27,
        LEAF13_EAX_XGETBV1 = 1 << 2,
        XINUSE_UPPER_YMM = 1 << 2,
        XINUSE_UPPER_ZMM = 1 << 6
    };
    uint32_t a = 0, b, c = 0, d;

    __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(1), "c"(0));
    if (c & LEAF1_ECX_OSXSAVE) __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(13), "c"(1));
    else a = 0;
    if (a & LEAF13_EAX_XGETBV1)
        abi_upper = XINUSE_UPPER_YMM | (__builtin_cpu_supports("avx512f") ? XINUSE_UPPER_ZMM : 0);
    else print_message("skipped: this CPU does not tell whether upper halves are dirty\n");
#endif
}

#endif
