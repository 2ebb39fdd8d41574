/* SPDX-License-Identifier: MIT
 *
 * What depends on compiler and platform, and nothing else does: architecture, byte order, unaligned access, wiping.
 */
#ifndef QS_PORT_H
#define QS_PORT_H

#include <stddef.h>
#include <stdint.h>

/* memcpy and memset are all that src/ needs of a C library. Without one there is no header for them, and the compiler
 * would not know them by their plain names. */
#if __STDC_HOSTED__
#include <string.h>
#else
#define memcpy(to, from, len) __builtin_memcpy(to, from, len)
#define memset(to, byte, len) __builtin_memset(to, byte, len)
#endif

/* An architecture with a folder of its own has one line here. All sources are compiled everywhere; those of another
 * architecture come out empty. */
#if defined(QS_PLAIN_C) /* a definition for builds that must be small: see examples/firmware/build */
#define QS_NO_ARCH 1
#elif defined(__x86_64__) && defined(__ELF__) && !defined(__ILP32__) /* the ABI that the assembly is written for */
#define QS_X86_64 1
#elif defined(__loongarch__) && __loongarch_grlen == 64
#define QS_LOONGARCH64 1
#elif defined(__mips__) && _MIPS_SIM == _ABIO32 && __mips_isa_rev >= 2 && __mips_isa_rev < 6 && !defined(__mips_micromips)
#define QS_MIPS32R2 1
#else
#define QS_NO_ARCH 1 /* plain C alone: src/generic/table.c stands in for the folder */
#endif

/* Poly1305 in 64-bit limbs wants a 64 x 64 -> 128 bit multiplication that takes constant time. Every 64-bit CPU we know
 * has one. Elsewhere 32 x 32 -> 64 is all that is used; SECURITY.md names the CPUs where even that varies. */
#if defined(__SIZEOF_INT128__)
#define QS_MUL128 1
__extension__ typedef unsigned __int128 qs_uint128;
#endif

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define QS_LE32(x) __builtin_bswap32(x)
#define QS_LE64(x) __builtin_bswap64(x)
#else
#define QS_LE32(x) (x)
#define QS_LE64(x) (x)
#endif

/* Only the functions of quickstep.h leave a shared library. */
#pragma GCC visibility push(hidden)

/* Unaligned access as a packed member: compilers make the shortest sequence of it even where, at -Os, they would call
 * memcpy for the same bytes. */
struct qs_unaligned32 {
    uint32_t x;
} __attribute__((packed, may_alias));
struct qs_unaligned64 {
    uint64_t x;
} __attribute__((packed, may_alias));

struct qs_unaligned_word {
    size_t x;
} __attribute__((packed, may_alias));

static inline uint32_t qs_load32(const uint8_t *p)
{
    return QS_LE32(((const struct qs_unaligned32 *)p)->x);
}

static inline uint64_t qs_load64(const uint8_t *p)
{
    return QS_LE64(((const struct qs_unaligned64 *)p)->x);
}

static inline void qs_store32(uint8_t *p, uint32_t x)
{
    ((struct qs_unaligned32 *)p)->x = QS_LE32(x);
}

static inline void qs_store64(uint8_t *p, uint64_t x)
{
    ((struct qs_unaligned64 *)p)->x = QS_LE64(x);
}

/* Two words in the CPU's order, by one store where a register holds both: what loads them as 64 bits soon after need not
 * wait until two stores have reached the cache. */
static inline void qs_store_words(uint32_t *p, uint32_t first, uint32_t second)
{
#if defined(__LP64__) && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    ((struct qs_unaligned64 *)p)->x = first | (uint64_t)second << 32;
#else
    p[0] = first, p[1] = second;
#endif
}

/* Four words, and 16 bytes that are four words, by one store where there is one: vector kernels load a state's rows so, and
 * of two stores that they overlap they would have to wait for the cache. */
#if defined(__SSE2__)
typedef uint32_t qs_four_words __attribute__((vector_size(16), aligned(1), may_alias));

static inline void qs_store_row(uint32_t *p, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    *(qs_four_words *)p = (qs_four_words){a, b, c, d};
}

static inline void qs_load_row(uint32_t *p, const uint8_t *bytes)
{
    *(qs_four_words *)p = *(const qs_four_words *)bytes;
}
#else
static inline void qs_store_row(uint32_t *p, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    p[0] = a, p[1] = b, p[2] = c, p[3] = d;
}

static inline void qs_load_row(uint32_t *p, const uint8_t *bytes)
{
    qs_store_row(p, qs_load32(bytes), qs_load32(bytes + 4), qs_load32(bytes + 8), qs_load32(bytes + 12));
}
#endif

/* Contexts are opaque words to the caller and structures inside. */
#define QS_MAY_ALIAS __attribute__((may_alias))
#define QS_NOINLINE __attribute__((noinline))
#ifdef QS_PLAIN_C
#define QS_INLINE inline
#else
#define QS_INLINE inline __attribute__((always_inline)) /* also with -Os */
#endif

/* A worker of a public function that is inlined where its frame was seen to hold no secret but what it is given. Elsewhere
 * compilers run out of registers, and it has a frame of its own, where that can be wiped. */
#if defined(QS_X86_64) && defined(__SSE2__)
#define QS_FLAT QS_INLINE
#else
#define QS_FLAT QS_NOINLINE
#endif

#define QS_LIKELY(x) __builtin_expect(!!(x), 1)

/* The compiler must assume that p's memory is read here, so a memset of it stays; and that x could be anything, so a
 * mask of it does not become a branch. */
#define QS_BARRIER(p) __asm__ volatile("" : : "r"(p) : "memory")
#define QS_OPAQUE(x) __asm__ volatile("" : "+r"(x))

/* Measured: the deepest frames below a public function, from its worker down to the kernels, take at most this. Some ABIs
 * give every frame an area of its own. The wiping test fails when the frames take more. */
#if defined(__s390__)
enum { QS_STACK_BELOW = 1248 };
#elif defined(__powerpc__)
enum { QS_STACK_BELOW = 1056 };
#elif defined(__i386__)
enum { QS_STACK_BELOW = 832 };
#elif defined(QS_LOONGARCH64)
enum { QS_STACK_BELOW = 896 };
#else
enum { QS_STACK_BELOW = 704 };
#endif

/* Sets to zero the vector registers that compiled C may have used to move secrets. */
#if defined(__x86_64__) && defined(__SSE2__)
#define QS_CLEAR_VECTORS()                                                                                             \
    __asm__ volatile("pxor %%xmm0, %%xmm0\n\tpxor %%xmm1, %%xmm1\n\tpxor %%xmm2, %%xmm2\n\tpxor %%xmm3, %%xmm3\n\t"    \
                     "pxor %%xmm4, %%xmm4\n\tpxor %%xmm5, %%xmm5\n\tpxor %%xmm6, %%xmm6\n\tpxor %%xmm7, %%xmm7\n\t"    \
                     "pxor %%xmm8, %%xmm8\n\tpxor %%xmm9, %%xmm9\n\tpxor %%xmm10, %%xmm10\n\t"                         \
                     "pxor %%xmm11, %%xmm11\n\tpxor %%xmm12, %%xmm12\n\tpxor %%xmm13, %%xmm13\n\t"                     \
                     "pxor %%xmm14, %%xmm14\n\tpxor %%xmm15, %%xmm15"                                                  \
                     :                                                                                                 \
                     :                                                                                                 \
                     : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",        \
                       "xmm11", "xmm12", "xmm13", "xmm14", "xmm15")
#elif defined(__aarch64__) && defined(__ARM_NEON)
#define QS_CLEAR_VECTORS()                                                                                             \
    __asm__ volatile("movi v0.2d, #0\n\tmovi v1.2d, #0\n\tmovi v2.2d, #0\n\tmovi v3.2d, #0\n\tmovi v4.2d, #0\n\t"      \
                     "movi v5.2d, #0\n\tmovi v6.2d, #0\n\tmovi v7.2d, #0\n\tmovi v16.2d, #0\n\tmovi v17.2d, #0\n\t"    \
                     "movi v18.2d, #0\n\tmovi v19.2d, #0\n\tmovi v20.2d, #0\n\tmovi v21.2d, #0\n\t"                    \
                     "movi v22.2d, #0\n\tmovi v23.2d, #0\n\tmovi v24.2d, #0\n\tmovi v25.2d, #0\n\t"                    \
                     "movi v26.2d, #0\n\tmovi v27.2d, #0\n\tmovi v28.2d, #0\n\tmovi v29.2d, #0\n\t"                    \
                     "movi v30.2d, #0\n\tmovi v31.2d, #0"                                                              \
                     :                                                                                                 \
                     :                                                                                                 \
                     : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20", "v21",       \
                       "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31")
#elif defined(__loongarch_sx)
/* vr24 to vr31 belong to the caller in their lower halves; compilers that touch one restore it. */
#ifdef __loongarch_asx
#define QS_CLEAR_VECTOR "xvxor.v $xr\\n, $xr\\n, $xr\\n"
#else
#define QS_CLEAR_VECTOR "vxor.v $vr\\n, $vr\\n, $vr\\n"
#endif
#define QS_CLEAR_VECTORS()                                                                                             \
    __asm__ volatile(".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23\n\t"  \
                     QS_CLEAR_VECTOR "\n\t.endr"                                                                       \
                     :                                                                                                 \
                     :                                                                                                 \
                     : "$f0", "$f1", "$f2", "$f3", "$f4", "$f5", "$f6", "$f7", "$f8", "$f9", "$f10", "$f11", "$f12",   \
                       "$f13", "$f14", "$f15", "$f16", "$f17", "$f18", "$f19", "$f20", "$f21", "$f22", "$f23")
#else
#define QS_CLEAR_VECTORS() ((void)0)
#endif

/* The first four of them, which compilers take to move a few bytes in a vector type. Where it is not defined they might take
 * the stack. */
#if defined(__x86_64__) && defined(__SSE2__)
#define QS_CLEAR_FOUR_VECTORS()                                                                                        \
    __asm__ volatile("pxor %%xmm0, %%xmm0\n\tpxor %%xmm1, %%xmm1\n\tpxor %%xmm2, %%xmm2\n\tpxor %%xmm3, %%xmm3"        \
                     :                                                                                                 \
                     :                                                                                                 \
                     : "xmm0", "xmm1", "xmm2", "xmm3", "memory")
#elif defined(__aarch64__) && defined(__ARM_NEON)
#define QS_CLEAR_FOUR_VECTORS()                                                                                        \
    __asm__ volatile("movi v0.2d, #0\n\tmovi v1.2d, #0\n\tmovi v2.2d, #0\n\tmovi v3.2d, #0"                            \
                     :                                                                                                 \
                     :                                                                                                 \
                     : "v0", "v1", "v2", "v3", "memory")
#elif defined(__loongarch_sx)
#define QS_CLEAR_FOUR_VECTORS()                                                                                        \
    __asm__ volatile(".irp n, 0, 1, 2, 3\n\t" QS_CLEAR_VECTOR "\n\t.endr" : : : "$f0", "$f1", "$f2", "$f3", "memory")
#endif

#pragma GCC visibility pop

#endif
