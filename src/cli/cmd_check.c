/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the rows of cli/check_rows.c, for people or as one JSON object. */
#include "cli/cmd_check.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "cli/check_rows.h"

static const char *const usage =
    "Usage: zhen check [-f text|json]\n"
    "Says what this machine's kernel, privileges and mounts allow, and what does not work here.\n";

static const char *const group_titles[][2] = {
    {"machine", "Machine"},  {"privilege", "Privileges"},    {"probe", "Probes"},
    {"map", "Kinds of map"}, {"feature", "Kernel features"},
};

static const char *state_word(enum zn_check_state s)
{
    static const char *const words[] = {
        [ZN_CHECK_FACT] = "",
        [ZN_CHECK_YES] = "yes",
        [ZN_CHECK_NO] = "no",
        [ZN_CHECK_DENIED] = "denied",
    };

    return words[s];
}

static void text_row(const struct zn_check_row *row, struct zn_str *out)
{
    zn_str_printf(out, "  %-24s %-7s%s", row->name, state_word(row->state), row->detail);
    if (row->without)
        zn_str_printf(out, "%swithout: %s", *row->detail ? "; " : "", row->without);
    while (out->len && out->data[out->len - 1] == ' ') /* rows that say nothing more */
        out->len--;
    zn_str_putc(out, '\n');
}

static void as_text(const struct zn_check *c, struct zn_str *out)
{
    for (size_t g = 0; g < ZN_ARRAY_SIZE(group_titles); g++) {
        zn_str_printf(out, "%s%s\n", g ? "\n" : "", group_titles[g][1]);
        for (size_t i = 0; i < c->n; i++)
            if (strcmp(c->rows[i].group, group_titles[g][0]) == 0)
                text_row(&c->rows[i], out);
    }
    zn_str_puts(out, c->can_run ? "\nScripts can run here.\n"
                                : "\nNo script can run here: programs cannot be loaded. Run as "
                                  "root, or with CAP_BPF and CAP_PERFMON.\n");
}

static void json_field(struct zn_str *out, const char *key, const char *value)
{
    zn_str_printf(out, ", \"%s\": \"", key);
    zn_str_json(out, value, strlen(value));
    zn_str_putc(out, '"');
}

static void as_json(const struct zn_check *c, struct zn_str *out)
{
    zn_str_printf(out, "{\"type\": \"check\", \"can_run\": %s, \"data\": [",
                  c->can_run ? "true" : "false");
    for (size_t i = 0; i < c->n; i++) {
        const struct zn_check_row *row = &c->rows[i];
        const char *state = row->state == ZN_CHECK_FACT ? "fact" : state_word(row->state);

        zn_str_printf(out, "%s{\"group\": \"%s\"", i ? ", " : "", row->group);
        json_field(out, "name", row->name);
        json_field(out, "state", state);
        if (*row->detail)
            json_field(out, "detail", row->detail);
        if (row->without)
            json_field(out, "without", row->without);
        zn_str_putc(out, '}');
    }
    zn_str_puts(out, "]}\n");
}

static int print_check(bool json)
{
    ZN_AUTOSTR struct zn_str out;
    struct zn_check c;
    int r;

    zn_str_init(&out);
    zn_check_run(&c);
    if (json)
        as_json(&c, &out);
    else
        as_text(&c, &out);
    r = c.can_run ? 0 : 1;
    if (c.failed || out.failed) {
        fprintf(stderr, "zhen: out of memory\n");
        r = 1;
    } else if (fwrite(out.data, 1, out.len, stdout) != out.len || fflush(stdout) != 0) {
        r = 1;
    }
    zn_check_fini(&c);
    return r;
}

int zn_cmd_check(int argc, char **argv)
{
    static const struct option options[] = {
        {"format", required_argument, NULL, 'f'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    bool json = false;
    int opt;

    optind = 1;
    while ((opt = getopt_long(argc, argv, "f:h", options, NULL)) != -1) {
        switch (opt) {
        case 'f':
            json = strcmp(optarg, "json") == 0;
            if (!json && strcmp(optarg, "text") != 0) {
                fprintf(stderr, "zhen check: unknown format '%s' (text, json)\n", optarg);
                return 2;
            }
            break;
        case 'h': fputs(usage, stdout); return 0;
        default: fputs(usage, stderr); return 2;
        }
    }
    if (optind < argc) {
        fputs(usage, stderr);
        return 2;
    }
    return print_check(json);
}
