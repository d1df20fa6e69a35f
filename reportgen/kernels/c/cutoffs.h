/* The walk `cutoffs` of walks.h for counts of one byte, 32 lanes at a time, with ranks of 16 bits.
   Compiled once a VARIANT, after walks.h, whose slices of lanes are half as wide. Every number is
   found as there. */

#define FN(name) JOIN(name, VARIANT)
#define ROW 64
#define HALF 32
#define IN_HALF for (int r = 0; r < HALF; r++)

/* Where the lanes stand between two rows. */
typedef struct {
    double below[HALF], product[HALF], here[HALF], mine[HALF], before[HALF], due[HALF];
    i64 next[HALF], products[HALF];
} FN(standing);

/* Twice the centred midrank of each group of equal values as a sum of two parts: `base` of the
   group's block, (blocks, 32), and `off` of the group, (groups, 32). Blocks hold at most 512 rows,
   or one group alone, and no count passes 63. Returns the lanes' totals, and of the rows that
   `inside` flags, which may be absent, their weight `here` and the sum `mine` of weight * rank. */
static void FN(parted_ranks)(const u8 *count, const i32 *order, const u8 *last, const i32 *block,
                             const u8 *inside, i64 n, i64 groups, i32 *base, u16 *off,
                             double *total, double *here, double *mine)
{
    i32 before[HALF], upto[HALF], start[HALF], held[HALF], all[HALF];
    double sum[HALF];
    i64 g = 0;
    int is_read = 0; /* whether a row of the group is outside, so that its rank is read */
    IN_HALF before[r] = upto[r] = start[r] = held[r] = all[r] = 0;
    IN_HALF sum[r] = 0;
    for (i64 i = 0; i < n; i++) {
        PREFETCH(count + (i64)order[i + AHEAD < n ? i + AHEAD : n - 1] * ROW);
        const u8 *w = count + (i64)order[i] * ROW;
        const int is_first_row = i == 0 || last[i - 1], is_inside = inside && inside[i];
        if (is_first_row)
            IN_HALF before[r] = upto[r];
        is_read = !is_inside || (is_read && !is_first_row);
        IN_HALF upto[r] += w[r];
        if (is_inside && is_first_row && last[i]) { /* a group of one row, as most are */
            double x[HALF];
            FN(widened)(w, HALF, x);
            IN_HALF sum[r] += x[r] * (double)(before[r] + upto[r]);
            IN_HALF all[r] += w[r];
        } else if (is_inside)
            IN_HALF held[r] += w[r];
        if (!last[i])
            continue;
        if (inside && !is_first_row)
            IN_HALF
            {
                sum[r] += (double)held[r] * (double)(before[r] + upto[r]);
                all[r] += held[r];
                held[r] = 0;
            }
        i32 *of_block = base + (i64)block[g] * HALF;
        const int is_first = g == 0 || block[g - 1] != block[g];
        const int is_alone = is_first && (g + 1 == groups || block[g + 1] != block[g]);
        if (is_first)
            IN_HALF
            {
                start[r] = is_alone ? before[r] + upto[r] : 2 * before[r];
                of_block[r] = start[r];
            }
        if (is_read)
            IN_HALF off[g * HALF + r] = (u16)(before[r] + upto[r] - start[r]);
        g++;
    }
    if (groups)
        for (i64 b = 0; b <= block[groups - 1]; b++)
            IN_HALF base[b * HALF + r] -= upto[r];
    IN_HALF
    {
        total[r] = (double)upto[r];
        here[r] = (double)all[r];
        mine[r] = sum[r] - here[r] * total[r];
    }
}

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

/* A group of equal y ends: what the cut before it adds to the walk of each lane, from `x0` and `y0`
   to `x1` and `y1`. Returns whether a lane may have come to a share that is due. Numbers are not
   below 0, so that their bits are ordered as they are. */
static inline i64 FN(passed_cut)(FN(standing) *restrict s, const double *restrict total,
                                 const double *restrict x0, const double *restrict y0,
                                 double *restrict x1, double *restrict y1)
{
    i64 is_reached = 0, x[HALF], due[HALF];
    IN_HALF
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
    IN_HALF is_reached |= x[r] >= due[r];
    return is_reached;
}

/* What `cutoffs` gives, from the `lengths` above: `out` is (k, 64) and `ends` (2, 64); `products`,
   (64), which may be absent, gets the sum of weight * rank of y * rank of score, both twice and
   centred. `group` numbers the rows' groups by score in the order of y, `block` those groups'
   blocks. The rows of one large group of y, from place `from` to `past` in that order, may be
   flagged by `inside` in the order of the score: they are summed up while ranks are found. */
static void FN(cutoffs)(const u8 *all, const i32 *order, const u8 *last, const i32 *group,
                        const i32 *ranked, const u8 *ranked_last, const i32 *block,
                        const u8 *inside, i64 from, i64 past, i64 n, i64 groups,
                        const double *lengths, const double *shares, i64 k, i32 *base, u16 *off,
                        double *out, double *ends, i64 *products)
{
    for (int first = 0; first < ROW; first += HALF) {
        const u8 *count = all + first;
        double total[HALF], x[2][HALF], y[2][HALF], here[HALF], mine[HALF];
        int now = 0;
        FN(standing) s;
        FN(parted_ranks)(count, ranked, ranked_last, block, inside, n, groups, base, off, total,
                         here, mine);
        memset(&s, 0, sizeof(s));
        memset(x, 0, sizeof(x));
        memset(y, 0, sizeof(y));
        IN_HALF s.due[r] = k ? shares[0] * lengths[first + r] : INFINITY;
        for (i64 i = 0; i < n; i++) {
            if (inside && i == from) {
                memcpy(s.here, here, sizeof(here));
                memcpy(s.mine, mine, sizeof(mine));
                i = past - 1;
            } else {
                const i64 ahead = i + AHEAD < n ? i + AHEAD : n - 1;
                PREFETCH(count + (i64)order[ahead] * ROW);
                PREFETCH(off + (i64)group[ahead] * HALF);
                PREFETCH(block + group[ahead]);
                double w[HALF];
                FN(widened)(count + (i64)order[i] * ROW, HALF, w);
                const u16 *own = off + (i64)group[i] * HALF;
                const i32 *of_block = base + (i64)block[group[i]] * HALF;
                IN_HALF
                {
                    s.here[r] += w[r];
                    s.mine[r] += w[r] * (double)(of_block[r] + own[r]);
                }
            }
            if (!last[i])
                continue;
            if (products)
                IN_HALF s.products[r] +=
                    (i64)(2 * s.below[r] + s.here[r] - total[r]) * (i64)s.mine[r];
            const i64 is_reached =
                FN(passed_cut)(&s, total, x[now], y[now], x[1 - now], y[1 - now]);
            if (is_reached)
                JOIN(reach_walk, VARIANT)
                (x[now], y[now], x[1 - now], y[1 - now], lengths + first, shares, k, s.next, s.due,
                 out + first);
            now = 1 - now;
        }
        IN_HALF
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
#undef ROW
#undef HALF
#undef IN_HALF
