/* SPDX-License-Identifier: Apache-2.0 */
/* Golden tests of the parser: `golden_ast [--update] FILE…` over blocks of
 *     NAME what it shows
 *     ARGS one two            (optional: positional parameters)
 *     PROG
 *     the script
 *     AST                     (or ERROR: rendered diagnostics)
 *     expected text
 *     ---
 * --update writes what the parser says now into the file. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "lang/ast.h"

enum { MAX_ARGS = 8 };

struct block {
    char *name;
    const char *argv[MAX_ARGS];
    unsigned argc;
    struct zn_str prog, want;
    bool error; /* ERROR, not AST */
};

static void block_fini(struct block *b)
{
    free(b->name);
    zn_str_fini(&b->prog);
    zn_str_fini(&b->want);
    memset(b, 0, sizeof(*b));
}

static int read_include(void *arg, struct zn_arena *arena, const char *name, const char **text,
                        size_t *len)
{
    (void)arg;
    if (strcmp(name, "lib.h"))
        return -ENOENT;
    *text = zn_arena_strdup(arena, "#define LIB_MAX 7\nstruct lib { int n; };\n");
    *len = strlen(*text);
    return 0;
}

/* The tree after warnings, or the diagnostics alone when there are errors. */
static bool parse(const struct block *b, struct zn_str *out)
{
    struct zn_arena arena;
    struct zn_diags d;
    struct zn_param_env env = {
        .argv = b->argv, .argc = b->argc, .read_include = read_include, .have_btf = true};
    struct zn_source src = {.name = "stdin", .text = zn_str_c(&b->prog), .len = b->prog.len};
    zn_arena_init(&arena);
    zn_diags_init(&d, &arena, src);
    struct zn_script *s = zn_parse(&arena, &d, &env);
    zn_diags_render(&d, false, out);
    bool failed = d.errors || !s;
    if (!failed)
        zn_ast_dump(s, out);
    zn_arena_fini(&arena);
    return failed;
}

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
    zn_str_printf(file, "NAME %s\n", b->name);
    if (b->argc) {
        zn_str_puts(file, "ARGS");
        for (unsigned i = 0; i < b->argc; i++)
            zn_str_printf(file, " %s", b->argv[i]);
        zn_str_putc(file, '\n');
    }
    zn_str_printf(file, "PROG\n%s\n%s\n%s---\n", zn_str_c(&b->prog), failed ? "ERROR" : "AST", got);
}

static bool run(const struct block *b, struct zn_str *file)
{
    struct zn_str got ZN_AUTOSTR;
    zn_str_init(&got);
    bool failed = parse(b, &got);
    bool ok = failed == b->error && !strcmp(zn_str_c(&got), zn_str_c(&b->want));
    write_block(b, failed, zn_str_c(&got), file);
    printf("%s %s\n", ok ? "ok" : "not ok", b->name);
    if (!ok)
        print_diff(zn_str_c(&b->want), zn_str_c(&got));
    return ok;
}

/* Reads the lines of a file; the line behind PROG's last one has no newline of its own. */
static int run_file(char *text, unsigned *bad, struct zn_str *file)
{
    enum { OUTSIDE, PROG, WANT } state = OUTSIDE;
    struct block b = {0};
    char *line, *next = text;
    while ((line = strsep(&next, "\n")) && (*line || next)) {
        if (state == OUTSIDE && !strncmp(line, "NAME ", 5)) {
            block_fini(&b);
            b.name = strdup(line + 5);
        } else if (state == OUTSIDE && !strncmp(line, "ARGS ", 5)) {
            char *args = line + 5, *a;
            while ((a = strsep(&args, " ")) && b.argc < MAX_ARGS)
                b.argv[b.argc++] = a;
        } else if (state == OUTSIDE && !strcmp(line, "PROG")) {
            state = PROG;
        } else if (state == PROG && (!strcmp(line, "AST") || !strcmp(line, "ERROR"))) {
            b.error = *line == 'E';
            state = WANT;
        } else if (state == PROG) {
            zn_str_printf(&b.prog, "%s%s", b.prog.len ? "\n" : "", line);
        } else if (state == WANT && !strcmp(line, "---")) {
            if (!b.name)
                return -EINVAL;
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
    for (int i = 1 + rewrite; i < argc; i++) {
        char *text ZN_AUTOFREE = NULL;
        size_t len = 0;
        struct zn_str file ZN_AUTOSTR;
        zn_str_init(&file);
        int r = zn_file_read(argv[i], 0, &text, &len);
        if (r >= 0)
            r = run_file(text, &bad, &file);
        if (r >= 0 && rewrite)
            r = update(argv[i], &file);
        if (r < 0) {
            fprintf(stderr, "%s: %s\n", argv[i], strerror(-r));
            return 1;
        }
    }
    return bad && !rewrite;
}
