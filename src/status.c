/* SPDX-License-Identifier: MIT
 *
 * Names for people: statuses and the version.
 */
#include "internal.h"

const char *qs_strerror(qs_status status)
{
    switch (status) {
    case QS_OK: return "success";
    case QS_ERR_AUTH: return "authentication failed: the message is not the one that was sealed";
    case QS_ERR_LENGTH: return "a length is beyond the limit, or input and output differ in length";
    case QS_ERR_OVERLAP: return "buffers overlap in a way that is not allowed";
    case QS_ERR_ARGUMENT: return "an argument is invalid";
    case QS_ERR_STATE: return "incremental calls are out of order";
    case QS_ERR_ENTROPY: return "the system gives no random bytes";
    case QS_ERR_SELFTEST: return "a self-test failed";
    case QS_ERR_REPLAY: return "the packet counter was seen before or is too old";
    }
    return "unknown status";
}

const char *qs_version(void)
{
    return QS_VERSION;
}
