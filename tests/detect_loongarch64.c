/* SPDX-License-Identifier: MIT
 *
 * LoongArch64's detection, fed with the words of machines that are not at hand; it is the same on every CPU.
 */
#include "harness.h"

#include "../src/loongarch64/cpu.h"

enum { UAL = 1 << 20, LSX_CFG = 1 << 6, LASX_CFG = 1 << 7, LSX_CAP = 1 << 4, LASX_CAP = 1 << 5, OTHERS = 0xf0f };

static void decodes(void **state)
{
    static const struct {
        const char *machine;
        struct qs_cpu_words words;
        uint32_t features;
    } machines[] = {
        {"la264: no vectors, strict alignment", {0, 0, OTHERS}, 0},
        {"la364: LSX", {UAL, LSX_CFG, OTHERS | LSX_CAP}, QS_UAL | QS_LSX},
        {"la464: both", {UAL, LSX_CFG | LASX_CFG, OTHERS | LSX_CAP | LASX_CAP}, QS_UAL | QS_LSX | QS_LASX},
        {"la464 under a kernel built without vectors", {UAL, LSX_CFG | LASX_CFG, OTHERS}, QS_UAL},
        {"la464 under a kernel built without LASX", {UAL, LSX_CFG | LASX_CFG, OTHERS | LSX_CAP}, QS_UAL | QS_LSX},
        {"LASX without LSX is no machine", {UAL, LSX_CFG | LASX_CFG, OTHERS | LASX_CAP}, QS_UAL},
        {"HWCAP that promises more than the CPU has", {UAL, LSX_CFG, ~(uint64_t)0}, QS_UAL | QS_LSX},
        {"HWCAP that promises vectors to a CPU without", {UAL, 0, ~(uint64_t)0}, QS_UAL},
        {"nobody to ask for HWCAP", {UAL, ~(uint32_t)0, 0}, QS_UAL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(machines); i++) {
        uint32_t got = qs_cpu_decode(&machines[i].words);
        if (got != machines[i].features)
            FAIL("%s: features %#x, should be %#x", machines[i].machine, got, machines[i].features);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(decodes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
