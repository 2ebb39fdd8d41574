/* SPDX-License-Identifier: MIT
 *
 * Many packets in one call. Today each is sealed or opened on its own; packets are to share vector lanes here.
 */
#include "internal.h"

typedef qs_status one_packet(const qs_packet *p, const void *array, size_t array_len);

static size_t each_packet(qs_packet *packets, size_t n, one_packet *process)
{
    size_t failed = 0;

    if (!packets) return n;
    for (size_t i = 0; i < n; i++) {
        packets[i].status = process(&packets[i], packets, n * sizeof *packets);
        failed += packets[i].status != QS_OK;
    }
    return failed;
}

size_t qs_seal_packets(qs_packet *packets, size_t n)
{
    return each_packet(packets, n, qs_packet_seal);
}

size_t qs_open_packets(qs_packet *packets, size_t n)
{
    return each_packet(packets, n, qs_packet_open);
}
