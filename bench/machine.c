/* SPDX-License-Identifier: MIT
 *
 * Which CPU this is, and whether it is a real one.
 */
#define _GNU_SOURCE
#include "bench.h"

#include <strings.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The value of the first line of /proc/cpuinfo whose key is one of those by which architectures name their CPU. */
static int cpuinfo_name(char *name, size_t size)
{
    static const char *const keys[] = {"model name", "cpu model", "uarch", "cpu", "processor", "hardware", "machine"};
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[256];
    size_t best = sizeof keys / sizeof *keys;

    while (f && fgets(line, sizeof line, f)) {
        char *value = strchr(line, ':');
        if (!value) continue;
        size_t key_len = (size_t)(value - line);
        while (key_len && (line[key_len - 1] == ' ' || line[key_len - 1] == '\t')) key_len--;
        value += 1 + strspn(value + 1, " \t");
        value[strcspn(value, "\n")] = 0;
        for (size_t i = 0; i < best; i++) {
            if (strlen(keys[i]) != key_len || strncasecmp(line, keys[i], key_len)) continue;
            if (strspn(value, "0123456789") == strlen(value)) continue; /* "processor : 0" is a number, not a name */
            snprintf(name, size, "%s", value);
            best = i;
        }
    }
    if (f) fclose(f);
    return best < sizeof keys / sizeof *keys;
}

const char *bench_cpu_name(void)
{
    static char text[512];
    char name[256];
    struct utsname u;

    uname(&u);
    if (bench_emulated()) snprintf(text, sizeof text, "emulated %s", u.machine);
    else if (cpuinfo_name(name, sizeof name)) snprintf(text, sizeof text, "%s (%s)", name, u.machine);
    else snprintf(text, sizeof text, "%s", u.machine);
    return text;
}

/* An emulator of user programs answers for /proc/self/exe with the program it runs; by another way to the same link,
 * which it does not know, the kernel names the emulator. An emulated machine says so in its CPU's name. */
const char *bench_emulated(void)
{
    char path[64], says[512], is[512], name[256];
    ssize_t says_len, is_len;

    snprintf(path, sizeof path, "/proc/self/task/%ld/exe", (long)syscall(SYS_gettid));
    says_len = readlink("/proc/self/exe", says, sizeof says);
    is_len = readlink(path, is, sizeof is);
    if (says_len > 0 && is_len > 0 && (says_len != is_len || memcmp(says, is, (size_t)is_len)))
        return "the kernel runs another program than this one";
    if (cpuinfo_name(name, sizeof name) && (strstr(name, "QEMU TCG") || strstr(name, "QEMU Virtual CPU")))
        return "the CPU calls itself emulated";
    return NULL;
}
