/* SPDX-License-Identifier: Apache-2.0 */
/* uprobe: to come. */
#include "probes/kind.h"
int zn_expand_uprobe(struct zn_expand *x)
{
    return zn_expand_later(x);
}
int zn_list_uprobe(struct zn_list *l)
{
    (void)l;
    return 0;
}
