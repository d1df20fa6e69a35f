"""Which methods `auto` tries, by the traits of what is judged, in the order they are tried.

Each table is a list of rules; the first whose traits all hold gives the methods. Nothing heavy is
imported here, as in `methods`.
"""

from __future__ import annotations

from typing import Literal

from reportgen.metrics.traits import Estimand, Of, Scale

Rules = tuple[tuple[Scale | Literal[""], Of | Literal[""], tuple[str, ...]], ...]
"""Rules of (scale, what it is made of, methods); "" stands for any."""

ONE_MODEL: Rules = (
    # Heavy tails shrink its influence far more than the spread of its replicates.
    ("correlation", "means", ("symmetric-studentized", "fisher-z-se", "fisher-z")),
    ("correlation", "", ("fisher-z", "influence", "bca")),
    ("share", "weights", ("logit-influence", "wilson", "bca")),
    ("share", "", ("logit-influence", "bca")),
    ("positive", "cells", ("log-influence", "log-se")),
    ("positive", "", ("log-studentized", "log-se")),
    # Two squares, of the errors and of y, share their wild rows: the bootstrap-t misses by more.
    ("one minus positive", "", ("log-se",)),
    ("", "mean", ("studentized", "t", "bca")),
    ("", "pairs", ("influence", "bca")),
    ("", "", ("bca",)),
)
FORMULAS: Rules = (
    ("positive", "", ("log-influence",)),
    ("one minus positive", "", ("log-influence",)),
    *ONE_MODEL,
)
DIFFERENCE: Rules = (
    # Of two shares of the same rows, by the rows that changed.
    ("share", "mean", ("tango",)),
    ("share", "cells", ("tango", "influence")),
    ("one minus positive", "", ()),
    # Where few units differ, exact limits of the shares that do; else the t interval.
    ("", "mean", ("exact-share", "t")),
    ("", "pairs", ("influence",)),
    ("", "ranks", ("influence",)),
    ("", "cells", ("influence",)),
    # A few wild rows rule squares: their spread in each resample is part of the answer.
    ("", "means", ("symmetric-studentized",)),
    # Replicates of what hangs on an edge spread too far.
    ("", "", ("multiplier", "symmetric")),
)
TESTS: Rules = (
    ("share", "mean", ("mcnemar", "bootstrap")),
    ("share", "cells", ("mcnemar", "influence")),
    ("", "cells", ("influence",)),
    ("share", "pairs", ("delong", "influence")),
    ("correlation", "means", ("bootstrap-t", "bootstrap-z", "influence")),
    ("", "mean", ("t",)),
    ("", "pairs", ("influence",)),
    ("", "ranks", ("influence",)),
    ("", "means", ("bootstrap",)),
    ("", "", ("multiplier", "bootstrap")),
)


def methods_of(estimand: Estimand, rules: Rules) -> tuple[str, ...]:
    """The methods of the first rule that holds, for one model after the one of its own.

    >>> methods_of(Estimand("share", "pairs"), TESTS)
    ('delong', 'influence')
    """
    found = next(
        methods
        for scale, of, methods in rules
        if scale in ("", estimand.scale) and of in ("", estimand.of)
    )
    is_of_one = rules is ONE_MODEL or rules is FORMULAS
    return (estimand.interval, *found) if is_of_one and estimand.interval else found
