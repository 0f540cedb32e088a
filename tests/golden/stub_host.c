/* SPDX-License-Identifier: Apache-2.0 */
/* The probes of a machine that does not exist: tables, and the few rules by which they expand. */
#include "stub_host.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/arena.h"
#include "base/mem.h"
#include "lang/ast.h"
#include "lang/btf.h"
#include "probes/usdt_note.h"

/* Fields as format files declare them: "OFFSET DECLARATION;…". System calls: in register order. */
struct event {
    const char *category, *name, *fields;
};

static const struct event events[] = {
    {"block", "block_rq_issue", "8 unsigned int dev;16 unsigned long sector;24 unsigned int bytes"},
    {"raw_syscalls", "sys_enter", "8 long id;16 unsigned long args[6]"},
    {"raw_syscalls", "sys_exit", "8 long id;16 long ret"},
    {"sched", "sched_process_exec", "8 __data_loc char[] filename;12 int pid;16 int old_pid"},
    {"sched", "sched_switch",
     "8 char prev_comm[16];24 int prev_pid;28 int prev_prio;32 long prev_state;40 char "
     "next_comm[16];56 int next_pid"},
    {"sched", "sched_wakeup", "8 char comm[16];24 int pid;28 int prio"},
    {"syscalls", "sys_enter_close", "0 int __syscall_nr;0 unsigned int fd"},
    {"syscalls", "sys_enter_execve",
     "0 int __syscall_nr;0 const char * filename;0 const char *const * argv"},
    {"syscalls", "sys_enter_futex",
     "0 int __syscall_nr;0 unsigned int * uaddr;0 int op;0 unsigned int val"},
    {"syscalls", "sys_enter_getppid", "0 int __syscall_nr"},
    {"syscalls", "sys_enter_newest", "8 int __syscall_nr;16 unsigned long flags"},
    {"syscalls", "sys_enter_openat",
     "0 int __syscall_nr;0 int dfd;0 const char * filename;0 int flags"},
    {"syscalls", "sys_enter_read",
     "0 int __syscall_nr;0 unsigned int fd;0 char * buf;0 unsigned long count"},
    {"syscalls", "sys_enter_write",
     "0 int __syscall_nr;0 unsigned int fd;0 const char * buf;0 unsigned long count"},
    {"syscalls", "sys_exit_close", "0 int __syscall_nr;0 long ret"},
    {"syscalls", "sys_exit_openat", "0 int __syscall_nr;0 long ret"},
    {"syscalls", "sys_exit_read", "0 int __syscall_nr;0 long ret"},
    {"syscalls", "sys_exit_write", "0 int __syscall_nr;0 long ret"},
};

static const char *const kernel_functions[] = {"do_nanosleep", "pick_task", "tcp_v4_connect",
                                               "vfs_open",     "vfs_read",  "vfs_write"};

static const struct {
    const char *path, *sym;
    uint64_t off;
} user_functions[] = {
    {"/bin/app", "main", 0x1000},        {"/bin/app", "work", 0x1200},
    {"/lib/libc.so", "free", 0x2000},    {"/lib/libc.so", "malloc", 0x2100},
    {"/lib/libc.so", "mallopt", 0x2200},
};

/* Arguments as notes give them; two places of "inlined". */
static const struct {
    const char *provider, *name, *args;
    uint64_t off, semaphore;
} usdt_places[] = {
    {"app", "inlined", "-4@%eax 8@%rdi", 0x1010, 0},
    {"app", "inlined", "-4@%eax 8@16(%rsp)", 0x1030, 0},
    {"app", "kinds", "-4@$-5 1@%ah -2@%r9w 4@-8(%rbp) 8@8(%rax,%rbx,4) -1@table(%rip) 8f@%xmm0",
     0x1100, 0x3008},
    {"app", "many", "8@$0 8@$1 8@$2 8@$3 8@$4 8@$5 8@$6 8@$7 8@$8 8@$9 8@$10 4@%ecx", 0x1200, 0},
};

static const char *const raw_events[] = {"sched_switch", "sys_enter", "sys_exit"};

/* What one call of expand works on. */
struct query {
    const struct stub_machine *m;
    struct zn_arena *arena;
    const struct zn_attach_spec *spec;
    struct zn_target_list *out;
    const char **why, **hint, **note;
};

static bool matches(const char *pattern, const char *name)
{
    return fnmatch(pattern, name, 0) == 0;
}

static int fail(struct query *q, int err, const char *what, const char *name)
{
    *q->why = zn_arena_printf(q->arena, "%s: %s", what, name);
    return err;
}

static void suggest(struct query *q, const char *name, const char *const *v, size_t n)
{
    const char *near = zn_nearest(name, v, n);
    if (near)
        *q->hint = zn_arena_printf(q->arena, "did you mean %s?", near);
}

static struct zn_target *push(struct query *q)
{
    zn_arena_grow(q->arena, q->out->v, q->out->n, q->out->cap);
    struct zn_target *t = &q->out->v[q->out->n++];
    memset(t, 0, sizeof(*t));
    t->provider = q->spec->provider->id;
    t->nr = -1;
    return t;
}

static const char *last_part(const struct zn_attach_spec *s)
{
    return s->parts[s->nparts - 1];
}

static int32_t call_number(const struct stub_machine *m, const char *event, bool *is_exit)
{
    *is_exit = strncmp(event, "sys_exit_", 9) == 0;
    const char *entry = *is_exit ? event + 9 : event + 10;
    const struct zn_syscall *s = zn_syscall_by_entry(m->arch, entry);
    return s ? s->nr : -1;
}

static int expand_tracepoint(struct query *q)
{
    const char *category = q->spec->parts[0], *event = q->spec->parts[1];
    const char *names[ZN_ARRAY_SIZE(events)];
    uint32_t before = q->out->n;
    for (size_t i = 0; i < ZN_ARRAY_SIZE(events); i++) {
        const struct event *e = &events[i];
        names[i] = e->name;
        if (!matches(category, e->category) || !matches(event, e->name))
            continue;
        struct zn_target *t = push(q);
        t->module = e->category;
        t->sym = e->name;
        t->name = zn_arena_printf(q->arena, "%s:%s",
                                  q->spec->bare_syscalls
                                      ? "syscalls:"
                                      : zn_arena_printf(q->arena, "tracepoint:%s", e->category),
                                  e->name);
        if (strcmp(e->category, "syscalls") == 0)
            t->nr = call_number(q->m, e->name, &t->is_exit);
    }
    if (q->out->n > before)
        return 0;
    suggest(q, event, names, ZN_ARRAY_SIZE(names));
    return fail(q, -ENOENT, "tracepoint not found",
                zn_arena_printf(q->arena, "%s:%s", category, event));
}

static int expand_raw(struct query *q)
{
    uint32_t before = q->out->n;
    for (size_t i = 0; i < ZN_ARRAY_SIZE(raw_events); i++) {
        if (!matches(last_part(q->spec), raw_events[i]))
            continue;
        struct zn_target *t = push(q);
        t->sym = raw_events[i];
        t->name = zn_arena_printf(q->arena, "rawtracepoint:%s", t->sym);
    }
    suggest(q, last_part(q->spec), raw_events, ZN_ARRAY_SIZE(raw_events));
    return q->out->n > before ? 0
                              : fail(q, -ENOENT, "raw tracepoint not found", last_part(q->spec));
}

static int expand_kernel(struct query *q)
{
    const struct zn_provider_info *p = q->spec->provider;
    bool typed = p->id == ZP_FENTRY || p->id == ZP_FEXIT;
    char *func = zn_arena_strdup(q->arena, last_part(q->spec)), *plus = strchr(func, '+');
    uint32_t before = q->out->n;
    if (typed && !q->m->btf)
        return fail(q, -ENOTSUP, "this kernel has no types (BTF)", p->name);
    if (plus)
        *plus++ = 0;
    for (size_t i = 0; i < ZN_ARRAY_SIZE(kernel_functions); i++) {
        const char *name = kernel_functions[i];
        uint32_t id = q->m->btf ? zn_btf_find(q->m->btf, name, 1u << BTF_KIND_FUNC) : 0;
        if (!matches(func, name) || (typed && !id))
            continue;
        struct zn_target *t = push(q);
        t->sym = t->func = name;
        t->is_exit = p->id == ZP_KRETPROBE || p->id == ZP_FEXIT;
        t->offset = plus ? strtoull(plus, NULL, 0) : 0;
        t->btf_id = typed ? id : 0;
        t->name = zn_arena_printf(q->arena, "%s:%s%s%s%s", p->name, typed ? "vmlinux:" : "", name,
                                  plus ? "+" : "", plus ? plus : "");
    }
    if (q->out->n > before)
        return 0;
    suggest(q, func, kernel_functions, ZN_ARRAY_SIZE(kernel_functions));
    return fail(q, -ENOENT, "function not found", func);
}

static int expand_user(struct query *q)
{
    const struct zn_provider_info *p = q->spec->provider;
    const char *path = q->spec->parts[0], *func = last_part(q->spec);
    const char *names[ZN_ARRAY_SIZE(user_functions)];
    uint32_t before = q->out->n;
    for (size_t i = 0; i < ZN_ARRAY_SIZE(user_functions); i++) {
        names[i] = user_functions[i].sym;
        if (!matches(path, user_functions[i].path) || !matches(func, names[i]))
            continue;
        struct zn_target *t = push(q);
        t->module = user_functions[i].path;
        t->sym = t->func = names[i];
        t->offset = user_functions[i].off;
        t->is_exit = p->id == ZP_URETPROBE;
        t->name = zn_arena_printf(q->arena, "%s:%s:%s", p->name, t->module, t->sym);
    }
    if (strchr(path, '*'))
        *q->note = "searched 2 files";
    if (q->out->n > before)
        return 0;
    suggest(q, func, names, ZN_ARRAY_SIZE(names));
    return fail(q, -ENOENT, "function not found", func);
}

static int variable(void *arg, const char *name, uint64_t *ret)
{
    (void)arg;
    *ret = 0x4000;
    return strcmp(name, "table") == 0 ? 0 : -ENOENT;
}

static int expand_usdt(struct query *q)
{
    const char *name = last_part(q->spec);
    const char *provider = q->spec->nparts == 3 ? q->spec->parts[1] : "*";
    uint32_t before = q->out->n;
    for (size_t i = 0; i < ZN_ARRAY_SIZE(usdt_places); i++) {
        if (!matches(provider, usdt_places[i].provider) || !matches(name, usdt_places[i].name))
            continue;
        struct zn_usdt_place at = {&zn_arch_x86_64, usdt_places[i].off, variable, NULL};
        struct zn_target *t = push(q);
        t->module = q->spec->parts[0];
        t->sym = usdt_places[i].name;
        t->func = "main";
        t->offset = usdt_places[i].off;
        t->value = usdt_places[i].semaphore;
        t->name =
            zn_arena_printf(q->arena, "usdt:%s:%s:%s", t->module, usdt_places[i].provider, t->sym);
        t->usdt_args = zn_usdt_args(q->arena, &at, usdt_places[i].args, &t->nusdt_args);
    }
    return q->out->n > before ? 0 : fail(q, -ENOENT, "usdt probe not found", name);
}

static int expand_watchpoint(struct query *q)
{
    struct zn_target *t = push(q);
    t->value = strtoull(q->spec->parts[0], NULL, 0);
    t->len = 8;
    t->mode = ZN_WATCH_W;
    t->name = zn_arena_printf(q->arena, "watchpoint:%s", q->spec->parts[0]);
    return 0;
}

static int expand_period(struct query *q)
{
    const struct zn_attach_spec *s = q->spec;
    const char *unit = s->nparts == 2 ? s->parts[0] : "ns";
    char *end;
    uint64_t n = strtoull(last_part(s), &end, 10);
    uint64_t scale = strcmp(unit, "s") == 0 ? 1000000000 : strcmp(unit, "ms") == 0 ? 1000000 : 1;
    if (!n)
        return fail(q, -EINVAL, "invalid rate", last_part(s));
    struct zn_target *t = push(q);
    t->name = zn_arena_printf(q->arena, "%s:%s:%s", s->provider->name, unit, last_part(s));
    t->sym = unit;
    t->value = n * scale;
    return 0;
}

static int expand(void *arg, struct zn_types *types, const struct zn_attach_spec *spec,
                  struct zn_target_list *out, const char **why, const char **hint,
                  const char **note)
{
    struct query q = {arg, types->arena, spec, out, why, hint, note};
    switch (spec->provider->id) {
    case ZP_BEGIN: push(&q)->name = "BEGIN"; return 0;
    case ZP_END: push(&q)->name = "END"; return 0;
    case ZP_SELF: push(&q)->name = "self:signal:SIGUSR1"; return 0;
    case ZP_INTERVAL:
    case ZP_PROFILE: return expand_period(&q);
    case ZP_SOFTWARE:
    case ZP_HARDWARE: {
        struct zn_target *t = push(&q);
        t->sym = spec->parts[0];
        t->name = zn_arena_printf(types->arena, "%s:%s:", spec->provider->name, t->sym);
        return 0;
    }
    case ZP_TRACEPOINT: return expand_tracepoint(&q);
    case ZP_RAWTRACEPOINT: return expand_raw(&q);
    case ZP_KPROBE:
    case ZP_KRETPROBE:
    case ZP_FENTRY:
    case ZP_FEXIT: return expand_kernel(&q);
    case ZP_UPROBE:
    case ZP_URETPROBE: return expand_user(&q);
    case ZP_USDT: return expand_usdt(&q);
    case ZP_WATCHPOINT: return expand_watchpoint(&q);
    default:
        *why =
            zn_arena_printf(types->arena, "%s probes are not supported yet", spec->provider->name);
        return -ENOSYS;
    }
}

/* ---- arguments ---- */

static void locate(const struct zn_target *t, struct zn_field *f, unsigned *nsys)
{
    bool raw = strcmp(t->module, "raw_syscalls") == 0;
    bool is_exit = raw ? strcmp(t->sym, "sys_exit") == 0 : t->is_exit;
    if (!raw && t->nr < 0)
        return;
    f->arg = 1;
    if (strcmp(f->name, "ret") == 0 || (strcmp(f->name, "id") == 0 && !is_exit)) {
        f->reg = ZN_REG_CTX64;
    } else if (strcmp(f->name, "__syscall_nr") == 0 || strcmp(f->name, "id") == 0) {
        f->reg = ZN_REG_SYSNR;
    } else {
        f->reg = ZN_REG_SYSARG;
        f->arg = (uint8_t)(*nsys)++;
    }
}

static void add_field(struct zn_types *types, struct zn_target *t, char *text, unsigned *nsys)
{
    struct zn_field *f = &t->args->fields[t->args->nfields++];
    const char *why = NULL;
    f->off = (uint32_t)strtoul(text, &text, 10);
    text++;
    if (strncmp(text, "__data_loc char[] ", 18) == 0) {
        f->data_loc = true;
        f->name = text + 18;
        f->type = zn_type_str(types, 64, false);
    } else {
        f->type = zn_type_from_ctype(types, zn_parse_cdecl(types->arena, text, &f->name), &why);
        if (f->type && f->type->kind == T_PTR)
            f->type = zn_type_ptr(types, f->type->elem,
                                  strstr(t->module, "syscalls") ? ZN_SPACE_USER : ZN_SPACE_KERNEL);
    }
    if (strstr(t->module, "syscalls"))
        locate(t, f, nsys);
}

static int tracepoint_args(struct zn_types *types, struct zn_target *t)
{
    unsigned nsys = 0;
    for (size_t i = 0; i < ZN_ARRAY_SIZE(events); i++) {
        if (strcmp(events[i].category, t->module) || strcmp(events[i].name, t->sym))
            continue;
        char *fields = zn_arena_strdup(types->arena, events[i].fields), *f;
        t->args->fields = zn_arena_array(types->arena, struct zn_field, 16);
        while ((f = strsep(&fields, ";")))
            add_field(types, t, f, &nsys);
        t->args->size = 64;
    }
    return 0;
}

static int typed_args(struct zn_types *types, struct zn_target *t, uint32_t id, bool skip_first,
                      bool in_regs)
{
    const struct zn_btf *b = types->btf;
    const struct btf_type *p = b ? zn_btf_type(b, zn_btf_skip(b, id)) : NULL;
    while (p && ZN_BTF_KIND(p) != BTF_KIND_FUNC_PROTO)
        p = zn_btf_type(b, p->type);
    if (!p)
        return -ENOTSUP;
    const struct btf_param *param = (const struct btf_param *)(p + 1);
    uint32_t n = ZN_BTF_VLEN(p);
    t->args->fields = zn_arena_array(types->arena, struct zn_field, n + 1);
    for (uint32_t i = skip_first; i < n; i++) {
        uint32_t k = t->args->nfields++;
        t->args->fields[k] = (struct zn_field){.name = zn_btf_name(b, param[i].name_off),
                                               .type = zn_type_from_btf(types, param[i].type),
                                               .reg = in_regs ? ZN_REG_ARG : ZN_REG_CTX64,
                                               .arg = (uint8_t)k};
    }
    t->args->size = t->args->nfields * 8;
    if (t->provider == ZP_FEXIT)
        t->retval = zn_type_from_btf(types, p->type);
    return 0;
}

static int target_args(void *arg, struct zn_types *types, struct zn_target *t, const char **why)
{
    (void)arg;
    char name[64];
    int r = 0;
    struct zn_type *args = t->args = zn_type_new(types, T_RECORD);
    args->fields_done = true;
    switch (t->provider) {
    case ZP_TRACEPOINT: return tracepoint_args(types, t);
    case ZP_FENTRY:
    case ZP_FEXIT: return typed_args(types, t, t->btf_id, false, false);
    case ZP_RAWTRACEPOINT:
        snprintf(name, sizeof(name), "btf_trace_%s", t->sym);
        r = types->btf ? typed_args(types, t, zn_btf_find(types->btf, name, 1u << BTF_KIND_TYPEDEF),
                                    true, false)
                       : -ENOTSUP;
        break;
    case ZP_KPROBE:
        r = types->btf ? typed_args(types, t, zn_btf_find(types->btf, t->sym, 1u << BTF_KIND_FUNC),
                                    false, true)
                       : -ENOTSUP;
        break;
    default: t->args = NULL;
    }
    if (r < 0) {
        t->args = NULL;
        *why = zn_arena_printf(types->arena, "the arguments of %s need the kernel's types (BTF)",
                               t->name);
    }
    return r;
}

static int kaddr(void *arg, const char *sym, uint64_t *ret)
{
    (void)arg;
    if (strcmp(sym, "avenrun"))
        return -ENOENT;
    *ret = 0xffffffff82000010;
    return 0;
}

static int uaddr(void *arg, const char *path, const char *sym, uint64_t *ret, uint64_t *ret_size)
{
    (void)arg;
    if (strcmp(path, "/bin/app") || strcmp(sym, "counter"))
        return -ENOENT;
    *ret = 0x4010;
    *ret_size = 4;
    return 0;
}

static int cgroupid(void *arg, const char *path, uint64_t *ret)
{
    (void)arg;
    if (strcmp(path, "/sys/fs/cgroup/web"))
        return -ENOENT;
    *ret = 77;
    return 0;
}

struct zn_host stub_host(const struct stub_machine *m)
{
    return (struct zn_host){.arg = (void *)m,
                            .expand = expand,
                            .target_args = target_args,
                            .kaddr = kaddr,
                            .uaddr = uaddr,
                            .cgroupid = cgroupid};
}
