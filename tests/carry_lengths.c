/* SPDX-License-Identifier: MIT
 *
 * Length counters beyond 2^32: of streams that are made to believe in a long past, and of AD and text that are really
 * longer than 4 GiB, in which the same pages appear again and again. The expected tag is put together from the stream
 * and the MAC functions, with lengths counted here.
 */
#include "../src/aead.h"
#include "kernel_slow.h"

#include <sys/mman.h>
#include <unistd.h>

static const uint8_t key[32] = {1}, nonce[12] = {2};

static void begin_mac(qs_poly1305_ctx *mac)
{
    uint8_t block0[32];
    if (qs_chacha_xor(block0, key, nonce, 0, 20, NULL, sizeof block0)) FAIL("qs_chacha_xor");
    qs_poly1305_init(mac, block0);
}

static void end_mac(qs_poly1305_ctx *mac, uint8_t tag[16], uint64_t ad_len, uint64_t len)
{
    uint8_t lengths[16];
    qs_store64(lengths, ad_len);
    qs_store64(lengths + 8, len);
    qs_poly1305_update(mac, lengths, sizeof lengths);
    qs_poly1305_final(mac, tag);
}

/* ---- counters set to just below a boundary ----------------------------------------------------------------------- */

static const uint64_t text_limit = UINT64_C(64) * UINT32_MAX;

static void begin_after(qs_stream *s, uint64_t ad_len, uint64_t text_len)
{
    qs_aead aead;
    struct qs_run *run = (struct qs_run *)s;

    if (qs_aead_init(&aead, QS_CHACHA20_POLY1305, key, 32) || qs_stream_seal_init(s, &aead, nonce, 12))
        FAIL("qs_stream_seal_init");
    run->ad_len = ad_len;
    run->text_len = text_len;
}

/* AD and text of these lengths, after so many bytes of both; 16 divides what came before, so that the MAC stands at the
 * beginning of a block. */
static void compare_counted(uint64_t ad_before, size_t ad_len, uint64_t text_before, size_t len)
{
    uint8_t ad[64], text[64], out[64], tag[16], want[16];
    static const uint8_t zeros[16];
    qs_poly1305_ctx mac;
    qs_stream s;

    random_bytes(ad, sizeof ad);
    random_bytes(text, sizeof text);
    begin_after(&s, ad_before, text_before);
    if (qs_stream_ad(&s, ad, ad_len / 2) || qs_stream_ad(&s, ad + ad_len / 2, ad_len - ad_len / 2) ||
        qs_stream_text(&s, out, text, len / 2) || qs_stream_text(&s, out + len / 2, text + len / 2, len - len / 2) ||
        qs_stream_seal_final(&s, tag))
        FAIL("%zu bytes of AD after %llu, %zu of text after %llu are refused", ad_len, (unsigned long long)ad_before,
             len, (unsigned long long)text_before);

    begin_mac(&mac);
    qs_poly1305_update(&mac, ad, ad_len);
    qs_poly1305_update(&mac, zeros, -ad_len % 16);
    qs_poly1305_update(&mac, out, len);
    qs_poly1305_update(&mac, zeros, -len % 16);
    end_mac(&mac, want, ad_before + ad_len, text_before + len);
    expect_bytes(tag, want, 16, "%zu bytes of AD after %llu, %zu of text after %llu", ad_len,
                 (unsigned long long)ad_before, len, (unsigned long long)text_before);
}

static void counters_at_boundaries(void **unused)
{
    static const uint64_t ends[] = {UINT64_C(1) << 31, UINT64_C(1) << 32, UINT64_C(1) << 33, UINT64_C(1) << 35};
    uint8_t text[64];
    qs_stream s;

    (void)unused;
    for (size_t i = 0; i < COUNT(ends); i++)
        for (size_t len = 0; len <= 64; len++) {
            compare_counted(ends[i] - 32, 64 - len, 0, len);
            compare_counted(0, 64 - len, ends[i] - 32, len);
            compare_counted(ends[i] - 32, 64 - len, ends[i] - 32, len);
            compare_counted(ends[i], len, ends[i], len);
        }
    compare_counted(UINT64_MAX - 31, 31, text_limit - 48, 48);

    begin_after(&s, UINT64_MAX - 31, text_limit - 48);
    if (qs_stream_ad(&s, text, 32) != QS_ERR_LENGTH) FAIL("AD of 2^64 bytes is taken");
    if (qs_stream_text(&s, text, text, 49) != QS_ERR_LENGTH) FAIL("text of a byte beyond the limit is taken");
    covered("counted", "mixed", "all");
}

/* ---- really more than 4 GiB -------------------------------------------------------------------------------------- */

enum { WINDOW = 1 << 20 };

static const size_t length = (size_t)((UINT64_C(1) << 32) + 3 * WINDOW); /* of use where size_t has 64 bits */

static void skip_because(const char *why)
{
    print_message("skipped: %s\n", why);
    skip();
}

static void skip_unless_long(void)
{
    if (sizeof(size_t) < 8) skip_because("no 4 GiB of addresses");
    if (!getenv("QS_TEST_LONG")) skip_because("4 GiB take some seconds; QS_TEST_LONG=1 runs it");
}

/* `length` bytes of addresses over one window of memory. */
static uint8_t *map_repeatedly(void)
{
    FILE *f = tmpfile();
    uint8_t *base = mmap(NULL, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (base == MAP_FAILED) skip_because("no 4 GiB of addresses are free");
    if (!f || ftruncate(fileno(f), WINDOW)) FAIL("no temporary file");
    for (size_t at = 0; at < length; at += WINDOW)
        if (mmap(base + at, WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fileno(f), 0) == MAP_FAILED)
            FAIL("cannot map a temporary file once more");
    fclose(f);
    random_bytes(base, WINDOW);
    return base;
}

static void ad_of_more_than_4_GiB(void **unused)
{
    uint8_t *ad, tag[16], want[16];
    qs_poly1305_ctx mac;
    qs_aead aead;

    (void)unused;
    skip_unless_long();
    ad = map_repeatedly();
    begin_mac(&mac);
    for (size_t at = 0; at < length; at += WINDOW) qs_poly1305_update(&mac, ad, WINDOW);
    end_mac(&mac, want, length, 0);
    if (qs_aead_init(&aead, QS_CHACHA20_POLY1305, key, 32)) FAIL("qs_aead_init");
    if (qs_aead_seal(&aead, NULL, tag, nonce, 12, ad, length, NULL, 0)) FAIL("AD of 4 GiB is refused");
    expect_bytes(tag, want, 16, "AD of %zu bytes", length);
    munmap(ad, length);
    covered("4GiB", "large", "ad");
}

/* In a stream, so that the sum of its pieces is counted too. */
static void text_of_more_than_4_GiB(void **unused)
{
    uint8_t *in, *out, tag[16], want[16];
    const size_t half = length / 2 + WINDOW;
    qs_poly1305_ctx mac;
    qs_aead aead;
    qs_stream s;

    (void)unused;
    skip_unless_long();
    in = map_repeatedly();
    out = map_repeatedly();
    begin_mac(&mac);
    for (size_t at = 0; at < length; at += WINDOW) {
        if (qs_chacha_xor(out, key, nonce, (uint32_t)(1 + at / 64), 20, in, WINDOW)) FAIL("qs_chacha_xor");
        qs_poly1305_update(&mac, out, WINDOW);
    }
    end_mac(&mac, want, 0, length);
    if (qs_aead_init(&aead, QS_CHACHA20_POLY1305, key, 32) || qs_stream_seal_init(&s, &aead, nonce, 12) ||
        qs_stream_text(&s, out, in, half) || qs_stream_text(&s, out + half, in + half, length - half) ||
        qs_stream_seal_final(&s, tag))
        FAIL("text of 4 GiB is refused");
    expect_bytes(tag, want, 16, "text of %zu bytes", length);
    munmap(in, length);
    munmap(out, length);
    covered("4GiB", "large", "text");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_at_boundaries),
        cmocka_unit_test(ad_of_more_than_4_GiB),
        cmocka_unit_test(text_of_more_than_4_GiB),
    };
    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
