/* SPDX-License-Identifier: MIT
 *
 * Plugin for qemu's user mode: counts the instructions that the program executes between two functions of it.
 * bench/insns compiles it. qemu's own header is rarely installed, so the few declarations needed stand here.
 *
 * Arguments: from=ADDRESS,to=ADDRESS. Writes a line "interval N" each time that `to` is reached after `from`.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

struct qemu_plugin_tb; /* instructions translated together: entered at the first, left at the last */
struct qemu_plugin_insn;
typedef void on_translate(uint64_t id, struct qemu_plugin_tb *tb);
typedef void on_execute(unsigned cpu, void *arg);

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, on_translate *call);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, on_execute *call, int flags, void *arg);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void qemu_plugin_outs(const char *text);

EXPORT int qemu_plugin_version = API;

static uint64_t from, to, count;
static int inside;

static void begin(unsigned cpu, void *arg)
{
    (void)cpu, (void)arg;
    count = 0;
    inside = 1;
}

static void end(unsigned cpu, void *arg)
{
    char line[64];

    (void)cpu, (void)arg;
    if (!inside) return;
    inside = 0;
    snprintf(line, sizeof line, "interval %llu\n", (unsigned long long)count);
    qemu_plugin_outs(line);
}

static void executed(unsigned cpu, void *n)
{
    (void)cpu;
    count += (uintptr_t)n;
}

/* A function that is called begins such a group; the last call registered runs last. */
static void translated(uint64_t id, struct qemu_plugin_tb *tb)
{
    const size_t n = qemu_plugin_tb_n_insns(tb);
    const uint64_t pc = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0));

    (void)id;
    if (pc == from) qemu_plugin_register_vcpu_tb_exec_cb(tb, begin, 0, NULL);
    if (pc == to) qemu_plugin_register_vcpu_tb_exec_cb(tb, end, 0, NULL);
    qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, 0, (void *)(uintptr_t)n);
}

EXPORT int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++) {
        if (!strncmp(argv[i], "from=", 5)) from = strtoull(argv[i] + 5, NULL, 0);
        if (!strncmp(argv[i], "to=", 3)) to = strtoull(argv[i] + 3, NULL, 0);
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
