"""What `init` writes for answers of language models."""

from pathlib import Path

import pytest

from reportgen.cli.init.answers import AnswerColumns, draft_answers_config, find_answers
from reportgen.cli.init.guess_columns import UserChoices
from tests.evaluations import draw_answers, write_table


def draft(path: Path) -> str:
    found = find_answers(path)
    assert isinstance(found, AnswerColumns)
    return draft_answers_config(path, found, UserChoices(), None)[0]


def test_complete_answers_keep_the_stop_for_missing_ones(tmp_path: Path) -> None:
    rows = [row | {"rubric": None} if row["sample"] == 2 else row for row in draw_answers()]
    assert "missing:" not in draft(write_table(tmp_path / "a.csv", rows))
    rows = [row for row in rows if row["model"] == "A" or row["item"] != "q0000"]
    assert "missing: intersect" in draft(write_table(tmp_path / "b.csv", rows))


def test_a_column_of_human_labels_makes_a_judge(tmp_path: Path) -> None:
    text = draft(write_table(tmp_path / "a.csv"))
    assert "\njudge: {score: judge, human: human}" in text and "inconclusive: fail}" in text


def test_columns_without_a_use_are_named(tmp_path: Path) -> None:
    rows = [row | {"reply": f"text {k}", "latency": k} for k, row in enumerate(draw_answers())]
    text = draft(write_table(tmp_path / "a.csv", rows))
    assert "#   left out: 'reply', 'latency' (no scores, no groups of items)\n" in text


@pytest.mark.parametrize(("has_target", "is_scored"), [(False, True), (True, False)])
def test_one_answer_of_each_item_needs_no_column_of_samples(
    tmp_path: Path, has_target: bool, is_scored: bool
) -> None:
    rows = [
        {key: value for key, value in row.items() if key not in ("sample", "human")}
        | ({"y": int(row["item"][1:])} if has_target else {})
        for row in draw_answers()
        if row["sample"] == 1
    ]
    assert (find_answers(write_table(tmp_path / "a.csv", rows)) is not None) == is_scored
