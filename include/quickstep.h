/* SPDX-License-Identifier: MIT
 *
 * Quickstep: ChaCha, Poly1305 and the AEADs made of them, for packets.
 *
 * This header is the manual. It is complete: what is not said here is not promised.
 *
 * RULES THAT HOLD EVERYWHERE
 *
 * Lengths     are in bytes, unless a name says blocks (64 bytes of ChaCha) or a count of pieces.
 * Memory      Nothing is allocated. Contexts belong to the caller, need the alignment of uint64_t and no more, and hold
 *             no pointers: they may be copied with memcpy. Byte buffers may have any alignment.
 * Threads     A prepared key (qs_aead, qs_openssh) is only read, so threads may share one. A context that a function
 *             changes (qs_poly1305_ctx, qs_stream, qs_replay) belongs to one thread at a time.
 * NULL        is allowed exactly where the length beside it is 0, and as `in` of the three stream ciphers, where it means
 *             the keystream itself. Text and AD may be empty, alone or both.
 * Unchecked   Functions that return nothing, and qs_openssh_length, cannot say that an argument is wrong: pointers must be
 *             valid, and what they write must not touch what else they are given, unless said.
 * Overlap     Output and input are the same buffer (out == in) or do not touch; anything else is QS_ERR_OVERLAP. An
 *             output (text or tag) that touches AD, nonce, key or context, and a tag that touches text or AD, are
 *             QS_ERR_OVERLAP too. A tag that lies directly behind the text is fine.
 * Errors      are found in this order: QS_ERR_ARGUMENT, QS_ERR_STATE (incremental calls), QS_ERR_LENGTH,
 *             QS_ERR_OVERLAP, QS_ERR_AUTH. A call that returns an error has written nothing to its outputs.
 * Opening     checks the tag before any plaintext is written. On QS_ERR_AUTH the output is as it was, in place or not.
 *             Only functions with `unverified` in their name reveal text whose tag was not checked.
 * Secrets     No branch, no address and no instruction of varying time depends on key, text or tag (lengths, nonces
 *             and pointers are public). Key material is wiped from the stack and from finished contexts. This needs a
 *             CPU whose multiplier takes constant time: see SECURITY.md for those that do not.
 * Limits      A nonce starts a stream of 64-byte blocks. A call that would need a block beyond the last one the
 *             construction can number is QS_ERR_LENGTH; the last block itself can be used.
 * Cost        is given in ChaCha blocks (C, per 64 bytes) and Poly1305 blocks (P, per 16 bytes), the two things that
 *             take time: about 270 and 15 cycles each in plain C on a large core, a fraction of that in vectors.
 * Stack       At most 1.25 KiB a call; 2.5 KiB on s390 and PowerPC, where frames have areas of their own; 5.5 KiB on
 *             x86-64, where opened text waits for the tag to be checked. Many packets in one call take 22 KiB, whatever
 *             their number, the self-test takes 26 KiB.
 *
 * THE ONE WAY TO LOSE EVERYTHING: sealing two different messages under one key and one nonce. It reveals the XOR of
 * the texts and lets anyone forge messages. Count nonces. Drawn at random, 8 bytes are too few, 12 bytes do for 2^32
 * messages a key at most; use XChaCha where a counter cannot be kept.
 */
#ifndef QUICKSTEP_H
#define QUICKSTEP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QS_VERSION_MAJOR 0
#define QS_VERSION_MINOR 1
#define QS_VERSION_PATCH 0
#define QS_VERSION "0.1.0"

#define QS_API __attribute__((visibility("default")))
#define QS_CHECKED __attribute__((warn_unused_result, visibility("default")))

#define QS_TAG_LEN 16        /* bytes of every authentication tag */
#define QS_REPLAY_WIDTH 4032 /* counters in the anti-replay window, the highest one included */

/* ---- status ------------------------------------------------------------------------------------------------------ */

typedef enum {
    QS_OK = 0,
    QS_ERR_AUTH = -1,     /* the tag is wrong: throw the message away, reveal nothing about it, do not say why */
    QS_ERR_LENGTH = -2,   /* text or AD beyond the limit, lengths whose sum overflows, in and out of different totals */
    QS_ERR_OVERLAP = -3,  /* buffers that overlap in a way the rules above forbid */
    QS_ERR_ARGUMENT = -4, /* wrong key or nonce length, rounds, algorithm; NULL with a length; a context not prepared */
    QS_ERR_STATE = -5,    /* an incremental call out of order */
    QS_ERR_ENTROPY = -6,  /* the system gives no random bytes */
    QS_ERR_SELFTEST = -7, /* a known answer came out wrong */
    QS_ERR_REPLAY = -8    /* a packet counter that was seen before, or too old to tell */
} qs_status;

/* A sentence in English for each status, without a full stop; never NULL. */
QS_API const char *qs_strerror(qs_status status);

/* The version of the library that runs, as QS_VERSION is of the header that was compiled. */
QS_API const char *qs_version(void);

/* ---- ChaCha stream cipher ----------------------------------------------------------------------------------------
 *
 * XORs a keystream over `in` into `out`; the same call encrypts and decrypts. It does not authenticate: whoever can
 * change the ciphertext changes the plaintext, bit for bit. Use an AEAD below unless you build one.
 *
 * out      len bytes
 * key      32 bytes
 * nonce    12, 8 or 24 bytes, as the construction prints them
 * counter  number of the first block; block i covers bytes 64 i to 64 i + 63 of a stream that starts at counter 0
 * rounds   20 (the standard), 12 or 8 (Aumasson, "Too Much Crypto", 2019: faster, with a smaller margin)
 * in       len bytes, or NULL: out becomes the keystream itself
 *
 * Errors   QS_ERR_ARGUMENT: rounds not 8, 12 or 20; a NULL. QS_ERR_LENGTH: more blocks than remain from counter on.
 *          QS_ERR_OVERLAP.
 * Cost     C for every block touched, also for a part of one; XChaCha one C more.
 * Misuse   Continuing a stream at a counter that was already used (a call that ended within a block used all of it);
 *          joining pieces that do not end at multiples of 64.
 */

/* RFC 8439, 2.4: 96-bit nonce, 32-bit counter. Limit: counter + blocks <= 2^32. */
QS_CHECKED qs_status qs_chacha_xor(uint8_t *out, const uint8_t key[32], const uint8_t nonce[12], uint32_t counter,
                                   unsigned rounds, const uint8_t *in, size_t len);

/* Bernstein's original ("ChaCha, a variant of Salsa20", 2008): 64-bit nonce, 64-bit counter. Limit: 2^64 blocks. */
QS_CHECKED qs_status qs_chacha_djb_xor(uint8_t *out, const uint8_t key[32], const uint8_t nonce[8], uint64_t counter,
                                       unsigned rounds, const uint8_t *in, size_t len);

/* XChaCha (draft-irtf-cfrg-xchacha): 192-bit nonce, long enough to be drawn at random; 64-bit counter, limit 2^64
 * blocks. HChaCha of the first 16 nonce bytes makes the key, the last 8 are the nonce of the original construction. */
QS_CHECKED qs_status qs_xchacha_xor(uint8_t *out, const uint8_t key[32], const uint8_t nonce[24], uint64_t counter,
                                    unsigned rounds, const uint8_t *in, size_t len);

/* HChaCha (draft-irtf-cfrg-xchacha, 2.2): derives a 32-byte key from a key and a 16-byte nonce. `out` may be `key`, to
 * replace it; otherwise it touches neither key nor nonce. Rounds and errors as above. Cost: C. */
QS_CHECKED qs_status qs_hchacha(uint8_t out[32], const uint8_t key[32], const uint8_t nonce[16], unsigned rounds);

/* ---- keystream without a stack -----------------------------------------------------------------------------------
 *
 * For random number generators that must not leave their key where a signal handler, a debugger or a crash dump would find
 * it, as in the vDSO of Linux: ChaCha20 in Bernstein's original form with a nonce of zeros, whole blocks of keystream.
 * The function touches no stack at all, nor any memory but what is named here, and of the registers that it used none
 * holds key or keystream at the end. It uses no vectors beyond those that every CPU of its kind has, and makes no choices.
 *
 * dst      64 nblocks bytes, at a multiple of 4 (anywhere, where the CPU stores words anywhere)
 * key      8 words: the bytes of the key, read as little-endian words
 * counter  number of the first block, the lower word first; it becomes the number of the block after the last
 * nblocks  may be 0
 *
 * The three do not overlap. Errors: none. The 64-bit counter goes on at 0 after its end: the caller takes care that no key
 * lasts so long. Cost: C for each block.
 * Misuse   As for every keystream: using a block twice.
 *
 * Not every architecture has it: QS_HAVE_BLOCKS_NOSTACK is defined where it is there. Those are: x86-64, AArch64, and with
 * floating point registers LoongArch64, 64-bit RISC-V and MIPS32 release 2 to 5 (o32, unless built with QS_PLAIN_C). On
 * x86-64 the call itself has put its return address on the stack. */
#if (defined(__x86_64__) && defined(__ELF__) && !defined(__ILP32__)) || (defined(__aarch64__) && defined(__ARM_NEON)) || \
    (defined(__loongarch_lp64) && defined(__loongarch_hard_float)) ||                                                   \
    (defined(__riscv) && __riscv_xlen == 64 && defined(__riscv_flen) && __riscv_flen >= 64) ||                          \
    (defined(__mips_hard_float) && _MIPS_SIM == _ABIO32 && __mips_isa_rev >= 2 && __mips_isa_rev < 6 &&                 \
     !defined(__mips_micromips) && !defined(QS_PLAIN_C))
#define QS_HAVE_BLOCKS_NOSTACK 1
#endif
#ifdef QS_HAVE_BLOCKS_NOSTACK
QS_API void qs_chacha20_blocks_nostack(uint8_t *dst, const uint32_t *key, uint32_t *counter, size_t nblocks);
#endif

/* ---- Poly1305 ----------------------------------------------------------------------------------------------------
 *
 * RFC 8439, 2.5: a 16-byte tag of a message of len bytes at `in` under a 32-byte key (r, then s). The message has no limit.
 *
 * Misuse   A key that is used for two messages: both tags together reveal it. Derive a new key for every message, as
 *          the AEADs do. Comparing tags with memcmp: use qs_tag_verify.
 * Cost     P for every 16 bytes begun, and one to finish. Pieces may be cut anywhere.
 */
typedef struct {
    uint64_t opaque[12];
} qs_poly1305_ctx;

QS_API void qs_poly1305(uint8_t tag[16], const uint8_t key[32], const uint8_t *in, size_t len);

/* Incremental: init, any number of updates (an empty one is nothing), final. Final wipes ctx; to give up before that,
 * qs_wipe it. */
QS_API void qs_poly1305_init(qs_poly1305_ctx *ctx, const uint8_t key[32]);
QS_API void qs_poly1305_update(qs_poly1305_ctx *ctx, const uint8_t *in, size_t len);
QS_API void qs_poly1305_final(qs_poly1305_ctx *ctx, uint8_t tag[16]);

/* Compares two tags in constant time: QS_OK if they are equal, QS_ERR_AUTH if not. */
QS_CHECKED qs_status qs_tag_verify(const uint8_t a[16], const uint8_t b[16]);

/* ---- AEAD on a prepared key --------------------------------------------------------------------------------------
 *
 *  algorithm                  key  nonce  most text per call  what it is
 *  QS_CHACHA20_POLY1305        32     12  (2^32 - 1) * 64     RFC 8439, 2.8
 *  QS_CHACHA12_/8_POLY1305     32     12  (2^32 - 1) * 64     the same with 12 or 8 rounds
 *  QS_XCHACHA20_POLY1305       32     24  (2^32 - 1) * 64     draft-irtf-cfrg-xchacha, 2.3; nonces may be random
 *  QS_XCHACHA12_/8_POLY1305    32     24  (2^32 - 1) * 64     the same with 12 or 8 rounds, in HChaCha too
 *  QS_ESP_CHACHA20_POLY1305    36      8  (2^32 - 1) * 64     RFC 7634: key is 32 bytes and 4 of salt; nonce is the IV
 *                                                             as sent; AD is SPI and sequence number (8 or 12 bytes)
 *  QS_WIREGUARD                32      8  (2^32 - 1) * 64     nonce is the packet counter, 8 bytes little-endian, put
 *                                                             behind four zero bytes
 *  QS_TINC_SPTPS               64      8  2^64 - 1            tinc 1.1's own form, LEGACY, for talking to tinc only:
 *                                                             first half of the key is used; nonce is the sequence
 *                                                             number, 8 bytes big-endian, in the original ChaCha;
 *                                                             Poly1305 key from block 0, text from block 1; the tag
 *                                                             covers the bare ciphertext, and AD must be empty
 *
 * AD (additional data) is authenticated and not encrypted. Its limit is 2^64 - 1 bytes.
 */
typedef enum {
    QS_CHACHA20_POLY1305 = 1,
    QS_CHACHA12_POLY1305,
    QS_CHACHA8_POLY1305,
    QS_XCHACHA20_POLY1305,
    QS_XCHACHA12_POLY1305,
    QS_XCHACHA8_POLY1305,
    QS_ESP_CHACHA20_POLY1305,
    QS_WIREGUARD,
    QS_TINC_SPTPS
} qs_alg;

/* Bytes of key and of nonce that an algorithm takes; 0 for a number that is no algorithm. */
QS_API size_t qs_alg_key_len(qs_alg alg);
QS_API size_t qs_alg_nonce_len(qs_alg alg);

/* A prepared key. It contains the key: wipe it when done. It holds nothing that depends on the CPU. */
typedef struct {
    uint64_t opaque[6];
} qs_aead;

/* Prepares a key. key_len must be the algorithm's own. Errors: QS_ERR_ARGUMENT, and aead is as it was; QS_ERR_OVERLAP:
 * key lies in aead. Cost: a copy. */
QS_CHECKED qs_status qs_aead_init(qs_aead *aead, qs_alg alg, const uint8_t *key, size_t key_len);

/* Encrypts and authenticates.
 *
 * out       len bytes of ciphertext, may be `in`
 * tag       16 bytes; `out + len` is a good place
 * nonce     nonce_len bytes, the algorithm's own length; NEVER twice under one key
 * ad, in    ad_len and len bytes
 *
 * Errors    QS_ERR_ARGUMENT, QS_ERR_LENGTH, QS_ERR_OVERLAP.
 * Cost      (1 + len / 64, rounded up) C and ((ad_len + len) / 16, each rounded up, + 1) P; XChaCha one C more. */
QS_CHECKED qs_status qs_aead_seal(const qs_aead *aead, uint8_t *out, uint8_t tag[16], const uint8_t *nonce,
                                  size_t nonce_len, const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len);

/* Checks the tag, then decrypts. Arguments as for sealing; len is that of the ciphertext without its tag.
 *
 * Errors    as for sealing, and QS_ERR_AUTH: tag, text, AD, nonce or key is not the sealed one; out is untouched.
 * Cost      as for sealing; a wrong tag costs one C and the P. */
QS_CHECKED qs_status qs_aead_open(const qs_aead *aead, uint8_t *out, const uint8_t *nonce, size_t nonce_len,
                                  const uint8_t *ad, size_t ad_len, const uint8_t *in, size_t len,
                                  const uint8_t tag[16]);

/* Wipes the key. A wiped (or zeroed) qs_aead is refused with QS_ERR_ARGUMENT by all that takes one. */
QS_API void qs_aead_wipe(qs_aead *aead);

/* ---- AEAD, scatter/gather ----------------------------------------------------------------------------------------
 *
 * The same, with out, AD and text in out_n, ad_n and in_n pieces, cut anywhere, out not necessarily where in is; pieces may
 * be empty, and there may be none. The totals of out and in are equal. A byte of `out` may be a byte of `in` only at the
 * same position of the stream; pieces of `out` touch no other piece of `out`. The arrays of pieces are not written, and
 * must not lie in `out` or `tag`.
 *
 * Errors    as above; QS_ERR_LENGTH also for unequal totals, QS_ERR_OVERLAP for any of the rest.
 * Cost      as above, and out_n * (out_n + in_n + ad_n) comparisons of addresses. */
typedef struct {
    uint8_t *base;
    size_t len;
} qs_iovec;

typedef struct {
    const uint8_t *base;
    size_t len;
} qs_const_iovec;

QS_CHECKED qs_status qs_aead_sealv(const qs_aead *aead, const qs_iovec *out, size_t out_n, uint8_t tag[16],
                                   const uint8_t *nonce, size_t nonce_len, const qs_const_iovec *ad, size_t ad_n,
                                   const qs_const_iovec *in, size_t in_n);
QS_CHECKED qs_status qs_aead_openv(const qs_aead *aead, const qs_iovec *out, size_t out_n, const uint8_t *nonce,
                                   size_t nonce_len, const qs_const_iovec *ad, size_t ad_n, const qs_const_iovec *in,
                                   size_t in_n, const uint8_t tag[16]);

/* ---- AEAD, many packets in one call ------------------------------------------------------------------------------
 *
 * Each packet has its own key, algorithm, nonce, AD, lengths and status; the nonce has its algorithm's length. Each is
 * sealed or opened as if alone, with the errors of qs_aead_seal and qs_aead_open in its `status` and no effect on the
 * others. They are processed in any order and at the same time, so that no packet's outputs may touch any other packet's
 * buffers: that is the caller's duty and is not checked. Outputs must not touch the array (QS_ERR_OVERLAP).
 *
 * Returns   the number of packets that failed; 0 is success. With packets == NULL: n.
 * Cost      That of as many single calls, or less where packets share vector lanes (x86-64): at 64 bytes with AVX-512 a
 *           quarter, with AVX2 two fifths, in batches of up to 32 packets with the same number of rounds. Done one by
 *           one: XChaCha, SPTPS, AD or text of more than 1536 bytes.
 * Misuse    Ignoring the count when opening: a forged packet's `out` holds what it held before. */
typedef struct {
    const qs_aead *aead;
    uint8_t *out;         /* len bytes; may be in */
    uint8_t *tag;         /* 16 bytes: written by seal, read by open */
    const uint8_t *nonce; /* qs_alg_nonce_len bytes */
    const uint8_t *ad;
    size_t ad_len;
    const uint8_t *in;
    size_t len;
    qs_status status; /* result; what it held before does not matter */
} qs_packet;

QS_CHECKED size_t qs_seal_packets(qs_packet *packets, size_t n);
QS_CHECKED size_t qs_open_packets(qs_packet *packets, size_t n);

/* ---- AEAD, incremental -------------------------------------------------------------------------------------------
 *
 * For a message that is not in memory at once: init; AD in pieces; text in pieces; final. Pieces are cut anywhere, an
 * empty piece anywhere before final is nothing. Text is never held back: each call turns len bytes into len bytes.
 *
 * `open_unverified` reveals text BEFORE the tag was checked. Act on none of it until qs_stream_open_final says QS_OK; if
 * it says QS_ERR_AUTH, throw away all that was revealed. Where the message fits in memory, use qs_aead_open.
 *
 * The qs_aead is not needed after init. To give up before final, qs_wipe the stream.
 *
 * Errors    QS_ERR_ARGUMENT, QS_ERR_OVERLAP; QS_ERR_STATE: AD after text, anything after final or on a zeroed stream, the
 *           final of the other direction. The stream is unharmed by a call that returns an error, except a final that
 *           returns QS_ERR_AUTH.
 * Cost      in all that of one call; a little more for every piece. */
typedef struct {
    uint64_t opaque[32];
} qs_stream;

QS_CHECKED qs_status qs_stream_seal_init(qs_stream *s, const qs_aead *aead, const uint8_t *nonce, size_t nonce_len);
QS_CHECKED qs_status qs_stream_open_unverified_init(qs_stream *s, const qs_aead *aead, const uint8_t *nonce,
                                                    size_t nonce_len);

/* Adds len bytes of AD. QS_ERR_ARGUMENT: NULL with a length, or any AD for QS_TINC_SPTPS. */
QS_CHECKED qs_status qs_stream_ad(qs_stream *s, const uint8_t *ad, size_t len);

/* Turns len bytes of text at `in` into len bytes at `out` (may be `in`). QS_ERR_LENGTH: the text would pass the
 * algorithm's limit in all. */
QS_CHECKED qs_status qs_stream_text(qs_stream *s, uint8_t *out, const uint8_t *in, size_t len);

/* Writes the tag, and wipes s. */
QS_CHECKED qs_status qs_stream_seal_final(qs_stream *s, uint8_t tag[16]);

/* Checks the tag, and wipes s: QS_OK, or QS_ERR_AUTH: what was revealed must be thrown away. */
QS_CHECKED qs_status qs_stream_open_final(qs_stream *s, const uint8_t tag[16]);

/* ---- OpenSSH -----------------------------------------------------------------------------------------------------
 *
 * chacha20-poly1305@openssh.com (OpenSSH's PROTOCOL.chacha20poly1305): the first half of the key encrypts the packet and
 * gives the Poly1305 key, the second half encrypts the 4-byte packet length. in and out begin with that length field; the
 * tag covers both. seq is the packet's sequence number, which both ends count; SSH demands new keys before it
 * repeats. The sequence number is authenticated only in this way, and SSH's handshake does not protect it:
 * use OpenSSH's "strict kex" against prefix truncation (CVE-2023-48795). */
typedef struct {
    uint64_t opaque[8];
} qs_openssh;

QS_API void qs_openssh_init(qs_openssh *ssh, const uint8_t key[64]); /* to wipe the keys: qs_wipe(ssh, sizeof *ssh) */

/* The length field of a packet that is NOT YET VERIFIED, to know how much to read: bound it before you wait for that
 * much. Cost: C. */
QS_API uint32_t qs_openssh_length(const qs_openssh *ssh, uint32_t seq, const uint8_t in[4]);

/* As qs_aead_seal and qs_aead_open. len counts the length field, at least 4 (else QS_ERR_LENGTH); that the field agrees
 * with len is the caller's to check. Cost: as there, and one C. */
QS_CHECKED qs_status qs_openssh_seal(const qs_openssh *ssh, uint8_t *out, uint8_t tag[16], uint32_t seq,
                                     const uint8_t *in, size_t len);
QS_CHECKED qs_status qs_openssh_open(const qs_openssh *ssh, uint8_t *out, uint32_t seq, const uint8_t *in, size_t len,
                                     const uint8_t tag[16]);

/* ---- packet protocols --------------------------------------------------------------------------------------------- */

/* The per-record nonce of TLS 1.3 (RFC 8446, 5.3) and QUIC (RFC 9001, 5.3): iv with seq XORed into its last 8 bytes, most
 * significant byte first. nonce may be iv. */
QS_API void qs_nonce_xor(uint8_t nonce[12], const uint8_t iv[12], uint64_t seq);

/* Anti-replay window over packet counters (RFC 6479), QS_REPLAY_WIDTH wide: the highest counter accepted and those just
 * below it. Every counter from 0 to 2^64 - 1 can be accepted once, in any order within the window.
 *
 * Order of use: check, open, and only when the tag was right, accept. Accepting before that lets a forger move the
 * window. Both return QS_ERR_REPLAY for a counter that was accepted before or is older than the window. Check may be left
 * out: it only saves the cost of opening. A thread that opens in parallel with others decides by accept, under a lock.
 * NULL: QS_ERR_ARGUMENT. Cost: a look at one bit; accept clears 64 bits for every 64 that the window moves. */
typedef struct {
    uint64_t opaque[65];
} qs_replay;

QS_API void qs_replay_init(qs_replay *window);
QS_CHECKED qs_status qs_replay_check(const qs_replay *window, uint64_t counter);
QS_CHECKED qs_status qs_replay_accept(qs_replay *window, uint64_t counter);

/* ---- random bytes ------------------------------------------------------------------------------------------------
 *
 * For keys, nonces, padding, anything. In user space: compile random/ beside src/. A generator for each thread, seeded from
 * the system: ChaCha20 with fast key erasure (Bernstein, 2017). Each refill of a thread's pool (10 KiB of keystream) replaces
 * the key first; bytes are wiped from the pool as they are handed out; requests of 2 KiB or more take a key from the pool
 * and have their stream written straight into the buffer. So nothing that stays in memory tells of bytes handed out.
 *
 * Seeds     come from getrandom(2), which waits for the kernel's pool after boot; from /dev/urandom, once /dev/random can be
 *           read, where that call is missing or forbidden; or from the function you set. A thread is seeded at its first
 *           call, and again after 4 MiB, after 60 seconds (looked at when a pool is made or a request is 2 KiB or more),
 *           after a fork, and when qs_random_reseed asked for it. Where Linux offers getrandom in the vDSO, 16 bytes
 *           of it go into every refill, and into the key of every request of 2 KiB or more.
 * Errors    QS_ERR_ENTROPY: a seed was due and the system gave none. Nothing was written, and the next call tries again:
 *           there is no weak output. QS_ERR_ARGUMENT: NULL with a length.
 * Threads   Any number; no locks. A thread's state is wiped and given back when it ends.
 * Fork      Children (fork, vfork, clone) and parent never give the same bytes, in whatever state the pool was: Linux
 *           wipes the state's page in the child. Where it cannot (before 4.14), each call asks for the process number.
 * Signals   Handlers may call. What has interrupted another call of the same thread is served by a seed of its own.
 * Memory    12 KiB a thread, locked where RLIMIT_MEMLOCK allows it, left out of core dumps. Not malloc: no call allocates.
 * Cost      Below 2 KiB: a copy, and C for every 64 bytes; from there on C alone. A seed: a system call of about a
 *           microsecond. A thread's first call: half a dozen system calls. In a handler that interrupted another call: a
 *           seed for each.
 *
 * Limits, which no generator in user space escapes, or not this one:
 * - A virtual machine that is copied while it runs has the same pool in both copies, until that is used up: at most 10 KiB
 *   a thread. From the next refill on, and in requests of 2 KiB or more at once, they differ where the vDSO offers getrandom
 *   (its key follows the kernel's, and so the generation ID of the machine: where the hypervisor gives none, they differ
 *   when the kernel next makes its keys anew, after a minute); elsewhere after 60 seconds or 4 MiB. What restores snapshots
 *   should call qs_random_reseed first.
 * - A signal handler that forks, in the very moment that the interrupted call has its bytes ready: both processes return
 *   from that call with the same ones. So does the call of a handler whose own seed was fetched when another handler
 *   interrupted it and forked.
 * - A handler that interrupts a call and leaves by longjmp: that thread asks the system for every call from then on.
 * - A thread made by clone with CLONE_VM but without CLONE_SETTLS, which runs beside its maker, has its maker's
 *   thread-local storage, and must not call; that is so of most of a C library. (A child of vfork may.)
 * - Before Linux 4.14, a clone into a new process namespace that gets the number of its parent is not noticed.
 * - glibc: if the program had more than 32 keys of thread-specific data before it loaded this library, every call asks the
 *   system, as the state could not be given back without an allocation.
 * - A library that holds this code and is unloaded leaves the states of living threads behind, 12 KiB each. (The shared
 *   library of this project is never unloaded.)
 *
 * Misuse    Ignoring the status: the buffer then has what it had. Calling without an operating system before a source was
 *           set: QS_ERR_ENTROPY. */

/* len bytes to buf. len == 0 writes nothing, but seeds the thread if it is not yet, so that a program can know early. */
QS_CHECKED qs_status qs_random(void *buf, size_t len);

/* Any number of 32, of 64 bits. */
QS_CHECKED qs_status qs_random_u32(uint32_t *out);
QS_CHECKED qs_status qs_random_u64(uint64_t *out);

/* A number from 0 to bound - 1, each as likely as any other: draws again while a draw is too large, fewer than twice on
 * average. bound == 0: QS_ERR_ARGUMENT. */
QS_CHECKED qs_status qs_random_uniform(uint32_t *out, uint32_t bound);

/* Throws away what every thread has, before its next byte; seeds this one now, and says if that failed. For those who know
 * that memory was copied or shown: after a snapshot was restored, in a checkpointed process that goes on. A call that
 * another thread has begun ends as it began. */
QS_CHECKED qs_status qs_random_reseed(void);

/* Makes seeds come from your function: it fills all of out (32 bytes at a time) with bytes that nobody can guess and
 * returns QS_OK, or fails with anything else. It may be called by any thread, and within signal handlers, or with
 * interrupts disabled if that is where you call from. NULL: back to the system's. Call it before anything is drawn, or
 * qs_random_reseed behind it. Built with -ffreestanding there is one state for all, without locks, and no other source:
 * interrupts are what signals are above. */
typedef qs_status qs_entropy_source(uint8_t *out, size_t len);
QS_API void qs_random_source(qs_entropy_source *source);

/* ---- wiping ------------------------------------------------------------------------------------------------------- */

/* Sets len bytes to zero in a way that a compiler does not remove. */
QS_API void qs_wipe(void *p, size_t len);

/* ---- the CPU ------------------------------------------------------------------------------------------------------
 *
 * Every primitive has a table of kernels (rows), best first; the first one that this CPU and its operating system
 * support is used. Nothing needs to be called: the choice is made at first use. */

/* Hides, in the whole process, all features of this CPU above a level, so that one machine can run every row. Level
 * "generic" hides all; the others are those of qs_cpu_level; NULL shows all. QS_ERR_ARGUMENT: a level this architecture
 * does not know. A level that the CPU lacks is not an error: its best lower row runs. May be called at any time, also
 * while other threads work; prepared keys and MACs under way stay valid. */
QS_CHECKED qs_status qs_cpu_limit(const char *level);

/* Name of level i of this architecture, lowest first, beginning with "generic"; NULL behind the last. */
QS_API const char *qs_cpu_level(size_t i);

/* The features that rows may need, on this architecture. Writes at most max of them, returns how many there are. */
typedef struct {
    const char *name;
    int found;  /* the CPU has it and the operating system keeps its registers */
    int hidden; /* found, and hidden by qs_cpu_limit */
} qs_feature;

QS_API size_t qs_cpu_features(qs_feature *features, size_t max);

/* The rows compiled in, table by table, best first. Writes at most max of them, returns how many there are. */
typedef enum {
    QS_ROW_CHOSEN,   /* runs */
    QS_ROW_USABLE,   /* would run, but a better one does */
    QS_ROW_HIDDEN,   /* needs a feature that qs_cpu_limit hides */
    QS_ROW_MISSING,  /* needs a feature that is not there */
    QS_ROW_AVOIDED,  /* runs badly on this model of CPU */
    QS_ROW_DISABLED  /* failed its self-test */
} qs_row_state;

typedef struct {
    const char *primitive; /* "chacha", "poly1305", "aead" or "packets" */
    const char *name;
    uint32_t needs; /* bit i: needs feature i of qs_cpu_features */
    int vector;     /* uses vector registers: a kernel must bracket it */
    qs_row_state state;
} qs_row;

QS_API size_t qs_rows(qs_row *rows, size_t max);

/* Runs known answers through every row that this CPU can run, then through each construction. A row that fails is not
 * chosen again in this process (the last row of a table, plain C, has nothing to fall back to and stays). QS_OK, or
 * QS_ERR_SELFTEST: something failed, even where a slower row now does the work. Cost: about a millisecond. */
QS_CHECKED qs_status qs_selftest(void);

/* The same, telling `report` (unless NULL) the outcome of every test, in order, with the arg given. */
typedef struct {
    const char *subject;  /* "chacha", "poly1305", an AEAD, "packets", "replay" */
    const char *row;      /* the row tested, or NULL: those that are chosen */
    qs_status status;     /* QS_OK or QS_ERR_SELFTEST */
    const char *vector;   /* of the first failure: which known answer, */
    size_t offset;        /* the first byte that differs, */
    uint8_t expected, got; /* and what it should be and is */
} qs_selftest_result;

typedef void qs_selftest_report(void *arg, const qs_selftest_result *result);

QS_CHECKED qs_status qs_selftest_each(qs_selftest_report *report, void *arg);

#ifdef __cplusplus
}
#endif

#endif
