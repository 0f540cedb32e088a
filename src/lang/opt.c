/* SPDX-License-Identifier: Apache-2.0 */
/* The optimiser: so far it only threads jumps. */
#include "lang/back.h"

void zn_ir_optimise(struct zn_ir_fn *f)
{
    if (!f->error)
        zn_ir_thread_jumps(f);
}
