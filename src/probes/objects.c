/* SPDX-License-Identifier: Apache-2.0 */
/* From a name in an attach point to files: paths, $PATH, the linker's cache, a process's maps. */
#include "probes/objects.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probes/kind.h"

static bool is_file(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* The path as this process can open it: through the other's root when they differ. */
static int add_mapped(struct zn_names *l, uint32_t pid, const char *path)
{
    char through[PATH_MAX + 32];
    struct stat ours, theirs;

    snprintf(through, sizeof(through), "/proc/%u/root%s", pid, path);
    if (stat(through, &theirs) < 0 || !S_ISREG(theirs.st_mode))
        return 0;
    if (stat(path, &ours) == 0 && ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino)
        return zn_names_add(l, path);
    return zn_names_add(l, through);
}

/* What pid has mapped executably and whose file name fits. */
static int from_process(const char *name, uint32_t pid, struct zn_names *ret)
{
    ZN_AUTOFREE char *line = NULL;
    char path[64];
    size_t cap = 0;
    FILE *f;
    int r = 0;

    snprintf(path, sizeof(path), "/proc/%u/maps", pid);
    f = fopen(path, "re");
    if (!f)
        return -errno;
    while (!r && getline(&line, &cap, f) > 0) {
        char *file = strchr(line, '/'), *perms = strchr(line, ' ');

        if (!file || !perms || perms[3] != 'x')
            continue;
        file[strcspn(file, "\n")] = '\0';
        if (zn_object_fits(name, strrchr(file, '/') + 1))
            r = add_mapped(ret, pid, file);
    }
    fclose(f);
    return r;
}

static int from_glob(const char *pattern, struct zn_names *ret)
{
    glob_t g = {0};
    int r = 0;

    if (glob(pattern, 0, NULL, &g) == 0) {
        for (size_t i = 0; !r && i < g.gl_pathc; i++)
            if (is_file(g.gl_pathv[i]))
                r = zn_names_add(ret, g.gl_pathv[i]);
    }
    globfree(&g);
    return r;
}

static int from_path(const char *name, struct zn_names *ret)
{
    const char *dirs = getenv("PATH");
    char path[PATH_MAX];
    int r = 0;

    if (!dirs || !*dirs)
        dirs = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    while (!r && *dirs) {
        int n = (int)strcspn(dirs, ":");

        if (n && snprintf(path, sizeof(path), "%.*s/%s", n, dirs, name) < PATH_MAX) {
            if (zn_is_glob(name))
                r = from_glob(path, ret);
            else if (access(path, X_OK) == 0 && is_file(path))
                return zn_names_add(ret, path);
        }
        dirs += n + (dirs[n] == ':');
    }
    return r;
}

/* The kernel looks a relative path up at attach time; by then we may be elsewhere. */
static int from_slash(const char *name, struct zn_names *ret)
{
    char cwd[PATH_MAX], path[2 * PATH_MAX];

    if (name[0] == '/')
        snprintf(path, sizeof(path), "%s", name);
    else if (getcwd(cwd, sizeof(cwd)))
        snprintf(path, sizeof(path), "%s/%s", cwd, strncmp(name, "./", 2) ? name : name + 2);
    else
        return -errno;
    if (zn_is_glob(path))
        return from_glob(path, ret);
    return is_file(path) ? zn_names_add(ret, path) : 0;
}

/* Drops later names of a file that is there already: libx.so, libx.so.1 and libx.so.1.2. */
static void one_per_file(struct zn_names *l)
{
    ZN_AUTOFREE struct stat *seen = calloc(l->n + 1, sizeof(*seen));
    size_t kept = 0;

    for (size_t i = 0; seen && i < l->n; i++) {
        struct stat st;
        bool twice = stat(l->v[i], &st) < 0;

        for (size_t k = 0; !twice && k < kept; k++)
            twice = seen[k].st_dev == st.st_dev && seen[k].st_ino == st.st_ino;
        if (twice) {
            free(l->v[i]);
        } else {
            seen[kept] = st;
            l->v[kept++] = l->v[i];
        }
    }
    if (seen)
        l->n = kept;
}

int zn_objects_find(const char *name, uint32_t pid, struct zn_names *ret)
{
    bool lib = strncmp(name, "lib", 3) == 0 || strstr(name, ".so");
    int r = 0;

    if (strchr(name, '/')) {
        /* The file that the process sees under that name, if it lives in another root. */
        if (pid && name[0] == '/' && !zn_is_glob(name))
            r = add_mapped(ret, pid, name);
        if (!ret->n && r >= 0)
            r = from_slash(name, ret);
    } else {
        if (strcmp(name, "*") == 0 && !pid)
            return -EINVAL;
        if (pid)
            r = from_process(name, pid, ret);
        if (!ret->n && r >= 0 && lib)
            r = zn_ldcache_find(name, ret);
        if (!ret->n && strcmp(name, "*") != 0)
            r = from_path(name, ret);
        if (!ret->n && r >= 0 && !lib)
            r = zn_ldcache_find(name, ret);
        /* A library has one place unless a wildcard asks for more. */
        while (!zn_is_glob(name) && ret->n > 1)
            free(ret->v[--ret->n]);
    }
    if (ret->n == 0)
        return r && r != -ENOENT ? r : -ENOENT;
    one_per_file(ret);
    return r;
}

int zn_objects_running(struct zn_names *ret)
{
    DIR *proc = opendir("/proc");
    struct dirent *d;
    int r = 0;

    if (!proc)
        return -errno;
    while (r >= 0 && (d = readdir(proc))) {
        size_t n = ret->n;

        if (d->d_name[0] < '1' || d->d_name[0] > '9')
            continue;
        r = from_process("*", (uint32_t)strtoul(d->d_name, NULL, 10), ret);
        if (r != -ENOMEM) /* it has ended, or is not ours to see */
            r = 0;
        if (ret->n > n)
            one_per_file(ret);
    }
    closedir(proc);
    if (r < 0)
        return r;
    return ret->n ? 0 : -ENOENT;
}
