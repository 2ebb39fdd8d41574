/* SPDX-License-Identifier: MIT
 *
 * x86-64, AVX2 and BMI2: the passes over one message, with 8 lanes.
 */
#include "asm.h"
#ifdef QS_X86_64
#define LANES 8
#define NAME(x) qs_aead_avx2_##x
#include "aead_scalar.inc"
#include "aead_vector.inc"
#include "aead_vector_rows.inc"
#include "aead_vector_passes.inc"
#include "aead_vector_mac.inc"
#endif
