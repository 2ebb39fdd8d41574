/* SPDX-License-Identifier: MIT
 *
 * The program whose instructions bench/insns counts: one call of each operation at each size, between two markers. Each
 * was called once before, so that choosing a row does not count.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/internal.h"

enum { MOST = 65536, OFFSETS = 64 };

/* The counter finds them by their names. */
void __attribute__((noinline)) insns_begin(void) { __asm__ volatile(""); }

void __attribute__((noinline)) insns_end(void) { __asm__ volatile(""); }

/* All buffers begin `offset` bytes behind a multiple of 64. */
static uint8_t buffers[3][MOST + OFFSETS] __attribute__((aligned(OFFSETS)));
static uint8_t *in, *out, *tag;
static uint8_t key[32], nonce[12];
static qs_aead aead;

static int place(const char *offset)
{
    const size_t at = offset ? strtoul(offset, NULL, 10) : 0;

    in = buffers[0] + at, out = buffers[1] + at, tag = buffers[2] + at;
    return at < OFFSETS;
}

static int nothing(size_t len)
{
    (void)len;
    return 0;
}

static int seal(size_t len) { return qs_aead_seal(&aead, out, tag, nonce, sizeof nonce, NULL, 0, in, len); }

static int open_(size_t len) { return qs_aead_open(&aead, in, nonce, sizeof nonce, NULL, 0, out, len, tag); }

static int chacha20(size_t len) { return qs_chacha_xor(out, key, nonce, 1, 20, in, len); }

static int mac(size_t len)
{
    qs_poly1305(tag, key, in, len);
    return 0;
}

/* As many blocks as hold len bytes. */
#ifdef QS_HAVE_BLOCKS_NOSTACK
static int nostack(size_t len)
{
    static uint32_t words[8], counter[2];
    qs_chacha20_blocks_nostack(buffers[1], words, counter, /* which wants words in their places */
                               (len + 63) / 64);
    return 0;
}
#endif

static const struct {
    const char *name;
    int (*call)(size_t len);
} ops[] = {
    {"encrypt", seal}, {"decrypt", open_}, {"ChaCha20", chacha20}, {"Poly1305", mac},
#ifdef QS_HAVE_BLOCKS_NOSTACK
    {"nostack", nostack},
#endif
};

static void count(int (*call)(size_t len), const char *name, size_t len)
{
    insns_begin();
    int failed = call(len);
    insns_end();
    if (failed) {
        fprintf(stderr, "%s of %zu bytes fails\n", name, len);
        exit(1);
    }
    printf("%s %zu\n", name, len);
}

static int __attribute__((noinline)) run(int argc, char **argv)
{
    const char *level = getenv("QUICKSTEP_CPU");

    if (!place(getenv("OFFSET"))) return 2;
    if (level && qs_cpu_limit(level) != QS_OK) {
        fprintf(stderr, "QUICKSTEP_CPU: no level '%s'\n", level);
        return 2;
    }
    if (qs_aead_init(&aead, QS_CHACHA20_POLY1305, key, sizeof key)) return 1;
    printf("quickstep %s", qs_version());
    for (unsigned p = 0; p < QS_PRIMITIVES; p++)
        printf(", %s %s", qs_tables[p].primitive, qs_kernel_of((enum qs_primitive)p)->name);
    putchar('\n');

    count(nothing, "nothing", 0); /* what the markers themselves take */
    for (int i = 1; i < argc; i++) {
        const size_t len = strtoul(argv[i], NULL, 10);
        if (len > MOST) return 2;
        for (size_t op = 0; op < sizeof ops / sizeof *ops; op++) {
            /* Sealing leaves what opening needs. */
            if (ops[op].call == open_ ? seal(len) || open_(len) || seal(len) : ops[op].call(len)) return 1;
            count(ops[op].call, ops[op].name, len);
        }
    }
    return 0;
}

/* memcpy and memset of a C library take other ways at other alignments, and where the stack begins depends on arguments
 * and environment: a count that repeats needs it at one place within a page. */
int main(int argc, char **argv)
{
    volatile char *pad = __builtin_alloca(((uintptr_t)__builtin_frame_address(0) & 4095) + 1);
    pad[0] = 0;
    return run(argc, argv);
}
