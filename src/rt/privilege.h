/* SPDX-License-Identifier: Apache-2.0 */
/* Which capability is missing when the kernel says EPERM. */
#pragma once

struct zn_diags;
struct zn_diag;

/* Adds to diag a hint that names what this process lacks. */
void zn_privilege_hint(struct zn_diags *d, struct zn_diag *diag);
/* What this process lacks to run any script at all ("missing capability: …"), or NULL. */
const char *zn_privilege_missing(void);
