/* Sums over the pairs of few rows, for all weightings of a batch in one call. Counts are bytes,
   `width` a row; 64 columns at a time are copied to a block. Totals are below 2^15, so that 16 bits
   hold every partial sum, and doubles every sum of products. Compiled once a VARIANT. */

/* Copy the columns from `first` on of all rows; past the last column stand zeros. */
static void FN(copy_block)(const u8 *restrict count, i64 n, i64 width, i64 first,
                           u8 *restrict block)
{
    const i64 here = width - first < ROW ? width - first : ROW;
    if (here < ROW)
        memset(block, 0, (size_t)(n * ROW));
    for (i64 i = 0; i < n; i++)
        memcpy(block + i * ROW, count + i * width + first, (size_t)here);
}

/* Twice the centred midrank of each group, by lane, (blocks, groups, 64), and by column the pairs of
   different groups and the sum of count * rank^2. */
static void FN(few_ranks)(const u8 *restrict count, i64 width, const i32 *restrict order,
                          const u8 *restrict last, i64 n, i16 *restrict ranks,
                          double *restrict untied, double *restrict squares)
{
    u8 block[FEW * ROW];
    for (i64 first = 0; first < width; first += ROW) {
        u16 total[ROW], before[ROW], upto[ROW];
        double tied[ROW], sum[ROW];
        FN(copy_block)(count, n, width, first, block);
        EACH total[r] = before[r] = upto[r] = 0;
        EACH tied[r] = sum[r] = 0;
        for (i64 i = 0; i < n; i++)
            EACH total[r] += block[i * ROW + r];
        for (i64 i = 0; i < n; i++) {
            const u8 *restrict w = block + (i64)order[i] * ROW;
            EACH upto[r] += w[r];
            if (!last[i])
                continue;
            EACH
            {
                const i32 size = upto[r] - before[r], rank = before[r] + upto[r] - total[r];
                ranks[r] = (i16)rank;
                tied[r] += (double)(size * size);
                sum[r] += (double)(size * rank) * (double)rank;
                before[r] = upto[r];
            }
            ranks += ROW;
        }
        EACH
        {
            untied[first + r] = ((double)((i32)total[r] * total[r]) - tied[r]) / 2;
            squares[first + r] = sum[r];
        }
    }
}

/* Rows by score and by y within a score, with the groups of both. By column: the discordant pairs,
   the squares of the groups that are equal in both, and the sum of count * rank * rank. Sums of the
   counts so far stand in a tree over y, highest first: a node holds those of the places down to its
   own without its lowest bit. */
static void FN(few_pairs)(const u8 *restrict count, i64 width, const i32 *restrict order,
                          const i32 *restrict score, const i32 *restrict y, i64 n,
                          const i16 *restrict score_ranks, i64 scores,
                          const i16 *restrict y_ranks, i64 ys, double *restrict discordant,
                          double *restrict both, double *restrict products)
{
    u8 block[FEW * ROW];
    FN(sums) tree[FEW + 1];
    for (i64 first = 0; first < width; first += ROW) {
        u32 crossed[ROW];
        u16 same[ROW];
        double squares[ROW], sum[ROW];
        FN(copy_block)(count, n, width, first, block);
        memset(tree, 0, sizeof(tree[0]) * (size_t)(ys + 1));
        EACH crossed[r] = same[r] = 0;
        EACH squares[r] = sum[r] = 0;
        i64 entered = 0;
        for (i64 i = 0; i < n; i++) {
            const u8 *restrict w = block + (i64)order[i] * ROW;
            const i16 *restrict a = score_ranks + (i64)score[i] * ROW;
            const i16 *restrict b = y_ranks + (i64)y[i] * ROW;
            for (; entered < i && score[entered] < score[i]; entered++) {
                const u8 *restrict lower = block + (i64)order[entered] * ROW;
                for (i64 at = ys - y[entered]; at <= ys; at += at & -at)
                    VECTORS
                    {
                        const FN(shorts) x = FN(loaded)(lower, v);
                        tree[at].low[v] += x & 255;
                        tree[at].high[v] += x >> 8;
                    }
            }
            FN(sums) above;
            u16 parted[ROW];
            memset(&above, 0, sizeof(above));
            for (i64 at = ys - y[i] - 1; at > 0; at &= at - 1)
                VECTORS
                {
                    above.low[v] += tree[at].low[v];
                    above.high[v] += tree[at].high[v];
                }
            memcpy(parted, &above, sizeof(parted));
            for (int k = 0; k < ROW / 2; k++) {
                crossed[2 * k + LOW] += (u32)w[2 * k + LOW] * parted[k];
                crossed[2 * k + 1 - LOW] += (u32)w[2 * k + 1 - LOW] * parted[ROW / 2 + k];
            }
            EACH sum[r] += (double)((i32)w[r] * a[r]) * (double)b[r];
            EACH same[r] += w[r];
            if (i + 1 == n || score[i + 1] != score[i] || y[i + 1] != y[i])
                EACH
                {
                    squares[r] += (double)((i32)same[r] * same[r]);
                    same[r] = 0;
                }
        }
        EACH
        {
            discordant[first + r] = crossed[r];
            both[first + r] = squares[r];
            products[first + r] = sum[r];
        }
        score_ranks += scores * ROW;
        y_ranks += ys * ROW;
    }
}
