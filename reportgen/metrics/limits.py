"""What a parameter may be, said in one sentence when it is not."""

from __future__ import annotations

from reportgen.metrics.spec import Scalar


def outside(name: str, value: Scalar, low: float, high: float) -> str | None:
    """Say so if a number lies outside [low, high]; a missing one (None) is not judged.

    >>> outside("alpha", 1.4, 0, 1)
    'alpha is 1.4, but must be between 0 and 1'
    >>> outside("alpha", 0.4, 0, 1)
    """
    if value is None or low <= float(value) <= high:
        return None
    span = f"at least {low:g}" if high == float("inf") else f"between {low:g} and {high:g}"
    return f"{name} is {value}, but must be {span}"


def not_inside(name: str, value: Scalar, low: float, high: float) -> str | None:
    """Say so if a number is not strictly between low and high; None is not judged.

    >>> not_inside("quantile", 1, 0, 1)
    'quantile is 1, but must lie strictly between 0 and 1'
    """
    if value is None or low < float(value) < high:
        return None
    return f"{name} is {value}, but must lie strictly between {low:g} and {high:g}"


def not_one_of(given: dict[str, Scalar], example: str) -> str | None:
    """Say so unless exactly one of the named parameters is given.

    >>> not_one_of({"above": None, "quantile": None}, "above: 0")
    'give one of above, quantile (such as above: 0)'
    >>> not_one_of({"above": 0.0, "quantile": 0.5}, "above: 0")
    'above and quantile are both given; give one of them'
    """
    named = [name for name, value in given.items() if value is not None]
    if len(named) == 1:
        return None
    if not named:
        return f"give one of {', '.join(given)} (such as {example})"
    every = "both" if len(named) == 2 else "all"
    return f"{' and '.join(named)} are {every} given; give one of them"


def alpha_limits(alpha: float | None) -> str | None:
    """What is wrong with an asymmetry: it is a share, 1 where only under-estimation costs."""
    return "give alpha, such as alpha: 0.8" if alpha is None else outside("alpha", alpha, 0, 1)
