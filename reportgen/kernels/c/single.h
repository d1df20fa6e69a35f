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
