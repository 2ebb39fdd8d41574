/* SPDX-License-Identifier: MIT
 *
 * Whole messages for LoongArch64 with LASX.
 *
 *   void qs_seal_message_lasx(const struct qs_message *m)
 *   qs_status qs_open_message_lasx(const struct qs_message *m)
 *
 * Needs LASX (and with it LSX), unaligned loads and stores. The contract is in ../kernel.h; message.inc says how it works.
 */
#include "asm.h"
#ifdef QS_LOONGARCH64

#define ISA(name) name##_lasx
#define R(n) $xr##n
#define V(op) xv##op
#define LANES 8
#define COLUMNS 7
#define PASS_BITS 9     /* of 64 LANES */
#define LEAST 12
#define LITTLE 0, 1, 2, 3, 6, 9, 12, 13, 14, 15, 18, 22, 23
#include "message_vector.inc"
#endif
