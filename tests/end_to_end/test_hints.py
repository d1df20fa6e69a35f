"""Messages about files say which file, which columns, and the way out."""

import pytest

from tests.end_to_end.wallet import call

CONFIG = """
version: 1
task: regression
report: {{title: x}}
datasets: {{d: {{path: {path}, id: id, target: y{more}}}}}
models: {{a: {{column: a, role: baseline}}}}
metrics: [mae]
outputs: [json]
"""
TWICE = "id,y,a,a\n1,2,3,4\n2,3,4,5\n"
PLAIN = "id,y,a,t\n1,2,3,x\n2,3,4,y\n3,4,5,z\n"


def said(folder, capfd, rows, more="", path="t.csv"):
    """What a run says that ends with wrong data."""
    (folder / "t.csv").write_text(rows)
    (folder / "c.yaml").write_text(CONFIG.format(path=path, more=more))
    assert call("run", folder / "c.yaml", "--quiet", "--out", folder / "out") == 3
    return capfd.readouterr().err


def test_a_name_of_two_columns_is_told_with_both_places(tmp_path, capfd):
    told = said(tmp_path, capfd, TWICE)
    assert "t.csv: 2 columns are called 'a', so it is not clear which is meant: columns 3" in told


def test_a_number_compared_with_texts_is_to_be_quoted(tmp_path, capfd):
    told = said(tmp_path, capfd, PLAIN, ', filter: "t > 3"')
    assert "column 't' has text instead of numbers" in told
    assert "put the value in quotes to compare texts" in told


@pytest.mark.parametrize("filtered", ["a == '9'", "a in ['8', '9']"])
def test_a_text_compared_with_numbers_loses_its_quotes_where_nothing_is_left(
    tmp_path, capfd, filtered
):
    told = said(tmp_path, capfd, PLAIN, f', filter: "{filtered}"')
    assert "column 'a' holds numbers, but the filter compares with text" in told


def test_no_hint_is_given_where_numbers_are_compared(tmp_path, capfd):
    told = said(tmp_path, capfd, PLAIN, ', filter: "a > 9"')
    assert "at least 2 are needed" in told and "quotes" not in told


def test_a_file_of_a_variable_is_told_by_its_dataset(tmp_path, capfd, monkeypatch):
    monkeypatch.setenv("F", "t.csv")
    told = said(tmp_path, capfd, TWICE, path='"${F}"')
    assert told.startswith("${F} (dataset 'd'): 2 columns")
    assert "t.csv" not in told


SCORED = """
version: 1
report: {{title: x}}
datasets: {{d: {{path: t.csv, id: id, target: y}}}}
models: {{a: {{column: a, role: baseline}}}}
{more}
"""


def refused(folder, capfd, more):
    """What is said of a config before its data are read."""
    (folder / "c.yaml").write_text(SCORED.format(more=more))
    assert call("validate", folder / "c.yaml") == 2
    return capfd.readouterr().err


@pytest.mark.parametrize("task", ["", "task: binry"])
def test_parameters_of_a_name_that_several_tasks_have_wait_for_the_task(tmp_path, capfd, task):
    told = refused(tmp_path, capfd, f"{task}\nmetrics: [{{name: recall_at, fpr: 0.1}}]")
    assert "task" in told and "fpr" not in told


def test_every_task_that_has_a_metric_is_named(tmp_path, capfd):
    told = refused(tmp_path, capfd, "task: regression\nmetrics: [recall_at]")
    assert "'recall_at' is for task: binary or ranking, this config's task is" in told


@pytest.mark.parametrize(
    ("metric", "own"),
    [("{name: capture, share: 0.1}", "topk_capture"), ("roc_auc", "regression_auc")],
)
def test_a_metric_of_two_classes_is_told_by_its_name_for_amounts(tmp_path, capfd, metric, own):
    told = refused(tmp_path, capfd, f"task: regression\nmetrics: [{metric}]")
    assert f"this config's task is 'regression'; here it is called '{own}'" in told


def test_a_curve_of_another_task_is_told_by_its_name_here(tmp_path, capfd):
    more = "task: binary\nmetrics: [roc_auc]\ncurves: [gain, lift, calibration, murphy]"
    told = refused(tmp_path, capfd, more)
    for name in ("cumulative_gains", "cumulative_lift", "reliability", "brier_curve"):
        assert f"here it is called '{name}'" in told


def test_a_scorer_of_scikit_learn_is_told_by_how_it_is_written_here(tmp_path, capfd):
    told = refused(tmp_path, capfd, "task: regression\nmetrics: [neg_root_mean_squared_error]")
    assert "unknown metric 'neg_root_mean_squared_error'; here it is written rmse\n" in told
    told = refused(tmp_path, capfd, "task: binary\nmetrics: [f1_macro]")
    assert "in task: multiclass or multilabel it is written {name: f, average: macro}" in told
