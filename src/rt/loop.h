/* SPDX-License-Identifier: Apache-2.0 */
/* What happens between attaching and the end: rings, timers, signals, processes. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct zn_session;
struct zn_diags;

struct zn_loop {
    int epoll_fd, signal_fd, pid_fd;
    sigset_t old_mask;
    bool mask_set;
    bool interrupted; /* a signal asked for the end */
    int *timer_fd;    /* per image program; owned */
    uint32_t ntimers;
};

void zn_loop_init(struct zn_loop *l);
void zn_loop_fini(struct zn_loop *l);
/* From here on INT, TERM, HUP and CHLD are queued for the loop, and PIPE is ignored. */
int zn_loop_signals(struct zn_loop *l);
/* Runs until exit(), a signal, the end of the watched process, or a closed output. */
int zn_loop_run(struct zn_loop *l, struct zn_session *s, struct zn_diags *d);
/* For the time in which the end is being printed: Ctrl-C ends the process at once if it's the second
 * one; the first, when the script had ended by itself, has no effect. */
void zn_loop_impatient(struct zn_loop *l);
/* A coarse clock, never 0. */
uint64_t zn_loop_ms(void);
/* A quarter of a millisecond. */
void zn_loop_nap(void);
