#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Calls of the 32-bit and x32 tables and numbers that don't exist are no 64-bit system calls.
exec python3 "$(dirname "$0")/compat.py"
