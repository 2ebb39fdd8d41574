/* SPDX-License-Identifier: MIT
 *
 * What the fuzz targets share. A target is LLVMFuzzerTestOneInput in a file of its own; it takes every decision
 * (lengths, cuts, offsets, levels, forgeries) from its input, knows by a model what each call must return, and has the
 * bytes from an independent library (oracle.c). Linked with libFuzzer where there is one, else with driver.c.
 */
#ifndef QS_FUZZ_H
#define QS_FUZZ_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../include/quickstep.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Says what is wrong and stops, so that the input is kept. */
#define CHECK(ok, ...)                                                                                                 \
    do {                                                                                                               \
        if (!(ok)) {                                                                                                   \
            fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                                                            \
            fprintf(stderr, __VA_ARGS__);                                                                              \
            fputc('\n', stderr);                                                                                       \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

#define CHECK_STATUS(got, want, what)                                                                                  \
    do {                                                                                                               \
        int got_ = (got), want_ = (want);                                                                              \
        CHECK(got_ == want_, "%s: status %d, should be %d", what, got_, want_);                                        \
    } while (0)

#define CHECK_BYTES(got, want, len, what)                                                                              \
    do {                                                                                                               \
        size_t at_ = first_difference(got, want, len);                                                                 \
        CHECK(at_ == (len), "%s: byte %zu of %zu differs", what, at_, (size_t)(len));                                  \
    } while (0)

static inline size_t first_difference(const uint8_t *a, const uint8_t *b, size_t len)
{
    size_t i = 0;
    while (i < len && a[i] == b[i]) i++;
    return i;
}

/* ---- the input: what is behind its end reads as zeros ------------------------------------------------------------- */

struct input {
    const uint8_t *at;
    size_t left;
};

static inline uint8_t take_u8(struct input *in)
{
    if (in->left == 0) return 0;
    in->left--;
    return *in->at++;
}

static inline uint64_t take_u64(struct input *in, unsigned bytes)
{
    uint64_t x = 0;
    while (bytes--) x = x << 8 | take_u8(in);
    return x;
}

static inline size_t take_below(struct input *in, size_t n)
{
    return (size_t)take_u64(in, n > 256 ? 4 : 1) % n;
}

/* A length up to max: short ones, and those around multiples of a block, more often than others. */
static inline size_t take_len(struct input *in, size_t max)
{
    uint8_t how = take_u8(in);
    size_t len = how;

    if (how >= 192) len = take_below(in, max + 1);
    else if (how >= 128) len = 64u * (how - 127u) + take_u8(in) % 3 - 1;
    return len > max ? max : len;
}

/* Text from the input itself, or one byte over and over, or from a generator that the input seeds. */
static inline void take_bytes(struct input *in, uint8_t *p, size_t len)
{
    uint8_t how = take_u8(in);

    if (how < 96) {
        for (size_t i = 0; i < len; i++) p[i] = take_u8(in);
    } else if (how < 160) {
        if (len) memset(p, take_u8(in), len);
    } else {
        uint32_t x = (uint32_t)take_u64(in, 2) * 2 + 1;
        for (size_t i = 0; i < len; i++) x = x * 1664525 + 1013904223, p[i] = (uint8_t)(x >> 24);
    }
}

/* A counter: small, or close below a power of two where something carries or ends. */
static inline uint64_t take_counter(struct input *in)
{
    static const unsigned powers[] = {32, 64, 31, 33, 63};
    uint8_t how = take_u8(in);

    if (how < 64) return how;
    if (how >= 192) return take_u64(in, 8);
    return (powers[how % COUNT(powers)] == 64 ? 0 : UINT64_C(1) << powers[how % COUNT(powers)]) - take_u8(in);
}

/* Shows the library a CPU of another level from here on. */
static inline void take_level(struct input *in)
{
    size_t n = 0;
    while (qs_cpu_level(n)) n++;
    n = take_below(in, n + 1);
    CHECK_STATUS(qs_cpu_limit(qs_cpu_level(n)), QS_OK, "qs_cpu_limit");
}

/* Memory of exactly len bytes behind `offset` unused ones, so that AddressSanitizer sees the first byte beyond and text
 * begins at any alignment. Free it with drop. */
static inline uint8_t *room(size_t offset, size_t len)
{
    uint8_t *p = malloc(offset + len + (offset + len == 0));
    CHECK(p, "no memory");
    if (offset + len) memset(p, 0xa5, offset + len);
    return p + offset;
}

static inline void drop(uint8_t *p, size_t offset)
{
    free(p - offset);
}

static inline int touch(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
    return a_len && b_len && (uintptr_t)a < (uintptr_t)b + b_len && (uintptr_t)b < (uintptr_t)a + a_len;
}

/* Text and AD beyond what one packet of the field carries find nothing that these do not. */
enum { MAX_TEXT = 5000, MAX_AD = 600 };

#endif
