/* SPDX-License-Identifier: Apache-2.0 */
/* One epoll: the programs wake us only when a ring is half full, so that the rings are looked at every
 * 1 ms under load and every 10 ms when nothing comes. */
#include "rt/loop.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "rt/bpf.h"
#include "rt/session.h"

enum { POLL_MIN_MS = 1, POLL_MAX_MS = 10, LOSS_MS = 100, IDLE_MS = 1000 };
enum { NS_PER_S = 1000000000 };

/* epoll tags: timers by program number, then these */
enum { TAG_RING = 1 << 24, TAG_SIGNAL, TAG_PID, TAG_OUT };

void zn_loop_init(struct zn_loop *l)
{
    *l = (struct zn_loop){.epoll_fd = -1, .signal_fd = -1, .pid_fd = -1};
}

void zn_loop_fini(struct zn_loop *l)
{
    for (uint32_t i = 0; l->timer_fd && i < l->ntimers; i++)
        zn_closep(&l->timer_fd[i]);
    free(l->timer_fd);
    zn_closep(&l->pid_fd);
    zn_closep(&l->signal_fd);
    zn_closep(&l->epoll_fd);
    if (l->mask_set)
        sigprocmask(SIG_SETMASK, &l->old_mask, NULL);
    zn_loop_init(l);
}

int zn_loop_signals(struct zn_loop *l)
{
    sigset_t set;
    /* A shell without job control has its background jobs ignore SIGINT, and what is ignored reaches no
     * signalfd: asked for by name, it ends tracing all the same. */
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGUSR1);
    if (sigprocmask(SIG_BLOCK, &set, &l->old_mask) < 0)
        return -errno;
    l->mask_set = true;
    signal(SIGPIPE, SIG_IGN);
    l->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return l->signal_fd < 0 ? -errno : 0;
}

static void once(int sig)
{
    (void)sig; /* SA_RESETHAND: the next one is deadly */
}

void zn_loop_impatient(struct zn_loop *l)
{
    sigset_t set;
    struct sigaction sa = {.sa_handler = l->interrupted ? SIG_DFL : once,
                           .sa_flags = (int)(SA_RESTART | SA_RESETHAND)};
    sigaction(SIGINT, &sa, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

void zn_loop_nap(void)
{
    nanosleep(&(struct timespec){0, 250000}, NULL);
}

static int watch(struct zn_loop *l, int fd, uint32_t events, uint32_t tag)
{
    struct epoll_event e = {.events = events, .data.u32 = tag};
    return fd >= 0 && epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, fd, &e) < 0 ? -errno : 0;
}

/* interval:s:1 has a period, interval:hz:10 a frequency. */
static uint64_t period_ns(const struct zn_target *t)
{
    if (t->sym && !strcmp(t->sym, "hz"))
        return t->value ? NS_PER_S / t->value : 0;
    return t->value;
}

static int make_timer(struct zn_loop *l, uint32_t prog, const struct zn_target *t)
{
    uint64_t ns = period_ns(t);
    struct timespec ts = {(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};
    struct itimerspec its = {ts, ts};
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (fd < 0)
        return -errno;
    l->timer_fd[prog] = fd;
    if (timerfd_settime(fd, 0, &its, NULL) < 0)
        return -errno;
    return watch(l, fd, EPOLLIN, prog);
}

static int make_timers(struct zn_loop *l, const struct zn_image *img)
{
    l->timer_fd = malloc(sizeof(int) * (img->nprogs + 1));
    if (!l->timer_fd)
        return -ENOMEM;
    l->ntimers = img->nprogs;
    for (uint32_t i = 0; i < img->nprogs; i++)
        l->timer_fd[i] = -1;
    for (uint32_t i = 0; i < img->nprogs; i++) {
        const struct zn_prog *p = &img->progs[i];
        if (p->how != ZH_NONE || p->provider != ZP_INTERVAL || !p->natt)
            continue;
        int r = make_timer(l, i, p->att[0].target);
        if (r)
            return r;
    }
    return 0;
}

static int set_up(struct zn_loop *l, struct zn_session *s)
{
    l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (l->epoll_fd < 0)
        return -errno;
    int r = watch(l, l->signal_fd, EPOLLIN, TAG_SIGNAL);
    if (!r)
        r = watch(l, s->data.fd, EPOLLIN | EPOLLET, TAG_RING);
    if (!r)
        r = watch(l, s->ctl.fd, EPOLLIN | EPOLLET, TAG_RING);
    if (!r)
        r = make_timers(l, s->img);
    if (r)
        return r;
    /* a reader that goes away: files have no such event */
    (void)watch(l, s->out->fd, 0, TAG_OUT);
    if (s->opts->child)
        return watch(l, s->opts->child->pidfd, EPOLLIN, TAG_PID);
    if (s->opts->pid <= 0)
        return 0;
    l->pid_fd = (int)syscall(SYS_pidfd_open, s->opts->pid, 0);
    if (l->pid_fd < 0)
        return -errno;
    return watch(l, l->pid_fd, EPOLLIN, TAG_PID);
}

static void run_signal_probes(struct zn_session *s)
{
    for (uint32_t i = 0; i < s->img->nprogs; i++) {
        const struct zn_prog *p = &s->img->progs[i];
        if (p->how == ZH_NONE && p->provider == ZP_SELF)
            (void)zn_bpf_test_run(s->ld.prog_fd[i]);
    }
}

/* Whether a signal asks for the end. */
static bool read_signals(struct zn_loop *l, struct zn_session *s)
{
    struct signalfd_siginfo si;
    bool stop = false;
    while (read(l->signal_fd, &si, sizeof(si)) == sizeof(si)) {
        if (si.ssi_signo == SIGCHLD)
            continue;
        if (si.ssi_signo == SIGUSR1)
            run_signal_probes(s);
        else
            stop = l->interrupted = true;
    }
    return stop;
}

static void fire(struct zn_loop *l, struct zn_session *s, uint32_t prog)
{
    uint64_t n;
    if (read(l->timer_fd[prog], &n, sizeof(n)) == sizeof(n))
        (void)zn_bpf_test_run(s->ld.prog_fd[prog]);
}

static bool handle(struct zn_loop *l, struct zn_session *s, uint32_t tag)
{
    switch (tag) {
    case TAG_RING: return false;
    case TAG_SIGNAL: return read_signals(l, s);
    case TAG_PID: return true;
    case TAG_OUT: s->out->closed = true; return true;
    default: fire(l, s, tag); return false;
    }
}

uint64_t zn_loop_ms(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
    return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

int zn_loop_run(struct zn_loop *l, struct zn_session *s, struct zn_diags *d)
{
    struct epoll_event ev[16];
    int r = set_up(l, s), wait = POLL_MIN_MS;
    bool stop = false, rings = s->data.fd >= 0 || s->ctl.fd >= 0;
    uint64_t losses_at = zn_loop_ms();
    if (r) {
        zn_error(d, (struct zn_pos){0, 0}, "can't wait for events: %s", strerror(-r));
        return r;
    }
    while (!stop) {
        bool busy = false;
        uint64_t got = zn_drain(s, &busy);
        if (s->exiting || s->out->closed)
            break;
        if (!got && !busy && !s->backlog && *(volatile uint64_t *)s->ld.data)
            break; /* exit() raised the stop flag and found no room for its record */
        if (zn_loop_ms() - losses_at >= LOSS_MS) {
            losses_at = zn_loop_ms();
            zn_losses_live(s);
            zn_out_batch(s->out);
        }
        wait = got || busy ? POLL_MIN_MS : ZN_MIN(wait * 2, (int)POLL_MAX_MS);
        int ms = s->backlog ? 0 : rings || s->tracking ? wait : IDLE_MS;
        int n = epoll_wait(l->epoll_fd, ev, ZN_ARRAY_SIZE(ev), ms);
        for (int i = 0; i < n; i++)
            stop |= handle(l, s, ev[i].data.u32);
    }
    return 0;
}
