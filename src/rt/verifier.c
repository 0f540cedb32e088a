/* SPDX-License-Identifier: Apache-2.0 */
/* The verifier's log in plain words: a table of what it says and what that means for a script. */
#include "rt/verifier.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Each `says` is a piece of the kernel's message; the first row that fits counts, so the specific
 * ones stand first. */
static const struct {
    const char *says, *means, *hint;
} rows[] = {
    {"BPF program is too large",
     "the program is too large for the kernel's verifier (one million steps)",
     "split the script, or make loops and unrolled blocks shorter"},
    {"too many states", "the program has too many paths for the kernel's verifier",
     "fewer nested conditions inside loops help"},
    {"The sequence of", "the program has too many jumps for the kernel's verifier",
     "fewer nested conditions inside loops help"},
    {"program of this type cannot use helper",
     "this kind of probe can't use the function called here", NULL},
    {"unknown func", "this kernel doesn't offer the function called here to this kind of probe",
     "a newer kernel or another kind of probe may have it"},
    {"cannot call GPL-restricted function from non-GPL",
     "the function called here needs a GPL compatible license",
     "remove `license` from the config block"},
    {"cannot call GPL", "the function called here needs a GPL compatible license",
     "remove `license` from the config block"},
    {"math between map_value pointer and register with unbounded",
     "an index into a table isn't limited to the table's size", NULL},
    {"makes map_value pointer be out of bounds", "an index reaches behind the end of a table",
     NULL},
    {"invalid access to map value", "an access reaches behind the end of a map's value", NULL},
    {"invalid access to map key", "an access reaches behind the end of a map's key", NULL},
    {"map_value_or_null", "a map's element is used before it's known to exist", NULL},
    {"invalid mem access 'scalar'",
     "a number is used as an address that the kernel can't check here",
     "read it with a cast to a pointer type, or with kptr()/uptr()"},
    {"invalid mem access 'inv'", "a number is used as an address that the kernel can't check here",
     "read it with a cast to a pointer type, or with kptr()/uptr()"},
    {"invalid bpf_context access", "this field of the probe's context can't be read on this kernel",
     NULL},
    {"dereference of modified ctx ptr", "the probe's context can't be read at a computed place",
     NULL},
    {"access beyond struct", "a field lies outside of the structure that the kernel has", NULL},
    {"cannot access ptr member", "this kernel doesn't allow to read that member directly", NULL},
    {"combined stack size of", "the program needs more than the kernel's 512 bytes of stack",
     "smaller keys, shorter strings or fewer variables help"},
    {"invalid read from stack", "the program reads stack memory that was never written", NULL},
    {"invalid indirect read from stack", "the program reads stack memory that was never written",
     NULL},
    {"invalid write to stack", "the program writes outside of its stack", NULL},
    {"back-edge from insn", "this kernel doesn't allow loops of that form", "use unroll(N) { … }"},
    {"infinite loop detected", "the kernel couldn't see that a loop ends",
     "give the loop a counter that it compares with a constant"},
    {"Unreleased reference", "a ring buffer record isn't sent on every path", NULL},
    {"reference has not been acquired", "a ring buffer record is sent twice", NULL},
    {"misaligned", "a value isn't aligned as the kernel demands", NULL},
    {"R0 !read_ok", "a function's result is used without there being one", NULL},
    {"!read_ok", "a value is used before it has been set", NULL},
    {"min value is negative", "a length or index may be negative", "test it with an `if` first"},
    {"unbounded memory access", "a length isn't limited", "test it with an `if` first"},
    {"invalid zero-sized read", "a length may be zero where that isn't allowed", NULL},
    {"type=scalar expected=", "a number is given where the kernel wants memory that it knows",
     NULL},
    {"expected=", "a value of another kind is given than the called function wants", NULL},
    {"leaks addr", "a kernel address would leak: this needs CAP_PERFMON", NULL},
    {"pointer arithmetic", "arithmetic on this kind of pointer isn't allowed", NULL},
    {"pointer comparison prohibited", "these pointers can't be compared", NULL},
    {"Tracing programs must provide btf_id", "the kernel has no type information for this probe",
     NULL},
    {"attach_btf_id", "the kernel has no type information for this probe", NULL},
    {"missing btf func_info", "the kernel has no type information for a callback", NULL},
    {"unreachable insn", "part of the program can never run", NULL},
    {"jump out of range", "a jump is longer than the kernel allows", "split the script"},
    {"unknown opcode", "this kernel doesn't know an instruction of the program", NULL},
    {"BPF_STX uses reserved fields",
     "this kernel doesn't know an atomic instruction of the program", NULL},
    {"BPF_ATOMIC uses invalid atomic opcode",
     "this kernel doesn't know an atomic instruction of the program", NULL},
    {"atomic", "this kernel doesn't allow an atomic operation here", NULL},
};

static const char *line_end(const char *p)
{
    const char *e = strchr(p, '\n');
    return e ? e : p + strlen(p);
}

/* "12: (85) call …", "12: R0=… ", "from 3 to 12: R0=…" */
static bool is_state(const char *p, const char *end, int64_t *insn)
{
    if ((size_t)(end - p) > 5 && !memcmp(p, "from ", 5)) {
        const char *to = memmem(p, (size_t)(end - p), " to ", 4);
        if (!to)
            return false;
        p = to + 4;
    }
    const char *q = p;
    while (q < end && isdigit((unsigned char)*q))
        q++;
    if (q == p || q >= end || *q != ':')
        return false;
    *insn = strtoll(p, NULL, 10);
    return true;
}

int64_t zn_verifier_insn(const char *log)
{
    int64_t last = -1;
    for (const char *p = log; *p;) {
        const char *e = line_end(p);
        int64_t n = -1;
        if (is_state(p, e, &n))
            last = n;
        p = *e ? e + 1 : e;
    }
    return last;
}

static bool starts(const char *p, const char *end, const char *with)
{
    size_t n = strlen(with);
    return (size_t)(end - p) >= n && !memcmp(p, with, n);
}

static bool is_noise(const char *p, const char *end)
{
    static const char *const noise[] = {"processed ",
                                        "verification time",
                                        "stack depth",
                                        "; ",
                                        "max_states",
                                        "peak_states",
                                        "mark_precise",
                                        "last_idx",
                                        "regs=",
                                        "parent ",
                                        "func#",
                                        "Func#",
                                        "reg type unsupported",
                                        "arg#",
                                        "caller:",
                                        "callee:",
                                        "returning from callee"};
    int64_t n = -1;
    if (p == end || is_state(p, end, &n))
        return true;
    /* register states on a line of their own */
    if ((*p == 'R' && isdigit((unsigned char)p[1]) && (p[2] == '=' || p[2] == '_')) || *p == ' ')
        return true;
    for (size_t i = 0; i < ZN_ARRAY_SIZE(noise); i++)
        if (starts(p, end, noise[i]))
            return true;
    return false;
}

const char *zn_verifier_complaint(const char *log, size_t *ret_len)
{
    const char *found = log;
    *ret_len = 0;
    for (const char *p = log; *p;) {
        const char *e = line_end(p);
        if (!is_noise(p, e)) {
            found = p;
            *ret_len = (size_t)(e - p);
        }
        p = *e ? e + 1 : e;
    }
    return found;
}

const char *zn_verifier_explain(const char *complaint, size_t len, const char **ret_hint)
{
    for (size_t i = 0; i < ZN_ARRAY_SIZE(rows); i++) {
        if (!memmem(complaint, len, rows[i].says, strlen(rows[i].says)))
            continue;
        if (ret_hint)
            *ret_hint = rows[i].hint;
        return rows[i].means;
    }
    return NULL;
}
