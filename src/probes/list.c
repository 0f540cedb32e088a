/* SPDX-License-Identifier: Apache-2.0 */
/* `-l`: every probe there is, one name a line, filtered by a pattern over the whole name. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "probes/kind.h"

int zn_list_line(struct zn_list *l, const char *fmt, ...)
{
    ZN_AUTOSTR struct zn_str s;
    va_list ap;

    zn_str_init(&s);
    va_start(ap, fmt);
    zn_str_vprintf(&s, fmt, ap);
    va_end(ap);
    return s.failed ? -ENOMEM : l->fn(l->arg, zn_str_c(&s));
}

int zn_list_emit(struct zn_list *l, const char *name)
{
    const struct zn_kind *k = &zn_kinds[l->provider->id];
    int r;

    if (!zn_glob(l->pattern, name))
        return 0;
    l->count++;
    r = l->fn(l->arg, name);
    if (!r && l->verbose && k->list_args)
        r = k->list_args(l, name);
    return r;
}

/* "interval:ms:100" is listed as "interval:ms:", whatever its period or count. */
static bool has_count(enum zn_provider id)
{
    return id == ZP_INTERVAL || id == ZP_PROFILE || id == ZP_SOFTWARE || id == ZP_HARDWARE;
}

/* The pattern with its provider spelled as the names have it: "t:sched:*" means tracepoint. */
static const char *canonical(struct zn_arena *a, const char *pattern)
{
    size_t n = strcspn(pattern, ":"), part;
    const struct zn_provider_info *p = zn_provider_find(zn_arena_strndup(a, pattern, n));
    const char *rest = pattern + n;

    if (!p && n == 8 && strncmp(pattern, "syscalls", n) == 0 && *rest)
        return zn_arena_printf(a, "tracepoint:syscalls:%s", rest + strspn(rest, ":"));
    if (!p)
        return pattern;
    if (!p->max_parts)
        return p->name;
    if (!*rest)
        return zn_arena_printf(a, "%s:*", p->name);
    part = 1 + strcspn(rest + 1, ":");
    if (has_count(p->id) && rest[1] && !zn_is_glob(rest) && strspn(rest + 1, "0123456789") == 0)
        return zn_arena_printf(a, "%s%.*s:", p->name, (int)part, rest);
    return zn_arena_printf(a, "%s%s", p->name, rest);
}

/* Kinds that are the same places as another's are listed when they are asked for by name; so are files,
 * but "*:./prog:*" and -p say which. */
static bool wanted(const struct zn_list *l, const struct zn_kind *k)
{
    const char *rest = strchr(l->pattern, ':');

    if (l->named || !k->list_named)
        return true;
    return l->provider->id == ZP_UPROBE && (rest ? strchr(rest, '/') != NULL || l->p->env.pid != 0
                                                 : l->p->env.pid && !strcmp(l->pattern, "*"));
}

int zn_list_probes(struct zn_host *h, struct zn_types *types, const char *pattern, bool verbose,
                   zn_list_fn fn, void *arg, const char **why)
{
    struct zn_list l = {.p = h->arg, .types = types, .verbose = verbose, .fn = fn, .arg = arg};
    char *head;
    int r = 0;

    if (pattern && zn_is_type_pattern(pattern))
        return zn_list_types(&l, pattern, why);
    l.pattern = !pattern || !*pattern ? "*" : canonical(types->arena, pattern);
    /* "*sleep*" is looked for in all names, "trace*:sched:*" in those of a provider. */
    head = strchr(l.pattern, ':') || !zn_is_glob(l.pattern)
               ? zn_arena_strndup(types->arena, l.pattern, strcspn(l.pattern, ":"))
               : zn_arena_strdup(types->arena, "*");
    for (unsigned i = 0; !r && i < _ZN_PROVIDER_MAX; i++) {
        l.provider = &zn_providers[i];
        l.named = strcmp(head, l.provider->name) == 0;
        if (zn_kinds[i].list && zn_glob(head, l.provider->name) && wanted(&l, &zn_kinds[i]))
            r = zn_kinds[i].list(&l);
    }
    if (!r && l.count == 0)
        r = -ENOENT;
    if (why)
        *why = l.why          ? l.why
               : r == -ENOENT ? zn_arena_printf(types->arena, "no probe matches '%s'", pattern)
                              : NULL;
    return r;
}
