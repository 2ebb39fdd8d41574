/* SPDX-License-Identifier: MIT
 *
 * The suite for CPUs that no C library here runs on: linked with the library alone, it talks to Linux itself. It runs the
 * self-test, which takes every row, and holds the rows that are chosen against plain C, for every length up to four passes
 * of the widest kernel, at changing offsets, in place and not. tests/freestanding builds and runs it.
 */
#include "../include/quickstep.h"

#if defined(__loongarch64)
enum { WRITE = 64, EXIT = 93 };

static long linux_call(long number, long a, long b, long c)
{
    register long r_number __asm__("$a7") = number, r_a __asm__("$a0") = a, r_b __asm__("$a1") = b,
                           r_c __asm__("$a2") = c;
    __asm__ volatile("syscall 0"
                     : "+r"(r_a)
                     : "r"(r_number), "r"(r_b), "r"(r_c)
                     : "$t0", "$t1", "$t2", "$t3", "$t4", "$t5", "$t6", "$t7", "$t8", "memory");
    return r_a;
}
#elif defined(__mips__)
#if _MIPS_SIM == _ABIO32
enum { WRITE = 4004, EXIT = 4001 };
#else
enum { WRITE = 5001, EXIT = 5058 };
#endif

static long linux_call(long number, long a, long b, long c)
{
    register long r_number __asm__("$2") = number, r_a __asm__("$4") = a, r_b __asm__("$5") = b, r_c __asm__("$6") = c;
    register long r_failed __asm__("$7");
    __asm__ volatile("syscall"
                     : "+r"(r_number), "=r"(r_failed)
                     : "r"(r_a), "r"(r_b), "r"(r_c)
                     : "$1", "$3", "$8", "$9", "$10", "$11", "$12", "$13", "$14", "$15", "$24", "$25", "memory");
    return r_failed ? -1 : r_number;
}
#else
#error "how does a program speak to Linux here?"
#endif

/* Compilers call these by themselves. */
void *memcpy(void *restrict to, const void *restrict from, size_t len)
{
    for (size_t i = 0; i < len; i++) ((volatile char *)to)[i] = ((const char *)from)[i];
    return to;
}

void *memset(void *to, int byte, size_t len)
{
    for (size_t i = 0; i < len; i++) ((volatile char *)to)[i] = (char)byte;
    return to;
}

static void say(const char *text)
{
    size_t len = 0;
    while (text[len]) len++;
    linux_call(WRITE, 1, (long)text, (long)len);
}

static void say_number(size_t n)
{
    char digits[24], *p = digits + sizeof digits;
    *--p = 0;
    do *--p = (char)('0' + n % 10);
    while (n /= 10);
    say(p);
}

static unsigned faults;

static void fault(const char *what, size_t len)
{
    if (faults++ < 10) {
        say("FAULT: "), say(what), say(", "), say_number(len), say(" bytes\n");
    }
}

static void report(void *arg, const qs_selftest_result *result)
{
    (void)arg;
    say(result->status == QS_OK ? "self-test passed: " : "FAULT: self-test: ");
    say(result->subject), say(" "), say(result->row ? result->row : "rows that are chosen"), say("\n");
    faults += result->status != QS_OK;
}

enum { MOST = 2200, OFFSETS = 16 };
static uint8_t key[32], nonce[12], ad[64], text[MOST + OFFSETS], want[MOST], got[MOST + 2 * OFFSETS];

static int differ(const uint8_t *a, const uint8_t *b, size_t len)
{
    int d = 0;
    while (len--) d |= *a++ ^ *b++;
    return d;
}

static void compare(const qs_aead *aead, size_t len)
{
    const size_t at = len * 5 % OFFSETS, ad_len = len * 7 % sizeof ad, in_at = len * 3 % OFFSETS;
    uint8_t want_tag[16], tag[16], *out = got + at;
    const uint8_t *in = text + in_at;
    qs_status status = QS_OK;

    status |= qs_cpu_limit("generic");
    status |= qs_aead_seal(aead, want, want_tag, nonce, 12, ad, ad_len, in, len);
    status |= qs_cpu_limit(NULL);
    memset(got, 0x5a, sizeof got);
    status |= qs_aead_seal(aead, out, tag, nonce, 12, ad, ad_len, in, len);
    if (status || differ(out, want, len) || differ(tag, want_tag, 16)) fault("sealing", len);
    for (size_t i = 0; i < sizeof got; i++)
        if ((i < at || i >= at + len) && got[i] != 0x5a) fault("a byte outside", len);
    if (qs_aead_open(aead, out, nonce, 12, ad, ad_len, out, len, tag) || differ(out, in, len))
        fault("opening in place", len);
    tag[len % 16] ^= 0x20;
    if (qs_aead_open(aead, out, nonce, 12, ad, ad_len, out, len, tag) != QS_ERR_AUTH) fault("a forgery", len);
    status = qs_chacha_djb_xor(want, key, nonce, UINT32_MAX - len % 8, 20, in, len);
    status |= qs_cpu_limit("generic");
    status |= qs_chacha_djb_xor(out, key, nonce, UINT32_MAX - len % 8, 20, in, len);
    status |= qs_cpu_limit(NULL);
    if (status || differ(out, want, len)) fault("a counter that passes 2^32", len);
}

static int run(void)
{
    qs_row rows[64];
    qs_aead aead;
    const size_t n = qs_rows(rows, sizeof rows / sizeof *rows);

    for (size_t i = 0; i < n; i++)
        if (rows[i].state == QS_ROW_CHOSEN) say("chosen: "), say(rows[i].primitive), say(" "), say(rows[i].name), say("\n");
    if (qs_selftest_each(report, NULL) != QS_OK) faults++;
    for (size_t i = 0; i < sizeof text; i++) text[i] = (uint8_t)(i * i >> 3 ^ i);
    for (size_t i = 0; i < sizeof key; i++) key[i] = (uint8_t)(i * 37 + 11);
    for (size_t i = 0; i < sizeof nonce; i++) nonce[i] = (uint8_t)(i * 59 + 3);
    for (size_t i = 0; i < sizeof ad; i++) ad[i] = (uint8_t)(i * 101 + 7);
    if (qs_aead_init(&aead, QS_CHACHA20_POLY1305, key, sizeof key) != QS_OK) faults++;
    for (size_t len = 0; len <= MOST; len++) compare(&aead, len);
    say_number(MOST + 1), say(" lengths, "), say_number(faults), say(" faults\n");
    return faults != 0;
}

__attribute__((noreturn, used)) void _start(void)
{
    linux_call(EXIT, run(), 0, 0);
    for (;;) continue;
}
