"""Gates in words: what was asked, what was found."""

from __future__ import annotations

from reportgen.results import Finding
from reportgen.results.literals import FEWEST, Lacking
from reportgen.wording.numbers import declared_form, form_of, level, size_amount


def under_fewest(lacks: Lacking) -> str:
    """That there are too few of these for a verdict.

    >>> under_fewest("folds")
    'under 3 folds no verdict is given'
    """
    of: Lacking = lacks or "queries"
    return f"under {FEWEST[of]} {of} no verdict is given"


def evidence(finding: Finding, unit: str = "") -> str:
    """The number a gate judged, its interval and its bound; for a difference, its margin."""
    if finding.value is None:
        return "the number does not exist"
    is_difference = finding.is_of_difference
    size = finding.bound or 0.0
    apart = (0.0, size, -size) if is_difference else (finding.bound,)
    form = form_of(finding.value, finding.low, finding.high, unit, apart)
    said = form.amount(finding.value, signed=is_difference)
    said = f"difference {said}" if is_difference else said
    if finding.low is not None or finding.high is not None:
        interval = form.interval(finding.low, finding.high, signed=is_difference)
        said += f" ({level(finding.level)} interval {interval})"
    if finding.bound is None:
        return said
    form = declared_form(finding.bound, unit)
    if is_difference:
        return f"{said}, margin {size_amount(form, finding.bound)}"
    return f"{said} against a bound of {form.amount(finding.bound)}"


def finding(finding: Finding, unit: str = "") -> str:
    """A gate's reason: its own, or else the evidence."""
    return finding.reason or evidence(finding, unit)
