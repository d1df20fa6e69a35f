"""What changed between two runs, in words."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.results.changes import Changes, Move
from reportgen.wording.numbers import Form, declared_form, form_of, level, p_value, size_amount

FIRST_RUN = "First run: there is no earlier one to compare with."
NOTHING = "Nothing that is compared changed."
RULE = "The rule"
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
    "worsened": "worsened", "improved": "improved", "moved": "moved",
    "within the margin": "within the margin", "not shown": "without a shown move",
    "same": "exactly the same",
}  # fmt: skip
_TRACKED = {"improved": "good", "worsened": "bad", "moved": "open"}


def caused(is_changed: bool | None) -> str:
    """Whether a cause changed.

    >>> caused(None)
    'cannot be told'
    """
    return _CAUSED[is_changed]


def method_of(move: Move) -> str:
    """How the interval of a move was made."""
    return _METHODS.get(move.method, move.method)


def how(move: Move) -> str:
    """The same with what to know of it."""
    return f"{method_of(move)} ({move.note})" if move.note else method_of(move)


def word_of(move: Move) -> str:
    """What a move shows, if anything."""
    if move.method == "not comparable":
        return "not comparable"
    return move.word or "not shown"


def tone_of(move: Move) -> str:
    """The colour of its word."""
    return _TRACKED.get(move.word, "neutral")


def numbers_of(move: Move) -> tuple[str, str, str, str]:
    """Before, now, the change, its interval, in the digits that the interval allows.

    No bound is rounded onto the margin that it is held against.
    """
    ends = (0.0,) if move.margin is None else (0.0, move.margin, -move.margin)
    form = form_of(move.change, move.low, move.high, move.unit, ends)
    interval = form.interval(move.low, move.high, signed=True) if move.low is not None else "–"
    change = form.amount(move.change, signed=True) if move.change is not None else "–"
    return _value(form, move.before), _value(form, move.now), change, interval


def _value(form: Form, value: float | None) -> str:
    return form.amount(value)


def moved(move: Move, labels: Mapping[str, str]) -> str:
    """Whose value moved: a model, or a model against another."""
    own = labels.get(move.model, move.model)
    return f"{own} − {labels.get(move.against, move.against)}" if move.against else own


def of_move(move: Move, margin: float | None) -> str:
    """A move with its interval, and the margin that it is held against."""
    form = form_of(move.change, move.low, move.high, move.unit, (0.0, margin, -(margin or 0.0)))
    interval = form.interval(move.low, move.high, signed=True)
    most = size_amount(declared_form(margin, move.unit), margin)
    return (
        f"moved {form.amount(move.change, signed=True)} since the last run ({level(move.level)} "
        f"interval {interval}), margin {most}"
    )


def of_family(changes: Changes) -> str:
    """How the words were judged, over all moves of the page."""
    if not changes.family:
        return "No move has an interval that can be judged."
    first = next(move for move in changes.moves if move.p_value is not None)
    count = f"{changes.family} moves" if changes.family > 1 else "1 move"
    return (
        f"{level(first.level)} intervals, each for itself; the words rest on p-values adjusted for "
        f"{count} (Holm)."
    )


def told_p(move: Move) -> str:
    """The adjusted p-value of a move, if it has one."""
    return p_value(move.p_adjusted) if move.p_adjusted is not None else ""


def of_same(changes: Changes) -> str:
    """How many values are as they were, where any are."""
    count = sum(move.word == "same" for move in changes.moves)
    if not count:
        return ""
    verb = "is" if count == 1 else "are"
    return f"{_counted(count, 'value')} {verb} exactly the same: from the same rows and scores."


def others_in(changes: Changes) -> list[Move]:
    """The moves that are not exactly nothing."""
    return [move for move in changes.moves if move.word != "same"]


def found_in(changes: Changes) -> str:
    """What a reader should know first, in a sentence."""
    rule = f"The rule changed ({_counted(len(changes.rule), 'key')}). " if changes.rule else ""
    if not changes.moves:
        return f"{rule}No value is in both runs."
    named = [_COUNTED.get(word_of(move), word_of(move)) for move in changes.moves]
    order = [*_COUNTED.values(), *dict.fromkeys(named)]
    told = [f"{named.count(word)} {word}" for word in dict.fromkeys(order) if word in named]
    return f"{rule}Of {_counted(len(named), 'value')}: {', '.join(told)}."


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
