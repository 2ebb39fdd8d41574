/* SPDX-License-Identifier: MIT
 *
 * A program that knows nothing of the library, under the example's LD_PRELOAD. Argument: the example's shared object.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define CHECK(x)                                                                                                       \
    do {                                                                                                               \
        if (x) break;                                                                                                  \
        fprintf(stderr, "line %d: not so: %s\n", __LINE__, #x);                                                        \
        exit(1);                                                                                                       \
    } while (0)

/* In the C library or in the object that was loaded before it. */
static int served_by(const char *object, const char *name)
{
    Dl_info info;
    void *function = dlsym(RTLD_DEFAULT, name);
    return function && dladdr(function, &info) && info.dli_fname && strcmp(info.dli_fname, object) == 0;
}

int main(int argc, char **argv)
{
    static uint8_t seen[3][1000][16], zeros[16], many[70000];

    if (argc < 2) return 77;
    if (!getenv("LD_PRELOAD") || strcmp(getenv("LD_PRELOAD"), argv[1])) {
        CHECK(!served_by(argv[1], "getrandom"));
        setenv("LD_PRELOAD", argv[1], 1);
        execv("/proc/self/exe", argv);
        if (errno != ENOEXEC) return 1;
        puts("skipped: what runs here, an emulator perhaps, starts no programs of its own kind");
        return 77;
    }
    CHECK(served_by(argv[1], "getrandom"));
    CHECK(served_by(argv[1], "getentropy"));
    for (unsigned i = 0; i < 1000; i++) {
        CHECK(getrandom(seen[0][i], 16, 0) == 16);
        CHECK(getrandom(seen[1][i], 16, GRND_NONBLOCK) == 16);
        CHECK(getentropy(seen[2][i], 16) == 0);
    }
    for (unsigned i = 0; i < 3000; i++) {
        CHECK(memcmp(seen[0][i], zeros, 16));
        for (unsigned k = 0; k < i; k++) CHECK(memcmp(seen[0][i], seen[0][k], 16));
    }
    CHECK(getrandom(many, sizeof many, 0) == sizeof many);
    CHECK(memcmp(many + sizeof many - 16, zeros, 16));
    CHECK(getrandom(many, 16, 0x8000) == -1 && errno == EINVAL);
    CHECK(getentropy(many, 257) == -1 && errno == EIO);
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 36)
    CHECK(served_by(argv[1], "arc4random_buf"));
    CHECK(served_by(argv[1], "arc4random"));
    CHECK(served_by(argv[1], "arc4random_uniform"));
    uint32_t bits = 0;
    for (unsigned i = 0; i < 100; i++) {
        bits |= arc4random();
        CHECK(arc4random_uniform(10) < 10);
        CHECK(arc4random_uniform(1) == 0 && arc4random_uniform(0) == 0);
    }
    CHECK(bits == 0xffffffff);
    memset(many, 0, sizeof many);
    arc4random_buf(many, 3000);
    CHECK(memcmp(many + 2984, zeros, 16) && !memcmp(many + 3000, zeros, 16));
#endif
    printf("served\n");
    return 0;
}
