"""Classes one by one: which are read better or worse, the report of each model, confusions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen import wording
from reportgen.document import (
    Block,
    Bullets,
    Cell,
    Figure,
    Phrase,
    Section,
    Table,
    TableColumn,
    phrase,
)
from reportgen.results import Comparison, Estimate, MetricInfo, ModelInfo, Results
from reportgen.sections.cells import estimate_cell
from reportgen.sections.classes.confusion import confusion_blocks
from reportgen.sections.classes.found import FoundClasses
from reportgen.sections.classes.labels import label_blocks, label_findings
from reportgen.sections.folding import in_full
from reportgen.sections.index import Index
from reportgen.sections.scores.forests import forest
from reportgen.wording import classes as said

MOST_IN_FOREST = 20
_AVERAGES = ("macro", "ovr", "ovo", "weighted", "ovr_weighted", "ovo_weighted", "micro",
             "macro_pr", "samples")  # fmt: skip


def section(results: Results) -> Section | None:
    """None where no class is told of by itself."""
    index = Index(results)
    found = FoundClasses(index)
    if not found.values or not found.metrics:
        return None
    blocks: list[Block] = [Bullets(tuple(_findings(found)))]
    figure = _forest(found)
    blocks += [figure] if figure is not None else []
    blocks += confusion_blocks(found) if results.confusions else label_blocks(found)
    models = sorted(results.models, key=lambda m: (m.name != index.about, m.role != "baseline"))
    for place, model in enumerate(models, 1):
        table = _report(found, model, place)
        blocks += [table] if place == 1 else in_full(f"Report of {table.title}", [table])
    return Section("classes", wording.capital(found.words.many), tuple(blocks), _lede(found))


def _lede(found: FoundClasses) -> Phrase:
    metrics = wording.listed([wording.lowered(wording.name(m.label)) for m in found.metrics])
    words = found.words
    n = wording.count(len(found.classes), words.one, words.many)
    told = f"Differences allow for all {words.many}, metrics and candidates together."
    return phrase(f"{n}; {metrics} of each. {told}")


def _findings(found: FoundClasses) -> Iterator[Phrase]:
    """What is shown of each candidate, class by class, and which classes nothing is shown of."""
    metric = found.leading
    for model in sorted(found.index.candidates, key=lambda m: m.name != found.index.about):
        rows = found.comparisons(metric.name, model.name)
        if rows:
            yield phrase(_told(found, model, metric, rows))
    yield from label_findings(found)
    if found.few:
        names = [f"{found.names[each.value]} ({wording.count(each.n)})" for each in found.few]
        yield phrase(said.too_few(names, found.index.main.case))
    untold = [found.names[each.value] for each in found.classes if each.is_hidden]
    if untold:
        yield phrase(said.untold(untold, found.words))
    absent = [found.names[each.value] for each in found.classes
              if not each.n and not each.is_hidden]  # fmt: skip
    if absent:
        yield phrase(said.absent(absent, found.index.main.case, found.words))


def _told(
    found: FoundClasses,
    model: ModelInfo,
    metric: MetricInfo,
    rows: Sequence[tuple[str, Comparison]],
) -> str:
    by_verdict = {
        verdict: [found.names[value] for value, c in rows if c.verdict == verdict]
        for verdict in ("better", "worse")
    }
    against = wording.name(found.index.baseline.label, 40) if found.index.baseline else ""
    label = wording.lowered(wording.name(metric.label))
    return said.shown(
        wording.name(model.label, 40), against, label, by_verdict, len(rows), found.words,
        left_out=len(found.classes) - len(rows),
    )  # fmt: skip


def _forest(found: FoundClasses) -> Figure | None:
    """The differences of the model asked about, class by class, the worst first."""
    about, metric = found.index.about, found.leading
    if about is None:
        return None
    rows = found.comparisons(metric.name, about)
    if not rows:
        return None
    drawn = _drawn(rows)
    role = found.index.role(about)
    is_cut, many = len(rows) > len(drawn), found.words.many
    cut = ""
    if is_cut:
        cut = f" {_which(rows, len(drawn), many)}"
    model = next(m for m in found.index.candidates if m.name == about)
    return forest(
        found.index,
        metric,
        [(found.names[value], role, c) for value, c in drawn],
        id_="classes-forest",
        title=_told(found, model, metric, rows),
        reading=f"One line a {found.words.one}, the worst first.{cut}",
    )


def _which(rows: Sequence[tuple[str, Comparison]], drawn: int, many: str) -> str:
    """Which of the classes a figure holds that has no room for all."""
    shown = sum(c.verdict in ("better", "worse") for _, c in rows)
    if not shown:
        return f"The {drawn} worst of {len(rows)} {many}."
    if shown > drawn:
        return f"The {drawn} worst of {shown} {many} that are shown to differ, of {len(rows)}."
    return f"Of {len(rows)} {many} those shown to differ, and the worst of the others."


def _drawn(rows: Sequence[tuple[str, Comparison]]) -> list[tuple[str, Comparison]]:
    """As many rows as a figure holds, in their order: those that are shown, then the worst."""
    is_shown = [c.verdict in ("better", "worse") for _, c in rows]
    by_weight = sorted(range(len(rows)), key=lambda place: (not is_shown[place], place))
    kept = set(by_weight[:MOST_IN_FOREST])
    return [row for place, row in enumerate(rows) if place in kept]


def _report(found: FoundClasses, model: ModelInfo, place: int) -> Table:
    """Every class with its values and rows, then the means over classes."""
    label = wording.name(model.label, 40)
    columns = (
        TableColumn(wording.capital(found.words.one), is_numeric=False),
        *(TableColumn(wording.name(metric.label)) for metric in found.metrics),
        TableColumn(wording.capital(wording.name(found.index.main.case[1]))),
    )
    rows = [
        _row(found, model.name, each.value, None if each.is_hidden else each.n)
        for each in found.classes
    ]
    rows += [
        _mean(found, model.name, average) for average in _AVERAGES if _is_there(found, average)
    ]
    level = wording.level(found.results.inference.level)
    caption = (
        f"Report of {label}: each {found.words.one} with {level} intervals, each on its own, and "
        f"means over {found.words.many}."
    )
    return Table(f"classes-report-{place}", caption, columns, tuple(rows), title=label)


def _row(found: FoundClasses, model: str, value: str, n: int | None) -> tuple[Cell, ...]:
    few = "too few to judge" if n is not None and 0 < n < 10 else ""
    cells = (_cell(found, model, metric, value, "") for metric in found.metrics)
    rows = Cell(said.NOT_TOLD) if n is None else Cell(wording.count(n), value=n)
    return (Cell(found.names[value], note=few), *cells, rows)


def _mean(found: FoundClasses, model: str, average: str) -> tuple[Cell, ...]:
    cells = (_cell(found, model, metric, "", average) for metric in found.metrics)
    n = found.index.main.n
    title = wording.of_cases(found.words.averages[average], found.index.main.case)
    return Cell(title, is_strong=True), *cells, Cell(wording.count(n), value=n)


def _is_there(found: FoundClasses, average: str) -> bool:
    return any(each.average == average for each in found.values)


def _cell(found: FoundClasses, model: str, metric: MetricInfo, value: str, average: str) -> Cell:
    each = found.of(metric.name, value, average)
    estimate: Estimate | None = None
    if each is not None:
        estimate = next((e for e in each.estimates if e.model == model), None)
    if estimate is None:
        return Cell("")
    if estimate.status != "ok":
        return Cell(wording.MISSING, note=estimate.status)
    return estimate_cell(estimate, metric)
