/* What is found for one weighting alone, and so compiled once: nothing in it fills a register. */

/* For each row the weight of the rows that are below it in y and in score, by its place in y.
   Rows come in order of score with their places; they are parted by the bits of the place, highest
   first, and carry their weights and sums with them. Each pair of pointers is an array and its
   spare; what is found ends in the first. Sums run over the whole of a level, and what stood before
   a part is taken off, as the NumPy form does it. */
static void weight_below_of(i32 *place, i32 *place_spare, double *weight, double *weight_spare,
                            double *below, double *below_spare, i64 n, i64 depth)
{
    double *const found = below;
    for (i64 bit = depth - 1; bit >= 0; bit--) {
        double running = 0;
        for (i64 start = 0; start < n; start += (i64)2 << bit) {
            const i64 half = (i64)1 << bit, left = n - start;
            const i64 end = start + (left < 2 * half ? left : 2 * half);
            i64 at[2] = {start, start + (left < half ? left : half)};
            const double before = running;
            for (i64 i = start; i < end; i++) {
                const i64 is_high = place[i] >> bit & 1, to = at[is_high]++;
                place_spare[to] = place[i];
                weight_spare[to] = weight[i];
                below_spare[to] = is_high ? below[i] + (running - before) : below[i];
                running += is_high ? 0 : weight[i];
            }
        }
        i32 *const places = place;
        double *const weights = weight, *const sums = below;
        place = place_spare, place_spare = places;
        weight = weight_spare, weight_spare = weights;
        below = below_spare, below_spare = sums;
    }
    if (below != found)
        memcpy(found, below, (size_t)n * sizeof *found);
}

/* Of each part of the rows by score, the place between two groups of scores, from `first` to
   `last`, before which the sum of weight * (sign of the part's `middle` y less the row's) is largest,
   the first such. `starts` has the row at which each group begins. The sum runs on over the parts,
   as the NumPy form has it. */
static void best_in_ranges_of(const i32 *y, const double *weight, const i64 *starts,
                              const i64 *middle, const i64 *first, const i64 *last, i64 parts,
                              i64 *found)
{
    double running = 0;
    for (i64 part = 0; part < parts; part++) {
        double most = running;
        i64 best = first[part];
        for (i64 place = first[part]; place < last[part]; place++) {
            for (i64 i = starts[place]; i < starts[place + 1]; i++)
                running += weight[i] * (double)((middle[part] > y[i]) - (middle[part] < y[i]));
            if (running > most) {
                most = running;
                best = place + 1;
            }
        }
        found[part] = best;
    }
}

/* For each group of equal values the weight in it and below it, groups ascending, and both for each
   row; sums are made in the order of the rows, and then of the groups. */
static void group_spread_of(const i32 *group, const double *weight, i64 n, i64 groups, double *tied,
                            double *below, double *row_below, double *row_tied)
{
    for (i64 g = 0; g < groups; g++)
        tied[g] = 0;
    for (i64 i = 0; i < n; i++)
        tied[group[i]] += weight[i];
    double sum = 0;
    for (i64 g = 0; g < groups; g++) {
        below[g] = sum;
        sum += tied[g];
    }
    for (i64 i = 0; i < n; i++) {
        row_below[i] = below[group[i]];
        row_tied[i] = tied[group[i]];
    }
}

/* The double nearest to the fewest digits that name each single, by `powers` of ten from 0 to 22.
   Those that are to be printed and read are flagged: sizes that are tiny or huge, and powers of two
   that six digits do not name, as their neighbours are not equally far. */
static void short_decimals_of(const float *values, i64 n, const double *powers, double *found,
                              u8 *is_printed)
{
    const double whole = 6755399441055744.0; /* what is added to it is rounded, half to even */
    for (i64 i = 0; i < n; i++) {
        const double value = values[i], size = fabs(value);
        found[i] = value;
        is_printed[i] = 0;
        if (!(size > 1e-13 && size < 1e13)) {
            is_printed[i] = size > 0 && size <= 3.5e38;
            continue;
        }
        i64 exponent = 0;
        if (size >= 1)
            while (size >= powers[exponent + 1])
                exponent++;
        else
            while (size * powers[-exponent] < 1)
                exponent--;
        for (i64 digits = 6; digits < 10; digits++) {
            const i64 places = digits - 1 - exponent;
            double decimal;
            if (places >= 0)
                decimal = (value * powers[places] + whole - whole) / powers[places];
            else
                decimal = (value / powers[-places] + whole - whole) * powers[-places];
            if ((float)decimal == values[i]) {
                found[i] = decimal;
                break;
            }
            u32 bits;
            memcpy(&bits, values + i, sizeof bits);
            if (!(bits & 0x7fffff)) {
                is_printed[i] = 1;
                break;
            }
        }
    }
}
