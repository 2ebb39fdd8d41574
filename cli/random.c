/* SPDX-License-Identifier: MIT
 *
 * quickstep random: bytes to stdout.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <quickstep.h>

#include "cli.h"

enum { CHUNK = 65536, LINE = 32 /* bytes of a line of digits */ };

static int bad_count(const char *text)
{
    fprintf(stderr, "quickstep random: -n '%s': a number of bytes from 0 to 2^63 - 1, as such or with K, M, G or T\n",
            text);
    return EXIT_USAGE;
}

/* Bytes, or KiB, MiB, GiB, TiB. */
static int parse_count(const char *text, uint64_t *count)
{
    static const char units[] = "KMGT";
    char *end;

    errno = 0;
    *count = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || errno) return bad_count(text);
    const char *unit = *end ? strchr(units, *end) : NULL;
    if (*end && (!unit || end[1])) return bad_count(text);
    const unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (*count > (uint64_t)INT64_MAX >> shift) return bad_count(text);
    *count <<= shift;
    return 0;
}

static int write_all(const char *bytes, size_t len)
{
    while (len) {
        ssize_t n = write(STDOUT_FILENO, bytes, len);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return -1;
        bytes += n;
        len -= (size_t)n;
    }
    return 0;
}

/* Lines of 64 digits; the last may be shorter. Returns their length. */
static size_t to_hex(char *to, const uint8_t *from, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    const char *begin = to;

    for (size_t i = 0; i < len; i++) {
        *to++ = digits[from[i] >> 4];
        *to++ = digits[from[i] & 15];
        if (i % LINE == LINE - 1 || i + 1 == len) *to++ = '\n';
    }
    return (size_t)(to - begin);
}

/* To the end of `left`, or of the reader. */
static int pour(uint64_t left, int hex)
{
    static uint8_t bytes[CHUNK];
    static char text[CHUNK / LINE * (2 * LINE + 1)];
    int status = 0;

    while (left && !status) {
        const size_t n = left < sizeof bytes ? (size_t)left : sizeof bytes;
        const qs_status drawn = qs_random(bytes, n);
        if (drawn != QS_OK) {
            fprintf(stderr, "quickstep random: %s\n", qs_strerror(drawn));
            status = EXIT_FAILURE;
        } else if (hex ? write_all(text, to_hex(text, bytes, n)) : write_all((const char *)bytes, n)) {
            fprintf(stderr, "quickstep random: cannot write: %s\n", strerror(errno));
            status = EXIT_FAILURE;
        }
        if (left != UINT64_MAX) left -= n;
    }
    qs_wipe(bytes, sizeof bytes);
    qs_wipe(text, sizeof text);
    return status;
}

int cli_random(int argc, char **argv)
{
    static const struct option options[] = {{"bytes", required_argument, NULL, 'n'},
                                            {"hex", no_argument, NULL, 'x'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    uint64_t count = UINT64_MAX; /* without end */
    int hex = 0;

    for (int c; (c = getopt_long(argc, argv, "n:h", options, NULL)) != -1;) {
        switch (c) {
        case 'n':
            if (parse_count(optarg, &count)) return EXIT_USAGE;
            break;
        case 'x': hex = 1; break;
        case 'h':
            puts("Usage: quickstep random [-n BYTES] [--hex]\n"
                 "Writes random bytes to stdout, fit for keys.\n"
                 "\n"
                 "  -n BYTES  so many; K, M, G or T behind the number mean KiB, MiB, GiB, TiB. Default: without end\n"
                 "  --hex     as digits, 32 bytes a line\n"
                 "  --help    this text");
            return 0;
        default: return EXIT_USAGE;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "quickstep random: unexpected argument '%s'\n", argv[optind]);
        return EXIT_USAGE;
    }
#ifdef F_SETPIPE_SZ
    fcntl(STDOUT_FILENO, F_SETPIPE_SZ, 16 * CHUNK); /* fewer changes between writer and reader, where it is a pipe */
#endif
    return pour(count, hex);
}
