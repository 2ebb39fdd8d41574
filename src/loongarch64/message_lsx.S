/* SPDX-License-Identifier: MIT
 *
 * Whole messages for LoongArch64 with LSX.
 *
 *   void qs_seal_message_lsx(const struct qs_message *m)
 *   qs_status qs_open_message_lsx(const struct qs_message *m)
 *
 * Needs LSX, unaligned loads and stores. The contract is in ../kernel.h; message.inc says how it works.
 */
#include "asm.h"
#ifdef QS_LOONGARCH64

#define ISA(name) name##_lsx
#define R(n) $vr##n
#define V(op) v##op
#define LANES 4
#define COLUMNS 4
#define PASS_BITS 8     /* of 64 LANES */
#define LEAST 16
#define LITTLE 0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 12, 13, 14, 15, 16
#include "message_vector.inc"
#endif
