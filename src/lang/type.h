/* SPDX-License-Identifier: Apache-2.0 */
/* The types of the language, and how a value of each lies in memory.
 *
 * `size` is the C size (what sizeof gives). The *stored* form is how a value stands in map keys, map
 * values, tuples and ring records: always a multiple of 8 bytes, 8-aligned, zero-padded, so that
 * keys compare as words and nothing leaks. zn_type_stored() gives its size:
 *
 *   T_BOOL T_INT T_ENUM T_PTR    8: sign- or zero-extended to 64 bits
 *   T_STR, interned              8: index into the image's strings
 *   T_STR                        size rounded up to 8: bytes, NUL-terminated unless full, zero-padded
 *   T_BUF                        8 + size rounded up: u64 length, bytes
 *   T_ARRAY T_STRUCT             size rounded up: the C bytes
 *   T_TUPLE T_RECORD             the stored forms of the fields, one after the other
 *   T_INET                       24: u64 number of address bytes (4 or 16), 16 bytes
 *   T_KSYM 8: address            T_USYM 16: address, u64 tgid
 *   T_KSTACK 8: stack id         T_USTACK 16: stack id, u64 tgid      (id = 64-bit hash, 0 = none)
 *   T_MAC 8                      T_TIMESTAMP 8: ns (see ts)            T_CGPATH 8: cgroup id
 *   T_STRERROR 8: errno          T_USERNAME 8: uid                     T_SYSCALL T_SIGNAME 8: number
 *   T_COUNT 8: u64 n             T_SUM 8: s64
 *   T_MIN T_MAX 16: u64 key, u64 set; key = v ^ 1<<63 for max, ~(v ^ 1<<63) for min: a larger key
 *                   wins, and zeroed memory is the neutral element
 *   T_AVG T_STATS 16: u64 count, s64 total
 *   T_HIST 8 * nbuckets, T_LHIST 8 * (buckets + 2): u64 counts (zn_hist_* below)
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zn_arena;
struct zn_str;
struct zn_btf;
struct zn_cdecl;
struct zn_ctype;

enum zn_type_kind {
    T_NONE, /* no value (a statement's call) */
    T_VOID,
    T_BOOL,
    T_INT,
    T_ENUM,
    T_PTR,
    T_ARRAY,
    T_STRUCT, /* struct or union */
    T_STR,
    T_BUF,
    T_TUPLE,
    T_RECORD,
    T_INET,
    T_KSYM,
    T_USYM,
    T_KSTACK,
    T_USTACK,
    T_MAC,
    T_TIMESTAMP,
    T_CGPATH,
    T_STRERROR,
    T_USERNAME,
    T_SYSCALL, /* number of a system call, shown by name */
    T_SIGNAME, /* number of a signal, shown by name */
    T_COUNT,
    T_SUM,
    T_MIN,
    T_MAX,
    T_AVG,
    T_STATS,
    T_HIST,
    T_LHIST,
    T_TSERIES,
    _ZN_TYPE_MAX,
};

enum zn_space { ZN_SPACE_NONE, ZN_SPACE_KERNEL, ZN_SPACE_USER };
enum zn_stack_mode { ZN_STACK_BPFTRACE, ZN_STACK_PERF, ZN_STACK_RAW, ZN_STACK_BUILD_ID };
enum zn_ts_mode { ZN_TS_MONOTONIC, ZN_TS_BOOT, ZN_TS_TAI, ZN_TS_SW_TAI };

struct zn_field {
    const char *name; /* NULL for tuple elements */
    struct zn_type *type;
    uint32_t off;    /* bytes: in the C struct, or in the stored tuple/record */
    uint8_t bit_off; /* bit-fields: first bit counted from `off`'s least significant bit. off is a
                       * multiple of type->size and the bits lie within type->size bytes, except
                       * where a packed struct lets them straddle: then off is the first byte */
    uint8_t bits;    /* 0 = no bit-field */
    bool data_loc;   /* tracepoint __data_loc: u32 at off holds (len << 16 | offset from record) */
    int8_t reg;      /* ZN_REG_*: where the value is when it is not in memory at off */
    uint8_t arg;     /* with ZN_REG_ARG / ZN_REG_CTX64: which one */
};
enum {
    ZN_REG_NONE = 0,
    ZN_REG_ARG /* function argument register `arg` of a pt_regs context */,
    ZN_REG_SYSARG /* system call argument register `arg` of the pt_regs in ctx[0] */,
    ZN_REG_CTX64 /* u64 number `arg` of the context (raw tracepoints, fentry) */,
    ZN_REG_SYSNR /* the number of the system call */
};

struct zn_enumerator {
    const char *name;
    int64_t value;
};

struct zn_type {
    enum zn_type_kind kind;
    uint32_t size; /* C size in bytes; T_STR/T_BUF: capacity; T_HIST: bits k */
    bool sign;     /* T_INT, T_ENUM, T_SUM/T_MIN/T_MAX/T_AVG/T_STATS (values are signed) */
    bool interned; /* T_STR */
    bool is_union;
    bool is_char;         /* T_INT of 1 byte that C calls char */
    bool user_tag;        /* T_PTR that BTF tags __user */
    uint8_t space;        /* enum zn_space, T_PTR and T_STRUCT values: where it points/lies */
    struct zn_type *elem; /* T_PTR pointee, T_ARRAY element */
    uint32_t nelem;       /* T_ARRAY; 0 = flexible */
    const char
        *name; /* T_STRUCT/T_ENUM tag without "struct "; NULL anonymous; T_INT C name or NULL */
    uint32_t btf_id;          /* T_STRUCT/T_ENUM from BTF, else 0 */
    const struct zn_btf *btf; /* what btf_id counts in (vmlinux's, or a module's), else NULL */
    uint32_t align;           /* T_STRUCT: C alignment in bytes; 0 = not yet known */
    struct zn_field *fields;  /* T_STRUCT (filled on first zn_type_fields), T_TUPLE, T_RECORD */
    uint32_t nfields;
    bool fields_done;
    struct zn_enumerator *enums;
    uint32_t nenums;
    /* presentation */
    uint8_t stack_mode;   /* enum zn_stack_mode */
    uint32_t stack_depth; /* frames kept */
    uint8_t ts_mode;      /* enum zn_ts_mode */
    int32_t fmt; /* T_TIMESTAMP: image string of the strftime format, -1 none; T_CGPATH: filter */
    int64_t lo, hi, step; /* T_LHIST */
};

struct zn_types {
    struct zn_arena *arena;
    const struct zn_btf *btf;      /* or NULL */
    const struct zn_cdecl *cdecls; /* the script's own definitions */
    struct zn_type_cache *cache;   /* type.c */
};

void zn_types_init(struct zn_types *t, struct zn_arena *arena, const struct zn_btf *btf,
                   const struct zn_cdecl *cdecls);
struct zn_type *zn_type_new(struct zn_types *t, enum zn_type_kind kind);
struct zn_type *zn_type_int(struct zn_types *t, unsigned size, bool sign);
struct zn_type *zn_type_simple(struct zn_types *t, enum zn_type_kind kind); /* shared, immutable */
struct zn_type *zn_type_str(struct zn_types *t, uint32_t cap, bool interned);
struct zn_type *zn_type_ptr(struct zn_types *t, struct zn_type *elem, enum zn_space space);
struct zn_type *zn_type_array(struct zn_types *t, struct zn_type *elem, uint32_t n);
/* A tuple (names NULL) or record of n element types; offsets are those of the stored form. */
struct zn_type *zn_type_tuple(struct zn_types *t, struct zn_type *const *elems,
                              const char *const *names, uint32_t n);
/* A type as written in a script, C, or a format file: language names (uint8, string[N], buffer[N]),
 * C names, kernel typedefs and structs by BTF, the script's own. NULL when unknown: *why says so. */
struct zn_type *zn_type_from_ctype(struct zn_types *t, const struct zn_ctype *c, const char **why);
/* From the kernel's BTF. Never NULL: what has no counterpart becomes T_VOID. */
struct zn_type *zn_type_from_btf(struct zn_types *t, uint32_t id);
/* The same for an id of another BTF: a module's split one. */
struct zn_type *zn_type_from_btf_of(struct zn_types *t, const struct zn_btf *btf, uint32_t id);
/* The fields of a struct (loaded on first use); anonymous members are entered by lookup. */
void zn_type_load_fields(struct zn_types *t, struct zn_type *st);
/* Finds a (possibly nested anonymous) member; *ret has `off` from the start of st. */
bool zn_type_field(struct zn_types *t, struct zn_type *st, const char *name, struct zn_field *ret);
/* An enum constant by name, of the script's own enums or any of the kernel's. */
bool zn_type_enumerator(struct zn_types *t, const char *name, struct zn_type **ret_enum,
                        int64_t *ret_value);
uint32_t zn_type_stored(const struct zn_type *t);
bool zn_type_is_agg(const struct zn_type *t);    /* T_COUNT … T_TSERIES */
bool zn_type_is_scalar(const struct zn_type *t); /* one 8-byte word in a register */
bool zn_type_equal(const struct zn_type *a, const struct zn_type *b);
void zn_type_name(const struct zn_type *t, struct zn_str *out); /* as messages show it: "uint64" */

/* hist(n, k): the first bucket holds negatives, then values 0 .. 2^k - 1 one bucket each, then each
 * power-of-two range is cut into 2^k buckets. Number of buckets for k bits; the bucket of a value;
 * the closed interval [*lo, *hi] of a bucket (lo of the first and hi of the last are open: INT64_MIN
 * / UINT64_MAX). The code that lower makes computes the same. */
uint32_t zn_hist_buckets(unsigned k);
uint32_t zn_hist_bucket(int64_t v, unsigned k);
void zn_hist_range(uint32_t bucket, unsigned k, int64_t *lo, uint64_t *hi);
/* lhist(n, lo, hi, step): bucket 0 is below lo, 1 + (v - lo) / step, the last is hi and above.
 * Number of buckets with the two open ones; the inner one next to hi may be shorter than step. 0 when
 * the bounds make no histogram. */
uint32_t zn_lhist_buckets(int64_t lo, int64_t hi, int64_t step);
