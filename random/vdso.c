/* SPDX-License-Identifier: MIT
 *
 * The vDSO's getrandom: a function that Linux maps into every process, found in its table of symbols.
 *
 * No C library is asked: those that use it keep its states for themselves.
 */
#include "random.h"

/* PowerPC returns errors in a flag, which C does not see. */
#if __STDC_HOSTED__ && defined(__linux__) && !defined(__powerpc__)

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

/* What the function tells of its state, if asked with a length of ~0 (linux/random.h of Linux 6.11). */
struct opaque_params {
    uint32_t size_of_opaque_state, mmap_prot, mmap_flags, reserved[13];
};

static int same(const char *a, const char *b)
{
    while (*a && *a == *b) a++, b++;
    return *a == *b;
}

/* How many symbols: the chain of the last bucket of the hash table ends with the last one. */
static uint32_t count_symbols(const uint32_t *hash, const uint32_t *gnu_hash)
{
    uint32_t last = 0;

    if (hash) return hash[1];
    if (!gnu_hash) return 0;
    const uint32_t n = gnu_hash[0], first = gnu_hash[1];
    const uint32_t *buckets = gnu_hash + 4 + gnu_hash[2] * (sizeof(ElfW(Addr)) / 4), *chain = buckets + n;
    for (uint32_t i = 0; i < n; i++)
        if (buckets[i] > last) last = buckets[i];
    if (last < first) return 0;
    while (!(chain[last - first] & 1)) last++;
    return last + 1;
}

static void *find(const uint8_t *image)
{
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)image;
    const ElfW(Phdr) *segment = (const ElfW(Phdr) *)(image + header->e_phoff);
    const ElfW(Dyn) *dynamic = NULL;
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    const uint32_t *hash = NULL, *gnu_hash = NULL;
    const uint8_t *base = NULL;

    for (unsigned i = 0; i < header->e_phnum; i++) {
        if (segment[i].p_type == PT_LOAD && !base) base = image + segment[i].p_offset - segment[i].p_vaddr;
        if (segment[i].p_type == PT_DYNAMIC) dynamic = (const ElfW(Dyn) *)(image + segment[i].p_offset);
    }
    if (!base || !dynamic) return NULL;
    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        const void *at = base + dynamic->d_un.d_ptr;
        switch (dynamic->d_tag) {
        case DT_SYMTAB: symbols = at; break;
        case DT_STRTAB: names = at; break;
#if !defined(__s390x__) /* its table has words of 64 bits */
        case DT_HASH: hash = at; break;
#endif
        case DT_GNU_HASH: gnu_hash = at; break;
        }
    }
    if (!symbols || !names) return NULL;
    for (uint32_t i = 0, n = count_symbols(hash, gnu_hash); i < n; i++) {
        const char *name = names + symbols[i].st_name;
        if (symbols[i].st_shndx != SHN_UNDEF && (same(name, "__vdso_getrandom") || same(name, "__kernel_getrandom")))
            return (void *)(base + symbols[i].st_value);
    }
    return NULL;
}

qs_vdso_getrandom *qs_vdso_getrandom_find(size_t *state_len)
{
    static qs_vdso_getrandom *function;
    static size_t size; /* 0: not looked for yet; 1: there is none. Written last */
    size_t known = __atomic_load_n(&size, __ATOMIC_ACQUIRE);

    if (known == 0) {
        const uint8_t *image = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
        qs_vdso_getrandom *found = image ? (qs_vdso_getrandom *)find(image) : NULL;
        struct opaque_params params = {0};

        known = 1;
        if (found && found(NULL, 0, 0, &params, ~(size_t)0) == 0 && params.size_of_opaque_state > 1)
            known = params.size_of_opaque_state;
        __atomic_store_n(&function, found, __ATOMIC_RELAXED);
        __atomic_store_n(&size, known, __ATOMIC_RELEASE);
    }
    *state_len = known;
    return known > 1 ? __atomic_load_n(&function, __ATOMIC_RELAXED) : NULL;
}

#else

qs_vdso_getrandom *qs_vdso_getrandom_find(size_t *state_len)
{
    *state_len = 0;
    return NULL;
}

#endif
