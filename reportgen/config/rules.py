"""The rules of gates, in words: what each demands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

RULES: Mapping[str, str] = {
    "below": "The metric's interval lies below the value, or its size does where zero is best.",
    "above": "The metric's interval lies above the value; refused where zero is best.",
    "better": "The interval of the difference shows an improvement, by more than the margin if "
    "one is given.",
    "no_regression": "There is no evidence of harm beyond the margin. Thin evidence passes.",
    "non_inferior": "The interval of the difference shows that the model is not worse by more than "
    "the margin. Thin evidence does not pass.",
    "not_worse_than_previous": "There is no evidence that the model's value on all rows got worse "
    "since the `previous:` run by more than the margin. Skipped on a first run.",
    "few_harmed": "The interval of the share of queries that lose more than `drop` lies below the "
    "value; task: ranking.",
}


def told(rules: Iterable[str]) -> str:
    """What some rules demand, one sentence after the other.

    >>> told(["above"])
    "above: The metric's interval lies above the value; refused where zero is best."
    """
    return " ".join(f"{rule}: {RULES[rule]}" for rule in rules)
