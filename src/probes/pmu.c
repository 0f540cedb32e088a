/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic event sources as sysfs describes them. */
#include "probes/pmu.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/mem.h"

int zn_pmu_read(const char *name, struct zn_pmu *ret)
{
    ZN_AUTOFREE char *type = NULL, *bit = NULL;
    struct zn_pmu pmu = {0};
    char path[128];
    int r;

    snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", name);
    r = zn_file_read(path, 64, &type, NULL);
    if (r)
        return r;
    pmu.type = (uint32_t)strtoul(type, NULL, 10);
    snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/format/retprobe", name);
    if (zn_file_read(path, 64, &bit, NULL) == 0 && sscanf(bit, "config:%u", &pmu.retprobe_bit) != 1)
        pmu.retprobe_bit = 0;
    *ret = pmu;
    return 0;
}
