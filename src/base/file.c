/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

int zn_file_read(const char *path, size_t max_bytes, char **ret, size_t *ret_len)
{
    ZN_AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    size_t len = 0, cap = 8192;
    ZN_AUTOFREE char *buf = malloc(cap);
    if (!buf)
        return -ENOMEM;
    for (;;) {
        if (len + 1 >= cap) {
            char *n = realloc(buf, cap * 2);
            if (!n)
                return -ENOMEM;
            buf = n;
            cap *= 2;
        }
        ssize_t r = read(fd, buf + len, cap - len - 1);
        if (r < 0) {
            if (errno == EINTR)
                continue;
            return -errno;
        }
        if (r == 0)
            break;
        len += (size_t)r;
        if (max_bytes && len > max_bytes)
            return -EFBIG;
    }
    buf[len] = '\0';
    *ret = ZN_TAKE_PTR(buf);
    if (ret_len)
        *ret_len = len;
    return 0;
}

int zn_write_all(int fd, const void *p, size_t n)
{
    const char *c = p;
    while (n) {
        ssize_t r = write(fd, c, n);
        if (r < 0) {
            if (errno == EINTR)
                continue;
            return -errno;
        }
        c += r;
        n -= (size_t)r;
    }
    return 0;
}
