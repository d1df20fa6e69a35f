"""What an advice on costs leaves to say: what the cheapest model costs, and what constants bring.

The advice has the saving and, with the figure beside it, the cost ratios at which it holds. How
often the model was the cheapest, and what is distinguishable from it, is in the tables.
"""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.results import CostDecision, CostOption
from reportgen.wording.costs import (
    CostTerms,
    quoted,
    saving_in_words,
    setting,
    with_constant,
)
from reportgen.wording.numbers import level


def advised(advice: str, plain: CostDecision, terms: CostTerms) -> str:
    """The advice, after the costs of errors that it is for."""
    return f"{setting(plain, terms)}, {advice[0].lower()}{advice[1:]}"


def beside_advice(
    options: Sequence[CostOption], plain: CostDecision, shifted: CostDecision, terms: CostTerms
) -> list[str]:
    """The sentences after an advice: its saving is not told again, unless another model's is."""
    told = next(each for each in options if each.is_advised)
    is_told = told.method == "none" and told.model == plain.best
    saving = "" if is_told else saving_in_words(plain, terms)
    return [_cost(plain, terms, is_told), saving, with_constant(plain, shifted, terms)]


def _cost(plain: CostDecision, terms: CostTerms, is_told: bool) -> str:
    cost, reach = quoted(plain.cheapest.cost, terms.money)
    amount = f"{cost} {terms.per} ({level(terms.level)} interval {reach})"
    best = terms.label(plain.best)
    if terms.is_alone:
        return f"As it is, {best} has an expected {terms.counted} of {amount}."
    if is_told:
        return f"That is {amount}, the lowest of the models as they are."
    return f"Of the models as they are, {best} has the lowest expected {terms.counted}: {amount}."
