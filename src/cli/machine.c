/* SPDX-License-Identifier: Apache-2.0 */
/* Opens what a compile needs of the machine. */
#include "cli/machine.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "arch/arch.h"
#include "base/mem.h"
#include "kern/btf.h"
#include "kern/sysinfo.h"
#include "lang/btf.h"
#include "probes/probes.h"

enum { DEFAULT_STRLEN = 1024, SHORT_STRLEN = 191 };

static int open_types(struct zn_machine *m, const char *path)
{
    int r = zn_kbtf_open(path, &m->kbtf);
    if (!r)
        r = zn_btf_open(m->kbtf->data, m->kbtf->len, NULL, &m->btf);
    if (r && path)
        fprintf(stderr, "ERROR: can't read kernel types from '%s': %s\n", path,
                r == -EINVAL ? "it holds no BTF" : strerror(-r));
    return path ? r : 0;
}

static int disable_features(struct zn_machine *m, const char *list)
{
    const char *bad;
    size_t len;
    if (!list || !zn_features_disable(&m->features, list, &bad, &len))
        return 0;
    fprintf(stderr, "ERROR: --no-feature: there is no feature '%.*s'\n", (int)len, bad);
    return -EINVAL;
}

int zn_machine_open(struct zn_machine *m, bool types, const char *btf_path, const char *no_feature,
                    uint32_t pid)
{
    *m = (struct zn_machine){.pid = pid};
    int r = types ? open_types(m, btf_path) : 0;
    zn_features_init(&m->features, m->btf ? m->kbtf : NULL);
    if (!r)
        r = disable_features(m, no_feature);
    return r;
}

void zn_machine_close(struct zn_machine *m)
{
    if (m->host)
        zn_probes_host_free(m->host);
    if (m->btf)
        zn_btf_close(m->btf);
    if (m->kbtf)
        zn_kbtf_close(m->kbtf);
    *m = (struct zn_machine){0};
}

void zn_machine_env(struct zn_machine *m, struct zn_env *env)
{
    env->arch = zn_arch_native();
    env->btf = m->btf;
    env->features = zn_features_all(&m->features);
    env->ncpu_possible = zn_cpus_possible();
    /* So that two strings and a stack still make a key. */
    if (!(env->features >> ZF_LONG_KEYS & 1) && env->config.max_strlen == DEFAULT_STRLEN)
        env->config.max_strlen = SHORT_STRLEN;
    if (!m->host) {
        struct zn_probes_env pe = {.arch = env->arch,
                                   .btf = m->btf,
                                   .features = env->features,
                                   .pid = m->pid,
                                   .max_strlen = env->config.max_strlen};
        m->host = zn_probes_host(&pe);
    }
    env->host = m->host;
}

/* Words that have to do with kernel types wherever they stand, and providers (before a colon). */
static const char *const typed_words[] = {
    "args",   "curtask",      "struct", "union",  "enum", "ctx",  "kaddr", "cgroup", "offsetof",
    "sizeof", "container_of", "typeof", "import", "skb",  "ppid", "pcomm", "kptr",   "include"};
static const char *const untyped_providers[] = {
    "interval",  "i",  "profile", "p", "software", "s",  "hardware", "h",  "uprobe", "u",
    "uretprobe", "ur", "usdt",    "U", "self",     "us", "ms",       "hz", "signal"};

static bool listed(const char *w, size_t n, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i]) == n && !memcmp(list[i], w, n))
            return true;
    return false;
}

bool zn_needs_types(const char *text, size_t len)
{
    for (size_t i = 0; i < len;) {
        if (text[i] == '-' && i + 1 < len && text[i + 1] == '>')
            return true;
        if (text[i] == '*' && i + 1 < len && text[i + 1] == ')')
            return true;
        if (!isalpha((unsigned char)text[i]) && text[i] != '_') {
            i++;
            continue;
        }
        size_t n = i;
        while (n < len && (isalnum((unsigned char)text[n]) || text[n] == '_'))
            n++;
        const char *w = text + i;
        if (listed(w, n - i, typed_words, ZN_ARRAY_SIZE(typed_words)))
            return true;
        bool inner = i && strchr(":/.*-+", text[i - 1]); /* a later part of an attach point */
        bool colon = n < len && text[n] == ':' && !inner;
        if (colon && !listed(w, n - i, untyped_providers, ZN_ARRAY_SIZE(untyped_providers)))
            return true;
        i = n;
    }
    return false;
}
