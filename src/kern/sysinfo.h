/* SPDX-License-Identifier: Apache-2.0 */
/* The machine and this process on it: processors, clocks, privileges, confinement. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zn_str;

/* Kernel release as major * 1000 + minor: 6018 for 6.18. */
unsigned zn_kernel_version(void);
/* Largest possible CPU number + 1: how many copies per-CPU maps have. At least 1. */
unsigned zn_cpus_possible(void);
unsigned zn_cpus_online(void);
size_t zn_page_size(void);
/* CLOCK_REALTIME - CLOCK_BOOTTIME, ns: turns boot times into wall clock. */
int64_t zn_boot_offset_ns(void);

/* "0-3,8": largest number + 1 and how many. -EINVAL when malformed. */
int zn_cpu_list(const char *text, unsigned *ret_max, unsigned *ret_count);

/* The effective set, bit 1 << CAP_X. */
uint64_t zn_caps_effective(void);
bool zn_cap_has(uint64_t caps, int cap);
/* CAP_X, or what contained it before (CAP_SYS_ADMIN for CAP_BPF and CAP_PERFMON). */
bool zn_cap_effective(uint64_t caps, int cap);

enum zn_lockdown {
    ZN_LOCKDOWN_UNKNOWN, /* securityfs is not mounted */
    ZN_LOCKDOWN_NONE,
    ZN_LOCKDOWN_INTEGRITY,       /* no kprobes by perf on old kernels, no raw memory */
    ZN_LOCKDOWN_CONFIDENTIALITY, /* programs may not read kernel memory */
};
enum zn_lockdown zn_lockdown_state(void);
enum zn_lockdown zn_lockdown_parse(const char *text);
const char *zn_lockdown_name(enum zn_lockdown l);

/* What this process lives in. */
struct zn_confinement {
    bool host_pids;  /* the first PID namespace: process ids are those that the kernel sees */
    bool host_users; /* the first user namespace */
    const char
        *runtime; /* "docker", "podman", "kubernetes", "lxc", "systemd-nspawn", "container" or
                          * NULL: nothing tells of one */
};
void zn_confinement(struct zn_confinement *ret);
