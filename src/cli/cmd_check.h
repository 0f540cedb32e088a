/* SPDX-License-Identifier: Apache-2.0 */
/* `zhen check`: what this machine can do. */
#pragma once

/* argv[0] is the verb. Returns the exit status: 0, 1 when no script could run here, 2 on wrong use. */
int zn_cmd_check(int argc, char **argv);
