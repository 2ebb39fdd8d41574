/* SPDX-License-Identifier: MIT
 *
 * x86-64, one whole message with 128-bit or 256-bit vectors: the working memory, as the passes in assembly and the
 * plan in C see it. It is all that holds secrets: the plan knows pointers and lengths only, and has it wiped at the
 * end.
 *
 * The file that includes it defines LANES, the 32-bit lanes of a vector (4 or 8), and NAME(x), the names of its
 * functions.
 */
#ifndef QS_X86_64_AEAD_VECTOR_H
#define QS_X86_64_AEAD_VECTOR_H

#define PIECE (4*LANES)    /* bytes of a vector: keystream comes in pieces of blocks */
#define PIECES (64/PIECE)  /* of a block */
#define SET (64*LANES)     /* bytes of a set: a block in each lane */
#define PASS (2*SET)       /* bytes of the largest pass */
#define ROWS (SET/2)       /* bytes of the smallest one */

/* Offsets for assembly; the plan asserts that they are the structure's. */
#define WORDS 0                 /* both sets: 16 words of all blocks; after a pass the pieces of the keystream */
#define STATE PASS              /* constants, key, counter of the pass's first block, nonce */
#define KEY_R0 PASS+64      /* r = r0 + r1 2^64, clamped; s1 = 5 r1 / 4 */
#define KEY_R1 PASS+72
#define KEY_S1 PASS+80
#define KEY_S PASS+88       /* s, 16 bytes */
#define HASH_A PASS+104     /* accumulators of the two chains, 3 words each */
#define HASH_B PASS+128
#define POWERS PASS+152     /* r^2, r^4, r^8, r^16, r^32, r^64, 3 words each */
#define SPILL PASS+304      /* words 8 to 11 of the block in general registers; a word of a multiplication */
#define LEFT PASS+320       /* iterations left */
#define HALF PASS+328       /* a quarter of the rounds: double rounds in each half of a pass */
#define HAS_FIRST PASS+336  /* is there: */
#define FIRST PASS+352      /* AD of at most 16 bytes, padded: MACed in the first pass */
#define PAIRS_LEFT PASS+368 /* blocks of each chain that are left */
#define SLOT PASS+344       /* what runs beside the vectors */
#define EXTRA PASS+448     /* two blocks of keystream from general registers */
#define SIZE PASS+576
#define POWER_SIZE 24
#define N_POWERS 6

#ifndef __ASSEMBLER__
#include "../internal.h"
#include "cpu.h"

typedef struct {
    uint8_t words[2][PIECES][LANES][PIECE];
    uint32_t state[16];
    uint64_t r[3], s[2], hash[2][3], powers[N_POWERS][3];
    uint64_t unused;
    uint32_t spill[4];
    uint64_t left, half, has_first;
    void *slot;
    uint8_t first[16];
    uint64_t pairs_left, unused_too;
    uint8_t end[2][16]; /* the last block of the text, if it is ragged, and the lengths */
    uint8_t unused_end[32];
    uint8_t extra[2][64];
} __attribute__((aligned(64))) work;

#pragma GCC visibility push(hidden)

void NAME(key)(work *w);
void NAME(row)(work *w);
void NAME(row_open)(work *w, const uint8_t *text, size_t nblocks);
void NAME(rows)(work *w);
void NAME(rows_open)(work *w, const uint8_t *text, size_t nblocks);
void NAME(first)(work *w);
void NAME(first_and_block)(work *w);
void NAME(first_wide)(work *w, uint8_t *out, const uint8_t *in);
void NAME(plain)(work *w, uint8_t *out, const uint8_t *in);
void NAME(more)(work *w, const uint8_t *mac);
void NAME(more_wide)(work *w, const uint8_t *mac, uint8_t *out, const uint8_t *in);
void NAME(mac)(work *w, uint64_t h[3], const uint8_t *text, size_t nblocks);
void NAME(mac2)(work *w, const uint8_t *a, const uint8_t *b, size_t nblocks);
void NAME(join)(work *w, unsigned k);
void NAME(tag)(work *w, uint8_t tag[16]);
uint64_t NAME(differs)(work *w, const uint8_t tag[16]);
void NAME(wipe)(work *w, size_t from);

#pragma GCC visibility pop
#endif
#endif
