/* SPDX-License-Identifier: Apache-2.0 */
/* Ownership made visible: cleanup attributes and TAKE macros. */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

static inline void zn_freep(void *p)
{
    free(*(void **)p);
    *(void **)p = NULL;
}

static inline void zn_closep(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

#define ZN_CLEANUP(fn) __attribute__((cleanup(fn)))
#define ZN_AUTOFREE    ZN_CLEANUP(zn_freep)
#define ZN_AUTOCLOSE   ZN_CLEANUP(zn_closep)

#define ZN_TAKE_PTR(p)              \
    ({                              \
        __typeof__(p) _taken = (p); \
        (p) = NULL;                 \
        _taken;                     \
    })
#define ZN_TAKE_FD(fd)     \
    ({                     \
        int _taken = (fd); \
        (fd) = -1;         \
        _taken;            \
    })

#define ZN_ARRAY_SIZE(a)  (sizeof(a) / sizeof((a)[0]))
#define ZN_MAX(a, b)      ((a) > (b) ? (a) : (b))
#define ZN_MIN(a, b)      ((a) < (b) ? (a) : (b))
#define ZN_ALIGN_UP(n, a) (((n) + (a)-1) / (a) * (a))

/* The smallest power of two that is not below n. */
static inline uint32_t zn_pow2_up(uint32_t n)
{
    uint32_t p = 1;
    while (p < n && p < 1U << 31)
        p <<= 1;
    return p;
}
