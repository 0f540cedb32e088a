/* SPDX-License-Identifier: Apache-2.0 */
/* A child that waits on a pipe between fork and exec. */
#include "rt/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

enum { MOST_ARGS = 1024, GRACE_MS = 200 };

void zn_child_init(struct zn_child *c)
{
    *c = (struct zn_child){.pidfd = -1, .go_fd = -1, .err_fd = -1};
}

/* Cuts text at blanks; returns the number of words. */
static size_t split(char *text, char **argv)
{
    size_t n = 0;
    char *save = NULL;
    for (char *w = strtok_r(text, " \t\n", &save); w && n < MOST_ARGS;
         w = strtok_r(NULL, " \t\n", &save))
        argv[n++] = w;
    argv[n] = NULL;
    return n;
}

static bool executable(const char *path)
{
    return access(path, X_OK) == 0;
}

/* Whether execvp() would find it: a mistake in the name should be said before anything is loaded. */
static bool findable(const char *name)
{
    if (strchr(name, '/'))
        return executable(name);
    const char *path = getenv("PATH");
    ZN_AUTOFREE char *copy = strdup(path ? path : "/usr/local/bin:/usr/bin:/bin");
    char *save = NULL;
    for (char *dir = copy ? strtok_r(copy, ":", &save) : NULL; dir;
         dir = strtok_r(NULL, ":", &save)) {
        char buf[4096];
        snprintf(buf, sizeof(buf), "%s/%s", dir, name);
        if (executable(buf))
            return true;
    }
    return false;
}

/* In the child: waits for the word, then becomes the program. Only system calls here. */
static void become(char **argv, int go, int err)
{
    sigset_t none;
    char c;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    while (read(go, &c, 1) < 0 && errno == EINTR)
        ;
    execvp(argv[0], argv);
    int e = errno;
    (void)!write(err, &e, sizeof(e));
    _exit(127);
}

int zn_child_start(struct zn_child *c, const char *cmd, char *why, size_t why_len)
{
    char *argv[MOST_ARGS + 1];
    ZN_AUTOFREE char *text = strdup(cmd);
    ZN_AUTOCLOSE int go_r = -1;
    ZN_AUTOCLOSE int go_w = -1;
    ZN_AUTOCLOSE int err_r = -1;
    ZN_AUTOCLOSE int err_w = -1;
    int go[2], err[2];
    if (!text)
        return -ENOMEM;
    if (!split(text, argv)) {
        snprintf(why, why_len, "the command is empty");
        return -EINVAL;
    }
    if (!findable(argv[0])) {
        snprintf(why, why_len, "can't run '%s': no such executable file", argv[0]);
        return -ENOENT;
    }
    if (pipe2(go, O_CLOEXEC) < 0)
        return -errno;
    go_r = go[0];
    go_w = go[1];
    if (pipe2(err, O_CLOEXEC) < 0)
        return -errno;
    err_r = err[0];
    err_w = err[1];
    pid_t pid = fork();
    if (pid < 0) {
        int e = errno;
        snprintf(why, why_len, "can't start a process: %s", strerror(e));
        return -e;
    }
    if (!pid) {
        close(go_w);
        become(argv, go_r, err_w);
    }
    c->pid = pid;
    c->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    c->go_fd = ZN_TAKE_FD(go_w);
    c->err_fd = ZN_TAKE_FD(err_r);
    return 0;
}

int zn_child_go(struct zn_child *c)
{
    int e = 0;
    zn_closep(&c->go_fd);
    ssize_t n = read(c->err_fd, &e, sizeof(e));
    zn_closep(&c->err_fd);
    return n == sizeof(e) ? -e : 0;
}

bool zn_child_ended(struct zn_child *c)
{
    if (c->pid > 0 && !c->gone && waitpid(c->pid, NULL, WNOHANG) == c->pid)
        c->gone = true;
    return c->gone;
}

void zn_child_fini(struct zn_child *c)
{
    if (c->pid > 0 && !zn_child_ended(c)) {
        kill(c->pid, SIGTERM);
        /* what ignores SIGTERM is left to itself */
        for (int i = 0; i < GRACE_MS && !zn_child_ended(c); i++)
            usleep(1000);
    }
    zn_closep(&c->pidfd);
    zn_closep(&c->go_fd);
    zn_closep(&c->err_fd);
    zn_child_init(c);
}
