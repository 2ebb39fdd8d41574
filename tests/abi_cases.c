/* SPDX-License-Identifier: MIT */
#include "abi_cases.h"

enum { TEXT = 1100, AD = 21, PACKETS = 5, PACKET = 150, FEATURES = 32, ROWS = 64 };

struct arena {
    /* secrets */
    uint8_t key[64], mac_key[32], text[TEXT], sealed[TEXT], tag[16], packet_sealed[PACKET],
        packet_tag[16], tag_of_empty[16], ssh_sealed[TEXT], ssh_tag[16],
        forged[16];
    uint32_t state[16], r[4], h[5]; /* of kernels, */
    struct qs_keystream keystream;
    uint8_t data[KERNEL_DATA];      /* and what they work on */
    uint8_t message_sealed[KERNEL_DATA], message_tag[16];
    /* public */
    uint8_t nonce[24], ad[AD];
    /* outputs and contexts */
    uint8_t out[PACKETS * (TEXT + QS_TAG_LEN)] __attribute__((aligned(8))), out_tag[16]; /* also of qs_random_u64 */
    struct qs_lanes lanes;
    struct qs_lanes_stream lanes_stream;
    struct qs_lanes_mac lanes_mac;
    qs_aead aead, fresh;
    qs_poly1305_ctx mac;
    qs_stream stream, sealing, opening;
    qs_openssh ssh;
    qs_replay window;
    qs_packet seal[PACKETS], open[PACKETS];
    struct qs_message message, message_back, message_forged;
    qs_iovec outv[2];
    qs_const_iovec adv[2], inv[2], sealedv[2];
    qs_feature features[FEATURES];
    qs_row rows[ROWS];
};
struct arena arena;

size_t arena_size(void)
{
    return sizeof arena;
}

const uint8_t *arena_key(void)
{
    return arena.key;
}

/* The algorithm and length of the cases that come next. */
static qs_alg alg = QS_CHACHA20_POLY1305;
static size_t text_len = TEXT;
static size_t message_len; /* what a kernel of whole messages gets */
static unsigned message_rounds = 20;

static void pieces(void)
{
    struct arena *a = &arena;

    a->outv[0] = (qs_iovec){a->out, 99}, a->outv[1] = (qs_iovec){a->out + 99, text_len - 99};
    a->adv[0] = (qs_const_iovec){a->ad, 5}, a->adv[1] = (qs_const_iovec){a->ad + 5, AD - 5};
    a->inv[0] = (qs_const_iovec){a->text, 7}, a->inv[1] = (qs_const_iovec){a->text + 7, text_len - 7};
    a->sealedv[0] = (qs_const_iovec){a->sealed, 64}, a->sealedv[1] = (qs_const_iovec){a->sealed + 64, text_len - 64};
    for (size_t i = 0; i < PACKETS; i++) {
        uint8_t *out = a->out + i * (TEXT + QS_TAG_LEN);
        a->seal[i] = (qs_packet){&a->aead, out, out + PACKET, a->nonce, a->ad, AD, a->text, PACKET, QS_OK};
        a->open[i] = (qs_packet){&a->aead, out, a->packet_tag, a->nonce, a->ad, AD, a->packet_sealed, PACKET, QS_OK};
    }
}

/* Sealed in place; opened from one buffer to another. */
/* Lanes and packets of a kernel of many packets: each packet has two blocks, the last one of them has less. */
static unsigned lanes = 1;
static unsigned lanes_rounds = 20;

static void packets(void)
{
    struct arena *a = &arena;
    struct qs_lanes *l = &a->lanes;
    struct qs_lanes_stream *stream = &a->lanes_stream;
    struct qs_lanes_mac *m = &a->lanes_mac;

    memcpy(l->state, a->data, sizeof l->state);
    memcpy(m->key, a->data + sizeof l->state, sizeof m->key);
    m->n = m->ready = lanes;
    for (unsigned i = 0; i < QS_LANES; i++) {
        const unsigned packet = i * 7 % QS_LANES;
        stream->packet[1 + i] = (uint8_t)packet;
        stream->block[1 + i] = (uint8_t)i;
        stream->place[packet].in = stream->place[packet].out = (uintptr_t)a->data;
    }
    for (unsigned i = 0; i < QS_LANES; i++) m->ad[i] = m->text[i] = a->data;
    for (unsigned i = 0; i < lanes; i++) {
        m->ad[i] = a->ad;
        m->ad_len[i] = i % (AD + 1);
        m->text[i] = a->data + 64 * i;
        m->len[i] = (lanes - i) * 19;
    }
}

static void messages(void)
{
    struct arena *a = &arena;
    struct qs_message *m = &a->message;

    *m = (struct qs_message){.key = (const uint32_t *)(const void *)a->key, .out = a->message_sealed, .in = a->data,
                             .len = message_len, .ad = a->ad, .ad_len = message_len % (AD + 1), .tag = a->message_tag,
                             .nonce = {1, 2, 3}, .rounds = message_rounds};
    qs_seal_steps(m);
    a->message_back = *m;
    a->message_back.in = a->message_sealed, a->message_back.out = a->data;
    a->message_forged = a->message_back;
    a->message_forged.tag = a->forged;
    m->out = a->data, m->tag = a->out_tag;
}

static size_t ad_len(void)
{
    return alg == QS_TINC_SPTPS ? 0 : AD;
}

void arena_fill(uint64_t seed, void (*secret)(void *p, size_t len))
{
    struct arena *a = &arena;
    const size_t secrets = offsetof(struct arena, nonce);

    memset(a, 0, sizeof *a);
    random_seed(1);
    random_bytes(a->nonce, sizeof a->nonce);
    random_bytes(a->ad, sizeof a->ad);
    random_seed(seed);
    if (seed == 0) memset(a, 0, secrets);
    else if (seed == 1) memset(a, 0xff, secrets);
    else random_bytes(a, secrets);
    if (secret) secret(a, secrets);

    /* What a kernel may assume. */
    a->state[12] = 7; /* the counter is public */
    memcpy(a->keystream.state, a->state, sizeof a->state);
    for (size_t i = 0; i < 4; i++) a->r[i] &= i ? 0x0ffffffc : 0x0fffffff;
    a->h[4] &= 3;

    size_t nonce_len = qs_alg_nonce_len(alg);
    assert_int_equal(qs_aead_init(&a->aead, alg, a->key, qs_alg_key_len(alg)), QS_OK);
    assert_int_equal(qs_aead_seal(&a->aead, a->sealed, a->tag, a->nonce, nonce_len, a->ad, ad_len(), a->text, text_len),
                     QS_OK);
    assert_int_equal(qs_aead_seal(&a->aead, a->packet_sealed, a->packet_tag, a->nonce, nonce_len, a->ad, ad_len(), a->text,
                                  PACKET),
                     QS_OK);
    memcpy(a->forged, a->tag, sizeof a->forged);
    a->forged[seed % sizeof a->forged] ^= 0x10;
    qs_poly1305_init(&a->mac, a->mac_key);
    qs_poly1305_update(&a->mac, a->text, 23);
    assert_int_equal(qs_stream_seal_init(&a->sealing, &a->aead, a->nonce, nonce_len), QS_OK);
    assert_int_equal(qs_stream_open_unverified_init(&a->opening, &a->aead, a->nonce, nonce_len), QS_OK);
    assert_int_equal(qs_aead_seal(&a->aead, NULL, a->tag_of_empty, a->nonce, nonce_len, NULL, 0, NULL, 0), QS_OK);
    qs_openssh_init(&a->ssh, a->key);
    assert_int_equal(qs_openssh_seal(&a->ssh, a->ssh_sealed, a->ssh_tag, 3, a->text, text_len), QS_OK);
    qs_replay_init(&a->window);
    pieces();
    packets();
    messages();
}

/* ---- public functions -------------------------------------------------------------------------------------------- */

struct visit {
    case_body *body;
    void *arg;
    int secret;
    size_t blocks;
    void *written;
};

static void visit(const struct visit *v, const char *name, abi_function *f, int status, const struct abi_arg *args,
                  size_t n)
{
    const struct abi_case c = {name, f, args, n, v->blocks, status, v->secret, v->written};
    v->body(&c, v->arg);
}

#define CASE(status, f, ...)                                                                                           \
    visit(v, #f, (abi_function *)f, status, (const struct abi_arg[]){__VA_ARGS__},                                     \
          sizeof((const struct abi_arg[]){__VA_ARGS__}) / sizeof(struct abi_arg))
enum { ANY = CASE_ANY_STATUS };
#define P(x) ARG_PTR(x)
#define N(x) ARG_LEN(x)
#define U(x) ARG_U32(x)

static void cipher_cases(const struct visit *v)
{
    struct arena *a = &arena;

    for (unsigned rounds = 8; rounds <= 20; rounds += rounds == 8 ? 4 : 8) {
        CASE(QS_OK, qs_chacha_xor, P(a->out), P(a->key), P(a->nonce), U(1), U(rounds), P(a->text), N(text_len));
        CASE(QS_OK, qs_hchacha, P(a->out), P(a->key), P(a->nonce), U(rounds));
    }
    CASE(QS_OK, qs_chacha_djb_xor, P(a->out), P(a->key), P(a->nonce), ARG_U64(UINT32_MAX), U(20), P(NULL), N(text_len));
    CASE(QS_OK, qs_xchacha_xor, P(a->text), P(a->key), P(a->nonce), ARG_U64(5), U(20), P(a->text), N(text_len));

#ifdef QS_HAVE_BLOCKS_NOSTACK
    CASE(ANY, qs_chacha20_blocks_nostack, P(a->data), P(a->state + 4), P(a->nonce), N(3));
#endif

    CASE(ANY, qs_poly1305, P(a->out_tag), P(a->mac_key), P(a->text), N(text_len));
    CASE(ANY, qs_poly1305_init, P(&a->mac), P(a->mac_key));
    CASE(ANY, qs_poly1305_update, P(&a->mac), P(a->text), N(text_len));
    CASE(ANY, qs_poly1305_final, P(&a->mac), P(a->out_tag));
    CASE(QS_OK, qs_tag_verify, P(a->tag), P(a->tag));
    CASE(QS_ERR_AUTH, qs_tag_verify, P(a->tag), P(a->forged));
}

static void aead_cases(const struct visit *v)
{
    struct arena *a = &arena;
    const size_t n = qs_alg_nonce_len(alg), ad = ad_len(), pieces = ad ? 2 : 0;

    CASE(QS_OK, qs_aead_init, P(&a->fresh), U(alg), P(a->key), N(qs_alg_key_len(alg)));
    CASE(ANY, qs_aead_wipe, P(&a->aead));
    CASE(QS_OK, qs_aead_seal, P(&a->aead), P(a->out), P(a->out_tag), P(a->nonce), N(n), P(a->ad), N(ad), P(a->text),
         N(text_len));
    CASE(QS_OK, qs_aead_open, P(&a->aead), P(a->out), P(a->nonce), N(n), P(a->ad), N(ad), P(a->sealed), N(text_len),
         P(a->tag));
    CASE(QS_ERR_AUTH, qs_aead_open, P(&a->aead), P(a->out), P(a->nonce), N(n), P(a->ad), N(ad), P(a->sealed),
         N(text_len), P(a->forged));
    CASE(QS_OK, qs_aead_sealv, P(&a->aead), P(a->outv), N(2), P(a->out_tag), P(a->nonce), N(n), P(a->adv), N(pieces),
         P(a->inv), N(2));
    CASE(QS_OK, qs_aead_openv, P(&a->aead), P(a->outv), N(2), P(a->nonce), N(n), P(a->adv), N(pieces), P(a->sealedv),
         N(2), P(a->tag));
    CASE(QS_OK, qs_stream_seal_init, P(&a->stream), P(&a->aead), P(a->nonce), N(n));
    CASE(QS_OK, qs_stream_open_unverified_init, P(&a->stream), P(&a->aead), P(a->nonce), N(n));
    CASE(QS_OK, qs_stream_ad, P(&a->sealing), P(a->ad), N(ad));
    CASE(QS_OK, qs_stream_text, P(&a->sealing), P(a->out), P(a->text), N(text_len));
    CASE(QS_OK, qs_stream_text, P(&a->opening), P(a->out), P(a->text), N(text_len));
    CASE(QS_OK, qs_stream_seal_final, P(&a->sealing), P(a->out_tag));
    CASE(QS_OK, qs_stream_open_final, P(&a->opening), P(a->tag_of_empty));
    CASE(QS_ERR_AUTH, qs_stream_open_final, P(&a->opening), P(a->forged));
}

static void packet_cases(const struct visit *v)
{
    struct arena *a = &arena;

    CASE(QS_OK, qs_seal_packets, P(a->seal), N(PACKETS));
    CASE(QS_OK, qs_open_packets, P(a->open), N(PACKETS));
    CASE(ANY, qs_openssh_init, P(&a->ssh), P(a->key));
    CASE(ANY, qs_openssh_length, P(&a->ssh), U(0x80000001), P(a->text));
    CASE(QS_OK, qs_openssh_seal, P(&a->ssh), P(a->out), P(a->out_tag), U(3), P(a->text), N(text_len));
    CASE(QS_OK, qs_openssh_open, P(&a->ssh), P(a->out), U(3), P(a->ssh_sealed), N(text_len), P(a->ssh_tag));
    CASE(QS_ERR_AUTH, qs_openssh_open, P(&a->ssh), P(a->out), U(3), P(a->ssh_sealed), N(text_len), P(a->forged));
    CASE(ANY, qs_wipe, P(a->key), N(sizeof a->key));
}

static void no_report(void *arg, const qs_selftest_result *result)
{
    (void)arg, (void)result;
}

static void other_cases(const struct visit *v)
{
    struct arena *a = &arena;

    CASE(ANY, qs_strerror, U(QS_ERR_AUTH));
    CASE(ANY, qs_version, N(0));
    CASE(ANY, qs_alg_key_len, U(QS_WIREGUARD));
    CASE(ANY, qs_alg_nonce_len, U(QS_WIREGUARD));
    CASE(ANY, qs_nonce_xor, P(a->out), P(a->nonce), ARG_U64(UINT64_MAX - 5));
    CASE(ANY, qs_replay_init, P(&a->window));
    CASE(QS_OK, qs_replay_check, P(&a->window), ARG_U64(UINT64_C(1) << 40));
    CASE(QS_OK, qs_replay_accept, P(&a->window), ARG_U64(UINT64_C(1) << 40));
    CASE(QS_OK, qs_random, P(a->out), N(33));
    CASE(QS_OK, qs_random, P(a->out), N(text_len));
    CASE(QS_OK, qs_random_u32, P(a->out));
    CASE(QS_OK, qs_random_u64, P(a->out));
    CASE(QS_OK, qs_random_uniform, P(a->out), U(UINT32_MAX));
    CASE(QS_OK, qs_random_reseed, N(0));
    CASE(ANY, qs_random_source, P(NULL));
    CASE(ANY, qs_cpu_level, N(0));
    CASE(QS_OK, qs_cpu_limit, P(NULL));
    CASE(ANY, qs_cpu_features, P(a->features), N(FEATURES));
    CASE(ANY, qs_rows, P(a->rows), N(ROWS));
    CASE(QS_OK, qs_selftest, N(0));
    CASE(QS_OK, qs_selftest_each, P(no_report), P(NULL));
}

void each_case(case_body *body, void *arg)
{
    const struct visit v = {body, arg, 1, 0, NULL}, plain = {body, arg, 0, 0, NULL};
    static const qs_alg forms[] = {QS_CHACHA20_POLY1305, QS_XCHACHA12_POLY1305, QS_ESP_CHACHA20_POLY1305,
                                   QS_TINC_SPTPS};

    /* Single steps are slow, and long text only matters to vectors. */
    text_len = 150;
    for (int p = 0; p < QS_PACKETS; p++)
        if (qs_kernel_of((enum qs_primitive)p)->vector) text_len = TEXT;
    for (size_t i = 0; i < COUNT(forms); i++) {
        alg = forms[i];
        aead_cases(&v);
    }
    alg = QS_WIREGUARD;
    cipher_cases(&v);
    packet_cases(&v);
    other_cases(&plain);
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static void chacha_case(const struct visit *v, const char *name, const struct qs_kernel *row)
{
    struct arena *a = &arena;
    const unsigned rounds = v->blocks % 3 == 0 ? 8 : v->blocks % 3 == 1 ? 20 : 12;

    visit(v, name, (abi_function *)row->blocks.chacha, ANY,
          (const struct abi_arg[]){P(a->data), P(a->data), N(v->blocks), P(a->state), U(rounds)}, 5);
    if (row->blocks.chacha_ending)
        visit(v, name, (abi_function *)row->blocks.chacha_ending, ANY,
              (const struct abi_arg[]){P(a->data), P(a->data), N(v->blocks - 1), P(&a->keystream), U(rounds)}, 5);
}

static void poly1305_case(const struct visit *v, const char *name, const struct qs_kernel *row)
{
    struct arena *a = &arena;

    visit(v, name, (abi_function *)row->blocks.poly1305, ANY,
          (const struct abi_arg[]){P(a->h), P(a->r), P(a->data), N(v->blocks), U(v->blocks & 1)}, 5);
}

/* The last block of the text is whole or not; every so often there is none. */
static void message_cases(const struct visit *v, const char *name, const struct qs_kernel *row)
{
    static const uint8_t last[] = {64, 1, 15, 16, 17, 33, 63, 0};
    struct arena *a = &arena;

    message_len = 64 * (v->blocks - 1) + last[v->blocks % COUNT(last)];
    message_rounds = v->blocks % 3 == 0 ? 8 : v->blocks % 3 == 1 ? 20 : 12;
    visit(v, name, (abi_function *)row->blocks.aead.open, QS_OK, (const struct abi_arg[]){P(&a->message_back)}, 1);
    visit(v, name, (abi_function *)row->blocks.aead.open, QS_ERR_AUTH, (const struct abi_arg[]){P(&a->message_forged)},
          1);
    visit(v, name, (abi_function *)row->blocks.aead.seal, ANY, (const struct abi_arg[]){P(&a->message)}, 1);
}

static void packets_cases(const struct visit *v, const char *name, const struct qs_kernel *row)
{
    const struct qs_lanes_kernel *kernel = row->blocks.packets;
    struct arena *a = &arena;
    struct visit mac = *v;

    if (!kernel || v->blocks > QS_LANES || !small_or_near_power(v->blocks)) return;
    lanes = (unsigned)v->blocks;
    lanes_rounds = lanes % 3 == 0 ? 8 : lanes % 3 == 1 ? 20 : 12;
    if (kernel->arrange)
        visit(v, name, (abi_function *)kernel->arrange, ANY, (const struct abi_arg[]){P(&a->lanes)}, 1);
    if (v->blocks <= kernel->lanes)
        visit(v, name, (abi_function *)kernel->blocks, ANY,
              (const struct abi_arg[]){P(&a->lanes), P(&a->lanes_stream), N(1), N(lanes), N(lanes_rounds),
                                       P(&a->lanes_mac)}, 6);
    mac.written = a->lanes_mac.tag;
    if (v->blocks <= kernel->packets)
        visit(&mac, name, (abi_function *)kernel->tags, ANY, (const struct abi_arg[]){P(&a->lanes_mac)}, 1);
}

void each_kernel_case(enum qs_primitive primitive, const struct qs_kernel *row, size_t max, case_body *body, void *arg)
{
    static const struct {
        unsigned block_len;
        void *written;
        void (*cases)(const struct visit *v, const char *name, const struct qs_kernel *row);
    } of[QS_PRIMITIVES] = {[QS_CHACHA] = {QS_BLOCK_LEN, arena.data, chacha_case},
                           [QS_POLY1305] = {QS_MAC_BLOCK_LEN, arena.h, poly1305_case},
                           [QS_AEAD] = {QS_BLOCK_LEN, arena.out_tag, message_cases},
                           [QS_PACKETS] = {QS_BLOCK_LEN, arena.data, packets_cases}};
    char name[64];

    assert_true(max <= KERNEL_DATA);
    for (size_t n = 1; n <= max / of[primitive].block_len; n++) {
        const struct visit v = {body, arg, 1, n, of[primitive].written};
        snprintf(name, sizeof name, "%s row %s, %zu blocks", qs_tables[primitive].primitive, row->name, n);
        of[primitive].cases(&v, name, row);
    }
}

const char *case_text(const struct abi_case *c)
{
    static char text[160];
    int n;

    if (c->blocks) return c->name;
    n = snprintf(text, sizeof text, "%s", c->name);
    for (int p = 0; p < QS_PRIMITIVES; p++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%s row %s", p ? ", " : " (", qs_tables[p].primitive,
                      qs_kernel_of((enum qs_primitive)p)->name);
    snprintf(text + n, sizeof text - (size_t)n, ")");
    return text;
}

int small_or_near_power(size_t blocks)
{
    return blocks <= 5 || (blocks & (blocks - 1)) == 0 || ((blocks - 1) & (blocks - 2)) == 0;
}

void each_choice(named_body *body, void *arg)
{
    const struct qs_kernel *before[QS_PRIMITIVES] = {NULL};

    for (size_t i = 0; qs_cpu_level(i); i++) {
        assert_int_equal(qs_cpu_limit(qs_cpu_level(i)), QS_OK);
        int differs = 0;
        for (unsigned p = 0; p < QS_PRIMITIVES; p++) {
            const struct qs_kernel *row = qs_kernel_of((enum qs_primitive)p);
            differs |= row != before[p];
            before[p] = row;
        }
        if (differs) body(qs_cpu_level(i), arg);
    }
    assert_int_equal(qs_cpu_limit(NULL), QS_OK);
}
