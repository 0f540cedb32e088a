/* SPDX-License-Identifier: Apache-2.0 */
/* Programs and libraries by the names that attach points give them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct zn_names;

/* Absolute paths of what `name` means, one per file (links to one file count once):
 *   with a slash        that path; `*` in it as in a shell
 *   libNAME, soname     by the dynamic linker's cache
 *   other               by $PATH
 *   with pid            what that process has mapped comes first, seen through its root
 *   "*"                 all that pid has mapped
 * Returns 0 with at least one path, -ENOENT, or -EINVAL ("*" without a process). */
int zn_objects_find(const char *name, uint32_t pid, struct zn_names *ret);

/* What any process has mapped executably, one path per file. 0 with at least one path, or -errno. */
int zn_objects_running(struct zn_names *ret);

/* ldcache.c: the linker's paths whose soname fits ("libc", "libc.so.6", "lib*"); best first. */
int zn_ldcache_find(const char *name, struct zn_names *ret);
/* Does a file name ("libc.so.6", "libc-2.31.so") fit "libc", "libc.so.6" or a wildcard? */
bool zn_object_fits(const char *name, const char *file);
