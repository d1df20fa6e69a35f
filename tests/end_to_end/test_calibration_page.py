"""Calibration and the Murphy diagram on the page: drawn where they are named, each part told."""

import re

from tests.end_to_end.wallet import call, put, results


def page(folder, **changes):
    put(folder, outputs=["json", "markdown"], gates=None, **changes)
    assert call("run", folder / "wallet.yaml", "--out", folder / "out", "--quiet") == 0
    return (folder / "out" / "report.md").read_text(encoding="utf-8")


def test_a_report_draws_them_only_where_they_are_named(tmp_path):
    page(tmp_path, curves=None)
    drawn = {curve["curve"] for curve in results(tmp_path / "out")["curves"]}
    assert "ranking" in drawn and not {"calibration", "murphy"} & drawn


def test_the_parts_of_each_models_loss_stand_under_the_calibration(tmp_path):
    text = page(tmp_path, curves=["calibration", "murphy"])
    (caption,) = re.findall(r"Miscalibration: .*", text)
    assert re.search(r"Miscalibration: [\d,]+ for CLV and [\d,]+ for Boosted\.", caption)
    marks = [
        curve["marks"]
        for curve in results(tmp_path / "out")["curves"]
        if curve["curve"] == "calibration" and curve["status"] == "ok"
    ]
    assert len(marks) == 2 and len({each["uncertainty"] for each in marks}) == 1


def test_what_is_the_same_for_every_model_is_told_once(tmp_path):
    text = page(tmp_path, curves=["calibration"])
    assert re.search(r"Uncertainty: [\d,]+ for every model\.", text)


def test_murphy_diagrams_of_two_models_are_compared(tmp_path):
    text = page(tmp_path, curves=["murphy"])
    assert "Murphy diagram: the loss at every threshold, against CLV" in text
    assert "it is better under every loss whose best score is the mean" in text
