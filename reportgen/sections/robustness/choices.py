"""Robustness: the primary comparison under other choices, as a specification curve and a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen import wording
from reportgen.document import (
    Axis,
    Block,
    Bullets,
    Cell,
    Figure,
    Forest,
    ForestRow,
    Panel,
    Series,
    Table,
    TableColumn,
    Tone,
    phrase,
)
from reportgen.results import Choice
from reportgen.sections.folding import in_full
from reportgen.sections.index import TONES, Index
from reportgen.wording import choices as said
from reportgen.wording.wins import choice, word_of
from reportgen.wording.words import word

TITLE = "What would change the verdict"
_MOST_ACROSS = 4
_MOST_COLUMNS = 40  # of a matrix that can be read
_OF_ROWS = ("rows", "design", "buckets", "costs", "definition", "own", "convention")


def blocks(index: Index) -> list[Block]:
    """What other choices turn, then every one of them; nothing where there is none."""
    found = [c for c in index.sensitivity.choices if c.dataset == index.main.name]
    if not found:
        return []
    pairs = dict.fromkeys((c.candidate, c.baseline) for c in found)
    of = {pair: [c for c in found if (c.candidate, c.baseline) == pair] for pair in pairs}
    is_named = len({baseline for _, baseline in of}) > 1
    lines = tuple(phrase(f"{_head(index, *pair, is_named=is_named)}: {_agreement(index, mine)}")
                  for pair, mine in of.items() if len(mine) > 1)  # fmt: skip
    told = [Bullets(lines, title=TITLE)] if lines else []
    about = _about(index, list(of))
    every = in_full("Every other analysis", [*_matrix(index, of[about]), _table(index, found)])
    return [*told, _curve(index, of[about]), *every]


def _about(index: Index, pairs: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """The pair that page one is about, or the first."""
    conclusion = index.results.conclusion
    rows = conclusion.rows if conclusion is not None else ()
    named = [(row.candidate, row.baseline) for row in rows[:1]]
    return next((pair for pair in named if pair in pairs), pairs[0])


def _label(index: Index, mine: Sequence[Choice]) -> str:
    return wording.name(index.label(mine[0].candidate), 40)


def _agreement(index: Index, mine: Sequence[Choice]) -> str:
    return said.agreement(mine, index.leading.better, index.main)


def _curve(index: Index, mine: Sequence[Choice]) -> Forest:
    """The specification curve of one pair: by its difference, the declared analysis in bold."""
    better = index.leading.better
    sign = 1.0 if better == "higher" else -1.0
    rows = tuple(_curve_row(index, c, sign) for c in _ordered(mine, sign))
    declared = next((c for c in mine if said.is_declared(c)), mine[0])
    ends = [0.0, *(x for row in rows for x in (row.low, row.high) if x is not None)]
    ends += [s * (declared.margin or 0.0) for s in (-1.0, 1.0)]
    room = 0.04 * (max(ends) - min(ends)) or 1.0
    metric = wording.lowered(wording.name(index.labels.get(declared.key, "")))
    baseline = wording.name(index.label(declared.baseline), 40)
    return Forest(
        id="specification-curve",
        title=f"{_label(index, mine)} under other choices",
        caption=_caption(index, mine, metric, baseline),
        axis=f"difference from {baseline}",
        right="better →",
        axis_low=min(ends) - room,
        axis_high=max(ends) + room,
        ticks=((0.0, f"0 = {baseline}" if len(baseline) < 20 else "0"),),
        rows=rows,
        margin=declared.margin,
    )


def _ordered(mine: Sequence[Choice], sign: float) -> list[Choice]:
    """The analyses as they stand in the curve: from what favours the candidate most."""
    return sorted(mine, key=lambda c: (c.difference is None, -sign * (c.difference or 0.0)))


def _matrix(index: Index, mine: Sequence[Choice]) -> Iterator[Figure]:
    """Which choice each analysis of the curve changes, where there are several kinds."""
    sign = 1.0 if index.leading.better == "higher" else -1.0
    ordered = _ordered(mine, sign)
    kinds = [kind for kind in said.CHANGED if any(c.kind == kind for c in ordered)]
    if len(kinds) < 3 or len(ordered) > _MOST_COLUMNS:
        return
    at = [(k, kinds.index(c.kind)) for k, c in enumerate(ordered) if c.kind in kinds]
    names = [said.CHANGED[kind] for kind in kinds]
    turned = {k for k, c in enumerate(ordered) if c.is_other}
    series = Series(
        _label(index, mine), index.role(mine[0].candidate),
        tuple(k + 1.0 for k, _ in at), tuple(row + 1.0 for _, row in at), size=(1.0,) * len(at),
        texts=tuple("≠" if k in turned else "" for k, _ in at),
    )  # fmt: skip
    columns = tuple((k + 1.0, str(k + 1)) for k in range(len(ordered)))
    y_axis = Axis("", ticks=tuple((k + 1.0, name) for k, name in enumerate(names)))
    yield Figure(
        "specification-matrix", "matrix", "What each analysis of the curve changes",
        "Columns are the analyses of the curve of other choices, from its top; a box marks what is "
        "changed, ≠ one with another verdict than the analysis that it is held against.",
        " ".join(_told(index, ordered, kind) for kind in kinds),
        (Panel("", Axis("analysis, counted from the top", ticks=columns), y_axis, (series,)),),
    )  # fmt: skip


def _told(index: Index, ordered: Sequence[Choice], kind: str) -> str:
    """The analyses that change one thing, and how many have another verdict, to be read aloud."""
    own = [c for c in ordered if c.kind == kind]
    names = wording.listed([said.under(c, index.main) for c in own])
    other = sum(c.is_other for c in own)
    return f"{wording.capital(said.CHANGED[kind])}: {names}; {other} with another verdict."


def _caption(index: Index, mine: Sequence[Choice], metric: str, baseline: str) -> str:
    kinds = {c.kind for c in mine}
    first = next((c for c in mine if c.kind == "formula"), None)
    how = ""
    if first is not None and kinds & set(_OF_ROWS):
        under = said.under(first, index.main)
        how = f" Where rows, metric or design differ it is {under}: compare it with that analysis."
    return (
        f"Difference from {baseline} in {metric}, one choice changed at a time, with its "
        f"{wording.level(mine[0].level)} interval{_adjusted(mine[0].adjust, index)}; the declared "
        f"analysis is in bold.{how} The analyses are no random sample: nothing follows from how "
        "many agree but what is listed."
    )


def _adjusted(adjust: str, index: Index) -> str:
    """How the intervals of one analysis allow for each other."""
    if adjust in ("", "none"):
        return ""
    found = [c for c in index.sensitivity.choices if c.dataset == index.main.name]
    pairs = {(c.candidate, c.baseline) for c in found if c.low is not None}
    return f", adjusted for {len(pairs)} comparisons" if len(pairs) > 1 else ""


def _curve_row(index: Index, c: Choice, sign: float) -> ForestRow:
    form = wording.form_of(c.difference, c.low, c.high, index.unit(c.key), (0.0,))
    difference = form.number(c.difference, signed=True)
    interval = form.interval(c.low, c.high, signed=True)
    word, name = _word(index, c), wording.capital(said.under(c, index.main))
    ends = sorted(sign * x for x in (c.low, c.high) if x is not None)
    return ForestRow(
        name=name,
        difference=difference,
        interval=interval,
        word=word,
        tone=_tone(c) or "neutral",
        description=f"{name}: {difference} ({interval}), {word}",
        value=None if c.difference is None else sign * c.difference,
        low=ends[0] if len(ends) == 2 else None,
        high=ends[1] if len(ends) == 2 else None,
        is_strong=said.is_declared(c),
    )


def _word(index: Index, c: Choice) -> str:
    """The word of an analysis; of the declared one that of page one."""
    asked = (c.dataset, None, c.key, c.candidate, c.baseline)
    page = (p for p in index.results.comparisons
            if (p.dataset, p.segment, p.key, p.candidate, p.baseline) == asked)  # fmt: skip
    own = next(page, None) if said.is_declared(c) else None
    return word_of(c, index.leading.better) if own is None else word(own)


def _tone(c: Choice) -> Tone | None:
    word = c.verdict.partition(" beyond ")[0]
    return next((t for verdict, t in TONES.items() if verdict == word), None)


def _table(index: Index, found: list[Choice]) -> Table:
    """A line an analysis, a column a pair."""
    pairs = list(dict.fromkeys((c.candidate, c.baseline) for c in found))[:_MOST_ACROSS]
    against = len({c.baseline for c in found}) > 1
    columns = (
        TableColumn("Analysis", is_numeric=False),
        TableColumn("n"),
        *(TableColumn(_head(index, *pair, is_named=against)) for pair in pairs),
    )
    metric = wording.lowered(wording.name(index.labels.get(found[0].key, "")))
    caption = (
        f"The primary comparison, on {metric}, under other choices, with its "
        f"{wording.level(found[0].level)} interval{_adjusted(found[0].adjust, index)}; another "
        "verdict than that of the analysis it is held against is set in bold."
    )
    of = {(_key(c), c.candidate, c.baseline): c for c in found}
    rows = tuple(
        _row(index, [of.get((key, *pair)) for pair in pairs])
        for key in dict.fromkeys(map(_key, found))
        if any((key, *pair) in of for pair in pairs)
    )
    return Table("robustness-conventions", caption, columns, rows)


def _key(c: Choice) -> tuple[str, str, str]:
    return c.kind, c.choice, c.value


def _head(index: Index, candidate: str, baseline: str, *, is_named: bool) -> str:
    against = f" against {wording.name(index.label(baseline), 30)}" if is_named else ""
    return f"{wording.name(index.label(candidate), 30)}{against}"


def _row(index: Index, each: list[Choice | None]) -> tuple[Cell, ...]:
    """One analysis of each pair; a pair of which it is not told has a dash."""
    found = [c for c in each if c is not None]
    if found[0].kind == "convention":
        what, value = choice(found[0])
        head = Cell(wording.capital(what), note=value)
    else:
        head = Cell(wording.capital(said.under(found[0], index.main)))
    n = Cell(wording.count(found[0].n), value=found[0].n)
    return (head, n, *(Cell("–") if c is None else _cell(index, c) for c in each))


def _cell(index: Index, c: Choice) -> Cell:
    form = wording.form_of(c.difference, c.low, c.high, index.unit(c.key), (0.0,))
    interval = form.interval(c.low, c.high, signed=True)
    note = f"{interval}, {_word(index, c)}"
    difference = form.number(c.difference, signed=True)
    return Cell(difference, note=note, value=c.difference, tone=_tone(c), is_strong=c.is_other)
