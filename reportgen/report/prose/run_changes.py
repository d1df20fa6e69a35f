"""Changes between runs, and governance, in words."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from reportgen.report import prose
from reportgen.report.wording.names import clean_prose
from reportgen.report.wording.numbers import (
    NumberFormat,
    choose_declared_format,
    choose_format,
    format_level,
    format_p_value,
    format_size,
)
from reportgen.results.changes import Changes, FrozenRule, LookCount, PastRun, ValueChange

_ORDER = ("worsened", "improved", "moved", "within the margin", "not shown", "same")
_TRACKED = {"improved": "good", "worsened": "bad", "moved": "open"}


def format_cause(is_changed: bool | None) -> str:
    """Tell whether a cause changed.

    >>> format_cause(None)
    'unknown'
    """
    word = {True: "changed", False: "same", None: "unknown"}[is_changed]
    return prose.term("cause", word)


def describe_move_method(move: ValueChange) -> str:
    """Describe how the interval of a move was made."""
    return prose.term("move", move.method) or prose.line("moves.no_interval")


def describe_move(move: ValueChange) -> str:
    """Describe the same with what to know of it."""
    if not move.note:
        return describe_move_method(move)
    return prose.line("moves.method", method=move.method, note=move.note)


def move_word(move: ValueChange) -> str:
    """Return what a move shows, if anything."""
    if move.method == "not comparable":
        return "not comparable"
    return move.word or "not shown"


def move_tone(move: ValueChange) -> str:
    """Choose the colour of its word."""
    return _TRACKED.get(move.word, "neutral")


def format_move_numbers(move: ValueChange) -> tuple[str, str, str, str]:
    """Format before, now, the change, its interval, in the digits that the interval allows.

    No bound is rounded onto the margin that it is held against.
    """
    ends = (0.0,) if move.margin is None else (0.0, move.margin, -move.margin)
    form = choose_format(move.change, move.low, move.high, move.unit, ends)
    interval = form.interval(move.low, move.high, signed=True) if move.low is not None else "–"
    change = form.amount(move.change, signed=True) if move.change is not None else "–"
    return _format_value(form, move.before), _format_value(form, move.now), change, interval


def _format_value(form: NumberFormat, value: float | None) -> str:
    return form.amount(value)


def describe_mover(move: ValueChange, labels: Mapping[str, str]) -> str:
    """Say whose value moved: a model, or a model against another."""
    own = labels.get(move.model, move.model)
    return f"{own} − {labels.get(move.against, move.against)}" if move.against else own


def describe_move_interval(move: ValueChange, margin: float | None) -> str:
    """Describe a move with its interval, and the margin that it is held against."""
    form = choose_format(
        move.change, move.low, move.high, move.unit, (0.0, margin, -(margin or 0.0))
    )
    interval = form.interval(move.low, move.high, signed=True)
    return prose.line(
        "moves.interval",
        change=form.amount(move.change, signed=True),
        level=format_level(move.level),
        limits=interval,
        margin=format_size(choose_declared_format(margin, move.unit), margin),
    )


def describe_move_family(changes: Changes) -> str:
    """Describe how the words were judged, over all moves of the page."""
    if not changes.family:
        return prose.line("moves.unjudged")
    first = next(move for move in changes.moves if move.p_value is not None)
    return prose.line("moves.family", level=format_level(first.level), family=changes.family)


def format_move_p(move: ValueChange) -> str:
    """Format the adjusted p-value of a move, if it has one."""
    return format_p_value(move.p_adjusted) if move.p_adjusted is not None else ""


def describe_unmoved(changes: Changes) -> str:
    """Describe how many values are as they were, where any are."""
    count = sum(move.word == "same" for move in changes.moves)
    return prose.line("moves.unmoved", count=count) if count else ""


def list_moved(changes: Changes) -> list[ValueChange]:
    """List the moves that are not exactly nothing."""
    return [move for move in changes.moves if move.word != "same"]


def describe_changes(changes: Changes) -> str:
    """Describe what a reader should know first, in a sentence."""
    named = [move_word(move) for move in changes.moves]
    counts = [(named.count(word), word) for word in dict.fromkeys((*_ORDER, *named))]
    return prose.line(
        "moves.summary",
        rule=len(changes.rule),
        total=len(named),
        counts=[(n, word) for n, word in counts if n],
    )


SIGNS = 12


def describe_frozen_rule(frozen: FrozenRule | None) -> str:
    """Tell whether what decides was fixed before the run.

    >>> describe_frozen_rule(None)
    'not pre-registered: there is no proof that it was fixed before anybody saw the data'
    """
    if frozen is None:
        return prose.line("rule.not_frozen")
    return prose.line(
        "rule.frozen",
        is_kept=frozen.is_kept,
        digest=frozen.digest[:SIGNS],
        time=clean_prose(frozen.time, 40),
    )


def list_rule_differences(frozen: FrozenRule | None) -> list[str]:
    """List each key that differs from the frozen rule, and each file of other scores."""
    if frozen is None:
        return []
    none = prose.line("rule.none")
    keys = [
        f"{clean_prose(each.key, 80)}: {clean_prose(each.before, 80) or none} → "
        f"{clean_prose(each.now, 80) or none}"
        for each in frozen.differences
    ]
    scores = (prose.line("rule.scores", path=clean_prose(path, 120)) for path in frozen.scores)
    return [*keys, *scores]


def describe_privacy(asked: object, rows: str = "rows") -> str:
    """Describe what the report keeps to itself, by the config's own word.

    >>> describe_privacy({"level": "open"})
    'open: small segments, minima and maxima, and the effect of single rows are printed'
    """
    keys = dict(asked) if isinstance(asked, Mapping) else {}
    word = str(keys.pop("level", "open"))
    own = ", ".join(f"{key} {value}" for key, value in keys.items() if value is not None)
    if word == "strict":
        return prose.line("privacy.strict", level=word, rows=rows, own=own)
    if word == "standard":
        return prose.line("privacy.standard", level=word, rows=rows, own=own)
    return prose.line("privacy.open", level=word, rows=rows, own=own)


def has_group_means(privacy: object) -> bool:
    """Return whether the config shows means of groups of rows in place of values of single rows.

    >>> has_group_means({"level": "strict"}), has_group_means({"level": "strict", "extremes": True})
    (True, False)
    """
    keys = privacy if isinstance(privacy, Mapping) else {}
    extremes = keys.get("extremes")
    return keys.get("level") == "strict" if extremes is None else not extremes


def describe_looks(looks: LookCount, rows: str = "rows") -> str:
    """Describe how often these rows were judged, and what that does to a limit.

    >>> describe_looks(LookCount("d", 1))
    'the first analysis of these rows in the linked runs'
    """
    level = looks.level
    if looks.planned is not None:
        return prose.line(
            "looks.planned",
            count=looks.count,
            planned=looks.planned,
            rows=rows,
            each=format_level(1 - (1 - level) / looks.planned),
            level=format_level(level),
        )
    if looks.count == 1:
        return prose.line("looks.first", rows=rows)
    if looks.is_anytime:
        return prose.line("looks.anytime", count=looks.count, rows=rows)
    bound = min(looks.count * (1 - level) / 2, 1.0)
    return prose.line("looks.counted", count=looks.count, rows=rows, bound=format_level(bound))


def list_trend_models(runs: Sequence[PastRun]) -> list[str]:
    """Every model that a run has a value of, those of the latest run first."""
    return list(dict.fromkeys(name for run in reversed(runs) for name in run.values))


def describe_breaks(runs: Sequence[PastRun], place: int) -> list[str]:
    """Describe why a run cannot be compared with the one before: other rows, or another rule.

    >>> from dataclasses import replace
    >>> run = PastRun("", "", "", "a", "r", {}, "MAE", "", {})
    >>> describe_breaks([run, replace(run, rows="b")], 1)
    ['other rows']
    """
    if place == 0:
        return []
    before, now = runs[place - 1], runs[place]
    found = [prose.line("trend.other_rows")] * (before.rows != now.rows)
    return found + [prose.line("trend.another_rule")] * (before.decision != now.decision)


def describe_lone_rule(
    answers: tuple[str, str], values: Collection[tuple[object, object]], *, is_data_changed: bool
) -> str:
    """Say that the rule changed, not the model, where all but the answers is alike; else "".

    `values` are pairs from the earlier and the later run.

    >>> describe_lone_rule(("Yes", "No"), [(0.31, 0.32)], is_data_changed=False)
    ''
    """
    is_alone = all(answers) and answers[0] != answers[1] and not is_data_changed
    is_alike = bool(values) and all(before == now for before, now in values)
    return prose.line("rule.alone") if is_alone and is_alike else ""


def describe_rule_change(runs: Sequence[PastRun], place: int) -> str:
    """Say of a run that only the rule changed since the one before; "" where that is not so."""
    if place == 0:
        return ""
    before, now = runs[place - 1], runs[place]
    models = before.values.keys() | now.values.keys()
    return describe_lone_rule(
        (before.verdict, now.verdict),
        [(before.values.get(model), now.values.get(model)) for model in models],
        is_data_changed=before.rows != now.rows,
    )
