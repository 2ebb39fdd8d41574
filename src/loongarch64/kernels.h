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
qs_seal_message qs_seal_message_lasx, qs_seal_message_lsx, qs_seal_message_scalar;
qs_open_message qs_open_message_lasx, qs_open_message_lsx, qs_open_message_scalar;

#pragma GCC visibility pop

#endif
