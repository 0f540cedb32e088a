/* SPDX-License-Identifier: Apache-2.0 */
/* The state of one compile, shared by the passes (private to lang/).
 *
 * A *body* is the code of one probe for one set of targets that are typed alike: a probe whose
 * attach points differ in `args` or in provider is cloned into several bodies. Inference runs over
 * all bodies until no map's or variable's type changes any more; only the last round reports. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lang/ast.h"
#include "lang/compile.h"
#include "lang/type.h"

struct zn_builtin;

struct zn_varsym {
    const char *name;
    struct zn_type *type; /* NULL until assigned */
    uint32_t depth;       /* block depth of its scope; the name is gone when the block ends */
    bool declared;        /* by let with a type: no widening */
    struct zn_varsym *next;
    /* lower */
    int32_t vreg;   /* scalars */
    int32_t mem;    /* memory objects: index into the lowering's table, or -1 */
    bool is_range;  /* loop counter: not assignable */
    bool addressed; /* &$v is taken: lies in memory whatever its type */
    struct zn_cc_body *body;
};

struct zn_mapsym {
    const char *name;    /* with '@' */
    struct zn_pos pos;   /* first use */
    bool keyed, scalar;  /* how it is used */
    bool sync_read;      /* read by the program: `@x` in an expression */
    struct zn_type *key; /* unified over all uses */
    struct zn_type *value;
    const char *decl_kind; /* let @m = hash(N): "hash", "lruhash", "percpuhash", "percpulruhash" */
    int64_t decl_max;
    int64_t key_range; /* keys are known to be in [0, key_range), 0 = not known */
    int64_t key_range_exact;
    bool range_ok;             /* every keyed use has a known range */
    bool iterated;             /* for ($kv : @m) */
    bool key_strs;             /* every key is a string that is constant for its target */
    bool presence;             /* delete() or has_key() asks which keys are there, on all CPUs */
    struct zn_keyuse *keyuses; /* of the last round */
    struct zn_mapsym *next;
    int32_t image_map; /* after layout */
    int32_t uses;
};

/* One place where a map's key is computed. */
struct zn_keyuse {
    struct zn_cc_body *body;
    struct zn_node *key;
    struct zn_keyuse *next;
};

/* One body: see above. */
struct zn_cc_body {
    struct zn_node *probe; /* N_PROBE, own copy when cloned */
    enum zn_provider provider;
    const struct zn_attach_spec *spec;
    struct zn_target *targets;
    uint32_t ntargets;
    uint32_t order;    /* place in the script */
    uint32_t probe_no; /* image probe number */
    bool uses_args, uses_kstack, uses_ustack, uses_target /* probe, func */, uses_ctx;
    struct zn_varsym *vars; /* all variables of the body, for lowering */
    struct zn_cc_body *next;
};

/* The key expression of an N_MAP, or NULL. */
#define ZN_MAP_KEY(n) ((n)->a)

struct zn_cc {
    struct zn_arena *arena;
    struct zn_diags *d;
    struct zn_types types;
    const struct zn_env *env;
    struct zn_config config;
    struct zn_script *script;
    struct zn_image *img;
    const char **argv; /* $1… */
    unsigned argc;
    struct zn_named { /* --name[=value], without the dashes */
        const char *text;
        bool asked;
    } * named;
    unsigned nnamed;

    struct zn_mapsym *maps, **maps_tail;
    struct zn_cc_body *bodies, **bodies_tail;
    uint32_t nbodies;

    /* inference */
    struct zn_cc_body *body;
    struct zn_varsym *scope; /* visible variables, innermost first */
    uint32_t depth, loop_depth;
    bool changed, final;
    unsigned round;

    /* image under construction */
    uint32_t cap_strings, cap_maps, cap_actions, cap_notes, cap_progs, cap_subs;
    uint32_t rodata_len, rodata_cap;
    uint8_t *rodata;
    uint32_t zeroes_off, zeroes_len; /* a run of zeroes in .rodata */
    uint32_t glob_used, cpu_used;    /* bytes of .data cells handed out */
    uint32_t scratch_size;           /* largest need of any program */
    int32_t scratch_map, stacks_map;
    uint32_t *string_hash, string_hash_n;
};

/* Errors only in the round that counts, so that types still moving do not complain. */
struct zn_diag *zn_cc_error(struct zn_cc *cc, struct zn_pos pos, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
struct zn_diag *zn_cc_warn(struct zn_cc *cc, struct zn_pos pos, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

uint32_t zn_char_array_cap(const struct zn_type *t); /* infer_expr.c */
bool zn_has(const struct zn_cc *cc, enum zn_feature f);

/* clone.c */
struct zn_node *zn_clone(struct zn_cc *cc, const struct zn_node *n);      /* one node, deep */
struct zn_node *zn_clone_list(struct zn_cc *cc, const struct zn_node *n); /* it and its siblings */
/* Calls fn on n, its siblings and all below, parents first. */
void zn_walk(struct zn_node *n, void (*fn)(void *arg, struct zn_node *n), void *arg);

/* pass_macro.c: calls of macros to their bodies. */
void zn_pass_macro(struct zn_cc *cc);
/* pass_resolve.c: attach points to bodies. */
void zn_pass_resolve(struct zn_cc *cc);
/* pass_infer.c */
void zn_pass_infer(struct zn_cc *cc);
void zn_infer_expr(struct zn_cc *cc, struct zn_node *n);
void zn_infer_stmts(struct zn_cc *cc, struct zn_node *n);
/* An inferred node must be an integer (or bool, pointer, a map's number); says so when it is none. */
bool zn_want_int(struct zn_cc *cc, struct zn_node *n, const char *what);
/* Infers it first: every node is to be inferred in every round, once. */
bool zn_infer_int(struct zn_cc *cc, struct zn_node *n, const char *what);
struct zn_type *zn_unify(struct zn_cc *cc, struct zn_type *a, struct zn_type *b); /* NULL: clash */
struct zn_mapsym *zn_map_lookup(struct zn_cc *cc, struct zn_node *n);
void zn_map_assign_type(struct zn_cc *cc, struct zn_mapsym *m, struct zn_type *t,
                        struct zn_pos pos);
/* Infers the key of a use of map node n. */
void zn_map_use_key(struct zn_cc *cc, struct zn_node *n);
const char *zn_type_str_name(struct zn_cc *cc, const struct zn_type *t);
/* pass_map.c: where each map lives. */
void zn_load_all(struct zn_cc *cc, struct zn_type *t);
void zn_pass_map(struct zn_cc *cc);
/* lower_prog.c */
void zn_pass_lower(struct zn_cc *cc);

/* Whether an operation on a and b is unsigned: both are, or one is and the other a small literal. */
bool zn_op_unsigned(const struct zn_node *a, const struct zn_node *b);

/* Constant values. An integer constant after folding; a string that is constant for target t of the
 * body (literals, probe, func, substr of those …). */
bool zn_const_int(struct zn_cc *cc, const struct zn_node *n, int64_t *ret);
bool zn_const_str(struct zn_cc *cc, const struct zn_cc_body *body, const struct zn_target *t,
                  const struct zn_node *n, const char **ret, size_t *ret_len);
/* Whether n is a string constant for each target (its value may differ between targets). */
bool zn_is_target_str(struct zn_cc *cc, const struct zn_node *n);

/* image.c */
uint32_t zn_intern(struct zn_cc *cc, const char *s, size_t len);
int32_t zn_image_map(struct zn_cc *cc, const char *name); /* new, zeroed, kind INTERNAL */
uint32_t zn_image_action(struct zn_cc *cc, enum zn_action_kind kind, struct zn_pos pos);
uint32_t zn_rodata(struct zn_cc *cc, const void *p, uint32_t len, uint32_t align); /* offset */
uint32_t zn_rodata_zeroes(struct zn_cc *cc, uint32_t len);
uint32_t zn_cell_global(struct zn_cc *cc, uint32_t bytes);
uint32_t zn_cell_percpu(struct zn_cc *cc, uint32_t bytes);
void zn_image_finish(struct zn_cc *cc);
