#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Options, signals, formats and exit codes of the command, each on a real run.
exec python3 "$(dirname "$0")/cli.py"
