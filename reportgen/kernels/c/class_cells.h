/* Fits to the weights of two classes in cells by rising score, WIDTH lanes at a time. `cells` is
   (2 * c, STRIDE): of each cell the weight of the lower class, then that of the upper. Compiled
   before walks.h for each kind of WEIGHT, with what is defined for it, and with PRODUCT, which
   holds a product of two sums.

   Where a logistic fit ends does not hang on the way there, so that these sums are added in any
   order, and e^x is a function of our own that compilers turn into vectors. */

#define EACH for (int r = 0; r < WIDTH; r++)

#define LOG2_OF_E 1.4426950408889634
#define LN2_HIGH 6.93145751953125e-1
#define LN2_LOW 1.42860682030941723212e-6
#define TO_WHOLE 6755399441055744.0 /* 1.5 * 2^52: what is added to it is rounded */

/* p = 1 / (1 + e^-x) and q = 1 - p, both with all their digits. e^-|x| is 2^k times a ratio of
   polynomials (Cephes, exp.c). */
static inline void WALK(chances)(const double *x, double *p, double *q)
{
    EACH
    {
        const double below = -fabs(x[r]), t = below > -700 ? below : -700;
        const double shifted = t * LOG2_OF_E + TO_WHOLE, k = shifted - TO_WHOLE;
        const double f = (t - k * LN2_HIGH) - k * LN2_LOW, ff = f * f;
        const double odd = f * ((1.26177193074810590878e-4 * ff + 3.02994407707441961300e-2) * ff
                                + 9.99999999999999999910e-1);
        const double even = ((3.00198505138664455042e-6 * ff + 2.52448340349684104192e-3) * ff
                             + 2.27265548208155028766e-1) * ff + 2.0;
        u64 bits;
        double power;
        memcpy(&bits, &shifted, sizeof bits);
        bits = (bits << 52) + 0x3ff0000000000000ull;
        memcpy(&power, &bits, sizeof bits);
        const double top = power * (even + odd), bottom = even - odd, all = 1 / (top + bottom);
        const double small = top * all, large = bottom * all;
        p[r] = x[r] < 0 ? small : large;
        q[r] = x[r] < 0 ? large : small;
    }
}

/* The weight of both classes in all cells, and whether each has some on both sides of some x. */
static void WALK(class_spans)(const SUM *cells, i64 c, const double *x, double *lower,
                              double *upper, int *overlaps)
{
    double low[2][WIDTH], high[2][WIDTH], sum[2][WIDTH];
    for (int k = 0; k < 2; k++)
        EACH
        {
            low[k][r] = INFINITY;
            high[k][r] = -INFINITY;
            sum[k][r] = 0;
        }
    for (i64 i = 0; i < c; i++)
        for (int k = 0; k < 2; k++) {
            const SUM *w = cells + (2 * i + k) * STRIDE;
            EACH
            {
                low[k][r] = w[r] > 0 && x[i] < low[k][r] ? x[i] : low[k][r];
                high[k][r] = w[r] > 0 && x[i] > high[k][r] ? x[i] : high[k][r];
                sum[k][r] += (double)w[r];
            }
        }
    EACH
    {
        lower[r] = sum[0][r];
        upper[r] = sum[1][r];
        overlaps[r] = (low[1][r] < high[0][r]) & (low[0][r] < high[1][r]);
    }
}

static inline double WALK(held)(double step, double most)
{
    return step > most ? most : step < -most ? -most : step;
}

/* Log odds of the upper class along x, level + slope * x, by steps of Newton: out is (2, STRIDE),
   nan where no finite line is best. `limits` are the size of a step after which none is due, and
   the largest that one may be; `start` (2, STRIDE) are lines to begin at, where they are finite. */
static void WALK(logit_lines)(const SUM *all, i64 c, const double *x, const double *start,
                              i64 steps, const double *limits, double *out)
{
    for (int base = 0; base < STRIDE; base += WIDTH) {
        const SUM *cells = all + base;
        double lower[WIDTH], upper[WIDTH], level[WIDTH], slope[WIDTH];
        int is_due[WIDTH], is_ok[WIDTH];
        WALK(class_spans)(cells, c, x, lower, upper, is_ok);
        int due = 0;
        EACH
        {
            const int has_start = start && isfinite(start[base + r])
                                  && isfinite(start[STRIDE + base + r]);
            level[r] = has_start ? start[base + r] : is_ok[r] ? log(upper[r] / lower[r]) : 0;
            slope[r] = has_start ? start[STRIDE + base + r] : 0;
            due |= is_due[r] = is_ok[r];
        }
        for (i64 step = 0; due && step < steps; step++) {
            double rest[WIDTH], rest_x[WIDTH], bend[WIDTH], bend_x[WIDTH], bend_xx[WIDTH];
            EACH rest[r] = rest_x[r] = bend[r] = bend_x[r] = bend_xx[r] = 0;
            for (i64 i = 0; i < c; i++) {
                const SUM *w = cells + 2 * i * STRIDE;
                const double here = x[i], square = here * here;
                double logit[WIDTH], p[WIDTH], q[WIDTH];
                EACH logit[r] = level[r] + slope[r] * here;
                WALK(chances)(logit, p, q);
                EACH
                {
                    const double one = (double)w[STRIDE + r], other = (double)w[r];
                    const double more = one * q[r] - other * p[r];
                    const double curve = (one + other) * (p[r] * q[r]);
                    rest[r] += more;
                    rest_x[r] += more * here;
                    bend[r] += curve;
                    bend_x[r] += curve * here;
                    bend_xx[r] += curve * square;
                }
            }
            due = 0;
            EACH
            {
                const double size = bend[r] * bend_xx[r] - bend_x[r] * bend_x[r];
                const double over = size > 1e-300 ? size : 1e-300;
                const double up = WALK(held)(
                    (bend_xx[r] * rest[r] - bend_x[r] * rest_x[r]) / over, limits[1]);
                const double turn = WALK(held)(
                    (bend[r] * rest_x[r] - bend_x[r] * rest[r]) / over, limits[1]);
                level[r] += is_due[r] ? up : 0;
                slope[r] += is_due[r] ? turn : 0;
                is_due[r] &= fabs(up) > limits[0] || fabs(turn) > limits[0];
                due |= is_due[r];
            }
        }
        EACH
        {
            const int is_found = is_ok[r] && !is_due[r];
            out[base + r] = is_found ? level[r] : NAN;
            out[STRIDE + base + r] = is_found ? slope[r] : NAN;
        }
    }
}

/* The same with the slope held at 1: out is (STRIDE,), nan where a class has no weight. */
static void WALK(logit_shifts)(const SUM *all, i64 c, const double *x, const double *start,
                               i64 steps, const double *limits, double *out)
{
    for (int base = 0; base < STRIDE; base += WIDTH) {
        const SUM *cells = all + base;
        double sum[2][WIDTH], level[WIDTH];
        int is_due[WIDTH], is_ok[WIDTH], due = 0;
        EACH sum[0][r] = sum[1][r] = 0;
        for (i64 i = 0; i < 2 * c; i++)
            EACH sum[i & 1][r] += (double)cells[i * STRIDE + r];
        EACH
        {
            level[r] = start && isfinite(start[base + r]) ? start[base + r] : 0;
            due |= is_due[r] = is_ok[r] = (sum[0][r] > 0) & (sum[1][r] > 0);
        }
        for (i64 step = 0; due && step < steps; step++) {
            double rest[WIDTH], bend[WIDTH];
            EACH rest[r] = bend[r] = 0;
            for (i64 i = 0; i < c; i++) {
                const SUM *w = cells + 2 * i * STRIDE;
                double logit[WIDTH], p[WIDTH], q[WIDTH];
                EACH logit[r] = level[r] + x[i];
                WALK(chances)(logit, p, q);
                EACH
                {
                    const double one = (double)w[STRIDE + r], other = (double)w[r];
                    rest[r] += one * q[r] - other * p[r];
                    bend[r] += (one + other) * (p[r] * q[r]);
                }
            }
            due = 0;
            EACH
            {
                const double over = bend[r] > 1e-300 ? bend[r] : 1e-300;
                const double up = WALK(held)(rest[r] / over, limits[1]);
                level[r] += is_due[r] ? up : 0;
                due |= is_due[r] &= fabs(up) > limits[0];
            }
        }
        EACH out[base + r] = is_ok[r] && !is_due[r] ? level[r] : NAN;
    }
}

/* Put a pool of cells on top of a lane's stack of (lower, upper), as one with those of which the
   share of the upper class is not smaller. */
static inline void WALK(pooled)(SUM lower, SUM upper, SUM *stack, i64 *size)
{
    i64 k = *size;
    while (k && (PRODUCT)stack[2 * k - 1] * lower >= (PRODUCT)upper * stack[2 * k - 2]) {
        k--;
        lower += stack[2 * k];
        upper += stack[2 * k + 1];
    }
    stack[2 * k] = lower;
    stack[2 * k + 1] = upper;
    *size = k + 1;
}

/* The blocks of the rising fit of the upper class on the cells, by pooling adjacent violators:
   `number` (STRIDE,) of them a lane, the weights of both classes in each in blocks (STRIDE, c, 2).
   Until weight of the upper class follows upon some of the lower, all belongs to one block. */
static void WALK(rising_blocks)(const SUM *all, i64 c, i64 *number, SUM *blocks)
{
    for (int base = 0; base < STRIDE; base += WIDTH) {
        const SUM *cells = all + base;
        SUM lower[WIDTH], upper[WIDTH];
        EACH lower[r] = upper[r] = 0;
        EACH number[base + r] = 0;
        for (i64 i = 0; i < c; i++) {
            const SUM *other = cells + 2 * i * STRIDE, *one = other + STRIDE;
            int is_any = 0;
            EACH is_any |= (one[r] > 0) & (lower[r] > 0);
            if (is_any)
                EACH
                if (one[r] > 0 && lower[r] > 0) {
                    WALK(pooled)(lower[r], upper[r], blocks + (base + r) * c * 2, number + base + r);
                    lower[r] = upper[r] = 0;
                }
            EACH lower[r] += other[r];
            EACH upper[r] += one[r];
        }
        EACH
        if (lower[r] > 0 || upper[r] > 0)
            WALK(pooled)(lower[r], upper[r], blocks + (base + r) * c * 2, number + base + r);
    }
}

#undef EACH
#undef LOG2_OF_E
#undef LN2_HIGH
#undef LN2_LOW
#undef TO_WHOLE
