/* SPDX-License-Identifier: Apache-2.0 */
/* Golden tests of the whole compiler on a machine that is all data (stub_host.h):
 * `golden_lang [--update] FILE…` over blocks of
 *     NAME what it shows
 *     OPT arch=arm64 features=-cookie,-tp_btf btf=no ncpu=3 argv=one,2 pid=7 unsafe=yes   (optional)
 *     PROG
 *     the script
 *     AST | IR | BPF    the dump of that stage
 *     MAPS              one line a map: where it lives
 *     PROGS             one line a program: kind, hook, attach points
 *     ERROR             rendered diagnostics (of any kind when the script fails)
 *     expected text
 *     ---
 * --update writes what the compiler says now into the file. features= takes `none` or a list of
 * what is missing; all but none is the default. Warnings come before any output. */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>

#include "arch/arch.h"
#include "base/arena.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "lang/btf.h"
#include "lang/compile.h"
#include "stub_host.h"

enum { MAX_ARGS = 8 };

struct block {
    char *name, *opt, *words; /* words: opt, cut into pieces */
    const char *what;         /* AST … ERROR; points into stages[] */
    struct zn_str prog, want;
    /* by opt */
    const struct zn_arch *arch;
    uint64_t features;
    unsigned ncpu, argc;
    const char *argv[MAX_ARGS];
    uint32_t pid;
    bool btf, unsafe;
};

static const char *const stages[] = {"AST", "IR", "BPF", "MAPS", "PROGS", "ERROR"};

static const char *const feature_names[_ZN_FEATURE_MAX] = {
    [ZF_BTF] = "btf",
    [ZF_TP_BTF] = "tp_btf",
    [ZF_RAW_TP] = "raw_tp",
    [ZF_FENTRY] = "fentry",
    [ZF_TASK_BTF] = "task_btf",
    [ZF_ATOMIC_FETCH] = "atomic_fetch",
    [ZF_FOR_EACH_MAP] = "for_each_map",
    [ZF_COOKIE] = "cookie",
    [ZF_BPF_LOOP] = "bpf_loop",
    [ZF_KPROBE_MULTI] = "kprobe_multi",
    [ZF_PERCPU_LOOKUP] = "percpu_lookup",
    [ZF_KTIME_BOOT] = "ktime_boot",
    [ZF_KTIME_TAI] = "ktime_tai",
    [ZF_ITER_NUM] = "iter_num",
    [ZF_CPU_V4] = "cpu_v4",
    [ZF_UPROBE_MULTI] = "uprobe_multi",
    [ZF_KPROBES] = "kprobes",
    [ZF_LONG_KEYS] = "long_keys",
};

static void block_init(struct block *b)
{
    *b = (struct block){.arch = &zn_arch_x86_64, .ncpu = 4, .btf = true};
    b->features = (1ULL << _ZN_FEATURE_MAX) - 1;
}

static void block_fini(struct block *b)
{
    free(b->name);
    free(b->opt);
    free(b->words);
    zn_str_fini(&b->prog);
    zn_str_fini(&b->want);
    block_init(b);
}

/* ---- options ---- */

static bool drop_feature(struct block *b, const char *name)
{
    for (unsigned i = 0; i < _ZN_FEATURE_MAX; i++)
        if (feature_names[i] && *name == '-' && strcmp(feature_names[i], name + 1) == 0) {
            b->features &= ~(1ULL << i);
            return true;
        }
    return false;
}

static bool features(struct block *b, char *list)
{
    char *f;
    bool ok = true;
    if (strcmp(list, "none") == 0) {
        b->features = 0;
        return true;
    }
    while ((f = strsep(&list, ",")))
        ok &= drop_feature(b, f);
    return ok;
}

static bool option(struct block *b, char *word)
{
    char *value = strchr(word, '='), *a;
    if (!value)
        return false;
    *value++ = 0;
    if (strcmp(word, "arch") == 0)
        b->arch = strcmp(value, "arm64") == 0 ? &zn_arch_arm64 : &zn_arch_x86_64;
    else if (strcmp(word, "features") == 0)
        return features(b, value);
    else if (strcmp(word, "btf") == 0)
        b->btf = strcmp(value, "no") != 0;
    else if (strcmp(word, "ncpu") == 0)
        b->ncpu = (unsigned)strtoul(value, NULL, 10);
    else if (strcmp(word, "pid") == 0)
        b->pid = (uint32_t)strtoul(value, NULL, 10);
    else if (strcmp(word, "unsafe") == 0)
        b->unsafe = strcmp(value, "yes") == 0;
    else if (strcmp(word, "argv") == 0)
        while ((a = strsep(&value, ",")) && b->argc < MAX_ARGS)
            b->argv[b->argc++] = a;
    else
        return false;
    return true;
}

static bool options(struct block *b, const char *text)
{
    char *rest, *word;
    bool ok = true;
    b->opt = strdup(text);
    rest = b->words = strdup(text);
    while ((word = strsep(&rest, " ")))
        ok &= option(b, word);
    return ok;
}

/* ---- what there is to compare ---- */

static const char *map_type(uint32_t t)
{
    switch (t) {
    case BPF_MAP_TYPE_HASH: return "hash";
    case BPF_MAP_TYPE_PERCPU_HASH: return "percpu_hash";
    case BPF_MAP_TYPE_LRU_HASH: return "lru_hash";
    case BPF_MAP_TYPE_LRU_PERCPU_HASH: return "lru_percpu_hash";
    case BPF_MAP_TYPE_ARRAY: return "array";
    default: return "?";
    }
}

/* Offsets of cells count from the first one, so that a new kind of loss moves none. */
static void show_map(const struct zn_map *m, uint32_t first_cell, struct zn_str *out)
{
    static const char *const kinds[] = {"internal", "cell", "range", "hash"};
    zn_str_printf(out, "%s %s", m->name, kinds[m->kind]);
    if (m->bpf_type)
        zn_str_printf(out, " %s key=%u value=%u max=%u%s", map_type(m->bpf_type), m->key_size,
                      m->val_size, m->max_entries,
                      m->flags & BPF_F_NO_PREALLOC ? " no_prealloc" : "");
    if (m->kind == ZM_CELL || m->kind == ZM_RANGE)
        zn_str_printf(out, " off=%u stride=%u n=%u",
                      m->percpu ? m->cell_off : m->cell_off - first_cell, m->cell_stride,
                      m->range_n);
    if (m->touch_off >= 0)
        zn_str_printf(out, " touch=%d", m->touch_off);
    if (m->percpu)
        zn_str_puts(out, " percpu");
    if (m->overflow >= 0)
        zn_str_printf(out, " overflow=%d", m->overflow);
    if (m->hidden)
        zn_str_puts(out, " hidden");
    if (m->key) {
        zn_str_puts(out, " [");
        zn_type_name(m->key, out);
        zn_str_putc(out, ']');
    }
    if (m->value) {
        zn_str_puts(out, " -> ");
        zn_type_name(m->value, out);
    }
    zn_str_putc(out, '\n');
}

static void show_maps(const struct zn_image *img, struct zn_str *out)
{
    uint32_t first_cell = img->loss_off + img->nprobes * _ZL_MAX * 8;
    for (uint32_t i = ZN_MAP_FIRST; i < img->nmaps; i++)
        show_map(&img->maps[i], first_cell, out);
}

static void show_progs(const struct zn_image *img, struct zn_str *out)
{
    static const char *const hows[] = {"run",     "raw_tp",       "btf",
                                       "perf_tp", "kprobe",       "kprobe_multi",
                                       "uprobe",  "uprobe_multi", "perf_event"};
    for (uint32_t i = 0; i < img->nprogs; i++) {
        const struct zn_prog *p = &img->progs[i];
        zn_str_printf(out, "%s %s", p->name, hows[p->how]);
        if (p->expected_attach)
            zn_str_printf(out, " expected=%u", p->expected_attach);
        if (p->event)
            zn_str_printf(out, " event=%s", p->event);
        for (uint32_t k = 0; k < p->natt; k++)
            zn_str_printf(out, "%s %s", k ? "," : ":", p->att[k].target->name);
        zn_str_putc(out, '\n');
    }
    zn_str_printf(out, "attached %u\n", img->nattached);
    for (uint32_t i = 0; i < img->nnotes; i++)
        zn_str_printf(out, "note: %s\n", img->notes[i]);
}

static const struct zn_btf *kernel_types; /* opened once by main */

/* What the block's stage gives; true when the script has errors. */
static bool compile(const struct block *b, struct zn_str *out)
{
    struct stub_machine machine = {b->arch, b->btf ? kernel_types : NULL};
    struct zn_host host = stub_host(&machine);
    struct zn_env env = {.arch = b->arch,
                         .btf = machine.btf,
                         .features = b->features,
                         .ncpu_possible = b->ncpu,
                         .host = &host,
                         .argv = b->argv,
                         .argc = b->argc,
                         .pid_filter = b->pid,
                         .unsafe = b->unsafe};
    struct zn_str dump ZN_AUTOSTR;
    struct zn_arena arena;
    struct zn_diags d;
    struct zn_image *img = NULL;
    struct zn_source src = {.name = "stdin", .text = zn_str_c(&b->prog), .len = b->prog.len};

    zn_str_init(&dump);
    zn_arena_init(&arena);
    zn_config_defaults(&env.config);
    env.dump = strcmp(b->what, "AST") == 0   ? "ast"
               : strcmp(b->what, "IR") == 0  ? "ir"
               : strcmp(b->what, "BPF") == 0 ? "bpf"
                                             : NULL;
    env.dump_out = &dump;
    int r = zn_compile(&arena, src, &env, &d, &img, NULL);
    zn_diags_render(&d, false, out);
    if (r == 0) {
        zn_str_puts(out, zn_str_c(&dump));
        if (strcmp(b->what, "MAPS") == 0)
            show_maps(img, out);
        if (strcmp(b->what, "PROGS") == 0)
            show_progs(img, out);
    } else if (!d.errors) {
        zn_str_printf(out, "failed without a word: %s\n", strerror(-r));
    }
    zn_arena_fini(&arena);
    return r != 0;
}

/* ---- blocks ---- */

static void print_diff(const char *want, const char *got)
{
    while (*want || *got) {
        size_t w = strcspn(want, "\n"), g = strcspn(got, "\n");
        if (w == g && !memcmp(want, got, w)) {
            printf("#   %.*s\n", (int)w, want);
        } else {
            if (*want)
                printf("# - %.*s\n", (int)w, want);
            if (*got)
                printf("# + %.*s\n", (int)g, got);
        }
        want += w + (want[w] == '\n');
        got += g + (got[g] == '\n');
    }
}

static void write_block(const struct block *b, bool failed, const char *got, struct zn_str *file)
{
    const char *what = failed ? "ERROR" : strcmp(b->what, "ERROR") == 0 ? "BPF" : b->what;
    zn_str_printf(file, "NAME %s\n", b->name);
    if (b->opt)
        zn_str_printf(file, "OPT %s\n", b->opt);
    zn_str_printf(file, "PROG\n%s\n%s\n%s---\n", zn_str_c(&b->prog), what, got);
}

static bool run(const struct block *b, struct zn_str *file)
{
    struct zn_str got ZN_AUTOSTR;
    zn_str_init(&got);
    bool failed = compile(b, &got);
    bool ok =
        failed == (strcmp(b->what, "ERROR") == 0) && !strcmp(zn_str_c(&got), zn_str_c(&b->want));
    write_block(b, failed, zn_str_c(&got), file);
    printf("%s %s\n", ok ? "ok" : "not ok", b->name);
    if (!ok)
        print_diff(zn_str_c(&b->want), zn_str_c(&got));
    return ok;
}

static const char *stage(const char *line)
{
    for (unsigned i = 0; i < ZN_ARRAY_SIZE(stages); i++)
        if (strcmp(stages[i], line) == 0)
            return stages[i];
    return NULL;
}

/* Reads the lines of a file; the line behind PROG's last one has no newline of its own. */
static int run_file(char *text, unsigned *bad, struct zn_str *file)
{
    enum { OUTSIDE, PROG, WANT } state = OUTSIDE;
    struct block b;
    char *line, *next = text;
    block_init(&b);
    while ((line = strsep(&next, "\n")) && (*line || next)) {
        if (state == OUTSIDE && !strncmp(line, "NAME ", 5)) {
            block_fini(&b);
            b.name = strdup(line + 5);
        } else if (state == OUTSIDE && !strncmp(line, "OPT ", 4)) {
            if (!options(&b, line + 4))
                fprintf(stderr, "bad options: %s\n", line);
        } else if (state == OUTSIDE && !strcmp(line, "PROG")) {
            state = PROG;
        } else if (state == PROG && stage(line)) {
            b.what = stage(line);
            state = WANT;
        } else if (state == PROG) {
            zn_str_printf(&b.prog, "%s%s", b.prog.len ? "\n" : "", line);
        } else if (state == WANT && !strcmp(line, "---")) {
            if (!b.name)
                break;
            *bad += !run(&b, file);
            block_fini(&b);
            state = OUTSIDE;
        } else if (state == WANT) {
            zn_str_printf(&b.want, "%s\n", line);
        } else {
            zn_str_printf(file, "%s\n", line); /* a comment between blocks */
        }
    }
    block_fini(&b);
    return state == OUTSIDE ? 0 : -EINVAL;
}

static int update(const char *path, const struct zn_str *text)
{
    FILE *f = fopen(path, "w");
    if (!f)
        return -errno;
    size_t n = fwrite(zn_str_c(text), 1, text->len, f);
    return fclose(f) || n != text->len ? -EIO : 0;
}

int main(int argc, char **argv)
{
    bool rewrite = argc > 1 && !strcmp(argv[1], "--update");
    unsigned bad = 0;
    struct zn_btf *btf = NULL;
    size_t blob_len;
    void *blob ZN_AUTOFREE = stub_btf(&blob_len);
    int r = zn_btf_open(blob, blob_len, NULL, &btf);
    kernel_types = btf;
    for (int i = 1 + rewrite; i < argc && !r; i++) {
        char *text ZN_AUTOFREE = NULL;
        size_t len = 0;
        struct zn_str file ZN_AUTOSTR;
        zn_str_init(&file);
        r = zn_file_read(argv[i], 0, &text, &len);
        if (r >= 0)
            r = run_file(text, &bad, &file);
        if (r >= 0 && rewrite)
            r = update(argv[i], &file);
        if (r < 0)
            fprintf(stderr, "%s: %s\n", argv[i], strerror(-r));
    }
    zn_btf_close(btf);
    return r < 0 || (bad && !rewrite);
}
