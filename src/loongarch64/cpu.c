/* SPDX-License-Identifier: MIT
 *
 * LoongArch64: which features this CPU and its operating system have.
 */
#include "cpu.h"

#ifdef QS_LOONGARCH64

static const char *const features[] = {"lsx", "lasx", "ual"};

static const struct qs_cpu_level levels[] = {
    {"generic", 0}, {"scalar", QS_UAL}, {"lsx", QS_UAL | QS_LSX}, {"lasx", QS_UAL | QS_LSX | QS_LASX}};

const struct qs_cpu_names qs_cpu_names = {features, sizeof features / sizeof *features, levels,
                                          sizeof levels / sizeof *levels};

static uint32_t cpucfg(uint32_t word)
{
    uint32_t value;
    __asm__("cpucfg %0, %1" : "=r"(value) : "r"(word));
    return value;
}

#if __STDC_HOSTED__ && defined(__linux__)

/* Linux, in its own words: a C library would have getauxval, but src/ asks nothing of one. */
static long linux_call(long number, long a, long b, long c)
{
    register long r_number __asm__("$a7") = number, r_a __asm__("$a0") = a, r_b __asm__("$a1") = b,
                           r_c __asm__("$a2") = c;
    __asm__ volatile("syscall 0"
                     : "+r"(r_a)
                     : "r"(r_number), "r"(r_b), "r"(r_c)
                     : "$t0", "$t1", "$t2", "$t3", "$t4", "$t5", "$t6", "$t7", "$t8", "memory");
    return r_a;
}

static uint64_t hwcap(void)
{
    enum { OPENAT = 56, CLOSE = 57, READ = 63, AT_FDCWD_ = -100, AT_HWCAP_ = 16 };
    uint64_t pair[2] = {0, 0}, value = 0;
    const long file = linux_call(OPENAT, AT_FDCWD_, (long)"/proc/self/auxv", 0);

    if (file < 0) return 0;
    while (linux_call(READ, file, (long)pair, sizeof pair) == sizeof pair)
        if (pair[0] == AT_HWCAP_) value = pair[1];
    linux_call(CLOSE, file, 0, 0);
    return value;
}

#else

/* Nobody to ask: no vectors. */
static uint64_t hwcap(void)
{
    return 0;
}

#endif

uint32_t qs_cpu_detect(void)
{
    const struct qs_cpu_words w = {cpucfg(1), cpucfg(2), hwcap()};
    return qs_cpu_decode(&w);
}

#endif
