"""Codes whose rules are elsewhere: where files are read, runs are planned or pages written."""

from reportgen.checks.check import register_codes

register_codes("""
    W110 rows_used_to_choose, W115 shift_on_fitted_ids, W116 few_rows_to_fit, W117 common_clusters,
    W121 choice_on_judged_rows, W125 divided_units, W126 few_folds, W128 undefined_folds,
    W129 unsteady_threshold, W141 many_looks, W142 exploratory, W143 judged_training_rows,
    W144 worse_on_fresh_rows, W151 open_by_bins, W201 constant_target, W202 equal_scores,
    W203 small_segment, W204 missing_rows, W205 missing_characters, W206 scaled_probabilities,
    W207 absent_class, W231 missing_queries, W232 queries_without_relevant, W233 unjudged_queries,
    W234 negative_grades, W235 ranks_against_scores, W237 adjusted_p_values, W238 renamed_value,
    W241 not_final,
    W251 streamed_rows, W252 unneeded_allow, W253 evaluation_log, W316 reference, W317 conflict,
    W323 heavy_tail
""")
