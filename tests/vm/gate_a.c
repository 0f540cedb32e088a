/* SPDX-License-Identifier: Apache-2.0 */
/* A program written by hand, instruction by instruction, runs on this kernel: what the compiler
 * and the loader stand on (array map, ring buffer, raw tracepoint) works and counts exactly.
 *
 * It hangs on sys_enter, leaves at once unless this process calls getppid, adds one to an array's
 * element and sends a ring record with the number. After N calls of getppid the element must be N
 * and the ring must hold the numbers 1 … N in order. No library: bpf(2), mmap and nothing else.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    CALLS = 1000,
    RING_BYTES = 64 * 1024, /* CALLS records of 16 bytes each fit */
};

struct record {
    uint64_t number;
};

#define INSN(op, dst, src, offset, value) \
    ((struct bpf_insn){                   \
        .code = (op), .dst_reg = (dst), .src_reg = (src), .off = (offset), .imm = (value)})
#define MOV(dst, src)             INSN(BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0)
#define MOVI(dst, value)          INSN(BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, value)
#define ADDI(dst, value)          INSN(BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, value)
#define RSHI(dst, value)          INSN(BPF_ALU64 | BPF_RSH | BPF_K, dst, 0, 0, value)
#define LOAD(dst, src, offset)    INSN(BPF_LDX | BPF_MEM | BPF_DW, dst, src, offset, 0)
#define STORE(dst, offset, src)   INSN(BPF_STX | BPF_MEM | BPF_DW, dst, src, offset, 0)
#define STORE_ZERO_W(dst, offset) INSN(BPF_ST | BPF_MEM | BPF_W, dst, 0, offset, 0)
#define JNEI(dst, value, offset)  INSN(BPF_JMP | BPF_JNE | BPF_K, dst, 0, offset, value)
#define JEQI(dst, value, offset)  INSN(BPF_JMP | BPF_JEQ | BPF_K, dst, 0, offset, value)
#define CALL(helper)              INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_##helper)
#define EXIT()                    INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
/* Two instructions: the address of a map. */
#define MAP(dst, fd) \
    INSN(BPF_LD | BPF_DW | BPF_IMM, dst, BPF_PSEUDO_MAP_FD, 0, fd), INSN(0, 0, 0, 0, 0)

static int bpf(int command, union bpf_attr *attr)
{
    int fd = (int)syscall(SYS_bpf, command, attr, sizeof(*attr));

    return fd < 0 ? -errno : fd;
}

static int make_map(enum bpf_map_type type, unsigned value_size, unsigned entries)
{
    union bpf_attr attr;

    memset(&attr, 0, sizeof(attr));
    attr.map_type = type;
    attr.key_size = type == BPF_MAP_TYPE_ARRAY ? 4 : 0;
    attr.value_size = value_size;
    attr.max_entries = entries;
    return bpf(BPF_MAP_CREATE, &attr);
}

static char verifier_log[64 * 1024];

static int load(const struct bpf_insn *insns, size_t count)
{
    union bpf_attr attr;

    memset(&attr, 0, sizeof(attr));
    attr.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT;
    attr.insns = (uintptr_t)insns;
    attr.insn_cnt = (unsigned)count;
    attr.license = (uintptr_t) "GPL";
    attr.log_buf = (uintptr_t)verifier_log;
    attr.log_size = sizeof(verifier_log);
    attr.log_level = 1;
    memcpy(attr.prog_name, "zhen_gate_a", sizeof("zhen_gate_a"));
    return bpf(BPF_PROG_LOAD, &attr);
}

static int attach(int program)
{
    union bpf_attr attr;

    memset(&attr, 0, sizeof(attr));
    attr.raw_tracepoint.name = (uintptr_t) "sys_enter";
    attr.raw_tracepoint.prog_fd = (unsigned)program;
    return bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

static int64_t read_count(int array)
{
    union bpf_attr attr;
    uint32_t key = 0;
    uint64_t value = 0;
    int r;

    memset(&attr, 0, sizeof(attr));
    attr.map_fd = (unsigned)array;
    attr.key = (uintptr_t)&key;
    attr.value = (uintptr_t)&value;
    r = bpf(BPF_MAP_LOOKUP_ELEM, &attr);
    return r < 0 ? r : (int64_t)value;
}

/* Reads the whole ring; ret_in_order is false if a number is not the one after its predecessor. */
static int64_t read_ring(int ring, int *ret_in_order)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), offset, length;
    uint64_t consumed = 0, produced, records = 0;
    const uint8_t *producer;

    /* The producer's page and the data, which the kernel maps twice so records never wrap. */
    producer = mmap(NULL, page + 2 * RING_BYTES, PROT_READ, MAP_SHARED, ring, (off_t)page);
    if (producer == MAP_FAILED)
        return -errno;

    *ret_in_order = 1;
    produced = __atomic_load_n((const uint64_t *)(const void *)producer, __ATOMIC_ACQUIRE);
    while (consumed < produced) {
        const uint8_t *header = producer + page + (consumed & (RING_BYTES - 1));
        struct record record;

        length = *(const uint32_t *)(const void *)header &
                 ~(uint32_t)(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
        memcpy(&record, header + BPF_RINGBUF_HDR_SZ, sizeof(record));
        if (record.number != ++records)
            *ret_in_order = 0;
        offset = BPF_RINGBUF_HDR_SZ + length;
        consumed += (offset + 7) & ~(size_t)7;
    }
    munmap((void *)(uintptr_t)producer, page + 2 * RING_BYTES);
    return (int64_t)records;
}

static int report(int ok, const char *name, const char *what, long long value)
{
    printf("%sok gate_a_%s # %s: %lld\n", ok ? "" : "not ", name, what, value);
    return ok ? 0 : 1;
}

int main(void)
{
    int array, ring, program, link, in_order = 0, failed = 0;
    int64_t count, records;
    const struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};

    /* Before 5.11 maps count as locked memory; later the call may fail and need not succeed. */
    (void)setrlimit(RLIMIT_MEMLOCK, &unlimited);

    array = make_map(BPF_MAP_TYPE_ARRAY, sizeof(uint64_t), 1);
    ring = make_map(BPF_MAP_TYPE_RINGBUF, 0, RING_BYTES);
    if (array < 0 || ring < 0)
        return report(0, "maps", "errno", array < 0 ? -array : -ring);
    failed += report(1, "maps", "made", 2);

    const struct bpf_insn insns[] = {
        /*  0 */ LOAD(BPF_REG_2, BPF_REG_1, 8), /* ctx[1], the call's number */
        /*  1 */ JNEI(BPF_REG_2, SYS_getppid, 23),
        /*  2 */ CALL(get_current_pid_tgid),
        /*  3 */ RSHI(BPF_REG_0, 32),
        /*  4 */ JNEI(BPF_REG_0, getpid(), 20),
        /*  5 */ STORE_ZERO_W(BPF_REG_10, -4), /* the key */
        /*  6 */ MAP(BPF_REG_1, array),
        /*  8 */ MOV(BPF_REG_2, BPF_REG_10),
        /*  9 */ ADDI(BPF_REG_2, -4),
        /* 10 */ CALL(map_lookup_elem),
        /* 11 */ JEQI(BPF_REG_0, 0, 13),
        /* 12 */ LOAD(BPF_REG_6, BPF_REG_0, 0),
        /* 13 */ ADDI(BPF_REG_6, 1),
        /* 14 */ STORE(BPF_REG_0, 0, BPF_REG_6),
        /* 15 */ MAP(BPF_REG_1, ring),
        /* 17 */ MOVI(BPF_REG_2, sizeof(struct record)),
        /* 18 */ MOVI(BPF_REG_3, 0),
        /* 19 */ CALL(ringbuf_reserve),
        /* 20 */ JEQI(BPF_REG_0, 0, 4),
        /* 21 */ STORE(BPF_REG_0, 0, BPF_REG_6),
        /* 22 */ MOV(BPF_REG_1, BPF_REG_0),
        /* 23 */ MOVI(BPF_REG_2, 0),
        /* 24 */ CALL(ringbuf_submit),
        /* 25 */ MOVI(BPF_REG_0, 0),
        /* 26 */ EXIT(),
    };
    program = load(insns, sizeof(insns) / sizeof(insns[0]));
    if (program < 0) {
        fputs(verifier_log, stdout);
        return report(0, "load", "errno", -program);
    }
    link = attach(program);
    if (link < 0)
        return report(0, "attach", "errno", -link);
    failed += report(1, "attach", "raw tracepoints", 1);

    for (int i = 0; i < CALLS; i++)
        syscall(SYS_getppid);
    close(link);
    syscall(SYS_getppid); /* after the end: must not be counted */

    count = read_count(array);
    records = read_ring(ring, &in_order);
    failed += report(count == CALLS, "count", "calls counted", count);
    failed += report(records == CALLS, "records", "ring records", records);
    failed += report(in_order, "order", "records in the order of the calls", in_order);
    return failed ? 1 : 0;
}
