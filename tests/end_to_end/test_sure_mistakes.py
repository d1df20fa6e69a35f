"""A log loss that decides, where a model gave no probability to what happened."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.end_to_end.test_without_a_model import run, write_rows

N = 400


def put_rows(folder: Path, least: float) -> None:
    """A baseline that gives two events a probability of `least`, and is else the better one."""
    draw = np.random.default_rng(4)
    p = draw.uniform(0.05, 0.95, N)
    y = (draw.uniform(size=N) < p).astype(int)
    baseline, candidate = p.copy(), np.clip(p + draw.normal(0, 0.15, N), 0.02, 0.98)
    baseline[np.flatnonzero(y)[:2]] = least
    write_rows(folder, {"y": y, "baseline": baseline, "candidate": candidate})


def judge(folder: Path, least: float, metric: str = "log_loss") -> tuple[dict[str, Any], str]:
    put_rows(folder, least)
    models = {"baseline": {"role": "baseline"}, "candidate": {}}
    metrics = dict.fromkeys((metric, "log_loss"))
    code, results, page = run(folder, models=models, metrics=[*metrics], primary={"metric": metric})
    assert code == 0, json.dumps(results["warnings"])
    return results, " ".join(page.split())


@pytest.mark.parametrize("least", [0.0, 1e-13])
def test_page_one_names_the_model_and_a_clip_of_half_an_event_is_tried(
    least: float, tmp_path: Path
) -> None:
    results, page = judge(tmp_path, least)
    said = [text for text in results["conclusion"]["unsure"] if "probability of 0" in text]
    (text,) = said
    assert text.startswith(
        "baseline gave a probability of 0, or almost 0, to the true class of 2 rows"
    )
    after = results["conclusion"]["unsure"]
    assert not any(each.startswith(("It ", "Its ")) for each in after[after.index(text) :])
    choices = {c["choice"]: c for c in results["sensitivity"]["choices"]}
    p = np.array([1 - 1 / (2 * N), 1 / (2 * N)])
    assert choices["clip"]["value"] == f"{p[1]:.2g}"
    freed = choices["clip"]["difference"] - choices["as declared"]["difference"]
    own = -np.log(max(least, np.finfo(float).eps))
    assert freed == pytest.approx(2 * (own + np.log(p[1])) / N, rel=1e-6)
    assert "probabilities clipped to at least 1/(2n), 0.0013" in page


@pytest.mark.parametrize(("least", "metric"), [(0.02, "log_loss"), (0.0, "brier")])
def test_nothing_is_said_where_no_outcome_had_none_or_another_metric_decides(
    least: float, metric: str, tmp_path: Path
) -> None:
    results, _ = judge(tmp_path, least, metric)
    assert not any("probability of 0" in text for text in results["conclusion"]["unsure"])
    assert all(c["choice"] != "clip" for c in results["sensitivity"]["choices"])
