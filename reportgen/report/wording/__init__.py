"""Numbers to words: every sentence is a function of numbers."""

from __future__ import annotations

from reportgen.report.wording.answers import describe_gate, describe_too_few, use_case_unit
from reportgen.report.wording.cautions import (
    DIRECTIONS,
    describe_consequence,
    describe_fragility,
    describe_warning_plainly,
)
from reportgen.report.wording.cost_advice import (
    FLATTERED_NOTE,
    SHIFT_METHODS,
    advise,
    describe_methods,
    format_advice,
    format_shift_method,
    list_advice_details,
    title_of_cheapest_method,
)
from reportgen.report.wording.costs import (
    ALPHA,
    LOSSES,
    UNDECIDED,
    AsymmetryWording,
    CostWording,
    describe_cheapest_ranges,
    describe_cost_scale,
    describe_decision,
    describe_deployed,
    describe_harmful,
    format_ratio,
    title_of_envelope,
    title_of_ranges,
)
from reportgen.report.wording.curves import (
    describe_capture,
    describe_capture_differences,
    describe_segments,
    describe_top_bias,
    describe_top_bucket,
    format_points,
)
from reportgen.report.wording.methods import (
    describe_class_sizes,
    describe_design,
    describe_label_counts,
    describe_labelled_rows,
    describe_target_values,
    describe_zeros,
    explain_method,
    format_method,
    format_units,
)
from reportgen.report.wording.names import (
    capitalize,
    clean_name,
    clean_prose,
    distance_prefix,
    fill_case_nouns,
    find_full_title,
    format_adjustment,
    join_list,
    lower_first_word,
    make_names_distinct,
)
from reportgen.report.wording.numbers import (
    MISSING,
    NumberFormat,
    choose_declared_precision,
    choose_format,
    find_currency,
    format_bare_p_value,
    format_bin_bound,
    format_bin_offset,
    format_bootstrap_fraction,
    format_count,
    format_decimal,
    format_effective_rows,
    format_fine_percent,
    format_level,
    format_p_value,
    format_percent,
    has_unit,
)
from reportgen.report.wording.operating_points import describe_operating_point
from reportgen.report.wording.requirements import format_segment
from reportgen.report.wording.run_changes import describe_move_interval
from reportgen.report.wording.verdicts import (
    NOT_ADJUSTED,
    choose_difference_format,
    deciding_interval,
    describe_difference_kind,
    describe_disagreement,
    explain_absence,
    format_comparison,
    format_interval,
    format_margin,
    format_unsigned_interval,
    get_adjusted_interval,
    is_adjusted,
    is_limit_at_zero,
    is_unadjusted,
    name_intervals,
    round_up_two_digits,
)
from reportgen.report.wording.warning_texts import WARNING_TEXTS
from reportgen.report.wording.warnings import (
    explain_code,
    format_code_heading,
    format_warning,
    list_class_labels,
    replace_by_labels,
)
