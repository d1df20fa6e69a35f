/* Weighted sums of many weightings at once.

   A weighting is a lane: one data row's lanes lie side by side, so that a gather, a tie test or a
   branch is paid once for all of them. `whole.h` is for whole-number counts of one byte, 64 lanes
   a row (one cache line); `real.h` is for weights in double precision; `classes.h` and `walks.h`, for
   both, follow lines along sorted rows, and `class_cells.h` fits to sums of theirs. `single.h` is
   for one weighting.

   Both are compiled once for every kind of processor that we care about, and the kind is chosen
   when the library is loaded. Whole numbers are exact. Doubles are added in one stated order and
   multiplications are never fused with additions (-ffp-contract=off), so every kind of processor,
   and the NumPy form of the same function, gives the same bits.

   No function reads a position from a weight, so no weight, not even nan, can lead it outside
   its arrays. Sizes, orders and flags come from Python and are trusted. */

#include <math.h>
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

typedef uint8_t u8;
typedef int16_t i16;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t i32;
typedef int64_t i64;

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)0)
#endif

/* Vectors that fill a register, of `BYTES` bytes: running sums in arrays of them stay in registers,
   where those of plain arrays go through memory. Other compilers get vectors of one number. */
#if defined(__GNUC__)
#define VECTOR(type) type __attribute__((vector_size(BYTES)))
#else
#define VECTOR(type) type
#endif

/* Two bytes of a row seen as one short: which of them is its low half. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define LOW 1
#else
#define LOW 0
#endif

/* For each way of ordering four rows: a mask for each pair, set where the pair is discordant. Bits
   0 to 5 of the way are the pairs 01, 02, 12, 03, 13, 23. */
#define MASK(way, pair) ((way) >> (pair) & 1 ? 0xffff : 0)
#define MASKS(w) {MASK(w, 0), MASK(w, 1), MASK(w, 2), MASK(w, 3), MASK(w, 4), MASK(w, 5)}
#define MASKS_4(w) MASKS(w), MASKS((w) + 1), MASKS((w) + 2), MASKS((w) + 3)
#define MASKS_16(w) MASKS_4(w), MASKS_4((w) + 4), MASKS_4((w) + 8), MASKS_4((w) + 12)
static const u16 masks_of[64][6] = {MASKS_16(0), MASKS_16(16), MASKS_16(32), MASKS_16(48)};

#define FEW 512 /* rows that `few.h` takes at most */
#define MOST_COLUMNS 4 /* that are summed in one walk */
#define AHEAD 16 /* rows between a prefetch and the use of what it fetched */

/* A product added to a sum, where both are exact, and how many columns are summed side by side. */
#define FUSED(a, x, sum) ((a) * (x) + (sum))
#define SIDE 1
#define MOST_BESIDE 32 /* columns whose zeros are looked for before they are summed */

/* Some lanes of a row of weights, which are counts of one byte or doubles, as doubles. */
#define READ_BYTES(w, row, number)                                                                \
    double w[number];                                                                             \
    JOIN(widened, VARIANT)(row, number, w)
#define READ_DOUBLES(w, row, number) const double *const w = row

/* Flags eight a byte: the bytes of a line of n, and the flag at a place of it. */
#define LINE(n) (((n) + 7) / 8)
#define BIT(line, place) ((line)[(place) >> 3] >> ((place) & 7) & 1)

#if defined(__x86_64__) && defined(__GNUC__)
#define HAS_VARIANTS 1
#else
#define HAS_VARIANTS 0
#endif

#if defined(__GNUC__)
#define ONES(bits) __builtin_popcountll(bits)
#else
static i32 ONES(u64 bits)
{
    i32 ones = 0;
    for (; bits; bits &= bits - 1)
        ones++;
    return ones;
}
#endif

#include "single.h"

/* ---- every processor ---- */
#define VARIANT plain
#define BYTES 16
#include "whole.h"
#define WALK(name) JOIN(name##_walk, VARIANT)
#define WEIGHT u8
#define READ READ_BYTES
#define STRIDE 64
#define WIDTH 16
#define SUM u32
#define RANK i32
#define PRODUCT u64
#include "classes.h"
#include "class_cells.h"
#undef WIDTH
#define WIDTH 32
#define TREE u16
#include "walks.h"
#define LANES 32
#include "cutoffs.h"
#define LANES 64
#include "cutoffs.h"
#define WALK(name) JOIN(name##_walk_16, VARIANT)
#define WEIGHT double
#define READ READ_DOUBLES
#define STRIDE 16
#define WIDTH 16
#define SUM double
#define RANK double
#define PRODUCT double
#include "classes.h"
#include "class_cells.h"
#define TREE double
#include "walks.h"
#define LANES 16
#define REAL(name) JOIN(name##_16, VARIANT)
#include "real.h"
#undef LANES
#undef REAL
#define LANES 1
#define REAL(name) name##_1
#include "real.h"
#undef LANES
#undef REAL
#define WALK(name) name##_walk_1
#define WEIGHT double
#define READ READ_DOUBLES
#define STRIDE 1
#define WIDTH 1
#define SUM double
#define RANK double
#define PRODUCT double
#include "classes.h"
#include "class_cells.h"
#define TREE double
#include "walks.h"
#undef VARIANT
#undef BYTES

#if HAS_VARIANTS
static inline i32 four_bytes(const u8 *row)
{
    i32 x;
    memcpy(&x, row, sizeof(x));
    return x;
}

/* ---- x86-64 with AVX2 ---- */
#define VARIANT avx2
#define BYTES 32
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi2")
#endif
#define WIDENED(row) _mm256_cvtepi32_pd(_mm_cvtepu8_epi32(_mm_cvtsi32_si128(four_bytes(row))))
#include "whole.h"
#undef WIDENED
#define WALK(name) JOIN(name##_walk, VARIANT)
#define WEIGHT u8
#define READ READ_BYTES
#define STRIDE 64
#define WIDTH 16
#define SUM u32
#define RANK i32
#define PRODUCT u64
#include "classes.h"
#include "class_cells.h"
#undef WIDTH
#define WIDTH 32
#define TREE u16
#include "walks.h"
#define LANES 32
#include "cutoffs.h"
#define LANES 64
#include "cutoffs.h"
#define WALK(name) JOIN(name##_walk_16, VARIANT)
#define WEIGHT double
#define READ READ_DOUBLES
#define STRIDE 16
#define WIDTH 16
#define SUM double
#define RANK double
#define PRODUCT double
#include "classes.h"
#include "class_cells.h"
#define TREE double
#include "walks.h"
#define LANES 16
#define REAL(name) JOIN(name##_16, VARIANT)
#include "real.h"
#undef LANES
#undef REAL
#undef VARIANT
#undef BYTES
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

/* ---- x86-64 with AVX-512 ---- */
#define VARIANT avx512
#define BYTES 64
#undef FUSED
#undef SIDE
#define FUSED(a, x, sum) ((FN(doubles))_mm512_fmadd_pd(_mm512_set1_pd(a), (__m512d)(x), (__m512d)(sum)))
#define SIDE 3 /* 24 sums, three values and a weight: 28 of 32 registers */
#define AVX512 "avx512f,avx512bw,avx512dq,avx512vl,bmi2,prefer-vector-width=512"
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi2"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,bmi2,prefer-vector-width=512")
#endif
#define WIDENED(row) _mm512_cvtepi32_pd(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(row))))
#include "whole.h"
#undef WIDENED
#define WALK(name) JOIN(name##_walk, VARIANT)
#define WEIGHT u8
#define READ READ_BYTES
#define STRIDE 64
#define WIDTH 16
#define SUM u32
#define RANK i32
#define PRODUCT u64
#include "classes.h"
#include "class_cells.h"
#undef WIDTH
#define WIDTH 32
#define TREE u16
#include "walks.h"
#define LANES 32
#include "cutoffs.h"
#define LANES 64
#include "cutoffs.h"
#define WALK(name) JOIN(name##_walk_16, VARIANT)
#define WEIGHT double
#define READ READ_DOUBLES
#define STRIDE 16
#define WIDTH 16
#define SUM double
#define RANK double
#define PRODUCT double
#include "classes.h"
#include "class_cells.h"
#define TREE double
#include "walks.h"
#define LANES 16
#define REAL(name) JOIN(name##_16, VARIANT)
#include "real.h"
#undef LANES
#undef REAL
#undef VARIANT
#undef BYTES
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

/* ---- the choice ---- */

/* The best kind of code that this processor runs: 0 plain, 1 AVX2, 2 AVX-512. */
EXPORT i32 kernels_best(void)
{
#if HAS_VARIANTS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
        && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
        && __builtin_cpu_supports("bmi2"))
        return 2;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
        return 1;
#endif
    return 0;
}

#if HAS_VARIANTS
#define CHOOSE(name, arguments)                                                                   \
    if (kind == 2)                                                                                \
        JOIN(name, avx512) arguments;                                                             \
    else if (kind == 1)                                                                           \
        JOIN(name, avx2) arguments;                                                               \
    else                                                                                          \
        JOIN(name, plain) arguments
#else
#define CHOOSE(name, arguments)                                                                   \
    (void)kind;                                                                                   \
    JOIN(name, plain) arguments
#endif

#define REAL_CHOOSE(name, arguments)                                                              \
    if (lanes == 1)                                                                               \
        name##_1 arguments;                                                                       \
    else {                                                                                        \
        CHOOSE(name##_16, arguments);                                                             \
    }

EXPORT void whole_poisson(i32 kind, const u64 *seeds, i64 n, u8 *count)
{
    CHOOSE(poisson, (seeds, n, count));
}

EXPORT void whole_keyed_poisson(i32 kind, const u64 *seeds, const u64 *keys, i64 n, u8 *count)
{
    CHOOSE(keyed_poisson, (seeds, keys, n, count));
}

EXPORT void whole_multinomial(i32 kind, const u64 *seeds, i64 n, u8 *count)
{
    CHOOSE(multinomial, (seeds, n, count));
}

EXPORT void whole_power_sums(i32 kind, const u8 *count, const i32 *tied, const u8 *last, i64 n,
                             i64 most, u64 *one, u64 *two, u64 *three)
{
    CHOOSE(power_sums, (count, tied, last, n, most, one, two, three));
}

/* Which half each row goes to at each level, from ranks of rows in sequence, which are spent;
   `bits` (depth, LINE(n)) are zeros, `ways` (n / 4) is how each four rows of consecutive ranks
   stand, `sorted` (2^depth) whether each node's rows stand by their ranks. `spare` is room for
   ranks. */
EXPORT void parting(i32 kind, i32 *ranks, i32 *spare, i64 n, i64 depth, u8 *bits, u8 *ways,
                    u8 *sorted)
{
    (void)kind;
    for (i64 level = 0; level < depth; level++) {
        const i64 half = (i64)1 << (depth - 1 - level);
        if (half == 2)
            for (i64 k = 0; k < n / 4; k++) {
                const i32 *r = ranks + 4 * k;
                ways[k] = (u8)((r[0] > r[1]) | (r[0] > r[2]) << 1 | (r[1] > r[2]) << 2
                               | (r[0] > r[3]) << 3 | (r[1] > r[3]) << 4 | (r[2] > r[3]) << 5);
            }
        i64 node = (i64)1 << level;
        for (i64 start = 0; start < n; start += 2 * half, node++) {
            const i64 size = n - start < 2 * half ? n - start : 2 * half;
            u32 falls = 0;
            for (i64 i = start + 1; i < start + size; i++)
                falls |= ranks[i] < ranks[i - 1];
            sorted[node] = !falls;
            i32 *at[2] = {spare + start, spare + start + (size < half ? size : half)};
            for (i64 i = start; i < start + size; i++) {
                const u8 bit = (u8)(ranks[i] / half & 1);
                bits[level * LINE(n) + i / 8] |= (u8)(bit << i % 8);
                *at[bit]++ = ranks[i];
            }
        }
        i32 *const parted = spare;
        spare = ranks;
        ranks = parted;
    }
}

EXPORT void weight_below(i32 kind, i32 *place, i32 *place_spare, double *weight,
                         double *weight_spare, double *below, double *below_spare, i64 n,
                         i64 depth)
{
    (void)kind;
    weight_below_of(place, place_spare, weight, weight_spare, below, below_spare, n, depth);
}

EXPORT void short_decimals(i32 kind, const float *values, i64 n, const double *powers,
                           double *found, u8 *is_printed)
{
    (void)kind;
    short_decimals_of(values, n, powers, found, is_printed);
}

EXPORT void best_in_ranges(i32 kind, const i32 *y, const double *weight, const i64 *starts,
                           const i64 *middle, const i64 *first, const i64 *last, i64 parts,
                           i64 *found)
{
    (void)kind;
    best_in_ranges_of(y, weight, starts, middle, first, last, parts, found);
}

EXPORT void group_spread(i32 kind, const i32 *group, const double *weight, i64 n, i64 groups,
                         double *tied, double *below, double *row_below, double *row_tied)
{
    (void)kind;
    group_spread_of(group, weight, n, groups, tied, below, row_below, row_tied);
}

EXPORT void unit_pairs(i32 kind, const i32 *sequence, const i32 *group_y, const i32 *group_score,
                       const i32 *start_y, const i32 *start_score, i64 n, i32 *seen, u64 *taken,
                       i32 *blocks, i32 *parts, i64 part_count, i32 *found, i32 *const *pairs)
{
    CHOOSE(unit_cells, (sequence, group_y, group_score, start_y, n, seen, taken, blocks, parts,
                        part_count, found));
    CHOOSE(unit_pairs, (found, group_y, group_score, start_y, start_score, n, pairs));
}

EXPORT void whole_discordant(i32 kind, const u8 *count, const i32 *sequence, const u8 *bits,
                             const u8 *ways, const u8 *sorted, i64 n, i64 depth, i64 skip,
                             i64 most, u8 *here, u8 *there, u64 *out)
{
    CHOOSE(discordant, (count, sequence, bits, ways, sorted, n, depth, skip, most, here, there,
                        out));
}

EXPORT void whole_few_ranks(i32 kind, const u8 *count, i64 width, const i32 *order, const u8 *last,
                            i64 n, i16 *ranks, double *untied, double *squares)
{
    CHOOSE(few_ranks, (count, width, order, last, n, ranks, untied, squares));
}

EXPORT void whole_few_pairs(i32 kind, const u8 *count, i64 width, const i32 *order,
                            const i32 *score, const i32 *y, i64 n, const i16 *score_ranks,
                            i64 scores, const i16 *y_ranks, i64 ys, double *discordant,
                            double *both, double *products)
{
    CHOOSE(few_pairs, (count, width, order, score, y, n, score_ranks, scores, y_ranks, ys,
                       discordant, both, products));
}

EXPORT void whole_centred_ranks(i32 kind, const u8 *count, const i32 *order, const u8 *last, i64 n,
                                const u64 *totals, float *table)
{
    CHOOSE(centred_ranks, (count, order, last, n, totals, table));
}

EXPORT void whole_rank_products(i32 kind, const u8 *count, const i32 *order, const u8 *last,
                                const i32 *group, i64 n, const u64 *totals, const float *table,
                                i64 flush, i64 *out)
{
    CHOOSE(rank_products, (count, order, last, group, n, totals, table, flush, out));
}

EXPORT void whole_weighted_sums(i32 kind, const u8 *count, const double *weight,
                                const double *const *columns, i64 step, i64 n, i64 m,
                                i64 is_more, double *out)
{
    CHOOSE(weighted_sums, (count, weight, columns, step, n, m, is_more, out));
}

EXPORT void whole_exact_sums(i32 kind, const u8 *count, const double *const *columns, i64 n, i64 m,
                             double *out)
{
    CHOOSE(exact_sums, (count, columns, n, m, out));
}

EXPORT void real_weighted_sums(i32 kind, i64 lanes, const double *weight,
                               const double *const *columns, i64 step, i64 n, i64 m,
                               double *out)
{
    REAL_CHOOSE(sums, (weight, columns, step, n, m, out));
}

EXPORT void real_differing(i32 kind, i64 lanes, const double *weight, const i32 *order,
                           const u8 *last, i64 n, double *out)
{
    REAL_CHOOSE(differing, (weight, order, last, n, out));
}

EXPORT void real_discordant(i32 kind, i64 lanes, const double *weight, const i32 *sequence,
                            const u8 *bits, i64 n, i64 depth, double *here, double *there,
                            double *out)
{
    REAL_CHOOSE(inversions, (weight, sequence, bits, n, depth, here, there, out));
}

EXPORT void real_ranks(i32 kind, i64 lanes, const double *weight, const i32 *order, const u8 *last,
                       i64 n, double *table)
{
    REAL_CHOOSE(ranks, (weight, order, last, n, table));
}

EXPORT void real_rank_products(i32 kind, i64 lanes, const double *weight, const i32 *first,
                               const i32 *second, i64 n, const double *x, const double *y,
                               double *out)
{
    REAL_CHOOSE(products, (weight, first, second, n, x, y, out));
}

EXPORT void whole_quantile(i32 kind, const u8 *count, const i32 *order, i64 n, const u32 *low,
                           const u32 *high, i64 *out)
{
    CHOOSE(quantile, (count, order, n, low, high, out));
}

EXPORT void whole_upto(i32 kind, const u8 *count, const i32 *order, const u8 *last,
                       const double *const *columns, i64 m, i64 n, const double *cuts, i64 k,
                       double *out)
{
    CHOOSE(upto, (count, order, last, columns, m, n, cuts, k, out));
}

EXPORT void whole_cells(i32 kind, const u8 *count, const u16 *cell, i64 n, i64 size, i64 most,
                        u8 *room, u32 *out)
{
    CHOOSE(cells, (count, cell, n, size, most, room, out));
}

EXPORT void whole_cell_sums(i32 kind, const u32 *cells, i64 bins, i64 width, i64 *room, i64 *out)
{
    CHOOSE(cell_sums, (cells, bins, width, room, out));
}

EXPORT void real_quantile(i32 kind, i64 lanes, const double *weight, const i32 *order, i64 n,
                          const double *low, const double *high, i64 *out)
{
    REAL_CHOOSE(quantile, (weight, order, n, low, high, out));
}

EXPORT void real_upto(i32 kind, i64 lanes, const double *weight, const i32 *order, const u8 *last,
                      const double *y, i64 n, const double *cuts, i64 k, double *out)
{
    REAL_CHOOSE(upto, (weight, order, last, y, n, cuts, k, out));
}

EXPORT void whole_auc(i32 kind, const u8 *count, const i32 *order, const u8 *label, i64 n,
                      i64 most, u64 *out)
{
    CHOOSE(auc, (count, order, label, n, most, out));
}

EXPORT void whole_label_ties(i32 kind, const u8 *count, const i32 *tied, const u8 *last,
                             const u8 *label, i64 m, u64 *out)
{
    CHOOSE(label_ties, (count, tied, last, label, m, out));
}

EXPORT void whole_precision(i32 kind, const u8 *count, const i32 *order, const u8 *last,
                            const u8 *label, i64 n, double *out)
{
    CHOOSE(precision, (count, order, last, label, n, out));
}

EXPORT void real_auc(i32 kind, i64 lanes, const double *weight, const i32 *order, const u8 *last,
                     const u8 *label, i64 n, double *out)
{
    REAL_CHOOSE(auc, (weight, order, last, label, n, out));
}

EXPORT void real_precision(i32 kind, i64 lanes, const double *weight, const i32 *order,
                           const u8 *last, const u8 *label, i64 n, double *out)
{
    REAL_CHOOSE(precision, (weight, order, last, label, n, out));
}

/* Which sources this was built from: a library left over from others must not be called. */
#ifndef SOURCES
#define SOURCES 0
#endif
EXPORT u64 kernels_sources(void)
{
    return SOURCES;
}

EXPORT void whole_ranks_along(i32 kind, const u8 *weight, const i32 *order, const u8 *last,
                              const i32 *group, const i32 *ranked, const u8 *ranked_last, i64 n,
                              const double *shares, i64 k, i32 *table, double *out, double *ends)
{
    CHOOSE(ranks_along_walk, (weight, order, last, group, ranked, ranked_last, n, shares, k, table,
                              out, ends));
}

EXPORT void real_ranks_along(i32 kind, i64 lanes, const double *weight, const i32 *order,
                             const u8 *last, const i32 *group, const i32 *ranked,
                             const u8 *ranked_last, i64 n, const double *shares, i64 k,
                             double *table, double *out, double *ends)
{
    REAL_CHOOSE(ranks_along_walk, (weight, order, last, group, ranked, ranked_last, n, shares, k,
                                   table, out, ends));
}

EXPORT void whole_concordance(i32 kind, const u8 *weight, const i32 *order, const u8 *last,
                              const i32 *group, const i32 *ranked, const u8 *ranked_last, i64 n,
                              i64 groups, const double *shares, i64 k, i32 *table, u16 *tree,
                              double *out, double *ends)
{
    CHOOSE(concordance_walk, (weight, order, last, group, ranked, ranked_last, n, groups, shares, k,
                              table, tree, out, ends));
}

EXPORT void real_concordance(i32 kind, i64 lanes, const double *weight, const i32 *order,
                             const u8 *last, const i32 *group, const i32 *ranked,
                             const u8 *ranked_last, i64 n, i64 groups, const double *shares, i64 k,
                             double *table, double *tree, double *out, double *ends)
{
    REAL_CHOOSE(concordance_walk, (weight, order, last, group, ranked, ranked_last, n, groups,
                                   shares, k, table, tree, out, ends));
}

EXPORT void whole_cutoff_lengths(i32 kind, const u8 *count, const i32 *order, const u8 *last, i64 n,
                                 const u64 *total, double *out)
{
    CHOOSE(cutoff_lengths, (count, order, last, n, total, out));
}

EXPORT void whole_cutoffs_wide(i32 kind, i64 lanes, const u8 *count, const i32 *order,
                               const u8 *last, const i32 *place, const i32 *place_block, const i32 *ranked,
                               const u8 *ranked_last, const i32 *block, const u8 *inside, i64 from,
                               i64 past, i64 n, i64 groups, i64 most, const double *lengths,
                               const double *shares, i64 k, i32 *base, u16 *off, double *out,
                               double *ends, i64 *products)
{
    if (lanes == 64) {
        CHOOSE(cutoffs_64, (count, order, last, place, place_block, ranked, ranked_last, block, inside,
                            from, past, n, groups, most, lengths, shares, k, base, off, out, ends,
                            products));
    } else {
        CHOOSE(cutoffs_32, (count, order, last, place, place_block, ranked, ranked_last, block, inside,
                            from, past, n, groups, most, lengths, shares, k, base, off, out, ends,
                            products));
    }
}

EXPORT void whole_cutoffs(i32 kind, const u8 *weight, const i32 *order, const u8 *last,
                          const i32 *group, const i32 *ranked, const u8 *ranked_last, i64 n,
                          const double *shares, i64 k, i32 *table, double *out, double *ends)
{
    CHOOSE(cutoffs_walk, (weight, order, last, group, ranked, ranked_last, n, shares, k, table, out,
                          ends));
}

EXPORT void real_cutoffs(i32 kind, i64 lanes, const double *weight, const i32 *order,
                         const u8 *last, const i32 *group, const i32 *ranked, const u8 *ranked_last,
                         i64 n, const double *shares, i64 k, double *table, double *out,
                         double *ends)
{
    REAL_CHOOSE(cutoffs_walk, (weight, order, last, group, ranked, ranked_last, n, shares, k, table,
                               out, ends));
}

EXPORT void whole_overs(i32 kind, const u8 *weight, const i32 *order, const u8 *last,
                        const double *values, i64 n, const double *shares, i64 k, i64 is_raw,
                        double *out, double *ends)
{
    CHOOSE(overs_walk, (weight, order, last, values, n, shares, k, is_raw, out, ends));
}

EXPORT void real_overs(i32 kind, i64 lanes, const double *weight, const i32 *order, const u8 *last,
                       const double *values, i64 n, const double *shares, i64 k, i64 is_raw,
                       double *out, double *ends)
{
    REAL_CHOOSE(overs_walk, (weight, order, last, values, n, shares, k, is_raw, out, ends));
}

EXPORT void whole_bins(i32 kind, const u8 *weight, const i32 *bin, const double *values, i64 n,
                       double *out)
{
    CHOOSE(bins_walk, (weight, bin, values, n, out));
}

EXPORT void real_bins(i32 kind, i64 lanes, const double *weight, const i32 *bin,
                      const double *values, i64 n, double *out)
{
    REAL_CHOOSE(bins_walk, (weight, bin, values, n, out));
}

EXPORT void whole_between(i32 kind, const u8 *weight, const i32 *left, const double *to_right, i64 n,
                          double *lower, double *upper)
{
    CHOOSE(between_walk, (weight, left, to_right, n, lower, upper));
}

EXPORT void real_between(i32 kind, i64 lanes, const double *weight, const i32 *left,
                         const double *to_right, i64 n, double *lower, double *upper)
{
    REAL_CHOOSE(between_walk, (weight, left, to_right, n, lower, upper));
}

EXPORT void whole_logit_lines(i32 kind, const u32 *cells, i64 c, const double *x, const double *start, i64 steps, const double *limits, double *out)
{
    CHOOSE(logit_lines_walk, (cells, c, x, start, steps, limits, out));
}

EXPORT void real_logit_lines(i32 kind, i64 lanes, const double *cells, i64 c, const double *x, const double *start, i64 steps, const double *limits, double *out)
{
    REAL_CHOOSE(logit_lines_walk, (cells, c, x, start, steps, limits, out));
}

EXPORT void whole_logit_shifts(i32 kind, const u32 *cells, i64 c, const double *x, const double *start, i64 steps, const double *limits, double *out)
{
    CHOOSE(logit_shifts_walk, (cells, c, x, start, steps, limits, out));
}

EXPORT void real_logit_shifts(i32 kind, i64 lanes, const double *cells, i64 c, const double *x, const double *start, i64 steps, const double *limits, double *out)
{
    REAL_CHOOSE(logit_shifts_walk, (cells, c, x, start, steps, limits, out));
}

EXPORT void whole_rising_blocks(i32 kind, const u32 *cells, i64 c, i64 *number, u32 *blocks)
{
    CHOOSE(rising_blocks_walk, (cells, c, number, blocks));
}

EXPORT void real_rising_blocks(i32 kind, i64 lanes, const double *cells, i64 c, i64 *number, double *blocks)
{
    REAL_CHOOSE(rising_blocks_walk, (cells, c, number, blocks));
}

EXPORT void whole_classes_along(i32 kind, const u8 *weight, const i32 *order, const u8 *last,
                                const u8 *label, i64 n, const double *known, const double *shares,
                                i64 k, i64 is_fewest, double *out, double *ends)
{
    CHOOSE(classes_along_walk, (weight, order, last, label, n, known, shares, k, is_fewest, out,
                                ends));
}

EXPORT void real_classes_along(i32 kind, i64 lanes, const double *weight, const i32 *order,
                               const u8 *last, const u8 *label, i64 n, const double *known,
                               const double *shares, i64 k, i64 is_fewest, double *out,
                               double *ends)
{
    REAL_CHOOSE(classes_along_walk, (weight, order, last, label, n, known, shares, k, is_fewest,
                                     out, ends));
}

EXPORT void whole_class_pairs(i32 kind, const u8 *weight, const i32 *order, const u8 *last,
                              const i32 *code, i64 n, i64 k, i64 along, double *total, double *won,
                              double *lost)
{
    CHOOSE(class_pairs_walk, (weight, order, last, code, n, k, along, total, won, lost));
}

EXPORT void real_class_pairs(i32 kind, i64 lanes, const double *weight, const i32 *order,
                             const u8 *last, const i32 *code, i64 n, i64 k, i64 along,
                             double *total, double *won, double *lost)
{
    REAL_CHOOSE(class_pairs_walk, (weight, order, last, code, n, k, along, total, won, lost));
}

EXPORT void whole_class_window(i32 kind, const u8 *weight, const i32 *order, const u8 *last,
                               const u8 *label, i64 n, const double *known, const double *window,
                               double *out)
{
    CHOOSE(class_window_walk, (weight, order, last, label, n, known, window, out));
}

EXPORT void real_class_window(i32 kind, i64 lanes, const double *weight, const i32 *order,
                              const u8 *last, const u8 *label, i64 n, const double *known,
                              const double *window, double *out)
{
    REAL_CHOOSE(class_window_walk, (weight, order, last, label, n, known, window, out));
}

EXPORT void whole_class_gap(i32 kind, const u8 *weight, const i32 *order, const u8 *last,
                            const u8 *label, i64 n, const double *known, double *out)
{
    CHOOSE(class_gap_walk, (weight, order, last, label, n, known, out));
}

EXPORT void real_class_gap(i32 kind, i64 lanes, const double *weight, const i32 *order,
                           const u8 *last, const u8 *label, i64 n, const double *known,
                           double *out)
{
    REAL_CHOOSE(class_gap_walk, (weight, order, last, label, n, known, out));
}

EXPORT void whole_hyperbolas(i32 kind, const u8 *weight, const i32 *order, const u8 *last,
                             const u8 *label, i64 n, double *out)
{
    CHOOSE(hyperbolas_walk, (weight, order, last, label, n, out));
}

EXPORT void real_hyperbolas(i32 kind, i64 lanes, const double *weight, const i32 *order,
                            const u8 *last, const u8 *label, i64 n, double *out)
{
    REAL_CHOOSE(hyperbolas_walk, (weight, order, last, label, n, out));
}

/* Python finds the library as an extension module. Only ctypes calls what is in it: imported as a
   module it is empty. */
#if defined(__has_include)
#if __has_include(<Python.h>) && !defined(NO_MODULE)
#define HAS_MODULE
#endif
#endif

#ifdef HAS_MODULE
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_lanes", "Compiled kernels; reportgen.kernels.native calls them.", -1,
    NULL, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__lanes(void)
{
    return PyModule_Create(&module);
}
#else
EXPORT void *PyInit__lanes(void)
{
    return 0;
}
#endif
