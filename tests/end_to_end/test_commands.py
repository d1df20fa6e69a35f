"""What each command prints, where, and its exit code."""

import json
import re
import sys
from pathlib import Path

import pytest

from reportgen import pipeline
from reportgen.errors import UsageError
from reportgen.governance.study import Options
from reportgen.progress import count_processors, show_progress
from tests.end_to_end.wallet import (
    ROOT,
    call,
    customers,
    dataset,
    heard,
    put,
    put_config,
    results,
    shell,
)

HEAVY = {"scipy", "pandas", "matplotlib", "pyarrow", "typst", "jinja2", "rich"}
Said = pytest.CaptureFixture[str]
FAILS = {"name": "e", "rule": "below", "metric": "mae", "model": "clv", "value": 1}


def test_paths_and_the_verdict_are_on_standard_output_and_a_line_a_stage_on_the_other(
    tmp_path: Path,
) -> None:
    config = put(tmp_path, outputs=["json", "junit", "markdown"])
    code, out, err = shell("run", config, cwd=tmp_path)
    assert code == 0
    *told, last = out.splitlines()
    assert last.startswith("Cannot tell: keep CLV for now.")
    assert told.pop().startswith("manifest sha256 ")
    assert told == [
        "reports/wallet/results.json",
        "reports/wallet/junit.xml",
        "reports/wallet/report.md",
        "reports/wallet/manifest.json",
        "reports/wallet/SHA256SUMS",
        "requirements: 2 met: reports/wallet/junit.xml",
    ]
    stages = err.splitlines()
    assert stages[:-1] == [
        "reportgen: reading the data",
        "reportgen: resampling holdout",
        "reportgen: comparing models on holdout",
        "reportgen: rendering junit",
        "reportgen: rendering markdown",
        "reportgen: writing the report",
    ]
    took = re.sub(r"\d+\.\d s", "… s", stages[-1])
    assert took == "reportgen: done in … s: " + ", ".join(
        f"{stage.removeprefix('reportgen: ')} … s" for stage in stages[:-1]
    )


@pytest.mark.parametrize(
    ("gates", "says"),
    [
        (None, "no requirements: out/results.json"),
        ([FAILS], "requirements: 1 not met: out/results.json"),
        (
            [{**FAILS, "value": 45, "inconclusive": "fail"}],
            "requirements: 1 cannot tell (1 counts as not met): out/results.json",
        ),
    ],
)
def test_a_line_at_the_end_counts_the_requirements_and_names_the_file_to_open(
    tmp_path: Path, capfd: Said, gates: list[dict[str, object]] | None, says: str
) -> None:
    call("run", put(tmp_path, gates=gates), "--out", "out", "--quiet")
    assert capfd.readouterr().out.splitlines()[-3] == says


def test_a_terminal_is_shown_how_long_each_stage_took(
    monkeypatch: pytest.MonkeyPatch, capfd: Said
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with show_progress() as shown:
        shown.stage("reading [red]names", 4)
        shown.done(2)
        shown.stage("rendering html")
    said = capfd.readouterr().err
    assert "reading [red]names" in said
    took = r"reportgen: done in \d\.\d s: reading \[red\]names \d\.\d s, rendering html \d\.\d s"
    assert re.search(took, said)


def test_quiet_says_nothing_on_standard_error(tmp_path: Path, capfd: Said) -> None:
    assert call("run", put(tmp_path), "--out", "out", "--quiet") == 0
    out, err = capfd.readouterr()
    assert (out.splitlines()[0], err) == ("out/results.json", "")


@pytest.mark.full
def test_a_terminal_without_greek_letters_is_no_bug(tmp_path: Path) -> None:
    code, out, _ = shell("run", put(tmp_path), "--quiet", cwd=tmp_path, PYTHONIOENCODING="latin-1")
    assert code == 0
    assert "Kendall's \\u03c4-b" in out


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({}, 0),
        ({"gates": [FAILS]}, 1),
        ({"gates": [{**FAILS, "value": 45, "inconclusive": "fail"}]}, 1),
        ({"gates": [{**FAILS, "value": 45, "inconclusive": "pass"}]}, 0),
        ({"warnings": {"fatal": ["W102"]}}, 1),
        ({"metrics": ["mae", "mea"]}, 2),
        ({"datasets": dataset(filter="n_orders > 1000")}, 3),
    ],
)
def test_the_exit_code_says_how_it_ended(
    tmp_path: Path, change: dict[str, object], code: int
) -> None:
    assert call("run", put(tmp_path, **change), "--out", "out", "--quiet") == code


def test_a_bug_of_ours_ends_with_101_and_says_that_it_is_ours(
    tmp_path: Path, capfd: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reportgen.pipeline.read_data", lambda loaded: 1 / 0)
    assert call("run", put(tmp_path), "--out", "out", "--quiet") == 101
    said = capfd.readouterr().err.splitlines()
    assert said[-1] == "This is a bug in reportgen, not in your config or data."
    assert "ZeroDivisionError" in said[-2]
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["run"], "Error: Missing argument 'CONFIG'."),
        (["run", "none.yaml"], "none.yaml: there is no such file; did you mean 'wallet.yaml'?"),
        (["run", "."], ".: this is a folder; name the YAML file in it"),
        (
            ["validate", "none.yaml"],
            "none.yaml: there is no such file; did you mean 'wallet.yaml'?",
        ),
        (
            ["run", "wallet.yaml", "--out", "wallet.csv"],
            "wallet.csv: is a file; give --out a folder",
        ),
        (
            ["run", "wallet.yaml", "--out", "wallet.csv/x"],
            "x: wallet.csv is a file; give --out a folder",
        ),
        (["run", "wallet.yaml", "--threads", "0"], "0 is not in the range x>=1"),
        (["run", "wallet.yaml", "--template-dir", "none"], "Directory 'none' does not exist."),
        (
            ["run", "wallet.yaml", "--set", "junk"],
            "--set junk: needs KEY=VALUE, such as bootstrap.seed=7",
        ),
        (["run", "wallet.yaml", "--set", "a..b=1"], "--set a..b=1: needs KEY=VALUE"),
        (["run", "wallet.yaml", "--set", "=1"], "--set =1: needs KEY=VALUE"),
        (["run", "wallet.yaml", "--set", "bootstrap.seeed=1"], "did you mean 'seed'?"),
        (
            ["run", "wallet.yaml", "--set", "bootstrap.seed=[1"],
            "the bracket opened at line 1 is not closed",
        ),
        (["run", "wallet.yaml", "--set", "metrics=3"], "metrics needs a list, not '3'; write [3]"),
        (
            ["validate", "wallet.yaml", "--set", "curves=[{name: concordance, bins: 1000}]"],
            "'concordance': bins is 1000, but must be between 1 and 200",
        ),
        (["validate", "wallet.yaml", "--set", "chapters=[data]"], "unknown key 'chapters'"),
        (["explain", "kendal"], "nothing is called 'kendal'; did you mean 'kendall' (metric)"),
        (["explain", "W999"], "nothing is called 'W999'; `reportgen list` says"),
        (["list", "metric"], "there is no list of 'metric'; did you mean 'metrics'?"),
        (["schema", "result"], "'result' is not one of 'config', 'results'."),
        (["init", "none.csv"], "no file 'none.csv'"),
        (["rnu"], "No such command 'rnu'."),
    ],
)
def test_what_cannot_be_done_ends_with_2_and_one_clear_line(
    tmp_path: Path, capfd: Said, words: list[str], says: str
) -> None:
    put(tmp_path)
    assert call(*words) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert says in err
    assert "Traceback" not in err
    assert not (tmp_path / "reports").exists()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "results.json: is not JSON: "),
        ("{", "results.json: is not JSON: "),
        (
            "[]",
            "has schema_version None, this reportgen reads 1 to 3; run the config again",
        ),
        (
            '{"schema_version": 99}',
            "has schema_version 99, this reportgen reads 1 to 3; use a newer",
        ),
        ('{"schema_version": 1}', "results.json: task: Field required; run the config again"),
        ('{"schema_version": 3}', "results.json: task: Field required; run the config again"),
        ('{"schema_version": NaN}', "results.json: is not JSON: NaN is no number"),
        ("[" * 100_000, "results.json: is nested too deeply; give a results.json made by run"),
        ("\xff", "results.json: is not JSON: "),
    ],
)
def test_a_broken_results_json_ends_with_3(
    tmp_path: Path, capfd: Said, text: str, says: str
) -> None:
    (tmp_path / "results.json").write_bytes(text.encode("latin-1"))
    assert call("render", "results.json", "--out", "out") == 3
    assert says in capfd.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_results_json_of_another_version_is_told_by_that_version(
    tmp_path: Path, capfd: Said
) -> None:
    assert call("run", put(tmp_path, outputs=["json"]), "--out", "out", "--quiet") == 0
    path = tmp_path / "out" / "results.json"
    old = json.loads(path.read_text(encoding="utf-8"))
    old["provenance"]["versions"]["reportgen"] = "0.0.9"
    first = old["estimates"][0]
    first["kind of model"] = first.pop("model")
    path.write_text(json.dumps(old), encoding="utf-8")
    for name in ("manifest.json", "SHA256SUMS"):  # which would name another file
        (tmp_path / "out" / name).unlink()
    assert call("render", "out/results.json", "--out", "again") == 3
    assert capfd.readouterr().err == (
        "out/results.json: estimates.0.model: Field required; it was made by "
        "reportgen 0.0.9, which this one cannot read; run the config again\n"
    )
    assert not (tmp_path / "again").exists()


def test_a_results_json_that_is_not_there_ends_with_3(tmp_path: Path, capfd: Said) -> None:
    assert call("render", "none.json") == 3
    assert capfd.readouterr().err == "none.json: cannot be read: No such file or directory\n"


@pytest.mark.parametrize("words", [["--help"], ["schema"], ["validate", "configs/wallet.yaml"]])
def test_a_quick_command_imports_nothing_heavy(words: list[str]) -> None:
    code, _, err = shell(*words, cwd=ROOT, PYTHONPROFILEIMPORTTIME="1")
    named = (line.rpartition("|")[2].strip() for line in err.splitlines() if "|" in line)
    assert code == 0
    assert {name.partition(".")[0] for name in named} & HEAVY == set()


def test_validate_looks_at_the_data_only_if_asked(tmp_path: Path, capfd: Said) -> None:
    config = put(tmp_path, datasets=dataset(target="spent"))
    assert call("validate", config) == 0
    assert call("validate", config, "--data") == 2
    said = capfd.readouterr()
    assert said.out == f"{config}: fine\n"
    assert "wallet.csv has no column 'spent'" in said.err


def test_validate_looks_for_the_segments_of_gates_in_the_data(tmp_path: Path, capfd: Said) -> None:
    gate = {"name": "e", "rule": "below", "metric": "mae", "model": "clv", "value": 400}
    config = put(tmp_path, gates=[{**gate, "segment": "segment=repeats"}])
    assert call("validate", config) == 0
    assert call("validate", config, "--data") == 2
    said = "the data have no segment 'segment=repeats', or only one row of it; did you mean"
    assert said in capfd.readouterr().err
    config = put(tmp_path, gates=[{**gate, "segment": "segment=repeat"}])
    assert call("validate", config, "--data") == 0


def test_validate_names_a_small_segment_by_its_column_and_value(
    tmp_path: Path, capfd: Said
) -> None:
    rows = [row | {"region": f"R{k // 57}"} for k, row in enumerate(customers(120))]
    config = put(tmp_path, rows, datasets=dataset(segments=["region"]))
    assert call("validate", config, "--data") == 0
    small = [line for line in capfd.readouterr().out.splitlines() if line.endswith("(W203)")]
    said = "holdout, region=R2: The segment has 6 of the 30 rows needed. (W203)"
    assert small == [f"{config}: {said}"]


def test_both_schemas_are_json(capfd: Said) -> None:
    for which in ("config", "results"):
        assert call("schema", which) == 0
        assert json.loads(capfd.readouterr().out)["$schema"].endswith("2020-12/schema")


def test_what_init_writes_is_a_config_that_runs(tmp_path: Path, capfd: Said) -> None:
    put(tmp_path)
    assert call("init", "wallet.csv", "--out", "new.yaml") == 0
    assert call("init", "wallet.csv", "--out", "new.yaml") == 2
    assert capfd.readouterr().err.endswith("new.yaml: exists already; choose another --out\n")
    assert call("validate", "new.yaml", "--data") == 0
    sets = ("--set", "bootstrap.replicates=49", "--set", "outputs=[json]")
    assert call("run", "new.yaml", "--out", "out", "--quiet", *sets) == 0


PLUGIN = """
import numpy as np
import reportgen

def size(error):
    return np.{form}(error)

@reportgen.rowwise(title="Worst case", task="regression", better="lower", bounds=(0, np.inf),
                   unit="y", cite="by hand", estimand="mean", needs="amount")
def mine(y: np.ndarray, score: np.ndarray) -> np.ndarray:
    "Mean size of the error, told by a file of our own."
    return size(score - y)
"""


def test_a_metric_of_ones_own_runs_twice_and_is_never_stale(tmp_path: Path) -> None:
    config = put(tmp_path, metrics=["kendall", "mae", "mine"], plugins=["mine.py"])
    ran = {}
    for form in ("abs", "square"):
        (tmp_path / "mine.py").write_text(PLUGIN.format(form=form))
        assert call("run", config, "--out", form, "--quiet", "--allow-plugins") == 0
        ran[form] = {
            (e["model"], e["segment"], e["metric"]): (e["value"], e["low"], e["high"])
            for e in results(tmp_path / form)["estimates"]
        }
    assert ran["abs"]["clv", None, "mine"] == ran["abs"]["clv", None, "mae"]
    assert ran["square"]["clv", None, "mine"][1] > ran["abs"]["clv", None, "mine"][1]
    assert call("explain", "mine") == 2


def test_what_a_plug_in_brings_is_listed_and_explained(tmp_path: Path, capfd: Said) -> None:
    config = str(put(tmp_path, metrics=["kendall", "mine"], plugins=["mine.py"]))
    (tmp_path / "mine.py").write_text(PLUGIN.format(form="abs"))
    assert call("explain", "mine", "--config", config) == 2
    assert "add --allow-plugins" in capfd.readouterr().err
    assert call("explain", "mine", "--config", config, "--allow-plugins") == 0
    assert "Mean size of the error, told by a file of our own." in capfd.readouterr().out
    assert call("list", "metrics", "--config", config, "--allow-plugins") == 0
    assert "\nmine " in capfd.readouterr().out
    assert call("explain", "mine") == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1 / 0", "wallet.yaml:49:3: plugin mine.py failed: ZeroDivisionError: division by zero"),
        ("def f(:", "wallet.yaml:49:3: plugin mine.py failed: SyntaxError: invalid syntax"),
        ("import sys; sys.exit(5)", "wallet.yaml:49:3: plugin mine.py failed: SystemExit: 5"),
        (None, "wallet.yaml:49:3: plugin mine.py failed: FileNotFoundError: "),
        (
            PLUGIN.format(form="abs").replace("def mine", "def mae"),
            "plugin mine.py failed: ValueError: metric 'mae' is already registered",
        ),
        (
            PLUGIN.format(form="abs").replace('"regression"', '"regresion"'),
            "ValueError: task of 'mine' cannot be 'regresion'; did you mean 'regression'?",
        ),
        (
            PLUGIN.format(form="abs").replace("rowwise", "whole").replace('"lower"', '"low"'),
            "ValueError: better of 'mine' cannot be 'low'; did you mean 'lower'?",
        ),
        (
            PLUGIN.format(form="abs").replace("needs=", "need="),
            "TypeError: 'mine' has no argument 'need'; did you mean 'needs'?",
        ),
    ],
)
def test_a_plugin_that_fails_ends_with_2(
    tmp_path: Path, capfd: Said, text: str | None, says: str
) -> None:
    config = put(tmp_path, plugins=["mine.py"])
    if text is not None:
        (tmp_path / "mine.py").write_text(text)
    assert call("run", config, "--out", "out", "--quiet", "--allow-plugins") == 2
    assert says in capfd.readouterr().err


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # as NumPy warns of it
def test_a_metric_that_overflows_has_no_value_and_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        PLUGIN.format(form="abs").replace("score - y)", "score - y) / 1e-308")
    )
    use = {"metrics": ["kendall", "mine"], "plugins": ["mine.py"], "curves": [], "gates": []}
    config = put(tmp_path, customers(40), **use, bootstrap={"replicates": 49})
    assert call("run", config, "--out", "out", "--quiet", "--allow-plugins") == 0
    known = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    reasons = {e["model"]: e["reason"] for e in known["estimates"] if e["key"] == "mine"}
    assert reasons["boosted"] == reasons["clv"] == "its value is too large for a number (overflow)"


@pytest.mark.skipif(sys.platform == "win32", reason="folders are protected in another way")
def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path, capfd: Said) -> None:
    code = call("run", put(tmp_path, customers(40)), "--out", "/proc/report", "--quiet")
    assert code in (2, 4)  # 4 for root, whom the system tells only when it is tried
    assert "report: " in capfd.readouterr().err
    assert call("run", put_config(tmp_path), "--out", "out", "--quiet") == 0


def test_rendering_anew_says_which_files_of_the_theme_it_has_not(tmp_path):
    logo = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>'
    (tmp_path / "logo.svg").write_text(logo, encoding="utf-8")
    put(tmp_path, theme={"logo": "logo.svg"}, outputs=["html"])
    assert call("run", tmp_path / "wallet.yaml", "--out", tmp_path / "out", "--quiet") == 0
    code, _, error = heard("render", "out/results.json", "--out", "again", cwd=tmp_path)
    assert code == 0
    assert error.splitlines() == [
        "results.json: holds no files, so the theme's logo 'logo.svg' is left out; run the config "
        "again to have it"
    ]


@pytest.mark.parametrize("epoch", ["9" * 30, "253402300800", "٣", "-1", "soon"])
def test_a_clock_that_is_no_time_is_told_before_anything_is_computed(
    epoch: str, tmp_path: Path, capfd: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    assert call("run", put(tmp_path), "--out", "out") == 2
    [line] = capfd.readouterr().err.splitlines()
    assert line.startswith("SOURCE_DATE_EPOCH is ")
    assert "whole seconds since 1970" in line


def test_an_interpreter_without_docstrings_is_refused_in_one_line(tmp_path: Path) -> None:
    code, out, err = shell("run", put(tmp_path), cwd=tmp_path, PYTHONOPTIMIZE="2")
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert "PYTHONOPTIMIZE=1" in err


def test_the_end_of_a_file_is_no_interrupt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Said
) -> None:
    def end_early(*_: object) -> None:
        raise EOFError("a file ended early")

    monkeypatch.setattr(pipeline, "run_config", end_early)
    assert call("run", put(tmp_path), "--out", "out") == 101
    said = capfd.readouterr().err
    assert "EOFError: a file ended early" in said and "interrupted" not in said


def test_threads_are_at_most_the_processors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = list[int]()

    def note(config: object, options: Options, progress: object) -> None:
        given.append(options.threads)
        raise UsageError("enough")

    monkeypatch.setattr(pipeline, "run_config", note)
    assert call("run", put(tmp_path), "--out", "out", "--threads", "10000") == 2
    assert given == [count_processors()]
    assert f"--threads 10000: {count_processors()} used" in capsys.readouterr().err


def test_one_of_several_candidates_without_a_verdict_ends_with_3_and_the_others_are_judged(
    tmp_path: Path, capfd: Said
) -> None:
    """Kendall's tau is undefined for a model that gives each customer the same score."""
    rows = [{**row, "score_rfm": "1"} for row in customers()]
    above = {"rule": "above", "metric": "kendall", "value": 0.9}
    gates = [{**above, "name": model, "model": model} for model in ("clv", "rfm")]
    config = put(tmp_path, rows, gates=gates, outputs=["json", "junit", "markdown"])
    assert call("run", config, "--out", "out", "--quiet", "--ci", "github") == 3
    assert ",title=not judged::Kendall's τ-b of " in capfd.readouterr().out
    found = results(tmp_path / "out")
    assert {g["model"]: g["status"] for g in found["gates"]} == {
        "clv": "not met",
        "rfm": "not judged",
    }
    answers = {c["model"]: c["answer"] for c in found["conclusion"]["recommendation"]["candidates"]}
    assert answers.pop("rfm") == "no verdict" and "no verdict" not in answers.values()
    assert (tmp_path / "out" / "report.md").exists()
