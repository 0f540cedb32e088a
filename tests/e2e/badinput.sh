#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What is wrong with a script or a machine is said clearly, with exit code 1; nothing crashes or hangs.
exec python3 "$(dirname "$0")/badinput.py"
