#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every kind of probe that needs no kprobes, with counts and values that are known.
exec python3 "$(dirname "$0")/probes.py"
