"""The notebook: arrays, frames and estimators in, maps in place of files, and what a cell shows."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pandas as pd
import polars as pl
import pytest
from nbclient import NotebookClient

import reportgen
from reportgen.errors import DataError
from reportgen.terms import VOUCHING
from tests.end_to_end.wallet import WALLET, contents, put

RNG = np.random.default_rng(1)
Y = RNG.gamma(2.0, 10.0, 80)
OLD, NEW = Y + RNG.normal(0, 5, 80), Y + RNG.normal(0, 4, 80)
REGION = np.repeat(["north", "south"], 40)
QUICK: dict[str, Any] = {
    "baseline": "old",
    "metrics": ["mae"],
    "config": {"bootstrap": {"replicates": 99}, "outputs": ["markdown"]},
    "use_cache": False,
}


def compared(y: Any = Y, predictions: Any = None, **changes: Any) -> reportgen.Comparison:
    predictions = {"old": OLD, "new": NEW} if predictions is None else predictions
    return reportgen.compare(y, predictions, **{**QUICK, **changes})


@pytest.mark.parametrize(
    "given",
    [
        lambda: (list(Y), {"old": list(OLD), "new": tuple(NEW)}, {"region": list(REGION)}),
        lambda: (
            pd.Series(Y),
            pd.DataFrame({"old": OLD, "new": NEW}),
            pd.DataFrame({"region": pd.Categorical(REGION)}),
        ),
        lambda: (
            pl.Series(Y),
            pl.DataFrame({"old": OLD, "new": NEW}),
            pl.DataFrame({"region": REGION}),
        ),
    ],
    ids=["lists", "pandas", "polars"],
)
def test_lists_and_frames_of_pandas_and_polars_give_what_arrays_give(
    given: Callable[[], tuple[Any, Any, Any]],
) -> None:
    y, scores, segments = given()
    mine = compared(segments={"region": REGION}).results
    theirs = compared(y, scores, segments=segments).results
    assert theirs.estimates == mine.estimates
    assert theirs.comparisons == mine.comparisons
    assert {e.segment for e in mine.estimates} == {None, "region=north", "region=south"}


def test_a_comparison_of_arrays_is_that_of_a_file(tmp_path: Path) -> None:
    frame = pd.DataFrame({"row": np.arange(80), "y": Y, "old": OLD, "new": NEW})
    frame.to_csv(tmp_path / "wide.csv", index=False)
    config = {
        "version": 1,
        "report": {"title": "Model comparison"},
        "task": "regression",
        "datasets": {"data": {"path": "wide.csv", "id": "row", "target": "y"}},
        "models": {"old": {"column": "old", "role": "baseline"}, "new": {"column": "new"}},
        "metrics": ["mae"],
        "primary": {"metric": "mae"},
        "bootstrap": {"replicates": 99},
    }
    of_file = reportgen.run(config, folder=tmp_path, use_cache=False)
    assert compared().results.comparisons == of_file.results.comparisons


def test_a_model_of_several_columns_is_a_map_of_them() -> None:
    report = compared(predictions={"old": OLD, "new": {"mean": NEW, "sd": np.full(80, 4.0)}})
    assert report.results.config["models"]["new"]["columns"] == {"mean": "new mean", "sd": "new sd"}


def test_models_may_have_numbers_for_names_and_one_metric_needs_no_list() -> None:
    report = compared(predictions=pd.DataFrame({1: OLD, 2: NEW}), baseline=1, metrics="mae")
    assert [(c.candidate, c.baseline) for c in report.results.comparisons] == [("2", "1")]


def test_weights_clusters_units_and_margins_reach_the_config() -> None:
    report = compared(sample_weight=Y + 1, groups=np.arange(80) // 4, unit="EUR", margin="2%")
    dataset = report.results.datasets[0]
    assert (dataset.weight, dataset.cluster, dataset.unit) == ("sample_weight", "groups", "EUR")
    assert report.results.metrics[0].margin_text == "2%"


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (
            lambda: compared(predictions={"old": OLD[:-1]}),
            reportgen.DataError,
            "predictions['old'] has 79 rows, but y has 80; give every column the same rows",
        ),
        (
            lambda: compared(pd.Series(Y), {"old": pd.Series(OLD, index=range(1, 81))}),
            reportgen.DataError,
            "predictions['old'] has another index than y; align them first",
        ),
        (
            lambda: compared(predictions=np.c_[OLD, NEW]),
            reportgen.DataError,
            "predictions has 2 columns, but task regression takes one number a row; if its "
            "columns are several models, give a map such as {'ridge': p1, 'boost': p2}",
        ),
        (
            lambda: compared(
                predictions=pd.DataFrame(np.c_[OLD, NEW, OLD], columns=["a", "b", "a"])
            ),
            reportgen.DataError,
            "predictions has 2 columns 'a'; rename all but one",
        ),
        (
            lambda: compared(segments={"old": REGION}),
            reportgen.UsageError,
            "segments['old'] and predictions['old'] would both be the column 'old'; rename one",
        ),
        (
            lambda: compared(baseline="odl"),
            reportgen.UsageError,
            "baseline: no model is called 'odl'; did you mean 'old'?",
        ),
        (
            lambda: compared(metrics=[]),
            reportgen.UsageError,
            "metrics is empty; name at least one, such as 'mae'",
        ),
        (
            lambda: compared(metrics=["kendal"]),
            reportgen.ConfigError,
            "metrics[0]: unknown metric 'kendal'; did you mean 'kendall'?",
        ),
        (
            lambda: compared(config={"bootstrap": {"seeed": 1}}),
            reportgen.ConfigError,
            "config: bootstrap.seeed: unknown key 'seeed' in bootstrap; did you mean 'seed'?",
        ),
        (
            lambda: reportgen.run({"version": 1, "metrics": [Y]}),
            reportgen.ConfigError,
            "config: metrics[0]: a config holds no ndarray, only text, numbers, lists and maps; "
            "give data to reportgen.compare",
        ),
        (
            lambda: compared(predictions={"old": ["much"] * 80}),
            reportgen.DataError,
            "the given arrays: column 'old' has text instead of numbers: 'much' at row 1",
        ),
    ],
)
def test_what_is_wrong_with_arrays_is_one_clear_line(
    call: Callable[[], object], error: type[Exception], says: str
) -> None:
    with pytest.raises(error) as told:
        call()
    assert says in str(told.value)


def test_the_config_may_name_the_baseline() -> None:
    config = {**QUICK["config"], "models": {"new": {"role": "baseline"}}}
    report = compared(baseline=None, config=config)
    assert {c.baseline for c in report.results.comparisons} == {"new"}


def test_one_model_needs_no_baseline() -> None:
    assert compared(predictions={"old": OLD}, baseline=None).results.comparisons == ()


def test_a_config_that_holds_itself_is_refused() -> None:
    loop: dict[str, object] = {"version": 1}
    loop["meta"] = loop
    with pytest.raises(reportgen.ConfigError, match="the config is too large, or holds itself"):
        reportgen.run(loop)


def test_a_map_is_the_config_that_a_file_would_be(tmp_path: Path) -> None:
    of_file = reportgen.run(put(tmp_path), use_cache=False).results
    of_map = reportgen.run(WALLET, folder=tmp_path, use_cache=False).results
    assert of_map.comparisons == of_file.comparisons
    assert of_map.gates == tuple(replace(gate, file="", line=None) for gate in of_file.gates)
    assert of_map.config == of_file.config
    assert of_map.provenance["command"] == "reportgen.run(config)"


def test_only_the_outputs_that_are_asked_for_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "reportgen.report.render.outputs.render_output", lambda *_: pytest.fail("nobody asked")
    )
    report = compared()
    monkeypatch.undo()
    report.save(tmp_path / "out")
    assert set(contents(tmp_path / "out")) == {"results.json", "report.md", *VOUCHING}


def test_each_output_that_cannot_be_made_is_a_line_of_its_own(tmp_path: Path) -> None:
    for output in ("html", "markdown"):
        (tmp_path / output).mkdir()
        kind = "md" if output == "markdown" else output
        (tmp_path / output / f"report.{kind}").write_text("{{ nothing_of_that_name }}")
    config = put(tmp_path, outputs=["html", "markdown"])
    report = reportgen.run(config, template_dir=tmp_path, use_cache=False)
    with pytest.raises(reportgen.OutputError) as told:
        report.save(tmp_path / "out")
    lines = str(told.value).split("\n")
    assert [Path(line.partition(":")[0]).name for line in lines] == ["report.html", "report.md"]


def test_a_report_is_shown_as_one_line_and_as_page_one() -> None:
    report = compared()
    assert repr(report) == f"<Comparison: {report.answer}>"
    cell = report._repr_mimebundle_()
    assert set(cell) == {"text/html", "text/markdown", "text/plain"}
    assert report.answer in cell["text/html"] and report.answer in cell["text/plain"]
    assert all(
        each not in cell["text/html"] for each in ("<iframe", "<script", "@font-face", "#results")
    )


def test_the_package_lists_what_is_public() -> None:
    assert dir(reportgen) == sorted(reportgen.__all__)
    assert all(hasattr(reportgen, name) for name in dir(reportgen))


def test_a_notebook_runs_it(tmp_path: Path) -> None:
    cells = [
        "import numpy as np, reportgen\n"
        "y = np.arange(40.0) % 7\n"
        "old, new = y + 1 + np.cos(y * 9), y + np.cos(np.arange(40.0))",
        "report = reportgen.compare(y, {'old': old, 'new': new}, baseline='old',\n"
        "    metrics=['mae'], config={'bootstrap': {'replicates': 99}}, use_cache=False)\n"
        "report",
        "list(report.comparisons.metric)",
        "reportgen.run({'version': 1})",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client = NotebookClient(
        notebook, timeout=120, allow_errors=True, resources={"metadata": {"path": str(tmp_path)}}
    )
    shown = [output for cell in client.execute().cells for output in cell.outputs]
    assert [output.output_type for output in shown] == ["execute_result", "execute_result", "error"]
    assert "mean absolute error" in shown[0].data["text/plain"]
    assert "<svg" in shown[0].data["text/html"]
    assert shown[1].data["text/plain"] == "['mae']"
    assert shown[2].ename == "ConfigError"
    assert 1 <= len(shown[2].traceback) <= 6 and "reportgen/" not in "".join(shown[2].traceback)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mark", [".", ","])
def test_numbers_written_as_text_are_no_classes(mark):
    y = [f"{k}{mark}5" for k in range(30)]
    with pytest.raises(DataError) as error:
        reportgen.compare(y, {"a": y, "b": y[::-1]})
    assert str(error.value) == (
        f"y holds numbers written as text, such as '0{mark}5'; convert them to numbers, or give "
        "task='multiclass'"
    )
