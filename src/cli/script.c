/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and reads scripts and the files that they include, and says what is wrong with them. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/cli.h"

enum { MOST_BYTES = 64 << 20 };

static int refuse(const char *path, const char *why, int err)
{
    fprintf(stderr, "ERROR: can't run '%s': %s\n", path, why);
    return err;
}

/* A sentence when the text can't be a script. */
static const char *not_text(const char *text, size_t len)
{
    if (len >= 4 && !memcmp(text, "\177ELF", 4))
        return "it is a program (ELF), not a script";
    if (memchr(text, '\0', len))
        return "it is binary (has NUL bytes), not a script";
    return NULL;
}

int zn_script_read(struct zn_arena *arena, const char *path, struct zn_source *ret)
{
    bool in = !strcmp(path, "-");
    struct stat st;
    ZN_AUTOFREE char *text = NULL;
    size_t len = 0;
    if (!in && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return refuse(path, "it is a directory", -EISDIR);
    int r = zn_file_read(in ? "/dev/stdin" : path, MOST_BYTES, &text, &len);
    if (r == -EFBIG)
        return refuse(path, "it is larger than 64 MiB", r);
    if (r) {
        fprintf(stderr, "ERROR: failed to open file '%s': %s\n", path, strerror(-r));
        return r;
    }
    const char *why = not_text(text, len);
    if (why)
        return refuse(path, why, -ENOEXEC);
    *ret = (struct zn_source){
        .name = in ? "stdin" : path,
        .text = zn_arena_strndup(arena, text, len),
        .len = len,
    };
    return 0;
}

static int read_text(struct zn_arena *arena, const char *path, const char **text, size_t *len)
{
    ZN_AUTOFREE char *s = NULL;
    size_t n = 0;
    int r = zn_file_read(path, MOST_BYTES, &s, &n);
    if (r)
        return r;
    if (not_text(s, n))
        return -EINVAL;
    *text = zn_arena_strndup(arena, s, n);
    *len = n;
    return 0;
}

int zn_script_include(void *arg, struct zn_arena *arena, const char *name, const char **text,
                      size_t *len)
{
    const struct zn_include_dirs *d = arg;
    if (*name == '/')
        return read_text(arena, name, text, len);
    const char *slash = d->script ? strrchr(d->script, '/') : NULL;
    int dir_len = slash ? (int)(slash - d->script) + 1 : 0;
    const char *path = zn_arena_printf(arena, "%.*s%s", dir_len, slash ? d->script : "", name);
    int r = read_text(arena, path, text, len);
    for (unsigned i = 0; r == -ENOENT && i < d->ndirs; i++)
        r = read_text(arena, zn_arena_printf(arena, "%s/%s", d->dirs[i], name), text, len);
    return r;
}

/* A file of the user's is read; of a system's header only the name is known (types come with the
 * kernel). */
const char *zn_script_prelude(struct zn_arena *arena, const char *const *files, unsigned n)
{
    const char *text = NULL;
    for (unsigned i = 0; i < n; i++) {
        char path[PATH_MAX];
        bool own = realpath(files[i], path) != NULL;
        bool header = !own && *files[i] != '/' &&
                      !access(zn_arena_printf(arena, "/usr/include/%s", files[i]), R_OK);
        text = zn_arena_printf(arena, "%s#include %c%s%c\n", text ? text : "", header ? '<' : '"',
                               own ? path : files[i], header ? '>' : '"');
    }
    return text;
}
