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
#define POWERS_LEFT 24 /* how many of r^2 to r^9 are still to be made: 8, then 0 */
#define IN 32
#define OUT 40
#define LEFT 48       /* bytes of text from IN on */
#define USED 56       /* bytes at KEYSTREAM that hold secrets */
#define KEY_R 64      /* r = r0 + r1 2^64, clamped, and s1 = 5/4 r1 */
#define KEY_S 88
#define LENGTHS_R 104 /* the block of lengths times r, in 3 words */
#define COUNTER 128   /* word 12 of the pass's first block */
#define SPILL 132     /* words 8 to 11 of the key block, which share two registers */
#define AD_END 152    /* the last block of the AD, padded with zeros */
#define SEALING 168   /* 1 or 0 */
#define STATE_D 192   /* 64: row d of the state, four times */
#define MAC_TEXT 176  /* what the MAC has not seen yet */
#define MAC_LEFT 184
#define HASH 256      /* 3 * 64: the accumulator, while a pass runs */
#define POWERS 448    /* 5 * 384: see below */
#define KEYSTREAM 2368 /* 2048: a pass's blocks of keystream; after sealing, ciphertext */
#define FRAME 4416

/* Powers of r in limbs of 44, 44 and 42 bits, r^41 first, r^2 at entry 39, then 8 zeros; and limbs 1 and 2 times 20,
 * as what reaches 2^132 folds back as 4 * 5. So 8 entries from 40 - n on are the powers for the last n < 8 blocks, with
 * zeros for the lanes that have none. */
#define ENTRY(power) (8 * (41 - (power)))
#define LIMB 384
#define POWERS_0 POWERS
#define POWERS_1 (POWERS + LIMB)
#define POWERS_2 (POWERS + 2 * LIMB)
#define POWERS_1_20 (POWERS + 3 * LIMB)
#define POWERS_2_20 (POWERS + 4 * LIMB)
#define ZEROS ENTRY(1)

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
