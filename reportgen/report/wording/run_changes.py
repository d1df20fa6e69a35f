"""Changes between runs, and governance, in words."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.report.wording.names import clean_prose
from reportgen.report.wording.numbers import (
    NumberFormat,
    choose_declared_format,
    choose_format,
    format_count,
    format_level,
    format_p_value,
    format_size,
)
from reportgen.results.changes import Changes, FrozenRule, LookCount, ValueChange

FIRST_RUN = "First run: there is no earlier one to compare with."
NOTHING = "Nothing that is compared changed."
_CAUSED = {True: "changed", False: "same", None: "cannot be told"}
_METHODS: Mapping[str, str] = {
    "paired": "paired over the same resamples",
    "square-and-add": "square-and-add",
    "as if independent": "square-and-add, as if independent",
    "same rows and scores": "same rows and scores",
    "not comparable": "not comparable",
    "": "no interval",
}
_COUNTED = {
    "worsened": "worsened",
    "improved": "improved",
    "moved": "moved",
    "within the margin": "within the margin",
    "not shown": "without a shown move",
    "same": "exactly the same",
}
_TRACKED = {"improved": "good", "worsened": "bad", "moved": "open"}


def format_cause(is_changed: bool | None) -> str:
    """Tell whether a cause changed.

    >>> format_cause(None)
    'cannot be told'
    """
    return _CAUSED[is_changed]


def describe_move_method(move: ValueChange) -> str:
    """Describe how the interval of a move was made."""
    return _METHODS.get(move.method, move.method)


def describe_move(move: ValueChange) -> str:
    """The same with what to know of it."""
    return (
        f"{describe_move_method(move)} ({move.note})" if move.note else describe_move_method(move)
    )


def move_word(move: ValueChange) -> str:
    """Return what a move shows, if anything."""
    if move.method == "not comparable":
        return "not comparable"
    return move.word or "not shown"


def move_tone(move: ValueChange) -> str:
    """The colour of its word."""
    return _TRACKED.get(move.word, "neutral")


def format_move_numbers(move: ValueChange) -> tuple[str, str, str, str]:
    """Before, now, the change, its interval, in the digits that the interval allows.

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
    """Whose value moved: a model, or a model against another."""
    own = labels.get(move.model, move.model)
    return f"{own} − {labels.get(move.against, move.against)}" if move.against else own


def describe_move_interval(move: ValueChange, margin: float | None) -> str:
    """A move with its interval, and the margin that it is held against."""
    form = choose_format(
        move.change, move.low, move.high, move.unit, (0.0, margin, -(margin or 0.0))
    )
    interval = form.interval(move.low, move.high, signed=True)
    most = format_size(choose_declared_format(margin, move.unit), margin)
    return (
        f"moved {form.amount(move.change, signed=True)} since the last run "
        f"({format_level(move.level)} "
        f"interval {interval}), margin {most}"
    )


def describe_move_family(changes: Changes) -> str:
    """Describe how the words were judged, over all moves of the page."""
    if not changes.family:
        return "No move has an interval that can be judged."
    first = next(move for move in changes.moves if move.p_value is not None)
    count = f"{changes.family} moves" if changes.family > 1 else "1 move"
    return (
        f"{format_level(first.level)} intervals, each for itself; the words rest on p-values "
        "adjusted for "
        f"{count} (Holm)."
    )


def format_move_p(move: ValueChange) -> str:
    """The adjusted p-value of a move, if it has one."""
    return format_p_value(move.p_adjusted) if move.p_adjusted is not None else ""


def describe_unmoved(changes: Changes) -> str:
    """Describe how many values are as they were, where any are."""
    count = sum(move.word == "same" for move in changes.moves)
    if not count:
        return ""
    verb = "is" if count == 1 else "are"
    return f"{_count_noun(count, 'value')} {verb} exactly the same: from the same rows and scores."


def list_moved(changes: Changes) -> list[ValueChange]:
    """The moves that are not exactly nothing."""
    return [move for move in changes.moves if move.word != "same"]


def describe_changes(changes: Changes) -> str:
    """Describe what a reader should know first, in a sentence."""
    rule = f"The rule changed ({_count_noun(len(changes.rule), 'key')}). " if changes.rule else ""
    if not changes.moves:
        return f"{rule}No value is in both runs."
    named = [_COUNTED.get(move_word(move), move_word(move)) for move in changes.moves]
    order = [*_COUNTED.values(), *dict.fromkeys(named)]
    counts = [f"{named.count(word)} {word}" for word in dict.fromkeys(order) if word in named]
    return f"{rule}Of {_count_noun(len(named), 'value')}: {', '.join(counts)}."


def _count_noun(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


SIGNS = 12


def describe_frozen_rule(frozen: FrozenRule | None) -> str:
    """Tell whether what decides was fixed before the run.

    >>> describe_frozen_rule(None)
    'not pre-registered: nothing shows that it was fixed before the data were seen'
    """
    if frozen is None:
        return "not pre-registered: nothing shows that it was fixed before the data were seen"
    digest_text = f"digest {frozen.digest[:SIGNS]}, stated time {clean_prose(frozen.time, 40)}"
    if not frozen.is_kept:
        return f"exploratory: it differs from the rule that was frozen ({digest_text})"
    return f"fixed before this run ({digest_text}); the proof of the time is outside this file"


def list_rule_differences(frozen: FrozenRule | None) -> list[str]:
    """Each key that differs from the frozen rule, with both values; each file of other scores."""
    if frozen is None:
        return []
    keys = [
        f"{clean_prose(each.key, 80)}: {clean_prose(each.before, 80) or 'none'} → "
        f"{clean_prose(each.now, 80) or 'none'}"
        for each in frozen.differences
    ]
    return [*keys, *(f"other scores: {clean_prose(path, 120)}" for path in frozen.scores)]


GROUP_MEANS = "minima, quartiles, maxima and points of curves are means of at least 10 {rows}"


def describe_privacy(asked: object, rows: str = "rows") -> str:
    """Describe what the report keeps to itself, by the config's own word.

    >>> describe_privacy({"level": "open"})
    'open: small segments, ends of columns and what single rows do are told'
    """
    keys = dict(asked) if isinstance(asked, Mapping) else {}
    word = str(keys.pop("level", "open"))
    own = ", ".join(f"{key} {value}" for key, value in keys.items() if value is not None)
    rules = {
        "open": f"small segments, ends of columns and what single {rows} do are told",
        "standard": f"segments of fewer than 30 {rows}, those that give them away, and bins and "
        "cells of fewer than 5 are not told",
        "strict": f"segments of fewer than 30 {rows} are left out, and so are segments that would "
        f"reveal them, numbers of fewer than 10, and the effect of single {rows}; "
        f"{GROUP_MEANS.format(rows=rows)}",
    }.get(word, word)
    return f"{word}: {rules}{f'; but {own}' if own else ''}"


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
    'the first at these rows, as far as runs name each other'
    """
    known = "as far as runs name each other"
    if looks.planned is not None:
        each = 1 - (1 - looks.level) / looks.planned
        return (
            f"look {looks.count} of {looks.planned} planned at these {rows}, {known}; limits are "
            f"at {format_level(each)} each, so that {format_level(looks.level)} holds for all "
            "looks together"
        )
    if looks.count == 1:
        return f"the first at these {rows}, {known}"
    bound = min(looks.count * (1 - looks.level) / 2, 1.0)
    return (
        f"look {format_count(looks.count)} at these {rows}, {known}; had no candidate been "
        "better, one "
        f"would be called better with a chance of up to {format_level(bound)}"
    )
