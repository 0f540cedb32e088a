/* SPDX-License-Identifier: Apache-2.0 */
/* watchpoint:ADDRESS:LENGTH:MODE: what the processor's debug registers can watch.
 *
 * They are few (four on x86), want addresses aligned to the length, and x86 has none that fires on
 * reads alone, nor one that watches more than an instruction's first byte for execution. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "probes/kind.h"

static bool parse_whole(const char *s, uint64_t *ret)
{
    char *end;

    errno = 0;
    *ret = strtoull(s, &end, 0);
    return s[0] >= '0' && s[0] <= '9' && !*end && !errno;
}

static int parse_mode(struct zn_expand *x, const char *s, uint8_t *ret)
{
    static const char letters[] = "rwx";
    uint8_t mode = 0;

    for (const char *c = s; *c; c++) {
        const char *at = strchr(letters, *c);
        uint8_t bit = at ? (uint8_t)(1 << (at - letters)) : 0;

        if (!bit)
            return zn_fail(x, -EINVAL, "invalid mode of a watchpoint: '%s' (it is of r, w and x)",
                           s);
        if (mode & bit)
            return zn_fail(x, -EINVAL, "invalid mode of a watchpoint: '%s' has %c twice", s, *c);
        mode |= bit;
    }
    if (!mode)
        return zn_fail(x, -EINVAL, "a watchpoint needs a mode of r, w and x: %s",
                       x->spec->provider->syntax);
    *ret = mode;
    return 0;
}

/* What the processor cannot do is said here, since the kernel only says EINVAL. */
static int check(struct zn_expand *x, struct zn_target *t)
{
    bool x86 = strcmp(x->p->env.arch->name, "x86_64") == 0;

    if ((t->mode & ZN_WATCH_X) && t->mode != ZN_WATCH_X) {
        x->hint = "write a watchpoint of its own for each";
        return zn_fail(x, -EINVAL, "a watchpoint fires on execution or on accesses, not on both");
    }
    if (x86 && t->mode == ZN_WATCH_R) {
        x->hint = "rw fires on reads and writes";
        return zn_fail(x, -EINVAL, "x86 has no watchpoints that fire on reads alone");
    }
    if (t->mode == ZN_WATCH_X)
        t->len = x86 ? sizeof(long) : 4; /* what the kernel wants to be told */
    else if (t->value % t->len)
        return zn_fail(x, -EINVAL,
                       "the address of a watchpoint must be a multiple of its length: "
                       "0x%llx is none of %u",
                       (unsigned long long)t->value, t->len);
    return 0;
}

int zn_expand_watchpoint(struct zn_expand *x)
{
    const struct zn_attach_spec *s = x->spec;
    uint64_t addr, len;
    uint8_t mode = 0;
    int r;

    if (s->nparts != 3)
        return zn_fail(x, -EINVAL, "a watchpoint needs three parts: %s", s->provider->syntax);
    if (!parse_whole(s->parts[0], &addr))
        return zn_fail(x, -EINVAL, "invalid address of a watchpoint: '%s'", s->parts[0]);
    if (!parse_whole(s->parts[1], &len) || (len != 1 && len != 2 && len != 4 && len != 8))
        return zn_fail(x, -EINVAL, "invalid length of a watchpoint: '%s' (it is 1, 2, 4 or 8)",
                       s->parts[1]);
    r = parse_mode(x, s->parts[2], &mode);
    if (r)
        return r;

    struct zn_target *t = zn_push(x);

    t->value = addr;
    t->len = (uint8_t)len;
    t->mode = mode;
    t->pid = x->p->env.pid;
    t->name =
        zn_arena_printf(x->arena, "watchpoint:%s:%s:%s", s->parts[0], s->parts[1], s->parts[2]);
    return check(x, t);
}
