/* SPDX-License-Identifier: MIT */
#include "wipe_look.h"

#include <sys/mman.h>
#include <ucontext.h>

/* ---- vector registers -------------------------------------------------------------------------------------------- */

#if defined(__x86_64__)

#define EACH_8(m, a) m(a##0) m(a##1) m(a##2) m(a##3) m(a##4) m(a##5) m(a##6) m(a##7)
#define EACH_16(m) EACH_8(m, ) m(8) m(9) m(10) m(11) m(12) m(13) m(14) m(15)
#define EACH_UPPER(m) m(16) m(17) m(18) m(19) EACH_8(m, 2) m(28) m(29) m(30) m(31)
#define STORE_XMM(i) "movdqu %%xmm" #i ", 16*" #i "(%0)\n\t"
#define STORE_YMM(i) "vmovdqu %%ymm" #i ", 32*" #i "(%0)\n\t"
#define STORE_ZMM(i) "vmovdqu64 %%zmm" #i ", 64*" #i "(%0)\n\t"
#define CLEAR_XMM(i) "pxor %%xmm" #i ", %%xmm" #i "\n\t"
#define CLEAR_ZMM(i) "vpxorq %%zmm" #i ", %%zmm" #i ", %%zmm" #i "\n\t"
#define STORE_MASK_16(i) "kmovw %%k" #i ", 32*64 + 8*" #i "(%0)\n\t"
#define STORE_MASK_64(i) "kmovq %%k" #i ", 32*64 + 8*" #i "(%0)\n\t"
#define CLEAR_MASK_16(i) "kxorw %%k" #i ", %%k" #i ", %%k" #i "\n\t"
#define CLEAR_MASK_64(i) "kxorq %%k" #i ", %%k" #i ", %%k" #i "\n\t"

static int wide_masks; /* 64 bits, not 16 */

size_t look_vector_len(void)
{
    wide_masks = !!__builtin_cpu_supports("avx512bw");
    return __builtin_cpu_supports("avx512f") ? 64 : __builtin_cpu_supports("avx") ? 32 : 16;
}

static inline __attribute__((always_inline)) void clear_vectors(size_t len)
{
    if (len == 64) {
        __asm__ volatile("vzeroall\n\t" EACH_UPPER(CLEAR_ZMM) : : : "memory");
        if (wide_masks) __asm__ volatile(EACH_8(CLEAR_MASK_64, ) : : : "memory");
        else __asm__ volatile(EACH_8(CLEAR_MASK_16, ) : : : "memory");
    } else if (len == 32) __asm__ volatile("vzeroall" : : : "memory");
    else __asm__ volatile(EACH_16(CLEAR_XMM) : : : "memory");
}

static inline __attribute__((always_inline)) void store_vectors(uint8_t *to, size_t len)
{
    if (len == 64) {
        __asm__ volatile(EACH_16(STORE_ZMM) EACH_UPPER(STORE_ZMM) : : "r"(to) : "memory");
        if (wide_masks) __asm__ volatile(EACH_8(STORE_MASK_64, ) : : "r"(to) : "memory");
        else __asm__ volatile(EACH_8(STORE_MASK_16, ) : : "r"(to) : "memory");
    } else if (len == 32) __asm__ volatile(EACH_16(STORE_YMM) : : "r"(to) : "memory");
    else __asm__ volatile(EACH_16(STORE_XMM) : : "r"(to) : "memory");
}

#elif defined(__aarch64__)

/* v8 to v15 belong to the caller in their lower halves, and are left as they are. */
#define EACH(m)                                                                                                        \
    m(0) m(1) m(2) m(3) m(4) m(5) m(6) m(7) m(16) m(17) m(18) m(19) m(20) m(21) m(22) m(23) m(24) m(25) m(26) m(27)    \
        m(28) m(29) m(30) m(31)
#define STORE_V(i) "str q" #i ", [%0, #16*" #i "]\n\t"
#define CLEAR_V(i) "movi v" #i ".2d, #0\n\t"

size_t look_vector_len(void) { return 16; }

static inline __attribute__((always_inline)) void clear_vectors(size_t len)
{
    (void)len;
    __asm__ volatile(EACH(CLEAR_V) : : : "memory");
}

static inline __attribute__((always_inline)) void store_vectors(uint8_t *to, size_t len)
{
    (void)len;
    __asm__ volatile(EACH(STORE_V) : : "r"(to) : "memory");
}

#elif defined(__loongarch_lp64)

#include <sys/auxv.h>

/* vr24 to vr31 belong to the caller in their lower halves, and are left as they are. */
#define EACH(text) ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23\n\t" text "\n\t.endr"

size_t look_vector_len(void)
{
    enum { LSX = 1 << 4, LASX = 1 << 5 };
    const unsigned long hwcap = getauxval(AT_HWCAP);
    return hwcap & LASX ? 32 : hwcap & LSX ? 16 : 8;
}

static inline __attribute__((always_inline)) void clear_vectors(size_t len)
{
    if (len == 32) __asm__ volatile(EACH("xvxor.v $xr\\n, $xr\\n, $xr\\n") : : : "memory");
    else if (len == 16) __asm__ volatile(EACH("vxor.v $vr\\n, $vr\\n, $vr\\n") : : : "memory");
    else __asm__ volatile(EACH("movgr2fr.d $f\\n, $zero") : : : "memory");
}

static inline __attribute__((always_inline)) void store_vectors(uint8_t *to, size_t len)
{
    if (len == 32) __asm__ volatile(EACH("xvst $xr\\n, %0, 32 * \\n") : : "r"(to) : "memory");
    else if (len == 16) __asm__ volatile(EACH("vst $vr\\n, %0, 16 * \\n") : : "r"(to) : "memory");
    else __asm__ volatile(EACH("fst.d $f\\n, %0, 8 * \\n") : : "r"(to) : "memory");
}

#else

size_t look_vector_len(void) { return 0; }

static inline void clear_vectors(size_t len) { (void)len; }

static inline void store_vectors(uint8_t *to, size_t len) { (void)to, (void)len; }

#endif

/* ---- the stack --------------------------------------------------------------------------------------------------- */

enum { FILL = 0xa5 };

static uint8_t *stack;
static uint64_t snapshot[LOOK_STACK / 8];
static ucontext_t outside, inside, fresh;
static struct look *looking;
static void (*volatile calling)(void);
static size_t vector_len;

/* Between the call and the end of the snapshot nothing is called, so that nothing is written over what was left. */
static QS_NOINLINE void perform(void)
{
    clear_vectors(vector_len);
    calling();
    store_vectors(looking->vectors, vector_len);
    for (size_t i = 0; i < COUNT(snapshot); i++) {
        snapshot[i] = ((const uint64_t *)stack)[i];
        QS_BARRIER(snapshot); /* or it would become a call of memcpy */
    }
}

static void entry(void)
{
    perform();
    swapcontext(&inside, &outside);
}

/* The lowest byte that was written. */
static size_t run(void (*call)(void))
{
    size_t i = 0;

    calling = call;
    memset(stack, FILL, LOOK_STACK);
    inside = fresh; /* registers that a call saves hold the same in every run */
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = LOOK_STACK;
    inside.uc_link = NULL;
    makecontext(&inside, entry, 0);
    if (swapcontext(&outside, &inside)) FAIL("swapcontext failed");
    while (i < LOOK_STACK && ((const uint8_t *)snapshot)[i] == FILL) i++;
    return i;
}

static void nothing(void) {}

void look_at(struct look *l, void (*call)(void))
{
    static size_t caller; /* where the caller's own frame ends: as far down as calling nothing writes */

    looking = l;
    memset(l, 0, sizeof *l);
    if (!stack) {
        size_t guard = 65536;
        stack = mmap(NULL, guard + LOOK_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (stack == MAP_FAILED || mprotect(stack, guard, PROT_NONE)) FAIL("no memory for a stack");
        stack += guard;
        vector_len = look_vector_len();
        if (getcontext(&fresh)) FAIL("getcontext failed");
        caller = run(nothing);
    }
    l->depth = caller - run(call);
    l->dead_len = caller;
    memcpy(l->dead, snapshot, caller);
}
