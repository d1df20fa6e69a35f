"""Operating points, calibration, rare classes and a second rater."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isclose
from typing import Literal

from reportgen.report import prose
from reportgen.report.document import (
    Block,
    Bullets,
    Cell,
    Phrase,
    Section,
    Table,
    Text,
    make_phrase,
)
from reportgen.report.prose import classes, operating_points
from reportgen.report.sections.index import Index, fold_for_full_report, get_answer_model
from reportgen.report.sections.tables import (
    MISSING_CELL,
    ReportColumn,
    build_table,
    make_bare_estimate_cell,
    make_interval_cell,
    make_value_cell,
    number_column,
    word_column,
)
from reportgen.report.wording import numbers
from reportgen.report.wording.names import capitalize, clean_name
from reportgen.report.wording.verdicts import TONES
from reportgen.results import Results
from reportgen.results.classification import (
    Agreement,
    ClassCalibration,
    ModelCalibration,
    OperatingPoint,
    PointOutcome,
)
from reportgen.results.core import Comparison, Estimate
from reportgen.results.types import Number

_TITLES = {
    "flagged": "Flagged",
    "found": "Found",
    "missed": "Missed",
    operating_points.COST: "Cost",
}
Against = Literal["everyone", "nobody"]
CONSTANTS: tuple[Against, ...] = ("everyone", "nobody")


def build_thresholds_section(results: Results) -> Section | None:
    """Build one table of all thresholds and models; None where no row is flagged."""
    index = Index(results)
    points = collect_points(index)
    if not points:
        return None
    blocks: list[Block] = [_build_points_table(index, points)]
    said = [line for at in points.values() for line in _iter_remarks(index, at)]
    if said:
        blocks.append(Text(make_phrase(" ".join(dict.fromkeys(said)))))
    return Section("thresholds", prose.line("outcomes.title"), tuple(blocks))


def collect_points(index: Index) -> dict[str, list[OperatingPoint]]:
    """Collect the main dataset's points by name, one per model, rescaled to the page's base."""
    found: dict[str, list[OperatingPoint]] = {}
    for point in index.main_points:
        quoted = _quote_comparison(index, point)
        found.setdefault(point.name, []).append(operating_points.rescale_point(quoted, index.base))
    return found


def _quote_comparison(index: Index, point: OperatingPoint) -> OperatingPoint:
    """Give the difference in cost the interval of its comparison, if the metrics have one.

    So that one saving has one interval throughout the report.
    """
    found = _find_cost_comparison(index, point)
    if found is None:
        return point
    outcomes = (
        replace(each, difference_low=found.low, difference_high=found.high)
        if each.metric == operating_points.COST
        else each
        for each in point.outcomes
    )
    return replace(point, outcomes=tuple(outcomes))


def _find_cost_comparison(index: Index, point: OperatingPoint) -> Comparison | None:
    """Find the comparison on the misclassification cost of a point, at the same prices."""
    own = operating_points.find_outcome(point, operating_points.COST)
    if own is None or own.difference is None:
        return None
    for metric in index.metrics:
        if metric.name == operating_points.COST and metric.params.get("at") == point.name:
            found = index.comparison(point.model, metric.key)
            here = None if found is None else found.difference
            if here is not None and isclose(here, own.difference, rel_tol=1e-6, abs_tol=1e-12):
                return found
    return None


def build_flagging_table(index: Index) -> Table:
    """Tabulate what flagging costs with one model: the cheapest threshold and the first declared.

    Without costs it is what flagging finds, at the first threshold. Flagging everyone and nobody
    stand below.
    """
    model = get_answer_model(index)
    points = [
        operating_points.rescale_point(point, index.base)
        for point in index.main_points
        if point.model == model
    ]
    if not points:
        first = index.main_points[0]
        points = [operating_points.rescale_point(first, index.base)]
        model = first.model
    assert model is not None
    costs = [(_get_cost(point), point) for point in points]
    known = [(cost, place) for place, (cost, _) in enumerate(costs) if cost is not None]
    cheapest = points[min(known)[1]] if known else None
    shown = [cheapest, points[0]] if cheapest and cheapest is not points[0] else [points[0]]
    has_costs = cheapest is not None
    positives, all_ = operating_points.sum_positives(points[0])
    of_positives = (
        "" if positives is None else operating_points.format_positives(positives, all_, index.base)
    )
    caption = prose.line(
        "thresholds.caption",
        model=index.short_label(model),
        per=numbers.format_count(index.base),
        cases=clean_name(index.main.case[1]),
        costs=_describe_error_costs(index) if has_costs else "",
    )
    if len(points) > len(shown):
        kept = "both" if len(shown) > 1 else "same" if has_costs else "first"
        caption += " " + prose.line("thresholds.rest", total=len(points), kept=kept)
    rows: list[OperatingPoint | Against] = [*shown]
    rows += CONSTANTS if positives is not None else ()

    def make_name_cell(row: OperatingPoint | Against) -> Cell:
        if not isinstance(row, OperatingPoint):
            return Cell(prose.line("thresholds.constant", who=row))
        marks = [prose.line("thresholds.lowest", total=len(points))] * (
            row is cheapest and len(points) > 1
        )
        marks += [prose.line("thresholds.first")] * (row is points[0] and len(points) > 1)
        setting = _describe_setting(index, [row], row)
        return Cell(clean_name(row.name, 40), "; ".join([setting, *marks]), is_strong=True)

    def count_column(
        metric: str, title: str, note: str = ""
    ) -> ReportColumn[OperatingPoint | Against]:
        def make_cell(row: OperatingPoint | Against) -> Cell:
            if not isinstance(row, OperatingPoint):
                return _make_constant_cell(index, points[0], row, metric)
            outcome = operating_points.find_outcome(row, metric)
            if outcome is None:
                return MISSING_CELL
            if metric != operating_points.COST and outcome.value is not None:
                count = operating_points.format_count_of_rows(outcome.value)
                return Cell(count, value=outcome.value)
            return make_value_cell(operating_points.choose_count_form(outcome), outcome.value)

        return number_column(title, make_cell, note=note)

    def make_interval(row: OperatingPoint | Against) -> Cell:
        outcome = (
            operating_points.find_outcome(row, operating_points.COST)
            if isinstance(row, OperatingPoint)
            else None
        )
        if outcome is None:
            return Cell("")
        form = operating_points.choose_count_form(outcome)
        return Cell(form.interval(outcome.low, outcome.high))

    level = numbers.format_level(points[0].outcomes[0].level)
    unit = next((o.unit for o in points[0].outcomes if o.metric == operating_points.COST), "")
    found_title = prose.line("thresholds.found", positives=of_positives)
    return build_table(
        "flagging",
        caption,
        rows,
        word_column(prose.line("thresholds.name"), make_name_cell),
        count_column("flagged", _TITLES["flagged"]),
        count_column("found", found_title),
        count_column("false_positives", prose.line("outcomes.false_positives")),
        *(
            (
                count_column(operating_points.COST, _TITLES[operating_points.COST], unit),
                number_column(prose.line("changes.interval", level=level), make_interval),
                word_column(prose.line("thresholds.against_everyone"), _make_against_cell),
            )
            if has_costs
            else ()
        ),
        title=prose.line("thresholds.title", has_costs=has_costs),
    )


def _get_cost(point: OperatingPoint) -> float | None:
    outcome = operating_points.find_outcome(point, operating_points.COST)
    return None if outcome is None else outcome.value


def _make_against_cell(row: OperatingPoint | Against) -> Cell:
    """Make the cell of the word for the cost against that of flagging everyone."""
    found = row.against_everyone if isinstance(row, OperatingPoint) else None
    if found is None:
        return Cell("")
    word = capitalize(prose.term("verdict", found.word))
    return Cell(word, value=found.value, tone=TONES[found.word])


def _make_constant_cell(index: Index, point: OperatingPoint, who: Against, metric: str) -> Cell:
    """Make a cell of the outcome if everyone, or nobody, is flagged."""
    everyone, base = who == "everyone", index.base
    if metric == operating_points.COST:
        cost = point.cost_of_all if everyone else point.cost_of_none
        if cost is None:
            return MISSING_CELL
        return Cell(_choose_constant_form(index, cost).number(cost), value=cost)
    positives, all_ = operating_points.sum_positives(point)
    if positives is None:
        return MISSING_CELL
    upper = base * positives / (all_ or 1)
    value = {
        "flagged": base * everyone,
        "found": upper * everyone,
        "missed": upper * (not everyone),
        "false_positives": (base - upper) * everyone,
    }[metric]
    return Cell(operating_points.format_count_of_rows(value), value=value)


def _choose_constant_form(index: Index, cost: float) -> numbers.NumberFormat:
    """Choose the format of the cost of flagging everyone or nobody, the same at every threshold.

    It has no interval, so it has the decimals of the most precise cost beside it.
    """
    scaled = [operating_points.rescale_point(point, index.base) for point in index.main_points]
    own = [operating_points.find_outcome(point, operating_points.COST) for point in scaled]
    known = [outcome for outcome in own if outcome is not None and outcome.value is not None]
    forms = [
        replace(operating_points.choose_count_form(each), unit=each.unit, least=0) for each in known
    ]
    if not forms:
        return numbers.choose_format(cost, None, None)
    finest = max(forms, key=lambda form: form.decimals)
    return numbers.refine_from_zero(finest, cost)


def _describe_error_costs(index: Index) -> str:
    return operating_points.describe_error_costs(
        index.results.config.get("costs"), index.main.positive_case
    )


def _find_asked_points(
    index: Index, at: Sequence[OperatingPoint]
) -> tuple[OperatingPoint, OperatingPoint | None]:
    """Find the point of the model asked about, and the baseline's where that is another."""
    by_model = {point.model: point for point in at}
    first = by_model.get(_find_asked_model(index) or "") or at[-1]
    baseline = by_model.get(index.baseline.name) if index.baseline else None
    return first, None if baseline is first else baseline


def _iter_remarks(index: Index, at: Sequence[OperatingPoint]) -> Iterator[str]:
    """Yield what a table of outcomes does not show: who flags none, and where flagging pays."""
    first, other = _find_asked_points(index, at)
    if other is not None:
        labels = tuple(index.short_label(point.model) for point in (first, other))
        yield operating_points.describe_none_flagged(first, other, labels, index.main.case)
    yield _describe_break_even(index, first)


def _describe_break_even(index: Index, point: OperatingPoint) -> str:
    """Describe from where on flagging pays for itself, if no threshold is set there."""
    pays, at = point.pays_from, point.threshold
    if index.models[point.model].order != "descending":
        return ""
    if pays is None or at is None or abs(pays - at) <= operating_points.NEGLIGIBLE:
        return ""
    if any(other.rule == "cost" for other in index.main_points):
        return ""
    return prose.line("thresholds.break_even", score=operating_points.format_exact(pays))


def _find_asked_model(index: Index) -> str | None:
    found = index.results.conclusion
    if found is not None and found.about is not None:
        return found.about
    return index.candidates[0].name if index.candidates else None


_Row = OperatingPoint | Against


def _build_points_table(index: Index, points: Mapping[str, Sequence[OperatingPoint]]) -> Table:
    """Tabulate each model at each threshold; flagging everyone and nobody stand below."""
    every = [point for at in points.values() for point in at]
    first = every[0]
    quoted = filter(None, (_find_cost_comparison(index, point) for point in index.main_points))
    has_costs = _get_cost(first) is not None
    positives, all_ = operating_points.sum_positives(first)
    unit = next((o.unit for o in first.outcomes if o.metric == operating_points.COST), "")
    caption = prose.line(
        "outcomes.caption",
        base=operating_points.format_base(index.base),
        cases=index.main.case[1],
        costs=_describe_error_costs(index),
        level=numbers.format_level(first.outcomes[0].level),
        family=max((found.family_size for found in quoted), default=1),
    ) + operating_points.describe_rounding(every, index.base)
    constants: list[_Row] = [*CONSTANTS] if has_costs and positives is not None else []

    def make_name_cell(row: _Row) -> Cell:
        if not isinstance(row, OperatingPoint):
            return Cell(prose.line("thresholds.constant", who=row))
        name = clean_name(row.name, 40)
        if row is not points[row.name][0]:
            return Cell(name, tone="neutral")
        is_ranked = row.rule == "share"
        how = (
            _describe_setting(index, points[row.name], row)
            if is_ranked
            else operating_points.describe_rule(row)
        )
        return Cell(name, how, is_strong=True)

    def make_model_cell(row: _Row) -> Cell:
        return Cell(index.short_label(row.model) if isinstance(row, OperatingPoint) else "")

    def make_threshold_cell(row: _Row) -> Cell:
        if not isinstance(row, OperatingPoint):
            return Cell("")
        shown, _, interval = operating_points.format_threshold(row).partition(" (")
        if row.threshold is not None and index.models[row.model].order != "descending":
            shown = prose.line("outcomes.score_or_less", score=shown)
        return Cell(shown, interval.rstrip(")"), value=row.threshold)

    def outcome_column(metric: str, title: str, note: str = "") -> ReportColumn[_Row]:
        def make_cell(row: _Row) -> Cell:
            if not isinstance(row, OperatingPoint):
                return _make_constant_cell(index, first, row, metric)
            found = operating_points.find_outcome(row, metric)
            return MISSING_CELL if found is None else _make_outcome_cell(found)

        return number_column(title, make_cell, note=note)

    def make_difference_cell(row: _Row) -> Cell:
        found = isinstance(row, OperatingPoint) and operating_points.find_outcome(
            row, operating_points.COST
        )
        if not found or found.difference is None:
            return Cell("")
        form = operating_points.choose_difference_form(found)
        limits = (found.difference_low, found.difference_high)
        return make_interval_cell(form, found.difference, *limits, signed=True)

    of_positives = (
        "" if positives is None else operating_points.format_positives(positives, all_, index.base)
    )
    shown = {outcome.metric for outcome in first.outcomes}
    return build_table(
        "thresholds",
        caption,
        [*every, *constants],
        word_column(prose.line("thresholds.name"), make_name_cell),
        word_column(prose.line("outcomes.model"), make_model_cell),
        number_column(prose.line("outcomes.score"), make_threshold_cell)
        if any(point.threshold is not None for point in every)
        else None,
        None if has_costs else outcome_column("flagged", _TITLES["flagged"]),
        outcome_column("found", prose.line("thresholds.found", positives=of_positives))
        if "found" in shown
        else None,
        outcome_column("false_positives", prose.line("outcomes.false_positives"))
        if "false_positives" in shown
        else None,
        *(
            (
                outcome_column(operating_points.COST, _TITLES[operating_points.COST], unit),
                number_column(prose.line("outcomes.against_baseline"), make_difference_cell)
                if index.baseline is not None
                else None,
                word_column(prose.line("thresholds.against_everyone"), _make_against_cell),
            )
            if has_costs
            else ()
        ),
    )


def _describe_setting(index: Index, at: Sequence[OperatingPoint], point: OperatingPoint) -> str:
    """Describe how a point is set; of how many rows only where all have equal weight."""
    rows = index.main.n if index.main.effective_n is None else None
    orders = [index.models[each.model].order for each in at]
    return operating_points.describe_setting(point, rows, index.base, orders)


MOST = 20  # classes in the table


def build_class_calibration_section(index: Index) -> Section | None:
    """None where no model gives probabilities of several classes, or of labels."""
    found = [c for c in index.results.class_calibrations if c.dataset == index.main.name]
    if not found:
        return None
    by_model = {m.name: [c for c in found if c.model == m.name] for m in index.results.models}
    said = [_describe_class_calibration(index, name, own) for name, own in by_model.items() if own]
    return Section(
        "probabilities",
        "Probabilities",
        (
            Bullets(tuple(said)),
            *fold_for_full_report(
                prose.line("probabilities.classes"), [_class_calibration_table(index, found)]
            ),
        ),
    )


def _describe_class_calibration(
    index: Index, model: str, own: Sequence[ClassCalibration]
) -> Phrase:
    """Describe the probabilities of one model that are off, the farthest first."""
    label = index.short_label(model)
    if all(c.is_off is None for c in own):
        return prose.phrase("class_probabilities.untested", model=label)
    off = sorted(
        (c for c in own if c.is_off), key=lambda c: (c.label is not None, -_compute_gap(c))
    )
    if not off:
        return prose.phrase("class_probabilities.none", model=label)
    each = [
        prose.line(
            "class_probabilities.class",
            name=_format_label(index, c),
            expected=_format_percent(c.said),
            happened=_format_percent(c.happened),
        )
        for c in off
    ]
    return prose.phrase("class_probabilities.off", model=label, classes=each)


def _class_calibration_table(index: Index, found: Sequence[ClassCalibration]) -> Table:
    models = [m.name for m in index.results.models if any(c.model == m.name for c in found)]
    by_label: dict[str | None, dict[str, ClassCalibration]] = {}
    for c in found:
        by_label.setdefault(c.label, {})[c.model] = c
    far = {label: max(map(_compute_gap, each.values())) for label, each in by_label.items()}
    shown = set(sorted(by_label, key=lambda label: -far[label])[:MOST])
    caption = prose.line(
        "class_probabilities.caption", most=MOST, all=len(by_label) if len(by_label) > MOST else 0
    )

    def model_column(model: str) -> ReportColumn[dict[str, ClassCalibration]]:
        return number_column(
            index.short_label(model), lambda row: _build_cell(row.get(model)), note="happened"
        )

    one = classes.choose_class_nouns(index.main).one
    return build_table(
        "probabilities",
        caption,
        [row for label, row in by_label.items() if label in shown],
        word_column(capitalize(one), lambda row: _format_label(index, next(iter(row.values())))),
        *map(model_column, models),
        title=prose.line("class_probabilities.title", one=one),
    )


def _build_cell(found: ClassCalibration | None) -> Cell:
    if found is None:
        return Cell(numbers.MISSING)
    said, happened = _format_percent(found.said), _format_percent(found.happened)
    return Cell(said, note=happened, value=found.said, is_strong=bool(found.is_off))


def _format_label(index: Index, found: ClassCalibration) -> str:
    if found.label is None:
        return prose.line("class_probabilities.predicted")
    return clean_name(index.labels.get(f"class {found.label}", found.label), 40)


def _compute_gap(found: ClassCalibration) -> float:
    return abs((found.said or 0.0) - (found.happened or 0.0))


def _format_percent(value: float | None) -> str:
    return numbers.MISSING if value is None else numbers.format_fine_percent(value)


_RatedRow = tuple[Agreement, Agreement, Estimate | None]


def build_calibration_section(results: Results) -> Section | None:
    """None where no model gives probabilities of classes."""
    index = Index(results)
    found = index.main_calibrations
    if not found:
        return build_class_calibration_section(index)
    said = Bullets(
        tuple(
            make_phrase(classes.describe_calibration(c, _calibration_name(index, c))) for c in found
        )
    )
    table = _calibration_table(index, found)
    folded = fold_for_full_report(prose.line("probabilities.table"), [table])
    return Section("probabilities", "Probabilities", (said, *folded))


def _calibration_name(index: Index, found: ModelCalibration) -> str:
    return index.short_label(found.model)


def _calibration_table(index: Index, found: Sequence[ModelCalibration]) -> Table:
    level = numbers.format_level(found[0].level)
    draws = next((c.draws for c in found if c.draws), 0)
    caption = prose.line(
        "model_probabilities.caption",
        level=level,
        uncertainty=_make_number_cell(found[0].uncertainty).text,
        draws=draws,
        has_tests=any(c.p_calibrated is not None for c in found),
    )
    is_right = prose.line("model_probabilities.one")
    return build_table(
        "probabilities",
        caption,
        found,
        word_column("Model", lambda c: Cell(_calibration_name(index, c), is_strong=True)),
        number_column(prose.line("model_probabilities.average"), _make_mean_cell, note="happened"),
        number_column(
            "O/E",
            lambda c: _make_ratio_cell(_compute_ratio(c), c.ratio_low, c.ratio_high),
            note=is_right,
        ),
        number_column(
            "Slope", lambda c: _make_ratio_cell(c.slope, c.slope_low, c.slope_high), note=is_right
        ),
        number_column(
            "Miscalibration",
            lambda c: _make_number_cell(c.miscalibration),
            note=prose.term("direction", "lower"),
        ),
        number_column(
            "Discrimination",
            lambda c: _make_number_cell(c.discrimination),
            note=prose.term("direction", "higher"),
        ),
        number_column(prose.line("model_probabilities.spiegelhalter"), _make_test_cell, note="p"),
        number_column("Calibrated?", _make_p_cell, note="p"),
        title=prose.line("model_probabilities.title"),
    )


def _make_test_cell(found: ModelCalibration) -> Cell:
    z = found.spiegelhalter
    if z is None or found.p_spiegelhalter is None:
        return Cell(numbers.MISSING)
    note = numbers.format_p_value(found.p_spiegelhalter)
    return Cell(numbers.format_decimal(z, 2), note=note, value=z)


def _make_number_cell(value: Number) -> Cell:
    if value is None:
        return Cell(numbers.MISSING)
    return Cell(numbers.choose_format(value, None, None, "1").number(value), value=value)


def build_rare_class_section(results: Results) -> Section | None:
    """None where nothing is shown of the model that the report is about."""
    index = Index(results)
    here = [each for each in results.rare_classes if each.dataset == index.main.name]
    found = [each for each in here if each.candidate == index.about]
    if not found:
        return None
    many = clean_name(index.main.case[1])
    said = tuple(
        make_phrase(
            classes.describe_rare_class(
                each,
                (_rare_class_name(index, each.candidate), _rare_class_name(index, each.baseline)),
                many,
            )
        )
        for each in found
    )
    return Section("rare-class", prose.line("rare_class.title"), (Bullets(said),))


def _rare_class_name(index: Index, model: str) -> str:
    return index.short_label(model)


_SHARE, _KAPPA = "accuracy", "kappa"


def build_second_rater_section(results: Results) -> Section | None:
    """None where no dataset that is shown of was judged a second time."""
    index = Index(results)
    found = [each for each in results.agreements if each.dataset == index.main.name]
    if not found:
        return None
    pairs = [
        (_find_agreement(found, _SHARE, point), _find_agreement(found, _KAPPA, point))
        for point in _list_points(found)
    ]
    said = classes.describe_raters(
        *pairs[0], index.main, [point for point in _list_points(found) if point]
    )
    lines = Bullets(tuple(make_phrase(each) for each in said))
    return Section(
        "second-judge", prose.line("second_judge.title"), (lines, _rater_table(index, pairs))
    )


def _list_points(found: Sequence[Agreement]) -> list[str]:
    """List the points where models call.

    One without a name where classes have scores of their own.
    """
    return list(dict.fromkeys(each.point for each in found))


def _find_agreement(found: Sequence[Agreement], metric: str, point: str) -> Agreement:
    return next(each for each in found if (each.metric, each.point) == (metric, point))


def _rater_table(index: Index, pairs: Sequence[tuple[Agreement, Agreement]]) -> Table:
    """Tabulate the agreement of the second judge, then that of each model at each point."""
    share, kappa = pairs[0]
    level = numbers.format_level(kappa.judge.level)
    models = [(*pair, estimate) for pair in pairs for estimate in pair[1].estimates]

    def make_share_cell(row: _RatedRow) -> Cell:
        share, _, model = row
        if model is None:
            return make_bare_estimate_cell(share.judge)
        return make_bare_estimate_cell(next(e for e in share.estimates if e.model == model.model))

    def make_difference_cell(row: _RatedRow) -> Cell:
        _, kappa, model = row
        if model is None:
            return Cell("")
        found = next((c for c in kappa.comparisons if c.candidate == model.model), None)
        if found is None:
            return MISSING_CELL
        form = numbers.choose_format(found.difference, found.low, found.high, model.unit, (0.0,))
        return make_interval_cell(form, found.difference, found.low, found.high, signed=True)

    return build_table(
        "second-judge-table",
        prose.line(
            "second_judge.table",
            rows=numbers.format_count(share.n, *index.main.case),
            level=level,
        ),
        [(share, kappa, None), *models],
        word_column(
            "Model",
            lambda row: (
                index.short_label(row[2].model)
                if row[2]
                else Cell(prose.line("second_judge.name"), is_strong=True)
            ),
        ),
        word_column("Threshold", lambda row: clean_name(row[1].point, 40) * bool(row[2]))
        if len(pairs) > 1
        else None,
        number_column(prose.line("second_judge.same"), make_share_cell),
        number_column(
            prose.line("second_judge.kappa"),
            lambda row: make_bare_estimate_cell(row[2] or row[1].judge),
        ),
        number_column(prose.line("second_judge.less"), make_difference_cell),
    )


def _make_outcome_cell(found: PointOutcome) -> Cell:
    form = operating_points.choose_count_form(found)
    return make_interval_cell(form, found.value, found.low, found.high)


def _make_mean_cell(found: ModelCalibration) -> Cell:
    if found.said is None or found.happened is None:
        return MISSING_CELL
    said, happened = map(numbers.format_fine_percent, (found.said, found.happened))
    return Cell(said, note=happened, value=found.said)


def _make_ratio_cell(value: Number, low: Number, high: Number) -> Cell:
    form = numbers.choose_format(value, low, high, "1")
    return make_interval_cell(form, value, low, high)


def _make_p_cell(found: ModelCalibration) -> Cell:
    p = found.p_calibrated
    return MISSING_CELL if p is None else Cell(numbers.format_bare_p_value(p), value=p)


def _compute_ratio(found: ModelCalibration) -> Number:
    said, happened = found.said, found.happened
    return happened / said if said and happened is not None else None
