"""The worked example of ranking in regression: 24 numbers as they were printed.

Three scores on 1,000 drawn rows, measured by eight numbers each, through the whole program: from
the config and its file to results.json. The printed numbers are those of an article's own code.
"""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from tests.end_to_end.wallet import ROOT, call, results

CONFIG = ROOT / "configs" / "ranking-in-regression.yaml"
BUILD = ROOT / "configs" / "data" / "build_ranking.py"
PRINTED = {
    "rmse": ("58.205", "2.242", "1.400"),
    "spearman": ("0.99759", "0.94718", "0.01447"),
    "kendall": ("0.96163", "0.80227", "0.00976"),
    "regression_auc": ("0.98081", "0.90113", "0.50488"),
    "ranking_last": ("1.79617", "1.70048", "0.12308"),
    "ranking_first": ("-1.76345", "-1.70674", "0.07232"),
    "ranking_difference": ("3.55962", "3.40723", "0.05076"),
    "ranking_slope": ("0.34367", "0.32808", "0.00722"),
}
MODELS = ("y_score_1", "y_score_2", "y_score_3")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], float]:
    folder = tmp_path_factory.mktemp("ranking") / "out"
    replicates, outputs = "bootstrap.replicates=39", "outputs=[json]"
    words = ("run", CONFIG, "--out", folder, "--quiet", "--no-cache")
    assert call(*words, "--set", replicates, "--set", outputs) == 0
    return {(e["key"], e["model"]): e["value"] for e in results(folder)["estimates"]}  # type: ignore[misc]


@pytest.mark.parametrize(
    ("key", "model", "printed"),
    [
        (key, model, said)
        for key, numbers in PRINTED.items()
        for model, said in zip(MODELS, numbers, strict=True)
    ],
)
def test_the_number_is_the_printed_one(
    found: dict[tuple[str, str], float], key: str, model: str, printed: str
) -> None:
    digits = len(printed.partition(".")[2])
    assert f"{found[key, model]:.{digits}f}" == printed


def test_the_file_is_what_its_script_draws(tmp_path: Path) -> None:
    made = _script()
    made.FILE = tmp_path / "again.csv"
    made.main()
    there = ROOT / "configs" / "data" / "ranking-in-regression.csv"
    again, kept = (_numbers(path) for path in (made.FILE, there))
    assert again.shape == kept.shape == (1_000, 5)
    np.testing.assert_allclose(again, kept, rtol=1e-9)  # exp may differ in its last bit


def _numbers(path: Path) -> np.ndarray:
    return np.loadtxt(path, delimiter=",", skiprows=1)


def _script() -> ModuleType:
    spec = spec_from_file_location("build_ranking", BUILD)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
