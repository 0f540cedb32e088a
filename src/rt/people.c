/* SPDX-License-Identifier: Apache-2.0 */
/* Names of users, from /etc/passwd: read at the first question and kept. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "rt/view.h"

struct zn_people {
    char *text; /* /etc/passwd, cut into strings */
    struct person {
        uint32_t uid;
        const char *name;
    } * v;
    size_t n;
    bool read;
};

struct zn_people *zn_people_new(void)
{
    return calloc(1, sizeof(struct zn_people));
}

void zn_people_free(struct zn_people *p)
{
    if (!p)
        return;
    free(p->text);
    free(p->v);
    free(p);
}

/* "name:password:uid:…" */
static void add_line(struct zn_people *p, char *line)
{
    char *name_end = strchr(line, ':');
    char *uid = name_end ? strchr(name_end + 1, ':') : NULL;
    char *end;
    if (!uid || name_end == line)
        return;
    unsigned long n = strtoul(uid + 1, &end, 10);
    if (end == uid + 1 || *end != ':')
        return;
    *name_end = '\0';
    p->v[p->n++] = (struct person){(uint32_t)n, line};
}

static void read_all(struct zn_people *p)
{
    p->read = true;
    if (zn_file_read("/etc/passwd", 16 << 20, &p->text, NULL) < 0)
        return;
    size_t lines = 1;
    for (const char *c = p->text; *c; c++)
        lines += *c == '\n';
    p->v = calloc(lines, sizeof(*p->v));
    if (!p->v)
        return;
    char *save = NULL;
    for (char *l = strtok_r(p->text, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
        add_line(p, l);
}

const char *zn_people_name(struct zn_people *p, uint32_t uid)
{
    if (!p->read)
        read_all(p);
    for (size_t i = 0; i < p->n; i++)
        if (p->v[i].uid == uid)
            return p->v[i].name;
    return NULL;
}
