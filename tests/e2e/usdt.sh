#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# usdt probes and watchpoints of programs whose values and counts are known.
exec python3 "$(dirname "$0")/usdt.py"
