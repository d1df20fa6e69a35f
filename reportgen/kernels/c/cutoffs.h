/* The walk `cutoffs` of walks.h for counts of one byte, with ranks of 16 bits, LANES at a time: 32,
   or all 64 where their ranks take no more memory than the counts. Compiled once a VARIANT for each,
   after walks.h, whose slices of lanes have 32 of them. Every number is found as there. */

#define FN(name) JOIN(name, VARIANT)
#define OF_LANES(name) JOIN(JOIN(name, LANES), VARIANT)
#define ROW 64
#define EACH for (int r = 0; r < LANES; r++)

/* Where the lanes stand between two rows. */
typedef struct {
    double below[LANES], product[LANES], here[LANES], mine[LANES], before[LANES], due[LANES];
    i64 next[LANES], products[LANES];
} OF_LANES(standing);

/* Where ranks stand after a row. `upto` is the weight up to the first of a few rows, and `run` that of
   those few, which fits 16 bits, as do the sums over them: `held` of the weight of the rows that are
   inside, and `product` of that times rank. `lag` is twice `upto` less the block's `start`. */
typedef struct {
    i32 upto[LANES], start[LANES], all[LANES];
    u16 run[LANES], lag[LANES], held[LANES], product[LANES];
    double sum[LANES];
} OF_LANES(ranking);

/* Add the sums over a few rows to the totals, and start them again. */
static inline void OF_LANES(add_sums)(OF_LANES(ranking) *restrict s)
{
    EACH
    {
        s->sum[r] += (double)s->product[r] + 2.0 * (double)s->upto[r] * (double)s->held[r];
        s->all[r] += s->held[r];
        s->upto[r] += s->run[r];
        s->lag[r] += (u16)(2 * s->run[r]);
        s->run[r] = s->held[r] = s->product[r] = 0;
    }
}

/* Begin a block of groups. One that is a single group, of the weight `alone`, starts with its rank. */
static inline void OF_LANES(begin_block)(OF_LANES(ranking) *restrict s, const i32 *alone,
                                         i32 *restrict base)
{
    EACH
    {
        s->start[r] = 2 * (s->upto[r] + s->run[r]) + (alone ? alone[r] : 0);
        s->lag[r] = (u16)(2 * s->upto[r] - s->start[r]);
        base[r] = s->start[r];
    }
}

/* Twice the centred midrank of each group of equal values as a sum of two parts: `base` of the
   group's block, (blocks, LANES), and `off` of each group with a row that `inside` does not flag,
   (number of these + 1, LANES). Blocks hold at most 512 rows, or one group alone, and no count passes
   `most`, which is 63 or less. Returns the lanes' totals, and of the rows that `inside` flags, which
   may be absent, their weight `here` and the sum `mine` of weight * rank. */
static void OF_LANES(parted_ranks)(const u8 *count, const i32 *order, const u8 *last,
                                   const i32 *block, const u8 *inside, i64 n, i64 groups, i64 most,
                                   i32 *base, u16 *off, double *total, double *here, double *mine)
{
    const i64 few = 255 / (most > 1 ? most : 1); /* rows: 255^2 < 2^16 */
    OF_LANES(ranking) s;
    i64 waiting = 0;
    memset(&s, 0, sizeof(s));
    for (i64 g = 0, i = 0; i < n; i++, g++) {
        const int is_first = g == 0 || block[g - 1] != block[g];
        const int is_alone = is_first && (g + 1 == groups || block[g + 1] != block[g]);
        i32 group[LANES], held[LANES];
        PREFETCH(count + (i64)order[i + AHEAD < n ? i + AHEAD : n - 1] * ROW);
        const u8 *w = count + (i64)order[i] * ROW;
        if (last[i] && !is_alone) { /* one row, as in most groups */
            const u16 in = inside ? (u16)-inside[i] : 0;
            if (waiting == few) {
                OF_LANES(add_sums)(&s);
                waiting = 0;
            }
            waiting++;
            if (is_first)
                OF_LANES(begin_block)(&s, 0, base + (i64)block[g] * LANES);
            EACH
            {
                const u16 x = w[r], rank = (u16)(2 * s.run[r] + x), mine = x & in;
                off[r] = (u16)(s.lag[r] + rank);
                s.product[r] += (u16)(mine * rank);
                s.held[r] += mine;
                s.run[r] += x;
            }
            off += LANES & ~in;
            continue;
        }
        OF_LANES(add_sums)(&s);
        waiting = 0;
        int is_read = 0; /* whether a row of the group is outside, so that its rank is read */
        EACH group[r] = held[r] = 0;
        for (;; i++) {
            PREFETCH(count + (i64)order[i + AHEAD < n ? i + AHEAD : n - 1] * ROW);
            w = count + (i64)order[i] * ROW;
            const int is_inside = inside && inside[i];
            EACH group[r] += w[r];
            if (is_inside)
                EACH held[r] += w[r];
            is_read |= !is_inside;
            if (last[i])
                break;
        }
        if (is_first)
            OF_LANES(begin_block)(&s, is_alone ? group : 0, base + (i64)block[g] * LANES);
        EACH
        {
            off[r] = (u16)(s.lag[r] + group[r]);
            s.sum[r] += (double)held[r] * (double)(2 * s.upto[r] + group[r]);
            s.all[r] += held[r];
            s.upto[r] += group[r];
            s.lag[r] += (u16)(2 * group[r]);
        }
        off += is_read ? LANES : 0;
    }
    OF_LANES(add_sums)(&s);
    if (groups)
        for (i64 b = 0; b <= block[groups - 1]; b++)
            EACH base[b * LANES + r] -= s.upto[r];
    EACH
    {
        total[r] = (double)s.upto[r];
        here[r] = (double)s.all[r];
        mine[r] = s.sum[r] - here[r] * total[r];
    }
}

#if LANES == ROW
/* The length of the walk in each lane, (64), from the lanes' totals. */
static void FN(cutoff_lengths)(const u8 *count, const i32 *order, const u8 *last, i64 n,
                               const u64 *total, double *out)
{
    u32 all[ROW], here[ROW], below[ROW], before[ROW];
    double length[ROW];
    for (int r = 0; r < ROW; r++)
        all[r] = (u32)total[r], here[r] = below[r] = before[r] = 0, length[r] = 0;
    for (i64 i = 0; i < n; i++) {
        PREFETCH(count + (i64)order[i + AHEAD < n ? i + AHEAD : n - 1] * ROW);
        const u8 *w = count + (i64)order[i] * ROW;
        for (int r = 0; r < ROW; r++)
            here[r] += w[r];
        if (!last[i])
            continue;
        for (int r = 0; r < ROW; r++) {
            const double gap = ((double)before[r] + (double)here[r]) * 0.5;
            const double sides = (double)(all[r] - below[r]) * (double)below[r];
            length[r] += here[r] > 0 ? gap * sides : 0;
            below[r] += here[r];
            before[r] = here[r] > 0 ? here[r] : before[r];
            here[r] = 0;
        }
    }
    for (int r = 0; r < ROW; r++)
        out[r] = length[r];
}
#endif

/* A group of equal y ends: what the cut before it adds to the walk of each lane, from `x0` and `y0`
   to `x1` and `y1`. Returns whether a lane may have come to a share that is due. Numbers are not
   below 0, so that their bits are ordered as they are. */
static inline i64 OF_LANES(passed_cut)(OF_LANES(standing) *restrict s,
                                       const double *restrict total, const double *restrict x0,
                                       const double *restrict y0, double *restrict x1,
                                       double *restrict y1)
{
    i64 is_reached = 0, x[LANES], due[LANES];
    EACH
    {
        const double here = s->here[r], below = s->below[r], before = s->before[r];
        const double weighs = here < 1 ? here : 1; /* 1, or 0 where the group weighs nothing */
        const double gap = (before + here) * 0.5;
        const double sides = (total[r] - below) * below;
        const double all = (sides - s->product[r]) * 0.5;
        const double some = all > 0 ? all : 0;
        const double pairs = some < sides ? some : sides;
        x1[r] = x0[r] + gap * sides * weighs;
        y1[r] = y0[r] + gap * pairs * weighs;
        s->below[r] = below + here;
        s->product[r] += s->mine[r];
        s->before[r] = before + weighs * (here - before);
        s->here[r] = 0;
        s->mine[r] = 0;
    }
    memcpy(x, x1, sizeof(x));
    memcpy(due, s->due, sizeof(due));
    EACH is_reached |= x[r] >= due[r];
    return is_reached;
}

/* What `cutoffs` gives, from the `lengths` above: `out` is (k, 64) and `ends` (2, 64); `products`,
   (64), which may be absent, gets the sum of weight * rank of y * rank of score, both twice and
   centred. The rows of one large group of y, from place `from` to `past` in its order, may be flagged
   by `inside` in the order of the score: they are summed up while ranks are found. `block` is the
   block of each group by score. For each row in the order of y, `place` is the place of its score
   group in `off`, and `place_block` that group's block. */
static void OF_LANES(cutoffs)(const u8 *all, const i32 *order, const u8 *last, const i32 *place,
                              const i32 *place_block, const i32 *ranked, const u8 *ranked_last,
                              const i32 *block, const u8 *inside, i64 from, i64 past, i64 n,
                              i64 groups, i64 most, const double *lengths, const double *shares,
                              i64 k, i32 *base, u16 *off, double *out, double *ends,
                              i64 *products)
{
    for (int first = 0; first < ROW; first += LANES) {
        const u8 *count = all + first;
        double total[LANES], x[2][LANES], y[2][LANES], here[LANES], mine[LANES];
        int now = 0;
        OF_LANES(standing) s;
        OF_LANES(parted_ranks)(count, ranked, ranked_last, block, inside, n, groups, most, base,
                               off, total, here, mine);
        memset(&s, 0, sizeof(s));
        memset(x, 0, sizeof(x));
        memset(y, 0, sizeof(y));
        EACH s.due[r] = k ? shares[0] * lengths[first + r] : INFINITY;
        for (i64 i = 0; i < n; i++) {
            if (inside && i == from) {
                memcpy(s.here, here, sizeof(here));
                memcpy(s.mine, mine, sizeof(mine));
                i = past - 1;
            } else {
                const i64 ahead = i + AHEAD < n ? i + AHEAD : n - 1;
                PREFETCH(count + (i64)order[ahead] * ROW);
                for (int line = 0; line < LANES; line += 32)
                    PREFETCH(off + (i64)place[ahead] * LANES + line);
                double w[LANES];
                FN(widened)(count + (i64)order[i] * ROW, LANES, w);
                const u16 *own = off + (i64)place[i] * LANES;
                const i32 *of_block = base + (i64)place_block[i] * LANES;
                EACH
                {
                    s.here[r] += w[r];
                    s.mine[r] += w[r] * (double)(of_block[r] + own[r]);
                }
            }
            if (!last[i])
                continue;
            if (products)
                EACH s.products[r] +=
                    (i64)(2 * s.below[r] + s.here[r] - total[r]) * (i64)s.mine[r];
            const i64 is_reached =
                OF_LANES(passed_cut)(&s, total, x[now], y[now], x[1 - now], y[1 - now]);
            for (int part = 0; is_reached && part < LANES; part += 32)
                JOIN(reach_walk, VARIANT)
                (x[now] + part, y[now] + part, x[1 - now] + part, y[1 - now] + part,
                 lengths + first + part, shares, k, s.next + part, s.due + part,
                 out + first + part);
            now = 1 - now;
        }
        EACH
        {
            for (i64 j = s.next[r]; j < k; j++)
                out[j * ROW + first + r] = y[now][r];
            ends[first + r] = x[now][r];
            ends[ROW + first + r] = y[now][r];
            if (products)
                products[first + r] = s.products[r];
        }
    }
}

#undef FN
#undef OF_LANES
#undef ROW
#undef LANES
#undef EACH
