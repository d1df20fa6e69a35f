"""Method: what each metric is, how its interval and test were made, the design, the limits."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen import wording
from reportgen.document import (
    Block,
    Bullets,
    Cell,
    Definitions,
    Phrase,
    Section,
    Span,
    Table,
    TableColumn,
    phrase,
)
from reportgen.results import MetricInfo, Results
from reportgen.sections.cells import about, shown
from reportgen.sections.index import Index
from reportgen.wording import governance, wins

_NOT_PROVIDED = phrase(Span("Not provided.", tone="open"))
_VERDICTS = (
    ("better or worse beyond the margin", "the whole interval of the difference is past the "
                                          "margin, on the good or on the bad side"),
    ("equivalent", "the interval at 1 − 2α lies wholly inside the margin, be it on one side of "
                   "zero or not"),
    ("better or worse", "the whole interval is on the good, or on the bad, side of zero"),
    ("not worse", "a loss beyond the margin is ruled out, an advantage is not shown"),
    ("inconclusive", "none of these can be said"),
)  # fmt: skip


def section(results: Results) -> Section:
    """Metrics, methods, design, the meaning of verdicts, limitations."""
    index = Index(results)
    limits = tuple(phrase(wording.prose(text, 1000)) for text in results.report.limitations)
    blocks: list[Block] = [
        Definitions(tuple(_design(index))),
        *_policies(results),
        *_differences(results),
        _definitions(index),
        _methods(index),
        Bullets(tuple(_verdicts()), "How verdicts are worded: the first that holds"),
        Bullets(limits or (_NOT_PROVIDED,), "Limitations"),
        *_explained(results),
    ]
    return Section("method", "Method", tuple(blocks))


def _design(index: Index) -> Iterator[tuple[str, Phrase]]:
    info = index.results.inference
    metric, rows = index.primary, wording.name(index.main.case[1])
    yield "Design", phrase(wording.design(index.main, info))
    yield (
        "Resamples",
        phrase(
            f"{wording.count(index.resamples)}, seed {info.seed}; the "
            "same for every model, metric and curve, so that differences are paired"
        ),
    )
    chosen = "chosen for each metric" if info.interval == "auto" else info.interval
    yield "Intervals", phrase(f"{chosen}, at {wording.level(info.level)}")
    if index.results.across:
        yield (
            "Across datasets",
            phrase("Hodges–Lehmann centres, with limits and p-values of exact signed ranks"),
        )
    if index.baseline is not None:
        tests = "chosen for each metric" if info.test == "auto" else f"{info.test}, as declared"
        yield "Tests", phrase(tests)
        pairs = {"baseline": "each candidate with the baseline", "all": "every pair of models"}
        yield "Comparisons", phrase(pairs[info.against])
        yield "Baseline", phrase(wording.name(index.baseline.label))
        yield "Families", phrase(_families(index))
    primary = "none declared" if metric is None else wording.name(metric.label)
    yield "Primary metric", phrase(primary)
    yield "Margin", phrase(_margin(metric))
    yield "Rule", phrase(governance.rule(index.results.frozen))
    yield "Privacy", phrase(governance.privacy(index.results.config.get("privacy"), rows))
    if index.results.looks is not None:
        yield "Looks", phrase(governance.looked(index.results.looks, rows))


def _policies(results: Results) -> tuple[Definitions, ...]:
    """The conventions by which documents of queries are judged; none in another task."""
    ranking = results.config.get("ranking")
    keys = ranking if isinstance(ranking, dict) else {}
    lines = [wins.policy(key, value) for key, value in keys.items() if value not in (None, {})]
    return (Definitions(tuple((term, phrase(text)) for term, text in lines)),) if lines else ()


def _differences(results: Results) -> tuple[Bullets, ...]:
    """What differs from the rule that was frozen, key by key."""
    lines = governance.differences(results.frozen)
    title = "What differs from the frozen rule"
    return (Bullets(tuple(map(phrase, lines)), title),) if lines else ()


def _families(index: Index) -> str:
    """How many comparisons are allowed for together, family by family."""
    named = {"primary": "the primary metric", "secondary": "other metrics", "segments": "segments"}
    found = [c.family for c in index.results.comparisons if c.counted_with is None]
    sizes = [f"{wording.count(found.count(family))} on {words}"
             for family, words in named.items() if family in found]  # fmt: skip
    adjust = wording.adjustment(index.results.inference.adjust)
    return f"{wording.listed(sizes)}; {adjust}"


def _margin(metric: MetricInfo | None) -> str:
    if metric is None or (metric.margin is None and not metric.margin_text):
        return "none declared, so “not worse” and “equivalent” are never said"
    if metric.margin is None:
        return f"{metric.margin_text} of the baseline's value"
    return wording.margin_size(metric.margin, metric)


def _definitions(index: Index) -> Table:
    columns = ("Metric", "What it is", "Range", "Undefined", "Margin", "Source")
    return Table(
        "method-metrics",
        "Metrics as used here, their parameters with them.",
        tuple(TableColumn(title, is_numeric=False) for title in columns),
        tuple(
            (
                Cell(wording.name(m.label), note=about(index, m, is_full=True)),
                Cell(m.definition, note=m.caveat),
                Cell(_range(m)),
                Cell(wording.of_cases(m.undefined or "never", index.main.case)),
                Cell(_own_margin(m)),
                Cell(m.cite or wording.MISSING),
            )
            for m in index.metrics
        ),
    )


def _own_margin(metric: MetricInfo) -> str:
    if metric.margin is not None:
        return wording.margin_size(metric.margin, metric)
    return metric.margin_text or wording.MISSING


def _range(metric: MetricInfo) -> str:
    low, high = metric.bounds
    ends = ("no lower end" if low is None else shown(low),
            "no upper end" if high is None else shown(high))  # fmt: skip
    return f"{ends[0]} to {ends[1]}"


def _methods(index: Index) -> Table:
    """One row a metric: each method that was used for it, and why that one."""
    columns = ("Metric", "Interval of a value", "Interval of a difference", "Test")
    mine = index.main.name
    rows = []
    for metric in index.metrics:
        values = [e.method for e in index.results.estimates
                  if e.key == metric.key and e.dataset == mine and e.segment is None]  # fmt: skip
        compared = [c for c in index.results.comparisons
                    if c.key == metric.key and c.dataset == mine and c.segment is None]  # fmt: skip
        rows.append(
            (
                Cell(wording.name(metric.label)),
                Cell(_used(values)),
                Cell(_used([c.method for c in compared])),
                Cell(_used([c.test for c in compared])),
            )
        )
    return Table(
        "method-intervals",
        "How each interval and test was made, and why that way.",
        tuple(TableColumn(title, is_numeric=False) for title in columns),
        tuple(rows),
    )


def _used(methods: list[str]) -> str:
    named = [method for method in dict.fromkeys(methods) if method]
    return "; ".join(wording.titled(method) for method in named) or wording.MISSING


def _explained(results: Results) -> tuple[Bullets, ...]:
    """What each code that occurs means, why it matters, what to do."""
    known = sorted({w.code for w in results.warnings} & set(wording.WARNINGS))
    items = [wording.explain(code).partition(",") for code in known]
    lines = tuple(phrase(Span(f"{code}:", is_strong=True), text) for code, _, text in items)
    return (Bullets(lines, "What the warnings mean"),) if lines else ()


def _verdicts() -> Iterator[Phrase]:
    for word, meaning in _VERDICTS:
        yield phrase(Span(word, is_strong=True), f": {meaning}.")
