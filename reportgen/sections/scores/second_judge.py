"""How far two judges of the same rows agree, and the models beside that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen import wording
from reportgen.document import Bullets, Cell, Section, Table, TableColumn, phrase
from reportgen.results import Agreement, Comparison, Estimate, Results
from reportgen.sections.index import Index
from reportgen.wording import second_judge

_SHARE, _KAPPA = "accuracy", "kappa"


def section(results: Results) -> Section | None:
    """None where no dataset that is told of was judged a second time."""
    index = Index(results)
    found = [each for each in results.agreements if each.dataset == index.main.name]
    if not found:
        return None
    pairs = [(_of(found, _SHARE, point), _of(found, _KAPPA, point)) for point in _points(found)]
    said = second_judge.told(*pairs[0], index.main, [point for point in _points(found) if point])
    lines = Bullets(tuple(phrase(each) for each in said))
    return Section("second-judge", "A second judge", (lines, _table(index, pairs)))


def _points(found: Sequence[Agreement]) -> list[str]:
    """Where models call; one without a name where classes have scores of their own."""
    return list(dict.fromkeys(each.point for each in found))


def _of(found: Sequence[Agreement], metric: str, point: str) -> Agreement:
    return next(each for each in found if (each.metric, each.point) == (metric, point))


def _table(index: Index, pairs: Sequence[tuple[Agreement, Agreement]]) -> Table:
    share, kappa = pairs[0]
    has_points = len(pairs) > 1
    judge = (
        Cell("Second judge", is_strong=True),
        *((Cell(""),) if has_points else ()),
        _value(share.judge),
        _value(kappa.judge),
        Cell(""),
    )
    models = (row for pair in pairs for row in _models(index, *pair, has_points=has_points))
    level = wording.level(kappa.judge.level)
    return Table(
        "second-judge-table",
        f"Agreement with the target on {wording.count(share.n, *index.main.case)} that both judges "
        f"saw, with {level} intervals, each on its own.",
        (
            TableColumn("Model", is_numeric=False),
            *((TableColumn("Called at", is_numeric=False),) if has_points else ()),
            TableColumn("Same class"),
            TableColumn("Cohen's kappa"),
            TableColumn("Kappa less the judge's"),
        ),
        (judge, *models),
    )


def _models(
    index: Index, share: Agreement, kappa: Agreement, *, has_points: bool
) -> Iterator[tuple[Cell, ...]]:
    """One row for each model, at one point."""
    shares = {each.model: each for each in share.estimates}
    apart = {each.candidate: each for each in kappa.comparisons}
    for each in kappa.estimates:
        yield (
            Cell(wording.name(index.label(each.model), 40)),
            *((Cell(wording.name(kappa.point, 40)),) if has_points else ()),
            _value(shares[each.model]),
            _value(each),
            _difference(apart.get(each.model), each.unit),
        )


def _value(found: Estimate) -> Cell:
    form = wording.form_of(found.value, found.low, found.high, found.unit)
    between = form.interval(found.low, found.high)
    note = "" if between == wording.MISSING else between
    return Cell(form.number(found.value), note=note, value=found.value)


def _difference(found: Comparison | None, unit: str) -> Cell:
    if found is None:
        return Cell(wording.MISSING)
    form = wording.form_of(found.difference, found.low, found.high, unit, (0.0,))
    between = form.interval(found.low, found.high, signed=True)
    note = "" if between == wording.MISSING else between
    return Cell(form.number(found.difference, signed=True), note=note, value=found.difference)
