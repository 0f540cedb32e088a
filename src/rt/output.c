/* SPDX-License-Identifier: Apache-2.0 */
/* The buffer in front of standard output. */
#include "rt/output.h"

#include <errno.h>
#include <stdarg.h>

#include "base/file.h"
#include "base/mem.h"

enum { FULL_BYTES = 64 * 1024 };

void zn_out_init(struct zn_out *o, int fd, bool json)
{
    *o = (struct zn_out){.fd = fd, .json = json};
    zn_str_init(&o->buf);
}

void zn_out_fini(struct zn_out *o)
{
    zn_out_flush(o);
    zn_str_fini(&o->buf);
}

void zn_out_flush(struct zn_out *o)
{
    if (!o->buf.len)
        return;
    if (!o->closed && o->fd >= 0) {
        int r = zn_write_all(o->fd, o->buf.data, o->buf.len);
        if (r == -EPIPE)
            o->closed = true;
        else if (r < 0 && !o->error)
            o->error = r;
    }
    zn_str_clear(&o->buf);
}

void zn_out_event(struct zn_out *o)
{
    if (o->mode == ZN_OUT_NONE || o->buf.len >= FULL_BYTES)
        zn_out_flush(o);
}

void zn_out_batch(struct zn_out *o)
{
    if (o->mode != ZN_OUT_FULL)
        zn_out_flush(o);
}

void zn_out_notice(struct zn_out *o, const char *fmt, ...)
{
    if (!o->notice)
        return;
    ZN_AUTOSTR struct zn_str s;
    zn_str_init(&s);
    va_list ap;
    va_start(ap, fmt);
    zn_str_vprintf(&s, fmt, ap);
    va_end(ap);
    zn_out_flush(o);
    o->notice(o->notice_arg, zn_str_c(&s), s.len);
}

void zn_out_json_begin(struct zn_out *o, const char *type)
{
    zn_str_puts(&o->buf, "{\"type\": \"");
    zn_str_puts(&o->buf, type);
    zn_str_puts(&o->buf, "\", \"data\": ");
}

void zn_out_json_text(struct zn_out *o, const char *type, const char *s, size_t n)
{
    zn_out_json_begin(o, type);
    zn_str_putc(&o->buf, '"');
    zn_str_json(&o->buf, s, n);
    zn_str_puts(&o->buf, "\"}\n");
}
