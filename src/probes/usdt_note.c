/* SPDX-License-Identifier: Apache-2.0 */
/* The section .note.stapsdt: one ELF note a probe, and its arguments as assembler operands.
 *
 * A note of type 3 and owner "stapsdt" holds three addresses (the probe, .stapsdt.base, the
 * semaphore) and three strings: provider, name, arguments. Tools that move a program's segments
 * (prelink) do not rewrite the addresses: how far .stapsdt.base has moved says how far the others have.
 *
 * An argument is SIZE@OPERAND; SIZE is in bytes, negative for signed numbers, with an f for floating
 * point. Operands are what the compiler put into its assembler text:
 *
 *   x86-64   $5   %eax   -16(%rbp)   8(%rax,%rbx,4)   sym(%rip)   sym+4
 *   arm64    5    x0     [sp, 12]    [x0, x1, lsl 3]
 */
#include "probes/usdt_note.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/arena.h"
#include "base/mem.h"

enum { NOTE_HEADER = 12, NOTE_TYPE = 3, MAX_NAME = 15, MAX_SYMBOL = 255 };
static const char owner[] = "stapsdt";

static uint32_t u32_at(const uint8_t *p)
{
    uint32_t v;

    memcpy(&v, p, sizeof(v));
    return v;
}

static uint64_t word_at(const uint8_t *p, unsigned word)
{
    uint64_t v;

    if (word == 4)
        return u32_at(p);
    memcpy(&v, p, sizeof(v));
    return v;
}

/* Cuts one NUL-terminated string off; NULL when it does not end. */
static const char *take_string(const uint8_t **p, const uint8_t *end)
{
    const char *s = (const char *)*p;
    const uint8_t *nul = *p < end ? memchr(*p, 0, (size_t)(end - *p)) : NULL;

    if (!nul)
        return NULL;
    *p = nul + 1;
    return s;
}

static bool read_note(const uint8_t *desc, size_t len, unsigned word, struct zn_usdt_note *n)
{
    const uint8_t *p = desc + 3 * (size_t)word, *end = desc + len;

    if (len < 3 * (size_t)word)
        return false;
    n->loc = word_at(desc, word);
    n->base = word_at(desc + word, word);
    n->sem = word_at(desc + 2 * (size_t)word, word);
    n->provider = take_string(&p, end);
    n->name = n->provider ? take_string(&p, end) : NULL;
    n->args = n->name ? take_string(&p, end) : NULL;
    return n->args && *n->provider && *n->name;
}

int zn_usdt_notes(const void *data, size_t len, unsigned word,
                  int (*fn)(void *arg, const struct zn_usdt_note *n), void *arg)
{
    const uint8_t *p = data;
    int r = 0;

    while (!r && len >= NOTE_HEADER) {
        size_t name = u32_at(p), desc = u32_at(p + 4), type = u32_at(p + 8);
        size_t name_room = ZN_ALIGN_UP(name, 4), room = name_room + ZN_ALIGN_UP(desc, 4);
        const uint8_t *body = p + NOTE_HEADER;
        struct zn_usdt_note n;

        len -= NOTE_HEADER;
        if (name_room > len || desc > len - name_room)
            break;
        if (type == NOTE_TYPE && name == sizeof(owner) && memcmp(body, owner, sizeof(owner)) == 0 &&
            read_note(body + name_room, desc, word, &n))
            r = fn(arg, &n);
        if (room >= len) /* the last one may lack its padding */
            break;
        p = body + room;
        len -= room;
    }
    return r;
}

/* ---- arguments ---- */

/* One operand under way. */
struct operand {
    const struct zn_usdt_place *at;
    const char *p, *end;
    struct zn_usdt_arg *arg;
};

static void blanks(struct operand *o)
{
    while (o->p < o->end && *o->p == ' ')
        o->p++;
}

static bool accept(struct operand *o, char c)
{
    blanks(o);
    if (o->p >= o->end || *o->p != c)
        return false;
    o->p++;
    return true;
}

/* A number with its sign; bits above 64 make it none. */
static bool number(struct operand *o, int64_t *ret)
{
    char text[32];
    char *stop;
    size_t n = 0;

    blanks(o);
    if (o->p < o->end && (*o->p == '-' || *o->p == '+'))
        text[n++] = *o->p++;
    while (o->p < o->end && n < sizeof(text) - 1 && isxdigit((unsigned char)*o->p) + (*o->p == 'x'))
        text[n++] = *o->p++;
    text[n] = '\0';
    errno = 0;
    *ret = text[0] == '-' ? strtoll(text, &stop, 0) : (int64_t)strtoull(text, &stop, 0);
    return n && stop == text + n && isxdigit((unsigned char)text[n - 1]) && !errno;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' || c == '@';
}

static bool word(struct operand *o, char *ret, size_t cap)
{
    size_t n = 0;

    blanks(o);
    while (o->p < o->end && is_word(*o->p)) {
        if (n + 1 >= cap)
            return false;
        ret[n++] = *o->p++;
    }
    ret[n] = '\0';
    return n != 0;
}

static int16_t reg_by_name(const struct zn_arch *a, const char *name)
{
    for (unsigned i = 0; i < a->nregs; i++)
        if (strcmp(a->regs[i].name, name) == 0)
            return (int16_t)a->regs[i].off;
    return -1;
}

/* %rax, %eax, %ax, %al, %ah, %r8, %r8d, %r8w, %r8b. */
static int16_t x86_reg(const struct zn_arch *a, char *name, uint8_t *shift)
{
    size_t n = strlen(name);

    if (n < 2)
        return -1;
    if (name[0] == 'r' && isdigit((unsigned char)name[1])) {
        if (strchr("dwb", name[n - 1]))
            name[n - 1] = '\0';
    } else if (n == 3 && (name[0] == 'r' || name[0] == 'e')) {
        name++;
    } else if (n == 3 && name[2] == 'l') { /* sil, dil, bpl, spl */
        name[2] = '\0';
    } else if (n == 2 && strchr("abcd", name[0]) && (name[1] == 'l' || name[1] == 'h')) {
        *shift = name[1] == 'h' ? 8 : 0;
        name[1] = 'x';
    }
    return strlen(name) <= 3 && strcmp(name, "cs") != 0 && strcmp(name, "ss") != 0
               ? reg_by_name(a, name)
               : -1;
}

static bool x86_take_reg(struct operand *o, int16_t *ret, uint8_t *shift)
{
    char name[MAX_NAME + 1];

    *shift = 0;
    if (!accept(o, '%') || !word(o, name, sizeof(name)))
        return false;
    *ret = x86_reg(o->at->arch, name, shift);
    return *ret >= 0;
}

/* sym, sym+8, sym-8. As an address it is as far from %rip as it is from the probe. */
static bool x86_symbol(struct operand *o)
{
    char name[MAX_SYMBOL + 1];
    uint64_t addr;
    int64_t add = 0;

    if (!word(o, name, sizeof(name)) || !o->at->symbol ||
        o->at->symbol(o->at->arg, name, &addr) < 0)
        return false;
    if (o->p < o->end && (*o->p == '+' || *o->p == '-') && !number(o, &add))
        return false;
    o->arg->base = o->at->arch->ip_off;
    o->arg->disp = (int64_t)(addr + (uint64_t)add - o->at->loc);
    return true;
}

/* (%base,%index,scale) with any part missing. */
static bool x86_parens(struct operand *o, bool symbol)
{
    struct zn_usdt_arg *a = o->arg;
    int64_t scale = 1;
    int16_t base = -1;
    uint8_t shift = 0;

    blanks(o);
    if (o->p < o->end && *o->p == '%' && !x86_take_reg(o, &base, &shift))
        return false;
    if (accept(o, ',')) {
        if (!x86_take_reg(o, &a->index, &shift))
            return false;
        if (accept(o, ',') &&
            (!number(o, &scale) || (scale != 1 && scale != 2 && scale != 4 && scale != 8)))
            return false;
    }
    if (!accept(o, ')'))
        return false;
    a->shift = (uint8_t)__builtin_ctzll((unsigned long long)scale);
    if (!symbol) {
        a->base = base;
        return true;
    }
    /* A symbol takes the base itself: sym(%rip), sym(,%rax,8); sym(%rax) makes the base an index. */
    if (base < 0 || base == o->at->arch->ip_off)
        return true;
    if (a->index >= 0)
        return false;
    a->index = base;
    return true;
}

static bool x86_operand(struct operand *o)
{
    struct zn_usdt_arg *a = o->arg;
    bool symbol = false;

    if (accept(o, '$')) {
        a->kind = ZN_USDT_CONST;
        return number(o, &a->disp);
    }
    if (o->p < o->end && *o->p == '%') {
        a->kind = ZN_USDT_REG;
        return x86_take_reg(o, &a->base, &a->shift);
    }
    a->kind = ZN_USDT_MEM;
    if (o->p == o->end)
        return false;
    if (*o->p != '(') {
        symbol = *o->p != '-' && *o->p != '+' && !isdigit((unsigned char)*o->p);
        if (symbol ? !x86_symbol(o) : !number(o, &a->disp))
            return false;
    }
    return !accept(o, '(') || x86_parens(o, symbol);
}

static bool arm64_take_reg(struct operand *o, int16_t *ret, bool *zero)
{
    char name[MAX_NAME + 1];

    *zero = false;
    if (!word(o, name, sizeof(name)))
        return false;
    if (strcmp(name, "xzr") == 0 || strcmp(name, "wzr") == 0) {
        *zero = true;
        return true;
    }
    if (strcmp(name, "wsp") == 0)
        memmove(name, name + 1, strlen(name));
    else if (name[0] == 'x' || name[0] == 'w')
        name[0] = 'r';
    *ret = name[0] == 'r' || strcmp(name, "sp") == 0 ? reg_by_name(o->at->arch, name) : -1;
    return *ret >= 0;
}

/* Behind the '[' of [base], [base, 12], [base, index] and [base, index, lsl 3]. */
static bool arm64_brackets(struct operand *o)
{
    struct zn_usdt_arg *a = o->arg;
    char name[MAX_NAME + 1];
    int64_t shift = 0;
    bool zero;

    if (!arm64_take_reg(o, &a->base, &zero) || zero)
        return false;
    if (accept(o, ',')) {
        blanks(o);
        if (o->p < o->end && isalpha((unsigned char)*o->p)) {
            if (*o->p == 'w' || !arm64_take_reg(o, &a->index, &zero) || zero)
                return false;
            if (accept(o, ',') && (!word(o, name, sizeof(name)) || strcmp(name, "lsl") != 0 ||
                                   (accept(o, '#'), !number(o, &shift)) || shift < 0 || shift > 4))
                return false;
        } else {
            (void)accept(o, '#');
            if (!number(o, &a->disp))
                return false;
        }
    }
    a->shift = (uint8_t)shift;
    return accept(o, ']');
}

static bool arm64_operand(struct operand *o)
{
    struct zn_usdt_arg *a = o->arg;
    bool zero;

    if (accept(o, '[')) {
        a->kind = ZN_USDT_MEM;
        return arm64_brackets(o);
    }
    if (o->p < o->end && isalpha((unsigned char)*o->p)) {
        if (!arm64_take_reg(o, &a->base, &zero))
            return false;
        a->kind = zero ? ZN_USDT_CONST : ZN_USDT_REG;
        return true;
    }
    (void)accept(o, '#');
    a->kind = ZN_USDT_CONST;
    return number(o, &a->disp);
}

/* "-4@": without it, as in notes of the first version, the width is a word's. */
static bool take_size(struct operand *o)
{
    struct zn_usdt_arg *a = o->arg;
    const char *at = memchr(o->p, '@', (size_t)(o->end - o->p));
    int64_t size;

    a->size = 8;
    if (!at)
        return true;
    if (!number(o, &size) || o->p != at) /* 8f@ as well */
        return false;
    o->p++;
    a->sign = size < 0;
    size = size < 0 ? -size : size;
    a->size = (uint8_t)size;
    return size == 1 || size == 2 || size == 4 || size == 8;
}

/* A constant is cut to its width like any other value. */
static void cut_const(struct zn_usdt_arg *a)
{
    unsigned sh = 64 - 8u * a->size;
    uint64_t v = (uint64_t)a->disp << sh;

    a->disp = a->sign ? (int64_t)v >> sh : (int64_t)(v >> sh);
}

static void read_arg(struct zn_arena *arena, const struct zn_usdt_place *at, const char *s,
                     size_t n, struct zn_usdt_arg *a)
{
    struct operand o = {.at = at, .p = s, .end = s + n, .arg = a};
    bool good;

    *a = (struct zn_usdt_arg){.base = -1, .index = -1, .text = zn_arena_strndup(arena, s, n)};
    good = take_size(&o) &&
           (strcmp(at->arch->name, "arm64") == 0 ? arm64_operand(&o) : x86_operand(&o));
    if (!good || o.p != o.end)
        a->kind = ZN_USDT_UNKNOWN;
    else if (a->kind == ZN_USDT_CONST)
        cut_const(a);
}

const struct zn_usdt_arg *zn_usdt_args(struct zn_arena *arena, const struct zn_usdt_place *at,
                                       const char *text, uint32_t *ret_n)
{
    struct zn_usdt_arg *v = NULL;
    uint32_t n = 0, cap = 0;

    while (*(text += strspn(text, " ")) && n < ZN_USDT_MAX_ARGS) {
        size_t len = 0;
        int deep = 0; /* blanks in brackets belong to the argument */

        for (; text[len] && (text[len] != ' ' || deep > 0); len++)
            deep += (text[len] == '[' || text[len] == '(') - (text[len] == ']' || text[len] == ')');
        zn_arena_grow(arena, v, n, cap);
        read_arg(arena, at, text, len, &v[n++]);
        text += len;
    }
    *ret_n = n;
    return v;
}
