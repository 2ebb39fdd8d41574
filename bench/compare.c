/* SPDX-License-Identifier: MIT */
#include "bench.h"
int bench_compare(const json_t *old, const json_t *now, FILE *f)
{
    (void)old;
    (void)now;
    (void)f;
    return 0;
}
