/* SPDX-License-Identifier: Apache-2.0 */
/* The command of `-c`: started, but held before its first instruction until all is attached. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct zn_child {
    pid_t pid;
    int pidfd;
    int go_fd;  /* closing it lets the child run its program */
    int err_fd; /* the child's errno when it could not */
    bool gone;  /* has been waited for */
};

void zn_child_init(struct zn_child *c);
/* Splits cmd at blanks and starts it, stopped. Returns 0, or -errno with one sentence in why. */
int zn_child_start(struct zn_child *c, const char *cmd, char *why, size_t why_len);
/* Lets it go. -errno when the program could not be executed. */
int zn_child_go(struct zn_child *c);
/* Whether it has ended (and collects it). */
bool zn_child_ended(struct zn_child *c);
/* Ends it with SIGTERM if it still runs, and collects it. */
void zn_child_fini(struct zn_child *c);
