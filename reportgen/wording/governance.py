"""Whether the rule was fixed beforehand, and how often the rows were looked at: sentences."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.results import Frozen, Looks
from reportgen.wording.names import prose
from reportgen.wording.numbers import count, level

SIGNS = 12


def rule(frozen: Frozen | None) -> str:
    """Whether what decides was fixed before the run.

    >>> rule(None)
    'not pre-registered: nothing shows that it was fixed before the data were seen'
    """
    if frozen is None:
        return "not pre-registered: nothing shows that it was fixed before the data were seen"
    told = f"digest {frozen.digest[:SIGNS]}, stated time {prose(frozen.time, 40)}"
    if not frozen.is_kept:
        return f"exploratory: it differs from the rule that was frozen ({told})"
    return f"fixed before this run ({told}); the proof of the time is outside this file"


def differences(frozen: Frozen | None) -> list[str]:
    """Each key that differs from the frozen rule, with both values; each file of other scores."""
    if frozen is None:
        return []
    keys = [f"{prose(each.key, 80)}: {prose(each.before, 80) or 'none'} → "
            f"{prose(each.now, 80) or 'none'}" for each in frozen.differences]  # fmt: skip
    return [*keys, *(f"other scores: {prose(path, 120)}" for path in frozen.scores)]


def privacy(asked: object, rows: str = "rows") -> str:
    """What the report keeps to itself, by the config's own word.

    >>> privacy({"level": "open"})
    'open: small slices, ends of columns and what single rows do are told'
    """
    keys = dict(asked) if isinstance(asked, Mapping) else {}
    word = str(keys.pop("level", "open"))
    own = ", ".join(f"{key} {value}" for key, value in keys.items() if value is not None)
    told = {
        "open": f"small slices, ends of columns and what single {rows} do are told",
        "standard": f"slices of fewer than 30 {rows}, those that give them away, and bins and "
        "cells of fewer than 5 are not told",
        "strict": f"slices of fewer than 30 {rows}, those that give them away, bins and cells "
        f"of fewer than 10, ends of columns and what single {rows} do are not told",
    }.get(word, word)
    return f"{word}: {told}{f'; but {own}' if own else ''}"


def looked(looks: Looks, rows: str = "rows") -> str:
    """How often these rows were judged, and what that does to a limit.

    >>> looked(Looks("d", 1))
    'the first at these rows, as far as runs name each other'
    """
    known = "as far as runs name each other"
    if looks.planned is not None:
        each = 1 - (1 - looks.level) / looks.planned
        return (
            f"look {looks.count} of {looks.planned} planned at these {rows}, {known}; limits are "
            f"at {level(each)} each, so that {level(looks.level)} holds for all looks together"
        )
    if looks.count == 1:
        return f"the first at these {rows}, {known}"
    bound = min(looks.count * (1 - looks.level) / 2, 1.0)
    return (
        f"look {count(looks.count)} at these {rows}, {known}; had no candidate been better, one "
        f"would be called better with a chance of up to {level(bound)}"
    )
