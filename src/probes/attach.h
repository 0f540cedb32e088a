/* SPDX-License-Identifier: Apache-2.0 */
/* Programs onto their targets, and off again without making the user wait.
 *
 * Closing a perf tracepoint waits for the kernel's RCU, 62-85 ms each, one after the other; 26 of
 * them would hold a script's end for two seconds. zn_links_detach therefore hands such descriptors
 * to a process of their own that pays these waits. Until it is done the kernel may still run the
 * programs: they must test their stop flag, which is to be set before. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zn_prog;

struct zn_link {
    int fd;
    bool perf; /* PERF_EVENT_IOC_DISABLE works */
    bool slow; /* closing it waits for RCU */
};

struct zn_links {
    struct zn_link *v; /* owned */
    size_t n, cap;
};

void zn_links_init(struct zn_links *links);
/* Attaches a loaded program to all its targets by prog->how. On failure nothing of this program
 * stays attached, and why (one sentence, cut to why_len) says what went wrong where. On success why
 * is empty or a remark: of many functions or addresses some may be left out, those that the kernel
 * refuses to have probes on. */
int zn_attach(const struct zn_prog *prog, int prog_fd, struct zn_links *links, char *why,
              size_t why_len);
/* Detaches and frees all; the links may be used again. */
void zn_links_detach(struct zn_links *links);
/* Events that the kernel did not give to the program since it was running already; 0 if unknown. */
uint64_t zn_prog_missed(int prog_fd);
