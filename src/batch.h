/* SPDX-License-Identifier: MIT
 *
 * A batch: packets that share vector lanes. packets.c says which do and fills them in; batch.c has the kernels make
 * them.
 */
#ifndef QS_BATCH_H
#define QS_BATCH_H

#include "aead.h"

#pragma GCC visibility push(hidden)

/* Longer AD goes alone, and text at a length that the row says: there, a packet has enough blocks of its own. */
enum { QS_BATCH_LONGEST = 1536 };

/* Places in the stream, each from this number on: a packet's text, the key block, blocks of text that wait for the tag
 * to be checked, and the keystream of an end of less than a block; and one for lanes that are left over. */
enum { TEXT = 0, KEY = QS_LANES, WAITING = 2 * QS_LANES, END = 3 * QS_LANES, NOTHING = 4 * QS_LANES };

/* Of mac.scratch: where ends of texts are made, and behind them what goes nowhere; the keys follow. */
enum { QS_BATCH_ENDS = QS_LANES_MAC_SCRATCH - QS_BLOCK_LEN };
_Static_assert(QS_LANES * QS_BLOCK_LEN <= QS_BATCH_ENDS, "as many ends as packets");

struct batch {
    struct qs_lanes_stream stream;
    struct qs_lanes lanes;
    struct qs_lanes_mac mac;       /* while it is not at work, its scratch is where the ends of texts are made */
    qs_packet *packet[QS_LANES];   /* as they came, which is how their states are numbered */
    uint8_t number[QS_LANES + 16]; /* of the packet in each of mac's lanes; the rest is anything */
    uint16_t text[QS_LANES + 8];   /* where in the stream that of each ends, from the second on: the next one begins there, or
                                      keys do; the rest is anything */
    uint32_t n, full;              /* packets in it, and at how many it is full */
    uint32_t alg;                  /* of the last one, */
    struct qs_alg_info info;       /* and what there is to know of it: all have its number of rounds */
    uint32_t differ;               /* do their lengths differ? */
    uint32_t bits, ad_bits;        /* of their lengths, and of their AD's: is one no multiple of a block? */
    uint32_t ends;                 /* has there been such a one, in this batch or before? */
    struct qs_lanes_rules rules;
    size_t array_len; /* in bytes, of the array that the caller gave */
    /* Opening: the text of all packets before this one, in mac's order, and so many whole blocks of its own, are made
     * with the keys. */
    uint32_t waiting, waiting_blocks;
    uint32_t elsewhere; /* bit j: so are all whole blocks of the one in lane j of mac, beside its tag; */
    uint8_t *room;      /* what is left for that in mac.scratch begins there, and ends where QS_BATCH_ENDS says; */
    uint8_t *used;      /* up to there it was used, in this batch or before */
    uint32_t compared, forged; /* tags that were, and those that were wrong */
    const struct qs_lanes_kernel *kernel;
};
_Static_assert(1 + QS_BATCH_LONGEST / QS_BLOCK_LEN < 256, "the number of a block has 8 bits");

/* Block `block` of a place is read and written there. */
static inline void set_place(struct batch *b, unsigned place, unsigned block, const uint8_t *in, uint8_t *out)
{
    b->stream.place[place].in = (uintptr_t)in - (uintptr_t)QS_BLOCK_LEN * block;
    b->stream.place[place].out = (uintptr_t)out - (uintptr_t)QS_BLOCK_LEN * block;
}

/* What there is to know of all lengths; first. Returns the sum of the texts'. */
size_t qs_batch_measure(struct batch *b);

void qs_batch_seal(struct batch *b);
size_t qs_batch_open(struct batch *b); /* how many tags were wrong */

#pragma GCC visibility pop
#endif
