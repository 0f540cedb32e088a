/* SPDX-License-Identifier: Apache-2.0 */
/* Small facts out of proc, sysfs and system calls; everything has a safe answer when it cannot be
 * read. */
#include "kern/sysinfo.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/mount.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/file.h"
#include "base/mem.h"

/* Inode numbers of the first namespaces: the kernel's PROC_*_INIT_INO, fixed for good. */
#define INIT_CGROUP_NS 0xEFFFFFFBU
#define INIT_PID_NS    0xEFFFFFFCU
#define INIT_USER_NS   0xEFFFFFFDU
#define INIT_UTS_NS    0xEFFFFFFEU
#define MAX_CPUS       65536

unsigned zn_kernel_version(void)
{
    struct utsname u;
    unsigned major, minor;

    if (uname(&u) < 0 || sscanf(u.release, "%u.%u", &major, &minor) != 2)
        return 0;
    return major * 1000 + ZN_MIN(minor, 999U);
}

int zn_cpu_list(const char *text, unsigned *ret_max, unsigned *ret_count)
{
    unsigned max = 0, count = 0;

    while (*text && *text != '\n') {
        char *end;
        unsigned long lo = strtoul(text, &end, 10), hi = lo;

        if (end == text)
            return -EINVAL;
        if (*end == '-') {
            text = end + 1;
            hi = strtoul(text, &end, 10);
            if (end == text)
                return -EINVAL;
        }
        if (hi < lo || hi >= MAX_CPUS || (*end && *end != ',' && *end != '\n'))
            return -EINVAL;
        max = ZN_MAX(max, (unsigned)hi + 1);
        count += (unsigned)(hi - lo) + 1;
        text = *end == ',' ? end + 1 : end;
    }
    if (!count)
        return -EINVAL;
    *ret_max = max;
    *ret_count = count;
    return 0;
}

static int read_cpu_list(const char *path, unsigned *ret_max, unsigned *ret_count)
{
    ZN_AUTOFREE char *text = NULL;
    size_t len;
    int r = zn_file_read(path, 65536, &text, &len);

    return r < 0 ? r : zn_cpu_list(text, ret_max, ret_count);
}

static unsigned configured_cpus(void)
{
    long n = sysconf(_SC_NPROCESSORS_CONF);

    return n > 0 ? (unsigned)n : 1;
}

unsigned zn_cpus_possible(void)
{
    unsigned max, count;

    return read_cpu_list("/sys/devices/system/cpu/possible", &max, &count) < 0 ? configured_cpus()
                                                                               : max;
}

unsigned zn_cpus_online(void)
{
    unsigned max, count;

    return read_cpu_list("/sys/devices/system/cpu/online", &max, &count) < 0 ? configured_cpus()
                                                                             : count;
}

size_t zn_page_size(void)
{
    long n = sysconf(_SC_PAGESIZE);

    return n > 0 ? (size_t)n : 4096;
}

static int64_t clock_ns(clockid_t id)
{
    struct timespec ts = {0};

    clock_gettime(id, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* The two clocks cannot be read at once: the pair that took least time is taken. */
int64_t zn_boot_offset_ns(void)
{
    int64_t best = INT64_MAX, offset = 0;

    for (int i = 0; i < 5; i++) {
        int64_t before = clock_ns(CLOCK_BOOTTIME);
        int64_t wall = clock_ns(CLOCK_REALTIME);
        int64_t after = clock_ns(CLOCK_BOOTTIME);

        if (after - before < best) {
            best = after - before;
            offset = wall - (before + best / 2);
        }
    }
    return offset;
}

uint64_t zn_caps_effective(void)
{
    ZN_AUTOFREE char *text = NULL;
    size_t len;
    const char *line;

    if (zn_file_read("/proc/self/status", 65536, &text, &len) < 0)
        return 0;
    line = strstr(text, "\nCapEff:");
    return line ? strtoull(line + strlen("\nCapEff:"), NULL, 16) : 0;
}

bool zn_cap_has(uint64_t caps, int cap)
{
    return caps >> cap & 1;
}

bool zn_cap_effective(uint64_t caps, int cap)
{
    return zn_cap_has(caps, cap) ||
           ((cap == CAP_BPF || cap == CAP_PERFMON) && zn_cap_has(caps, CAP_SYS_ADMIN));
}

enum zn_lockdown zn_lockdown_parse(const char *text)
{
    if (strstr(text, "[none]"))
        return ZN_LOCKDOWN_NONE;
    if (strstr(text, "[integrity]"))
        return ZN_LOCKDOWN_INTEGRITY;
    if (strstr(text, "[confidentiality]"))
        return ZN_LOCKDOWN_CONFIDENTIALITY;
    return ZN_LOCKDOWN_UNKNOWN;
}

/* Where securityfs is not mounted (minimal virtual machines), a mount that nobody else sees does. */
static int open_unmounted(const char *fs_type, const char *file)
{
    ZN_AUTOCLOSE int fs = (int)syscall(SYS_fsopen, fs_type, FSOPEN_CLOEXEC);
    int r;

    if (fs < 0)
        return -errno;
    if (syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
        return -errno;
    ZN_AUTOCLOSE int mnt = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
    if (mnt < 0)
        return -errno;
    r = openat(mnt, file, O_RDONLY | O_CLOEXEC);
    return r < 0 ? -errno : r;
}

enum zn_lockdown zn_lockdown_state(void)
{
    ZN_AUTOCLOSE int fd = open("/sys/kernel/security/lockdown", O_RDONLY | O_CLOEXEC);
    char text[128];
    ssize_t n;

    if (fd < 0)
        fd = open_unmounted("securityfs", "lockdown");
    n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
    if (n < 0)
        return ZN_LOCKDOWN_UNKNOWN;
    text[n] = '\0';
    return zn_lockdown_parse(text);
}

const char *zn_lockdown_name(enum zn_lockdown l)
{
    static const char *const names[] = {
        [ZN_LOCKDOWN_UNKNOWN] = "unknown",
        [ZN_LOCKDOWN_NONE] = "none",
        [ZN_LOCKDOWN_INTEGRITY] = "integrity",
        [ZN_LOCKDOWN_CONFIDENTIALITY] = "confidentiality",
    };

    return names[l];
}

static bool in_first_namespace(const char *path, uint64_t first)
{
    struct stat st;

    /* Without the file (no proc) there is nothing that says otherwise. */
    return stat(path, &st) < 0 || st.st_ino == first;
}

static const char *runtime_from_text(const char *path)
{
    static const struct {
        const char *word, *runtime;
    } words[] = {
        {"kubepods", "kubernetes"},
        {"KUBERNETES_SERVICE", "kubernetes"},
        {"libpod", "podman"},
        {"container=podman", "podman"},
        {"docker", "docker"},
        {"lxc", "lxc"},
        {"container=systemd-nspawn", "systemd-nspawn"},
        {"containerd", "container"},
        {"container=", "container"},
    };
    ZN_AUTOFREE char *text = NULL;
    size_t len;

    if (zn_file_read(path, 1 << 20, &text, &len) < 0)
        return NULL;
    for (size_t i = 0; i < ZN_ARRAY_SIZE(words); i++)
        if (memmem(text, len, words[i].word, strlen(words[i].word)))
            return words[i].runtime;
    return NULL;
}

void zn_confinement(struct zn_confinement *ret)
{
    const char *runtime = NULL;

    ret->host_pids = in_first_namespace("/proc/self/ns/pid", INIT_PID_NS);
    ret->host_users = in_first_namespace("/proc/self/ns/user", INIT_USER_NS);
    ret->runtime = NULL;
    /* A virtual machine may run a container's image: its files alone prove nothing. */
    if (ret->host_pids && ret->host_users && in_first_namespace("/proc/self/ns/uts", INIT_UTS_NS) &&
        in_first_namespace("/proc/self/ns/cgroup", INIT_CGROUP_NS))
        return;
    if (getenv("KUBERNETES_SERVICE_HOST"))
        runtime = "kubernetes";
    else if (access("/.dockerenv", F_OK) == 0)
        runtime = "docker";
    else if (access("/run/.containerenv", F_OK) == 0)
        runtime = "podman";
    if (!runtime)
        runtime = runtime_from_text("/proc/self/cgroup");
    if (!runtime)
        runtime = runtime_from_text("/proc/1/environ");
    if (!runtime && (!ret->host_pids || !ret->host_users))
        runtime = "container";
    ret->runtime = runtime;
}
