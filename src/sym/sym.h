/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses to names: the kernel's functions, and those of every process.
 *
 * A process's addresses go through its mappings (/proc/PID/maps) to a file, its vDSO or the code that
 * a JIT compiler wrote into /tmp/perf-PID.map; a file's symbol tables are read when the first of its
 * addresses is asked for and are then shared by all processes that map it (same device, inode and
 * generation). Nothing is guessed: an address behind the end of a symbol is not that symbol, and an
 * address that is in no mapping has no name.
 *
 * A process that exits takes its mappings with it. Whoever collects addresses and names them later
 * calls zn_sym_seen() when an address comes in; where that can still be too late (a process that
 * lives for milliseconds) zn_sym_track_start() follows every exec and mmap of the machine instead.
 *
 * All memory is bounded: processes, files and bytes of symbols have limits, oldest use goes first. One
 * zn_sym belongs to one thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zn_str;
struct zn_sym;

struct zn_sym_opts {
    bool raw_names; /* leave C++ and Rust names as the linker knows them */
    uint32_t procs; /* processes remembered; 0 = 4096 */
    uint32_t files; /* symbol tables remembered; 0 = 256 */
    uint64_t bytes; /* of symbol tables in memory; 0 = 256 MiB */
};

/* What an address is called. Strings belong to the zn_sym and live until the next call on it. */
struct zn_sym_name {
    const char *name; /* NULL when the address is in no known symbol */
    uint64_t off;     /* bytes behind the symbol's start */
    const char
        *module; /* kernel: module, "vmlinux" for the kernel's own; process: path of the file,
                               "[vdso]", "[heap]", "[anon]" …; NULL when in nothing that is known */
    uint64_t module_off; /* process: the address as the file's own tables count it (what addr2line
                               wants); in an anonymous mapping the offset in it */
    const uint8_t *build_id; /* process: of the file, NULL when it has none */
    size_t build_id_len;
};

/* opts NULL = defaults. NULL when out of memory. Opens and reads nothing. */
struct zn_sym *zn_sym_new(const struct zn_sym_opts *opts);
void zn_sym_free(struct zn_sym *s);

/* Both always fill *ret (with name and module NULL in the worst case). Return 0 with a name, -ENOENT
 * without one, or why nothing could be read (-EPERM: the kernel hides its addresses, -ESRCH: no such
 * process and nothing remembered of it, -EACCES …). */
int zn_sym_kernel(struct zn_sym *s, uint64_t addr, struct zn_sym_name *ret);
int zn_sym_user(struct zn_sym *s, uint32_t tgid, uint64_t addr, struct zn_sym_name *ret);

/* Appends the usual form: "name+off" ("name" without with_off), offset decimal; "file+0x1f30" when
 * only the mapping is known; "0x7f…" otherwise. */
void zn_sym_put(struct zn_str *out, uint64_t addr, const struct zn_sym_name *n, bool with_off);

/* An address of this process was recorded and will be asked for later: keep its mappings, in case it
 * exits before. Cheap for a process that is known. Returns 0, or -errno when it was gone already. */
int zn_sym_seen(struct zn_sym *s, uint32_t tgid);
/* Before a batch of lookups: what is known of living processes is looked at anew when next used. */
void zn_sym_refresh(struct zn_sym *s);

/* The tracker: one dummy perf event on each CPU whose records tell of every exec, fork, exit and
 * executable mapping. Start only for scripts that use user stacks or usym(). Needs CAP_PERFMON or root
 * (-EACCES otherwise; zn_sym_seen still works). Call _poll whenever the data ring is drained, before
 * the stacks in it are used, and at least ten times a second. */
int zn_sym_track_start(struct zn_sym *s);
int zn_sym_track_poll(struct zn_sym *s);            /* number of records consumed, or -errno */
uint64_t zn_sym_track_lost(const struct zn_sym *s); /* records that the kernel had no room for */
void zn_sym_track_stop(struct zn_sym *s);           /* what was learnt stays */
