"""Units of a metric as templates: "y" and its powers stand for the unit of the target.

A cost without money has the unit of the errors, but not their scale: how much the two unit costs
add up to is part of what it is. "y at under + over = 2" is a mean in which a unit too low costs 2α
and one too high 2(1 − α). It is said where unit costs are declared, on whose scale all else is.
"""

from __future__ import annotations

_AT = " at under + over = "


def at_scale(unit: str, total: float) -> str:
    """The unit of a loss of which one unit too low and one too high cost so much together.

    >>> at_scale("y²", 2)
    'y² at under + over = 2'
    """
    return f"{unit}{_AT}{total:g}"


def without_scale(unit: str) -> str:
    """The unit alone.

    >>> without_scale("y² at under + over = 2"), without_scale("y")
    ('y²', 'y')
    """
    return unit.partition(_AT)[0]


def unit_of(template: str, unit: str, currency: str | None = None) -> str:
    """The metric's unit with y's own unit in it; of a cost the money that a case costs.

    `currency` is that of the declared unit costs, "" if they have none, None without any.

    >>> unit_of("y", "dollars"), unit_of("y²", "dollars"), unit_of("y²", "USD/day")
    ('dollars', 'dollars²', '(USD/day)²')
    >>> unit_of("1", "dollars"), unit_of("cost", "dollars", "EUR"), unit_of("cost", "dollars")
    ('1', 'EUR per case', 'per case')

    A loss is told from money on another scale, where there is such money.

    >>> loss = at_scale("y", 2)
    >>> unit_of(loss, "EUR"), unit_of(loss, "EUR", "EUR"), unit_of(loss, "y", "EUR")
    ('EUR', 'EUR at under + over = 2', 'at under + over = 2')
    """
    if template == "cost":
        return f"{currency or ''} per case".lstrip()
    plain, at, total = template.partition(_AT)
    if not plain.startswith("y"):
        return plain
    is_one_word = unit.isalpha() or len(unit) == 1
    named = plain.replace("y", unit if plain == "y" or is_one_word else f"({unit})")
    if not at or currency is None:
        return named
    return f"{'' if unit == 'y' else named}{at}{total}".lstrip()
