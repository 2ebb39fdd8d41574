/* SPDX-License-Identifier: MIT
 *
 * MIPS32 release 2, o32: the feature bit that rows name.
 */
#ifndef QS_MIPS_CPU_H
#define QS_MIPS_CPU_H

#include "../kernel.h"

enum {
    QS_RELEASE_2 = 1 << 0 /* rotr, wsbh, ext, ins; and what release 6 took away: lwl, lwr, hi and lo */
};

#endif
