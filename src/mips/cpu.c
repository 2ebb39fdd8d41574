/* SPDX-License-Identifier: MIT
 *
 * MIPS32 release 2, o32: a compiler that makes this file makes code for release 2, so the CPU has it. The bit is there for
 * those who want to hide it.
 */
#include "cpu.h"

#ifdef QS_MIPS32R2

static const char *const features[] = {"release2"};

static const struct qs_cpu_level levels[] = {{"generic", 0}, {"mips32r2", QS_RELEASE_2}};

const struct qs_cpu_names qs_cpu_names = {features, sizeof features / sizeof *features, levels,
                                          sizeof levels / sizeof *levels};

uint32_t qs_cpu_detect(void)
{
    return QS_RELEASE_2;
}

#endif
