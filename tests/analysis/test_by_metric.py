"""Tables of one metric are made together, and what they rest on once."""

import threading
from collections import Counter
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from benchmarks.plans import change_plan
from reportgen.analysis import bound_statistics, dataset_analysis, run
from reportgen.analysis.dataset_analysis import DatasetAnalysis, draw_replicates
from reportgen.analysis.plan import Segment
from reportgen.analysis.run import analyze_dataset, compute_metric_results
from reportgen.inference.sampling_distribution import count_bytes
from reportgen.metrics.folds import bind_metric
from reportgen.metrics.rows import Classes
from tests.analysis.asked import question, uses
from tests.analysis.sensitivity.lists import analysis, lists


def test_a_distribution_is_made_once_though_few_are_held(monkeypatch):
    found = draw_replicates(question(models=3))
    made, plain = Counter(), DatasetAnalysis._evidence

    def counted(self, part, use, model):
        made[use.key, model] += 1
        return plain(self, part, use, model)

    monkeypatch.setattr(DatasetAnalysis, "_evidence", counted)
    largest = max(
        count_bytes(found.evidence(found.parts[0], use, "m0"))
        for use in found.plan.statistics.metrics
    )
    made.clear()
    # A metric that is a function of another one rests on both, of three models each.
    monkeypatch.setattr(dataset_analysis, "EVIDENCE_BYTES", 0)
    monkeypatch.setattr(dataset_analysis, "MOST", 6 * largest)
    compute_metric_results(replace(found))
    assert set(made.values()) == {1} and len(made) == 3 * len(found.plan.statistics.metrics)


def test_only_what_the_primary_metric_rests_on_is_kept_after_the_tables():
    found = draw_replicates(question(models=3))
    compute_metric_results(found)
    whole, uses = found.parts[0], found.plan.statistics.metrics
    assert sum(use.is_primary for use in uses) == 1
    root = {key: of[0].key for key, of in whole.roots.items()}
    kept = {root.get(use.key, use.key) for use in uses if use.is_primary}
    alike = [use for use in uses if {use.key, root.get(use.key, use.key)} & kept]
    assert len(found.recent) == 3 * len(alike) < 3 * len(uses)
    for use in alike:
        found.forget(whole, [use.key])
    assert len(found.recent) == 0


def test_the_number_of_threads_moves_nothing():
    asked = question(models=3)
    rows = asked.sampling.design.n
    asked = change_plan(asked, segments=(Segment("some", np.arange(rows // 2)),))
    one, two = (analyze_dataset(asked, threads) for threads in (1, 2))
    assert one == two


def classes(n=80):
    """Two models that predict three classes."""
    draw = np.random.default_rng(9)
    code = draw.integers(0, 3, n)
    scores = [draw.random((n, 3)) + share * np.eye(3)[code] for share in (0.5, 1.0)]
    scores = [each / each.sum(axis=1, keepdims=True) for each in scores]
    models = (Classes(code, each, ("a", "b", "c")) for each in scores)
    plan = change_plan(
        question(n), metrics=uses("multiclass_accuracy", "multiclass_f", "multiclass_log_loss")
    )
    scored = zip(plan.models, models, strict=True)
    return change_plan(plan, models=tuple(replace(old, rows=new) for old, new in scored))


def test_the_rows_of_a_table_of_classes_are_known_one_by_one():
    found = draw_replicates(classes())
    accuracy = found.plan.statistics.metrics[0]
    each = found.evidence(found.parts[0], accuracy, "m1")
    assert each.contributions is not None
    assert np.allclose(each.contributions.sum(), each.value)


@pytest.mark.parametrize("ask", [partial(question, models=3), classes])
def test_what_many_rows_add_is_made_again_and_moves_nothing(monkeypatch, ask):
    asked = ask()
    kept = analyze_dataset(asked)
    monkeypatch.setattr(dataset_analysis, "MANY_ROWS", 1)
    monkeypatch.setattr(run, "LARGE", 1)
    assert analyze_dataset(asked, 2) == kept


def test_measures_of_queries_are_found_model_by_model_over_threads(monkeypatch):
    draw = np.random.default_rng(4)
    found = [lists(draw.integers(1, 11, 2_000)) for _ in range(3)]
    on = set()

    def followed(metric, rows):
        on.add(threading.current_thread())
        return bind_metric(metric, rows)

    monkeypatch.setattr(bound_statistics, "bind_metric", followed)
    tables = [
        compute_metric_results(analysis(*found, names=("rr", "ndcg"), threads=k)) for k in (1, 2)
    ]
    assert len(on) > 1
    one, two = ([repr(each.estimates) for each in table] for table in tables)
    assert one == two
