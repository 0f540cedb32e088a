/* SPDX-License-Identifier: Apache-2.0 */
/* EPERM explained: capabilities, the lockdown mode, or something that forbids bpf(2) altogether. */
#include "rt/privilege.h"

#include <linux/capability.h>
#include <stdbool.h>
#include <stdint.h>

#include "kern/sysinfo.h"
#include "lang/diag.h"

const char *zn_privilege_missing(void)
{
    uint64_t caps = zn_caps_effective();
    bool bpf = zn_cap_effective(caps, CAP_BPF), perfmon = zn_cap_effective(caps, CAP_PERFMON);
    if (!bpf && !perfmon)
        return "missing capabilities: CAP_BPF and CAP_PERFMON (or CAP_SYS_ADMIN); run it with sudo";
    if (!bpf)
        return "missing capability: CAP_BPF (or CAP_SYS_ADMIN)";
    if (!perfmon)
        return "missing capability: CAP_PERFMON (or CAP_SYS_ADMIN)";
    return NULL;
}

void zn_privilege_hint(struct zn_diags *d, struct zn_diag *diag)
{
    const char *missing = zn_privilege_missing();
    if (missing)
        zn_hint(d, diag, "%s", missing);
    else if (zn_lockdown_state() == ZN_LOCKDOWN_CONFIDENTIALITY)
        zn_hint(d, diag,
                "the kernel is locked down (confidentiality): it lets nobody read kernel "
                "memory; see /sys/kernel/security/lockdown");
    else if (!zn_cap_has(zn_caps_effective(), CAP_SYS_ADMIN))
        zn_hint(d, diag,
                "CAP_BPF and CAP_PERFMON are there; some probes need CAP_SYS_ADMIN as well");
    else
        zn_hint(d, diag,
                "all capabilities are there: a container's seccomp filter or a security "
                "module forbids bpf(2)");
}
