"""Two runs held against each other: what changed, how far values moved, and because of what."""

import json
from pathlib import Path
from typing import Any

import pytest

from reportgen.governance.run_diff import describe_cause
from reportgen.report.prose.run_changes import move_word
from reportgen.results.changes import Cause, ValueChange
from tests.end_to_end.wallet import customers, heard
from tests.governance.diff.runs import cause, diff, gate, move, noisy, run

Told = dict[str, Any]


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def first(here: Path) -> Path:
    return run(here, "first")


@pytest.fixture(scope="module")
def worse(here: Path) -> Path:
    """The same rows, one model with other scores."""
    return run(here, "worse", noisy(customers(400), by=8))


@pytest.fixture(scope="module")
def fresh(here: Path) -> Path:
    """Other rows."""
    return run(here, "fresh", customers(600)[1::2])


def test_a_run_beside_itself_has_no_moves(first: Path) -> None:
    told = diff(first, first)
    assert {m["word"] for m in told["moves"]} == {"same"}
    assert not any(each["is_changed"] for each in told["causes"])
    assert (told["rule"], told["because"], told["gates"], told["warnings"]) == ([], "", [], [])
    _, said, _ = heard("diff", first, first, cwd=first)
    assert "Nothing that can change a number has changed." in said
    assert "values are exactly the same, because rows and scores are the same." in said


def test_the_seed_alone_moves_no_value_and_is_the_cause(here: Path, first: Path) -> None:
    told = diff(first, run(here, "seed", bootstrap={"replicates": 199, "seed": 2}))
    assert [(each["key"], each["before"], each["now"]) for each in told["rule"]] == [
        ("bootstrap.seed", "1", "2")
    ]
    assert (cause(told, "seed"), cause(told, "rule")) == (True, False)
    assert {m["word"] for m in told["moves"]} == {"same"}
    assert told["because"] == "What moved, moved because of the seed: nothing else differs."


def test_other_scores_of_one_model_move_it_paired_over_the_same_resamples(
    first: Path, worse: Path
) -> None:
    told = diff(first, worse)
    assert told["because"] == (
        "What moved, moved because of the scores (Boosted): nothing else differs."
    )
    moved = move(told, "mae", "boosted")
    assert moved["method"] == "paired"
    before, now = (value(folder, "mae", "boosted") for folder in (first, worse))
    assert moved["change"] == pytest.approx(now - before, rel=1e-8)
    assert moved["low"] < moved["change"] < moved["high"]
    assert move(told, "mae", "clv")["word"] == "same"
    assert move(told, "mae", "boosted", "clv")["change"] == pytest.approx(now - before, rel=1e-8)


def value(folder: Path, key: str, model: str) -> float:
    told = json.loads((folder / "results.json").read_bytes())
    [found] = [
        e["value"]
        for e in told["estimates"]
        if (e["key"], e["model"], e["segment"]) == (key, model, None)
    ]
    return float(found)


def test_without_kept_resamples_the_same_rows_are_told_too_wide(first: Path, worse: Path) -> None:
    kept = move(diff(first, worse), "mae", "boosted")
    wide = move(diff(first, worse, "--no-cache"), "mae", "boosted")
    assert wide["method"] == "as if independent"
    assert wide["note"].startswith("too wide: the rows are the same, but the cache has no")
    assert wide["high"] - wide["low"] > 1.5 * (kept["high"] - kept["low"])


def test_other_rows_are_compared_by_square_and_add(first: Path, fresh: Path) -> None:
    told = diff(first, fresh)
    found = move(told, "mae", "clv")
    old, new = (estimate(folder, "mae", "clv") for folder in (first, fresh))
    change = new["value"] - old["value"]
    low = change - ((new["value"] - new["low"]) ** 2 + (old["high"] - old["value"]) ** 2) ** 0.5
    high = change + ((new["high"] - new["value"]) ** 2 + (old["value"] - old["low"]) ** 2) ** 0.5
    assert (found["low"], found["high"]) == pytest.approx((low, high), rel=1e-8)
    assert found["method"] == "square-and-add"
    assert found["note"] == "rows in both runs, if any, are not allowed for"


def estimate(folder: Path, key: str, model: str) -> Told:
    told = json.loads((folder / "results.json").read_bytes())
    [found] = [
        e for e in told["estimates"] if (e["key"], e["model"], e["segment"]) == (key, model, None)
    ]
    return dict(found)


def test_on_other_rows_no_cause_is_named(first: Path, fresh: Path) -> None:
    told = diff(first, fresh)
    assert (cause(told, "rows"), cause(told, "scores")) == (True, None)
    assert "because" not in told["because"]
    assert "cannot be told, so no cause is named" in told["because"]


def test_two_causes_are_not_told_apart(here: Path, first: Path) -> None:
    rows = noisy(customers(400))
    rows[5]["y_spend_hold"] = "33"
    told = diff(first, run(here, "both", rows))
    assert (cause(told, "labels"), cause(told, "scores")) == (True, True)
    assert told["because"] == (
        "The labels and scores changed together; this cannot tell them apart."
    )


def test_a_widened_margin_is_the_first_line_and_the_gate_is_named(here: Path, first: Path) -> None:
    strict = run(here, "strict", gates=gate(margin=0.0001, inconclusive="fail"))
    code, said, _ = heard("diff", strict, first, cwd=here)
    assert code == 0
    lines = said.splitlines()
    assert lines[0].startswith(
        "rule changed: gates.non_inferior kendall boosted.inconclusive: fail →"
    )
    assert lines[1] == "rule changed: gates.non_inferior kendall boosted.margin: 0.0001 → 0.5"
    assert "gate order: cannot tell → met" in lines


def test_where_only_the_answer_differs_the_rule_is_named_and_not_the_model(
    here: Path, first: Path, worse: Path
) -> None:
    said = "The rule changed, not the model"
    margin = {"metric": "kendall", "margin": 0.9}
    wide = run(here, "wide", primary=margin)
    told = diff(first, wide)
    assert told["before"]["verdict"] != told["now"]["verdict"]
    assert said in told["because"]
    reseeded = run(here, "reseeded", primary=margin, bootstrap={"replicates": 199, "seed": 2})
    assert said not in diff(first, reseeded)["because"]
    assert said not in diff(first, worse)["because"]


def test_a_gate_that_was_dropped_is_told(here: Path, first: Path) -> None:
    told = diff(first, run(here, "fewer", gates=gate()[1:]))
    assert {"name": "order", "before": "met", "now": "", "is_failure": False} in told["gates"]
    assert any(each["key"].startswith("gates.") for each in told["rule"])


def test_a_metric_that_is_gone_or_new_is_named(here: Path, first: Path) -> None:
    other = run(here, "other metrics", metrics=["kendall", "rmse"], gates=[])
    told = diff(first, other)
    assert told["presence"] == [
        {"kind": "metric", "name": "Root mean squared error", "is_new": True},
        {"kind": "metric", "name": "Mean absolute error", "is_new": False},
    ]
    code, said, _ = heard("diff", first, other, cwd=here)
    assert code == 0
    assert "metric Root mean squared error: only in the later run" in said
    assert "metric Mean absolute error: only in the earlier run" in said


def test_a_metric_defined_otherwise_is_not_compared(here: Path) -> None:
    use = {"name": "asymmetric_cost", "as": "cost"}
    old, new = (
        run(here, f"alpha {alpha}", metrics=["kendall", {**use, "alpha": alpha}], gates=[])
        for alpha in (0.8, 0.7)
    )
    found = move(diff(old, new), "cost", "clv")
    assert (found["method"], found["low"]) == ("not comparable", None)
    assert found["note"] == "the metric is defined otherwise"


def test_a_model_is_found_under_the_name_it_had(here: Path, first: Path) -> None:
    from tests.end_to_end.wallet import WALLET

    models = {
        ("new" if name == "boosted" else name): {**each} for name, each in WALLET["models"].items()
    }
    told = diff(first, run(here, "renamed", models=models, gates=[]), "--model", "new=boosted")
    assert move(told, "mae", "new")["word"] == "same"
    assert move(told, "mae", "new", "clv")["word"] == "same"


@pytest.mark.parametrize(
    ("named", "says"),
    [
        ("boost=boosted", "the new report has no model 'boost' for NEW; it has 'clv', "),
        ("boosted=boost", "the old report has no model 'boost' for OLD; it has 'clv', "),
    ],
)
def test_a_name_that_no_model_has_is_refused(
    first: Path, worse: Path, named: str, says: str
) -> None:
    code, _, err = heard("diff", first, worse, "--model", named, "--fail-on", "worse", cwd=first)
    assert code == 2
    assert says in err


def test_fail_on_worse_ends_with_1_where_a_value_worsened(
    first: Path, worse: Path, here: Path
) -> None:
    words = {m["word"] for m in diff(first, worse)["moves"]}
    assert "worsened" in words
    assert heard("diff", first, worse, "--fail-on", "worse", cwd=here)[0] == 1
    assert heard("diff", worse, first, "--fail-on", "worse", cwd=here)[0] == 0


@pytest.mark.parametrize(("as_", "begins"), [("markdown", "# Wallet"), ("html", "<!doctype html>")])
def test_the_same_is_told_as_a_page(
    first: Path, worse: Path, here: Path, as_: str, begins: str
) -> None:
    code, said, err = heard("diff", first, worse, "--format", as_, cwd=here)
    assert code == 0, err
    assert said.startswith(begins)
    for text in ("Since the last run", "because of the scores", "paired over the same resamples"):
        assert text in said


def test_it_is_written_into_a_file(first: Path, here: Path) -> None:
    code, said, _ = heard("diff", first, first, "--out", "diff.txt", cwd=here)
    assert (code, said) == (0, "diff.txt\n")
    assert "scores: same" in (here / "diff.txt").read_text(encoding="utf-8")


def test_a_file_of_an_earlier_version_is_compared_without_its_digests(tmp_path: Path) -> None:
    import gzip

    archive = Path(__file__).parents[2] / "report" / "archive"
    for name in ("0.1.0-costs", "0.2.0-costs"):
        (tmp_path / name).mkdir()
        text = gzip.decompress((archive / f"{name}.json.gz").read_bytes())
        (tmp_path / name / "results.json").write_bytes(text)
    told = diff(tmp_path / "0.1.0-costs", tmp_path / "0.2.0-costs")
    assert cause(told, "rows") is None
    found = move(told, "kendall", "boosted")
    assert found["method"] == "square-and-add"


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["nowhere", "nowhere"], 3, "cannot be read"),
        ([".", ".", "--model", "a"], 2, "--model needs NEW=OLD, and has 'a'"),
        (["."], 2, "Missing argument 'NEW'"),
    ],
)
def test_what_cannot_be_compared_is_told(
    tmp_path: Path, words: list[str], code: int, says: str
) -> None:
    found, _, err = heard("diff", *words, cwd=tmp_path)
    assert found == code
    assert says in err


def test_a_rule_that_changed_alone_is_not_said_to_have_moved_values() -> None:
    found = (Cause("rows", False), Cause("rule", True), Cause("seed", False))
    assert describe_cause(found) == "Only the rule changed: whatever differs follows from it."
    both = (Cause("seed", True), Cause("rule", True))
    assert describe_cause(both).startswith("The seed and rule changed together")


@pytest.mark.parametrize(("word", "said"), [("", "not shown"), ("improved", "improved")])
def test_a_move_of_which_nothing_is_shown_says_so(word: str, said: str) -> None:
    assert (
        move_word(ValueChange("d", "mae", "MAE", "", "lower", "a", None, 1.0, 2.0, 1.0, word=word))
        == said
    )
