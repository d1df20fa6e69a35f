"""From a config and rows with a second target to the judge that models are held against."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from reportgen.analysis.agreement import JUDGE
from reportgen.analysis.plan import ModelScores, SecondJudge, Use
from reportgen.config import Config
from reportgen.data.sample import Sample
from reportgen.kernels.batch import Column
from reportgen.kernels.cuts import Calls, Threshold
from reportgen.metrics.names import meant
from reportgen.operating import is_moving, points_of
from reportgen.tasks import TASKS, Predictions

ASKED = ("kappa", "accuracy")
ALONE = "calls"  # the point of a judge beside models that have none


def second_judge(config: Config, sample: Sample) -> SecondJudge | None:
    """The judge of the second target; None where the dataset has none."""
    column = config.datasets[sample.dataset].second_target
    if column is None or sample.second is None:
        return None
    judged = np.isfinite(sample.second)
    code = np.where(judged, sample.second, 0.0)
    task, points = TASKS[config.task], points_of(config)
    calls = Calls({name: Threshold(0.5) for name in points or (ALONE,)})
    said = Predictions(code, "label", calls=calls, classes=sample.classes)
    rows = task.rows(Column(sample.y), said)
    is_of_two = task.target == "flag"
    scores = ModelScores(JUDGE, "the second judge", rows)
    return SecondJudge(
        column,
        scores,
        judged,
        dict(_uses(config, tuple(points) or (ALONE,) if is_of_two else ("",))),
        bool(points) or not is_of_two,
        _only(sample, judged),
    )


def _uses(config: Config, points: Sequence[str]) -> Iterator[tuple[tuple[str, str], Use]]:
    """The metrics of calls by name and operating point, "" where no calls begin at one."""
    declared = points_of(config)
    for point in points:
        at: dict[str, str | bool] = {"at": point, "moves": is_moving(declared.get(point))}
        at = at if point else {}
        for name in ASKED:
            use = Use(f"{name} {point}", meant(name, config.task, **at), None, False)
            yield (name, point if point in declared else ""), use


def _only(sample: Sample, judged: NDArray[np.bool_]) -> str:
    """The class that the judge names on all rows with weight; "" where there are several."""
    assert sample.second is not None
    has_weight = judged if sample.weight is None else judged & (sample.weight > 0)
    named = np.unique(sample.second[has_weight])
    return sample.classes[int(named[0])] if len(named) == 1 else ""
