"""What becomes of a candidate in segments, in words."""

from __future__ import annotations

from reportgen.results import MetricInfo
from reportgen.wording.names import lowered, name
from reportgen.wording.numbers import count


def in_segments(
    model: str, baseline: str, metric: MetricInfo, counts: tuple[int, int, int], flips: int
) -> str:
    """In how many segments a candidate is better and worse: `counts` are those two and all."""
    better, worse, known = counts
    on = lowered(name(metric.label))
    said = (
        f"On {on} {name(model, 40)} is better than {name(baseline, 40)} in {better} of "
        f"{count(known, 'segment')} and worse in {worse}"
    )
    where = "one" if flips == 1 else str(flips)
    return f"{said}; the result reverses in {where}" if flips else said
