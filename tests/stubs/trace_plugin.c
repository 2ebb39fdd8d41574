/* SPDX-License-Identifier: MIT
 *
 * A plugin for qemu-user (plugin API 1, qemu 7): for every stretch of execution from address `from` to address `to`, a
 * hash of every pc executed and of every address accessed, with size and direction. Equal hashes: equal traces.
 *
 *   cc -O2 -shared -fPIC -o trace_plugin.so trace_plugin.c
 *   qemu-ARCH -plugin ./trace_plugin.so,from=0x1234,to=0x5678 -d plugin PROGRAM
 *
 * qemu's development header is not needed: what is used of it is declared here.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum { NO_REGISTERS = 0, READ_AND_WRITE = 3 };

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*)(uint64_t id, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *, void (*)(unsigned cpu, void *), int, void *);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *, void (*)(unsigned cpu, uint32_t info, uint64_t, void *),
                                      int, int, void *);
void qemu_plugin_outs(const char *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
unsigned qemu_plugin_mem_size_shift(uint32_t info);
bool qemu_plugin_mem_is_store(uint32_t info);

EXPORT int qemu_plugin_version = 1;

static uint64_t from, to, hash, steps;
static bool inside;

static void mix(uint64_t x)
{
    if (!inside) return;
    hash = (hash ^ x) * UINT64_C(0x100000001b3);
    hash ^= hash >> 29;
}

static void on_from(unsigned cpu, void *arg)
{
    (void)cpu, (void)arg;
    inside = true;
    hash = UINT64_C(0xcbf29ce484222325);
    steps = 0;
}

static void on_to(unsigned cpu, void *arg)
{
    char line[80];

    (void)cpu, (void)arg;
    if (!inside) return;
    inside = false;
    snprintf(line, sizeof line, "trace: %" PRIu64 " steps, hash %016" PRIx64 "\n", steps, hash);
    qemu_plugin_outs(line);
}

static void on_pc(unsigned cpu, void *pc)
{
    (void)cpu;
    steps++;
    mix((uintptr_t)pc);
}

static void on_access(unsigned cpu, uint32_t info, uint64_t address, void *arg)
{
    (void)cpu, (void)arg;
    mix(address * 16 + qemu_plugin_mem_size_shift(info) * 2 + qemu_plugin_mem_is_store(info));
}

static void on_block(uint64_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *in = qemu_plugin_tb_get_insn(tb, i);
        uint64_t pc = qemu_plugin_insn_vaddr(in);
        if (pc == from) qemu_plugin_register_vcpu_insn_exec_cb(in, on_from, NO_REGISTERS, NULL);
        if (pc == to) qemu_plugin_register_vcpu_insn_exec_cb(in, on_to, NO_REGISTERS, NULL);
        qemu_plugin_register_vcpu_insn_exec_cb(in, on_pc, NO_REGISTERS, (void *)(uintptr_t)pc);
        qemu_plugin_register_vcpu_mem_cb(in, on_access, NO_REGISTERS, READ_AND_WRITE, NULL);
    }
}

EXPORT int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++) {
        if (!strncmp(argv[i], "from=", 5)) from = strtoull(argv[i] + 5, NULL, 0);
        else if (!strncmp(argv[i], "to=", 3)) to = strtoull(argv[i] + 3, NULL, 0);
        else return -1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_block);
    return 0;
}
