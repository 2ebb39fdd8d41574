/* SPDX-License-Identifier: MIT
 *
 * Quickstep itself as something to measure, in each of its rows.
 */
#include "bench.h"

static const char *start(const char *level, int *held)
{
    *held = level != NULL;
    return qs_version();
}

static void *prepare(enum bench_op op, const uint8_t key[32])
{
    void *context = malloc(op == BENCH_SEAL || op == BENCH_OPEN ? sizeof(qs_aead) : 32);
    if (!context) return NULL;
    if (op != BENCH_SEAL && op != BENCH_OPEN) return memcpy(context, key, 32);
    return qs_aead_init(context, QS_CHACHA20_POLY1305, key, 32) == QS_OK ? context : NULL;
}

static int seal(qs_packet *p)
{
    return qs_aead_seal(p->aead, p->out, p->tag, p->nonce, 12, p->ad, p->ad_len, p->in, p->len);
}

static int open_(qs_packet *p)
{
    return qs_aead_open(p->aead, p->out, p->nonce, 12, p->ad, p->ad_len, p->in, p->len, p->tag);
}

static int seal_burst(qs_packet *p, size_t n) { return qs_seal_packets(p, n) != 0; }

static int open_burst(qs_packet *p, size_t n) { return qs_open_packets(p, n) != 0; }

static int chacha20(qs_packet *p)
{
    return qs_chacha_xor(p->out, (const uint8_t *)p->aead, p->nonce, 1, 20, p->in, p->len);
}

static int chacha12(qs_packet *p)
{
    return qs_chacha_xor(p->out, (const uint8_t *)p->aead, p->nonce, 1, 12, p->in, p->len);
}

static int chacha8(qs_packet *p)
{
    return qs_chacha_xor(p->out, (const uint8_t *)p->aead, p->nonce, 1, 8, p->in, p->len);
}

static int xchacha20(qs_packet *p)
{
    return qs_xchacha_xor(p->out, (const uint8_t *)p->aead, p->nonce, 1, 20, p->in, p->len);
}

static int mac(qs_packet *p)
{
    qs_poly1305(p->tag, p->nonce, p->in, p->len);
    return 0;
}

static int random_bytes(qs_packet *p) { return qs_random(p->out, p->len); }

BENCH_RANDOM_BURST(random_burst, random_bytes)

const struct bench_peer bench_quickstep = {
    .name = "quickstep",
    .start = start,
    .prepare = prepare,
    .call = {seal, open_, chacha20, chacha12, chacha8, xchacha20, mac, random_bytes},
    .seal_burst = seal_burst,
    .open_burst = open_burst,
    .random_burst = random_burst,
};

void bench_use_rows(const struct bench_line *line)
{
    if (!line->ours) return;
    for (unsigned p = 0; p < QS_PRIMITIVES; p++) __atomic_store_n(&qs_chosen[p], line->rows[p], __ATOMIC_RELAXED);
}

static struct bench_line *add(struct bench_lines *lines, const struct qs_kernel *const rows[QS_PRIMITIVES])
{
    struct bench_line *grown = realloc(lines->line, (lines->n + 1) * sizeof *grown);
    if (!grown) abort();
    lines->line = grown;

    struct bench_line *line = &grown[lines->n++];
    *line = (struct bench_line){.peer = &bench_quickstep, .ours = 1, .version = qs_version(), .held = 1};
    memcpy(line->rows, rows, sizeof line->rows);
    snprintf(line->name, sizeof line->name, "quickstep");
    return line;
}

void bench_add_ours(struct bench_lines *lines, int all_rows)
{
    const struct qs_kernel *chosen[QS_PRIMITIVES], *plain[QS_PRIMITIVES];
    int is_plain = 1;

    for (unsigned p = 0; p < QS_PRIMITIVES; p++) {
        chosen[p] = qs_kernel_of((enum qs_primitive)p);
        plain[p] = &qs_tables[p].rows[qs_tables[p].n - 1];
        for (unsigned r = qs_tables[p].n; r-- && !qs_tables[p].rows[r].needs;) plain[p] = &qs_tables[p].rows[r];
        is_plain &= chosen[p] == plain[p];
    }
    add(lines, chosen);
    if (!all_rows) return;

    for (unsigned p = 0; p < QS_PRIMITIVES; p++) {
        const struct qs_table *t = &qs_tables[p];
        /* Rows better than the chosen one are hidden, or run badly here. */
        for (const struct qs_kernel *row = chosen[p] + 1; row < t->rows + t->n; row++) {
            const struct qs_kernel *rows[QS_PRIMITIVES];
            if (!qs_can_run(row)) continue;
            memcpy(rows, chosen, sizeof rows);
            rows[p] = row;
            struct bench_line *line = add(lines, rows);
            snprintf(line->name, sizeof line->name, "%s %s", t->primitive, row->name);
        }
    }
    if (!is_plain) snprintf(add(lines, plain)->name, sizeof lines->line->name, "plain C");
}
