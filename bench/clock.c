/* SPDX-License-Identifier: MIT
 *
 * Time, core cycles, and staying on one CPU.
 */
#define _GNU_SOURCE
#include "bench.h"

#include <linux/perf_event.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* What a time-stamp counter gives, in nanoseconds, where there is one. A round is long enough that reading costs
 * little. */
uint64_t bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t bench_clock_cost(void)
{
    static uint64_t cost;

    if (cost) return cost;
    cost = UINT64_MAX;
    for (int i = 0; i < 1000; i++) {
        uint64_t t = bench_now(), d = bench_now() - t;
        if (d && d < cost) cost = d;
    }
    return cost;
}

/* Register to register, as some cores add constants for nothing; long enough that the loop around it does not count on
 * a core that issues one instruction a cycle. */
#define ADD                                                                                                            \
    x += y;                                                                                                            \
    __asm__ volatile("" : "+r"(x));
#define ADD8 ADD ADD ADD ADD ADD ADD ADD ADD
#define ADD64 ADD8 ADD8 ADD8 ADD8 ADD8 ADD8 ADD8 ADD8
#define ADD512 ADD64 ADD64 ADD64 ADD64 ADD64 ADD64 ADD64 ADD64

static void chain(unsigned n)
{
    size_t x = 0, y = 1;

    __asm__ volatile("" : "+r"(x), "+r"(y));
    for (unsigned i = 0; i < n; i++) {
        ADD512
    }
}

double bench_chain(void)
{
    enum { N = 64 };
    uint64_t t = bench_now();
    chain(N);
    t = bench_now() - t;
    return (double)(t > bench_clock_cost() ? t - bench_clock_cost() : t) / (N * 512.0);
}

double bench_counted_ghz(void)
{
    struct perf_event_attr what = {.type = PERF_TYPE_HARDWARE,
                                   .size = sizeof what,
                                   .config = PERF_COUNT_HW_CPU_CYCLES,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    int fd = (int)syscall(SYS_perf_event_open, &what, 0, -1, -1, 0);
    double best = 0;

    if (fd < 0) return 0;
    for (int i = 0; i < 10; i++) {
        uint64_t before, after;
        if (read(fd, &before, sizeof before) != sizeof before) break;
        uint64_t t = bench_now();
        chain(8192);
        t = bench_now() - t;
        if (read(fd, &after, sizeof after) != sizeof after) break;
        double ghz = (double)(after - before) / (double)t;
        if (ghz > best) best = ghz;
    }
    close(fd);
    return best;
}

void bench_pin(int cpu)
{
    cpu_set_t set;

    if (cpu < 0 && (cpu = sched_getcpu()) < 0) return;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set); /* where that is forbidden the minimum still finds quiet rounds */
}

unsigned bench_cpus(int *cpus, unsigned max)
{
    cpu_set_t set;
    unsigned n = 0;

    if (sched_getaffinity(0, sizeof set, &set)) CPU_SET(0, &set);
    for (int i = 0; i < CPU_SETSIZE && n < max; i++)
        if (CPU_ISSET(i, &set)) cpus[n++] = i;
    return n;
}
