/* Heights of a line along sorted rows, at given shares of its length, WIDTH lanes at a time. Compiled
   once for each kind of WEIGHT: rows lie STRIDE lanes apart, and sums that stay whole numbers for
   one-byte counts are kept as SUM and RANK, and those of the tree of `concordance` as TREE.

   Corners stand where a group of equal values ends; a lane's line runs straight between two of
   them. The order of additions is part of what each function promises: the NumPy form follows
   it, except in the tree of `concordance`, whose sums are exact for whole numbers only. */

#define EACH for (int r = 0; r < WIDTH; r++)

/* What one slice of lanes still has to find: the next share of each lane, and how far that is. */
#define SHARES_DUE                                                                                 \
    i64 next[WIDTH];                                                                               \
    double due[WIDTH];                                                                             \
    EACH next[r] = 0;                                                                              \
    EACH due[r] = k ? shares[0] * length[r] : INFINITY;

/* A lane's step from (x0, y0) to (x1, y1) has passed one share or more. */
static void WALK(reach)(const double *x0, const double *y0, const double *x1, const double *y1,
                        const double *length, const double *shares, i64 k, i64 *next, double *due,
                        double *out)
{
    EACH
    while (x1[r] >= due[r] && x1[r] > x0[r])
    {
        out[next[r] * STRIDE + r] = y0[r] + (due[r] - x0[r]) / (x1[r] - x0[r]) * (y1[r] - y0[r]);
        due[r] = ++next[r] < k ? shares[next[r]] * length[r] : INFINITY;
    }
}

#define REACH                                                                                      \
    {                                                                                              \
        int is_reached = 0;                                                                        \
        EACH is_reached |= (x1[r] >= due[r]) & (x1[r] > x0[r]);                                    \
        if (is_reached)                                                                            \
            WALK(reach)(x0, y0, x1, y1, length, shares, k, next, due, out + base);                 \
    }

/* Shares past the end of a lane have its last height; `ends` is (2, STRIDE): length and height. */
#define FINISH                                                                                     \
    EACH                                                                                           \
    {                                                                                              \
        for (i64 j = next[r]; j < k; j++)                                                          \
            out[j * STRIDE + base + r] = y1[r];                                                    \
        ends[base + r] = x1[r];                                                                    \
        ends[STRIDE + base + r] = y1[r];                                                           \
    }

/* Twice the centred midrank of each group of equal values, by lane: (groups, WIDTH). Returns the
   lanes' totals. */
static void WALK(midranks)(const WEIGHT *weight, const i32 *order, const u8 *last, i64 n,
                           RANK *table, double *total)
{
    SUM before[WIDTH], upto[WIDTH];
    i64 groups = 0;
    EACH before[r] = upto[r] = 0;
    for (i64 i = 0; i < n; i++) {
        PREFETCH(weight + (i64)order[i + AHEAD < n ? i + AHEAD : n - 1] * STRIDE);
        const WEIGHT *w = weight + (i64)order[i] * STRIDE;
        EACH upto[r] += w[r];
        if (last[i]) {
            EACH
            {
                table[groups * WIDTH + r] = (RANK)(before[r] + upto[r]);
                before[r] = upto[r];
            }
            groups++;
        }
    }
    for (i64 g = 0; g < groups; g++)
        EACH table[g * WIDTH + r] -= (RANK)upto[r];
    EACH total[r] = (double)upto[r];
}

/* Along the weight: the sum of weight * midrank. `group` numbers the rows' groups of ranked
   values, in `order`; `ranked` and `ranked_last` are those groups' own order. */
static void WALK(ranks_along)(const WEIGHT *all, const i32 *order, const u8 *last, const i32 *group,
                              const i32 *ranked, const u8 *ranked_last, i64 n,
                              const double *shares, i64 k, RANK *table, double *out, double *ends)
{
    for (int base = 0; base < STRIDE; base += WIDTH) {
        const WEIGHT *weight = all + base;
        double length[WIDTH], product[WIDTH], x0[WIDTH], y0[WIDTH], x1[WIDTH], y1[WIDTH];
        WALK(midranks)(weight, ranked, ranked_last, n, table, length);
        EACH product[r] = x0[r] = y0[r] = x1[r] = y1[r] = 0;
        SHARES_DUE
        for (i64 i = 0; i < n; i++) {
            const i64 ahead = i + AHEAD < n ? i + AHEAD : n - 1;
            PREFETCH(weight + (i64)order[ahead] * STRIDE);
            PREFETCH(table + (i64)group[ahead] * WIDTH);
            READ(w, weight + (i64)order[i] * STRIDE, WIDTH);
            const RANK *rank = table + (i64)group[i] * WIDTH;
            EACH
            {
                x1[r] += w[r];
                product[r] += w[r] * (double)rank[r];
            }
            if (!last[i])
                continue;
            EACH y1[r] = (product[r] + length[r] * x1[r]) * 0.5;
            REACH
            EACH x0[r] = x1[r];
            EACH y0[r] = y1[r];
        }
        FINISH
    }
}

/* Along sum of w * (W - w), rows by score: the sum of w * (the weight of the other rows that the
   row agrees with, ties half). Over the rows P so far that is half of
   length + 2 * (concordant - discordant in P) - sum in P of w * (twice its centred midrank of y).
   `tree` holds the weight of the rows so far by their y (Fenwick's), (groups + 1, WIDTH). */
static void WALK(concordance)(const WEIGHT *all, const i32 *order, const u8 *last, const i32 *group,
                              const i32 *ranked, const u8 *ranked_last, i64 n, i64 groups,
                              const double *shares, i64 k, RANK *table, TREE *tree, double *out,
                              double *ends)
{
    for (int base = 0; base < STRIDE; base += WIDTH) {
        const WEIGHT *weight = all + base;
        double total[WIDTH], length[WIDTH], ordered[WIDTH], product[WIDTH];
        double x0[WIDTH], y0[WIDTH], x1[WIDTH], y1[WIDTH];
        SUM inside[WIDTH];
        WALK(midranks)(weight, ranked, ranked_last, n, table, total);
        memset(tree, 0, (size_t)(groups + 1) * WIDTH * sizeof *tree);
        EACH length[r] = ordered[r] = product[r] = x0[r] = y0[r] = x1[r] = y1[r] = 0;
        EACH inside[r] = 0;
        for (i64 i = 0; i < n; i++) {
            READ(w, weight + (i64)order[i] * STRIDE, WIDTH);
            EACH length[r] += w[r] * (total[r] - w[r]);
        }
        SHARES_DUE
        for (i64 first = 0, end; first < n; first = end) {
            for (i64 i = first, is_open = 1; is_open; i++) {
                const i64 ahead = i + AHEAD < n ? i + AHEAD : n - 1;
                PREFETCH(weight + (i64)order[ahead] * STRIDE);
                PREFETCH(table + (i64)group[ahead] * WIDTH);
                PREFETCH(tree + ((i64)group[ahead] + 1) * WIDTH);
                READ(w, weight + (i64)order[i] * STRIDE, WIDTH);
                const RANK *rank = table + (i64)group[i] * WIDTH;
                RANK signs[WIDTH]; /* twice the weight below in y, once that tied, less all */
                EACH signs[r] = 0;
                i64 below = group[i], upto = below + 1;
                while (below != upto) {
                    i64 *higher = below > upto ? &below : &upto;
                    const TREE *node = tree + *higher * WIDTH;
                    EACH signs[r] += node[r];
                    *higher &= *higher - 1;
                }
                for (; below; below &= below - 1) {
                    const TREE *node = tree + below * WIDTH;
                    EACH signs[r] += 2 * node[r];
                }
                EACH
                {
                    const double x = w[r];
                    ordered[r] += x * (double)(signs[r] - (RANK)inside[r]);
                    product[r] += x * (double)rank[r];
                    x1[r] += x * (total[r] - x);
                }
                is_open = !last[i];
                end = i + 1;
            }
            for (i64 i = first; i < end; i++) {
                const WEIGHT *w = weight + (i64)order[i] * STRIDE;
                EACH inside[r] += w[r];
                for (i64 p = (i64)group[i] + 1; p <= groups; p += p & -p) {
                    TREE *node = tree + p * WIDTH;
                    EACH node[r] += w[r];
                }
            }
            EACH y1[r] = (x1[r] + 2 * ordered[r] - product[r]) * 0.5;
            REACH
            EACH x0[r] = x1[r];
            EACH y0[r] = y1[r];
        }
        FINISH
    }
}

/* Along the cuts between groups of y, each g * A * B long (A and B the weight above and below, g
   the mean weight of the two groups beside it that weigh something): the sum of g * (pairs across
   the cut that the score has right, ties half). `ranked` and `ranked_last` are the score's. */
static void WALK(cutoffs)(const WEIGHT *all, const i32 *order, const u8 *last, const i32 *group,
                          const i32 *ranked, const u8 *ranked_last, i64 n, const double *shares,
                          i64 k, RANK *table, double *out, double *ends)
{
    for (int base = 0; base < STRIDE; base += WIDTH) {
        const WEIGHT *weight = all + base;
        double total[WIDTH], length[WIDTH], below[WIDTH], product[WIDTH];
        double here[WIDTH], mine[WIDTH], before[WIDTH];
        double x0[WIDTH], y0[WIDTH], x1[WIDTH], y1[WIDTH];
        WALK(midranks)(weight, ranked, ranked_last, n, table, total);
        EACH length[r] = below[r] = here[r] = before[r] = 0;
        for (i64 i = 0; i < n; i++) {
            PREFETCH(weight + (i64)order[i + AHEAD < n ? i + AHEAD : n - 1] * STRIDE);
            READ(w, weight + (i64)order[i] * STRIDE, WIDTH);
            EACH here[r] += w[r];
            if (last[i])
                EACH
                {
                    const double gap = (before[r] + here[r]) * 0.5;
                    const double sides = (total[r] - below[r]) * below[r];
                    length[r] += here[r] > 0 ? gap * sides : 0;
                    below[r] += here[r];
                    before[r] = here[r] > 0 ? here[r] : before[r];
                    here[r] = 0;
                }
        }
        EACH below[r] = product[r] = here[r] = mine[r] = before[r] = 0;
        EACH x0[r] = y0[r] = x1[r] = y1[r] = 0;
        SHARES_DUE
        for (i64 i = 0; i < n; i++) {
            const i64 ahead = i + AHEAD < n ? i + AHEAD : n - 1;
            PREFETCH(weight + (i64)order[ahead] * STRIDE);
            PREFETCH(table + (i64)group[ahead] * WIDTH);
            READ(w, weight + (i64)order[i] * STRIDE, WIDTH);
            const RANK *rank = table + (i64)group[i] * WIDTH;
            EACH
            {
                here[r] += w[r];
                mine[r] += w[r] * (double)rank[r];
            }
            if (!last[i])
                continue;
            EACH
            {
                const double gap = (before[r] + here[r]) * 0.5;
                const double sides = (total[r] - below[r]) * below[r];
                double pairs = (sides - product[r]) * 0.5;
                pairs = pairs > 0 ? pairs : 0;
                pairs = pairs < sides ? pairs : sides;
                x1[r] += here[r] > 0 ? gap * sides : 0;
                y1[r] += here[r] > 0 ? gap * pairs : 0;
                below[r] += here[r];
                product[r] += mine[r];
                before[r] = here[r] > 0 ? here[r] : before[r];
                here[r] = mine[r] = 0;
            }
            REACH
            EACH x0[r] = x1[r];
            EACH y0[r] = y1[r];
        }
        FINISH
    }
}

/* Along the over-estimation: the under-estimation (at most 0), while a constant falls from where it
   makes the largest value zero to where it makes the smallest so. Rows and `values` come from the
   largest down. A share is one of W, or of 1 where `is_raw`. */
static void WALK(overs)(const WEIGHT *all, const i32 *order, const u8 *last, const double *values,
                        i64 n, const double *shares, i64 k, i64 is_raw, double *out, double *ends)
{
    for (int base = 0; base < STRIDE; base += WIDTH) {
        const WEIGHT *weight = all + base;
        double total[WIDTH], sum[WIDTH], length[WIDTH], above[WIDTH], held[WIDTH];
        double x0[WIDTH], y0[WIDTH], x1[WIDTH], y1[WIDTH];
        EACH total[r] = sum[r] = above[r] = held[r] = x0[r] = y0[r] = x1[r] = y1[r] = 0;
        for (i64 i = 0; i < n; i++) {
            PREFETCH(weight + (i64)order[i + AHEAD < n ? i + AHEAD : n - 1] * STRIDE);
            READ(w, weight + (i64)order[i] * STRIDE, WIDTH);
            const double value = values[i];
            EACH
            {
                total[r] += w[r];
                sum[r] += w[r] * value;
            }
        }
        EACH length[r] = is_raw ? 1 : total[r];
        SHARES_DUE
        for (i64 i = 0; i < n; i++) {
            PREFETCH(weight + (i64)order[i + AHEAD < n ? i + AHEAD : n - 1] * STRIDE);
            READ(w, weight + (i64)order[i] * STRIDE, WIDTH);
            const double value = values[i];
            if (i == 0 || last[i - 1]) { /* what is above the value has no part in its own rounding */
                EACH
                {
                    const double over = held[r] - value * above[r];
                    const double under = (sum[r] - value * total[r]) - over;
                    x1[r] = over > x0[r] ? over : x0[r];
                    y1[r] = under < 0 ? under : 0;
                }
                REACH
                EACH x0[r] = x1[r];
                EACH y0[r] = y1[r];
            }
            EACH
            {
                above[r] += w[r];
                held[r] += w[r] * value;
            }
        }
        FINISH
    }
}

/* Adds weight * value to each row's bin, row by row: out is (bins, STRIDE). */
static void WALK(bins)(const WEIGHT *weight, const i32 *bin, const double *values, i64 n,
                       double *out)
{
    for (i64 i = 0; i < n; i++) {
        READ(w, weight + i * STRIDE, STRIDE);
        double *sum = out + (i64)bin[i] * STRIDE;
        const double value = values ? values[i] : 1.0;
        for (int r = 0; r < STRIDE; r++)
            sum[r] += w[r] * value;
    }
}

/* Shares each row's weight between two neighbouring bins, left + 1 and left + 2, whose sums are kept
   apart: both are (bins, STRIDE). */
static void WALK(between)(const WEIGHT *weight, const i32 *left, const double *to_right, i64 n,
                          double *restrict lower, double *restrict upper)
{
    for (i64 i = 0; i < n; i++) {
        READ(w, weight + i * STRIDE, STRIDE);
        double *restrict one = lower + ((i64)left[i] + 1) * STRIDE;
        double *restrict other = upper + ((i64)left[i] + 2) * STRIDE;
        const double far = to_right[i], near = 1.0 - far;
        for (int r = 0; r < STRIDE; r++) {
            one[r] += w[r] * near;
            other[r] += w[r] * far;
        }
    }
}

#undef EACH
#undef SHARES_DUE
#undef REACH
#undef FINISH
#undef WALK
#undef WEIGHT
#undef READ
#undef STRIDE
#undef WIDTH
#undef SUM
#undef TREE
#undef RANK
#undef PRODUCT
