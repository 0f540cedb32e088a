#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The scripts of examples/sonic print what the workload is known to have done.
exec python3 "$(dirname "$0")/sonic.py"
