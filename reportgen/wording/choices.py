"""The primary comparison under other choices: what each changes, and what comes of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reportgen.results import Choice, DatasetInfo
from reportgen.wording.names import listed, name
from reportgen.wording.numbers import count
from reportgen.wording.requirements import segment_name
from reportgen.wording.wins import set_to, word_of

METRICS: Mapping[str, str] = {
    "kendall": "Kendall's τ-b",
    "kendall_a": "Kendall's τ-a",
    "average_precision": "average precision",
    "pr_auc": "the interpolated area under the precision-recall curve",
}
_OF_ROWS: Mapping[str, str] = {
    "without the largest errors": "without the 1% largest errors",
    "without the largest targets": "without the 1% largest targets",
    "largest targets capped": "with targets capped at their 99% quantile",
}
INTERVALS: Mapping[str, str] = {
    "bca": "BCa",
    "bc": "bias-corrected",
    "bootstrap-se": "bootstrap standard-error",
}
TIES: Mapping[str, str] = {"half": "one half", "strict": "wrong"}
CHANGED: Mapping[str, str] = {
    "declared": "nothing: as declared",
    "formula": "how limits are found",
    "interval": "interval",
    "chance": "resamples",
    "rows": "rows",
    "definition": "metric",
    "convention": "convention",
    "buckets": "buckets",
    "costs": "costs",
    "design": "weights and units",
    "own": "own choice",
}
"""What analyses of a kind change, in the order in which it is told."""
ONE = "The one other analysis gives the same verdict."
BOTH = "Both other analyses give the same verdict."
MOST = 2  # choices that the sentence names


def under(found: Choice, of: DatasetInfo) -> str:
    """What is otherwise in an analysis, as the end of a sentence.

    >>> rows = DatasetInfo("d", "test", *[""] * 2, 9, *[None] * 3, "", *[()] * 4)
    >>> under(Choice("d", "k", "b", "a", "buckets", "5", *[None] * 3, 0.95, 9, "better", False,
    ...              kind="buckets"), rows)
    'with 5 buckets'
    """
    many, value = name(of.case[1]), found.value
    said = {
        "formula": "by a formula in place of resamples",
        "interval": f"with {INTERVALS.get(value, value)} intervals",
        "chance": f"with the {value} of the resamples",
        "rows": f"without {segment_name(of, value)}",
        "definition": f"with {METRICS.get(value, value)}",
        "buckets": f"with {value} buckets",
        "costs": f"at the {found.choice} {value}",
        "own": f"with “{name(value, 60)}”",
    }.get(found.kind)
    if is_declared(found):
        return "as declared"
    if found.kind == "formula" and found.value:
        return f"with {found.value} resamples"
    if found.kind == "rows" and found.choice == "rows":
        return _OF_ROWS.get(value, value)
    if found.kind == "design":
        return (
            f"with all {many} counting alike"
            if found.choice == "weights"
            else f"as if {many} were independent"
        )
    if found.kind == "definition" and found.choice == "tied scores":
        return f"with pairs of tied scores counted {TIES.get(value, value)}"
    if said is not None:
        return said
    return f"with {set_to(found.choice, found.value)}"


def others(choices: Sequence[Choice]) -> list[Choice]:
    """Those that are not as declared."""
    return [c for c in choices if not is_declared(c)]


def is_declared(found: Choice) -> bool:
    """Whether it is the analysis that the config asks for, in a file of any version."""
    return "declared" in (found.kind, found.choice.removeprefix("as "))


def agreement(choices: Sequence[Choice], better: str, of: DatasetInfo) -> str:
    """How many other analyses have the same verdict, and which have another; "" without any."""
    tried = others(choices)
    turned = [c for c in tried if c.is_other]
    if not tried:
        return ""
    many = count(len(tried), "other analysis", "other analyses")
    if not turned:
        return {1: ONE, 2: BOTH}.get(len(tried), f"All {many} give the same verdict.")
    same = len(tried) - len(turned)
    words = dict.fromkeys(word_of(c, better) for c in turned)
    parts = []
    for word in [*words][:MOST]:
        mine = [under(c, of) for c in turned if word_of(c, better) == word]
        parts.append(f"“{word}” {listed(mine, MOST)}")
    give = "gives" if same == 1 else "give"
    return f"{count(same)} of {many} {give} the same verdict; it becomes {', and '.join(parts)}."
