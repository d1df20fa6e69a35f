"""Robustness: the primary comparison under other conventions, side by side."""

from __future__ import annotations

from reportgen import wording
from reportgen.document import Block, Bullets, Cell, Table, TableColumn, phrase
from reportgen.results import Choice
from reportgen.sections.index import TONES, Index
from reportgen.wording import wins as said

_MOST_ACROSS = 4


def blocks(index: Index) -> list[Block]:
    """What conventions turn, then every one of them; nothing where there is none."""
    found = [c for c in index.sensitivity.choices if c.dataset == index.main.name]
    if not found:
        return []
    pairs = dict.fromkeys((c.candidate, c.baseline) for c in found)
    of = {pair: [c for c in found if (c.candidate, c.baseline) == pair] for pair in pairs}
    better = index.leading.better
    lines = [said.turning(mine, index.label(pair[0]), better) for pair, mine in of.items()]
    told = tuple(phrase(line) for line in lines if line)
    calm = (phrase("No other convention that was tried has another verdict."),)
    return [Bullets(told or calm, title="Under other conventions"), _table(index, found)]


def _table(index: Index, found: list[Choice]) -> Table:
    """A line a convention, a column a pair."""
    pairs = list(dict.fromkeys((c.candidate, c.baseline) for c in found))[:_MOST_ACROSS]
    against = len({c.baseline for c in found}) > 1
    columns = (
        TableColumn("Convention", is_numeric=False),
        TableColumn("n"),
        *(TableColumn(_head(index, *pair, is_named=against)) for pair in pairs),
    )
    metric = wording.lowered(wording.name(index.labels.get(found[0].key, "")))
    caption = (
        f"The primary comparison, on {metric}, under other conventions, with its "
        f"{wording.level(found[0].level)} interval{_adjusted(found)}. All are made in one way, so "
        "that lines differ in the convention alone; another word than as declared is set in bold."
    )
    of = {(c.choice, c.value, c.candidate, c.baseline): c for c in found}
    keys = dict.fromkeys((c.choice, c.value) for c in found)
    rows = tuple(
        _row(index, [of[key + pair] for pair in pairs if key + pair in of]) for key in keys
    )
    return Table("robustness-conventions", caption, columns, rows)


def _adjusted(found: list[Choice]) -> str:
    """How the intervals of one line allow for each other."""
    if found[0].adjust in ("", "none"):
        return ""
    return f", adjusted for {len({(c.candidate, c.baseline) for c in found})} comparisons"


def _head(index: Index, candidate: str, baseline: str, *, is_named: bool) -> str:
    against = f" against {wording.name(index.label(baseline), 30)}" if is_named else ""
    return f"{wording.name(index.label(candidate), 30)}{against}"


def _row(index: Index, found: list[Choice]) -> tuple[Cell, ...]:
    what, value = said.choice(found[0])
    head = Cell(wording.capital(what), note=value)
    n = Cell(wording.count(found[0].n), value=found[0].n)
    return (head, n, *(_cell(index, c) for c in found))


def _cell(index: Index, c: Choice) -> Cell:
    form = wording.form_of(c.difference, c.low, c.high, index.unit(c.key), (0.0,))
    word = c.verdict.partition(" beyond ")[0]
    tone = next((t for verdict, t in TONES.items() if verdict == word), None)
    interval = form.interval(c.low, c.high, signed=True)
    said_ = form.number(c.difference, signed=True)
    note = f"{interval}, {said.word_of(c, index.leading.better)}"
    return Cell(said_, note=note, value=c.difference, tone=tone, is_strong=c.is_other)
