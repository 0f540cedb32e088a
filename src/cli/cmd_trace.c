/* SPDX-License-Identifier: Apache-2.0 */
/* zhen trace: bpftrace's command line on our compiler and runtime. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "cli/filter.h"
#include "cli/machine.h"
#include "cli/trace_opts.h"
#include "rt/privilege.h"
#include "rt/rt.h"

struct job {
    struct zn_trace_opts o;
    struct zn_arena arena; /* of the compile */
    struct zn_source src;
    struct zn_machine m;
    struct zn_child child;
    struct zn_diags diags;
    struct zn_image *img;
    struct zn_config cfg; /* the environment's, then what the script made of it */
    uint64_t cfg_fixed;
    struct zn_str dump;
    struct zn_include_dirs include;
    struct zn_probe_filter filter;
    int out_fd;
};

static void job_fini(struct job *j)
{
    zn_child_fini(&j->child);
    zn_machine_close(&j->m);
    zn_arena_fini(&j->arena);
    zn_str_fini(&j->dump);
    if (j->out_fd != STDOUT_FILENO)
        zn_closep(&j->out_fd);
    zn_filter_fini(&j->filter);
    zn_trace_opts_fini(&j->o);
}

/* BPFTRACE_X=… for each configuration key X; other variables of that prefix aren't ours. */
static int config_from_environment(struct job *j)
{
    static const char prefix[] = "BPFTRACE_";
    zn_config_defaults(&j->cfg);
    for (char **e = environ; *e; e++) {
        const char *eq = strchr(*e, '='), *why = NULL, *near = NULL;
        if (!eq || strncmp(*e, prefix, sizeof(prefix) - 1))
            continue;
        const char *key = zn_arena_strndup(&j->arena, *e, (size_t)(eq - *e));
        int r = zn_config_set(&j->cfg, &j->arena, key, eq + 1, &near, &why);
        if (r == -EINVAL) {
            fprintf(stderr, "ERROR: environment variable %s: %s\n", key, why ? why : "bad value");
            return r;
        }
        if (r >= 0)
            j->cfg_fixed |= 1ULL << r;
    }
    return 0;
}

/* Told at once, before a lack of privileges looks like a lack of probes. */
static int check_privileges(const struct job *j)
{
    const char *missing = j->o.dump ? NULL : zn_privilege_missing();
    if (!missing)
        return 0;
    fprintf(stderr, "ERROR: not permitted to trace\nHINT: %s\n", missing);
    return -EPERM;
}

/* A process that -p names must be there. */
static int check_pid(pid_t pid)
{
    if (!pid || kill(pid, 0) == 0 || errno == EPERM)
        return 0;
    fprintf(stderr, "ERROR: -p %d: there is no such process\n", pid);
    return -ESRCH;
}

static int start_child(struct job *j)
{
    char why[256] = "";
    if (!j->o.command)
        return 0;
    int r = zn_child_start(&j->child, j->o.command, why, sizeof(why));
    if (r)
        fprintf(stderr, "ERROR: -c: %s\n", *why ? why : strerror(-r));
    return r;
}

static int compile_once(struct job *j, bool types)
{
    const struct zn_trace_opts *o = &j->o;
    pid_t pid = o->pid ? o->pid : j->child.pid;
    zn_machine_close(&j->m);
    int r = zn_machine_open(&j->m, types, o->btf, o->no_feature, (uint32_t)pid);
    if (r)
        return r;
    struct zn_env env = {
        .argv = o->args.v,
        .argc = o->args.n,
        .pid_filter = (uint32_t)o->pid,
        .cpid = (uint32_t)j->child.pid,
        .unsafe = o->unsafe,
        .dump = o->dump,
        .dump_out = o->dump ? &j->dump : NULL,
        .read_include = zn_script_include,
        .include_arg = &j->include,
        .prelude = zn_script_prelude(&j->arena, o->includes, o->nincludes),
        .config = j->cfg,
        .config_fixed = j->cfg_fixed,
    };
    zn_machine_env(&j->m, &env);
    if (o->probe_filter)
        zn_filter_host(&j->filter, &env);
    zn_str_clear(&j->dump);
    zn_diags_init(&j->diags, &j->arena, j->src);
    return zn_compile(&j->arena, j->src, &env, &j->diags, &j->img, &j->cfg);
}

/* Without the kernel's types where the script doesn't seem to need them; with them if that fails. */
static int compile(struct job *j)
{
    bool types = j->o.btf || zn_needs_types(j->src.text, j->src.len);
    int r = compile_once(j, types);
    if (r == -EINVAL && !types && j->diags.errors)
        r = compile_once(j, true);
    zn_show_diags(&j->diags, !j->o.no_warnings);
    if (r && !j->diags.errors)
        fprintf(stderr, "ERROR: the script can't be compiled: %s\n", strerror(-r));
    for (uint32_t i = 0; !r && !j->o.quiet && i < j->img->nnotes; i++)
        fprintf(stderr, "NOTE: %s\n", j->img->notes[i]);
    return r;
}

static int open_output(struct job *j)
{
    const char *path = j->o.output;
    if (!path)
        return 0;
    if (!strcmp(path, "json") || !strcmp(path, "text"))
        fprintf(stderr,
                "HINT: the output goes to a file named '%s'; the format is chosen with -f %s\n",
                path, path);
    j->out_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (j->out_fd >= 0)
        return 0;
    int e = errno;
    fprintf(stderr, "ERROR: can't write to '%s': %s\n", path, strerror(e));
    return -e;
}

static void notice(void *arg, const char *text, size_t len)
{
    (void)arg;
    (void)zn_write_all(STDERR_FILENO, text, len);
}

static int run(struct job *j)
{
    const struct zn_trace_opts *o = &j->o;
    struct zn_out out;
    struct zn_diags d;
    int code = 0;
    struct zn_rt_opts ro = {
        .quiet = o->quiet,
        .no_warnings = o->no_warnings,
        .verbose = o->verbose,
        .dry_run = o->dry_run,
        .notify_fd = getenv("__BPFTRACE_NOTIFY_PROBES_ATTACHED") ? STDOUT_FILENO : 0,
        .color = zn_color_stderr(),
        .pid = o->pid,
        .child = o->command ? &j->child : NULL,
    };
    zn_diags_init(&d, &j->arena, j->src);
    zn_out_init(&out, j->out_fd, o->json);
    out.mode = o->buffering;
    out.notice = notice;
    int r = zn_rt_run(j->img, &j->cfg, &ro, &out, &d, &code);
    zn_out_fini(&out);
    zn_show_diags(&d, true);
    if (!r && out.error) {
        fprintf(stderr, "ERROR: can't write the output: %s\n", strerror(-out.error));
        return 1;
    }
    if (r && !d.errors)
        fprintf(stderr, "ERROR: %s\n", strerror(-r));
    return r ? 1 : code;
}

static int read_source(struct job *j)
{
    struct zn_trace_opts *o = &j->o;
    if (o->program) {
        j->src = (struct zn_source){"stdin", o->program, strlen(o->program)};
    } else {
        int r = zn_script_read(&j->arena, o->file, &j->src);
        if (r)
            return r;
        j->include.script = strcmp(o->file, "-") ? o->file : NULL;
    }
    j->include.dirs = o->dirs;
    j->include.ndirs = o->ndirs;
    return 0;
}

/* -l PATTERN, -l FILE, -l -e PROGRAM */
static int list(struct job *j)
{
    struct zn_trace_opts *o = &j->o;
    const char *const *args = o->args.v;
    unsigned n = o->args.n;
    struct stat st;
    if (!o->program && n && !strchr(args[0], ':') && !stat(args[0], &st) && S_ISREG(st.st_mode)) {
        o->file = args[0];
        args++;
        n--;
    }
    bool script = o->program || o->file;
    struct zn_list_request q = {
        .pattern = !script && n ? args[0] : NULL,
        .script = script ? &j->src : NULL,
        .argv = args,
        .argc = n,
        .include = &j->include,
        .prelude = zn_script_prelude(&j->arena, o->includes, o->nincludes),
        .verbose = o->verbose,
        .btf = o->btf,
        .pid = (uint32_t)o->pid,
    };
    return check_pid(o->pid) || (script && read_source(j)) ? 1 : zn_list_to_stdout(&q);
}

int zn_cmd_trace(int argc, char **argv)
{
    ZN_CLEANUP(job_fini) struct job j = {.out_fd = STDOUT_FILENO};
    int done = -1;
    zn_child_init(&j.child);
    zn_arena_init(&j.arena);
    zn_str_init(&j.dump);
    if (zn_trace_opts_parse(&j.o, argc, argv, &done))
        return 1;
    if (done >= 0)
        return done;
    if (j.o.list)
        return list(&j);
    if (j.o.probe_filter && zn_filter_init(&j.filter, j.o.probe_filter))
        return 1;
    if (check_pid(j.o.pid) || read_source(&j) || config_from_environment(&j) ||
        check_privileges(&j) || start_child(&j) || compile(&j))
        return 1;
    if (j.o.dump) {
        (void)zn_write_all(STDOUT_FILENO, zn_str_c(&j.dump), j.dump.len);
        return 0;
    }
    if (open_output(&j))
        return 1;
    return run(&j);
}
