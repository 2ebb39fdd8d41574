/* SPDX-License-Identifier: MIT
 *
 * Functions that are not constant in time: what looks for such must find each.
 */
#ifndef QS_TESTS_CT_PLANTS_H
#define QS_TESTS_CT_PLANTS_H

#include "abi_cases.h"

/* They take the address of a key, and a table of 256 words. */
typedef void ct_plant(const uint8_t *key, const uint32_t *table);

ct_plant ct_branch_c, ct_table_c;
#ifdef __SSE2__
ct_plant ct_branch_intrinsics, ct_table_intrinsics;
#endif
#if defined(__x86_64__) || (defined(__mips__) && _MIPS_SIM == _ABIO32) || defined(__loongarch_lp64)
#define CT_ASSEMBLY 1
ct_plant ct_branch_assembly, ct_table_assembly;
#endif

struct ct_plant_row {
    const char *name;
    ct_plant *function;
    int seen_by_compiler; /* a sanitizer can see into it */
};
extern const struct ct_plant_row ct_plants[]; /* the last one has no name */

#endif
