"""Which other analyses are tried: none that can change nothing."""

import numpy as np
import pytest

from reportgen.analysis.plan import ModelScores, PlannedMetric
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Classes
from reportgen.planning.plan import _iter_costs


def model(scale):
    code = np.array([0, 1, 1, 0], np.intp)
    return ModelScores(scale, scale, Classes(code, code[:, None] * 1.0, ("0", "1"), scale))


@pytest.mark.parametrize(
    ("scales", "tried"),
    [
        (("label", "label"), []),
        (("label", "probability"), ["0.444", "0.556"]),
        (("probability", "probability"), ["0.444", "0.556"]),
    ],
)
def test_another_threshold_is_tried_only_where_it_can_change_a_call(scales, tried):
    primary = PlannedMetric("accuracy", METRICS["accuracy"].use(threshold=0.5), None, True)
    assert [each.value for each in _iter_costs(primary, [model(s) for s in scales])] == tried
