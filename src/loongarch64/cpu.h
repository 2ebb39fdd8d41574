/* SPDX-License-Identifier: MIT
 *
 * LoongArch64: the feature bits that rows name, and the raw words they are decoded from.
 */
#ifndef QS_LOONGARCH64_CPU_H
#define QS_LOONGARCH64_CPU_H

#include "../kernel.h"

enum {
    QS_LSX = 1 << 0,  /* 128-bit vectors */
    QS_LASX = 1 << 1, /* 256-bit vectors */
    QS_UAL = 1 << 2   /* unaligned loads and stores do not trap */
};

struct qs_cpu_words {
    uint32_t cpucfg1, cpucfg2; /* configuration words of the CPU */
    uint64_t hwcap;            /* AT_HWCAP of the operating system; 0 where it is not known */
};

/* The CPU has it, and the operating system keeps its registers: cpucfg shows LSX and LASX also under a kernel that was
 * built without them, which kills a program that uses them. */
static inline uint32_t qs_cpu_decode(const struct qs_cpu_words *w)
{
    enum { CPUCFG1_UAL = 1 << 20, CPUCFG2_LSX = 1 << 6, CPUCFG2_LASX = 1 << 7, HWCAP_LSX = 1 << 4, HWCAP_LASX = 1 << 5 };
    uint32_t f = 0;

    if (w->cpucfg1 & CPUCFG1_UAL) f |= QS_UAL;
    if (w->cpucfg2 & CPUCFG2_LSX && w->hwcap & HWCAP_LSX) f |= QS_LSX;
    if (f & QS_LSX && w->cpucfg2 & CPUCFG2_LASX && w->hwcap & HWCAP_LASX) f |= QS_LASX;
    return f;
}

#endif
