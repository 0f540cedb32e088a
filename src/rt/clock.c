/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel clocks against the time of day, and strftime with fractions of a second. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "rt/view.h"

enum { NS_PER_S = 1000000000 };

static int64_t read_ns(clockid_t id)
{
    struct timespec ts;
    if (clock_gettime(id, &ts) < 0)
        return 0;
    return (int64_t)ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

/* What to add to `id` for the time of day: the middle of two readings around one of id. */
static int64_t offset_of(clockid_t id)
{
    int64_t a = read_ns(CLOCK_REALTIME), x = read_ns(id), b = read_ns(CLOCK_REALTIME);
    return a + (b - a) / 2 - x;
}

void zn_view_init(struct zn_view *v, const struct zn_image *img)
{
    *v = (struct zn_view){.img = img, .trailer = "..", .indent = 4};
}

void zn_view_clocks(struct zn_view *v)
{
    /* TAI is ahead by whole seconds (0 where nobody told the kernel): no jitter */
    int64_t tai = offset_of(CLOCK_TAI);
    tai = (tai - NS_PER_S / 2) / NS_PER_S * NS_PER_S;
    v->ts_offset_ns[ZN_TS_MONOTONIC] = offset_of(CLOCK_MONOTONIC);
    v->ts_offset_ns[ZN_TS_BOOT] = offset_of(CLOCK_BOOTTIME);
    v->ts_offset_ns[ZN_TS_TAI] = v->ts_offset_ns[ZN_TS_SW_TAI] = tai;
}

/* Copies fmt with %f, %k and %l (micro-, nano-, milliseconds) replaced. */
static void expand_fractions(struct zn_str *out, const char *fmt, long ns)
{
    for (; *fmt; fmt++) {
        if (*fmt != '%' || !fmt[1]) {
            zn_str_putc(out, *fmt);
            continue;
        }
        fmt++;
        if (*fmt == 'f')
            zn_str_printf(out, "%06ld", ns / 1000);
        else if (*fmt == 'k')
            zn_str_printf(out, "%09ld", ns);
        else if (*fmt == 'l')
            zn_str_printf(out, "%03ld", ns / 1000000);
        else
            zn_str_add(out, (char[]){'%', *fmt}, 2);
    }
}

void zn_put_time(struct zn_str *out, const char *fmt, int64_t ns)
{
    time_t s = ns / NS_PER_S;
    long rest = (long)(ns % NS_PER_S);
    if (rest < 0) {
        rest += NS_PER_S;
        s--;
    }
    struct tm tm;
    if (!s || !localtime_r(&s, &tm)) {
        zn_str_puts(out, "(?)");
        return;
    }
    struct zn_str f;
    zn_str_init(&f);
    if (strchr(fmt, '%'))
        expand_fractions(&f, fmt, rest);
    else
        zn_str_puts(&f, fmt);
    char buf[1024];
    size_t n = f.len ? strftime(buf, sizeof(buf), zn_str_c(&f), &tm) : 0;
    zn_str_add(out, buf, n);
    zn_str_fini(&f);
}
