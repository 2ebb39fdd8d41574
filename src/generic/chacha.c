/* SPDX-License-Identifier: MIT
 *
 * ChaCha in plain C: the kernel of every CPU without a better one, and what the others are compared with.
 *
 * RFC 8439, 2.3. The sixteen words live in local variables, so that a compiler keeps as many as it can in registers.
 */
#include "../kernel.h"

static inline uint32_t rotl(uint32_t x, unsigned n)
{
    return x << n | x >> (32 - n);
}

#define QUARTER_ROUND(a, b, c, d)                                                                                      \
    do {                                                                                                               \
        a += b, d = rotl(d ^ a, 16);                                                                                   \
        c += d, b = rotl(b ^ c, 12);                                                                                   \
        a += b, d = rotl(d ^ a, 8);                                                                                    \
        c += d, b = rotl(b ^ c, 7);                                                                                    \
    } while (0)

/* Two words at a time: half the loads and stores, and what reads the output in 64 bits soon after finds it in one store. */
#define OUTPUT(i, x, y)                                                                                                \
    qs_store64(out + 4 * (i), qs_load64(in + 4 * (i)) ^                                                                \
                                  ((uint32_t)((x) + state_word(i)) | (uint64_t)((y) + state_word((i) + 1)) << 32))

void qs_chacha_blocks_generic(uint8_t *out, const uint8_t *in, size_t nblocks, const uint32_t state[16],
                              unsigned rounds)
{
    uint32_t counter = state[12];
#define state_word(i) ((i) == 12 ? counter : state[i])

    do {
        uint32_t x0 = state[0], x1 = state[1], x2 = state[2], x3 = state[3];
        uint32_t x4 = state[4], x5 = state[5], x6 = state[6], x7 = state[7];
        uint32_t x8 = state[8], x9 = state[9], x10 = state[10], x11 = state[11];
        uint32_t x12 = counter, x13 = state[13], x14 = state[14], x15 = state[15];

        for (unsigned i = rounds; i; i -= 2) {
            QUARTER_ROUND(x0, x4, x8, x12);
            QUARTER_ROUND(x1, x5, x9, x13);
            QUARTER_ROUND(x2, x6, x10, x14);
            QUARTER_ROUND(x3, x7, x11, x15);
            QUARTER_ROUND(x0, x5, x10, x15);
            QUARTER_ROUND(x1, x6, x11, x12);
            QUARTER_ROUND(x2, x7, x8, x13);
            QUARTER_ROUND(x3, x4, x9, x14);
        }

        OUTPUT(0, x0, x1), OUTPUT(2, x2, x3), OUTPUT(4, x4, x5), OUTPUT(6, x6, x7);
        OUTPUT(8, x8, x9), OUTPUT(10, x10, x11), OUTPUT(12, x12, x13), OUTPUT(14, x14, x15);

        counter++;
        in += 64;
        out += 64;
    } while (--nblocks);
#undef state_word
}
