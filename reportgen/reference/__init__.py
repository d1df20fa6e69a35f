"""What a config and a report can name, told from the place that defines it: list and explain.

What only one of them needs is imported there, so that a list takes no longer than it must.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reportgen.errors import UsageError, did_you_mean, nearest, spelling
from reportgen.reference.entries import ReferenceEntry
from reportgen.reference.kinds import KINDS, Kind

WHICH = "which"
__all__ = ["KINDS", "Kind", "ReferenceEntry", "explained", "listed"]


def listed(kinds: str | None) -> str:
    """One line for each thing of a kind; without one, the kinds themselves."""
    if kinds is None:
        return _lines((name, kind.about) for name, kind in KINDS.items())
    if kinds not in KINDS:
        raise UsageError(f"there is no list of {kinds!r}; {did_you_mean(kinds, KINDS)}")
    return _lines(entry.row for entry in KINDS[kinds].entries().values())


def explained(name: str) -> str:
    """All that is known of what has this name, of whatever kinds; capitals do not count."""
    from reportgen.config.measures import spelled
    from reportgen.reference.choosing import which

    if spelling(name) == WHICH:
        return which()
    known = {kind.one: kind.entries() for kind in KINDS.values()}
    found = [
        f"{one} {entry.tell()}"
        for one, entries in known.items()
        for each, entry in entries.items()
        if spelling(name) in map(spelling, (each, *entry.aliases))
    ]
    if found:
        return "\n\n".join(found)
    if short := spelled(name):
        metric, params = short
        given = ", ".join(f"{key}: {value}" for key, value in params.items())
        written = f"{{name: {metric}{', ' * bool(given)}{given}, as: {name!r}}}"
        return f"{name}: a short form of {written}\n\n{explained(metric)}"
    raise UsageError(f"nothing is called {name!r}; {_hint(name, known)}")


def _hint(name: str, known: Mapping[str, Mapping[str, ReferenceEntry]]) -> str:
    near = nearest(name, {each for entries in known.values() for each in entries})[:3]
    if not near:
        return "`reportgen list` says what there is"
    told = (
        f"{each!r} ({', '.join(one for one, entries in known.items() if each in entries)})"
        for each in near
    )
    return f"did you mean {' or '.join(told)}?"


def _lines(rows: Iterable[tuple[str, ...]]) -> str:
    table = list(rows)
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    )
