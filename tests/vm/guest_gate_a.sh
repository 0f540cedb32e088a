# SPDX-License-Identifier: Apache-2.0
# In the guest: counts and records of a hand-written program must match what was done.
./gate_a
