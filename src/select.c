/* SPDX-License-Identifier: MIT
 *
 * Selection: walk a table, remember the choice, hide, disable, list.
 */
#include "internal.h"

const struct qs_kernel *qs_chosen[QS_PRIMITIVES];

static uint32_t hidden;                  /* feature bits hidden by qs_cpu_limit */
static uint32_t disabled[QS_PRIMITIVES]; /* see qs_disable */

/* What a row needs must not be hidden; what it avoids cannot be. */
static int usable(const struct qs_kernel *row, uint32_t found, uint32_t hide)
{
    return (row->needs & ~(found & ~hide)) == 0 && (row->avoid & found) == 0;
}

int qs_can_run(const struct qs_kernel *row)
{
    return (row->needs & ~qs_cpu_detect()) == 0;
}

uint32_t qs_disabled(enum qs_primitive primitive)
{
    return __atomic_load_n(&disabled[primitive], __ATOMIC_SEQ_CST);
}

/* Slow path, also taken by several threads at once. Should the features shown or the rows allowed change while a thread
 * is here, it sees that after it has stored its choice, and chooses again: no choice made on old grounds remains. */
const struct qs_kernel *qs_choose(enum qs_primitive primitive)
{
    const struct qs_table *t = &qs_tables[primitive];
    const uint32_t features = qs_cpu_detect();
    const struct qs_kernel *row;
    uint32_t hide, skip;

    do {
        hide = __atomic_load_n(&hidden, __ATOMIC_SEQ_CST);
        skip = qs_disabled(primitive);
        row = t->rows;
        for (unsigned i = 0; i + 1 < t->n && (skip >> i & 1 || !usable(row, features, hide)); i++) row++;
        __atomic_store_n(&qs_chosen[primitive], row, __ATOMIC_SEQ_CST);
    } while (hide != __atomic_load_n(&hidden, __ATOMIC_SEQ_CST) || skip != qs_disabled(primitive));
    return row;
}

static void choose_anew(enum qs_primitive primitive)
{
    __atomic_store_n(&qs_chosen[primitive], NULL, __ATOMIC_SEQ_CST);
}

void qs_disable(enum qs_primitive primitive, uint32_t rows)
{
    __atomic_store_n(&disabled[primitive], rows, __ATOMIC_SEQ_CST);
    choose_anew(primitive);
}

static int same(const char *a, const char *b)
{
    while (*a && *a == *b) a++, b++;
    return *a == *b;
}

qs_status qs_cpu_limit(const char *level)
{
    uint32_t hide = 0;

    if (level) {
        unsigned i = 0;
        while (i < qs_cpu_names.n_levels && !same(level, qs_cpu_names.levels[i].name)) i++;
        if (i == qs_cpu_names.n_levels) return QS_ERR_ARGUMENT;
        hide = ~qs_cpu_names.levels[i].features;
    }
    __atomic_store_n(&hidden, hide, __ATOMIC_SEQ_CST);
    for (unsigned p = 0; p < QS_PRIMITIVES; p++) choose_anew((enum qs_primitive)p);
    return QS_OK;
}

const char *qs_cpu_level(size_t i)
{
    return i < qs_cpu_names.n_levels ? qs_cpu_names.levels[i].name : NULL;
}

size_t qs_cpu_features(qs_feature *features, size_t max)
{
    const uint32_t found = qs_cpu_detect(), hide = __atomic_load_n(&hidden, __ATOMIC_SEQ_CST);

    for (size_t i = 0; i < qs_cpu_names.n_features && i < max; i++) {
        features[i].name = qs_cpu_names.features[i];
        features[i].found = (int)(found >> i & 1);
        features[i].hidden = (int)(found >> i & hide >> i & 1);
    }
    return qs_cpu_names.n_features;
}

size_t qs_rows(qs_row *rows, size_t max)
{
    const uint32_t found = qs_cpu_detect(), shown = found & ~__atomic_load_n(&hidden, __ATOMIC_SEQ_CST);
    size_t n = 0;

    for (unsigned p = 0; p < QS_PRIMITIVES; p++) {
        const struct qs_table *t = &qs_tables[p];
        const uint32_t skip = qs_disabled((enum qs_primitive)p);

        for (unsigned i = 0; i < t->n; i++, n++) {
            const struct qs_kernel *row = &t->rows[i];
            qs_row_state state;

            if (n >= max) continue;
            if (row->needs & ~found) state = QS_ROW_MISSING;
            else if (skip >> i & 1) state = QS_ROW_DISABLED;
            else if (row->avoid & found) state = QS_ROW_AVOIDED;
            else if (row->needs & ~shown) state = QS_ROW_HIDDEN;
            else state = row == qs_kernel_of((enum qs_primitive)p) ? QS_ROW_CHOSEN : QS_ROW_USABLE;
            rows[n] = (qs_row){t->primitive, row->name, row->needs, row->vector, state};
        }
    }
    return n;
}
