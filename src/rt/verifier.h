/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the verifier's log: which instruction it refused, and why in plain words. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct zn_str;

/* The number of the instruction that the log's last state line is about, or -1. */
int64_t zn_verifier_insn(const char *log);
/* The verifier's own complaint: the last line that is neither a state, a source line nor a statistic.
 * Returns its start, *ret_len its bytes (0 when there is none). */
const char *zn_verifier_complaint(const char *log, size_t *ret_len);
/* A sentence for it and, if there is one, advice; NULL when the complaint isn't known. */
const char *zn_verifier_explain(const char *complaint, size_t len, const char **ret_hint);
