/* SPDX-License-Identifier: Apache-2.0 */
/* From an image to objects in the kernel: maps made, programs patched and loaded. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lang/diag.h"
#include "lang/image.h"

struct zn_str;

struct zn_loaded {
    const struct zn_image *img;
    int *map_fd;  /* per image map; -1: no kernel object */
    int *prog_fd; /* per image program */
    int btf_fd;
    uint8_t *data; /* .data, shared with the programs */
    size_t data_bytes;
};

void zn_loaded_init(struct zn_loaded *l);
/* Closes everything. Programs that are attached stay loaded until their links are closed too. */
void zn_loaded_fini(struct zn_loaded *l);
/* Makes the maps, then loads the programs. Returns 0 or -errno, with the reason in d and, for a
 * verifier rejection, the verifier's whole log in `log`. license: of the programs. */
int zn_rt_load(struct zn_loaded *l, const struct zn_image *img, const char *license,
               struct zn_diags *d, struct zn_str *log);
