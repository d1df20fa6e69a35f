"""Page one: where a difference comes from, class by class, fold by fold or over data sets."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen import wording
from reportgen.document import Cell, Table, TableColumn
from reportgen.results import (
    AcrossComparison,
    AcrossDatasets,
    Comparison,
    FoldComparison,
    MetricInfo,
    Number,
)
from reportgen.results.conclusion import Word
from reportgen.sections.classes.found import FoundClasses
from reportgen.sections.index import Index
from reportgen.sections.scores.folds import on_folds, pairs_of_questions
from reportgen.wording import folds as words
from reportgen.wording.names import allowed_for
from reportgen.wording.words import TONES, VERDICTS, side_of, word

MOST = 7  # rows of such a table


def parts(index: Index) -> list[Table]:
    """One small table of what the task has: classes, folds or data sets; none else."""
    for made in (_by_class(index), _by_fold(index), _over_datasets(index)):
        if made is not None:
            return [made]
    return []


def _by_class(index: Index) -> Table | None:
    """The classes on which the model asked about differs most."""
    found = FoundClasses(index)
    about, baseline = index.about, index.baseline
    if about is None or baseline is None or not found.metrics:
        return None
    metric = found.leading
    compared = found.comparisons(metric.name, about)
    most = sorted(compared, key=lambda each: _clearness(each[1]), reverse=True)[:MOST]
    if not most:
        return None
    if len(most) < len(compared):
        most.sort(key=lambda each: (not _is_shown(each[1]), -abs(each[1].difference or 0.0)))
    else:
        most = list(compared)
    many = found.words.many
    what = wording.lowered(wording.name(metric.label))
    cut = (
        f"The {len(most)} of {len(compared)} {many} whose difference is clearest, by its standard "
        "error; those shown to differ stand first, and larger differences before smaller. "
    ) * (len(most) < len(compared))
    few = wording.listed([found.names[each.value] for each in found.few], most=3)
    left = f"Too few {index.main.case[1]} to compare: {few}. " * bool(found.few)
    level = wording.level(index.results.inference.level)
    who = f"{_short(index, about)} and {_short(index, baseline.name)}"
    asked = f"In which {many} do {who} differ in {what}?"
    return Table(
        "first-classes",
        f"{wording.capital(what)} of each {found.words.one}. {cut}{left}CIs are adjusted for all "
        f"comparisons by {found.words.one}.",
        (
            TableColumn("", is_numeric=False),
            TableColumn(_short(index, baseline.name)),
            TableColumn(_short(index, about)),
            TableColumn("Difference", note=f"{level} CI"),
            TableColumn("Verdict", is_numeric=False),
        ),
        tuple(_class_row(found, metric, value, c) for value, c in most),
        is_stacked=True,
        title=asked,
    )


def _clearness(c: Comparison) -> tuple[bool, float]:
    """Whether models are shown to differ, and by how many standard errors they do."""
    far = abs(c.difference or 0.0)
    return _is_shown(c), far / c.se if c.se else 0.0


def _is_shown(c: Comparison) -> bool:
    """Whether a word says which side is better."""
    return side_of(word(c)) != 0


def _class_row(
    found: FoundClasses, metric: MetricInfo, value: str, c: Comparison
) -> tuple[Cell, ...]:
    each = found.of(metric.name, value)
    known = {e.model: e.value for e in each.estimates} if each else {}
    ends = [known.get(model) for model in (c.baseline, c.candidate)]
    form = wording.form_for(c, metric)
    limits = wording.interval_text(c, form)
    form = form.with_decimals(form.decimals_of(c.difference or 0.0))  # so that they subtract
    n = wording.count(each.n if each else 0, *found.index.main.case)
    return (
        Cell(found.names[value], note=n, is_strong=True),
        *(Cell(form.number(end), value=end) for end in ends),
        Cell(form.amount(c.difference, signed=True), limits, value=c.difference),
        Cell(word(c), tone=TONES[word(c)]),
    )  # fmt: skip


def _by_fold(index: Index) -> Table | None:
    """How many folds each candidate is ahead on, and what the other question answers."""
    metric, main = index.leading, index.main
    values, baseline = on_folds(index, metric), index.baseline
    found = [(c, other) for c, other in pairs_of_questions(index, metric) if c.candidate in values]
    if baseline is None or baseline.name not in values or not found:
        return None
    level = wording.level(index.results.inference.level)
    title = f"On how many folds is {_short(index, baseline.name)} beaten?"
    beside = words.FITTED if main.question == "procedure" else words.PROCEDURE
    what = wording.lowered(wording.name(metric.label))
    return Table(
        "first-folds",
        f"{wording.capital(what)} on {words.folds(main)}. The last column answers the other "
        f"question, about {beside}, each interval by itself.",
        (
            TableColumn("", is_numeric=False),
            TableColumn("Folds ahead"),
            TableColumn("Best fold", note="difference"),
            TableColumn("Worst fold", note="difference"),
            TableColumn("These models" if main.question == "procedure" else "Fitted again",
                        note=f"difference, {level} CI"),
        ),
        tuple(_fold_row(index, metric, values, *pair) for pair in found[:MOST]),
        is_stacked=True,
        title=title,
    )  # fmt: skip


def _fold_row(
    index: Index,
    metric: MetricInfo,
    values: Mapping[str, Mapping[tuple[str, str], Number]],
    asked: FoldComparison,
    other: FoldComparison,
) -> tuple[Cell, ...]:
    mine, base = values[asked.candidate], values[asked.baseline]
    each = [v - b for place, v in mine.items() if v is not None
            and (b := base.get(place)) is not None]  # fmt: skip
    sign = -1.0 if metric.better == "lower" else 1.0
    ahead = sum(sign * d > 0 for d in each)
    ordered = sorted(each, key=lambda d: -sign * d)
    ends = (ordered[0], ordered[-1]) if ordered else (None, None)
    form = wording.form_of(other.difference, other.low, other.high, metric.unit, (0.0,))
    return (
        Cell(_short(index, asked.candidate), is_strong=True),
        Cell(f"{ahead} of {len(each)}", value=ahead),
        *(Cell(form.number(d, signed=True), value=d) for d in ends),
        Cell(form.number(other.difference, signed=True),
             form.interval(other.low, other.high, signed=True), value=other.difference),
    )  # fmt: skip


def _over_datasets(index: Index) -> Table | None:
    """The mean rank of each model, and on how many data sets it is ahead of the baseline."""
    metric, baseline = index.leading, index.baseline
    found = next((each for each in index.results.across if each.key == metric.key), None)
    if found is None or baseline is None:
        return None
    beaten = {c.candidate: c for c in found.comparisons if c.baseline == baseline.name}
    ranked = sorted(
        zip(found.models, found.mean_ranks, strict=True), key=lambda each: each[1] or 0.0
    )
    many, level = index.unit_across[1], wording.level(index.results.inference.level)
    return Table(
        "first-ranks",
        f"On {len(found.datasets)} {wording.name(many)}. Mean rank 1 is the best; the difference "
        "is the Hodges–Lehmann centre, not the mean as above, with limits of exact signed ranks, "
        f"{_family(index, found)}.{_otherwise(index, metric, beaten)}"
        f"{_left_out(len(ranked) - MOST)}",
        (
            TableColumn("", is_numeric=False),
            TableColumn("Mean rank"),
            TableColumn("Ahead, level, behind"),
            TableColumn("Difference", note=f"{level} CI"),
            TableColumn("Verdict", is_numeric=False),
        ),
        tuple(
            _rank_row(index, metric, model, rank, beaten.get(model))
            for model, rank in ranked[:MOST]
        ),
        is_stacked=True,
        title=f"On how many {wording.name(many)} is {_short(index, baseline.name)} beaten?",
    )


def _left_out(models: int) -> str:
    """How many models the table has no room for; empty where it has all."""
    if models < 1:
        return ""
    return f" {wording.capital(wording.count(models, 'other model'))}: see Across datasets."


def _family(index: Index, found: AcrossDatasets) -> str:
    """For how many comparisons limits allow, those on other metrics and without the baseline too.

    Their level says so: a family may be larger than what is compared here, or not adjusted for.
    """
    base, adjust = index.results.inference.level, index.results.inference.adjust
    if adjust == "none":
        return wording.adjustment(adjust)
    if adjust == "bh":
        return f"adjusted by {wording.adjustment(adjust)}"
    members = max((allowed_for(c.level, base) for c in found.comparisons), default=1)
    return f"adjusted for {members} comparisons" if members > 1 else "of one comparison"


def _otherwise(index: Index, metric: MetricInfo, pairs: Mapping[str, AcrossComparison]) -> str:
    """Why a verdict here is another than that above, and of which models; empty if none is."""
    differ = [
        _short(index, model)
        for model, c in pairs.items()
        if (plain := index.comparison(model, metric.key)) is not None
        and word(plain) != _word_across(c)
    ]
    if not differ:
        return ""
    above = "their mean is judged by Student's t"
    if len(index.tests) > 1:
        above = f"the rows of {wording.name(index.main.name, 40)} alone are judged"
    return (
        f" Verdicts on {wording.listed(differ)} differ from those above, where {above}; here each "
        f"of the {wording.name(index.unit_across[1])} counts as one, by the ranks of the "
        "differences."
    )


def _word_across(c: AcrossComparison) -> Word:
    """What the page calls a comparison over data sets."""
    said = VERDICTS[c.verdict] if c.wins or c.losses else "No difference"
    if said in ("Better", "Worse") and c.margin is not None and not c.beyond_margin:
        return "Better; size unclear" if said == "Better" else "Worse; size unclear"
    return said


def _rank_row(
    index: Index, metric: MetricInfo, model: str, rank: Number, c: AcrossComparison | None
) -> tuple[Cell, ...]:
    cells = (
        Cell(_short(index, model), is_strong=True),
        Cell(wording.MISSING if rank is None else f"{rank:.2f}", value=rank),
    )
    if c is None or c.difference is None:
        return (*cells, *(Cell("baseline" if c is None and k == 0 else "") for k in range(3)))
    form = wording.form_of(c.difference, c.low, c.high, metric.unit, (0.0,))
    said = _word_across(c)
    return (
        *cells,
        Cell(f"{c.wins}, {c.ties}, {c.losses}"),
        Cell(form.number(c.difference, signed=True), form.interval(c.low, c.high, signed=True),
             value=c.difference),
        Cell(said, tone=TONES[said]),
    )  # fmt: skip


def _short(index: Index, model: str) -> str:
    return wording.name(index.label(model), 40)
