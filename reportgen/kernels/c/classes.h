/* Walks along the rows of two classes, all lanes of a row at once: `label` is 1 for the class that is
   walked along, 0 for the other. Compiled before walks.h for each kind of WEIGHT, with what is
   defined for it. Corners stand where a group of equal scores ends, and a line runs straight
   between two of them. The order of additions is part of what each function promises, except in
   the logarithms of `hyperbolas`.

   `known` is (2, STRIDE), the whole weight of the class that is walked along and of the other; where
   it is absent both are summed first, in the order of the rows. */

#define EACH for (int r = 0; r < STRIDE; r++)
#define CLASS_SLACK 1e-12 /* of the total: sums that round apart stand at one place */

/* The weights of both classes so far, at the last corner and before it. */
typedef struct {
    SUM one[STRIDE], other[STRIDE], one_before[STRIDE], other_before[STRIDE];
} WALK(pair);

static void WALK(class_totals)(const WEIGHT *weight, const i32 *order, const u8 *label, i64 n,
                               const double *known, double *one, double *other)
{
    if (known) {
        EACH one[r] = known[r];
        EACH other[r] = known[STRIDE + r];
        return;
    }
    SUM sum[2][STRIDE];
    EACH sum[0][r] = sum[1][r] = 0;
    for (i64 i = 0; i < n; i++) {
        PREFETCH(weight + (i64)order[i + AHEAD < n ? i + AHEAD : n - 1] * STRIDE);
        const WEIGHT *w = weight + (i64)order[i] * STRIDE;
        SUM *mine = sum[label[i]];
        EACH mine[r] += w[r];
    }
    EACH one[r] = (double)sum[1][r];
    EACH other[r] = (double)sum[0][r];
}

/* Every row in turn; what is given runs at the end of each group in which the class came that is walked
   along, whose rows of the other class set `has_other`. */
#define CLASS_WALK(...)                                                                            \
    WALK(pair) s;                                                                                  \
    int has_one = 0, has_other = 0;                                                                \
    EACH s.one[r] = s.other[r] = s.one_before[r] = s.other_before[r] = 0;                          \
    for (i64 i = 0; i < n; i++) {                                                                  \
        PREFETCH(weight + (i64)order[i + AHEAD < n ? i + AHEAD : n - 1] * STRIDE);                 \
        const WEIGHT *w = weight + (i64)order[i] * STRIDE;                                         \
        if (label[i]) {                                                                            \
            has_one = 1;                                                                           \
            EACH s.one[r] += w[r];                                                                 \
        } else {                                                                                   \
            has_other = 1;                                                                         \
            EACH s.other[r] += w[r];                                                               \
        }                                                                                          \
        if (!last[i])                                                                              \
            continue;                                                                              \
        if (has_one)                                                                               \
            __VA_ARGS__                                                                            \
        if (has_one)                                                                               \
            EACH s.one_before[r] = s.one[r];                                                       \
        if (has_other)                                                                             \
            EACH s.other_before[r] = s.other[r];                                                   \
        has_one = has_other = 0;                                                                   \
    }

/* The other class's weight where the walk has reached shares of its class: out is (k, STRIDE), ends
   (2, STRIDE) both totals. Where the other class comes in alone it is the weight before that if
   `is_fewest`, else after it. */
static void WALK(classes_along)(const WEIGHT *weight, const i32 *order, const u8 *last,
                                const u8 *label, i64 n, const double *known, const double *shares,
                                i64 k, i64 is_fewest, double *out, double *ends)
{
    const double slack = is_fewest ? -CLASS_SLACK : CLASS_SLACK;
    double *const one = ends, *const other = ends + STRIDE, due[STRIDE];
    i64 next[STRIDE];
    WALK(class_totals)(weight, order, label, n, known, one, other);
    EACH
    {
        next[r] = 0;
        due[r] = k ? shares[0] * one[r] + slack * one[r] : INFINITY;
        while (is_fewest && due[r] <= 0) {
            out[next[r]++ * STRIDE + r] = 0;
            due[r] = next[r] < k ? shares[next[r]] * one[r] + slack * one[r] : INFINITY;
        }
    }
    CLASS_WALK({
        int is_reached = 0;
        EACH is_reached |= (double)s.one[r] >= due[r];
        if (is_reached)
            EACH
            {
                const double x0 = (double)s.one_before[r], y0 = (double)s.other_before[r];
                const double x1 = (double)s.one[r], y1 = (double)s.other[r];
                while (is_fewest ? x1 >= due[r] : x1 > due[r]) {
                    out[next[r] * STRIDE + r] = y0 + (due[r] - x0) / (x1 - x0) * (y1 - y0);
                    next[r]++;
                    due[r] = next[r] < k ? shares[next[r]] * one[r] + slack * one[r] : INFINITY;
                }
            }
    })
    EACH
    for (i64 j = next[r]; j < k; j++)
        out[j * STRIDE + r] = other[r];
}

/* The area under the other class's weight along one, between two shares of its total: out is
   (3, STRIDE), the area and both totals. */
static void WALK(class_window)(const WEIGHT *weight, const i32 *order, const u8 *last,
                               const u8 *label, i64 n, const double *known, const double *window,
                               double *out)
{
    double *const area = out, *const one = out + STRIDE, *const other = out + 2 * STRIDE;
    double low[STRIDE], high[STRIDE];
    WALK(class_totals)(weight, order, label, n, known, one, other);
    EACH
    {
        low[r] = window[0] * one[r];
        high[r] = window[1] * one[r];
        area[r] = 0;
    }
    CLASS_WALK({
        int goes_on = 0;
        EACH
        {
            const double x0 = (double)s.one_before[r], y0 = (double)s.other_before[r];
            const double x1 = (double)s.one[r];
            const double from = x0 > high[r] ? high[r] : x0, to = x1 > high[r] ? high[r] : x1;
            const double left = from < low[r] ? low[r] : from, right = to < low[r] ? low[r] : to;
            double height = y0;
            if (has_other) {
                const double step = x1 - x0, rise = (double)s.other[r] - y0;
                height = y0 + rise / (step > 0 ? step : 1) * ((left + right) / 2 - x0);
            }
            area[r] += (right - left) * height;
            goes_on |= x1 < high[r];
        }
        if (!goes_on)
            break;
    })
}

/* The largest of (weight of one so far) * (all of the other) − (other so far) * (all of one) at any
   corner, at least 0: out is (3, STRIDE), that and both totals. */
static void WALK(class_gap)(const WEIGHT *weight, const i32 *order, const u8 *last, const u8 *label,
                            i64 n, const double *known, double *out)
{
    double *const gap = out, *const one = out + STRIDE, *const other = out + 2 * STRIDE;
    WALK(class_totals)(weight, order, label, n, known, one, other);
    EACH gap[r] = 0;
    CLASS_WALK(EACH {
        const double here = (double)s.one[r] * other[r] - (double)s.other[r] * one[r];
        gap[r] = here > gap[r] ? here : gap[r];
    })
}

/* ln(1 + x) for x at or above 0: 1 + x is 2^k * (1 + f), and its logarithm an odd series in
   f / (2 + f) (fdlibm, e_log.c), to which comes what rounding took from 1 + x. */
static inline double WALK(log1p)(double x)
{
    const double u = 1 + x, lost = x - (u - 1);
    u64 bits, power;
    double k, down, f;
    memcpy(&bits, &u, sizeof bits);
    power = (bits - 0x3fe6a09e667f3bcdull) >> 52; /* of the square root of a half, and so on */
    bits -= power << 52;
    memcpy(&f, &bits, sizeof f);
    f -= 1;
    bits = power + 0x4330000000000000ull; /* 2^52 + k */
    memcpy(&k, &bits, sizeof k);
    k -= 4503599627370496.0;
    bits = (1023 - power) << 52;
    memcpy(&down, &bits, sizeof down);
    const double half = 0.5 * f * f, s = f / (2 + f), z = s * s, w = z * z;
    const double even = w * (3.999999999940941908e-1
                             + w * (2.222219843214978396e-1 + w * 1.531383769920937332e-1));
    const double odd = z * (6.666666666666735130e-1
                            + w * (2.857142874366239149e-1
                                   + w * (1.818357216161805012e-1 + w * 1.479819860511658591e-1)));
    const double low = s * (half + (odd + even)) + (k * 1.90821492927058770002e-10 + lost * down);
    return k * 6.93147180369123816490e-1 - ((half - low) - f);
}

/* The area under precision over the weight of one found, along the hyperbola that false calls in
   proportion to right ones give within a group: out is (2, STRIDE), that and the total of one. */
static void WALK(hyperbolas)(const WEIGHT *weight, const i32 *order, const u8 *last,
                             const u8 *label, i64 n, double *out)
{
    double *const area = out, *const one = out + STRIDE;
    EACH area[r] = 0;
    CLASS_WALK({
        if (has_other)
            EACH
            {
                const double a = (double)s.one_before[r], b = (double)s.other_before[r];
                const double p = (double)s.one[r] - a, more = (double)s.other[r] - b;
                const double size = p > 0 ? p + more : 1, before = a + b > 0 ? a + b : 1;
                const double twist = (b * p - more * a) * p / (size * size);
                area[r] += p * p / size - twist * WALK(log1p)(size / before);
            }
        else
            EACH
            {
                const double a = (double)s.one_before[r], b = (double)s.other_before[r];
                const double p = (double)s.one[r] - a, before = a + b > 0 ? a + b : 1;
                area[r] += p - b * WALK(log1p)(p / before);
            }
    })
    EACH one[r] = (double)s.one[r];
}

/* Pairs of a row of one class, `along`, and a row of each class by the scores of the first, in
   groups of equal ones from the lowest: all are (k, STRIDE), the whole weight of each class, what
   rows of `along` weigh times those below them, and what rows of the class times those of `along`
   below them. Its own place holds pairs of its own rows, which say nothing. */
static void WALK(class_pairs)(const WEIGHT *weight, const i32 *order, const u8 *last,
                              const i32 *code, i64 n, i64 k, i64 along, double *restrict total,
                              double *restrict won, double *restrict lost)
{
    for (i64 j = 0; j < k * STRIDE; j++)
        total[j] = won[j] = lost[j] = 0;
    for (i64 first = 0, end = 0; first < n; first = end) {
        while (!last[end++])
            ;
        for (i64 i = first; i < end; i++) {
            PREFETCH(weight + (i64)order[i + AHEAD < n ? i + AHEAD : n - 1] * STRIDE);
            const WEIGHT *w = weight + (i64)order[i] * STRIDE;
            const i64 mine = code[order[i]];
            double x[STRIDE];
            EACH x[r] = w[r];
            if (mine == along)
                for (i64 c = 0; c < k; c++)
                    EACH won[c * STRIDE + r] += x[r] * total[c * STRIDE + r];
            else
                EACH lost[mine * STRIDE + r] += x[r] * total[along * STRIDE + r];
        }
        for (i64 i = first; i < end; i++) {
            const WEIGHT *w = weight + (i64)order[i] * STRIDE;
            double *restrict sum = total + code[order[i]] * (i64)STRIDE;
            EACH sum[r] += w[r];
        }
    }
}

#undef EACH
#undef CLASS_SLACK
#undef CLASS_WALK
