/* SPDX-License-Identifier: Apache-2.0 */
/* The two rings in their order.
 *
 * A control record carries the data ring's position at its making: all data below it comes first.
 * What the same CPU wrote after the control record lies behind that position, and can be seen only
 * when the control record can: so the data position is read before the control ring is looked at. */
#include "rt/session.h"
#include "sym/sym.h"

/* Records at once: a few milliseconds of work. Actions that take longer take more of it. */
enum { BUDGET = 32768 };

static uint64_t drain_data(struct zn_session *s, uint64_t limit, bool *busy)
{
    uint64_t n = 0;
    uint32_t len;
    const void *rec;
    while (s->budget > 0 && (rec = zn_ring_next(&s->data, limit, &len, busy))) {
        zn_action_data(s, rec, len);
        s->budget--;
        n++;
    }
    zn_ring_release(&s->data);
    return n;
}

/* The head of the control ring, without taking it; its position in *ret_pos. */
static const struct zn_ctl *next_ctl(struct zn_session *s, uint32_t *ret_len, bool *busy)
{
    struct zn_ring *c = &s->ctl;
    for (;;) {
        const void *rec = c->fd < 0 ? NULL : zn_ring_next(c, zn_ring_produced(c), ret_len, busy);
        if (!rec || *ret_len >= sizeof(struct zn_ctl))
            return rec;
        s->bad_records++;
    }
}

uint64_t zn_drain(struct zn_session *s, bool *ret_busy)
{
    uint64_t n = 0;
    bool busy = false;
    if (s->tracking) /* mappings before the addresses in them */
        (void)zn_sym_track_poll(s->sym);
    s->budget = BUDGET;
    while (!busy && s->budget > 0 && !s->out->closed) {
        uint32_t len = 0;
        uint64_t limit = s->data.fd < 0 ? 0 : zn_ring_produced(&s->data);
        uint64_t ctl_before = s->ctl.pos;
        const struct zn_ctl *ctl = next_ctl(s, &len, &busy);
        if (busy)
            break;
        if (!ctl) {
            uint64_t got = s->data.fd < 0 ? 0 : drain_data(s, limit, &busy);
            n += got;
            if (!got)
                break;
            continue;
        }
        if (s->data.fd >= 0)
            n += drain_data(s, ctl->pos, &busy);
        if (busy || s->budget <= 0) { /* not its turn yet: look at it again next time */
            s->ctl.pos = ctl_before;
            break;
        }
        zn_action_ctl(s, ctl, len);
        s->budget -= 64;
        n++;
        zn_ring_release(&s->ctl);
    }
    *ret_busy = busy;
    s->backlog = s->budget <= 0;
    zn_out_batch(s->out);
    return n;
}
