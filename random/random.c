/* SPDX-License-Identifier: MIT
 *
 * The generator: ChaCha20 with fast key erasure (Bernstein, "Fast-key-erasure random-number generators", 2017).
 *
 * One call of the fastest kernel fills the pool; its first 32 bytes replace the key that made it at once, and the rest
 * is handed out, each byte wiped as it goes. So nothing in memory tells of bytes that were handed out before. A long
 * request takes 32 bytes of the pool as any other would; they are the key of a stream that goes straight to the caller.
 * Bytes of the vDSO go into both kinds of keys, for they change when a virtual machine was copied.
 *
 * Three things can happen in the middle of a call, and none needs a lock or an atomic instruction:
 * - A signal handler calls too. It finds no idle state, and makes its bytes from a seed of its own.
 * - A signal handler forks. The child's call goes on, in pages that are zeros now. At its end it looks at the epoch;
 * that has become 0 then, as nobody else writes it, and the call starts again.
 * - Another thread asks for new seeds. This call ends as it began; the next sees the new epoch.
 */
#include "random.h"

enum {
    QUICK = 32,           /* bytes moved at once, and most that throw away what is too little of the pool */
    SEED_BYTES = 4 << 20, /* a seed serves for so many bytes, and takes a hundredth of their time at most */
    SEED_SECONDS = 60     /* and for so long, as in Linux */
};

uint32_t qs_random_epoch = 1;

/* Against handlers of the same thread, so for the compiler alone. */
#define FENCE() __asm__ volatile("" : : : "memory")
#define LOOK(x) __atomic_load_n(&(x), __ATOMIC_RELAXED) /* one load */

static uint32_t epoch_now(void) { return LOOK(qs_random_epoch); }

/* ---- moving bytes ------------------------------------------------------------------------------------------------ */

/* Both ends of n bytes, which may meet or be the same. Not by memcpy to variables: compilers for CPUs that need aligned
 * addresses would keep those on the stack. */
#define MOVE(type, n)                                                                                                  \
    do {                                                                                                               \
        typedef struct {                                                                                               \
            type x;                                                                                                    \
        } QS_MAY_ALIAS __attribute__((packed)) at;                                                                     \
        at *first = (at *)from, *last = (at *)(from + (n) - sizeof(type));                                             \
        const type none = {0}, a = first->x, b = last->x;                                                              \
        first->x = none;                                                                                               \
        last->x = none;                                                                                                \
        ((at *)out)->x = a;                                                                                            \
        ((at *)(out + (n) - sizeof(type)))->x = b;                                                                     \
    } while (0)

/* Moves bytes: where they were are zeros then. No memcpy: a C library's would leave them in vector registers that
 * QS_CLEAR_VECTORS does not know of. Tried and lost: a branch for what one move does alone, 1 cycle; the count and
 * whether the state is taken as halves of one word, one store less and 1 to 2 cycles more. */
static inline void move(uint8_t *out, uint8_t *from, size_t len)
{
#ifdef QS_CLEAR_FOUR_VECTORS
    typedef uint64_t sixteen __attribute__((vector_size(16)));

    if (len > QUICK) {
        do {
            MOVE(sixteen, QUICK);
            FENCE();
            out += QUICK, from += QUICK, len -= QUICK;
        } while (len > QUICK);
        QS_CLEAR_FOUR_VECTORS();
    }
    if (len >= 16) {
        MOVE(sixteen, len);
        QS_CLEAR_FOUR_VECTORS();
        return;
    }
#else
    for (; len > sizeof(size_t); out += sizeof(size_t), from += sizeof(size_t), len -= sizeof(size_t)) {
        MOVE(size_t, sizeof(size_t));
        FENCE();
    }
#endif
    if (len >= 8) MOVE(uint64_t, len);
    else if (len >= 4) MOVE(uint32_t, len);
    else
        for (size_t i = 0; i < len; i++) out[i] = from[i], from[i] = 0;
}

/* ---- keystream --------------------------------------------------------------------------------------------------- */

static void set_constants(uint32_t state[16])
{
    /* "expand 32-byte k" */
    state[0] = 0x61707865;
    state[1] = 0x3320646e;
    state[2] = 0x79622d32;
    state[3] = 0x6b206574;
}

static void run_kernel(uint8_t *out, const uint8_t *in, size_t nblocks, const uint32_t state[16])
{
    qs_kernel_of(QS_CHACHA)->blocks.chacha(out, in, nblocks, state, 20);
}

/* The stream of the key that stands in k->block, from its beginning; then all of k is wiped. */
static void stream_out(struct qs_random_stream *k, uint8_t *out, size_t len)
{
    enum { CHUNK = 4096 }; /* divides 2^32 blocks, so that block numbers wrap between two calls */
    static const uint8_t zeros[CHUNK];

    set_constants(k->state);
    qs_load_words(k->state + 4, k->block, 8);
    k->state[12] = k->state[13] = k->state[14] = k->state[15] = 0;
    while (len >= QS_BLOCK_LEN) {
        const size_t n = (len < CHUNK ? len : CHUNK) / QS_BLOCK_LEN;
        run_kernel(out, zeros, n, k->state);
        k->state[12] += (uint32_t)n;
        k->state[13] += k->state[12] == 0;
        out += QS_BLOCK_LEN * n;
        len -= QS_BLOCK_LEN * n;
    }
    if (len) {
        run_kernel(k->block, zeros, 1, k->state);
        move(out, k->block, len);
    }
    qs_wipe(k, sizeof *k);
}

/* Bytes of the vDSO for half a key, or zeros: other ones in each copy of a virtual machine. */
static void ask_vdso(struct qs_random_state *s)
{
    const uint32_t vdso = LOOK(s->vdso);
    size_t size;

    if (vdso && qs_vdso_getrandom_find(&size)(s->fresh, 16, 0, s->vdso_state, vdso) != 16)
        qs_wipe(s->fresh, sizeof s->fresh);
}

/* Everything in the pool is handed out, so all of it is zeros: what the kernel makes a keystream of. */
static void refill(struct qs_random_state *s)
{
    uint32_t *key = s->refill.state + 4;

    ask_vdso(s);
    for (unsigned i = 0; i < 4; i++) key[i] ^= qs_load32(s->fresh + 4 * i);
    qs_wipe(s->fresh, sizeof s->fresh);
    run_kernel(s->pool, s->pool, sizeof s->pool / QS_BLOCK_LEN, s->refill.state);
    qs_load_words(key, s->pool, 8);
    memset(s->pool, 0, QS_RANDOM_KEY);
    s->made += sizeof s->pool;
    qs_stack_wipe();
}

/* From the pool, of which *left bytes are left. If they are too few for a short request they are thrown away: so one
 * that follows others of its length never lies askew, where loads meet the stores that wiped what lay beside. That
 * takes 9 cycles more. */
static void copy_out(struct qs_random_state *s, uint32_t *left, uint8_t *out, size_t len)
{
    if (len <= QUICK && len > *left) {
        qs_wipe(s->pool + QS_RANDOM_KEY, *left);
        *left = 0;
    }
    while (len) {
        if (*left == 0) {
            refill(s);
            *left = sizeof s->pool - QS_RANDOM_KEY;
        }
        const uint32_t n = len < *left ? (uint32_t)len : *left;
        uint8_t *from = s->pool + QS_RANDOM_KEY + (*left - n);
        move(out, from, n);
        *left -= n;
        out += n;
        len -= n;
    }
}

static void produce(struct qs_random_state *s, uint32_t *left, uint8_t *out, size_t len)
{
    if (len < QS_RANDOM_DIRECT) {
        copy_out(s, left, out, len);
    } else {
        copy_out(s, left, s->direct.block, QS_RANDOM_KEY);
        ask_vdso(s);
        qs_xor_bytes(s->direct.block, s->direct.block, s->fresh, 16);
        qs_wipe(s->fresh, sizeof s->fresh);
        stream_out(&s->direct, out, len);
        s->made += len;
        qs_stack_wipe();
    }
}

/* ---- seeds ------------------------------------------------------------------------------------------------------- */

static int belongs_to_us(const struct qs_random_state *s) { return !s->check_pid || s->pid == qs_random_pid(); }

/* Age and volume are looked at where a new pool or a stream begins; that costs nothing then. */
static int seed_is_due(const struct qs_random_state *s, uint32_t left, size_t len)
{
    if (s->epoch != epoch_now() || !belongs_to_us(s)) return 1;
    if (len <= left && len < QS_RANDOM_DIRECT) return 0;
    return s->made >= SEED_BYTES || qs_random_clock() - s->seeded >= SEED_SECONDS;
}

/* The epoch and the process are noted first: if a handler forks from here on, that is seen at the end of the call. The
 * seed is added to the key there was, so that a bad source makes a good key no worse. */
static qs_status seed(struct qs_random_state *s, uint32_t *left)
{
    uint32_t *key = s->refill.state + 4;

    if (s->epoch == 0 || !belongs_to_us(s)) {
        const uint32_t check_pid = s->check_pid;
        qs_wipe(s, sizeof *s); /* of what a call had in hand when its pages were wiped */
        s->check_pid = check_pid;
        qs_random_lock(s);
    }
    *left = 0;
    s->epoch = epoch_now();
    s->quick = s->check_pid ? 0 : s->epoch;
    if (s->check_pid) s->pid = qs_random_pid();
    FENCE();
    if (qs_entropy(s->fresh, sizeof s->fresh) != QS_OK) {
        qs_wipe(s->fresh, sizeof s->fresh);
        s->epoch = s->quick = 0;
        return QS_ERR_ENTROPY;
    }
    set_constants(s->refill.state);
    for (unsigned i = 0; i < 8; i++) key[i] ^= qs_load32(s->fresh + 4 * i);
    qs_wipe(s->fresh, sizeof s->fresh);
    qs_wipe(s->pool, sizeof s->pool);
    s->made = 0;
    s->seeded = qs_random_clock();

    size_t size;
    s->vdso = qs_vdso_getrandom_find(&size) && size <= QS_RANDOM_VDSO ? (uint32_t)size : 0;
    qs_stack_wipe();
    return QS_OK;
}

/* ---- a call ------------------------------------------------------------------------------------------------------ */

/* The state is taken. Again and again while handlers fork under it. */
static qs_status generate(struct qs_random_state *s, uint32_t *left, uint8_t *out, size_t len)
{
    for (;;) {
        if (seed_is_due(s, *left, len)) {
            qs_status status = seed(s, left);
            if (status != QS_OK) return status;
        }
        produce(s, left, out, len);
        FENCE();
        if (LOOK(s->epoch) != 0 && belongs_to_us(s)) return QS_OK; /* from here on nothing in the pages is written */
    }
}

/* Without a state: a handler's call, or no memory for one. */
static QS_NOINLINE qs_status generate_once(uint8_t *out, size_t len)
{
    struct qs_random_stream k = {.block = {0}};
    qs_status status = qs_entropy(k.block, QS_RANDOM_KEY);

    if (status == QS_OK) stream_out(&k, out, len);
    qs_wipe(&k, sizeof k);
    return status;
}

static QS_NOINLINE qs_status call(uint8_t *out, size_t len)
{
    static struct qs_random_state starting; /* not used: `own` is it while the thread gets one */
    struct qs_random_thread *t = &qs_random_thread;
    struct qs_random_state *s = t->idle;

    if (s == NULL && t->own == NULL) {
        t->own = &starting;
        FENCE();
        s = t->own = qs_random_start();
    }
    if (s == NULL) {
        qs_status status = generate_once(out, len);
        qs_stack_wipe();
        return status;
    }
    t->idle = NULL;
    FENCE();
    qs_status status = generate(s, &t->left, out, len);
    FENCE();
    t->idle = s;
    return status;
}

static inline qs_status quick_call(uint8_t *out, size_t len)
{
    struct qs_random_thread *t = &qs_random_thread;
    struct qs_random_state *s = t->idle;

    if (QS_LIKELY(s != NULL)) {
        t->idle = NULL;
        FENCE();
        const uint32_t left = t->left;
        if (QS_LIKELY(len <= left && LOOK(s->quick) == epoch_now())) {
            move(out, s->pool + QS_RANDOM_KEY + left - len, len);
            FENCE();
            if (QS_LIKELY(LOOK(s->quick) != 0)) {
                t->left = left - (uint32_t)len;
                FENCE();
                t->idle = s;
                return QS_OK;
            }
        }
        t->idle = s;
    }
    return call(out, len);
}

/* A function of its own, so that the short path saves no register for its loop. */
static QS_NOINLINE qs_status longer_call(uint8_t *out, size_t len)
{
    return len < QS_RANDOM_DIRECT ? quick_call(out, len) : call(out, len);
}

/* ---- the API ----------------------------------------------------------------------------------------------------- */

qs_status qs_random(void *buf, size_t len)
{
    if (!QS_LIKELY(buf != NULL) && len) return QS_ERR_ARGUMENT;
    return len <= QUICK ? quick_call(buf, len) : longer_call(buf, len);
}

qs_status qs_random_u32(uint32_t *out) { return out ? quick_call((uint8_t *)out, sizeof *out) : QS_ERR_ARGUMENT; }

qs_status qs_random_u64(uint64_t *out) { return out ? quick_call((uint8_t *)out, sizeof *out) : QS_ERR_ARGUMENT; }

/* Numbers of as many bits as the greatest has, until one is below the bound: fewer than two draws on average, no
 * division and no wide multiplication. */
qs_status qs_random_uniform(uint32_t *out, uint32_t bound)
{
    uint32_t mask = bound - 1, x;

    if (!out || bound == 0) return QS_ERR_ARGUMENT;
    for (unsigned shift = 1; shift < 32; shift *= 2) mask |= mask >> shift;
    do {
        qs_status status = qs_random_u32(&x);
        if (status != QS_OK) return status;
        x &= mask;
    } while (x >= bound);
    *out = x;
    qs_wipe(&x, sizeof x);
    return QS_OK;
}

qs_status qs_random_reseed(void)
{
    /* Of two calls at the same time one step may be lost: what is seeded in between came after both began. */
    const uint32_t next = epoch_now() + 1;

    __atomic_store_n(&qs_random_epoch, next ? next : 1, __ATOMIC_RELAXED);
    return call(NULL, 0);
}
