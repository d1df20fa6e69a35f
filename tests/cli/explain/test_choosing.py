"""From a question to a metric: every metric answers one, and says what it is blind to."""

import pytest

from reportgen.cli.explain import explain_name, group_metrics_by_question
from reportgen.metrics import METRICS
from reportgen.metrics.lookup import find_metric


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_answers_a_question_and_says_what_it_is_blind_to(name):
    metric = METRICS[name]
    assert metric.answers is not None
    assert metric.answers.text.endswith("?")
    assert metric.answers.when.endswith(".")
    assert metric.blind
    assert not metric.blind.endswith(".")


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_says_in_plain_words_what_it_asks(name):
    asks = METRICS[name].asks
    assert asks.startswith(("how ", "what "))
    assert asks[-1] not in ".;"


def test_the_chooser_holds_every_metric_once():
    chosen = [
        m.name
        for asked in group_metrics_by_question().values()
        for ms in asked.values()
        for m in ms
    ]
    assert sorted(chosen) == sorted(METRICS)


def test_the_chooser_asks_for_order_first_and_says_what_order_does_not_see():
    told = explain_name("which")
    assert told.index("right order?") < told.index("How far off is a score, in the unit")
    assert "kendall" in told
    assert "the size of the errors" in told


def test_the_chooser_calls_a_metric_as_a_config_of_its_task_does():
    of_task = {part.split("\n")[0]: part for part in explain_name("which").split("Task ")[1:]}
    for task, name in (("binary", "fap"), ("ranking", "fap"), ("multiclass", "accuracy")):
        assert f"\n    {name} " in of_task[task]
        assert find_metric(name, task).task == task
    assert "binary_" not in explain_name("which") and "multiclass_" not in explain_name("which")
