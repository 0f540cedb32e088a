/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a compiled script: loads, attaches, prints what it says, and ends it in order.
 *
 * Nothing is printed here but through `out`; what goes wrong before the script runs is added to
 * `diags`. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lang/compile.h"
#include "lang/diag.h"
#include "lang/image.h"
#include "rt/child.h"
#include "rt/output.h"

struct zn_rt_opts {
    bool quiet;       /* no "Attached N probes" */
    bool no_warnings; /* no run-time warnings and warnf */
    bool verbose;     /* sizes and the verifier's whole log as notices */
    bool dry_run;     /* load and attach, then leave */
    bool color;
    int notify_fd; /* > 0: gets a line when all is attached (bpftrace's test suite waits for it) */
    pid_t pid;     /* -p: its end is ours; 0 none */
    struct zn_child *child; /* -c: started stopped; goes on when all is attached. NULL none */
};

/* Returns 0 and the script's exit code, or -errno with reasons in d. */
int zn_rt_run(const struct zn_image *img, const struct zn_config *cfg,
              const struct zn_rt_opts *opts, struct zn_out *out, struct zn_diags *d,
              int *ret_exit_code);
