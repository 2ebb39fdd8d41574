/* SPDX-License-Identifier: MIT
 *
 * The contract of every kernel, and the tables that kernels stand in.
 */
#ifndef QS_KERNEL_H
#define QS_KERNEL_H

#include "../include/quickstep.h"
#include "port.h"

#pragma GCC visibility push(hidden)

/* ---- ChaCha ------------------------------------------------------------------------------------------------------
 *
 * out[i] = in[i] ^ keystream[i] for nblocks whole blocks of 64 bytes. The first block has the sixteen state words as
 * they are (constants, key, counter and nonce, in the CPU's own byte order); each further one has word 12 one higher.
 *
 * The caller guarantees: nblocks >= 1; state[12] + nblocks <= 2^32, so that word 12 never carries into word 13; in == out
 * or no overlap; rounds is 8, 12 or 20. Any alignment of in and out.
 * The kernel guarantees: no byte outside is read or written; state is not written; its own stack and the vector
 * registers it used hold no secret at the end, or it is plain C, after which the frontend wipes (qs_stack_wipe). */
typedef void qs_chacha_blocks(uint8_t *out, const uint8_t *in, size_t nblocks, const uint32_t state[16],
                              unsigned rounds);

/* The same with the state of k, and one block more, of keystream alone, into `block` of k: for a text that does not end with
 * a whole block, whose last piece so takes no time of its own. nblocks may be 0; state[12] + nblocks < 2^32. Nothing else of
 * k is written. Never plain C, nor is the qs_chacha_blocks beside it in the row: after both the frontend does not wipe the
 * stack below it. */
struct qs_keystream;
typedef void qs_chacha_ending(uint8_t *out, const uint8_t *in, size_t nblocks, struct qs_keystream *k, unsigned rounds);

/* ---- Poly1305 ----------------------------------------------------------------------------------------------------
 *
 * For each block m of 16 bytes: h = (h + m + pad * 2^128) * r mod 2^130 - 5, partly reduced.
 *
 * h is the accumulator in the one format that all rows share: five 32-bit words in the CPU's byte order, least
 * significant word first, whose value is below 2^131 (h[4] <= 7), at entry and at exit. So any row can take over from
 * any other between two calls. r is clamped: r[0] < 2^28; r[1], r[2], r[3] < 2^28 and multiples of 4. pad is 1, or 0
 * where the frontend has put the final one bit into the block itself.
 * nblocks >= 1; any alignment of in; otherwise as above. */
typedef void qs_poly1305_blocks(uint32_t h[5], const uint32_t r[4], const uint8_t *in, size_t nblocks, uint32_t pad);

/* ---- whole messages ----------------------------------------------------------------------------------------------
 *
 * RFC 8439's construction in one call. The key block is the state with word 12, the counter, 0; its first 32 bytes are
 * Poly1305's key. The text begins with block 1. The MAC is over AD and text, each padded to a whole block, and both
 * lengths.
 *
 * The caller guarantees: the text is within the limit of a 32-bit counter; in == out or no overlap; no other output
 * overlaps anything (the tag may lie directly behind the text); rounds is 8, 12 or 20; ad, in and out may be NULL where
 * their length is 0. Any lengths, any alignment.
 * The kernel guarantees: no byte outside is read or written; open writes nothing at all before it has compared the whole tag
 * in constant time, and nothing ever if the tag is wrong; neither its stack nor a vector register holds a secret at the
 * end: plain C too wipes after itself here. */
struct qs_message {     /* at, where pointers have 64 bits */
    const uint32_t *key; /*  0: ChaCha's key, 8 words in the CPU's byte order */
    uint8_t *out;        /*  8 */
    const uint8_t *in;   /* 16 */
    size_t len;          /* 24: of in and out */
    const uint8_t *ad;   /* 32 */
    size_t ad_len;       /* 40 */
    uint8_t *tag;        /* 48: seal writes it, open only reads it */
    uint32_t nonce[3];   /* 56: words 13 to 15 of the state */
    uint32_t rounds;     /* 68 */
};
typedef void qs_seal_message(const struct qs_message *m);
typedef qs_status qs_open_message(const struct qs_message *m); /* QS_OK or QS_ERR_AUTH */

/* ---- packets that share vector lanes ------------------------------------------------------------------------------
 *
 * batch.c takes up to QS_LANES packets of RFC 8439's construction at a time, a batch, and writes down which blocks of
 * which packets are to be made, as a stream; these three functions do the work. They know nothing of seal and open.
 *
 * All of struct qs_lanes and struct qs_lanes_mac may be overwritten, but for what the caller fills and needs again; the
 * caller wipes them. The kernel guarantees what the others do: no byte outside is read or written, no secret on its own
 * stack or in vector registers, or it is C, whose stack (at most 1 KiB) the caller wipes; vector and mask registers it
 * always wipes. A signal handler may come at any time. */
enum { QS_LANES = 32, QS_LANES_SCRATCH = 33 * 64, QS_LANES_MAC_SCRATCH = 60 * 64, QS_LANES_MAC_PROGRESS = 3 * 64 };

/* A block of the stream has the state of packet `packet` modulo QS_LANES, and its own number, below 256, as word 12. Block
 * 0 of a place would be read at `in` and written at `out`, block b is 64 b bytes behind; they are where place[packet] says,
 * so that a packet can have several places. Any alignment; in == out or no overlap. */
enum { QS_LANES_PLACES = 4 * QS_LANES + 1, QS_LANES_STREAM = 864 };
struct qs_lanes_stream { /* at, where pointers have 64 bits */
    struct qs_lanes_place {
        uintptr_t in, out;
    } place[QS_LANES_PLACES];        /* 0 */
    uint8_t packet[QS_LANES_STREAM]; /* 2064 */
    uint8_t block[QS_LANES_STREAM];  /* 2928 */
};

/* Of each packet, words 4 to 15 of its state; word 12 does not matter. The caller fills in those of the batch and calls
 * arrange, which may put all of them in whatever order and place within the structure suits it; so they stay for the
 * passes that follow, until the caller fills in others. A row without arrange takes them as they are. */
struct qs_lanes {
    _Alignas(64) uint32_t state[QS_LANES][12]; /* 0 */
    uint8_t scratch[QS_LANES_SCRATCH];         /* 1536 */
};
typedef void qs_lanes_arrange(struct qs_lanes *l);

/* ChaCha, a pass: blocks `first` to first + n - 1 of the stream, in as many lanes; n >= 1. Up to the next multiple of the
 * row's `set` all are filled in, and may be made too. A block 0 is a key: it has zeros at `in`, and
 * only its first 32 bytes are made for certain. 8, 12 or 20 rounds. The stream is only read. m is for rows that make tags
 * beside blocks. */
struct qs_lanes_mac;
typedef void qs_lanes_blocks(struct qs_lanes *l, const struct qs_lanes_stream *s, uint32_t first, uint32_t n,
                             uint32_t rounds, struct qs_lanes_mac *m);

/* Poly1305: the tags of n packets, each under its own key, of AD and text, padded with zeros to whole blocks of 16 bytes,
 * and both lengths. Of AD and text only whole blocks are read there; an end that is less than a block stands, padded,
 * in ad_end and text_end, which are anything where there is none. Any alignment of both. Packets n to QS_LANES - 1 have
 * lengths of 0; `ad` and `text` point to something, the keys are anything, the tags may be written.
 *
 * A row may do this beside the passes of ChaCha (see `beside` there): then `blocks` goes on with the tags of packets 0 to
 * ready - 1 as far as it has time to, and says in `made` how many of the first are finished; `tags` finishes all of those that
 * are ready. A packet is ready when key, AD and text are in their places. Such a row has its state in `progress` from call to
 * call, of which all is 0 at first; other rows only know n, which ready is equal to. scratch is the caller's while `blocks`
 * runs, and for such a row always. */
struct qs_lanes_mac { /* at, where pointers have 64 bits */
    _Alignas(64) uint8_t scratch[QS_LANES_MAC_SCRATCH]; /* 0 */
    uint8_t key[QS_LANES][64];                          /* 3840: r, not clamped yet, and s in the first 32 bytes; only read */
    uint8_t tag[QS_LANES][QS_TAG_LEN];                  /* 5888: result */
    uint8_t ad_end[QS_LANES][16];                       /* 6400 */
    uint8_t text_end[QS_LANES][16];                     /* 6912 */
    const uint8_t *ad[QS_LANES];                        /* 7424 */
    const uint8_t *text[QS_LANES];                      /* 7680 */
    uint32_t ad_len[QS_LANES];                          /* 7936: bytes, below 2^31 */
    uint32_t len[QS_LANES];                             /* 8064 */
    uint32_t n;                                         /* 8192: 1 to QS_LANES */
    uint32_t ready;                                     /* 8196: at most n; more from call to call */
    uint32_t made;                                      /* 8200: by `blocks` */
    _Alignas(16) uint8_t progress[QS_LANES_MAC_PROGRESS]; /* 8208 */
};
typedef void qs_lanes_tags(struct qs_lanes_mac *m);

/* What packets must be to be usual. */
struct qs_lanes_rules {
    size_t longest, ad_longest; /* of text, and of AD */
    size_t nonce_len;
    const qs_packet *array; /* that the caller gave, */
    size_t array_reach;     /* and so far behind its start, or farther, no output ends that touches it */
    int sealing;
};

/* Is nothing wrong with eight packets, but that their algorithm has not been looked at? Nothing is missing, all lengths keep
 * the rules, text is not empty, and no output touches what it must not. If so, writes them down as packets at to at + 7: ad,
 * text, ad_len and len for the tags, and their places in the stream, where text begins with block 1. Otherwise returns 0,
 * which may be wrong: the caller then looks at each of them. */
typedef int qs_lanes_usual(const qs_packet p[8], const struct qs_lanes_rules *rules, unsigned at, struct qs_lanes_stream *s,
                           struct qs_lanes_mac *m);

/* A row of the table `packets`. */
struct qs_lanes_kernel {
    uint32_t lanes;   /* of a pass, at most QS_LANES, */
    uint32_t set;     /* and how many of them always go together, at most half of QS_LANES: both are powers of 2 */
    uint32_t packets; /* of a batch, at most QS_LANES */
    int beside;       /* `blocks` goes on with tags, too */
    qs_lanes_usual *usual; /* may be NULL, as may arrange */
    qs_lanes_arrange *arrange;
    qs_lanes_blocks *blocks;
    qs_lanes_tags *tags;
    /* Sharing pays from so many packets on, if their texts have so many bytes on average or less: more of both, from entry to
     * entry. Found by timing batches of 2 to 32 packets of 1 to 4096 bytes against each packet on its own. */
    struct {
        uint16_t packets, len;
    } pays[4];
    uint16_t longest; /* text that a packet may have to be in a batch; at most 1536 */
};

/* ---- plain C ----------------------------------------------------------------------------------------------------- */

qs_chacha_blocks qs_chacha_blocks_generic;
qs_poly1305_blocks qs_poly1305_blocks_generic32;
#ifdef QS_MUL128
qs_poly1305_blocks qs_poly1305_blocks_generic64;
#endif
/* Whole messages in steps, over the ChaCha and Poly1305 rows that are chosen: in aead.c. */
qs_seal_message qs_seal_steps;
qs_open_message qs_open_steps;

/* ---- tables ------------------------------------------------------------------------------------------------------
 *
 * Best row first; the last row needs nothing. The first usable row wins. */
struct qs_kernel {
    const char *name;
    uint32_t needs; /* every instruction set that the kernel's file really uses, as bits of the architecture's cpu.h */
    uint32_t avoid; /* quirk bits that rule it out: it would run, but badly */
    int vector;     /* uses vector registers */
    union {
        struct {
            qs_chacha_blocks *chacha;
            qs_chacha_ending *chacha_ending; /* may be NULL */
        };
        qs_poly1305_blocks *poly1305;
        struct {
            qs_seal_message *seal;
            qs_open_message *open;
        } aead;
        const struct qs_lanes_kernel *packets; /* NULL: each on its own */
    } blocks;
};

enum qs_primitive { QS_CHACHA, QS_POLY1305, QS_AEAD, QS_PACKETS, QS_PRIMITIVES };

struct qs_table {
    const char *primitive;
    const struct qs_kernel *rows;
    unsigned n; /* at most 32 */
};

/* Defined by the architecture's table.c, with QS_DEFINE_TABLES. */
extern const struct qs_table qs_tables[QS_PRIMITIVES];

#define QS_DEFINE_TABLES(chacha_rows, poly1305_rows, aead_rows, packets_rows)                                          \
    const struct qs_table qs_tables[QS_PRIMITIVES] = {                                                                 \
        [QS_CHACHA] = {"chacha", chacha_rows, sizeof(chacha_rows) / sizeof *(chacha_rows)},                            \
        [QS_POLY1305] = {"poly1305", poly1305_rows, sizeof(poly1305_rows) / sizeof *(poly1305_rows)},                  \
        [QS_AEAD] = {"aead", aead_rows, sizeof(aead_rows) / sizeof *(aead_rows)},                                      \
        [QS_PACKETS] = {"packets", packets_rows, sizeof(packets_rows) / sizeof *(packets_rows)},                       \
    }

/* The rows of plain C that end the tables of every architecture. */
#define QS_CHACHA_GENERIC_ROW {"generic", 0, 0, 0, {.chacha = qs_chacha_blocks_generic}}
#ifdef QS_MUL128
#define QS_POLY1305_GENERIC_ROWS                                                                                       \
    {"generic64", 0, 0, 0, {.poly1305 = qs_poly1305_blocks_generic64}},                                                \
        {"generic32", 0, 0, 0, {.poly1305 = qs_poly1305_blocks_generic32}}
#else
#define QS_POLY1305_GENERIC_ROWS {"generic32", 0, 0, 0, {.poly1305 = qs_poly1305_blocks_generic32}}
#endif

#define QS_AEAD_STEPS_ROW {"steps", 0, 0, 0, {.aead = {qs_seal_steps, qs_open_steps}}}
#define QS_PACKETS_SINGLE_ROW {"single", 0, 0, 0, {.packets = NULL}}

/* Defined by the architecture's cpu.c: what it calls its features and levels, and which features this CPU has. */
struct qs_cpu_level {
    const char *name;
    uint32_t features; /* all that the level shows */
};
struct qs_cpu_names {
    const char *const *features; /* bit i of a feature word is features[i] */
    unsigned n_features;
    const struct qs_cpu_level *levels; /* lowest first; the first is "generic" and shows none */
    unsigned n_levels;
};
extern const struct qs_cpu_names qs_cpu_names;
uint32_t qs_cpu_detect(void);

/* ---- selection ---------------------------------------------------------------------------------------------------- */

extern const struct qs_kernel *qs_chosen[QS_PRIMITIVES]; /* NULL until first use; relaxed atomics */
const struct qs_kernel *qs_choose(enum qs_primitive primitive);

/* The row to run: one load once the choice was made. */
static QS_INLINE const struct qs_kernel *qs_kernel_of(enum qs_primitive primitive)
{
    const struct qs_kernel *row = __atomic_load_n(&qs_chosen[primitive], __ATOMIC_RELAXED);
    return QS_LIKELY(row != NULL) ? row : qs_choose(primitive);
}

/* Rows of a table that must not be chosen, bit i for row i. The self-test adds those that fail; tests and benchmarks set
 * it to run one certain row. The last row is chosen if no other is left, whatever its bit. */
uint32_t qs_disabled(enum qs_primitive primitive);
void qs_disable(enum qs_primitive primitive, uint32_t rows);

/* Can this CPU, with all its features shown, run the row? */
int qs_can_run(const struct qs_kernel *row);

#pragma GCC visibility pop

#endif
