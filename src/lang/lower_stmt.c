/* SPDX-License-Identifier: Apache-2.0 */
/* Statements to IR. */
#include <string.h>

#include "lang/lower.h"

static void assign(struct zn_lower *l, struct zn_node *n)
{
    if (n->a->kind == N_IDENT) { /* _ = e */
        zn_lower_expr(l, n->b);
        return;
    }
    if (n->a->kind == N_MAP) {
        const struct zn_builtin *b = n->b->kind == N_CALL ? n->b->sym : NULL;
        if (n->op != OP_NONE)
            zn_map_update_op(l, n->a, n->op, n->b);
        else if (b && (b->flags & BI_AGG))
            zn_map_aggregate(l, n->a, n->b);
        else
            zn_map_write(l, n->a, n->b);
        return;
    }
    struct zn_varsym *v = n->a->sym;
    if (!zn_type_is_scalar(v->type)) {
        struct zn_mem m = {v->mem & 1, v->mem >> 1};
        zn_vreg base;
        int32_t off;
        zn_mem_addr(l, m, &base, &off);
        zn_store_expr(l, n->b, v->type, base, off, true);
        return;
    }
    struct zn_node bin = {
        .kind = N_BINARY, .op = n->op, .pos = n->pos, .a = n->a, .b = n->b, .type = v->type};
    zn_var_set(l, v, zn_to_reg(l, zn_lower_expr(l, n->op != OP_NONE ? &bin : n->b)));
}

static void let(struct zn_lower *l, struct zn_node *n)
{
    struct zn_varsym *v = n->sym;
    if (!n->a) {
        if (zn_type_is_scalar(v->type))
            zn_var_set(l, v, zn_ir_imm(l->f, 0));
        return;
    }
    struct zn_node lhs = {.kind = N_VAR, .sym = v, .type = v->type, .pos = n->pos};
    struct zn_node as = {.kind = N_ASSIGN, .pos = n->pos, .a = &lhs, .b = n->a};
    assign(l, &as);
}

static void go(struct zn_lower *l, zn_block to)
{
    if (!zn_ir_done(l->f))
        zn_ir_jmp(l->f, to);
}

static void if_stmt(struct zn_lower *l, struct zn_node *n)
{
    zn_block t = zn_ir_block(l->f, "then"), done = zn_ir_block(l->f, "endif");
    zn_block e = n->list2 ? zn_ir_block(l->f, "else") : done;
    zn_lower_cond(l, n->c, t, e);
    zn_ir_at(l->f, t);
    zn_lower_stmts(l, n->list);
    go(l, done);
    if (n->list2) {
        zn_ir_at(l->f, e);
        zn_lower_stmts(l, n->list2);
        go(l, done);
    }
    zn_ir_at(l->f, done);
}

static void loop_body(struct zn_lower *l, struct zn_node *n, zn_block brk, zn_block cont)
{
    struct zn_loop loop = {brk, cont, l->loop};
    l->loop = &loop;
    zn_lower_stmts(l, n->list);
    l->loop = loop.outer;
    go(l, cont);
}

static void unroll(struct zn_lower *l, struct zn_node *n)
{
    int64_t times = 0;
    zn_const_int(l->cc, n->a, &times);
    zn_block brk = zn_ir_block(l->f, "unrolled");
    for (int64_t i = 0; i < times; i++) {
        zn_block cont = zn_ir_block(l->f, "turn");
        loop_body(l, n, brk, cont);
        zn_ir_at(l->f, cont);
    }
    go(l, brk);
    zn_ir_at(l->f, brk);
}

enum { MAX_TURNS = 1024 /* of a loop that the verifier follows turn by turn */, FEW_TURNS = 32 };

bool zn_loop_is_callback(struct zn_cc *cc, const struct zn_node *n)
{
    int64_t a, b;
    if (n->kind == N_FOR_MAP)
        return true;
    if ((n->kind != N_FOR_RANGE && n->kind != N_WHILE) || !zn_has(cc, ZF_BPF_LOOP))
        return false;
    return n->kind == N_WHILE || !zn_const_int(cc, n->a, &a) || !zn_const_int(cc, n->b, &b) ||
           b - a > FEW_TURNS;
}

/* while and for over a range: a counter that the verifier can follow bounds the turns. */
static void loop(struct zn_lower *l, struct zn_node *n)
{
    struct zn_ir_fn *f = l->f;
    zn_block head = zn_ir_block(f, "loop"), body = zn_ir_block(f, "turn"),
             cont = zn_ir_block(f, "continue"), done = zn_ir_block(f, "looped"),
             capped = zn_ir_block(f, "cap"), test = zn_ir_block(f, "test");
    zn_vreg turns = zn_ir_vreg(f, ZN_V_SCALAR), end = ZN_NOREG;
    struct zn_varsym *v = n->kind == N_FOR_RANGE ? n->sym : NULL;
    if (v) {
        zn_ir_mov_to(f, v->vreg, zn_lower_int(l, n->a));
        end = zn_lower_int(l, n->b);
    }
    zn_ir_imm_to(f, turns, 0);
    zn_ir_jmp(f, head);
    zn_ir_at(f, head);
    zn_ir_bri(f, CMP_LT, 8, turns, MAX_TURNS, test, capped);
    f->blocks[capped].cold = true;
    zn_ir_at(f, capped);
    zn_loss(l, ZL_LOOP);
    zn_ir_jmp(f, done);
    zn_ir_at(f, test);
    zn_ir_mov_to(f, turns, zn_ir_alui(f, ALU_ADD, 8, turns, 1));
    if (v)
        zn_ir_br(f, CMP_SLT, 8, v->vreg, end, body, done);
    else
        zn_lower_cond(l, n->c, body, done);
    zn_ir_at(f, body);
    loop_body(l, n, done, cont);
    zn_ir_at(f, cont);
    if (v)
        zn_ir_mov_to(f, v->vreg, zn_ir_alui(f, ALU_ADD, 8, v->vreg, 1));
    zn_ir_jmp(f, head);
    zn_ir_at(f, done);
}

static void stmt(struct zn_lower *l, struct zn_node *n)
{
    switch (n->kind) {
    case N_EXPR_STMT:
        if (n->a->kind == N_INCDEC)
            n->a->implied = true;
        zn_lower_expr(l, n->a);
        break;
    case N_ASSIGN: assign(l, n); break;
    case N_LET: let(l, n); break;
    case N_IF: if_stmt(l, n); break;
    case N_UNROLL: unroll(l, n); break;
    case N_FOR_MAP:
    case N_WHILE:
    case N_FOR_RANGE:
        if (zn_loop_is_callback(l->cc, n))
            zn_lower_loop(l, n);
        else
            loop(l, n);
        break;
    case N_BREAK: zn_ir_jmp(l->f, l->loop->brk); break;
    case N_CONTINUE: zn_ir_jmp(l->f, l->loop->cont); break;
    case N_RETURN:
        if (n->a)
            zn_lower_expr(l, n->a);
        zn_ir_jmp(l->f, l->end);
        break;
    case N_BLOCK: zn_lower_stmts(l, n->list); break;
    default: zn_lower_expr(l, n);
    }
}

static struct zn_mapsym *whole_map(const struct zn_node *n, const char *call)
{
    if (!n || n->kind != N_EXPR_STMT || n->a->kind != N_CALL || strcmp(n->a->name, call) != 0)
        return NULL;
    struct zn_node *m = n->a->list;
    return m && m->kind == N_MAP && !ZN_MAP_KEY(m) ? m->sym : NULL;
}

/* print(@m); clear(@m); side by side: user space takes the values out as it prints them, so that
 * nothing that is counted meanwhile falls between. */
static bool print_clears(struct zn_lower *l, const struct zn_node *n)
{
    struct zn_mapsym *m = whole_map(n, "print");
    if (!m || whole_map(n->next, "clear") != m)
        return false;
    struct zn_action *a = &l->cc->img->actions[l->cc->img->nactions - 1];
    a->clear_after = a->kind == ZA_PRINT_MAP;
    return a->clear_after;
}

void zn_lower_stmts(struct zn_lower *l, struct zn_node *n)
{
    for (; n; n = n->next) {
        if (zn_ir_done(l->f)) { /* after return, break …: code that nothing reaches */
            zn_block dead = zn_ir_block(l->f, "unreachable");
            zn_ir_at(l->f, dead);
        }
        struct zn_marks m = zn_mem_mark(l);
        l->f->pos = n->pos;
        stmt(l, n);
        zn_mem_release(l, m);
        if (print_clears(l, n))
            n = n->next;
    }
}
