/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "random_seen.h"

#include <sys/mman.h>
#include <unistd.h>

enum { PIECE = 16, MOST_LENGTH = 6000 };

struct table {
    size_t n, most;
    uint8_t piece[][PIECE];
};
static struct table *table;

void seen_start(size_t most)
{
    if (table) munmap(table, sizeof *table + table->most * PIECE);
    table = mmap(NULL, sizeof *table + most * PIECE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (table == MAP_FAILED) FAIL("no memory for the table");
    table->most = most;
}

static void note(const uint8_t *bytes)
{
    const size_t i = __atomic_fetch_add(&table->n, 1, __ATOMIC_RELAXED);
    if (i >= table->most) _exit(4);
    memcpy(table->piece[i], bytes, PIECE);
}

void seen_note(const void *bytes, size_t len)
{
    const uint8_t *b = bytes;
    note(b);
    if (len >= 2 * PIECE) note(b + len - PIECE);
}

void seen_draw(size_t len)
{
    uint8_t bytes[MOST_LENGTH] = {0}; /* what assembly writes MemorySanitizer does not see */

    if (len > sizeof bytes || qs_random(bytes, len) != QS_OK) _exit(3);
    for (size_t i = 0, zeros = 0; i < len; i++)
        if ((zeros = bytes[i] ? 0 : zeros + 1) == 8) _exit(3);
    seen_note(bytes, len);
}

size_t seen_length(uint64_t random)
{
    static const uint16_t most[] = {16, 32, 33, 64, 1000, 2047, 2048, 2100, 4096, MOST_LENGTH};
    const size_t to = most[random % COUNT(most)];
    return PIECE + (random >> 32) % (to - PIECE + 1);
}

static int compare(const void *a, const void *b) { return memcmp(a, b, PIECE); }

size_t seen_check(size_t least)
{
    const size_t n = __atomic_load_n(&table->n, __ATOMIC_RELAXED);

    if (n > table->most) FAIL("more than %zu pieces were drawn", table->most);
    if (n < least) FAIL("only %zu pieces were drawn, fewer than %zu", n, least);
    qsort(table->piece, n, PIECE, compare);
    for (size_t i = 1; i < n; i++)
        if (compare(table->piece[i - 1], table->piece[i]) == 0) FAIL("16 bytes came twice among %zu", n);
    return n;
}
