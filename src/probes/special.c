/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds that need no place in the kernel: begin, end, periods, signals; and those still to come. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "probes/kind.h"

static const struct {
    const char *name;
    uint64_t ns; /* 0: a rate */
} units[] = {
    {"hz", 0}, {"s", 1000000000},  {"ms", 1000000},      {"us", 1000},
    {"ns", 1}, {"m", 60000000000}, {"h", 3600000000000}, {"d", 86400000000000},
};

int zn_expand_special(struct zn_expand *x)
{
    struct zn_target *t = zn_push(x);

    t->name = x->spec->provider->name;
    return 0;
}

/* A decimal number with `_` between digits; false when it is none or does not fit. */
static bool parse_number(const char *s, uint64_t *ret, const char **rest)
{
    uint64_t v = 0;

    if (*s < '0' || *s > '9')
        return false;
    for (; (*s >= '0' && *s <= '9') || *s == '_'; s++)
        if (*s != '_' && (__builtin_mul_overflow(v, (uint64_t)10, &v) ||
                          __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v)))
            return false;
    *ret = v;
    *rest = s;
    return true;
}

static int bad_unit(struct zn_expand *x, const char *unit)
{
    const char *names[ZN_ARRAY_SIZE(units)];

    for (size_t i = 0; i < ZN_ARRAY_SIZE(units); i++)
        names[i] = units[i].name;
    zn_suggest(x, unit, names, ZN_ARRAY_SIZE(names));
    if (!x->hint)
        x->hint = "units are hz, s, ms and us";
    return zn_fail(x, -EINVAL, "unknown unit of time: '%s'", unit);
}

/* unit:N, N, or N with a suffix. */
static int parse_period(struct zn_expand *x, const char **unit, uint64_t *n)
{
    const struct zn_attach_spec *s = x->spec;
    const char *rest;

    if (s->nparts == 0 || s->nparts > 2)
        return zn_fail(x, -EINVAL, "%s needs a period: %s", s->provider->name, s->provider->syntax);
    if (!parse_number(s->parts[s->nparts - 1], n, &rest) || (s->nparts == 2 && *rest))
        return zn_fail(x, -EINVAL, "invalid rate of %s: '%s'", s->provider->name,
                       s->parts[s->nparts - 1]);
    *unit = s->nparts == 2 ? s->parts[0] : *rest ? rest : "ns";
    return 0;
}

int zn_expand_period(struct zn_expand *x)
{
    const struct zn_attach_spec *s = x->spec;
    const char *unit = NULL, *text;
    uint64_t n = 0, ns;
    int r = parse_period(x, &unit, &n);
    size_t i;

    if (r)
        return r;
    for (i = 0; i < ZN_ARRAY_SIZE(units) && strcmp(units[i].name, unit) != 0; i++)
        ;
    if (i == ZN_ARRAY_SIZE(units))
        return bad_unit(x, unit);
    text =
        s->nparts == 2 ? zn_arena_printf(x->arena, "%s:%s", s->parts[0], s->parts[1]) : s->parts[0];
    if (n == 0)
        return zn_fail(x, -EINVAL, "the period of %s:%s is zero", s->provider->name, text);
    if (__builtin_mul_overflow(n, units[i].ns, &ns) || n > INT64_MAX || ns > INT64_MAX)
        return zn_fail(x, -EINVAL, "the period of %s:%s is too long", s->provider->name, text);
    if (units[i].ns && ns < 1000)
        return zn_fail(x, -EINVAL, "the period of %s:%s is below 1 microsecond", s->provider->name,
                       text);
    if (!units[i].ns && n > 1000000)
        return zn_fail(x, -EINVAL, "the rate of %s:%s is above 1000000 Hz", s->provider->name,
                       text);

    struct zn_target *t = zn_push(x);

    t->name = zn_arena_printf(x->arena, "%s:%s", s->provider->name, text);
    t->sym = units[i].name;
    t->value = units[i].ns ? ns : n;
    return 0;
}

int zn_expand_self(struct zn_expand *x)
{
    const struct zn_attach_spec *s = x->spec;

    if (s->nparts != 2 || strcmp(s->parts[0], "signal") != 0)
        return zn_fail(x, -EINVAL, "self takes a signal: self:signal:SIGUSR1");
    if (strcmp(s->parts[1], "SIGUSR1") != 0)
        return zn_fail(x, -EINVAL, "unknown signal of self: '%s' (only SIGUSR1)", s->parts[1]);

    struct zn_target *t = zn_push(x);

    t->name = "self:signal:SIGUSR1";
    t->sym = "SIGUSR1";
    return 0;
}

int zn_expand_later(struct zn_expand *x)
{
    return zn_fail(x, -ENOSYS, "%s probes are not supported yet", x->spec->provider->name);
}

int zn_list_period(struct zn_list *l)
{
    static const char *const listed[] = {"hz", "ms", "s", "us"};
    char name[64];

    for (size_t i = 0; i < ZN_ARRAY_SIZE(listed); i++) {
        snprintf(name, sizeof(name), "%s:%s:", l->provider->name, listed[i]);

        int r = zn_list_emit(l, name);

        if (r)
            return r;
    }
    return 0;
}

int zn_list_special(struct zn_list *l)
{
    return zn_list_emit(l, l->provider->name);
}
