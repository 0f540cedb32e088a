/* SPDX-License-Identifier: Apache-2.0 */
/* tracepoint:CATEGORY:EVENT, found by directory entries alone.
 *
 * tracefs makes its entries on the fly, and reading one format file costs more than listing a whole
 * category; so nothing but directories is looked at here, and one level is skipped when the name is
 * written out. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "arch/arch.h"
#include "kern/tracefs.h"
#include "probes/kind.h"

/* Calls fn for every event that matches, in order; returns its first error. */
static int each_event(const char *tracefs, const char *category, const char *event,
                      int (*fn)(void *arg, const char *category, const char *event), void *arg)
{
    struct zn_tracefs_names cats = {0}, events;
    char dir[256];
    int r = zn_tracefs_list(tracefs, "events", &cats);

    for (size_t i = 0; !r && i < cats.n; i++) {
        /* ftrace's own record types are not events that one can attach to. */
        if (!zn_glob(category, cats.v[i]) || strcmp(cats.v[i], "ftrace") == 0)
            continue;
        snprintf(dir, sizeof(dir), "events/%s", cats.v[i]);
        events = (struct zn_tracefs_names){0};
        r = zn_tracefs_list(tracefs, dir, &events);
        for (size_t k = 0; !r && k < events.n; k++)
            if (zn_glob(event, events.v[k]))
                r = fn(arg, cats.v[i], events.v[k]);
        zn_tracefs_names_fini(&events);
    }
    zn_tracefs_names_fini(&cats);
    return r;
}

/* The number of the call behind sys_enter_X or sys_exit_X, -1 when the table lacks it. */
static int syscall_nr(const struct zn_arch *arch, const char *event, bool *ret_exit)
{
    const struct zn_syscall *s;

    if (strncmp(event, "sys_enter_", 10) == 0)
        event += 10;
    else if (strncmp(event, "sys_exit_", 9) == 0)
        event += 9, *ret_exit = true;
    else
        return -1;
    s = arch ? zn_syscall_by_entry(arch, event) : NULL;
    return s ? s->nr : -1;
}

static int add_event(void *arg, const char *category, const char *event)
{
    struct zn_expand *x = arg;
    struct zn_target *t = zn_push(x);

    t->module = zn_arena_strdup(x->arena, category);
    t->sym = zn_arena_strdup(x->arena, event);
    t->name = x->spec->bare_syscalls
                  ? zn_arena_printf(x->arena, "%s::%s", category, event)
                  : zn_arena_printf(x->arena, "tracepoint:%s:%s", category, event);
    if (strcmp(category, "syscalls") == 0)
        t->nr = syscall_nr(x->p->env.arch, event, &t->is_exit);
    return 0;
}

/* What the user may have meant: an event of the category, else a category. */
static void suggest(struct zn_expand *x, const char *category, const char *event)
{
    struct zn_tracefs_names names = {0};
    char dir[256];
    bool known;

    if (zn_is_glob(category))
        return;
    snprintf(dir, sizeof(dir), "events/%s", category);
    known = zn_tracefs_list(x->p->tracefs, dir, &names) == 0;
    if (known && !zn_is_glob(event))
        zn_suggest(x, event, (const char *const *)names.v, names.n);
    else if (!known && zn_tracefs_list(x->p->tracefs, "events", &names) == 0)
        zn_suggest(x, category, (const char *const *)names.v, names.n);
    zn_tracefs_names_fini(&names);
}

static int check_tracefs(struct zn_expand *x)
{
    char path[512];

    if (!x->p->tracefs) {
        x->hint = "mount -t tracefs nodev /sys/kernel/tracing";
        return zn_fail(x, -ENODEV, "tracefs is not mounted: the kernel's tracepoints are unknown");
    }
    snprintf(path, sizeof(path), "%s/events", x->p->tracefs);
    if (access(path, R_OK | X_OK) < 0) {
        int err = errno;

        if (err == EACCES)
            x->hint = "run as root";
        return zn_fail(x, -err, "cannot read %s: %s", path, strerror(err));
    }
    return 0;
}

int zn_expand_tracepoint(struct zn_expand *x)
{
    const struct zn_attach_spec *s = x->spec;
    const char *category, *event;
    char path[512];
    int r;

    if (s->nparts == 0 || s->nparts > 2 || (s->nparts == 1 && !s->bare_syscalls))
        return zn_fail(x, -EINVAL, "a tracepoint has a category and an event: %s",
                       s->provider->syntax);
    category = s->nparts == 2 ? s->parts[0] : "syscalls";
    event = s->parts[s->nparts - 1];
    if (!*category || !*event || strchr(category, '/') || strchr(event, '/'))
        return zn_fail(x, -EINVAL, "a tracepoint has a category and an event: %s",
                       s->provider->syntax);
    r = check_tracefs(x);
    if (r)
        return r;
    if (!zn_is_glob(category) && !zn_is_glob(event)) {
        snprintf(path, sizeof(path), "%s/events/%s/%s/format", x->p->tracefs, category, event);
        if (access(path, F_OK) == 0)
            return add_event(x, category, event);
    } else {
        uint32_t before = x->out->n;

        r = each_event(x->p->tracefs, category, event, add_event, x);
        if (r)
            return zn_fail(x, r, "cannot list tracepoints: %s", strerror(-r));
        if (x->out->n > before)
            return 0;
    }
    suggest(x, category, event);
    return zn_fail(x, -ENOENT, "tracepoint not found: %s:%s", category, event);
}

static int list_event(void *arg, const char *category, const char *event)
{
    char name[256];

    snprintf(name, sizeof(name), "tracepoint:%s:%s", category, event);
    return zn_list_emit(arg, name);
}

int zn_list_tracepoint(struct zn_list *l)
{
    return l->p->tracefs ? each_event(l->p->tracefs, "*", "*", list_event, l) : 0;
}
