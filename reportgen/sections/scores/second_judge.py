"""How far two judges of the same rows agree, and the models beside that."""

from __future__ import annotations

from reportgen import wording
from reportgen.document import Bullets, Cell, Section, Table, TableColumn, phrase
from reportgen.results import Agreement, Comparison, Estimate, Results
from reportgen.sections.index import Index
from reportgen.wording import second_judge

_SHARE, _KAPPA = "accuracy", "kappa"


def section(results: Results) -> Section | None:
    """None where no dataset that is told of was judged a second time."""
    index = Index(results)
    found = {a.metric: a for a in results.agreements if a.dataset == index.main.name}
    if not found:
        return None
    share, kappa = found[_SHARE], found[_KAPPA]
    said = second_judge.told(share, kappa, index.main.case)
    lines = Bullets(tuple(phrase(each) for each in said))
    return Section("second-judge", "A second judge", (lines, _table(index, share, kappa)))


def _table(index: Index, share: Agreement, kappa: Agreement) -> Table:
    shares = {each.model: each for each in share.estimates}
    apart = {each.candidate: each for each in kappa.comparisons}
    judge = (
        Cell("Second judge", is_strong=True),
        _value(share.judge),
        _value(kappa.judge),
        Cell(""),
    )
    models = (
        (
            Cell(wording.name(index.label(each.model), 40)),
            _value(shares[each.model]),
            _value(each),
            _difference(apart.get(each.model), each.unit),
        )
        for each in kappa.estimates
    )
    level = wording.level(kappa.judge.level)
    return Table(
        "second-judge-table",
        f"Agreement with the target on {wording.count(share.n, *index.main.case)} that both judges "
        f"saw, with {level} intervals, each on its own.",
        (
            TableColumn("", is_numeric=False),
            TableColumn("Same class"),
            TableColumn("Cohen's kappa"),
            TableColumn("Kappa less the judge's"),
        ),
        (judge, *models),
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
