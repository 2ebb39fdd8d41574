/* SPDX-License-Identifier: MIT
 *
 * Length counters beyond 2^32: AD and text of more than 4 GiB, in which the same few pages appear again and again. The
 * expected tag is put together from the stream and the MAC functions, a MiB at a time, with lengths counted here.
 */
#include "kernel_slow.h"

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { WINDOW = 1 << 20, SECONDS = 8 };

static const uint64_t length = (UINT64_C(1) << 32) + 3 * WINDOW;
static const uint8_t key[32] = {1}, nonce[12] = {2};

/* `length` bytes of addresses over one window of memory; NULL if the address space is too small. */
static uint8_t *map_repeatedly(void)
{
    if (sizeof(size_t) < 8) return NULL;
    FILE *f = tmpfile();
    if (!f || ftruncate(fileno(f), WINDOW)) FAIL("no temporary file");
    uint8_t *base = mmap(NULL, (size_t)length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (uint64_t at = 0; base != MAP_FAILED && at < length; at += WINDOW)
        if (mmap(base + at, WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fileno(f), 0) == MAP_FAILED)
            FAIL("cannot map a page of a temporary file once more");
    fclose(f);
    if (base == MAP_FAILED) return NULL;
    random_bytes(base, WINDOW);
    return base;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Skips where all of it would take long, unless that is asked for. `work` takes one window. */
static void skip_if_slow(void (*work)(uint8_t *, const uint8_t *), uint8_t *out, const uint8_t *in)
{
    double start = seconds();
    for (unsigned i = 0; i < 8; i++) work(out, in);
    double all = 2 * (seconds() - start) / 8 * (double)(length / WINDOW);
    if (all < SECONDS || getenv("QS_TEST_LONG")) return;
    print_message("skipped: 4 GiB would take %.0f s; QS_TEST_LONG=1 runs it\n", all);
    skip();
}

static void mac_window(uint8_t *tag, const uint8_t *in) { qs_poly1305(tag, key, in, WINDOW); }

static void encrypt_window(uint8_t *out, const uint8_t *in)
{
    if (qs_chacha_xor(out, key, nonce, 1, 20, in, WINDOW)) FAIL("qs_chacha_xor");
    mac_window(out, out);
}

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

static void ad_of_more_than_4_GiB(void **unused)
{
    uint8_t *ad = map_repeatedly(), tag[16], want[16];
    qs_poly1305_ctx mac;
    qs_aead aead;

    (void)unused;
    if (!ad) {
        print_message("skipped: no 4 GiB of addresses\n");
        skip();
    }
    skip_if_slow(mac_window, tag, ad);
    begin_mac(&mac);
    for (uint64_t at = 0; at < length; at += WINDOW) qs_poly1305_update(&mac, ad, WINDOW);
    end_mac(&mac, want, length, 0);
    if (qs_aead_init(&aead, QS_CHACHA20_POLY1305, key, 32)) FAIL("qs_aead_init");
    if (qs_aead_seal(&aead, NULL, tag, nonce, 12, ad, (size_t)length, NULL, 0)) FAIL("AD of 4 GiB is refused");
    expect_bytes(tag, want, 16, "AD of %llu bytes", (unsigned long long)length);
    munmap(ad, (size_t)length);
    covered("4GiB", "large", "ad");
}

/* In a stream, so that the sum of its pieces is counted too. */
static void text_of_more_than_4_GiB(void **unused)
{
    uint8_t *in = map_repeatedly(), *out = map_repeatedly(), tag[16], want[16];
    const size_t half = (size_t)(length / 2 + WINDOW);
    qs_poly1305_ctx mac;
    qs_aead aead;
    qs_stream s;

    (void)unused;
    if (!in || !out) {
        print_message("skipped: no 8 GiB of addresses\n");
        skip();
    }
    skip_if_slow(encrypt_window, out, in);
    begin_mac(&mac);
    for (uint64_t at = 0; at < length; at += WINDOW) {
        if (qs_chacha_xor(out, key, nonce, (uint32_t)(1 + at / 64), 20, in, WINDOW)) FAIL("qs_chacha_xor");
        qs_poly1305_update(&mac, out, WINDOW);
    }
    end_mac(&mac, want, 0, length);
    if (qs_aead_init(&aead, QS_CHACHA20_POLY1305, key, 32) || qs_stream_seal_init(&s, &aead, nonce, 12) ||
        qs_stream_text(&s, out, in, half) || qs_stream_text(&s, out + half, in + half, (size_t)length - half) ||
        qs_stream_seal_final(&s, tag))
        FAIL("text of 4 GiB is refused");
    expect_bytes(tag, want, 16, "text of %llu bytes", (unsigned long long)length);
    munmap(in, (size_t)length);
    munmap(out, (size_t)length);
    covered("4GiB", "large", "text");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ad_of_more_than_4_GiB),
        cmocka_unit_test(text_of_more_than_4_GiB),
    };
    tests_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
