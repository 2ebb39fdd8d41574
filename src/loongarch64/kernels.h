/* SPDX-License-Identifier: MIT
 *
 * LoongArch64: what its files have for each other.
 */
#ifndef QS_LOONGARCH64_KERNELS_H
#define QS_LOONGARCH64_KERNELS_H

#include "../kernel.h"

#pragma GCC visibility push(hidden)

qs_chacha_blocks qs_chacha_blocks_lasx, qs_chacha_blocks_lsx, qs_chacha_blocks_scalar;
qs_poly1305_blocks qs_poly1305_blocks_lasx, qs_poly1305_blocks_lsx, qs_poly1305_blocks_scalar;
qs_seal_message qs_seal_message_lasx, qs_seal_message_lsx;
qs_open_message qs_open_message_lasx, qs_open_message_lsx;

/* out = in ^ stream. Any length and alignment; in == out or no overlap. Leaves no vector register that holds anything. */
typedef void qs_xor_stream(uint8_t *out, const uint8_t *in, const uint8_t *stream, size_t len);
qs_xor_stream qs_xor_stream_lasx, qs_xor_stream_lsx;

#pragma GCC visibility pop

#endif
