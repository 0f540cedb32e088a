/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files and directories. */
#pragma once

#include <stddef.h>

/* Reads a whole file (proc, sysfs and tracefs files included, whose size is not known before).
 * *ret is NUL-terminated and owned by the caller (free). max_bytes 0 = no limit; larger: -EFBIG.
 * Returns 0 or -errno. */
int zn_file_read(const char *path, size_t max_bytes, char **ret, size_t *ret_len);
/* Writes all n bytes, retrying short writes and EINTR. Returns 0 or -errno. */
int zn_write_all(int fd, const void *p, size_t n);
