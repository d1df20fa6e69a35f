"""Since the last run: the rule first, then causes, verdict, gates, moves, warnings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from reportgen import wording
from reportgen.document import (
    Block,
    Bullets,
    Cell,
    Definitions,
    Document,
    Forest,
    ForestRow,
    Heading,
    Section,
    Span,
    Table,
    TableColumn,
    Text,
    Tone,
    phrase,
)
from reportgen.results import Changes, PastRun, Results
from reportgen.results.changes import Move
from reportgen.sections.decision.header import header
from reportgen.wording import changes as words

TITLE = "Since the last run"
_NONE = "none"
_STATUS = {"pass": "met", "fail": "not met", "inconclusive": "not shown", "skipped": "skipped"}
_BAD = {"fail"}


def section(results: Results) -> Section | None:
    """What changed since the previous run; None where the config names none."""
    if results.changes is None:
        if not results.config.get("previous"):
            return None
        return Section("changes", TITLE, (Text(phrase(words.FIRST_RUN)),))
    labels = {model.name: model.label for model in results.models}
    blocks = [*blocks_of(results.changes, labels), *_history(results)]
    return Section("changes", TITLE, tuple(blocks), phrase(words.found_in(results.changes)))


def document_of(changes: Changes, now: Results) -> Document:
    """The changes as a page of their own."""
    labels = {model.name: model.label for model in now.models}
    blocks = (Text(phrase(words.found_in(changes))), *blocks_of(changes, labels))
    return Document(header(now), (Section("changes", TITLE, blocks),), "Made by reportgen diff.")


def blocks_of(changes: Changes, labels: Mapping[str, str]) -> Iterator[Block]:
    """All of it in the order in which it should be read."""
    yield from _rule(changes)
    yield from _causes(changes)
    yield from _verdicts(changes)
    if changes.gates:
        yield _gates(changes)
    yield from _moves(changes, labels)
    yield from _warnings(changes)


def _rule(changes: Changes) -> Iterator[Block]:
    if changes.rule:
        yield Bullets(
            tuple(
                phrase(
                    Span(each.key, is_code=True), f": {each.before or _NONE} → {each.now or _NONE}"
                )
                for each in changes.rule
            ),
            "What changed in the rule",
            "read the verdict with this in mind",
        )


def _causes(changes: Changes) -> Iterator[Block]:
    rows = tuple(
        (Cell(wording.capital(cause.name)),
         Cell(words.caused(cause.is_changed), note=wording.prose(cause.detail, 200)))
        for cause in changes.causes
    )  # fmt: skip
    columns = (TableColumn("What can move a number", is_numeric=False),
               TableColumn("Since then", is_numeric=False))  # fmt: skip
    yield Table("causes", "Held against each other by their digests.", columns, rows,
                title="Causes")  # fmt: skip
    yield Text(phrase(changes.because or words.NOTHING))


def _verdicts(changes: Changes) -> Iterator[Block]:
    yield Definitions(
        (
            (f"Then{_dated(changes.before.time)}", phrase(changes.before.verdict)),
            (f"Now{_dated(changes.now.time)}", phrase(changes.now.verdict)),
        )
    )


def _dated(time: str) -> str:
    return f" ({time[:10]})" if time else ""


def _gates(changes: Changes) -> Block:
    def told(status: str) -> str:
        return _STATUS.get(status, status) or _NONE

    rows = tuple(
        (Cell(wording.name(each.name, 80)), Cell(told(each.before)),
         Cell(told(each.now), tone="bad" if each.now in _BAD else None, is_strong=True))
        for each in changes.gates
    )  # fmt: skip
    columns = tuple(
        TableColumn(title, is_numeric=False) for title in ("Requirement", "Then", "Now")
    )
    return Table("gates-changed", "Only those that ended otherwise.", columns, rows,
                 title="Requirements")  # fmt: skip


def _moves(changes: Changes, labels: Mapping[str, str]) -> Iterator[Block]:
    moves, same = words.others_in(changes), words.of_same(changes)
    datasets = {move.dataset for move in moves}
    for dataset in sorted(datasets):
        found = [move for move in moves if move.dataset == dataset]
        title = "Moves" if len(datasets) == 1 else f"Moves on {wording.name(dataset, 40)}"
        yield Heading(title, f"moves-{len(title)}-{sorted(datasets).index(dataset)}")
        yield from _forest(found, labels)
        yield _table(found, labels, words.of_family(changes))
    if same:
        yield Text(phrase(same))


def _forest(found: list[Move], labels: Mapping[str, str]) -> Iterator[Block]:
    """The moves of the differences in the first metric, or else of its values."""
    key = found[0].key
    shown = [m for m in found if m.key == key and m.against] or [m for m in found if m.key == key]
    shown = [m for m in shown if m.low is not None and m.high is not None][:9]
    metric = found[0]
    if not shown or metric.better not in ("higher", "lower"):
        return
    sign = 1.0 if metric.better == "higher" else -1.0
    rows = tuple(_forest_row(move, labels, sign) for move in shown)
    ends = [0.0, *(x for row in rows for x in (row.low, row.high) if x is not None)]
    room = 0.04 * (max(ends) - min(ends)) or 1.0
    kind = "difference" if shown[0].against else "value"
    yield Forest(
        id=f"moves-{metric.dataset}-{key}".replace(" ", "-"),
        title="How far did it move?",
        caption=f"How far each {kind} moved in {wording.lowered(wording.name(metric.label))}, now "
        f"minus then, with {wording.level(metric.level)} intervals.",
        axis=f"move in {wording.lowered(wording.name(metric.label))}",
        right="better than then →",
        axis_low=min(ends) - room,
        axis_high=max(ends) + room,
        ticks=((0.0, "0 = then"),),
        rows=rows,
        margin=shown[0].margin,
    )


def _forest_row(move: Move, labels: Mapping[str, str], sign: float) -> ForestRow:
    _, _, change, interval = words.numbers_of(move)
    ends = sorted(sign * x for x in (move.low, move.high) if x is not None)
    name = wording.name(words.moved(move, labels), 60)
    return ForestRow(
        name=name,
        difference=change,
        interval=interval,
        word=words.word_of(move),
        tone=cast(Tone, words.tone_of(move)),
        description=f"{name}: {change} ({interval}), {words.word_of(move)}",
        value=None if move.change is None else sign * move.change,
        low=ends[0],
        high=ends[1],
    )


def _table(found: list[Move], labels: Mapping[str, str], caption: str) -> Table:
    columns = (
        TableColumn("Value", is_numeric=False),
        TableColumn("Then"),
        TableColumn("Now"),
        TableColumn("Move"),
        TableColumn("Interval", is_numeric=False),
        TableColumn("Shown", is_numeric=False),
    )
    how = {words.how(move) for move in found if move.low is not None}
    said = f"{caption} Intervals: {how.pop()}." if len(how) == 1 else caption
    rows = tuple(_row(move, labels, bool(how)) for move in found)
    return Table(f"moves-of-{found[0].dataset}".replace(" ", "-"), said, columns, rows)


def _row(move: Move, labels: Mapping[str, str], is_mixed: bool) -> tuple[Cell, ...]:
    before, now, change, interval = words.numbers_of(move)
    p = words.told_p(move)
    return (
        Cell(wording.name(move.label), wording.name(words.moved(move, labels), 60)),
        Cell(before, value=move.before),
        Cell(now, value=move.now),
        Cell(change, value=move.change),
        Cell(interval, p),
        Cell(
            words.word_of(move),
            words.how(move) if is_mixed or move.low is None else "",
            tone=cast(Tone, words.tone_of(move)),
            is_strong=bool(move.word),
        ),
    )


def _warnings(changes: Changes) -> Iterator[Block]:
    for is_new, title in ((True, "New warnings"), (False, "Warnings that are gone")):
        found = [each for each in changes.warnings if each.is_new is is_new]
        if found:
            lines = (f"{each.code}{f': {each.about}' if each.about else ''}" for each in found)
            yield Bullets(tuple(phrase(line) for line in lines), title)


def _history(results: Results) -> Iterator[Block]:
    """The runs before this one, the latest first."""
    if not results.history:
        return
    models = [
        m.name for m in results.models if any(m.name in past.values for past in results.history)
    ]
    labels = {m.name: m.label for m in results.models}
    columns = (
        TableColumn("Run", is_numeric=False),
        *(TableColumn(wording.name(labels[name], 40)) for name in models),
        TableColumn("Requirements", is_numeric=False),
    )
    rows = tuple(_past(past, models) for past in reversed(results.history))
    metric = results.history[-1].metric
    note = f"{wording.capital(metric)} on all rows, as each run printed it." if metric else ""
    yield Heading("Earlier runs", "earlier-runs")
    yield Table("history", note, columns, rows)


def _past(past: PastRun, models: list[str]) -> tuple[Cell, ...]:
    cells = []
    for name in models:
        value, low, high = past.values.get(name, (None, None, None))
        form = wording.form_of(value, low, high, past.unit)
        cells.append(Cell(form.amount(value), form.interval(low, high), value=value))
    return (Cell(past.time[:10], past.digest[:12]), *cells, gates_met(past))


def gates_met(past: PastRun) -> Cell:
    """How many requirements of an earlier run were met."""
    failed = sum(status == "fail" for status in past.gates.values())
    met = sum(status == "pass" for status in past.gates.values())
    told = f"{met} of {len(past.gates)} met" if past.gates else _NONE
    return Cell(told, f"{failed} not met" if failed else "")
