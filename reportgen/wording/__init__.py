"""Numbers to words: digits, verdicts, gates, warnings. Every sentence is a function of numbers.

`from reportgen import wording`, then `wording.short(...)`; nothing here knows of a page.
"""

from __future__ import annotations

from reportgen.wording.advice import advice
from reportgen.wording.answers import per_case
from reportgen.wording.asymmetries import ALPHA, Asymmetries, ratio
from reportgen.wording.beside_advice import advised, beside_advice
from reportgen.wording.buckets import of_top_bucket, of_top_error
from reportgen.wording.captures import captured, captured_differences, points
from reportgen.wording.changes import of_move as of_move
from reportgen.wording.codes import WARNINGS as WARNINGS
from reportgen.wording.costs import (
    LOSSES,
    UNDECIDED,
    CostTerms,
    cheapest_where,
    decision,
    deployed,
    envelope_title,
    harmful,
    ranges_title,
    scale_of_costs,
    setting,
)
from reportgen.wording.designs import design, plural, units
from reportgen.wording.distinct import distinctly_named
from reportgen.wording.few_rows import without_few
from reportgen.wording.findings import evidence, finding
from reportgen.wording.findings import under_fewest as under_fewest
from reportgen.wording.fine import fine_percent
from reportgen.wording.kinds import distance
from reportgen.wording.kinds import title_behind as title_behind
from reportgen.wording.methods import titled, why
from reportgen.wording.names import (
    adjustment,
    capital,
    listed,
    lowered,
    name,
    of_cases,
    prose,
)
from reportgen.wording.numbers import (
    MISSING,
    Form,
    bare_p_value,
    by_bins,
    count,
    currency,
    decimal,
    effective,
    form_of,
    fraction_ahead,
    has_unit,
    level,
    off_by,
    p_value,
    percent,
    plain_form,
)
from reportgen.wording.plainly import DIRECTIONS, briefly, consequence
from reportgen.wording.requirements import segment_name
from reportgen.wording.segments import in_segments
from reportgen.wording.shifts import FLATTERED, METHODS, cheapest, least_title, method, ways
from reportgen.wording.targets import classes_of, counts, labelled, target_values, zeros
from reportgen.wording.thresholds import at_point
from reportgen.wording.verdicts import (
    NOT_ADJUSTED,
    absence,
    adjusted_bounds,
    bounds,
    disagreement,
    form_for,
    has_interval,
    interval_name,
    interval_names,
    interval_text,
    interval_without_sign,
    is_adjusted,
    is_open,
    is_unadjusted,
    margin_size,
    short,
    two_digits,
    what_differs,
)
from reportgen.wording.warning_text import WarningText
from reportgen.wording.warnings import by_label, explain, heading, warning
from reportgen.wording.warnings import labels_of_classes as labels_of_classes

__all__ = [
    "ALPHA",
    "DIRECTIONS",
    "FLATTERED",
    "LOSSES",
    "METHODS",
    "MISSING",
    "NOT_ADJUSTED",
    "UNDECIDED",
    "WARNINGS",
    "Asymmetries",
    "CostTerms",
    "Form",
    "WarningText",
    "absence",
    "adjusted_bounds",
    "adjustment",
    "advice",
    "advised",
    "at_point",
    "bare_p_value",
    "beside_advice",
    "bounds",
    "briefly",
    "by_bins",
    "by_label",
    "capital",
    "captured",
    "captured_differences",
    "cheapest",
    "cheapest_where",
    "classes_of",
    "consequence",
    "count",
    "counts",
    "currency",
    "decimal",
    "decision",
    "deployed",
    "design",
    "disagreement",
    "distance",
    "distinctly_named",
    "effective",
    "envelope_title",
    "evidence",
    "explain",
    "finding",
    "fine_percent",
    "form_for",
    "form_of",
    "fraction_ahead",
    "harmful",
    "has_interval",
    "has_unit",
    "heading",
    "in_segments",
    "interval_name",
    "interval_names",
    "interval_text",
    "interval_without_sign",
    "is_adjusted",
    "is_open",
    "is_unadjusted",
    "labelled",
    "least_title",
    "level",
    "listed",
    "lowered",
    "margin_size",
    "method",
    "name",
    "of_cases",
    "of_top_bucket",
    "of_top_error",
    "off_by",
    "p_value",
    "per_case",
    "percent",
    "plain_form",
    "plural",
    "points",
    "prose",
    "ranges_title",
    "ratio",
    "scale_of_costs",
    "segment_name",
    "setting",
    "short",
    "target_values",
    "titled",
    "two_digits",
    "units",
    "warning",
    "ways",
    "what_differs",
    "why",
    "without_few",
    "zeros",
]
