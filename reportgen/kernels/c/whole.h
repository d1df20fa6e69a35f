/* Kernels for whole-number counts of one byte, 64 lanes a row. Compiled once a VARIANT. */

#define FN(name) JOIN(name, VARIANT)
#define ROW 64
#define EACH for (int r = 0; r < ROW; r++)

typedef VECTOR(u16) FN(shorts);
typedef VECTOR(double) FN(doubles);
#define BOTH (ROW / (int)sizeof(FN(shorts))) /* vectors that hold a row, two lanes a short */
#define DOUBLES (8 * ROW / (int)sizeof(FN(doubles)))
#define PART (8 * ROW / DOUBLES) /* lanes in eight vectors */
#define VECTORS for (int v = 0; v < BOTH; v++)

/* A row is read as shorts of two lanes each, `x & 255` and `x >> 8`: no lane has to be moved. */
static inline FN(shorts) FN(loaded)(const u8 *row, int v)
{
    FN(shorts) x;
    memcpy(&x, row + v * (int)sizeof(x), sizeof(x));
    return x;
}

static inline void FN(stored)(FN(shorts) x, u8 *row, int v)
{
    memcpy(row + v * (int)sizeof(x), &x, sizeof(x));
}

/* 16-bit sums of a row: of its low and of its high lanes. */
typedef struct {
    FN(shorts) low[BOTH], high[BOTH];
} FN(sums);

/* Add 16-bit sums to those of the lanes in order, and begin them anew. */
static inline void FN(moved)(FN(sums) *some, u32 *restrict out)
{
    u16 parted[ROW];
    memcpy(parted, some, sizeof(parted));
    for (int k = 0; k < ROW / 2; k++) {
        out[2 * k + LOW] += parted[k];
        out[2 * k + 1 - LOW] += parted[ROW / 2 + k];
    }
    memset(some, 0, sizeof(*some));
}

/* Put sums of which the lows stand before the highs, as in `sums`, in the order of the lanes. */
static void FN(in_order)(u64 *restrict out)
{
    u64 parted[ROW];
    memcpy(parted, out, sizeof(parted));
    EACH out[r] = parted[(r + LOW) % 2 * (ROW / 2) + r / 2];
}

/* ---- multiplicities ---- */

#define GOLDEN 0x9e3779b97f4a7c15ull
#define REPAIR (1ull << 40) /* where a lane's stream continues with the draws that set its total */
#define SLOTS 16            /* more than a Poisson draw can be */

/* 2^32 * P(count < k) for k = 1 .. 12, rounded, for a count of mean 1. */
static const u32 FN(threshold)[12] = {1580030169u, 3160060337u, 3950075422u, 4213413783u,
                                      4279248374u, 4292415292u, 4294609778u, 4294923276u,
                                      4294962463u, 4294966817u, 4294967253u, 4294967292u};

static inline u64 FN(mixed)(u64 z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

#define LOWEST 0x80000000u /* taken off, numbers are in order when read as signed */

/* How many thresholds each number reaches. One number in 1,700 reaches the sixth: only then, in
   any lane, are the others looked at. */
static inline void FN(passed)(const u32 *restrict number, u8 *restrict row)
{
    u32 many = 0, counts[ROW]; /* as wide as the numbers: narrowed once, and not at each threshold */
    EACH
    {
        const i32 signed_number = (i32)(number[r] ^ LOWEST);
        u32 c = 0;
        for (int k = 0; k < 6; k++)
            c += signed_number >= (i32)(FN(threshold)[k] ^ LOWEST);
        many |= c > 5;
        counts[r] = c;
    }
    EACH row[r] = (u8)counts[r];
    if (many)
        for (int k = 6; k < 12; k++)
            EACH row[r] += number[r] >= FN(threshold)[k];
}

/* Rows 2j and 2j + 1 take the low and the high half of draw j of the lane's stream. */
static void FN(poisson)(const u64 *restrict seeds, i64 n, u8 *restrict count)
{
    for (i64 i = 0; i < n; i += 2) {
        const u64 step = ((u64)i / 2 + 1) * GOLDEN;
        u32 low[ROW], high[ROW];
        EACH
        {
            const u64 z = FN(mixed)(seeds[r] + step);
            low[r] = (u32)z;
            high[r] = (u32)(z >> 32);
        }
        FN(passed)(low, count + i * ROW);
        if (i + 1 < n)
            FN(passed)(high, count + (i + 1) * ROW);
    }
}

/* As `poisson`, where each unit has a key of its own: the low and the high half of one draw a pair
   of lanes, 32 apart, so that a unit is drawn alike whatever stands beside it. */
static void FN(keyed_poisson)(const u64 *restrict seeds, const u64 *restrict keys, i64 n,
                              u8 *restrict count)
{
    for (i64 i = 0; i < n; i++) {
        u32 number[ROW];
        for (int r = 0; r < ROW / 2; r++) {
            const u64 z = FN(mixed)(seeds[r] + keys[i]);
            number[r] = (u32)z;
            number[r + ROW / 2] = (u32)(z >> 32);
        }
        FN(passed)(number, count + i * ROW);
    }
}

/* Independent Poisson counts, then units added or taken away at random until they sum to n: given
   its total a Poisson vector is multinomial, and one uniform unit more or less keeps it so. */
static void FN(multinomial)(const u64 *restrict seeds, i64 n, u8 *restrict count)
{
    FN(poisson)(seeds, n, count);
    i64 total[ROW];
    EACH total[r] = 0;
    for (i64 first = 0; first < n; first += 256) {
        u16 some[ROW];
        EACH some[r] = 0;
        for (i64 i = first; i < n && i < first + 256; i++)
            EACH some[r] += count[i * ROW + r];
        EACH total[r] += some[r];
    }
    int bits = 4; /* the low four choose the slot */
    while (n >> bits)
        bits++;
    EACH
    {
        u64 at = seeds[r] + REPAIR * GOLDEN;
        while (total[r] != n) {
            const u64 z = FN(mixed)(at += GOLDEN);
            u8 *unit = count + (i64)(((z >> bits) * (u64)n) >> (64 - bits)) * ROW + r;
            if (total[r] < n) {
                ++*unit;
                total[r]++;
            } else if ((z & (SLOTS - 1)) < *unit) {
                --*unit;
                total[r]--;
            }
        }
    }
}

/* ---- sums of powers ---- */

/* Sums of counts, of their squares and of their cubes, over all rows. */
static void FN(power_sums)(const u8 *restrict count, i64 n, u64 *restrict one, u64 *restrict two,
                           u64 *restrict three)
{
    EACH one[r] = two[r] = three[r] = 0;
    for (i64 first = 0; first < n; first += 256) { /* 256 * 255^3 < 2^32 */
        u32 a[ROW], b[ROW], c[ROW];
        EACH a[r] = b[r] = c[r] = 0;
        for (i64 i = first; i < n && i < first + 256; i++) {
            const u8 *restrict w = count + i * ROW;
            EACH
            {
                const u32 x = w[r];
                a[r] += x;
                b[r] += x * x;
                c[r] += x * x * x;
            }
        }
        EACH
        {
            one[r] += a[r];
            two[r] += b[r];
            three[r] += c[r];
        }
    }
}

/* Over groups of tied rows: sum of (group total)^2 less that of its rows, and the same for cubes. */
static void FN(tie_sums)(const u8 *restrict count, const i32 *restrict tied,
                         const u8 *restrict last, i64 m, u64 *restrict two, u64 *restrict three)
{
    u64 group[ROW];
    u32 b[ROW], c[ROW];
    EACH two[r] = three[r] = group[r] = 0;
    EACH b[r] = c[r] = 0;
    i64 held = 0;
    for (i64 i = 0; i < m; i++) {
        PREFETCH(count + (i64)tied[i + AHEAD < m ? i + AHEAD : m - 1] * ROW);
        const u8 *restrict w = count + (i64)tied[i] * ROW;
        EACH
        {
            const u32 x = w[r];
            group[r] += x;
            b[r] += x * x;
            c[r] += x * x * x;
        }
        if (last[i])
            EACH
            {
                two[r] += group[r] * group[r];
                three[r] += group[r] * group[r] * group[r];
                group[r] = 0;
            }
        if (++held == 256 || i + 1 == m) {
            EACH
            {
                two[r] -= b[r];
                three[r] -= c[r];
                b[r] = c[r] = 0;
            }
            held = 0;
        }
    }
}

/* ---- discordant pairs ---- */

#ifndef MANY
#define MANY 4096 /* rows of a node from which levels are taken in pairs */
#endif

/* Rows come in the order of one of y and score (and of the other where that is equal). Level by
   level they are parted, in order, into the lower and the upper half of their ranks by the other; a
   pair is discordant where a row of the upper half comes before one of the lower half. A node of
   level l holds the rows of 2^(depth - l) consecutive ranks; line l of `bits`, of LINE(n) bytes,
   says which half each row goes to, eight rows a byte. Node 1 holds all rows, 2k and 2k + 1 the
   halves of node k; one that is `sorted` holds no discordant pair. */

/* Four rows of consecutive ranks: each times those before it that belong after it. */
static inline void FN(four)(const u8 *restrict rows, const u16 *restrict mask,
                            FN(sums) *restrict acc)
{
    VECTORS
    {
        FN(shorts) low[4], high[4];
        for (int i = 0; i < 4; i++) {
            const FN(shorts) x = FN(loaded)(rows + i * ROW, v);
            low[i] = x & 255;
            high[i] = x >> 8;
        }
        acc->low[v] += low[1] * (low[0] & mask[0])
                       + low[2] * ((low[0] & mask[1]) + (low[1] & mask[2]))
                       + low[3] * ((low[0] & mask[3]) + (low[1] & mask[4]) + (low[2] & mask[5]));
        acc->high[v] += high[1] * (high[0] & mask[0])
                        + high[2] * ((high[0] & mask[1]) + (high[1] & mask[2]))
                        + high[3]
                              * ((high[0] & mask[3]) + (high[1] & mask[4]) + (high[2] & mask[5]));
    }
}

/* A node whose lanes weigh at most 361 each: all its levels fit 16 bits, for 361^2 / 2 < 2^16. */
static void FN(small_node)(u8 *restrict from, u8 *restrict to, const u8 *bits, const u8 *ways,
                           const u8 *sorted, i64 n, int level, i64 node, i64 start, i64 size,
                           i64 half, FN(sums) *restrict acc)
{
    if (size == 4 && half == 2) {
        FN(four)(from, masks_of[ways[start / 4]], acc);
        return;
    }
    if (sorted[node])
        return;
    const u8 *restrict line = bits + level * LINE(n);
    const i64 below = size < half ? size : half;
    u8 *lower = to, *higher = to + below * ROW;
    FN(sums) run, sum = *acc;
    memset(&run, 0, sizeof(run));
    for (i64 i = 0; i < size; i++) {
        const i64 is_upper = BIT(line, start + i);
        const u16 upper = (u16)-is_upper;
        u8 *at = lower + ((higher - lower) & -is_upper);
        VECTORS
        {
            const FN(shorts) x = FN(loaded)(from + i * ROW, v), up = x & upper, other = x ^ up;
            FN(stored)(x, at, v);
            run.low[v] += up & 255;
            run.high[v] += up >> 8;
            sum.low[v] += run.low[v] * (other & 255);
            sum.high[v] += run.high[v] * (other >> 8);
        }
        higher += is_upper * ROW;
        lower += (1 - is_upper) * ROW;
    }
    *acc = sum;
    if (below > 1)
        FN(small_node)(to, from, bits, ways, sorted, n, level + 1, 2 * node, start, below, half / 2,
                       acc);
    if (size - below > 1)
        FN(small_node)(to + below * ROW, from + below * ROW, bits, ways, sorted, n, level + 1,
                       2 * node + 1, start + below, size - below, half / 2, acc);
}

/* The heaviest lane's total over a few rows (at most 256). */
static u32 FN(heaviest)(const u8 *restrict rows, i64 size)
{
    u16 sum[ROW];
    EACH sum[r] = 0;
    for (i64 i = 0; i < size; i++)
        EACH sum[r] += rows[i * ROW + r];
    u32 most = 0;
    EACH most = sum[r] > most ? sum[r] : most;
    return most;
}

/* Part the rows of a node, which `sequence` picks out of `from` unless it is absent, and add up
   its discordant pairs; the bit of its first row is at `start`. Rows are taken in chunks of at most 418 units a lane, which fit 16 bits
   (as at `part_in_four`); what lay above before the chunk is multiplied in once a chunk. */
static inline void FN(part)(const u8 *restrict from, const i32 *restrict sequence, u8 *restrict to,
                            const u8 *restrict line, i64 start, i64 size, i64 below, i64 chunk,
                            u64 *restrict out)
{
    u8 *lower = to, *higher = to + below * ROW;
    u32 before[ROW];
    EACH before[r] = 0;
    for (i64 first = 0; first < size; first += chunk) {
        FN(sums) run, rest, sum;
        memset(&run, 0, sizeof(run));
        memset(&rest, 0, sizeof(rest));
        memset(&sum, 0, sizeof(sum));
        for (i64 i = first; i < size && i < first + chunk; i++) {
            if (sequence)
                PREFETCH(from + (i64)sequence[i + AHEAD < size ? i + AHEAD : size - 1] * ROW);
            const u8 *restrict w = from + (sequence ? (i64)sequence[i] : i) * ROW;
            const i64 is_upper = BIT(line, start + i);
            const u16 upper = (u16)-is_upper;
            u8 *at = lower + ((higher - lower) & -is_upper);
            VECTORS
            {
                const FN(shorts) x = FN(loaded)(w, v), up = x & upper, other = x ^ up;
                FN(stored)(x, at, v);
                run.low[v] += up & 255;
                run.high[v] += up >> 8;
                rest.low[v] += other & 255;
                rest.high[v] += other >> 8;
                sum.low[v] += run.low[v] * (other & 255);
                sum.high[v] += run.high[v] * (other >> 8);
            }
            higher += is_upper * ROW;
            lower += (1 - is_upper) * ROW;
        }
        u16 above[ROW], under[ROW], acc[ROW];
        memcpy(above, &run, sizeof(run));
        memcpy(under, &rest, sizeof(rest));
        memcpy(acc, &sum, sizeof(sum));
        EACH
        {
            out[r] += (u64)before[r] * under[r] + acc[r];
            before[r] += above[r];
        }
    }
}

/* Two levels at once, into quarters: half the traffic where rows are too many for the caches. A row
   crosses what went before it into higher quarters. 418 units a lane: 418^2 * 3 / 8 < 2^16. */
static inline void FN(part_in_four)(const u8 *restrict from, const i32 *restrict sequence,
                                    u8 *restrict to, const u8 *restrict line,
                                    const u8 *restrict next_line, i64 start, i64 size, i64 half,
                                    i64 chunk, u64 *restrict out)
{
    static const u16 is_from[4][4] = {{0xffff}, {0xffff, 0xffff}, {0xffff, 0xffff, 0xffff},
                                      {0xffff, 0xffff, 0xffff, 0xffff}}; /* [row's][quarter] */
    static const u16 is_next[4][4] = {{0, 0xffff}, {0, 0, 0xffff}, {0, 0, 0, 0xffff}, {0}};
    i64 next[2] = {start, start + (size < half ? size : half)};
    u8 *put[4] = {to, to + half / 2 * ROW, to + half * ROW, to + (half + half / 2) * ROW};
    u32 before[4][ROW];
    memset(before, 0, sizeof(before));
    for (i64 first = 0; first < size; first += chunk) {
        FN(sums) run[4], sum; /* run[k]: of quarter k and all above it */
        memset(run, 0, sizeof(run));
        memset(&sum, 0, sizeof(sum));
        for (i64 i = first; i < size && i < first + chunk; i++) {
            if (sequence)
                PREFETCH(from + (i64)sequence[i + AHEAD < size ? i + AHEAD : size - 1] * ROW);
            const u8 *restrict w = from + (sequence ? (i64)sequence[i] : i) * ROW;
            const int is_upper = BIT(line, start + i);
            const i64 place = next[is_upper]++;
            const int quarter = 2 * is_upper + BIT(next_line, place);
            const u16 *in = is_from[quarter], *above = is_next[quarter];
            VECTORS
            {
                const FN(shorts) x = FN(loaded)(w, v), low = x & 255, high = x >> 8;
                FN(stored)(x, put[quarter], v);
                sum.low[v] += low
                              * ((run[1].low[v] & above[1]) + (run[2].low[v] & above[2])
                                 + (run[3].low[v] & above[3]));
                sum.high[v] += high
                               * ((run[1].high[v] & above[1]) + (run[2].high[v] & above[2])
                                  + (run[3].high[v] & above[3]));
                for (int k = 0; k < 4; k++) {
                    run[k].low[v] += low & in[k];
                    run[k].high[v] += high & in[k];
                }
            }
            put[quarter] += ROW;
        }
        u16 upto[5][ROW], acc[ROW];
        memcpy(upto, run, sizeof(run));
        memset(upto[4], 0, sizeof(upto[4]));
        memcpy(acc, &sum, sizeof(sum));
        EACH out[r] += acc[r];
        for (int k = 0; k < 3; k++)
            EACH out[r] += (u64)before[k + 1][r] * (u32)(upto[k][r] - upto[k + 1][r]);
        for (int k = 1; k < 4; k++)
            EACH before[k][r] += upto[k][r];
    }
}

/* Any node. */
static void FN(node)(u8 *restrict from, u8 *restrict to, const u8 *bits, const u8 *ways,
                     const u8 *sorted, i64 n, int level, i64 node, i64 start, i64 size, i64 half,
                     i64 chunk, u64 *restrict out)
{
    if (size < 2 || sorted[node])
        return;
    if (size <= 256 && FN(heaviest)(from, size) <= 361) {
        FN(sums) sum;
        u16 acc[ROW];
        memset(&sum, 0, sizeof(sum));
        FN(small_node)(from, to, bits, ways, sorted, n, level, node, start, size, half, &sum);
        memcpy(acc, &sum, sizeof(sum));
        EACH out[r] += acc[r];
        return;
    }
    const u8 *const line = bits + level * LINE(n);
    if (size > MANY)
        FN(part_in_four)(from, 0, to, line, line + LINE(n), start, size, half, chunk, out);
    else
        FN(part)(from, 0, to, line, start, size, size < half ? size : half, chunk, out);
    const int levels = size > MANY ? 2 : 1;
    const i64 each = size > MANY ? half / 2 : half;
    i64 part = node << levels;
    for (i64 at = 0; at < size; at += each)
        FN(node)(to + at * ROW, from + at * ROW, bits, ways, sorted, n, level + levels, part++,
                 start + at, size - at < each ? size - at : each, each / 2, chunk, out);
}

/* Sum over discordant pairs of the product of counts. `most` is the largest count; `here` has room
   for n rows, `there` for those of the largest part of the first step: 2^(depth - 1) rows, or half
   as many where levels are taken in pairs. */
static void FN(discordant)(const u8 *restrict count, const i32 *restrict sequence,
                           const u8 *restrict bits, const u8 *restrict ways,
                           const u8 *restrict sorted, i64 n, i64 depth, i64 most,
                           u8 *restrict here, u8 *restrict there, u64 *restrict out)
{
    EACH out[r] = 0;
    if (n < 2 || sorted[1])
        return;
    const i64 half = (i64)1 << (depth - 1), chunk = 418 / (most > 1 ? most : 1);
    if (n > MANY)
        FN(part_in_four)(count, sequence, here, bits, bits + LINE(n), 0, n, half, chunk, out);
    else
        FN(part)(count, sequence, here, bits, 0, n, half, chunk, out);
    const int levels = n > MANY ? 2 : 1;
    const i64 each = n > MANY ? half / 2 : half;
    i64 part = (i64)1 << levels;
    for (i64 at = 0; at < n; at += each)
        FN(node)(here + at * ROW, there, bits, ways, sorted, n, levels, part++, at,
                 n - at < each ? n - at : each, each / 2, chunk, out);
    FN(in_order)(out);
}

/* ---- ranks ---- */

/* Twice the centred midrank of each group of equal values, by lane: shape (groups, 64). */
static void FN(centred_ranks)(const u8 *restrict count, const i32 *restrict order,
                              const u8 *restrict last, i64 n, const u64 *restrict totals,
                              float *restrict table)
{
    i32 before[ROW], upto[ROW], total[ROW];
    EACH before[r] = upto[r] = 0;
    EACH total[r] = (i32)totals[r];
    for (i64 i = 0; i < n; i++) {
        PREFETCH(count + (i64)order[i + AHEAD < n ? i + AHEAD : n - 1] * ROW);
        const u8 *restrict w = count + (i64)order[i] * ROW;
        EACH upto[r] += w[r];
        if (last[i]) {
            EACH
            {
                table[r] = (float)(before[r] + upto[r] - total[r]);
                before[r] = upto[r];
            }
            table += ROW;
        }
    }
}

/* Sum of count * rank by score * rank by y (both doubled and centred). `order` and `last` are the
   score's, `group` the y-group of the rows in that order. Doubles hold whole numbers, and are put
   away every `flush` rows, before one could pass 2^53; totals are below 2^21, so the sum fits. */
static void FN(rank_products)(const u8 *restrict count, const i32 *restrict order,
                              const u8 *restrict last, const i32 *restrict group, i64 n,
                              const u64 *restrict totals, const float *restrict table, i64 flush,
                              i64 *restrict out)
{
    i32 before[ROW], held[ROW], total[ROW];
    double sum[ROW], inside[ROW];
    int alone = 1; /* no row of the current group has been seen yet */
    EACH out[r] = 0;
    EACH before[r] = held[r] = 0;
    EACH sum[r] = inside[r] = 0;
    EACH total[r] = (i32)totals[r];
    for (i64 i = 0; i < n; i++) {
        const i64 next = i + AHEAD < n ? i + AHEAD : n - 1;
        PREFETCH(count + (i64)order[next] * ROW);
        for (int line = 0; line < ROW; line += 16)
            PREFETCH(table + (i64)group[next] * ROW + line);
        const u8 *restrict w = count + (i64)order[i] * ROW;
        const float *restrict y = table + (i64)group[i] * ROW;
        if (alone && last[i]) {
            EACH
            {
                const i32 x = w[r];
                sum[r] += (double)((2 * before[r] + x - total[r]) * x) * (double)y[r];
                before[r] += x;
            }
        } else {
            alone = last[i];
            EACH
            {
                held[r] += w[r];
                inside[r] += (double)w[r] * (double)y[r];
            }
            if (last[i])
                EACH
                {
                    out[r] += (i64)(2 * before[r] + held[r] - total[r]) * (i64)inside[r];
                    before[r] += held[r];
                    held[r] = 0;
                    inside[r] = 0;
                }
        }
        if ((i + 1) % flush == 0 || i + 1 == n)
            EACH
            {
                out[r] += (i64)sum[r];
                sum[r] = 0;
            }
    }
}

/* ---- positives and negatives ---- */

/* Rows by score, positives first among equals: out is (4, 64) and gets the pairs that a positive
   wins, nothing, and the weight of the positives and of the negatives. Chunks as in `node`. */
static void FN(auc)(const u8 *restrict count, const i32 *restrict order, const u8 *restrict label,
                    i64 n, i64 most, u64 *restrict out)
{
    const i64 chunk = 511 / (most > 1 ? most : 1);
    u64 won[ROW];
    u32 positive[ROW], negative[ROW];
    EACH won[r] = 0;
    EACH positive[r] = negative[r] = 0;
    for (i64 first = 0; first < n; first += chunk) {
        FN(sums) up, down, sum;
        memset(&up, 0, sizeof(up));
        memset(&down, 0, sizeof(down));
        memset(&sum, 0, sizeof(sum));
        for (i64 i = first; i < n && i < first + chunk; i++) {
            PREFETCH(count + (i64)order[i + AHEAD < n ? i + AHEAD : n - 1] * ROW);
            const u16 is_positive = (u16)-label[i];
            VECTORS
            {
                const FN(shorts) x = FN(loaded)(count + (i64)order[i] * ROW, v);
                const FN(shorts) is_up = x & is_positive, is_down = x ^ is_up;
                up.low[v] += is_up & 255;
                up.high[v] += is_up >> 8;
                down.low[v] += is_down & 255;
                down.high[v] += is_down >> 8;
                sum.low[v] += down.low[v] * (is_up & 255);
                sum.high[v] += down.high[v] * (is_up >> 8);
            }
        }
        u16 above[ROW], below[ROW], acc[ROW];
        memcpy(above, &up, sizeof(up));
        memcpy(below, &down, sizeof(down));
        memcpy(acc, &sum, sizeof(sum));
        EACH
        {
            won[r] += (u64)negative[r] * above[r] + acc[r];
            positive[r] += above[r];
            negative[r] += below[r];
        }
    }
    EACH
    {
        out[r] = won[r];
        out[ROW + r] = 0;
        out[2 * ROW + r] = positive[r];
        out[3 * ROW + r] = negative[r];
    }
    FN(in_order)(out);
    FN(in_order)(out + 2 * ROW);
    FN(in_order)(out + 3 * ROW);
}

/* Pairs of a positive and a negative with the same score, over the groups of several rows. */
static void FN(label_ties)(const u8 *restrict count, const i32 *restrict tied,
                           const u8 *restrict last, const u8 *restrict label, i64 m,
                           u64 *restrict out)
{
    u32 group[2][ROW];
    EACH out[r] = group[0][r] = group[1][r] = 0;
    for (i64 i = 0; i < m; i++) {
        PREFETCH(count + (i64)tied[i + AHEAD < m ? i + AHEAD : m - 1] * ROW);
        const u8 *restrict w = count + (i64)tied[i] * ROW;
        u32 *restrict sum = group[label[i]];
        EACH sum[r] += w[r];
        if (last[i])
            EACH
            {
                out[r] += (u64)group[0][r] * group[1][r];
                group[0][r] = group[1][r] = 0;
            }
    }
}

/* Groups of equal scores from the highest: positives in it * positives so far / rows so far, and
   all positives: out is (2, 64). */
static void FN(precision)(const u8 *restrict count, const i32 *restrict order,
                          const u8 *restrict last, const u8 *restrict label, i64 n,
                          double *restrict out)
{
    u32 before[ROW], positive[ROW], all[ROW];
    double sum[ROW];
    int has_positive = 0;
    FN(sums) some; /* rows that are not in `all` yet: at most 257, whose total fits */
    i64 waiting = 0;
    memset(&some, 0, sizeof(some));
    EACH before[r] = positive[r] = all[r] = 0;
    EACH sum[r] = 0;
    for (i64 i = 0; i < n; i++) {
        PREFETCH(count + (i64)order[i + AHEAD < n ? i + AHEAD : n - 1] * ROW);
        const u8 *restrict w = count + (i64)order[i] * ROW;
        VECTORS
        {
            const FN(shorts) x = FN(loaded)(w, v);
            some.low[v] += x & 255;
            some.high[v] += x >> 8;
        }
        if (label[i]) {
            has_positive = 1;
            EACH positive[r] += w[r];
        }
        if (++waiting == 257 || (last[i] && has_positive)) {
            FN(moved)(&some, all);
            waiting = 0;
        }
        if (last[i] && has_positive) {
            has_positive = 0;
            EACH
            {
                const double here = (double)(positive[r] - before[r]) * (double)positive[r];
                sum[r] += here / (double)(all[r] == 0 ? 1 : all[r]);
                before[r] = positive[r];
            }
        }
    }
    EACH
    {
        out[r] = sum[r];
        out[ROW + r] = (double)positive[r];
    }
}

/* ---- quantiles ---- */

/* The place in `order` where the running count reaches `low`, and where it passes `high` (the
   first again where it never does): out is (2, 64). Blocks of 32 rows are passed over whole. */
static void FN(quantile)(const u8 *restrict count, const i32 *restrict order, i64 n,
                         const u32 *restrict low, const u32 *restrict high, i64 *restrict out)
{
    u32 upto[ROW], before_low[ROW], before_high[ROW], blocks_low[ROW], blocks_high[ROW];
    EACH upto[r] = before_low[r] = before_high[r] = blocks_low[r] = blocks_high[r] = 0;
    for (i64 first = 0; first < n; first += 32) {
        u16 some[ROW];
        u32 waiting = 0;
        EACH some[r] = 0;
        for (i64 i = first; i < n && i < first + 32; i++) {
            PREFETCH(count + (i64)order[i + AHEAD < n ? i + AHEAD : n - 1] * ROW);
            const u8 *restrict w = count + (i64)order[i] * ROW;
            EACH some[r] += w[r];
        }
        EACH
        {
            const u32 sum = upto[r] + some[r], is_low = sum < low[r], is_high = sum <= high[r];
            upto[r] = sum;
            before_low[r] = is_low ? sum : before_low[r];
            before_high[r] = is_high ? sum : before_high[r];
            blocks_low[r] += is_low;
            blocks_high[r] += is_high;
            waiting |= is_low | is_high;
        }
        if (!waiting)
            break;
    }
    EACH
    {
        i64 i = (i64)blocks_low[r] * 32;
        for (u32 sum = before_low[r]; i < n; i++)
            if ((sum += count[(i64)order[i] * ROW + r]) >= low[r])
                break;
        out[r] = i < n ? i : n - 1;
        i = (i64)blocks_high[r] * 32;
        for (u32 sum = before_high[r]; i < n; i++)
            if ((sum += count[(i64)order[i] * ROW + r]) > high[r])
                break;
        out[ROW + r] = i < n ? i : out[r];
    }
}

/* Sum of count * y up to each cut 0 .. k of the running count, in the order of the score, linear
   across each group of equal scores; `y` is in that order. cuts and out are (k + 1, 64). */
static void FN(upto)(const u8 *restrict count, const i32 *restrict order, const u8 *restrict last,
                     const double *restrict y, i64 n, const double *restrict cuts, i64 k,
                     double *restrict out)
{
    u32 before[ROW], upto[ROW], due[ROW];
    double sum_before[ROW], sum[ROW];
    i64 next[ROW];
    EACH before[r] = upto[r] = 0;
    EACH sum_before[r] = sum[r] = 0;
    EACH next[r] = 1;
    EACH
    {
        const double cut = k > 1 ? cuts[ROW + r] : 0;
        due[r] = k > 1 ? (u32)cut + ((double)(u32)cut < cut) : ~0u;
    }
    for (i64 i = 0; i < n; i++) {
        PREFETCH(count + (i64)order[i + AHEAD < n ? i + AHEAD : n - 1] * ROW);
        const u8 *restrict w = count + (i64)order[i] * ROW;
        const double value = y[i];
        EACH
        {
            upto[r] += w[r];
            sum[r] += (double)w[r] * value;
        }
        if (!last[i])
            continue;
        u32 crossed = 0;
        EACH crossed |= upto[r] >= due[r];
        if (crossed)
            EACH
            while (next[r] < k && upto[r] >= due[r] && upto[r] > before[r])
            {
                const double share = (cuts[next[r] * ROW + r] - (double)before[r])
                                     / (double)(upto[r] - before[r]);
                out[next[r] * ROW + r] = sum_before[r] + share * (sum[r] - sum_before[r]);
                const double cut = ++next[r] < k ? cuts[next[r] * ROW + r] : 0;
                due[r] = next[r] < k ? (u32)cut + ((double)(u32)cut < cut) : ~0u;
            }
        EACH
        {
            before[r] = upto[r];
            sum_before[r] = sum[r];
        }
    }
    EACH out[k * ROW + r] = sum[r];
}

/* The shares of lanes that a group of equal values reaches, for m columns: see `upto`. */
static void FN(reached)(const u32 *before, const u32 *upto, const double (*sum_before)[ROW],
                        const double (*sum)[ROW], const double *cuts, i64 k, i64 m, i64 *next,
                        u32 *due, double *out)
{
    EACH
    while (next[r] < k && upto[r] >= due[r] && upto[r] > before[r])
    {
        const i64 at = next[r] * ROW + r;
        const double share = (cuts[at] - (double)before[r]) / (double)(upto[r] - before[r]);
        for (i64 j = 0; j < m; j++)
            out[j * (k + 1) * ROW + at] = sum_before[j][r] + share * (sum[j][r] - sum_before[j][r]);
        const double cut = ++next[r] < k ? cuts[next[r] * ROW + r] : 0;
        due[r] = next[r] < k ? (u32)cut + ((double)(u32)cut < cut) : ~0u;
    }
}

/* What `upto` gives, of up to MOST_COLUMNS columns in one walk: out is (m, k + 1, 64); columns are
   in the order of the rows. Where a row is
   a group of its own and reaches no cut, which is nearly always, nothing is put aside. */
static void FN(upto_together)(const u8 *restrict count, const i32 *restrict order,
                              const u8 *restrict last, const double *const *columns, i64 m, i64 n,
                              const double *restrict cuts, i64 k, double *restrict out)
{
    u32 before[ROW], upto[ROW], due[ROW];
    double sum_before[MOST_COLUMNS][ROW], sum[MOST_COLUMNS][ROW];
    i64 next[ROW];
    int is_open = 0;
    memset(sum, 0, sizeof(sum));
    EACH upto[r] = 0;
    EACH next[r] = 1;
    EACH
    {
        const double cut = k > 1 ? cuts[ROW + r] : 0;
        due[r] = k > 1 ? (u32)cut + ((double)(u32)cut < cut) : ~0u;
    }
    for (i64 i = 0; i < n; i++) {
        const i64 ahead = order[i + AHEAD < n ? i + AHEAD : n - 1];
        PREFETCH(count + ahead * ROW);
        for (i64 j = 0; j < m; j++)
            PREFETCH(columns[j] + ahead);
        const u8 *restrict w = count + (i64)order[i] * ROW;
        u32 crossed = 0;
        if (!is_open) {
            EACH crossed |= upto[r] + w[r] >= due[r];
            if (crossed || !last[i]) {
                memcpy(before, upto, sizeof(upto));
                memcpy(sum_before, sum, sizeof(sum[0]) * (size_t)m);
                is_open = 1;
            }
        }
        EACH upto[r] += w[r];
        for (i64 j = 0; j < m; j++) {
            const double value = columns[j][order[i]];
            EACH sum[j][r] += (double)w[r] * value;
        }
        if (is_open && last[i]) {
            FN(reached)(before, upto, sum_before, sum, cuts, k, m, next, due, out);
            is_open = 0;
        }
    }
    for (i64 j = 0; j < m; j++)
        EACH out[(j * (k + 1) + k) * ROW + r] = sum[j][r];
}

/* ---- cells of a grid ---- */

/* Adds each row's counts to those of its cell: out is (cells, 64), at most 65,536 of them. */
static void FN(cells)(const u8 *restrict count, const u16 *restrict cell, i64 n, u32 *restrict out)
{
    for (i64 i = 0; i < n; i++) {
        const u32 *const ahead = out + (i64)cell[i + AHEAD < n ? i + AHEAD : n - 1] * ROW;
        for (int line = 0; line < ROW; line += 16)
            PREFETCH(ahead + line);
        const u8 *restrict w = count + i * ROW;
        u32 *restrict sum = out + (i64)cell[i] * ROW;
        EACH sum[r] += w[r];
    }
}

/* Of each bin by score, of cells (bins, width by y): the weight, the sum of weight * (twice the
   midrank of y), and that of weight * (the weight on the same side less that on the other one).
   `room` is (4, width, 64), out is (3, bins, 64). Totals are below 2^31, so all sums fit. */
static void FN(cell_sums)(const u32 *restrict cells, i64 bins, i64 width, i64 *restrict room,
                          i64 *restrict out)
{
    i64 *const total = room, *const rank = room + width * ROW;
    i64 *const passed = rank + width * ROW, *const side = passed + width * ROW;
    i64 below[ROW], all[ROW];
    memset(room, 0, (size_t)(4 * width * ROW) * sizeof(*room));
    for (i64 s = 0; s < bins; s++)
        for (i64 k = 0; k < width * ROW; k++)
            total[k] += cells[s * width * ROW + k];
    EACH below[r] = 0;
    for (i64 y = 0; y < width; y++)
        EACH
        {
            rank[y * ROW + r] = 2 * below[r] + total[y * ROW + r];
            below[r] += total[y * ROW + r];
        }
    for (i64 s = 0; s < bins; s++) {
        const u32 *restrict cell = cells + s * width * ROW;
        i64 *restrict weight = out + s * ROW, *restrict ranks = weight + bins * ROW;
        i64 *restrict signs = ranks + bins * ROW;
        EACH weight[r] = ranks[r] = signs[r] = below[r] = all[r] = 0;
        for (i64 y = 0; y < width; y++)
            EACH
            {
                const i64 k = y * ROW + r;
                side[k] = 2 * passed[k] + (i64)cell[k] - total[k];
                all[r] += side[k];
            }
        for (i64 y = 0; y < width; y++)
            EACH
            {
                const i64 k = y * ROW + r, w = cell[k];
                weight[r] += w;
                ranks[r] += w * rank[k];
                signs[r] += w * (2 * below[r] + side[k] - all[r]);
                below[r] += side[k];
                passed[k] += w;
            }
    }
}

/* ---- sums of columns ---- */

/* Add to eight vectors of lanes their sum over at most 64 rows of value * weight; of rows `some`
   alone where these are given. */
static inline void FN(column)(const double *restrict column, i64 step,
                              const double *restrict weight, const u8 *some, i64 size,
                              double *restrict out)
{
    FN(doubles) sum[8], w;
    memset(sum, 0, sizeof(sum));
    for (i64 k = 0; k < size; k++) {
        const i64 i = some ? some[k] : k;
        for (int v = 0; v < 8; v++) {
            memcpy(&w, weight + i * PART + v * (int)(sizeof(w) / 8), sizeof(w));
            sum[v] += column[i * step] * w;
        }
    }
    for (int v = 0; v < 8; v++) {
        memcpy(&w, out + v * (int)(sizeof(w) / 8), sizeof(w));
        w += sum[v];
        memcpy(out + v * (int)(sizeof(w) / 8), &w, sizeof(w));
    }
}

/* The rows whose value is not 0, if they are so few that the others, which add nothing, are best left
   out: how many, else `size`. Most columns hold no 0: a quick count comes first. */
static inline i64 FN(filled)(const double *restrict column, i64 step, i64 size, u8 *restrict some)
{
    i64 number = 0, found = 0;
    if (step != 1)
        return size;
    for (i64 i = 0; i < size; i++)
        number += column[i] != 0;
    if (4 * number > 3 * size)
        return size;
    for (i64 i = 0; i < size; i++) {
        some[found] = (u8)i;
        found += column[i] != 0;
    }
    return found;
}

/* out[j][r] = sum over rows of columns[j][i * step] * (count[i][r] * weight[i]), in blocks of 64
   rows: within a block row by row, then block by block, on top of what is there where `is_more`.
   `weight` may be absent. Lanes are taken in parts whose block stays in the nearest cache. */
static void FN(weighted_sums)(const u8 *restrict count, const double *restrict weight,
                              const double *const *restrict columns, i64 step, i64 n,
                              i64 m, i64 is_more, double *restrict out)
{
    double block[64 * ROW];
    u8 some[MOST_BESIDE][64];
    i64 filled[MOST_BESIDE];
    for (i64 j = 0; j < m * ROW && !is_more; j++)
        out[j] = 0;
    for (i64 first = 0; first < n; first += 64) {
        const i64 size = n - first < 64 ? n - first : 64;
        const i64 next = n - first < 128 ? n - 1 : first + 64; /* its next block */
        for (i64 i = 0; i < size; i++) {
            const double scale = weight ? weight[first + i] : 1.0;
            for (int part = 0; part < ROW; part += PART)
                for (int r = 0; r < PART; r++)
                    block[(64 * part) + i * PART + r] =
                        (double)count[(first + i) * ROW + part + r] * scale;
        }
        for (i64 begin = 0; begin < m; begin += MOST_BESIDE) {
            const i64 end = m - begin < MOST_BESIDE ? m : begin + MOST_BESIDE;
            for (i64 j = begin; j < end; j++) {
                for (int line = 0; line < 64 && next + line < n; line += 8)
                    PREFETCH(columns[j] + (next + line) * step);
                filled[j - begin] =
                    FN(filled)(columns[j] + first * step, step, size, some[j - begin]);
            }
            for (int part = 0; part < ROW; part += PART)
                for (i64 j = begin; j < end; j++)
                    FN(column)(columns[j] + first * step, step, block + part * 64,
                               filled[j - begin] < size ? some[j - begin] : 0, filled[j - begin],
                               out + j * ROW + part);
        }
    }
}

/* Add to eight vectors of lanes, of SIDE columns, their sums over at most 64 rows of value * weight. */
static inline void FN(beside)(const double *const *restrict columns, i64 first,
                              const double *restrict weight, i64 size, double *restrict out)
{
    FN(doubles) sum[SIDE][8], w;
    memset(sum, 0, sizeof(sum));
    for (i64 i = 0; i < size; i++)
        for (int v = 0; v < 8; v++) {
            memcpy(&w, weight + i * PART + v * (int)(sizeof(w) / 8), sizeof(w));
            for (int j = 0; j < SIDE; j++)
                sum[j][v] = FUSED(columns[j][first + i], w, sum[j][v]);
        }
    for (int j = 0; j < SIDE; j++)
        for (int v = 0; v < 8; v++) {
            double *const place = out + j * ROW + v * (int)(sizeof(w) / 8);
            memcpy(&w, place, sizeof(w));
            w += sum[j][v];
            memcpy(place, &w, sizeof(w));
        }
}

/* out[j][r] = sum over rows of columns[j][i] * count[i][r], where all are whole numbers whose
   products add up to less than 2^53: exact in any order, fused or not, several columns at once. */
static void FN(exact_sums)(const u8 *restrict count, const double *const *restrict columns, i64 n,
                           i64 m, double *restrict out)
{
    double block[64 * PART];
    for (i64 j = 0; j < m * ROW; j++)
        out[j] = 0;
    for (i64 first = 0; first < n; first += 64) {
        const i64 size = n - first < 64 ? n - first : 64;
        for (int part = 0; part < ROW; part += PART) {
            for (i64 i = 0; i < size; i++)
                for (int r = 0; r < PART; r++)
                    block[i * PART + r] = (double)count[(first + i) * ROW + part + r];
            i64 j = 0;
            for (; j + SIDE <= m; j += SIDE)
                FN(beside)(columns + j, first, block, size, out + j * ROW + part);
            for (; j < m; j++)
                FN(column)(columns[j] + first, 1, block, 0, size, out + j * ROW + part);
        }
    }
}

#undef BOTH
#undef DOUBLES
#undef PART
#undef VECTORS
#undef FN
#undef ROW
#undef EACH
#undef LOWEST
