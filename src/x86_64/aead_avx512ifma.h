/* SPDX-License-Identifier: MIT
 *
 * x86-64, AVX-512 with IFMA: the frame that the parts of the whole-message kernel share, and the contract of each part.
 *
 * aead_avx512ifma.S owns the frame, which begins at rsp and is a multiple of 64; within a part that it calls, the frame
 * begins 8 bytes further up, and within what that calls, 16. All that is secret lies here, and is wiped at the end.
 */
#ifndef QS_X86_64_AEAD_AVX512IFMA_H
#define QS_X86_64_AEAD_AVX512IFMA_H

#define MESSAGE 0     /* struct qs_message * */
#define CALLER 8      /* rsp at entry, below the saved registers */
#define QUARTER 16    /* rounds / 4: double rounds of the first half of a pass */
#define HAVE_POWERS 20 /* 0 in the first pass, then 1 */
#define SEALING 28    /* 1 or 0 */
#define IN 32
#define OUT 40
#define LEFT 48       /* bytes of text from IN on */
#define MAC_LEFT 56   /* of text that the MAC has not seen yet, which begins at MAC_TEXT */
#define KEY_R 64      /* r = r0 + r1 2^64, clamped, and s1 = 5/4 r1 */
#define KEY_S 88
#define AD_HASH 104   /* limbs of the AD's hash */
#define LENGTHS_R 128 /* limbs of the block of lengths times r */
#define SCALAR 152    /* SCALAR_X8 and SCALAR_X11 of chacha_scalar.inc */
#define LOOPS 160
#define AD_END 168    /* the last block of the AD, padded with zeros */
#define MAC_TEXT 184
#define STATE 192     /* 64: of the pass's first block */
#define FOLDS 256     /* 4 * 40: r^8, r^16, r^24 and r^32: 3 limbs, and limbs 1 and 2 times 20 */
#define POWERS 448    /* 3 * 192: limb by limb, r^17 to r^2, then 8 zeros */
#define KEYSTREAM 1024 /* 2048: a pass's blocks of keystream, until they are used */
#define HASH 3072     /* 3 * 64: the accumulator, while a pass runs; */
#define TAIL HASH     /* 512: or blocks of a tail, which follow those of the pass */
#define FRAME 3584
/* Where there are at most 256 bytes: */
#define BLOCKS HASH        /* 64 of sealed text, padded with zeros */
#define TURN_A (HASH + 64) /* which way rows a and c turn next */
#define TURN_C (HASH + 128)
#define OPENED POWERS      /* 256: text that is opened, padded with zeros */

/* Eight entries from ENTRY(1) - 8 n on are the powers for the last n < 8 blocks, and zeros for lanes without one. */
#define ENTRY(power) (8 * (17 - (power)))
#define LIMB 192
#define POWERS_0 POWERS
#define POWERS_1 (POWERS + LIMB)
#define POWERS_2 (POWERS + 2 * LIMB)
#define ZEROS ENTRY(1)
#define FOLD(power) (FOLDS + 5 * (power) - 40)

/* fields of struct qs_message */
#define M_KEY 0
#define M_OUT 8
#define M_IN 16
#define M_LEN 24
#define M_AD 32
#define M_AD_LEN 40
#define M_TAG 48
#define M_NONCE 56
#define M_ROUNDS 68

#define ERR_AUTH -1 /* QS_ERR_AUTH of quickstep.h */

#endif
