/* SPDX-License-Identifier: Apache-2.0 */
/* A script's life: load, BEGIN, attach, events, END, maps.
 *
 * The order at the end keeps every event and lets nobody wait: stop flag, detach (what is slow goes to
 * a process of its own), END, drain, print. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/mem.h"
#include "rt/bpf.h"
#include "rt/loop.h"
#include "rt/privilege.h"
#include "rt/session.h"

enum { DRAIN_TRIES = 200 };

static void session_fini(struct zn_session *s)
{
    zn_links_detach(&s->links);
    zn_ring_close(&s->data);
    zn_ring_close(&s->ctl);
    zn_names_close(s);
    zn_mapset_fini(&s->maps);
    zn_loaded_fini(&s->ld);
    zn_stacks_fini(&s->stacks);
    for (uint32_t i = 0; s->fmt && i < s->img->nactions; i++)
        zn_fmt_free(s->fmt[i]);
    free(s->fmt);
    zn_str_fini(&s->text);
    zn_people_free(s->view.people);
    zn_cgroups_free(s->view.cgroups);
}

static void session_init(struct zn_session *s, const struct zn_image *img,
                         const struct zn_config *cfg, const struct zn_rt_opts *opts,
                         struct zn_out *out)
{
    *s = (struct zn_session){.img = img, .cfg = cfg, .opts = opts, .out = out};
    zn_loaded_init(&s->ld);
    zn_ring_init(&s->data);
    zn_ring_init(&s->ctl);
    zn_links_init(&s->links);
    zn_stacks_init(&s->stacks);
    zn_str_init(&s->text);
    zn_view_init(&s->view, img);
    s->view.stack = zn_action_stack;
    s->view.stack_arg = s;
    s->view.max_strlen = cfg->max_strlen;
    if (cfg->str_trunc_trailer)
        s->view.trailer = cfg->str_trunc_trailer;
}

static int open_ring(struct zn_session *s, struct zn_ring *r, uint32_t map)
{
    int fd = map < s->img->nmaps ? s->ld.map_fd[map] : -1;
    return fd < 0 ? 0 : zn_ring_open(r, fd, s->img->maps[map].max_entries);
}

/* What is needed behind the kernel's objects. */
static int prepare(struct zn_session *s)
{
    s->fmt = calloc((size_t)s->img->nactions + 1, sizeof(struct zn_fmt *));
    s->view.people = zn_people_new();
    s->view.cgroups = zn_cgroups_new();
    s->hash = (struct zn_hash_kernel){s->img, s->ld.map_fd};
    if (!s->fmt || !s->view.people || !s->view.cgroups)
        return -ENOMEM;
    zn_view_clocks(&s->view);
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now); /* what `elapsed` counts from */
    uint64_t start_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    memcpy((char *)s->ld.data + 8, &start_ns, sizeof(start_ns));
    int r = zn_mapset_init(&s->maps, s->img, s->ld.data, &zn_hash_kernel_ops, &s->hash);
    if (!r)
        r = open_ring(s, &s->data, ZN_MAP_RING);
    if (!r)
        r = open_ring(s, &s->ctl, ZN_MAP_CTL);
    return r ? r : zn_names_open(s);
}

/* Runs all programs of one provider that run from here. */
static int run_provider(struct zn_session *s, enum zn_provider which)
{
    for (uint32_t i = 0; i < s->img->nprogs; i++) {
        const struct zn_prog *p = &s->img->progs[i];
        if (p->how != ZH_NONE || p->provider != which)
            continue;
        int r = zn_bpf_test_run(s->ld.prog_fd[i]);
        if (r)
            return r;
    }
    return 0;
}

static struct zn_pos prog_pos(const struct zn_session *s, const struct zn_prog *p)
{
    uint32_t probe = p->natt ? p->att[0].probe : UINT32_MAX;
    return probe < s->img->nprobes ? s->img->probes[probe].pos : (struct zn_pos){0, 0};
}

/* -k for probes that can't be attached: missing_probes says whether that is an error. */
static int attach_failed(struct zn_session *s, const struct zn_prog *p, int r, const char *why,
                         struct zn_diags *d)
{
    if (s->cfg->missing_probes == 2)
        return 0;
    if (s->cfg->missing_probes == 1) {
        struct zn_diag w = {.severity = ZN_WARNING, .pos = prog_pos(s, p), .msg = why};
        ZN_AUTOSTR struct zn_str out;
        zn_str_init(&out);
        zn_diag_render(&s->img->src, &w, s->opts->color, &out);
        zn_out_notice(s->out, "%s", zn_str_c(&out));
        return 0;
    }
    struct zn_diag *g = zn_error(d, prog_pos(s, p), "%s", why);
    if (r == -EPERM || r == -EACCES)
        zn_privilege_hint(d, g);
    return r;
}

static int attach_one(struct zn_session *s, uint32_t i, struct zn_diags *d, uint32_t *ret_missing)
{
    char why[512] = "";
    const struct zn_prog *p = &s->img->progs[i];
    int r = zn_attach(p, s->ld.prog_fd[i], &s->links, why, sizeof(why));
    if (!r)
        return 0;
    *ret_missing += p->natt ? p->natt : 1;
    return attach_failed(s, p, r, *why ? why : strerror(-r), d);
}

/* Of several uprobes at one place the kernel runs the one attached last first: those go in reverse, so
 * that bodies run in script order. */
static int attach_all(struct zn_session *s, struct zn_diags *d, uint32_t *ret_missing)
{
    int r = 0;
    for (uint32_t i = 0; i < s->img->nprogs && !r; i++) {
        enum zn_attach_how how = s->img->progs[i].how;
        if (how != ZH_NONE && how != ZH_UPROBE && how != ZH_UPROBE_MULTI)
            r = attach_one(s, i, d, ret_missing);
    }
    for (uint32_t i = s->img->nprogs; i-- > 0 && !r;) {
        enum zn_attach_how how = s->img->progs[i].how;
        if (how == ZH_UPROBE || how == ZH_UPROBE_MULTI)
            r = attach_one(s, i, d, ret_missing);
    }
    return r;
}

static void say_attached(struct zn_session *s, uint32_t n)
{
    static const char attached[] = "__BPFTRACE_NOTIFY_PROBES_ATTACHED\n";
    if (!s->opts->quiet && s->out->json)
        zn_str_printf(
            &s->out->buf,
            "{\"type\": \"attached_probes\", \"count\": %u, \"data\": {\"probes\": %u}}\n", n, n);
    else if (!s->opts->quiet)
        zn_out_notice(s->out, "Attached %u probe%s\n", n, n == 1 ? "" : "s");
    zn_out_batch(s->out);
    if (s->opts->notify_fd > 0)
        (void)zn_write_all(s->opts->notify_fd, attached, sizeof(attached) - 1);
}

static void raise_stop_flag(struct zn_session *s)
{
    if (s->ld.data)
        __atomic_store_n((uint64_t *)(void *)s->ld.data, 1, __ATOMIC_SEQ_CST);
}

/* Until nothing is left; a record that stays unfinished is given up. */
static void drain_all(struct zn_session *s)
{
    bool busy = true;
    for (int i = 0; i < DRAIN_TRIES && (busy || s->backlog);) {
        uint64_t got = zn_drain(s, &busy);
        if (!got && busy) {
            zn_loop_nap();
            i++;
        }
    }
}

static void print_maps(struct zn_session *s)
{
    for (uint32_t i = ZN_MAP_FIRST; i < s->img->nmaps; i++) {
        const struct zn_map *m = &s->img->maps[i];
        struct zn_snap snap = {0};
        if (m->kind == ZM_INTERNAL || m->hidden || !m->value)
            continue;
        int r = zn_maps_read(&s->maps, i, false, &snap);
        if (r) {
            zn_out_notice(s->out, "WARNING: can't read %s: %s\n", m->name, strerror(-r));
            continue;
        }
        zn_snap_sort(&s->view, m, &snap);
        zn_print_snap(&s->view, s->out, m, &snap, 0, 0, false);
        zn_snap_fini(&snap);
    }
}

static int finish(struct zn_session *s, struct zn_diags *d)
{
    s->ending_ms = zn_loop_ms();
    raise_stop_flag(s);
    zn_links_detach(&s->links);
    drain_all(s);
    int r = run_provider(s, ZP_END);
    if (r)
        zn_error(d, (struct zn_pos){0, 0}, "the end probe could not be run: %s", strerror(-r));
    drain_all(s);
    zn_losses_final(s);
    if (!s->out->json)
        zn_str_puts(&s->out->buf, "\n\n");
    if (!r && s->cfg->print_maps_on_exit)
        print_maps(s);
    zn_out_flush(s->out);
    return r;
}

/* -v: what the script takes of the kernel. */
static void say_sizes(struct zn_session *s)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->img->nmaps; i++) {
        const struct zn_map *m = &s->img->maps[i];
        uint64_t copies =
            m->percpu && m->kind != ZM_RANGE && m->kind != ZM_CELL ? s->img->ncpu_possible : 1;
        uint64_t one = (uint64_t)m->key_size + m->val_size * copies;
        uint64_t bytes = m->max_entries * (one ? one : 1); /* rings: max_entries is bytes */
        if (!m->bpf_type)
            continue;
        sum += bytes;
        zn_out_notice(s->out, "map %s: %u entries, at most %llu bytes\n", m->name, m->max_entries,
                      (unsigned long long)bytes);
    }
    zn_out_notice(s->out, "all maps: at most %llu bytes\n", (unsigned long long)sum);
    for (uint32_t i = 0; i < s->img->nprogs; i++)
        zn_out_notice(s->out, "program %s: %u instructions\n", s->img->progs[i].name,
                      s->img->progs[i].code.n);
}

static int start(struct zn_session *s, struct zn_diags *d)
{
    ZN_AUTOSTR struct zn_str log;
    zn_str_init(&log);
    int r = zn_rt_load(&s->ld, s->img, s->cfg->license ? s->cfg->license : "GPL", d, &log);
    if (log.len && s->opts->verbose)
        zn_out_notice(s->out, "%s", zn_str_c(&log));
    if (r)
        return r;
    if (s->opts->verbose)
        say_sizes(s);
    r = prepare(s);
    if (r) {
        zn_error(d, (struct zn_pos){0, 0}, "can't prepare the run: %s", strerror(-r));
        return r;
    }
    r = run_provider(s, ZP_BEGIN);
    if (r) {
        zn_error(d, (struct zn_pos){0, 0}, "the begin probe could not be run: %s", strerror(-r));
        return r;
    }
    uint32_t missing = 0;
    r = attach_all(s, d, &missing);
    if (!r)
        say_attached(s, s->img->nattached > missing ? s->img->nattached - missing : 0);
    return r;
}

static int release_child(struct zn_session *s, struct zn_diags *d)
{
    if (!s->opts->child)
        return 0;
    int r = zn_child_go(s->opts->child);
    if (r)
        zn_error(d, (struct zn_pos){0, 0}, "can't execute the command: %s", strerror(-r));
    return r;
}

/* Whether anything can still happen after BEGIN: a script of begin and end probes alone ends itself. */
static bool has_events(const struct zn_session *s)
{
    for (uint32_t i = 0; i < s->img->nprogs; i++) {
        const struct zn_prog *p = &s->img->progs[i];
        if (p->how != ZH_NONE || (p->provider != ZP_BEGIN && p->provider != ZP_END))
            return true;
    }
    return s->opts->child || s->opts->pid > 0;
}

int zn_rt_run(const struct zn_image *img, const struct zn_config *cfg,
              const struct zn_rt_opts *opts, struct zn_out *out, struct zn_diags *d,
              int *ret_exit_code)
{
    ZN_CLEANUP(session_fini) struct zn_session s;
    ZN_CLEANUP(zn_loop_fini) struct zn_loop loop;
    zn_loop_init(&loop);
    session_init(&s, img, cfg, opts, out);
    int r = zn_loop_signals(&loop);
    if (!r)
        r = start(&s, d);
    if (!r && opts->dry_run) {
        *ret_exit_code = 0;
        return 0;
    }
    if (!r)
        r = release_child(&s, d);
    if (!r && has_events(&s))
        r = zn_loop_run(&loop, &s, d);
    if (r)
        return r;
    zn_loop_impatient(&loop);
    r = finish(&s, d);
    if (!r)
        *ret_exit_code = s.exit_code;
    return r;
}
