#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Who may include whom: the table of ARCHITECTURE.md, and the fences round other people's headers.
set -u
cd "$(dirname "$0")/../.."

awk '
BEGIN {
    # A room, and what it may include besides itself: rooms, or single headers of a room.
    allow["base"] = ""
    allow["arch"] = "base"
    allow["kern"] = "base arch"
    allow["sym"] = "base kern"
    allow["lang"] = "base arch"
    allow["probes"] = "base arch kern lang/probe.h lang/type.h lang/ir.h lang/btf.h lang/ast.h lang/diag.h lang/image.h"
    allow["rt"] = "base arch kern sym lang probes"
    allow["cli"] = "base arch kern sym lang probes rt"

    # A foreign header, and the rooms in which it may appear; "-" is none.
    fence["libelf.h"] = fence["gelf.h"] = fence["elfutils/*"] = "sym probes"
    fence["zlib.h"] = "sym kern"
    fence["libiberty/*"] = "sym probes" # it leaks names such as concat and xmalloc
    fence["bpf/*"] = "-"        # libbpf: we speak bpf(2) ourselves
    fence["cmocka.h"] = "-"

    # lang makes no system call: it compiles, fuzzes and runs anywhere.
    split("unistd.h fcntl.h dirent.h pthread.h signal.h poll.h sys/mman.h sys/stat.h " \
          "sys/socket.h sys/syscall.h sys/ioctl.h sys/resource.h sys/wait.h", list, " ")
    for (i in list)
        pure[list[i]] = 1
}
FNR == 1 {
    split(FILENAME, path, "/")
    room = path[2]
    if (!(room in allow) && !told[room]++)
        complain("the room " room " is not in the table (tests/check/includes.sh, ARCHITECTURE.md)")
}
function complain(text) { print "# " FILENAME ":" FNR ": " text; bad = 1 }
function has(list, word) { return index(" " list " ", " " word " ") > 0 }
/^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, part, "\"")
    header = part[2]
    other = header
    sub("/.*", "", other)
    if (header ~ /^[^\/]*\.inc$/) {
        next # the rows of a table, part of the file that includes them
    } else if (header !~ "/") {
        complain("name the room: \"" room "/" header "\"")
    } else if (!(other in allow)) {
        complain("no such room: " header)
    } else if (other != room && !has(allow[room], other) && !has(allow[room], header)) {
        complain(room " may not include " header)
    }
}
/^[ \t]*#[ \t]*include[ \t]*</ {
    header = $0
    sub(/^[^<]*</, "", header)
    sub(/>.*/, "", header)
    folder = header
    sub("/.*", "/*", folder)
    for (i = 1; i <= 2; i++) {
        name = i == 1 ? header : folder
        if (name in fence && !has(fence[name], room))
            complain("<" header "> belongs to: " fence[name])
        if (folder == header)
            break
    }
    if (room == "lang" && header in pure)
        complain("lang makes no system calls: <" header ">")
}
END { exit bad }
' $(find src -name '*.[ch]' | LC_ALL=C sort)
if [ $? = 0 ]; then echo "ok include_rules"; else echo "not ok include_rules"; exit 1; fi
