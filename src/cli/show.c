/* SPDX-License-Identifier: Apache-2.0 */
/* Diagnostics on a terminal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "cli/cli.h"

bool zn_color_stderr(void)
{
    const char *want = getenv("BPFTRACE_COLOR"), *none = getenv("NO_COLOR");
    if (want && !strcmp(want, "always"))
        return true;
    if ((want && !strcmp(want, "never")) || (none && *none))
        return false;
    return isatty(STDERR_FILENO);
}

void zn_show_diags(const struct zn_diags *d, bool warnings)
{
    ZN_AUTOSTR struct zn_str s;
    bool color = zn_color_stderr();
    zn_str_init(&s);
    for (const struct zn_diag *g = d->first; g; g = g->next)
        if (warnings || g->severity == ZN_ERROR)
            zn_diag_render(&d->src, g, color, &s);
    fflush(stdout);
    fwrite(zn_str_c(&s), 1, s.len, stderr);
}
