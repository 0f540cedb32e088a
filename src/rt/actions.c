/* SPDX-License-Identifier: Apache-2.0 */
/* What a record makes user space do: one function per kind of action, in one table. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "rt/loop.h"
#include "rt/session.h"
#include "rt/value.h"
#include "sym/sym.h"

/* system() takes a millisecond: signals are looked at between a few; at the end, whoever pressed Ctrl-C
 * does not wait for thousands of them. */
enum { SYSTEM_BUDGET = 8192, SYSTEM_END_MS = 500 };
enum { MOST_AHEAD = 4096, MAP_INDENT = 4, PRINTF_INDENT = 8 };

struct action_ctx {
    struct zn_session *s;
    const struct zn_action *a;
    uint32_t id;
    const uint8_t *rec;
    uint32_t len;
};

typedef void (*action_fn)(const struct action_ctx *c);

/* Runs the action's format into out; false when memory is out. */
static bool format_into(const struct action_ctx *c, struct zn_str *out)
{
    struct zn_fmt **f = &c->s->fmt[c->id];
    if (!*f)
        *f = zn_fmt_new(c->a->fmt ? c->a->fmt : "", c->a->fmt ? c->a->fmt_len : 0, c->a->args,
                        c->a->nargs);
    if (!*f)
        return false;
    zn_fmt_run(*f, &c->s->view, c->rec, out);
    return true;
}

/* The same into the session's scratch string. */
static const struct zn_str *format_text(const struct action_ctx *c)
{
    zn_str_clear(&c->s->text);
    format_into(c, &c->s->text);
    return &c->s->text;
}

static void do_printf(const struct action_ctx *c)
{
    struct zn_out *o = c->s->out;
    if (!o->json) {
        format_into(c, &o->buf);
        return;
    }
    const struct zn_str *t = format_text(c);
    zn_out_json_text(o, "printf", zn_str_c(t), t->len);
}

/* "FILE:LINE:COL1-COL2: ERROR: text" */
static void put_location(struct zn_str *out, const struct zn_source *src, struct zn_pos pos)
{
    unsigned l1, c1, l2, c2;
    zn_source_locate(src, pos.begin, &l1, &c1);
    zn_source_locate(src, pos.end > pos.begin ? pos.end : pos.begin, &l2, &c2);
    if (l1 == l2)
        zn_str_printf(out, "%s:%u:%u-%u: ", src->name, l1, c1, c2);
    else
        zn_str_printf(out, "%s:%u-%u: ", src->name, l1, l2);
}

/* The end of a JSON record about a place in the script. */
static void put_json_location(struct zn_str *out, const struct zn_source *src, struct zn_pos pos)
{
    unsigned line, col;
    zn_source_locate(src, pos.begin, &line, &col);
    zn_str_puts(out, ", \"filename\": \"");
    zn_str_json(out, src->name, strlen(src->name));
    zn_str_printf(out, "\", \"line\": %u, \"col\": %u}\n", line, col);
}

static void do_errorf(const struct action_ctx *c)
{
    struct zn_session *s = c->s;
    bool warn = c->a->kind == ZA_WARNF;
    if (warn && s->opts->no_warnings)
        return;
    const struct zn_str *t = format_text(c);
    if (s->out->json) {
        zn_str_printf(&s->out->buf, "{\"type\": \"%s\", \"msg\": \"", warn ? "warnf" : "errorf");
        zn_str_json(&s->out->buf, zn_str_c(t), t->len);
        zn_str_putc(&s->out->buf, '"');
        put_json_location(&s->out->buf, &s->img->src, c->a->pos);
        return;
    }
    ZN_AUTOSTR struct zn_str line;
    zn_str_init(&line);
    put_location(&line, &s->img->src, c->a->pos);
    zn_out_notice(s->out, "%s%s: %s\n", zn_str_c(&line), warn ? "WARNING" : "ERROR", zn_str_c(t));
}

static void do_cat(const struct action_ctx *c)
{
    struct zn_session *s = c->s;
    const char *path = zn_str_c(format_text(c));
    size_t most = s->cfg->max_cat_bytes, n = 0;
    ZN_AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        zn_out_notice(s->out, "WARNING: cat: can't open '%s': %s\n", path, strerror(errno));
        return;
    }
    ZN_AUTOFREE char *buf = malloc(most + 1);
    while (buf && n < most) {
        ssize_t r = read(fd, buf + n, most - n);
        if (r < 0 && errno == EINTR)
            continue;
        if (r <= 0)
            break;
        n += (size_t)r;
    }
    if (s->out->json && buf)
        zn_out_json_text(s->out, "cat", buf, n);
    else if (buf)
        zn_str_add(&s->out->buf, buf, n);
}

static void do_system(const struct action_ctx *c)
{
    struct zn_session *s = c->s;
    char buf[4096];
    size_t n;
    zn_out_flush(s->out);
    if (s->ending_ms && zn_loop_ms() - s->ending_ms > SYSTEM_END_MS) {
        s->not_run++;
        return;
    }
    s->budget -= SYSTEM_BUDGET;
    FILE *f = popen(zn_str_c(format_text(c)), "re");
    if (!f) {
        zn_out_notice(s->out, "WARNING: system: %s\n", strerror(errno));
        return;
    }
    zn_str_clear(&s->text);
    while ((n = fread(buf, 1, sizeof(buf), f)))
        zn_str_add(&s->text, buf, n);
    pclose(f);
    if (s->out->json)
        zn_out_json_text(s->out, "syscall", zn_str_c(&s->text), s->text.len);
    else
        zn_str_add(&s->out->buf, zn_str_c(&s->text), s->text.len);
}

static void do_print(const struct action_ctx *c)
{
    if (c->a->nargs)
        zn_print_value(&c->s->view, c->s->out, c->a->args[0].type, c->rec + c->a->args[0].off);
}

static void do_time(const struct action_ctx *c)
{
    char buf[1024];
    struct tm tm;
    time_t now = time(NULL);
    const char *fmt = c->a->fmt ? c->a->fmt : "%H:%M:%S\n";
    size_t n = localtime_r(&now, &tm) ? strftime(buf, sizeof(buf), fmt, &tm) : 0;
    if (c->s->out->json)
        zn_out_json_text(c->s->out, "time", buf, n);
    else
        zn_str_add(&c->s->out->buf, buf, n);
}

/* { u32 count, u32 bytes of a slot, slots of one string each } */
static void do_join(const struct action_ctx *c)
{
    struct zn_session *s = c->s;
    uint32_t head[2];
    const uint32_t off = sizeof(struct zn_rec) + sizeof(head);
    if (c->len < off)
        return;
    memcpy(head, c->rec + sizeof(struct zn_rec), sizeof(head));
    const char *p = (const char *)c->rec + off;
    zn_str_clear(&s->text);
    for (uint32_t i = 0; i < head[0] && head[1] && i < (c->len - off) / head[1]; i++) {
        if (i)
            zn_str_puts(&s->text, c->a->fmt ? c->a->fmt : " ");
        zn_str_add(&s->text, p, strnlen(p, head[1]));
        p += head[1];
    }
    if (s->out->json) {
        zn_out_json_text(s->out, "join", zn_str_c(&s->text), s->text.len);
    } else {
        zn_str_add(&s->out->buf, zn_str_c(&s->text), s->text.len);
        zn_str_putc(&s->out->buf, '\n');
    }
}

/* { u64 id, u64 tgid, u32 frames, u32 0, u64 frame[] } */
static void do_stack(const struct action_ctx *c)
{
    const uint32_t off = sizeof(struct zn_rec) + 24;
    if (c->len < off)
        return;
    uint64_t id = zn_value_u64(c->rec + 8), tgid = zn_value_u64(c->rec + 16);
    uint32_t n;
    memcpy(&n, c->rec + 24, sizeof(n));
    n = ZN_MIN(n, (c->len - off) / 8);
    if (tgid && c->s->sym)
        (void)zn_sym_seen(c->s->sym, (uint32_t)tgid);
    /* the ring aligns records to 8 bytes */
    (void)zn_stacks_add(&c->s->stacks, id, tgid, (const uint64_t *)(const void *)(c->rec + off), n);
}

/* A record that prints a stack is reserved, and so placed, before the stack itself is sent. */
const struct zn_stack *zn_action_stack(void *session, uint64_t id)
{
    struct zn_session *s = session;
    const struct zn_stack *st = zn_stacks_find(&s->stacks, id);
    uint64_t pos = s->data.pos, limit = s->data.fd < 0 ? 0 : zn_ring_produced(&s->data);
    uint32_t len;
    for (int i = 0; !st && i < MOST_AHEAD; i++) {
        const uint8_t *rec = zn_ring_peek(&s->data, &pos, limit, &len, NULL);
        uint32_t action;
        if (!rec || len < sizeof(struct zn_rec))
            break;
        memcpy(&action, rec, sizeof(action));
        if (action >= s->img->nactions || s->img->actions[action].kind != ZA_STACK)
            continue;
        do_stack(&(struct action_ctx){s, &s->img->actions[action], action, rec, len});
        st = zn_stacks_find(&s->stacks, id);
    }
    return st;
}

static const char *helper_message(const char *helper, int64_t code)
{
    if (!strcmp(helper, "map_update_elem") && code == -E2BIG)
        return "Map full; can't update element. Try increasing max_map_keys config or manually "
               "setting the max entries in a map declaration e.g. `let @a = hash(5000)`";
    if (!strcmp(helper, "map_delete_elem") && code == -ENOENT)
        return "Can't delete map element because it does not exist.";
    if (!strcmp(helper, "map_lookup_elem"))
        return "Can't lookup map element because it does not exist.";
    return code < 0 && code > -4096 ? strerror((int)-code) : "failed";
}

static void runtime_error_json(const struct action_ctx *c, const char *msg, int64_t code)
{
    struct zn_str *b = &c->s->out->buf;
    const char *helper = c->a->helper;
    if (helper && code < 0 && code > -4096)
        msg = strerror((int)-code);
    zn_str_printf(b, "{\"type\": \"%s\", \"msg\": \"", helper ? "helper_error" : "runtime_error");
    zn_str_json(b, msg, strlen(msg));
    zn_str_putc(b, '"');
    if (helper)
        zn_str_printf(b, ", \"helper\": \"%s\", \"retcode\": %lld", helper, (long long)code);
    put_json_location(b, &c->s->img->src, c->a->pos);
}

static void do_runtime_error(const struct action_ctx *c)
{
    struct zn_session *s = c->s;
    int64_t code = c->len >= sizeof(struct zn_rec) + 8 ? (int64_t)zn_value_u64(c->rec + 8) : 0;
    const char *helper = c->a->helper;
    const char *msg = c->a->fmt ? c->a->fmt
                      : helper  ? helper_message(helper, code)
                                : "run-time error";
    if (s->out->json) {
        runtime_error_json(c, msg, code);
        return;
    }
    if (s->opts->no_warnings)
        return;
    zn_str_clear(&s->text);
    zn_str_puts(&s->text, msg);
    if (helper)
        zn_str_printf(&s->text, "\nAdditional Info - helper: %s, retcode: %lld", helper,
                      (long long)code);
    struct zn_diag d = {.severity = ZN_WARNING, .pos = c->a->pos, .msg = zn_str_c(&s->text)};
    ZN_AUTOSTR struct zn_str out;
    zn_str_init(&out);
    zn_diag_render(&s->img->src, &d, s->opts->color, &out);
    zn_out_notice(s->out, "%s", zn_str_c(&out));
}

/* --- control --- */

static void do_exit(const struct action_ctx *c)
{
    if (!c->s->exiting)
        c->s->exit_code = c->len >= sizeof(struct zn_ctl) + 8
                              ? (int)zn_value_u64(c->rec + sizeof(struct zn_ctl))
                              : 0;
    c->s->exiting = true;
}

static bool map_of(const struct action_ctx *c, uint32_t *ret)
{
    *ret = (uint32_t)c->a->map;
    return c->a->map >= 0 && *ret < c->s->img->nmaps && c->s->img->maps[*ret].value;
}

static void map_failed(const struct action_ctx *c, const char *verb, int r)
{
    zn_out_notice(c->s->out, "WARNING: can't %s %s: %s\n", verb, c->s->img->maps[c->a->map].name,
                  strerror(-r));
}

static uint64_t arg_u64(const struct action_ctx *c, uint32_t i)
{
    return i < c->a->nargs ? zn_value_u64(c->rec + c->a->args[i].off) : 0;
}

static void do_print_map(const struct action_ctx *c)
{
    struct zn_session *s = c->s;
    struct zn_snap snap = {0};
    uint32_t map;
    if (!map_of(c, &map))
        return;
    int r = zn_maps_read(&s->maps, map, c->a->clear_after, &snap);
    if (r) {
        map_failed(c, "print", r);
        return;
    }
    zn_snap_sort(&s->view, &s->img->maps[map], &snap);
    zn_print_snap(&s->view, s->out, &s->img->maps[map], &snap, arg_u64(c, 0), arg_u64(c, 1), true);
    zn_snap_fini(&snap);
}

static void do_print_map_key(const struct action_ctx *c)
{
    struct zn_session *s = c->s;
    uint32_t map;
    if (!map_of(c, &map))
        return;
    const struct zn_type *t = s->img->maps[map].value;
    ZN_AUTOFREE void *value = calloc(1, (size_t)zn_type_stored(t) + 8);
    const uint8_t *key = c->rec + (c->a->nargs ? c->a->args[0].off : sizeof(struct zn_ctl));
    if (!value)
        return;
    /* an absent element reads as zero */
    (void)zn_maps_get(&s->maps, map, key, value);
    zn_print_value(&s->view, s->out, t, value);
}

static void do_clear(const struct action_ctx *c)
{
    uint32_t map;
    int r = map_of(c, &map) ? zn_maps_clear(&c->s->maps, map) : 0;
    if (r)
        map_failed(c, "clear", r);
}

static void do_zero(const struct action_ctx *c)
{
    uint32_t map;
    int r = map_of(c, &map) ? zn_maps_zero(&c->s->maps, map) : 0;
    if (r)
        map_failed(c, "zero", r);
}

static const action_fn actions[ZA_SIGNALLED_LAST] = {
    [ZA_PRINTF] = do_printf,
    [ZA_ERRORF] = do_errorf,
    [ZA_WARNF] = do_errorf,
    [ZA_CAT] = do_cat,
    [ZA_SYSTEM] = do_system,
    [ZA_PRINT] = do_print,
    [ZA_TIME] = do_time,
    [ZA_JOIN] = do_join,
    [ZA_STACK] = do_stack,
    [ZA_RUNTIME_ERROR] = do_runtime_error,
    [ZA_EXIT] = do_exit,
    [ZA_PRINT_MAP] = do_print_map,
    [ZA_PRINT_MAP_KEY] = do_print_map_key,
    [ZA_CLEAR] = do_clear,
    [ZA_ZERO] = do_zero,
};

static void run(struct zn_session *s, const void *rec, uint32_t len)
{
    struct zn_rec head;
    if (len < sizeof(head)) {
        s->bad_records++;
        return;
    }
    memcpy(&head, rec, sizeof(head));
    const struct zn_action *a =
        head.action < s->img->nactions ? &s->img->actions[head.action] : NULL;
    if (!a || len < a->size || a->kind >= ZA_SIGNALLED_LAST || !actions[a->kind]) {
        s->bad_records++;
        return;
    }
    struct action_ctx c = {s, a, head.action, rec, len};
    s->view.indent = a->kind == ZA_PRINT_MAP ? MAP_INDENT : PRINTF_INDENT;
    actions[a->kind](&c);
    s->view.indent = MAP_INDENT;
    zn_out_event(s->out);
}

void zn_action_data(struct zn_session *s, const void *rec, uint32_t len)
{
    run(s, rec, len);
}

void zn_action_ctl(struct zn_session *s, const void *rec, uint32_t len)
{
    run(s, rec, len);
}
