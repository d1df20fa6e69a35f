"""Changes since the previous run, and the trend over runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from reportgen.report import prose
from reportgen.report.document import (
    Axis,
    Block,
    Bullets,
    Cell,
    Definitions,
    Document,
    Figure,
    Forest,
    ForestRow,
    Header,
    Heading,
    Mark,
    Panel,
    Role,
    Section,
    Series,
    Span,
    Table,
    Text,
    Tone,
    make_phrase,
)
from reportgen.report.prose import run_changes as change_texts
from reportgen.report.sections.index import format_money_axis
from reportgen.report.sections.page_one import build_header
from reportgen.report.sections.shifts import iter_shift_blocks
from reportgen.report.sections.tables import ReportColumn, build_table, number_column, word_column
from reportgen.report.wording.names import capitalize, clean_name, clean_prose, lower_first_word
from reportgen.report.wording.numbers import choose_format, format_level, has_unit
from reportgen.results import Results
from reportgen.results.changes import Changes, GateChange, PastRun, ValueChange
from reportgen.results.types import PASSED


def build_changes_section(results: Results) -> Section | None:
    """Build the section on changes since the previous run; None where the config names none."""
    if results.changes is None:
        if not results.config.get("previous"):
            return None
        first = Text(prose.phrase("changes.first_run"))
        return Section("changes", prose.line("changes.title"), (first,))
    labels = {model.name: model.label for model in results.models}
    has_index = results.report.has_psi
    blocks = [
        *iter_change_blocks(results.changes, labels, has_index=has_index),
        *_iter_history(results),
    ]
    lede = make_phrase(change_texts.describe_changes(results.changes))
    return Section("changes", prose.line("changes.title"), tuple(blocks), lede)


def build_changes_document(changes: Changes, now: Results) -> Document:
    """Build the changes as a page of their own."""
    labels = {model.name: model.label for model in now.models}
    blocks = (
        Text(make_phrase(change_texts.describe_changes(changes))),
        *iter_change_blocks(changes, labels, has_index=now.report.has_psi),
    )
    section = Section("changes", prose.line("changes.title"), blocks)
    made_by = prose.line("changes.made_by", command="diff")
    return Document(build_header(now), (section,), made_by)


def iter_change_blocks(
    changes: Changes, labels: Mapping[str, str], *, has_index: bool
) -> Iterator[Block]:
    """Yield every block in the order in which it should be read.

    `has_index` shows the stability index of what changed in the data.
    """
    yield from _iter_rule(changes)
    yield from _iter_causes(changes)
    yield from _iter_verdicts(changes)
    if changes.gates:
        yield _build_gates(changes)
    if changes.presence:
        lines = tuple(map(make_phrase, iter_presence_lines(changes)))
        yield Bullets(lines, prose.line("presence.title"))
    yield from _iter_move_blocks(changes, labels)
    yield from iter_shift_blocks(changes.shifts, labels, has_index=has_index)
    yield from _iter_warnings(changes)


def iter_presence_lines(changes: Changes) -> Iterator[str]:
    """Yield a line for each metric, model or dataset that only one of the runs has."""
    for each in changes.presence:
        name = clean_name(each.name)
        if each.is_new:
            yield prose.line("presence.later", kind=each.kind, name=name)
        else:
            yield prose.line("presence.earlier", kind=each.kind, name=name)


def _iter_rule(changes: Changes) -> Iterator[Block]:
    none = prose.line("rule.none")
    if changes.rule:
        yield Bullets(
            tuple(
                make_phrase(
                    Span(each.key, is_code=True), f": {each.before or none} → {each.now or none}"
                )
                for each in changes.rule
            ),
            prose.line("changes.rule"),
            prose.line("changes.rule_note"),
        )


def _iter_causes(changes: Changes) -> Iterator[Block]:
    yield build_table(
        "causes",
        prose.line("changes.causes"),
        changes.causes,
        word_column(prose.line("changes.what"), lambda cause: capitalize(cause.name)),
        word_column(
            prose.line("changes.since"),
            lambda cause: Cell(
                change_texts.format_cause(cause.is_changed), note=clean_prose(cause.detail, 200)
            ),
        ),
        title="Causes",
    )
    yield Text(make_phrase(changes.because or prose.line("changes.nothing")))


def _iter_verdicts(changes: Changes) -> Iterator[Block]:
    then = prose.line("changes.then", day=changes.before.time[:10])
    now = prose.line("changes.now", day=changes.now.time[:10])
    yield Definitions(
        ((then, make_phrase(changes.before.verdict)), (now, make_phrase(changes.now.verdict)))
    )


def _build_gates(changes: Changes) -> Block:
    def make_now_cell(change: GateChange) -> Cell:
        tone: Tone | None = "bad" if change.now == "not met" else None
        return Cell(change.now or prose.line("rule.none"), tone=tone, is_strong=True)

    return build_table(
        "gates-changed",
        prose.line("changes.gates"),
        changes.gates,
        word_column("Requirement", lambda change: clean_name(change.name, 80)),
        word_column("Then", lambda change: change.before or prose.line("rule.none")),
        word_column("Now", make_now_cell),
        title="Requirements",
    )


def _iter_move_blocks(changes: Changes, labels: Mapping[str, str]) -> Iterator[Block]:
    moves, same = change_texts.list_moved(changes), change_texts.describe_unmoved(changes)
    datasets = {move.dataset for move in moves}
    for dataset in sorted(datasets):
        found = [move for move in moves if move.dataset == dataset]
        name = clean_name(dataset, 40) if len(datasets) > 1 else ""
        title = prose.line("changes.moves", dataset=name)
        yield Heading(title, f"moves-{len(title)}-{sorted(datasets).index(dataset)}")
        yield from _iter_forest(found, labels)
        yield _change_table(found, labels, change_texts.describe_move_family(changes))
    if same:
        yield Text(make_phrase(same))


def _iter_forest(found: list[ValueChange], labels: Mapping[str, str]) -> Iterator[Block]:
    """Yield a forest of the moves of differences in the first metric, or else of its values."""
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
    named = lower_first_word(clean_name(metric.label))
    yield Forest(
        id=f"moves-{metric.dataset}-{key}".replace(" ", "-"),
        title=prose.line("changes.how_far"),
        caption=prose.line(
            "changes.forest",
            is_difference=bool(shown[0].against),
            metric=named,
            level=format_level(metric.level),
        ),
        axis=prose.line("changes.axis", metric=named),
        right=prose.line("changes.right"),
        axis_low=min(ends) - room,
        axis_high=max(ends) + room,
        ticks=((0.0, prose.line("changes.zero")),),
        rows=rows,
        margin=shown[0].margin,
    )


def _forest_row(move: ValueChange, labels: Mapping[str, str], sign: float) -> ForestRow:
    _, _, change, interval = change_texts.format_move_numbers(move)
    ends = sorted(sign * x for x in (move.low, move.high) if x is not None)
    name = clean_name(change_texts.describe_mover(move, labels), 60)
    return ForestRow(
        name=name,
        difference=change,
        interval=interval,
        word=change_texts.move_word(move),
        tone=cast(Tone, change_texts.move_tone(move)),
        description=f"{name}: {change} ({interval}), {change_texts.move_word(move)}",
        value=None if move.change is None else sign * move.change,
        low=ends[0],
        high=ends[1],
    )


def _change_table(found: list[ValueChange], labels: Mapping[str, str], caption: str) -> Table:
    how = {change_texts.describe_move(move) for move in found if move.low is not None}
    said = prose.line("changes.table", family=caption, how=how.pop() if len(how) == 1 else "")

    def make_name_cell(move: ValueChange) -> Cell:
        mover = change_texts.describe_mover(move, labels)
        return Cell(clean_name(move.label), clean_name(mover, 60))

    def make_word_cell(move: ValueChange) -> Cell:
        return Cell(
            change_texts.move_word(move),
            change_texts.describe_move(move) if how or move.low is None else "",
            tone=cast(Tone, change_texts.move_tone(move)),
            is_strong=bool(move.word),
        )

    numbers = change_texts.format_move_numbers
    return build_table(
        f"moves-of-{found[0].dataset}".replace(" ", "-"),
        said,
        found,
        word_column("Value", make_name_cell),
        number_column("Then", lambda move: Cell(numbers(move)[0], value=move.before)),
        number_column("Now", lambda move: Cell(numbers(move)[1], value=move.now)),
        number_column("Move", lambda move: Cell(numbers(move)[2], value=move.change)),
        word_column(
            "Interval", lambda move: Cell(numbers(move)[3], change_texts.format_move_p(move))
        ),
        word_column("Shown", make_word_cell),
    )


def _iter_warnings(changes: Changes) -> Iterator[Block]:
    titles = {
        True: prose.line("changes.new_warnings"),
        False: prose.line("changes.gone_warnings"),
    }
    for is_new, title in titles.items():
        found = [each for each in changes.warnings if each.is_new is is_new]
        if found:
            lines = (f"{each.code}{f': {each.about}' if each.about else ''}" for each in found)
            yield Bullets(tuple(make_phrase(line) for line in lines), title)


def _iter_history(results: Results) -> Iterator[Block]:
    """Yield a table of the runs before this one, the latest first."""
    if not results.history:
        return
    metric = results.history[-1].metric
    note = prose.line("history.note", metric=metric) if metric else ""
    yield Heading(prose.line("history.title"), "earlier-runs")
    yield build_table(
        "history",
        note,
        reversed(results.history),
        word_column("Run", lambda past: Cell(past.time[:10], past.digest[:12])),
        *(
            _past_value_column(model.name, model.label)
            for model in results.models
            if any(model.name in past.values for past in results.history)
        ),
        word_column("Requirements", make_gates_cell),
    )


def make_gates_cell(past: PastRun) -> Cell:
    """Count the requirements of an earlier run that were met."""
    failed = sum(status == "not met" for status in past.gates.values())
    met = sum(status in PASSED for status in past.gates.values())
    if not past.gates:
        return Cell(prose.line("rule.none"))
    met_text = prose.line("history.met", met=met, total=len(past.gates))
    return Cell(met_text, prose.line("history.not_met", failed=failed) if failed else "")


MOST_RUNS = 30  # in a figure, the latest
MOST_MODELS = 4
_ROLES: tuple[Role, ...] = ("baseline", "candidate1", "candidate2", "candidate3")


def build_trend_document(runs: Sequence[PastRun], title: str) -> Document:
    """Build the runs as a page of their own, the earliest first."""
    header = Header(title, "", "", "", "", "", runs[-1].time[:10])
    blocks: tuple[Block, ...] = (_build_figure(runs), _run_table(runs))
    lede = prose.phrase("trend.lede", runs=len(runs), metric=clean_name(runs[-1].metric, 60))
    made_by = prose.line("changes.made_by", command="trend")
    return Document(header, (Section("trend", "Trend", blocks, lede),), made_by)


def _build_figure(runs: Sequence[PastRun]) -> Figure:
    first = max(len(runs) - MOST_RUNS, 0)
    models = change_texts.list_trend_models(runs)[:MOST_MODELS]
    panels = tuple(
        _build_panel(runs, first, name, role) for name, role in zip(models, _ROLES, strict=False)
    )
    metric = lower_first_word(clean_name(runs[-1].metric, 60))
    caption = prose.line(
        "trend.caption",
        has_failed=any(map(_has_failed_gate, runs)),
        most=MOST_RUNS,
        runs=len(runs) if first > 0 else 0,
    )
    return Figure(
        "trend-values",
        "forest",
        prose.line("trend.title", metric=metric),
        caption,
        " ".join(_describe_values(runs, name) for name in models),
        panels,
        shares_axes=True,
        shares_rows=True,
    )


def _describe_values(runs: Sequence[PastRun], name: str) -> str:
    known = [run.values[name][0] for run in runs if name in run.values]
    form = choose_format(known[-1], None, None, runs[-1].unit)
    return f"{clean_name(name, 40)}: {', '.join(form.amount(value) for value in known)}."


def _build_panel(runs: Sequence[PastRun], first: int, name: str, role: Role) -> Panel:
    found = [
        (float(place - first + 1), run)
        for place, run in enumerate(runs)
        if place >= first and run.values.get(name, (None,))[0] is not None
    ]
    marks: tuple[Mark, ...] = tuple(
        "open" if _has_failed_gate(run) else "filled" for _, run in found
    )
    series = Series(
        clean_name(name, 40),
        role,
        tuple(run.values[name][0] for _, run in found),
        tuple(place for place, _ in found),
        tuple(run.values[name][1] for _, run in found),
        tuple(run.values[name][2] for _, run in found),
        marks=marks,
        has_markers=True,
    )
    rows = range(first, len(runs))
    ticks = tuple((float(place - first + 1), _run_row(runs, place)) for place in rows)
    unit = f", {runs[-1].unit}" if has_unit(runs[-1].unit) else ""
    metric = lower_first_word(clean_name(runs[-1].metric, 40))
    return Panel(
        clean_name(name, 40),
        format_money_axis(Axis(f"{metric}{unit}"), runs[-1].unit),
        Axis("", low=0.5, high=len(rows) + 0.5, ticks=ticks),
        (series,),
    )


def _run_row(runs: Sequence[PastRun], place: int) -> str:
    """Format a run by its day, and what changed before it."""
    return ", ".join(
        (
            runs[place].time[:10] or runs[place].digest[:12],
            *change_texts.describe_breaks(runs, place),
        )
    )


def _has_failed_gate(run: PastRun) -> bool:
    return "not met" in run.gates.values()


def _run_table(runs: Sequence[PastRun]) -> Table:
    places = {id(run): place for place, run in enumerate(runs)}

    def make_name_cell(run: PastRun) -> Cell:
        breaks = change_texts.describe_breaks(runs, places[id(run)])
        return Cell(run.time[:10], ", ".join((run.digest[:12], *breaks)))

    def make_verdict_cell(run: PastRun) -> Cell:
        why = change_texts.describe_rule_change(runs, places[id(run)])
        return Cell(clean_prose(run.verdict, 200), why)

    return build_table(
        "trend-runs",
        prose.line("trend.table"),
        reversed(runs),
        word_column("Run", make_name_cell),
        *(_past_value_column(name, name) for name in change_texts.list_trend_models(runs)),
        word_column("Requirements", make_gates_cell),
        word_column("Verdict", make_verdict_cell),
    )


def _past_value_column(model: str, label: str) -> ReportColumn[PastRun]:
    """Make the column of a model's values in earlier runs."""

    def make_cell(past: PastRun) -> Cell:
        value, low, high = past.values.get(model, (None, None, None))
        form = choose_format(value, low, high, past.unit)
        return Cell(form.amount(value), form.interval(low, high), value=value)

    return number_column(clean_name(label, 40), make_cell)
