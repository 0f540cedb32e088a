/* SPDX-License-Identifier: Apache-2.0 */
/* Makes an image's maps and loads its programs with bpf(2). */
#include "rt/load.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "rt/bpf.h"
#include "rt/link.h"
#include "rt/privilege.h"
#include "rt/prog_btf.h"
#include "rt/verifier.h"

enum { LOG_FIRST = 1 << 20, LOG_MOST = 1 << 24 };

void zn_loaded_init(struct zn_loaded *l)
{
    *l = (struct zn_loaded){.btf_fd = -1};
}

void zn_loaded_fini(struct zn_loaded *l)
{
    if (l->data)
        munmap(l->data, l->data_bytes);
    for (uint32_t i = 0; l->prog_fd && i < l->img->nprogs; i++)
        zn_closep(&l->prog_fd[i]);
    for (uint32_t i = 0; l->map_fd && i < l->img->nmaps; i++)
        zn_closep(&l->map_fd[i]);
    free(l->prog_fd);
    free(l->map_fd);
    zn_closep(&l->btf_fd);
    zn_loaded_init(l);
}

static int *fd_array(uint32_t n)
{
    int *v = malloc(sizeof(*v) * (n + 1));
    for (uint32_t i = 0; v && i < n; i++)
        v[i] = -1;
    return v;
}

/* Before 5.11 maps are charged to the locked memory limit; later kernels don't look at it, and where
 * it may not be raised a small script still fits. So failure is no error. */
static void raise_limits(void)
{
    struct rlimit any = {RLIM_INFINITY, RLIM_INFINITY}, fds;
    (void)setrlimit(RLIMIT_MEMLOCK, &any);
    if (!getrlimit(RLIMIT_NOFILE, &fds) && fds.rlim_cur < fds.rlim_max) {
        fds.rlim_cur = fds.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &fds);
    }
}

/* The kernel takes letters, digits, '_' and '.', 15 bytes. */
static void kernel_name(char *dst, const char *name)
{
    size_t n = 0;
    if (*name == '@') {
        memcpy(dst, "at_", 3);
        n = 3;
        name++;
    }
    for (; *name && n < BPF_OBJ_NAME_LEN - 1; name++) {
        char c = *name;
        bool ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '.';
        dst[n++] = ok ? c : '_';
    }
    dst[n] = '\0';
}

static int create_map(const struct zn_map *m)
{
    union bpf_attr a;
    memset(&a, 0, sizeof(a));
    a.map_type = m->bpf_type;
    a.key_size = m->key_size;
    a.value_size = m->val_size;
    a.max_entries = m->max_entries;
    a.map_flags = m->flags;
    kernel_name(a.map_name, m->name ? m->name : "map");
    return zn_bpf(BPF_MAP_CREATE, &a, sizeof(a));
}

static int fill_rodata(int fd, const struct zn_map *m)
{
    uint32_t zero = 0;
    int r = m->init ? zn_bpf_update(fd, &zero, m->init, 0) : 0;
    if (r)
        return r;
    union bpf_attr a;
    memset(&a, 0, sizeof(a));
    a.map_fd = (uint32_t)fd;
    return zn_bpf(BPF_MAP_FREEZE, &a, sizeof(a));
}

static int map_data(struct zn_loaded *l, int fd, uint32_t val_size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t bytes = ZN_ALIGN_UP((size_t)val_size, page);
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED)
        return -errno;
    l->data = p;
    l->data_bytes = bytes;
    return 0;
}

static int make_maps(struct zn_loaded *l, struct zn_diags *d)
{
    const struct zn_image *img = l->img;
    for (uint32_t i = 0; i < img->nmaps; i++) {
        const struct zn_map *m = &img->maps[i];
        if (!m->bpf_type)
            continue;
        const char *name = m->name ? m->name : "map";
        int fd = create_map(m);
        if (fd < 0) {
            struct zn_diag *g = zn_error(d, (struct zn_pos){0, 0}, "can't create the map %s: %s",
                                         name, strerror(-fd));
            if (fd == -EPERM)
                zn_privilege_hint(d, g);
            else if (fd == -E2BIG && m->key_size > 512)
                zn_hint(d, g,
                        "this kernel takes keys of 512 bytes at most, and this one has %u; "
                        "shorter strings help: config = { max_strlen = 64; }",
                        m->key_size);
            else if (fd == -ENOMEM || fd == -E2BIG)
                zn_hint(d, g,
                        "it has room for %u elements of %u bytes; a smaller max_map_keys helps",
                        m->max_entries, m->key_size + m->val_size);
            return fd;
        }
        l->map_fd[i] = fd;
        int r = 0;
        if (i == ZN_MAP_DATA)
            r = map_data(l, fd, m->val_size);
        else if (i == ZN_MAP_RODATA)
            r = fill_rodata(fd, m);
        if (r) {
            zn_error(d, (struct zn_pos){0, 0}, "can't prepare the map %s: %s", name, strerror(-r));
            return r;
        }
    }
    return 0;
}

/* What one program is loaded with. */
struct attempt {
    const struct zn_prog *p;
    const struct zn_linked *code;
    const struct zn_prog_btf *btf; /* or NULL */
    const char *license;
};

/* log NULL: without a log. */
static int load_once(const struct attempt *t, char *log, uint32_t log_bytes)
{
    const struct zn_prog *p = t->p;
    union bpf_attr a;
    memset(&a, 0, sizeof(a));
    a.prog_type = p->prog_type;
    a.insn_cnt = t->code->n;
    a.insns = (uintptr_t)t->code->insns;
    a.license = (uintptr_t)t->license;
    a.expected_attach_type = p->expected_attach;
    a.prog_flags = p->sleepable ? BPF_F_SLEEPABLE : 0;
    a.attach_btf_id = p->attach_btf_id;
    if (p->btf_module_fd > 0)
        a.attach_btf_obj_fd = (uint32_t)p->btf_module_fd;
    if (t->btf && t->btf->fd >= 0) {
        a.prog_btf_fd = (uint32_t)t->btf->fd;
        a.func_info_rec_size = sizeof(struct bpf_func_info);
        a.func_info = (uintptr_t)t->btf->funcs;
        a.func_info_cnt = t->btf->nfuncs;
        a.line_info_rec_size = sizeof(struct bpf_line_info);
        a.line_info = (uintptr_t)t->btf->lines;
        a.line_info_cnt = t->btf->nlines;
    }
    if (log) {
        a.log_buf = (uintptr_t)log;
        a.log_size = log_bytes;
        a.log_level = 1;
    }
    kernel_name(a.prog_name, p->name ? p->name : "prog");
    return zn_bpf(BPF_PROG_LOAD, &a, sizeof(a));
}

static void say_rejected(const struct zn_linked *code, const char *log, int err, struct zn_diags *d)
{
    int64_t at = zn_verifier_insn(log);
    struct zn_pos pos = {0, 0};
    /* an instruction may stand for nothing in the script; then the nearest one before it does */
    for (int64_t i = at < code->n ? at : -1; i >= 0; i--) {
        if (code->pos[i].end) {
            pos = code->pos[i];
            break;
        }
    }
    size_t len;
    const char *hint = NULL, *raw = zn_verifier_complaint(log, &len);
    const char *plain = zn_verifier_explain(raw, len, &hint);
    struct zn_diag *g;
    if (plain)
        g = zn_error(d, pos, "the kernel refused the program: %s", plain);
    else if (len)
        g = zn_error(d, pos, "the kernel refused the program: %.*s", (int)ZN_MIN(len, 400), raw);
    else
        g = zn_error(d, pos, "the kernel refused the program: %s", strerror(-err));
    if (hint)
        zn_hint(d, g, "%s", hint);
    else if (plain && len)
        zn_hint(d, g, "the kernel's words: %.*s", (int)ZN_MIN(len, 400), raw);
}

/* Loads a refused program once more, this time with a log, and says what was wrong. */
static int load_explain(const struct attempt *t, int err, struct zn_diags *d, struct zn_str *log)
{
    if (err == -EPERM) {
        struct zn_diag *g =
            zn_error(d, (struct zn_pos){0, 0}, "not permitted to load a BPF program");
        zn_privilege_hint(d, g);
        return err;
    }
    ZN_AUTOFREE char *buf = NULL;
    for (uint32_t bytes = LOG_FIRST; bytes <= LOG_MOST; bytes *= 4) {
        free(ZN_TAKE_PTR(buf));
        buf = calloc(1, bytes);
        if (!buf)
            return -ENOMEM;
        int r = load_once(t, buf, bytes);
        if (r >= 0)
            return r; /* it was a passing shortage */
        if (r != -ENOSPC)
            break;
    }
    zn_str_printf(log, "program %s:\n%s", t->p->name ? t->p->name : "", buf);
    say_rejected(t->code, buf, err, d);
    return err;
}

/* Type information costs a system call: it comes along when the kernel demands it, or when a refusal is
 * to be explained. */
static int load_linked(const struct zn_image *img, struct attempt *t, struct zn_diags *d,
                       struct zn_str *log)
{
    ZN_CLEANUP(zn_prog_btf_close) struct zn_prog_btf btf = {.fd = -1};
    bool needed = zn_prog_btf_needed(img, &t->p->code, t->code);
    if (needed) {
        zn_prog_btf_open(&btf, img, t->p, t->code);
        t->btf = &btf;
    }
    int fd = load_once(t, NULL, 0);
    if (fd >= 0)
        return fd;
    if (!needed) {
        zn_prog_btf_open(&btf, img, t->p, t->code);
        t->btf = &btf;
    }
    return load_explain(t, fd, d, log);
}

static int load_prog(struct zn_loaded *l, uint32_t i, const char *license, struct zn_diags *d,
                     struct zn_str *log)
{
    const struct zn_prog *p = &l->img->progs[i];
    ZN_CLEANUP(zn_linked_fini) struct zn_linked code = {0};
    int r = zn_link_prog(l->img, &p->code, l->map_fd, &code);
    if (r) {
        zn_error(d, (struct zn_pos){0, 0}, "internal error: program %s can't be linked: %s",
                 p->name, strerror(-r));
        return r;
    }
    struct attempt t = {.p = p, .code = &code, .license = license};
    int fd = load_linked(l->img, &t, d, log);
    if (fd < 0)
        return fd;
    l->prog_fd[i] = fd;
    return 0;
}

int zn_rt_load(struct zn_loaded *l, const struct zn_image *img, const char *license,
               struct zn_diags *d, struct zn_str *log)
{
    l->img = img;
    l->map_fd = fd_array(img->nmaps);
    l->prog_fd = fd_array(img->nprogs);
    if (!l->map_fd || !l->prog_fd)
        return -ENOMEM;
    raise_limits();
    int r = make_maps(l, d);
    for (uint32_t i = 0; i < img->nprogs && !r; i++)
        r = load_prog(l, i, license, d, log);
    return r;
}
