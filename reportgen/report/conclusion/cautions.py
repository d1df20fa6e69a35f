"""The cautions of page one: at most three, the weightiest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from reportgen.report.conclusion.rows import build_comparison_row
from reportgen.report.selection import Selection
from reportgen.report.wording import cautions as caution_texts
from reportgen.report.wording.curves import describe_top_bias
from reportgen.report.wording.names import capitalize_label, clean_name, format_segment
from reportgen.report.wording.numbers import choose_format, format_level
from reportgen.report.wording.warnings import replace_by_labels
from reportgen.results.conclusion import BestAction, Caveat, HeadlineComparison
from reportgen.results.core import ColumnProfile, Comparison, MetricInfo, Warning
from reportgen.results.curves import CurveResult
from reportgen.results.types import Number
from reportgen.results.verdicts import word_side

_CURVE = "error_by_rank"


def describe_top_error(found: Selection, curve: CurveResult) -> str:
    """Say by how much the top bin is off on average, shown or not; "" where rows are too few."""
    if len(curve.x) != curve.params.get("bins") or not curve.x:
        return ""
    error = (curve.y[-1], *_compute_limits(curve))
    return describe_top_bias(found.label(curve.model), len(curve.x), error, curve.y_unit)


def describe_shown_top_error(found: Selection, model: str) -> str:
    """The same of a model on the main dataset, where the interval leaves out zero; else ""."""
    for curve in found.results.curves:
        mine = (curve.curve, curve.model, curve.baseline, curve.dataset, curve.segment)
        if mine == (_CURVE, model, None, found.main.name, None):
            low, high = _compute_limits(curve)
            is_shown = low is not None and high is not None and (low > 0 or high < 0)
            return describe_top_error(found, curve) if is_shown else ""
    return ""


def _compute_limits(curve: CurveResult) -> tuple[Number, Number]:
    low, high = (bound[-1] if bound else None for bound in (curve.low, curve.high))
    return low, high


MOST_CAUTIONS = 3
ABSENT_CODES = "W207"  # a class that has no row, which macro averages leave out
CONSTANT = "W201"  # a target that does not vary, so that there is nothing to tell apart
MOST_ABSENT = 3  # of such classes, named
UNCHECKED = "W251"  # of rows that some warnings were not looked for on
LACKING_CODES = 0.02  # share of queries without a line, or of rows left out, from which it is said
MANY_DROPPED = 0.2  # share of rows left out from which page one always says so
DROPPED, SCALED = "W204", "W206"  # rows left out, and probabilities that were divided by their sum
TIED_PAIRS = 0.2  # share of a score's pairs from which ties stand on page one
FORGIVING = ("kendall", "spearman")  # a pair that a score leaves tied costs it little or nothing
_WEIGHTY = (
    *"W142 W231 W110 W109 W143 W115 W117 W121 W144 W131 W138 W139 W133 W119".split(),
    *(CONSTANT, ABSENT_CODES, DROPPED, SCALED),
)
_OF_DATA = (ABSENT_CODES, CONSTANT)
_LAST = ("W103",)
_OF_SHIFTS = ("W115", "W116", "W117")  # of rows that shifts are fitted on


def build_cautions(
    found: Selection,
    rows: Sequence[HeadlineComparison],
    consequences: Sequence[HeadlineComparison],
    advised: BestAction | None = None,
) -> tuple[tuple[Caveat, ...], tuple[HeadlineComparison, ...]]:
    """The points, and the rows with the number of the one that is about them.

    Where an action is advised that no row is about, the points are about that action.
    """
    forced = list(_iter_forced_cautions(found, rows))
    last = [*_iter_dropped_cautions(found), *_iter_unchecked_cautions(found)]
    most = MOST_CAUTIONS - len(last)
    if len(forced) > most:
        forced = [caution_texts.merge_cautions(forced)]
    is_told = advised is None or advised.is_primary
    others = (
        _others(found, rows, consequences) if is_told else _iter_action_cautions(found, advised)
    )
    made = (*[*forced, *others][:most], *last)
    return made, tuple(_number_row(row, forced) for row in rows)


def _number_row(row: HeadlineComparison, forced: Sequence[Caveat]) -> HeadlineComparison:
    for number, care in enumerate(forced, 1):
        is_all = care.model is None and row.contradicted_by
        if care.model == row.candidate or is_all:
            return replace(row, care=number)
    return row


def _iter_forced_cautions(found: Selection, rows: Sequence[HeadlineComparison]) -> Iterator[Caveat]:
    """Verdicts that another metric of the same kind contradicts, and scores with many ties."""
    tied = _find_tied_models(found)
    for row in rows:
        if row.contradicted_by:
            yield _contradiction(found, row, tied.get(row.candidate))
    named = {row.candidate for row in rows if row.contradicted_by}
    for model, profile in tied.items():
        if model not in named and found.primary is not None:
            yield caution_texts.caution_of_ties(
                found.label(model),
                model,
                profile,
                found.primary,
                _find_half_credit_comparison(found, model),
            )


def _iter_unchecked_cautions(found: Selection) -> Iterator[Caveat]:
    """Say that most warnings were not looked for, always: silence would mislead."""
    for w in found.results.warnings:
        if w.code == UNCHECKED and w.dataset in (None, found.main.name):
            care = caution_texts.caution_of_warning(w, "", "", found.main.case)
            yield replace(care, is_forced=True)
            return


def _iter_dropped_cautions(found: Selection) -> Iterator[Caveat]:
    """Yield a caution if many rows were left out, since they may differ from the others."""
    every = [w for w in found.results.warnings if w.dataset == found.main.name]
    many = [w for w in every if _compute_dropped_share(w) >= MANY_DROPPED]
    for w in sorted(many, key=_compute_dropped_share)[-1:]:
        yield replace(_build_warning_caution(found, w), is_forced=True)


def _find_tied_models(found: Selection) -> dict[str, ColumnProfile]:
    """The models whose scores leave many pairs tied, where the primary metric forgives it."""
    if found.primary is None or found.primary.name not in FORGIVING or found.baseline is None:
        return {}
    return {
        column.model: column
        for column in found.main.columns
        if column.role == "score" and column.model and (column.tied_pairs or 0.0) > TIED_PAIRS
    }


def _find_half_credit_comparison(
    found: Selection, model: str
) -> tuple[MetricInfo, HeadlineComparison] | None:
    """A comparison on a metric that counts tied pairs as half, if one was computed."""
    for metric in found.results.metrics:
        is_half = metric.name == "kendall_a" or (
            metric.name == "regression_auc" and metric.params.get("ties") == "half"
        )
        c = found.comparison(model, metric.key) if is_half else None
        if c is not None and c.status == "ok":
            return metric, build_comparison_row(found, c)
    return None


def _contradiction(found: Selection, row: HeadlineComparison, tied: ColumnProfile | None) -> Caveat:
    metrics = {metric.key: metric for metric in found.results.metrics}
    half = _find_half_credit_comparison(found, row.candidate) if tied is not None else None
    if half is not None and half[0].key in row.contradicted_by:
        worse = half
    else:
        key = row.contradicted_by[0]
        worse = (
            metrics[key],
            build_comparison_row(found, _require_comparison(found, row.candidate, key)),
        )
    acts = [
        (metric, build_comparison_row(found, c))
        for metric in found.results.metrics
        if metric.kind == "decision"
        for c in [found.comparison(row.candidate, metric.key)]
        if c is not None and word_side(c.word) < 0
    ]
    return caution_texts.caution_of_contradiction(
        (row.candidate, found.label(row.candidate)), metrics[row.key], worse, tied, acts[:1]
    )


def _require_comparison(found: Selection, model: str, key: str) -> Comparison:
    c = found.comparison(model, key)
    assert c is not None, (model, key)
    return c


def _others(
    found: Selection, rows: Sequence[HeadlineComparison], consequences: Sequence[HeadlineComparison]
) -> Iterator[Caveat]:
    """Return what else affects the model asked about, in order of weight."""
    shown = {row.key for row in (*rows[:1], *consequences)} or {m.key for m in found.metrics}
    models = [rows[0].candidate, rows[0].baseline] if rows else [*found.models]
    warnings = list(_iter_warnings(found, shown, models))
    yield from (_build_warning_caution(found, w) for w in warnings if w.code in _WEIGHTY)
    for row in rows[:1]:
        if text := describe_shown_top_error(found, row.candidate):
            yield caution_texts.caution_of_top(
                text, row.candidate, format_level(found.results.inference.level)
            )
        yield from _borderline(found, row)
        c = _require_comparison(found, row.candidate, row.key)
        if c.is_method_sensitive:
            yield caution_texts.caution_of_method(row.candidate)
        yield from _iter_reversal_cautions(found, row, consequences)
    yield from (_build_warning_caution(found, w) for w in warnings if w.code not in _WEIGHTY)


def _build_warning_caution(found: Selection, w: Warning) -> Caveat:
    named = replace(w, numbers=replace_by_labels(w.numbers, found.labels))
    care = caution_texts.caution_of_warning(named, *_build_subject(found, w), found.main.case)
    others = _others_with(found, w)
    base = None if found.baseline is None else found.baseline.name
    ordered = sorted(others, key=lambda model: (model != base, model))
    names = [f"{clean_name(found.label(model), 30)}{others[model]}" for model in ordered]
    return replace(
        care,
        text=care.text + caution_texts.describe_other_models(names, has_baseline=base in others),
    )


def _others_with(found: Selection, w: Warning) -> dict[str, str]:
    """The other models of which the same is warned, on the rows of page one, and how far off."""
    return {
        str(other.model): _describe_error(other)
        for other in found.results.warnings
        if w.model is not None
        and (other.code, other.segment) == (w.code, None)
        and other.dataset in (None, found.main.name)
        and other.model not in (None, w.model)
    }


def _describe_error(w: Warning) -> str:
    error = w.numbers.get("error")
    return (
        f" ({choose_format(error, None, None).number(error)})" if isinstance(error, float) else ""
    )


def _iter_action_cautions(found: Selection, advised: BestAction | None) -> Iterator[Caveat]:
    """Yield what affects an action: warnings on its costs, and that they are of one ratio."""
    assert advised is not None and found.baseline is not None
    models = [advised.model, found.baseline.name]
    for w in _iter_warnings(found, {m.key for m in found.metrics if m.kind == "cost"}, models):
        yield caution_texts.caution_of_warning(w, *_build_subject(found, w), found.main.case)
    costs = found.costs[found.main.name]
    if len({option.asymmetry for option in costs.options}) == 1:
        yield caution_texts.caution_of_one_ratio(advised)


def _iter_warnings(found: Selection, shown: set[str], models: Sequence[str]) -> Iterator[Warning]:
    """One warning a code, on what page one shows.

    Those on the first of the models come first, which the page is about, then the primary metric.
    """
    has_shifts = _shows_shifts(found, shown)
    mine = [
        w
        for w in found.results.warnings
        if w.segment is None
        and (w.code not in _OF_SHIFTS or has_shifts)
        and w.dataset in (None, found.main.name)
        and (w.key is None or w.key in shown)
        and (w.model is None or w.model in models)
        and w.code != "W102"
        and (
            not w.code.startswith("W2")
            or w.code in _OF_DATA
            or _lacks_queries(found, w)
            or _lacks_rows(w)
            or w.code == SCALED
        )
    ]
    primary = None if found.primary is None else found.primary.key
    first = models[:1]
    mine.sort(
        key=lambda w: (
            w.code in _LAST,
            w.model is not None and w.model not in first,
            w.key not in (None, primary),
            -_compute_share(w),
        )
    )
    seen: dict[str, Warning] = {}
    for w in mine:
        seen.setdefault(w.code, w)
    if ABSENT_CODES in seen:
        seen[ABSENT_CODES] = _merge_absent_classes([w for w in mine if w.code == ABSENT_CODES])
    yield from seen.values()


def _merge_absent_classes(every: Sequence[Warning]) -> Warning:
    """One warning of all classes without rows."""
    names = [str(w.numbers.get("class", "")) for w in every]
    shown = names if len(names) <= MOST_ABSENT else [*names[:MOST_ABSENT], "others"]
    return replace(every[0], numbers={**every[0].numbers, "class": " or ".join(shown)})


def _lacks_queries(found: Selection, w: Warning) -> bool:
    """Tell whether a run lacks too many queries, or their treatment changes a verdict.

    Those that are left out weigh too: mostly they are ones that the system failed on.
    """
    if w.code != "W231":
        return False
    changes = (c.is_other for c in found.sensitivity.choices if c.choice == "missing_query")
    return _compute_share(w) >= LACKING_CODES or any(changes)


def _lacks_rows(w: Warning) -> bool:
    """Tell whether rows left out are so many that the others may differ from those it meets."""
    return LACKING_CODES <= _compute_dropped_share(w) < MANY_DROPPED


def _compute_dropped_share(w: Warning) -> float:
    """Return the share of the rows that was left out."""
    share = w.numbers.get("share")
    return share if w.code == DROPPED and isinstance(share, float) else 0.0


def _compute_share(w: Warning) -> float:
    """Return which share of the queries a run lacks."""
    lacking, of = w.numbers.get("queries"), w.numbers.get("of")
    if w.code != "W231" or not isinstance(lacking, int) or not isinstance(of, int):
        return 0.0
    return lacking / of


def _shows_shifts(found: Selection, shown: set[str]) -> bool:
    """Tell whether page one has a number of fitted shifts.

    It is that of a metric, or of the action advised.
    """
    if found.results.report.decision == "shift":
        return True
    return any(m.params.get("shift") == "fitted" for m in found.results.metrics if m.key in shown)


def _build_subject(found: Selection, w: Warning) -> tuple[str, str]:
    """Return what a warning is about: a metric and a model."""
    metric = next((m for m in found.results.metrics if m.key == w.key), None)
    label = "" if metric is None else capitalize_label(metric)
    return label, "" if w.model is None else clean_name(found.label(w.model), 40)


def _borderline(found: Selection, row: HeadlineComparison) -> Iterator[Caveat]:
    """Few rows on which the word depends."""
    sets = [
        each
        for deletion in found.sensitivity.deletions
        if deletion.key == row.key
        for each in deletion.sets
        if (each.candidate, each.baseline) == (row.candidate, row.baseline)
    ]
    metric = next(m for m in found.results.metrics if m.key == row.key)
    text = caution_texts.describe_borderline(
        sets, found.main.case, (metric, row), found.label(row.candidate)
    )
    if text:
        yield Caveat("borderline", "Borderline.", text, row.candidate)


def _iter_reversal_cautions(
    found: Selection, row: HeadlineComparison, consequences: Sequence[HeadlineComparison]
) -> Iterator[Caveat]:
    """Segments in which the other model is shown better, beyond the one that has a row."""
    shown = {each.segment for each in consequences}
    flips = [c for c in found.flips(row.candidate, row.key) if c.segment not in shown]
    if flips:
        names = [format_segment(found.main, c.segment) for c in flips]
        yield caution_texts.caution_of_reversal(names, row.candidate)
