/* SPDX-License-Identifier: MIT
 *
 * Runs a fuzz target where there is no libFuzzer: every file named (an input that failed) or in a folder named (the
 * seeds), then changed seeds and random inputs for QS_FUZZ_SECONDS (1). An input that fails is written to stderr in
 * hexadecimal.
 */
#include <dirent.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

enum { INPUT_LEN = 1024, MAX_SEEDS = 64 };

static struct {
    uint8_t data[INPUT_LEN];
    size_t len;
} seeds[MAX_SEEDS], now;
static unsigned n_seeds;

static void show_input(int signal_number)
{
    fputs("input: ", stderr);
    for (size_t i = 0; i < now.len; i++) fprintf(stderr, "%02x", now.data[i]);
    fputc('\n', stderr);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void run(void)
{
    /* A copy that ends where its memory does: the target must not read past it. */
    uint8_t *copy = room(0, now.len);
    memcpy(copy, now.data, now.len);
    LLVMFuzzerTestOneInput(copy, now.len);
    drop(copy, 0);
}

static uint64_t random_state = 20260101;

static uint64_t random_u64(void)
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static void next_input(void)
{
    if (n_seeds && random_u64() % 2) {
        now = seeds[random_u64() % n_seeds];
        for (uint64_t i = 1 + random_u64() % 8; i && now.len; i--)
            now.data[random_u64() % now.len] = (uint8_t)random_u64();
    } else {
        now.len = random_u64() % INPUT_LEN;
        for (size_t i = 0; i < now.len; i++) now.data[i] = (uint8_t)random_u64();
    }
}

static void run_file(const char *path)
{
    FILE *f = fopen(path, "rb");

    CHECK(f, "%s cannot be read", path);
    now.len = fread(now.data, 1, INPUT_LEN, f);
    fclose(f);
    if (n_seeds < MAX_SEEDS) seeds[n_seeds++] = now;
    run();
}

static void run_path(const char *path)
{
    DIR *dir = opendir(path);

    if (!dir) run_file(path);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char file[4096];
        if (e->d_name[0] == '.') continue;
        snprintf(file, sizeof file, "%s/%s", path, e->d_name);
        run_file(file);
    }
    if (dir) closedir(dir);
}

int main(int argc, char **argv)
{
    const char *text = getenv("QS_FUZZ_SECONDS"), *seed = getenv("QS_TEST_SEED");
    const clock_t end = clock() + (text ? atoi(text) : 1) * CLOCKS_PER_SEC;
    unsigned long inputs = 0;

    signal(SIGABRT, show_input);
    signal(SIGSEGV, show_input);
    if (seed) random_state = strtoull(seed, NULL, 0);
    for (int i = 1; i < argc; i++) run_path(argv[i]);
    for (; clock() < end; inputs++) {
        next_input();
        run();
    }
    printf("%u seeds, %lu changed and random inputs\n", n_seeds, inputs);
    return 0;
}
