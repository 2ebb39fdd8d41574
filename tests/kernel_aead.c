/* SPDX-License-Identifier: MIT
 *
 * The AEADs under every pair of rows and every level, against the slow reference.
 */
#include "kernel_slow.h"

enum { ALGS = QS_TINC_SPTPS, AD_LENGTHS = 81 };

static uint8_t text[LONG_LENGTH + 64], in[LONG_LENGTH + 64], area[FRINGE + LONG_LENGTH + 64 + FRINGE];
static uint8_t key[64], nonce[24], ad[AD_LENGTHS];

/* The reference's outputs. Ciphertext of a length is the beginning of a longer one. Tags: for every length, one of the
 * common algorithm and one of another in turn. */
static uint8_t sealed[ALGS + 1][LONG_LENGTH];
static uint8_t tags[EVERY_LENGTH + 1][2][16];

static qs_alg alg_for(size_t len, int other) { return (qs_alg)(other ? 2 + len % (ALGS - 1) : QS_CHACHA20_POLY1305); }

static size_t ad_len_for(qs_alg alg, size_t len) { return alg == QS_TINC_SPTPS ? 0 : len * 7 % AD_LENGTHS; }

static uint8_t *output_at(size_t offset, size_t len)
{
    memset(area, FRINGE_BYTE, offset + len + 2 * FRINGE);
    return area + FRINGE + offset;
}

static void prepare(qs_aead *aead, qs_alg alg)
{
    if (qs_aead_init(aead, alg, key, qs_alg_key_len(alg))) FAIL("algorithm %d: a key is refused", alg);
}

/* Seals and opens, in place or not; out, in, nonce, AD and tag at offsets that follow from `at`. */
static void compare(const char *rows, qs_alg alg, size_t len, const uint8_t want_tag[16], size_t at, int in_place)
{
    const size_t ad_len = ad_len_for(alg, len), nonce_len = qs_alg_nonce_len(alg);
    const size_t out_at = at % 64, in_at = at * 3 % 64, tag_at = at * 5 % 64;
    uint8_t nonces[88], ads[AD_LENGTHS + 64], tag_area[FRINGE + 16 + 64 + FRINGE];
    uint8_t *n = nonces + at * 7 % 64, *a = ads + at * 11 % 64, *tag = tag_area + FRINGE + tag_at;
    uint8_t *out = output_at(out_at, len), *from = in_place ? out : in + in_at;
    const char *format = "%s: algorithm %d, %s %zu bytes, AD %zu, %s, out +%zu, in +%zu, tag +%zu";
    qs_aead aead;
    int status;

    prepare(&aead, alg);
    memset(tag_area, FRINGE_BYTE, sizeof tag_area);
    memcpy(n, nonce, nonce_len);
    memcpy(a, ad, ad_len);
    memcpy(from, text, len);
    status = qs_aead_seal(&aead, out, tag, n, nonce_len, a, ad_len, from, len);
    if (status) FAIL("%s: algorithm %d, sealing %zu bytes: status %d", rows, alg, len, status);
    expect_output(out, sealed[alg], len, format, rows, alg, "sealing", len, ad_len, in_place ? "in place" : "apart",
                  out_at, in_at, tag_at);
    expect_output(tag, want_tag, 16, format, rows, alg, "tag of", len, ad_len, in_place ? "in place" : "apart", out_at,
                  in_at, tag_at);

    memcpy(from, sealed[alg], len);
    if (!in_place) out = output_at(out_at, len);
    status = qs_aead_open(&aead, out, n, nonce_len, a, ad_len, from, len, tag);
    if (status) FAIL("%s: algorithm %d, opening %zu bytes: status %d", rows, alg, len, status);
    expect_output(out, text, len, format, rows, alg, "opening", len, ad_len, in_place ? "in place" : "apart", out_at,
                  in_at, tag_at);
}

static void make_outputs(void)
{
    uint8_t tag[16];
    static uint8_t out[EVERY_LENGTH];

    random_bytes(key, sizeof key);
    random_bytes(nonce, sizeof nonce);
    random_bytes(ad, sizeof ad);
    random_bytes(text, sizeof text);
    for (int alg = 1; alg <= ALGS; alg++)
        slow_seal((qs_alg)alg, sealed[alg], tag, key, nonce, ad, 0, text, LONG_LENGTH);
    for (size_t len = 0; len <= EVERY_LENGTH; len++)
        for (int other = 0; other < 2; other++) {
            qs_alg alg = alg_for(len, other);
            slow_seal(alg, out, tags[len][other], key, nonce, ad, ad_len_for(alg, len), text, len);
        }
}

static void lengths_of(const char *rows, void *arg)
{
    for (size_t len = 0; len <= EVERY_LENGTH; len++)
        for (int i = 0; i < 4; i++)
            compare(rows, alg_for(len, i / 2), len, tags[len][i / 2], len + 16 * (size_t)i, i % 2);
    covered("lengths", arg, rows);
}

struct long_message {
    qs_alg alg;
    size_t len;
    uint8_t tag[16];
};

static void long_of(const char *rows, void *arg)
{
    const struct long_message *m = arg;
    compare(rows, m->alg, m->len, m->tag, random_below(64), 0);
    compare(rows, m->alg, m->len, m->tag, random_below(64), 1);
}

static int setup(void **unused)
{
    (void)unused;
    make_outputs();
    return 0;
}

static void each_path_makes_the_right_message(void **unused)
{
    (void)unused;
    each_path(lengths_of, "path");
    for (unsigned i = 0; i < 2 * ALGS; i++) {
        static uint8_t out[LONG_LENGTH];
        struct long_message m = {(qs_alg)(1 + i % ALGS), random_below(LONG_LENGTH + 1), {0}};
        slow_seal(m.alg, out, m.tag, key, nonce, ad, ad_len_for(m.alg, m.len), text, m.len);
        each_path(long_of, &m);
    }
}

static void each_level_makes_the_right_message(void **unused)
{
    (void)unused;
    each_level(lengths_of, "level");
}

/* ---- pieces, finished by other rows ------------------------------------------------------------------------------ */

static void other_rows(void)
{
    choose_random_row(QS_CHACHA);
    choose_random_row(QS_POLY1305);
}

/* A message in pieces, while the rows change: one begins where any other went on. */
static void compare_stream(qs_alg alg, size_t len, const uint8_t want_tag[16], size_t most, int opening, int in_place)
{
    const size_t ad_len = ad_len_for(alg, len), nonce_len = qs_alg_nonce_len(alg);
    const uint8_t *from = opening ? sealed[alg] : text, *want = opening ? text : sealed[alg];
    const char *format = "stream, algorithm %d, %s %zu bytes in pieces of up to %zu, %s";
    uint8_t *out = output_at(random_below(64), len), tag[16];
    qs_aead aead;
    qs_stream s;
    int status = 0;

    prepare(&aead, alg);
    if (in_place) memcpy(out, from, len), from = out;
    other_rows();
    status |= opening ? qs_stream_open_unverified_init(&s, &aead, nonce, nonce_len)
                      : qs_stream_seal_init(&s, &aead, nonce, nonce_len);
    for (size_t at = 0, n; at < ad_len; at += n) {
        n = random_below(most + 1);
        if (n > ad_len - at) n = ad_len - at;
        other_rows();
        status |= qs_stream_ad(&s, ad + at, n);
    }
    for (size_t at = 0, n; at < len; at += n) {
        n = random_below(most + 1);
        if (n > len - at) n = len - at;
        other_rows();
        status |= qs_stream_text(&s, out + at, from + at, n);
    }
    other_rows();
    if (opening) status |= qs_stream_open_final(&s, want_tag);
    else status |= qs_stream_seal_final(&s, tag);
    choose_best_row(QS_CHACHA);
    choose_best_row(QS_POLY1305);

    if (status) FAIL("stream, algorithm %d, %zu bytes in pieces of up to %zu: status %d", alg, len, most, status);
    expect_output(out, want, len, format, alg, opening ? "opening" : "sealing", len, most,
                  in_place ? "in place" : "apart");
    if (!opening) expect_bytes(tag, want_tag, 16, format, alg, "tag of", len, most, in_place ? "in place" : "apart");
}

static void pieces_make_the_same_message(void **unused)
{
    static const size_t most[] = {3, 16, 64, 65, 100, 600, 1100, 5000};

    (void)unused;
    for (unsigned i = 0; i < 4000; i++) {
        size_t len = random_below(EVERY_LENGTH + 1);
        int other = (int)random_below(2);
        compare_stream(alg_for(len, other), len, tags[len][other], most[i % COUNT(most)], i / 8 % 2, i / 16 % 2);
    }
    covered("pieces", "mixed", "all");
}

/* Random cuts of `len` bytes into at most `max` pieces, some of them empty. */
static size_t cut(size_t len, size_t *cuts, size_t max)
{
    size_t n = 0, at = 0;

    while (n + 1 < max && at < len) {
        size_t step = random_below(4) ? random_below(len + 1) : random_below(20);
        cuts[n] = step > len - at ? len - at : step;
        at += cuts[n++];
    }
    cuts[n++] = len - at;
    return n;
}

/* In place means: the pieces of out cover the same bytes as those of in, cut elsewhere. */
static void compare_scatter(const char *rows, qs_alg alg, size_t len, const uint8_t want_tag[16], int in_place)
{
    enum { PIECES = 9 };
    const size_t ad_len = ad_len_for(alg, len), nonce_len = qs_alg_nonce_len(alg);
    uint8_t *out = output_at(random_below(64), len), *from = in_place ? out : text, tag[16];
    size_t cuts[3][PIECES], out_n = cut(len, cuts[0], PIECES), in_n = cut(len, cuts[1], PIECES),
                            ad_n = cut(ad_len, cuts[2], PIECES);
    qs_iovec o[PIECES];
    qs_const_iovec v[PIECES], a[PIECES];
    qs_aead aead;

    prepare(&aead, alg);
    if (in_place) memcpy(out, text, len);
    for (size_t i = 0, at = 0; i < out_n; at += cuts[0][i++]) o[i] = (qs_iovec){out + at, cuts[0][i]};
    for (size_t i = 0, at = 0; i < in_n; at += cuts[1][i++]) v[i] = (qs_const_iovec){from + at, cuts[1][i]};
    for (size_t i = 0, at = 0; i < ad_n; at += cuts[2][i++]) a[i] = (qs_const_iovec){ad + at, cuts[2][i]};
    if (qs_aead_sealv(&aead, o, out_n, tag, nonce, nonce_len, a, ad_n, v, in_n))
        FAIL("%s: algorithm %d, sealing %zu bytes in pieces failed", rows, alg, len);
    expect_output(out, sealed[alg], len, "%s: algorithm %d, sealing %zu bytes in pieces", rows, alg, len);
    expect_bytes(tag, want_tag, 16, "%s: algorithm %d, tag of %zu bytes in pieces", rows, alg, len);
    for (size_t i = 0; !in_place && i < in_n; i++) v[i].base += sealed[alg] - text;
    if (qs_aead_openv(&aead, o, out_n, nonce, nonce_len, a, ad_n, v, in_n, tag))
        FAIL("%s: algorithm %d, opening %zu bytes in pieces failed", rows, alg, len);
    expect_output(out, text, len, "%s: algorithm %d, opening %zu bytes in pieces", rows, alg, len);
}

static void scatter_of(const char *rows, void *arg)
{
    for (unsigned i = 0; i < 1000; i++) {
        size_t len = random_below(i % 2 ? 300 : EVERY_LENGTH + 1);
        int other = (int)random_below(2);
        compare_scatter(rows, alg_for(len, other), len, tags[len][other], i / 2 % 2);
    }
    covered("scatter", arg, rows);
}

static void scattered_pieces_make_the_same_message(void **unused)
{
    (void)unused;
    each_path(scatter_of, "path");
}

/* ---- many packets; OpenSSH --------------------------------------------------------------------------------------- */

static void packets_of(const char *rows, void *arg)
{
    enum { MOST = 2 * LANES + 3, ROOM = 2048 };
    static uint8_t out[MOST][ROOM + 16];
    static const size_t usual[] = {0, 16, 64, 1420};
    qs_alg algs[MOST];
    qs_aead aeads[MOST];
    qs_packet packets[MOST];

    for (unsigned round = 0; round < 40; round++) {
        size_t n = round % MOST + 1;

        /* Every second round is of equal lengths, the case that kernels are made for. */
        for (size_t i = 0; i < n; i++) {
            size_t len = round % 2 ? usual[round / 2 % COUNT(usual)] : random_below(ROOM);
            int other = (int)random_below(2);
            algs[i] = alg_for(len, other);
            prepare(&aeads[i], algs[i]);
            memset(out[i], FRINGE_BYTE, sizeof out[i]);
            memcpy(out[i], text, len);
            packets[i] = (qs_packet){.aead = &aeads[i],
                                     .out = out[i],
                                     .tag = out[i] + len,
                                     .nonce = nonce,
                                     .ad = ad,
                                     .ad_len = ad_len_for(algs[i], len),
                                     .in = random_below(2) ? out[i] : text,
                                     .len = len,
                                     .status = QS_ERR_STATE};
        }
        if (qs_seal_packets(packets, n)) FAIL("%s: sealing %zu packets failed", rows, n);
        for (size_t i = 0; i < n; i++) {
            size_t len = packets[i].len;
            qs_alg alg = algs[i];
            if (packets[i].status) FAIL("%s: packet %zu of %zu: status %d", rows, i, n, packets[i].status);
            expect_bytes(out[i], sealed[alg], len, "%s: packet %zu of %zu, algorithm %d, %zu bytes", rows, i, n, alg,
                         len);
            expect_bytes(out[i] + len, tags[len][alg != QS_CHACHA20_POLY1305], 16,
                         "%s: tag of packet %zu of %zu, algorithm %d, %zu bytes", rows, i, n, alg, len);
            packets[i].in = out[i];
        }
        size_t forged = random_below(n);
        out[forged][packets[forged].len + 3] ^= 1;
        if (qs_open_packets(packets, n) != 1 || packets[forged].status != QS_ERR_AUTH)
            FAIL("%s: packet %zu of %zu is forged, and that was not said", rows, forged, n);
        for (size_t i = 0; i < n; i++)
            if (i != forged) expect_bytes(out[i], text, packets[i].len, "%s: opening packet %zu of %zu", rows, i, n);
    }
    covered("packets", arg, rows);
}

static void each_path_makes_the_right_packets(void **unused)
{
    (void)unused;
    each_path(packets_of, "path");
}

struct ssh_message {
    size_t len;
    uint32_t seq;
    uint8_t tag[16], out[2048];
};

static void openssh_of(const char *rows, void *arg)
{
    const struct ssh_message *m = arg;
    uint8_t *out = output_at(m->len % 64, m->len), tag[16];
    const uint32_t length = (uint32_t)text[0] << 24 | (uint32_t)text[1] << 16 | (uint32_t)text[2] << 8 | text[3];
    qs_openssh ssh;

    qs_openssh_init(&ssh, key);
    if (qs_openssh_seal(&ssh, out, tag, m->seq, text, m->len)) FAIL("%s: openssh, %zu bytes failed", rows, m->len);
    expect_output(out, m->out, m->len, "%s: openssh, sealing %zu bytes", rows, m->len);
    expect_bytes(tag, m->tag, 16, "%s: openssh, tag of %zu bytes", rows, m->len);
    if (qs_openssh_length(&ssh, m->seq, out) != length) FAIL("%s: openssh, length field of %zu bytes", rows, m->len);
    if (qs_openssh_open(&ssh, out, m->seq, out, m->len, tag)) FAIL("%s: openssh, opening %zu bytes", rows, m->len);
    expect_output(out, text, m->len, "%s: openssh, opening %zu bytes", rows, m->len);
}

static void openssh_done(const char *rows, void *arg) { covered("openssh", arg, rows); }

static void each_path_makes_the_right_ssh_packet(void **unused)
{
    static struct ssh_message m;

    (void)unused;
    for (m.len = 4; m.len < sizeof m.out; m.len++) {
        m.seq = (uint32_t)random_u64();
        slow_openssh_seal(m.out, m.tag, key, m.seq, text, m.len);
        each_path(openssh_of, &m);
    }
    each_path(openssh_done, "path");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_path_makes_the_right_message), cmocka_unit_test(each_level_makes_the_right_message),
        cmocka_unit_test(pieces_make_the_same_message),      cmocka_unit_test(scattered_pieces_make_the_same_message),
        cmocka_unit_test(each_path_makes_the_right_packets), cmocka_unit_test(each_path_makes_the_right_ssh_packet),
    };
    tests_start();
    return cmocka_run_group_tests(tests, setup, NULL);
}
