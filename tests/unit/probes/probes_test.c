/* SPDX-License-Identifier: Apache-2.0 */
/* A host over this machine, and hand-written programs that count into a mapped array. */
#include "probes_test.h"

#include <errno.h>
#include <linux/bpf.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "kern/sysinfo.h"
#include "probes/attach_impl.h"

void place_open(struct place *p, const struct zn_probes_env *env)
{
    struct zn_probes_env e = env ? *env : (struct zn_probes_env){.features = ~0ULL};

    memset(p, 0, sizeof(*p));
    zn_arena_init(&p->arena);
    if (zn_kbtf_open(NULL, &p->blob) == 0)
        assert_int_equal(zn_btf_open(p->blob->data, p->blob->len, NULL, &p->btf), 0);
    zn_types_init(&p->types, &p->arena, p->btf, NULL);
    if (!e.btf)
        e.btf = p->btf;
    p->host = zn_probes_host(&e);
    assert_non_null(p->host);
}

void place_close(struct place *p)
{
    zn_probes_host_free(p->host);
    if (p->btf)
        zn_btf_close(p->btf);
    if (p->blob)
        zn_kbtf_close(p->blob);
    zn_arena_fini(&p->arena);
}

int place_expand(struct place *p, const char *written)
{
    const char *parts[8];
    unsigned n = 0;
    struct zn_attach_spec spec = {.written = zn_arena_strdup(&p->arena, written)};
    char *text = zn_arena_strdup(&p->arena, written);

    while (text && n < 8) {
        char *colon = strchr(text, ':');

        if (colon)
            *colon++ = '\0';
        parts[n++] = text;
        text = colon;
    }
    spec.provider = zn_provider_find(parts[0]);
    assert_non_null(spec.provider);
    spec.parts = parts + 1;
    spec.nparts = n - 1;
    p->list = (struct zn_target_list){0};
    p->why = p->hint = p->note = NULL;
    /* The parts must live as long as the targets. */
    const char **kept = zn_arena_array(&p->arena, const char *, n);

    memcpy(kept, parts, sizeof(*kept) * n);
    spec.parts = kept + 1;
    return p->host->expand(p->host->arg, &p->types, &spec, &p->list, &p->why, &p->hint, &p->note);
}

struct zn_target *place_one(struct place *p, const char *written)
{
    int r = place_expand(p, written);

    if (r)
        print_error("%s: %s\n", written, p->why ? p->why : "?");
    assert_int_equal(r, 0);
    assert_int_equal(p->list.n, 1);
    return &p->list.v[0];
}

struct zn_target *place_find(struct place *p, const char *name)
{
    for (uint32_t i = 0; i < p->list.n; i++)
        if (strcmp(p->list.v[i].name, name) == 0)
            return &p->list.v[i];
    return NULL;
}

const struct zn_field *field_of(const struct zn_target *t, const char *name)
{
    for (uint32_t i = 0; t->args && i < t->args->nfields; i++)
        if (strcmp(t->args->fields[i].name, name) == 0)
            return &t->args->fields[i];
    return NULL;
}

bool may_trace(void)
{
    return zn_cap_effective(zn_caps_effective(), 39 /* CAP_BPF */) &&
           zn_cap_effective(zn_caps_effective(), 38 /* CAP_PERFMON */);
}

struct code {
    struct bpf_insn v[64];
    unsigned n;
};

static void emit(struct code *c, uint8_t op, uint8_t dst, uint8_t src, int16_t off, int32_t imm)
{
    c->v[c->n++] =
        (struct bpf_insn){.code = op, .dst_reg = dst, .src_reg = src, .off = off, .imm = imm};
}

/* Jumps to the end unless r0 equals imm; patched by finish(). */
static void unless(struct code *c, int32_t imm)
{
    emit(c, BPF_JMP | BPF_JNE | BPF_K, 0, 0, 0, imm);
}

static void finish(struct code *c)
{
    for (unsigned i = 0; i < c->n; i++)
        if (c->v[i].code == (BPF_JMP | BPF_JNE | BPF_K))
            c->v[i].off = (int16_t)(c->n - i - 1);
    emit(c, BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0);
    emit(c, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

static void add_to_cell(struct code *c, int map, int cell, uint8_t reg)
{
    emit(c, BPF_LD | BPF_IMM | BPF_DW, 1, BPF_PSEUDO_MAP_VALUE, 0, map);
    emit(c, 0, 0, 0, 0, cell * 8);
    emit(c, BPF_STX | BPF_ATOMIC | BPF_DW, 1, reg, 0, BPF_ADD);
}

static void write_code(struct code *c, const struct counter_opts *o, int map)
{
    emit(c, BPF_ALU64 | BPF_MOV | BPF_X, 6, 1, 0, 0);
    if (!o->any_process) {
        emit(c, BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_get_current_pid_tgid);
        emit(c, BPF_ALU64 | BPF_RSH | BPF_K, 0, 0, 0, 32);
        unless(c, getpid());
    }
    if (o->only_nr >= 0) {
        emit(c, BPF_LDX | BPF_MEM | BPF_DW, 0, 6, 8, 0);
        unless(c, o->only_nr);
    }
    emit(c, BPF_ALU64 | BPF_MOV | BPF_K, 2, 0, 0, 1);
    add_to_cell(c, map, 0, 2);
    if (o->cookies) {
        emit(c, BPF_ALU64 | BPF_MOV | BPF_X, 1, 6, 0, 0);
        emit(c, BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_get_attach_cookie);
        add_to_cell(c, map, 1, 0);
    }
    finish(c);
}

static int make_map(void)
{
    union bpf_attr attr = {0};

    attr.map_type = BPF_MAP_TYPE_ARRAY;
    attr.key_size = 4;
    attr.value_size = 16;
    attr.max_entries = 1;
    attr.map_flags = BPF_F_MMAPABLE;
    return zn_sys_bpf(BPF_MAP_CREATE, &attr, sizeof(attr));
}

int counter_open(struct counter *c, const struct counter_opts *o)
{
    struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
    union bpf_attr attr = {0};
    struct code code = {0};
    void *cells;

    (void)setrlimit(RLIMIT_MEMLOCK, &unlimited); /* kernels before 5.11 count maps against it */
    *c = (struct counter){.map = make_map(), .prog = -1};
    assert_true(c->map >= 0);
    cells = mmap(NULL, 4096, PROT_READ, MAP_SHARED, c->map, 0);
    assert_ptr_not_equal(cells, MAP_FAILED);
    c->cells = cells;
    write_code(&code, o, c->map);
    attr.prog_type = o->prog_type;
    attr.expected_attach_type = o->expected_attach;
    attr.attach_btf_id = o->btf_id;
    attr.insns = (uint64_t)(uintptr_t)code.v;
    attr.insn_cnt = code.n;
    attr.license = (uint64_t)(uintptr_t) "GPL";
    c->prog = zn_sys_bpf(BPF_PROG_LOAD, &attr, sizeof(attr));
    return c->prog < 0 ? c->prog : 0;
}

void counter_close(struct counter *c)
{
    munmap((void *)(uintptr_t)c->cells, 4096);
    close(c->map);
    if (c->prog >= 0)
        close(c->prog);
}
