/* SPDX-License-Identifier: Apache-2.0 */
/* Integers and bytes to text without printf: this is what every record that is printed goes through. */
#include <string.h>

#include "rt/view.h"

static const char pairs[201] = "00010203040506070809101112131415161718192021222324"
                               "25262728293031323334353637383940414243444546474849"
                               "50515253545556575859606162636465666768697071727374"
                               "75767778798081828384858687888990919293949596979899";

void zn_put_u64(struct zn_str *out, uint64_t n)
{
    char buf[20], *p = buf + sizeof(buf);
    while (n >= 100) {
        p -= 2;
        memcpy(p, pairs + n % 100 * 2, 2);
        n /= 100;
    }
    if (n >= 10) {
        p -= 2;
        memcpy(p, pairs + n * 2, 2);
    } else {
        *--p = (char)('0' + n);
    }
    zn_str_add(out, p, (size_t)(buf + sizeof(buf) - p));
}

void zn_put_s64(struct zn_str *out, int64_t n)
{
    if (n < 0)
        zn_str_putc(out, '-');
    zn_put_u64(out, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
}

void zn_put_hex(struct zn_str *out, uint64_t n)
{
    char buf[16], *p = buf + sizeof(buf);
    do {
        *--p = "0123456789abcdef"[n & 15];
        n >>= 4;
    } while (n);
    zn_str_add(out, p, (size_t)(buf + sizeof(buf) - p));
}

/* Whether a double holds n: at most 53 significant bits. */
static bool exact(uint64_t n)
{
    return !n || n >> __builtin_ctzll(n) <= 1ULL << 53;
}

void zn_put_json_u64(struct zn_str *out, uint64_t n)
{
    if (exact(n)) {
        zn_put_u64(out, n);
        return;
    }
    zn_str_putc(out, '"');
    zn_put_u64(out, n);
    zn_str_putc(out, '"');
}

void zn_put_json_s64(struct zn_str *out, int64_t n)
{
    if (exact(n < 0 ? 0 - (uint64_t)n : (uint64_t)n)) {
        zn_put_s64(out, n);
        return;
    }
    zn_str_putc(out, '"');
    zn_put_s64(out, n);
    zn_str_putc(out, '"');
}

void zn_put_bytes(struct zn_str *out, const uint8_t *p, size_t n, bool keep_text, bool escape)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < n; i++) {
        if (keep_text && p[i] >= 32 && p[i] <= 126) {
            zn_str_putc(out, (char)p[i]);
            continue;
        }
        if (escape)
            zn_str_add(out, "\\x", 2);
        else if (i)
            zn_str_putc(out, ' ');
        zn_str_add(out, (char[]){digits[p[i] >> 4], digits[p[i] & 15]}, 2);
    }
}
