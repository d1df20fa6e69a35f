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

/* Counts of `number` lanes as doubles, by 16 or more. Where WIDENED widens a register of them, no lane
   is moved across halves, as compilers else do. */
static inline void FN(widened)(const u8 *restrict row, int number, double *restrict wide)
{
#ifdef WIDENED
    for (int r = 0; r < number; r += (int)sizeof(FN(doubles)) / 8) {
        const FN(doubles) x = (FN(doubles))WIDENED(row + r);
        memcpy(wide + r, &x, sizeof(x));
    }
#else
    for (int r = 0; r < number; r++)
        wide[r] = (double)row[r];
#endif
}

/* Those of a row, PART of them side by side, each part `size` rows from the next. */
static inline void FN(widened_row)(const u8 *restrict row, i64 size, double *restrict wide)
{
    for (int part = 0; part < ROW; part += PART)
        FN(widened)(row + part, PART, wide + part * size);
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

/* Sums of counts, of their squares and of their cubes, of a few rows: all fit 16 bits. */
typedef struct {
    FN(sums) one, two, three;
} FN(powers);

static inline void FN(raised)(const u8 *row, FN(powers) *restrict sum)
{
    VECTORS
    {
        const FN(shorts) x = FN(loaded)(row, v), low = x & 255, high = x >> 8;
        const FN(shorts) low_square = low * low, high_square = high * high;
        sum->one.low[v] += low;
        sum->one.high[v] += high;
        sum->two.low[v] += low_square;
        sum->two.high[v] += high_square;
        sum->three.low[v] += low_square * low;
        sum->three.high[v] += high_square * high;
    }
}

/* Sums of counts, of their squares and of their cubes over rows in the order of `tied`, or over all
   as they stand. Where `last` marks the last row of each group, squares and cubes are those of the
   groups' totals less those of the rows. `most` is the largest count: up to 40 its cube fits 16 bits,
   and rows are taken in chunks whose sums do; above, one by one. */
static void FN(power_sums)(const u8 *restrict count, const i32 *restrict tied,
                           const u8 *restrict last, i64 n, i64 most, u64 *restrict one,
                           u64 *restrict two, u64 *restrict three)
{
    const i64 chunk = most > 40 ? 1 : 65535 / (most > 1 ? most * most * most : 1);
    const u64 sign = last ? -1ull : 1;
    i64 held = 0;
    FN(powers) sum;
    memset(&sum, 0, sizeof(sum));
    EACH one[r] = two[r] = three[r] = 0;
    for (i64 i = 0; i < n; i++) {
        if (tied)
            PREFETCH(count + (i64)tied[i + AHEAD < n ? i + AHEAD : n - 1] * ROW);
        FN(raised)(count + (tied ? (i64)tied[i] : i) * ROW, &sum);
        const int is_last = last && last[i];
        if (++held < chunk && !is_last && i + 1 < n)
            continue;
        u16 some[3][ROW];
        memcpy(some, &sum, sizeof(some));
        memset(&sum, 0, sizeof(sum));
        held = 0;
        EACH
        {
            const u64 x = some[0][r];
            one[r] += x;
            two[r] += sign * (most > 40 ? x * x : some[1][r]);
            three[r] += sign * (most > 40 ? x * x * x : some[2][r]);
        }
        if (is_last)
            EACH
            {
                two[r] += one[r] * one[r];
                three[r] += one[r] * one[r] * one[r];
                one[r] = 0;
            }
    }
    FN(in_order)(one);
    FN(in_order)(two);
    FN(in_order)(three);
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
   crosses what went before it into higher quarters. 418 units a lane: 418^2 * 3 / 8 < 2^16. Rows whose
   place is before `skip` are dropped; `to` does not hold them. */
static inline void FN(part_in_four)(const u8 *restrict from, const i32 *restrict sequence,
                                    u8 *restrict to, const u8 *restrict line,
                                    const u8 *restrict next_line, i64 start, i64 size, i64 half,
                                    i64 skip, i64 chunk, u64 *restrict out)
{
    static const u16 is_from[4][4] = {{0xffff}, {0xffff, 0xffff}, {0xffff, 0xffff, 0xffff},
                                      {0xffff, 0xffff, 0xffff, 0xffff}}; /* [row's][quarter] */
    static const u16 is_next[4][4] = {{0, 0xffff}, {0, 0, 0xffff}, {0, 0, 0, 0xffff}, {0}};
    i64 next[2] = {start, start + (size < half ? size : half)};
    u8 *put[4], lost[ROW];
    i64 step[4];
    for (int k = 0; k < 4; k++) {
        step[k] = k * (half / 2) < skip ? 0 : ROW;
        put[k] = step[k] ? to + (k * (half / 2) - skip) * ROW : lost;
    }
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
            put[quarter] += step[quarter];
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
        FN(part_in_four)(from, 0, to, line, line + LINE(n), start, size, half, 0, chunk, out);
    else
        FN(part)(from, 0, to, line, start, size, size < half ? size : half, chunk, out);
    const int levels = size > MANY ? 2 : 1;
    const i64 each = size > MANY ? half / 2 : half;
    i64 part = node << levels;
    for (i64 at = 0; at < size; at += each)
        FN(node)(to + at * ROW, from + at * ROW, bits, ways, sorted, n, level + levels, part++,
                 start + at, size - at < each ? size - at : each, each / 2, chunk, out);
}

/* Sum over discordant pairs of the product of counts. `most` is the largest count. Of many rows, the
   quarters before `skip` are sorted, and no row of theirs is kept; `here` has room for the others,
   `there` for the rows of the largest part of the first step: 2^(depth - 1) rows, or half as many
   where levels are taken in pairs. */
static void FN(discordant)(const u8 *restrict count, const i32 *restrict sequence,
                           const u8 *restrict bits, const u8 *restrict ways,
                           const u8 *restrict sorted, i64 n, i64 depth, i64 skip, i64 most,
                           u8 *restrict here, u8 *restrict there, u64 *restrict out)
{
    EACH out[r] = 0;
    if (n < 2 || sorted[1])
        return;
    const i64 half = (i64)1 << (depth - 1), chunk = 418 / (most > 1 ? most : 1);
    if (n > MANY)
        FN(part_in_four)(count, sequence, here, bits, bits + LINE(n), 0, n, half, skip, chunk, out);
    else
        FN(part)(count, sequence, here, bits, 0, n, half, chunk, out);
    const int levels = n > MANY ? 2 : 1;
    const i64 each = n > MANY ? half / 2 : half;
    i64 part = ((i64)1 << levels) + skip / each;
    for (i64 at = skip; at < n; at += each)
        FN(node)(here + (at - skip) * ROW, there, bits, ways, sorted, n, levels, part++, at,
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

#define HELD 32 /* rows that are summed in one go, lanes of doubles side by side */

/* Add to sums of PART lanes value * weight, row by row; of rows `some` alone where these are given. */
static inline void FN(added)(const double *restrict column, i64 step,
                             const double *restrict weight, const u8 *some, i64 size,
                             FN(doubles) *restrict sum)
{
    FN(doubles) w;
    for (i64 k = 0; some && k < size; k++)
        for (int v = 0; v < 8; v++) {
            memcpy(&w, weight + some[k] * PART + v * (int)(sizeof(w) / 8), sizeof(w));
            sum[v] += column[some[k]] * w;
        }
    for (i64 k = 0; !some && k < size; k++, column += step, weight += PART)
        for (int v = 0; v < 8; v++) {
            memcpy(&w, weight + v * (int)(sizeof(w) / 8), sizeof(w));
            sum[v] += *column * w;
        }
}

/* Where a walk up to cuts stands. `before` and `sum_before` are those at the start of the group of
   equal values that is being read; `due` is the count at which a lane's next cut is reached. */
typedef struct {
    u32 before[ROW], upto[ROW], due[ROW];
    double sum_before[MOST_COLUMNS][ROW], sum[MOST_COLUMNS][ROW];
    i64 next[ROW];
} FN(reading);

/* The count from which a cut is reached, or one that none reaches after the last cut. */
static inline u32 FN(due)(const double *cuts, i64 k, i64 next, int r)
{
    const double cut = next < k ? cuts[next * ROW + r] : 0;
    return next < k ? (u32)cut + ((double)(u32)cut < cut) : ~0u;
}

/* Write down the cuts that lane `r` reaches within some rows, from where it stands before them;
   `past` is its count up to their end, where a group ends. */
static void FN(read_cuts)(FN(reading) *at, int r, const u8 *const *rows, const u8 *last,
                          const double (*value)[HELD], i64 size, u32 past, int is_open,
                          const double *cuts, i64 k, i64 m, double *out)
{
    u32 upto = at->upto[r], before = is_open ? at->before[r] : upto;
    double sum[MOST_COLUMNS], sum_before[MOST_COLUMNS];
    for (i64 j = 0; j < m; j++) {
        sum[j] = at->sum[j][r];
        sum_before[j] = is_open ? at->sum_before[j][r] : sum[j];
    }
    for (i64 i = 0; i < size && at->due[r] <= past; i++) {
        upto += rows[i][r];
        for (i64 j = 0; j < m; j++)
            sum[j] += (double)rows[i][r] * value[j][i];
        if (!last[i])
            continue;
        for (; at->next[r] < k && upto >= at->due[r] && upto > before; at->next[r]++) {
            const i64 place = at->next[r] * ROW + r;
            const double share = (cuts[place] - (double)before) / (double)(upto - before);
            for (i64 j = 0; j < m; j++)
                out[j * (k + 1) * ROW + place] = sum_before[j] + share * (sum[j] - sum_before[j]);
            at->due[r] = FN(due)(cuts, k, at->next[r] + 1, r);
        }
        before = upto;
        for (i64 j = 0; j < m; j++)
            sum_before[j] = sum[j];
    }
}

/* Read rows `first` to `size` of those that are held; `past` is the count up to their end. */
static inline void FN(read_rows)(FN(reading) *at, const u32 *past, const double *weight,
                                 const double (*value)[HELD], i64 first, i64 size, i64 m)
{
    memcpy(at->upto, past, sizeof(at->upto));
    for (int part = 0; part < ROW; part += PART)
        for (i64 j = 0; j < m; j++) {
            double *const place = at->sum[j] + part;
            FN(doubles) sum[8];
            for (int v = 0; v < 8; v++)
                memcpy(&sum[v], place + v * (int)(sizeof(*sum) / 8), sizeof(*sum));
            FN(added)(value[j] + first, 1, weight + part * HELD + first * PART, 0, size - first,
                      sum);
            for (int v = 0; v < 8; v++)
                memcpy(place + v * (int)(sizeof(*sum) / 8), &sum[v], sizeof(*sum));
        }
}

/* Add the counts of some rows that are held, at most HELD, to those of the lanes. */
static inline void FN(counted)(const u8 *const *rows, i64 first, i64 size, u32 *past)
{
    FN(sums) some;
    memset(&some, 0, sizeof(some));
    for (i64 i = first; i < size; i++)
        VECTORS
        {
            const FN(shorts) x = FN(loaded)(rows[i], v);
            some.low[v] += x & 255;
            some.high[v] += x >> 8;
        }
    FN(moved)(&some, past);
}

/* Sums of count * value up to each cut 0 .. k of the running count, in the order of the score, linear
   across each group of equal scores, of up to MOST_COLUMNS columns, which stand in that order: cuts
   are (k + 1, 64), out is (m, k + 1, 64). All lanes are summed at once, and then, where a lane has
   reached a cut within the rows, it is read again by itself. */
static void FN(upto)(const u8 *restrict count, const i32 *restrict order, const u8 *restrict last,
                     const double *const *columns, i64 m, i64 n, const double *restrict cuts, i64 k,
                     double *restrict out)
{
    FN(reading) at;
    int is_open = 0; /* whether the rows so far end within a group */
    memset(&at, 0, sizeof(at));
    EACH at.next[r] = 1;
    EACH at.due[r] = FN(due)(cuts, k, 1, r);
    for (i64 first = 0; first < n; first += HELD) {
        const i64 size = n - first < HELD ? n - first : HELD;
        const u8 *rows[HELD];
        double weight[HELD * ROW], value[MOST_COLUMNS][HELD];
        u32 past[ROW];
        memcpy(past, at.upto, sizeof(past));
        for (i64 i = 0; i < size; i++) {
            PREFETCH(count + (i64)order[first + i + AHEAD < n ? first + i + AHEAD : n - 1] * ROW);
            rows[i] = count + (i64)order[first + i] * ROW;
            for (i64 j = 0; j < m; j++)
                value[j][i] = columns[j][first + i];
            FN(widened_row)(rows[i], HELD, weight + i * PART);
        }
        i64 closed = size; /* rows up to the end of the last group that ends here */
        while (closed && !last[first + closed - 1])
            closed--;
        if (closed) {
            u32 is_due = 0;
            FN(counted)(rows, 0, closed, past);
            EACH is_due |= past[r] >= at.due[r];
            for (int r = 0; is_due && r < ROW; r++)
                if (past[r] >= at.due[r])
                    FN(read_cuts)(&at, r, rows, last + first, value, closed, past[r], is_open,
                                  cuts, k, m, out);
            FN(read_rows)(&at, past, weight, value, 0, closed, m);
            is_open = 0;
        }
        if (closed == size)
            continue;
        if (!is_open) {
            memcpy(at.before, at.upto, sizeof(at.upto));
            memcpy(at.sum_before, at.sum, sizeof(at.sum));
            is_open = 1;
        }
        FN(counted)(rows, closed, size, past);
        FN(read_rows)(&at, past, weight, value, closed, size, m);
    }
    for (i64 j = 0; j < m; j++)
        EACH out[(j * (k + 1) + k) * ROW + r] = at.sum[j][r];
}

/* ---- cells of a grid ---- */

/* The counts of the rows of each cell: out is (size, 64), of at most 65,536 cells. They are added up
   in bytes in `room`, (size, 65), and put away before one could pass 255; `most` is the largest. */
static void FN(cells)(const u8 *restrict count, const u16 *restrict cell, i64 n, i64 size, i64 most,
                      u8 *restrict room, u32 *restrict out)
{
    const u8 full = (u8)(255 / (most > 1 ? most : 1)); /* rows whose sum fits a byte */
    u8 *restrict const held = room + size * ROW;
    memset(room, 0, (size_t)(size * (ROW + 1)));
    memset(out, 0, (size_t)(size * ROW) * sizeof(*out));
    for (i64 i = 0; i < n; i++) {
        PREFETCH(room + (i64)cell[i + AHEAD < n ? i + AHEAD : n - 1] * ROW);
        const i64 own = cell[i];
        u8 *restrict sum = room + own * ROW;
        const u8 *restrict w = count + i * ROW;
        EACH sum[r] += w[r];
        if (++held[own] < full)
            continue;
        EACH out[own * ROW + r] += sum[r];
        memset(sum, 0, ROW);
        held[own] = 0;
    }
    for (i64 k = 0; k < size * ROW; k++)
        out[k] += room[k];
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
    FN(added)(column, step, weight, some, size, sum);
    for (int v = 0; v < 8; v++) {
        memcpy(&w, out + v * (int)(sizeof(w) / 8), sizeof(w));
        w += sum[v];
        memcpy(out + v * (int)(sizeof(w) / 8), &w, sizeof(w));
    }
}

/* The rows whose value is not 0, if they are so few that the others, which add nothing, are best left
   out: how many, else `size`. Most columns hold no 0: a count of the first rows says enough. */
static inline i64 FN(filled)(const double *restrict column, i64 step, i64 size, u8 *restrict some)
{
    i64 number = 0, found = 0;
    if (step != 1 || size < 16)
        return size;
    for (i64 i = 0; i < 16; i++)
        number += column[i] != 0;
    if (number > 12)
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
            FN(widened_row)(count + (first + i) * ROW, 64, block + i * PART);
            if (weight)
                for (int part = 0; part < ROW; part += PART)
                    for (int r = 0; r < PART; r++)
                        block[64 * part + i * PART + r] *= weight[first + i];
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
    double block[64 * ROW];
    for (i64 j = 0; j < m * ROW; j++)
        out[j] = 0;
    for (i64 first = 0; first < n; first += 64) {
        const i64 size = n - first < 64 ? n - first : 64;
        for (i64 i = 0; i < size; i++)
            FN(widened_row)(count + (first + i) * ROW, 64, block + i * PART);
        for (int part = 0; part < ROW; part += PART) {
            const double *const own = block + part * 64;
            i64 j = 0;
            for (; j + SIDE <= m; j += SIDE)
                FN(beside)(columns + j, first, own, size, out + j * ROW + part);
            for (; j < m; j++)
                FN(column)(columns[j] + first, 1, own, 0, size, out + j * ROW + part);
        }
    }
}

/* ---- rows that weigh one each ---- */

/* How many places are taken before `place`: one bit a place, a count of those before each block of
   512 places within its part, and one of those before each part of 64 blocks. Loops are as long for
   every place, so that no branch has to be guessed. */
static inline i32 FN(taken_before)(const u64 *taken, const i32 *blocks, const i32 *parts, i64 place)
{
    i32 found = parts[place >> 15] + blocks[place >> 9];
    const u64 *const word = taken + (place >> 9 << 3);
    for (int k = 0; k < 8; k++) {
        const i64 left = (place & 511) - 64 * k;
        const u64 some = left > 0 ? ((u64)1 << (left & 63)) - 1 : 0;
        found += (i32)ONES(word[k] & (left > 63 ? ~0ull : some));
    }
    return found;
}

static inline void FN(take_place)(u64 *taken, i32 *restrict blocks, i32 *restrict parts,
                                  i64 part_count, i64 place)
{
    taken[place >> 6] |= (u64)1 << (place & 63);
    const i32 part = (i32)(place >> 15), block = (i32)(place >> 9 & 63);
    i32 *restrict const own = blocks + 64 * (i64)part;
    for (i32 b = 0; b < 64; b++)
        own[b] += b > block;
    for (i32 p = 0; p < part_count; p++)
        parts[p] += p > part;
}

/* For each row four counts of rows: below it in y and in score; of equal y with a lower score; of
   equal y and score, itself too; of equal score with a lower y. Rows come in order of score, and of
   y within equal score; they take a place by their y once all of their score have looked.
   `start_y` has the place at which each group of y begins, `seen` and the rest are zero. */
static void FN(unit_cells)(const i32 *sequence, const i32 *group_y, const i32 *group_score,
                          const i32 *start_y, i64 n, i32 *seen, u64 *taken, i32 *blocks,
                          i32 *parts, i64 part_count, i32 *found)
{
    for (i64 start = 0, end; start < n; start = end) {
        const i32 score = group_score[sequence[start]];
        for (end = start; end < n && group_score[sequence[end]] == score;) {
            const i64 first = end;
            const i32 y = group_y[sequence[first]];
            const i64 ahead = first + AHEAD < n ? first + AHEAD : n - 1;
            const i32 y_ahead = group_y[sequence[ahead]];
            const i64 farther = sequence[first + 2 * AHEAD < n ? first + 2 * AHEAD : n - 1];
            PREFETCH(group_y + farther);
            PREFETCH(group_score + farther);
            PREFETCH(start_y + y_ahead);
            PREFETCH(seen + y_ahead);
            PREFETCH(found + 4 * (i64)sequence[ahead]);
            while (end < n && group_y[sequence[end]] == y && group_score[sequence[end]] == score)
                end++;
            const i32 below = FN(taken_before)(taken, blocks, parts, start_y[y]);
            for (i64 k = first; k < end; k++) {
                i32 *const row = found + 4 * (i64)sequence[k];
                row[0] = below, row[1] = seen[y];
                row[2] = (i32)(end - first), row[3] = (i32)(first - start);
            }
        }
        for (i64 k = start; k < end; k++) {
            const i32 y = group_y[sequence[k]];
            FN(take_place)(taken, blocks, parts, part_count, start_y[y] + seen[y]++);
        }
    }
}

/* The weight of the other rows by where they lie from each, all of them weighing one: eight columns
   of n numbers, from the four counts of a row and the places at which its groups begin. */
static void FN(unit_pairs)(const i32 *found, const i32 *group_y, const i32 *group_score,
                          const i32 *start_y, const i32 *start_score, i64 n,
                          i32 *const *pairs)
{
    for (i64 i = 0; i < n; i++) {
        const i32 *const y = start_y + group_y[i], *const score = start_score + group_score[i];
        const i32 *const row = found + 4 * i;
        const i32 below = row[0], y_before = row[1], both = row[2], score_before = row[3];
        const i32 above = (i32)n - y[1] - score[1] + below + y_before + score_before + both;
        const i32 tied_y = y[1] - y[0] - both, tied_score = score[1] - score[0] - both;
        pairs[0][i] = above;
        pairs[1][i] = below;
        pairs[2][i] = (i32)n - above - below - both - tied_y - tied_score;
        pairs[3][i] = tied_score - score_before;
        pairs[4][i] = tied_y - y_before;
        pairs[5][i] = tied_y;
        pairs[6][i] = tied_score;
        pairs[7][i] = both - 1;
    }
}

#include "few.h"

#undef BOTH
#undef DOUBLES
#undef PART
#undef VECTORS
#undef FN
#undef ROW
#undef EACH
#undef LOWEST
#undef HELD
