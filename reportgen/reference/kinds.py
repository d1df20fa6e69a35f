"""The kinds of what has a name. Each reads its entries from the place that defines them.

What a kind is defined by is imported where it is asked for, so that one list costs one import.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from reportgen.errors import EXIT_CODES
from reportgen.reference.entries import ReferenceEntry, told

Entries = Mapping[str, ReferenceEntry]


@dataclass(frozen=True)
class Kind:
    """What one of them is called, what they are for, and where they come from."""

    one: str
    about: str
    entries: Callable[[], Entries]


def _metrics() -> Entries:
    from reportgen.metrics import METRICS
    from reportgen.metrics.names import homonyms
    from reportgen.reference.statistics import metric, metric_row

    # Found by what a config calls it, too, where a metric of another task has that for its name.
    return {
        name: ReferenceEntry(
            metric_row(found),
            partial(metric, found),
            (*found.aliases, *([found.asked_name] if homonyms(found) else [])),
        )
        for name, found in sorted(METRICS.items())
    }


def _curves() -> Entries:
    from reportgen.curves import CURVES
    from reportgen.reference.statistics import curve, curve_row

    return {
        name: ReferenceEntry(curve_row(found), partial(curve, found))
        for name, found in sorted(CURVES.items())
    }


def _warnings() -> Entries:
    from reportgen.wording import WARNINGS

    return {
        code: ReferenceEntry(
            (code, found.title),
            partial(
                told,
                f"{code}: {found.title}",
                found.meaning,
                {"matters": found.matters, "what to do": found.remedy},
            ),
        )
        for code, found in WARNINGS.items()
    }


def _rules() -> Entries:
    from reportgen.config import RULES

    return _plainly(RULES)


def _intervals() -> Entries:
    from reportgen.inference.intervals import METHODS
    from reportgen.inference.methods import CHOSEN, INTERVALS

    return _of_inference(INTERVALS, CHOSEN, METHODS)


def _tests() -> Entries:
    from reportgen.inference.methods import CHOSEN, TESTS
    from reportgen.inference.significance import TESTS as FUNCTIONS
    from reportgen.inference.significance import sign_flip

    return _of_inference(TESTS, CHOSEN, {**FUNCTIONS, "sign-flip": sign_flip})


def _adjustments() -> Entries:
    from reportgen.inference.methods import ADJUSTMENTS
    from reportgen.wording import adjustment, capital

    return _plainly({name: f"{capital(adjustment(name))}." for name in ADJUSTMENTS})


def _sections() -> Entries:
    from reportgen.sections import SECTIONS

    return _plainly({key: chapter.about for key, chapter in SECTIONS.items()})


def _exit_codes() -> Entries:
    return _plainly({str(code): text for code, text in EXIT_CODES.items()})


def _plainly(texts: Mapping[str, str]) -> Entries:
    return {
        name: ReferenceEntry((name, text), partial(told, name, text))
        for name, text in texts.items()
    }


def _of_inference(
    names: tuple[str, ...], chosen: Mapping[str, str], functions: Mapping[str, Any]
) -> Entries:
    """Methods by name: what is chosen in words, the others by what their functions say."""
    from reportgen.wording.methods import why

    made = {}
    for name in names:
        text = chosen.get(name) or _first(functions[name])
        more = "" if name in chosen else " ".join(_paragraphs(functions[name])[1:])
        reason = "" if name in chosen else why(name)
        facts = {"more": more, "why": reason}
        made[name] = ReferenceEntry((name, text), partial(told, name, text, facts))
    return made


def _first(documented: Any) -> str:
    return _paragraphs(documented)[0]


def _paragraphs(documented: Any) -> list[str]:
    text = inspect.getdoc(documented) or ""
    return [part.replace("\n", " ") for part in text.split("\n\n") if not part.startswith(">>>")]


KINDS: Mapping[str, Kind] = {
    "metrics": Kind("metric", "What models are measured by: `metrics:`.", _metrics),
    "curves": Kind("curve", "What is drawn over all rows: `curves:`.", _curves),
    "warnings": Kind("warning", "How far to trust a number: `warnings: {fatal: […]}`.", _warnings),
    "rules": Kind("gate rule", "What a gate demands: `gates: [{rule: …}]`.", _rules),
    "intervals": Kind("interval", "How limits are found: `bootstrap: {interval: …}`.", _intervals),
    "tests": Kind("test", "How a difference is tested: `comparisons: {test: …}`.", _tests),
    "adjustments": Kind(
        "adjustment",
        "How many comparisons are allowed for: `comparisons: {adjust: …}`.",
        _adjustments,
    ),
    "sections": Kind("section", "What stands in a report, in its order: `sections:`.", _sections),
    "exit-codes": Kind("exit code", "What a command ends with.", _exit_codes),
}
