/* SPDX-License-Identifier: MIT
 *
 * Included before every source that ct_msan compiles. To MemorySanitizer, what comes out of inline assembly is defined;
 * QS_OPAQUE would wash secrets clean.
 */
#include "../src/port.h"

#undef QS_OPAQUE
#define QS_OPAQUE(x) ((void)(x))
