#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The article's first command: six counters for one process. PID instead of its 12345.
#   sudo ./six_probes.sh PID
set -eu
pid=${1:?usage: six_probes.sh PID}
program='
syscalls::sys_enter_read /pid == 12345/ { @reads = count(); }
syscalls::sys_enter_write /pid == 12345/ { @writes = count(); }
syscalls::sys_enter_openat /pid == 12345/ { @opens = count(); }
syscalls::sys_enter_close /pid == 12345/ { @closes = count(); }
syscalls::sys_enter_mmap /pid == 12345/ { @mmaps = count(); }
syscalls::sys_enter_futex /pid == 12345/ { @futexes = count(); }
'
exec ${BPFTRACE:-zhen trace} -e "$(printf '%s' "$program" | sed "s/12345/$pid/")"
