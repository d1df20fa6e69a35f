"""The names of scikit-learn, against the metrics that there are and against scikit-learn."""

import pytest
import yaml
from sklearn.metrics import get_scorer_names

from reportgen.metrics import lookup
from reportgen.metrics.metric import METRICS
from reportgen.metrics.tasks import SCORERS

# Of clusters found without labels, or of errors that no metric here measures.
WITHOUT_EQUIVALENT = {
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "completeness_score",
    "fowlkes_mallows_score",
    "homogeneity_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "rand_score",
    "v_measure_score",
    "d2_absolute_error_score",
    "explained_variance",
    "neg_max_error",
    "neg_mean_squared_log_error",
}
CASES = [(name, task) for name, tasks in SCORERS.items() for task in tasks]


@pytest.mark.parametrize(("name", "task"), CASES)
def test_what_is_said_to_be_written_here_is_a_metric_of_the_task(name: str, task: str) -> None:
    use = yaml.safe_load(SCORERS[name][task])
    params = {} if isinstance(use, str) else use
    own = params.pop("name", use)
    assert task in lookup.list_tasks(own)
    assert lookup.explain_misfit(own, task, **params) is None
    assert set(params) <= {each.name for each in lookup.list_name_parameters(own, task)}
    choices = {each.name: each.choices for each in lookup.list_name_parameters(own, task)}
    assert all(not choices[key] or value in choices[key] for key, value in params.items())


def test_every_scorer_is_known_or_has_no_equivalent() -> None:
    same = {metric.request_name for metric in METRICS.values()}
    assert set(get_scorer_names()) <= same | set(SCORERS) | WITHOUT_EQUIVALENT
    assert not WITHOUT_EQUIVALENT & set(SCORERS)
