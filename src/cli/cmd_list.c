/* SPDX-License-Identifier: Apache-2.0 */
/* zhen list: the probes that this machine has. */
#include <errno.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "cli/machine.h"
#include "cli/opt.h"
#include "probes/probes.h"

static int print_line(void *arg, const char *line)
{
    (void)arg;
    return puts(line) < 0 ? -EPIPE : 0;
}

int zn_list_to_stdout(const char *pattern, bool verbose, const char *btf_path, uint32_t pid)
{
    ZN_CLEANUP(zn_arena_fini) struct zn_arena arena;
    ZN_CLEANUP(zn_machine_close) struct zn_machine m;
    struct zn_types types;
    struct zn_env env = {0};
    const char *why = NULL;
    zn_arena_init(&arena);
    if (zn_machine_open(&m, true, btf_path, NULL, pid))
        return 1;
    zn_machine_env(&m, &env);
    zn_types_init(&types, &arena, m.btf, NULL);
    if (!m.host)
        return 1;
    int r = zn_list_probes(m.host, &types, pattern, verbose, print_line, NULL, &why);
    if (r && r != -EPIPE)
        fprintf(stderr, "ERROR: %s\n", why ? why : "no probe matches");
    return r ? 1 : 0;
}

static int option(void *ctx, const struct zn_opt *o, const char *value)
{
    (void)value;
    if (o->id == 'v')
        *(bool *)ctx = true;
    return 0;
}

int zn_cmd_list(int argc, char **argv)
{
    static const struct zn_opt opts[] = {
        {"verbose", 'v', false, NULL, "show the arguments of each probe", 'v'},
    };
    ZN_CLEANUP(zn_args_fini) struct zn_args args = {0};
    bool verbose = false;
    if (zn_opt_parse("zhen list", opts, ZN_ARRAY_SIZE(opts), argc, argv, option, &verbose, &args))
        return 1;
    return zn_list_to_stdout(args.n ? args.v[0] : NULL, verbose, NULL, 0);
}
