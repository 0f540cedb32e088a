#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What is lost is counted: delivered and lost together are exactly what was offered.
exec python3 "$(dirname "$0")/losses.py"
