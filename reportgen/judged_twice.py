"""From a config and rows with a second target to the judge that models are held against."""

from __future__ import annotations

import numpy as np

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
    name = next(iter(points), ALONE)
    calls = Calls({name: Threshold(0.5)})
    said = Predictions(code, "label", calls=calls, classes=sample.classes)
    rows = task.rows(Column(sample.y), said)
    is_of_two = task.target == "flag"
    at: dict[str, str | bool] = {"at": name, "moves": is_moving(points.get(name))}
    at = at if is_of_two else {}
    uses = tuple(Use(each, meant(each, config.task, **at), None, False) for each in ASKED)
    scores = ModelScores(JUDGE, "the second judge", rows)
    calls_any = bool(points) or not is_of_two
    return SecondJudge(column, next(iter(points), ""), scores, judged, uses, calls_any)
