/* SPDX-License-Identifier: MIT
 *
 * Many packets in one call. Today each is sealed or opened on its own; packets are to share vector lanes here.
 */
#include "internal.h"

static size_t each_packet(qs_packet *packets, size_t n, int sealing)
{
    size_t failed = 0;

    if (!packets) return n;
    for (size_t i = 0; i < n; i++) {
        qs_packet *p = &packets[i];
        p->status = qs_packet_process(p, sealing, packets, n * sizeof *packets);
        failed += p->status != QS_OK;
    }
    return failed;
}

size_t qs_seal_packets(qs_packet *packets, size_t n)
{
    return each_packet(packets, n, 1);
}

size_t qs_open_packets(qs_packet *packets, size_t n)
{
    return each_packet(packets, n, 0);
}
