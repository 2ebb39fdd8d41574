/* SPDX-License-Identifier: MIT */
#include "internal.h"
