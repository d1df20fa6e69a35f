/* Walks along the rows of two classes, WIDTH lanes at a time: `label` is 1 for the class that is
   walked along, 0 for the other. Compiled before walks.h for each kind of WEIGHT, with what is
   defined for it. Corners stand where a group of equal scores ends, and a line runs straight
   between two of them. The order of additions is part of what each function promises, except in
   the logarithms of `hyperbolas`, which are those of the C library. */

#define EACH for (int r = 0; r < WIDTH; r++)
#define CLASS_SLACK 1e-12 /* of the total: sums that round apart stand at one place */

/* The weights of both classes so far, at the last corner and before it. */
typedef struct {
    SUM one[WIDTH], other[WIDTH], one_before[WIDTH], other_before[WIDTH];
} WALK(pair);

static void WALK(class_totals)(const WEIGHT *weight, const i32 *order, const u8 *label, i64 n,
                               double *one, double *other)
{
    SUM sum[2][WIDTH];
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
        EACH s.one_before[r] = s.one[r];                                                           \
        EACH s.other_before[r] = s.other[r];                                                       \
        has_one = has_other = 0;                                                                   \
    }

/* The other class's weight where the walk has reached shares of its class: out is (k, STRIDE), ends
   (2, STRIDE) both totals. Where the other class comes in alone it is the weight before that if
   `is_fewest`, else after it. */
static void WALK(classes_along)(const WEIGHT *all, const i32 *order, const u8 *last,
                                const u8 *label, i64 n, const double *shares, i64 k, i64 is_fewest,
                                double *out, double *ends)
{
    const double slack = is_fewest ? -CLASS_SLACK : CLASS_SLACK;
    for (int base = 0; base < STRIDE; base += WIDTH) {
        const WEIGHT *weight = all + base;
        double one[WIDTH], other[WIDTH], due[WIDTH];
        i64 next[WIDTH];
        WALK(class_totals)(weight, order, label, n, one, other);
        EACH
        {
            next[r] = 0;
            due[r] = k ? shares[0] * one[r] + slack * one[r] : INFINITY;
            while (is_fewest && due[r] <= 0) {
                out[next[r]++ * STRIDE + base + r] = 0;
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
                        out[next[r] * STRIDE + base + r]
                            = y0 + (due[r] - x0) / (x1 - x0) * (y1 - y0);
                        next[r]++;
                        due[r] = next[r] < k ? shares[next[r]] * one[r] + slack * one[r]
                                             : INFINITY;
                    }
                }
        })
        EACH
        {
            for (i64 j = next[r]; j < k; j++)
                out[j * STRIDE + base + r] = other[r];
            ends[base + r] = one[r];
            ends[STRIDE + base + r] = other[r];
        }
    }
}

/* The area under the other class's weight along one, between two shares of its total: out is
   (3, STRIDE), the area and both totals. */
static void WALK(class_window)(const WEIGHT *all, const i32 *order, const u8 *last,
                               const u8 *label, i64 n, const double *window, double *out)
{
    for (int base = 0; base < STRIDE; base += WIDTH) {
        const WEIGHT *weight = all + base;
        double one[WIDTH], other[WIDTH], low[WIDTH], high[WIDTH], area[WIDTH];
        WALK(class_totals)(weight, order, label, n, one, other);
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
                const double x1 = (double)s.one[r], y1 = (double)s.other[r];
                const double left = x0 < low[r] ? low[r] : x0 > high[r] ? high[r] : x0;
                const double right = x1 < low[r] ? low[r] : x1 > high[r] ? high[r] : x1;
                const double step = x1 - x0;
                const double slope = step > 0 ? (y1 - y0) / step : 0.0;
                area[r] += (right - left) * (y0 + slope * ((left + right) / 2 - x0));
                goes_on |= x1 < high[r];
            }
            if (!goes_on)
                break;
        })
        EACH
        {
            out[base + r] = area[r];
            out[STRIDE + base + r] = one[r];
            out[2 * STRIDE + base + r] = other[r];
        }
    }
}

/* The largest of (weight of one so far) * (all of the other) − (other so far) * (all of one) at any
   corner, at least 0: out is (3, STRIDE), that and both totals. */
static void WALK(class_gap)(const WEIGHT *all, const i32 *order, const u8 *last, const u8 *label,
                            i64 n, double *out)
{
    for (int base = 0; base < STRIDE; base += WIDTH) {
        const WEIGHT *weight = all + base;
        double one[WIDTH], other[WIDTH], gap[WIDTH];
        WALK(class_totals)(weight, order, label, n, one, other);
        EACH gap[r] = 0;
        CLASS_WALK(EACH {
            const double here = (double)s.one[r] * other[r] - (double)s.other[r] * one[r];
            gap[r] = here > gap[r] ? here : gap[r];
        })
        (void)has_other;
        EACH
        {
            out[base + r] = gap[r];
            out[STRIDE + base + r] = one[r];
            out[2 * STRIDE + base + r] = other[r];
        }
    }
}

/* The area under precision over the weight of one found, along the hyperbola that false calls in
   proportion to right ones give within a group: out is (2, STRIDE), that and the total of one. */
static void WALK(hyperbolas)(const WEIGHT *all, const i32 *order, const u8 *last, const u8 *label,
                             i64 n, double *out)
{
    for (int base = 0; base < STRIDE; base += WIDTH) {
        const WEIGHT *weight = all + base;
        double area[WIDTH];
        EACH area[r] = 0;
        CLASS_WALK(EACH {
            const double a = (double)s.one_before[r], b = (double)s.other_before[r];
            const double p = (double)s.one[r] - a;
            if (p > 0) {
                const double more = has_other ? (double)s.other[r] - b : 0.0;
                const double size = p + more;
                const double twist = (b * p - more * a) * p / (size * size);
                area[r] += p * p / size - (twist != 0 ? twist * log1p(size / (a + b)) : 0.0);
            }
        })
        EACH
        {
            out[base + r] = area[r];
            out[STRIDE + base + r] = (double)s.one[r];
        }
    }
}

#undef EACH
#undef CLASS_SLACK
#undef CLASS_WALK
