/* SPDX-License-Identifier: Apache-2.0 */
/* Random functions run for real: interpreted, optimised and interpreted, and assembled and run by
 * the kernel must agree. Arguments: how many, and the first seed. */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir_random.h"

enum { LOG_BYTES = 1 << 20 };

struct rig {
    int map;
    uint8_t *value;
    char *log;
    unsigned ran, refused_size;
};

static long bpf(int cmd, union bpf_attr *attr)
{
    return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static void set_up(struct rig *rig)
{
    struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_MEMLOCK, &all);
    union bpf_attr attr = {
        .map_type = BPF_MAP_TYPE_ARRAY,
        .key_size = 4,
        .value_size = RND_VALUE,
        .max_entries = 1,
        .map_flags = BPF_F_MMAPABLE,
    };
    rig->map = (int)bpf(BPF_MAP_CREATE, &attr);
    if (rig->map < 0) {
        printf("skipped: bpf(2) is refused: %s\n", strerror(errno));
        exit(77);
    }
    rig->value = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, rig->map, 0);
    rig->log = calloc(1, LOG_BYTES);
    if (rig->value == MAP_FAILED || !rig->log) {
        perror("mmap");
        exit(1);
    }
}

/* The subprogram stands behind the main one. */
static struct bpf_insn *link_code(const struct rig *rig, const struct zn_code *main,
                                  const struct zn_code *sub, uint32_t *ret_n)
{
    bool calls = false;
    struct bpf_insn *out = calloc(main->n + sub->n, sizeof(*out));
    memcpy(out, main->insns, main->n * sizeof(*out));
    for (uint32_t k = 0; k < main->nrelocs; k++) {
        const struct zn_reloc *r = &main->relocs[k];
        if (r->kind == RL_CALL) {
            out[r->insn].imm = (int32_t)(main->n - r->insn - 1);
            calls = true;
        } else {
            out[r->insn].imm = rig->map;
        }
    }
    memcpy(out + main->n, sub->insns, sub->n * sizeof(*out));
    *ret_n = main->n + (calls ? sub->n : 0);
    return out;
}

static int load(const struct rig *rig, const struct bpf_insn *insns, uint32_t n, uint32_t level)
{
    union bpf_attr attr = {
        .prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
        .insns = (uintptr_t)insns,
        .insn_cnt = n,
        .license = (uintptr_t) "GPL",
        .log_level = level,
        .log_buf = level ? (uintptr_t)rig->log : 0,
        .log_size = level ? LOG_BYTES : 0,
    };
    return (int)bpf(BPF_PROG_LOAD, &attr);
}

static int run(int prog, const uint64_t *ctx, uint32_t *ret)
{
    union bpf_attr attr = {
        .test = {.prog_fd = (uint32_t)prog, .ctx_in = (uintptr_t)ctx, .ctx_size_in = 8 * RND_CTX}};
    long r = bpf(BPF_PROG_TEST_RUN, &attr);
    *ret = attr.test.retval;
    return (int)r;
}

static void fill(struct rnd_machine *m, uint64_t seed, const struct zn_ir_fn *sub)
{
    memset(m, 0, sizeof(*m));
    m->sub = sub;
    for (int k = 0; k < RND_INPUTS; k++) {
        int64_t v = (int64_t)rnd_next(&seed) >> (rnd_next(&seed) % 63);
        memcpy(m->value + 8 * k, &v, 8);
    }
    for (int k = 0; k < RND_CTX; k++)
        m->ctx[k] = rnd_next(&seed);
}

static void dump(const struct zn_ir_fn *f, const struct zn_code *code)
{
    ZN_AUTOSTR struct zn_str s;
    zn_str_init(&s);
    zn_ir_dump(f, &s);
    if (code)
        zn_disasm(code, NULL, NULL, &s);
    fputs(zn_str_c(&s), stdout);
}

/* 0 when the kernel agrees, 1 when not. */
static int against_kernel(struct rig *rig, struct rnd_prog *p, const struct rnd_machine *start,
                          const struct rnd_machine *want, uint64_t ret, bool v4)
{
    struct zn_code main, sub;
    const char *why = NULL;
    int r = zn_ir_assemble(p->main, v4, &main, &why);
    if (!r)
        r = zn_ir_assemble(p->sub, v4, &sub, &why);
    if (r) {
        printf("assemble: %s: %s\n", strerror(-r), why);
        return r != -ENOSPC;
    }
    uint32_t n, got;
    ZN_AUTOFREE struct bpf_insn *insns = link_code(rig, &main, &sub, &n);
    int prog = load(rig, insns, n, 0);
    if (prog < 0 && errno == E2BIG) {
        rig->refused_size++;
        return 0;
    }
    if (prog < 0) {
        load(rig, insns, n, 1);
        dump(p->main, &main);
        printf("%s\nrefused\n", rig->log);
        return 1;
    }
    memcpy(rig->value, start->value, RND_VALUE);
    r = run(prog, start->ctx, &got);
    close(prog);
    rig->ran++;
    if (!r && got == (uint32_t)ret && !memcmp(rig->value, want->value, RND_VALUE))
        return 0;
    dump(p->main, &main);
    printf("test run %d, returned %#x, expected %#x\n", r, got, (uint32_t)ret);
    for (int k = 0; k < RND_VALUE / 8; k++)
        if (memcmp(rig->value + 8 * k, want->value + 8 * k, 8))
            printf("value[%d] %#llx, expected %#llx\n", k,
                   (unsigned long long)((uint64_t *)rig->value)[k],
                   (unsigned long long)((const uint64_t *)want->value)[k]);
    return 1;
}

static int one(struct rig *rig, uint64_t seed, bool optimise, bool v4)
{
    struct zn_arena a;
    zn_arena_init(&a);
    const char *why;
    struct rnd_prog p = rnd_build(&a, seed, 4 + (int)(seed % 90));
    static struct rnd_machine start, want, again;
    fill(&start, seed, p.sub);
    want = start;
    uint64_t ret = rnd_interpret(&want, p.main, NULL);
    int r = 0;
    if (p.main->error || zn_ir_verify(p.main, &why) || zn_ir_verify(p.sub, &why)) {
        printf("verify: %s\n", p.main->error ? p.main->error : why);
        r = 1;
    }
    if (!r && optimise) {
        zn_ir_optimise(p.main);
        zn_ir_optimise(p.sub);
        again = start;
        uint64_t ret2 = 0;
        if (zn_ir_verify(p.main, &why) || zn_ir_verify(p.sub, &why)) {
            printf("verify after optimising: %s\n", why);
            r = 1;
        } else {
            ret2 = rnd_interpret(&again, p.main, NULL);
        }
        if (r || ret != ret2 || memcmp(want.value, again.value, RND_VALUE)) {
            struct rnd_prog plain = rnd_build(&a, seed, 4 + (int)(seed % 90));
            dump(plain.main, NULL);
            dump(p.main, NULL);
            printf("optimiser changed the meaning\n");
            r = 1;
        }
    }
    if (!r && want.steps < 100000)
        r = against_kernel(rig, &p, &start, &want, ret, v4);
    zn_arena_fini(&a);
    if (r)
        printf("seed %llu, %s, cpu %s\n", (unsigned long long)seed,
               optimise ? "optimised" : "plain", v4 ? "v4" : "v3");
    return r;
}

int main(int argc, char **argv)
{
    unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    struct rig rig = {0};
    set_up(&rig);
    for (uint64_t s = seed; s < seed + n; s++)
        for (int how = 0; how < 2; how++)
            if (one(&rig, s, how, (s + (uint64_t)how) & 1))
                return 1;
    printf("%u runs agree; %u programs too large for the verifier\n", rig.ran, rig.refused_size);
    free(rig.log);
    return rig.ran ? 0 : 1;
}
