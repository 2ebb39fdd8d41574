/* SPDX-License-Identifier: MIT
 *
 * x86-64, SSSE3: the passes over one message, with 4 lanes.
 */
#include "asm.h"
#ifdef QS_X86_64
#define LANES 4
#define NAME(x) qs_aead_ssse3_##x
#include "aead_scalar.inc"
#include "aead_vector.inc"
#include "aead_vector_rows.inc"
#include "aead_vector_passes.inc"
#include "aead_vector_mac.inc"
#endif
