/* Kernels for weights in double precision, LANES a row. Compiled once a VARIANT and width.

   The order of additions is part of what each function promises: the NumPy form follows it. */

#define EACH for (int r = 0; r < LANES; r++)

/* out[j][r] = sum over rows of columns[j][i * step] * weight[i][r], in blocks of 64 rows. */
static void REAL(sums)(const double *restrict weight, const double *const *restrict columns,
                       i64 step, i64 n, i64 m, double *restrict out)
{
    for (i64 j = 0; j < m * LANES; j++)
        out[j] = 0;
    for (i64 first = 0; first < n; first += 64) {
        const i64 end = n - first < 64 ? n : first + 64;
        for (i64 j = 0; j < m; j++) {
            double sum[LANES];
            EACH sum[r] = 0;
            for (i64 i = first; i < end; i++) {
                const double x = columns[j][i * step];
                EACH sum[r] += x * weight[i * LANES + r];
            }
            EACH out[j * LANES + r] += sum[r];
        }
    }
}

/* Sum over pairs of rows in different groups of the product of their weights: each row times the
   running sum of all rows in earlier groups. No difference is taken, so 0 means none. */
static void REAL(differing)(const double *restrict weight, const i32 *restrict order,
                            const u8 *restrict last, i64 n, double *restrict out)
{
    double before[LANES], upto[LANES];
    EACH out[r] = before[r] = upto[r] = 0;
    for (i64 i = 0; i < n; i++) {
        const double *restrict w = weight + (i64)order[i] * LANES;
        EACH
        {
            out[r] += w[r] * before[r];
            upto[r] += w[r];
        }
        if (last[i])
            EACH before[r] = upto[r];
    }
}

/* Part the rows of a node, which `sequence` picks out of `from` unless it is absent, and add its
   discordant pairs to its level's sum, in row order. */
static inline void REAL(part)(const double *restrict from, const i32 *restrict sequence,
                              double *restrict to, const u8 *restrict line, i64 start, i64 size,
                              i64 below, double *restrict acc)
{
    double *put[2] = {to, to + below * LANES};
    double run[LANES], sum[LANES];
    EACH run[r] = 0;
    EACH sum[r] = acc[r];
    for (i64 i = 0; i < size; i++) {
        const double *restrict w = from + (sequence ? (i64)sequence[i] : i) * LANES;
        const int is_upper = BIT(line, start + i);
        if (is_upper)
            EACH run[r] += w[r];
        else
            EACH sum[r] += run[r] * w[r];
        memcpy(put[is_upper], w, LANES * sizeof(double));
        put[is_upper] += LANES;
    }
    EACH acc[r] = sum[r];
}

/* One node of the partition that `whole.h` describes. */
static void REAL(branch)(double *restrict from, double *restrict to, const u8 *bits, i64 n,
                         int level, i64 start, i64 size, i64 half, double *restrict acc)
{
    if (size < 2)
        return;
    const i64 below = size < half ? size : half;
    REAL(part)(from, 0, to, bits + level * LINE(n), start, size, below, acc + level * LANES);
    REAL(branch)(to, from, bits, n, level + 1, start, below, half / 2, acc);
    REAL(branch)(to + below * LANES, from + below * LANES, bits, n, level + 1, start + below,
                 size - below, half / 2, acc);
}

/* Sum over discordant pairs of the product of their weights; room as in `whole.h`. */
static void REAL(inversions)(const double *restrict weight, const i32 *restrict sequence,
                             const u8 *restrict bits, i64 n, i64 depth, double *restrict here,
                             double *restrict there, double *restrict out)
{
    double acc[32 * LANES];
    EACH out[r] = 0;
    if (n < 2)
        return;
    for (int k = 0; k < 32 * LANES; k++)
        acc[k] = 0;
    const i64 half = (i64)1 << (depth - 1);
    REAL(part)(weight, sequence, here, bits, 0, n, half, acc);
    REAL(branch)(here, there, bits, n, 1, 0, half, half / 2, acc);
    REAL(branch)(here + half * LANES, there, bits, n, 1, half, n - half, half / 2, acc);
    for (int level = 0; level < depth; level++)
        EACH out[r] += acc[level * LANES + r];
}

/* Twice the centred midrank of each group of equal values, by lane: shape (groups, LANES). */
static void REAL(ranks)(const double *restrict weight, const i32 *restrict order,
                        const u8 *restrict last, i64 n, double *restrict table)
{
    double before[LANES], upto[LANES];
    i64 groups = 0;
    EACH before[r] = upto[r] = 0;
    for (i64 i = 0; i < n; i++) {
        const double *restrict w = weight + (i64)order[i] * LANES;
        EACH upto[r] += w[r];
        if (last[i]) {
            EACH
            {
                table[groups * LANES + r] = before[r] + upto[r];
                before[r] = upto[r];
            }
            groups++;
        }
    }
    for (i64 g = 0; g < groups; g++)
        EACH table[g * LANES + r] -= upto[r];
}

/* Sums of w*x*y, w*x*x and w*y*y over rows, x and y being read from tables by group: (3, LANES). */
static void REAL(products)(const double *restrict weight, const i32 *restrict first,
                           const i32 *restrict second, i64 n, const double *restrict x,
                           const double *restrict y, double *restrict out)
{
    double xy[LANES], xx[LANES], yy[LANES];
    EACH xy[r] = xx[r] = yy[r] = 0;
    for (i64 i = 0; i < n; i++) {
        const double *restrict w = weight + i * LANES;
        const double *restrict a = x + (i64)first[i] * LANES;
        const double *restrict b = y + (i64)second[i] * LANES;
        EACH
        {
            const double wa = w[r] * a[r];
            xy[r] += wa * b[r];
            xx[r] += wa * a[r];
            yy[r] += (w[r] * b[r]) * b[r];
        }
    }
    EACH
    {
        out[r] = xy[r];
        out[LANES + r] = xx[r];
        out[2 * LANES + r] = yy[r];
    }
}

/* The place in `order` where the running weight reaches `low`, and where it passes `high` (the
   first again where it never does): out is (2, LANES). */
static void REAL(quantile)(const double *restrict weight, const i32 *restrict order, i64 n,
                           const double *restrict low, const double *restrict high,
                           i64 *restrict out)
{
    double upto[LANES];
    EACH upto[r] = 0;
    EACH out[r] = out[LANES + r] = 0;
    for (i64 i = 0; i < n; i++) {
        const double *restrict w = weight + (i64)order[i] * LANES;
        i64 waiting = 0;
        EACH
        {
            upto[r] += w[r];
            const i64 is_low = upto[r] < low[r], is_high = upto[r] <= high[r];
            out[r] += is_low;
            out[LANES + r] += is_high;
            waiting |= is_low | is_high;
        }
        if (!waiting)
            break;
    }
    EACH
    {
        out[r] = out[r] < n ? out[r] : n - 1;
        out[LANES + r] = out[LANES + r] < n ? out[LANES + r] : out[r];
    }
}

/* Sum of weight * y up to each cut 0 .. k of the running weight, in the order of the score, linear
   across each group of equal scores; `y` is in that order. cuts and out are (k + 1, LANES). */
static void REAL(upto)(const double *restrict weight, const i32 *restrict order,
                       const u8 *restrict last, const double *restrict y, i64 n,
                       const double *restrict cuts, i64 k, double *restrict out)
{
    double before[LANES], upto[LANES], sum_before[LANES], sum[LANES];
    i64 next[LANES];
    EACH before[r] = upto[r] = sum_before[r] = sum[r] = 0;
    EACH next[r] = 1;
    for (i64 i = 0; i < n; i++) {
        const double *restrict w = weight + (i64)order[i] * LANES;
        EACH
        {
            upto[r] += w[r];
            sum[r] += w[r] * y[i];
        }
        if (!last[i])
            continue;
        EACH
        {
            while (next[r] < k && upto[r] >= cuts[next[r] * LANES + r] && upto[r] > before[r]) {
                const double share =
                    (cuts[next[r] * LANES + r] - before[r]) / (upto[r] - before[r]);
                out[next[r] * LANES + r] = sum_before[r] + share * (sum[r] - sum_before[r]);
                next[r]++;
            }
            before[r] = upto[r];
            sum_before[r] = sum[r];
        }
    }
    EACH out[k * LANES + r] = sum[r];
}

/* Pairs that a positive wins and loses, and the weight of the positives and of the negatives, as
   each row times the running weight of the other class in lower groups: out is (4, LANES). */
static void REAL(auc)(const double *restrict weight, const i32 *restrict order,
                      const u8 *restrict last, const u8 *restrict label, i64 n,
                      double *restrict out)
{
    double before[2][LANES], upto[2][LANES], sum[2][LANES];
    for (int k = 0; k < 2; k++)
        EACH before[k][r] = upto[k][r] = sum[k][r] = 0;
    for (i64 i = 0; i < n; i++) {
        const double *restrict w = weight + (i64)order[i] * LANES;
        const int mine = label[i];
        EACH
        {
            sum[mine][r] += w[r] * before[!mine][r];
            upto[mine][r] += w[r];
        }
        if (last[i])
            memcpy(before, upto, sizeof before);
    }
    EACH
    {
        out[r] = sum[1][r];
        out[LANES + r] = sum[0][r];
        out[2 * LANES + r] = upto[1][r];
        out[3 * LANES + r] = upto[0][r];
    }
}

/* Groups of equal scores from the highest: positives in it * positives so far / rows so far, and
   all positives: out is (2, LANES). */
static void REAL(precision)(const double *restrict weight, const i32 *restrict order,
                            const u8 *restrict last, const u8 *restrict label, i64 n,
                            double *restrict out)
{
    double before[LANES], positive[LANES], all[LANES], sum[LANES];
    EACH before[r] = positive[r] = all[r] = sum[r] = 0;
    for (i64 i = 0; i < n; i++) {
        const double *restrict w = weight + (i64)order[i] * LANES;
        EACH all[r] += w[r];
        if (label[i])
            EACH positive[r] += w[r];
        if (last[i])
            EACH
            {
                const double here = (positive[r] - before[r]) * positive[r];
                sum[r] += here / (all[r] == 0 ? 1 : all[r]);
                before[r] = positive[r];
            }
    }
    EACH
    {
        out[r] = sum[r];
        out[LANES + r] = positive[r];
    }
}

#undef EACH
