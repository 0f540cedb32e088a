#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The hand-written program on this machine's own kernel.
exec "${ZHEN_BUILD:?the build folder}/tests/vm/gate_a"
