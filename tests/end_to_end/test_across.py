"""Several datasets as a sample of such, through the whole program."""

import json
from pathlib import Path

import numpy as np
import pytest
import yaml

from reportgen.inference.across_datasets import fit_random_effects, hodges_lehmann, wilcoxon_p_value
from tests.end_to_end.wallet import call, write_rows

QUIET = ("--quiet", "--no-cache")


def put(folder: Path, datasets: int, units: tuple[str, ...] = ("EUR",), **changes: object) -> Path:
    draw, named = np.random.default_rng(5), {}
    for k in range(datasets):
        y = draw.normal(10, 3, 40)
        rows = [
            {
                "id": i,
                "y": round(a, 3),
                "s": round(a + b, 3),
                "t": round(a + 0.6 * c, 3),
                "u": round(a + b + 1e-3 * c, 3),
                "copy": round(a + b, 3),
            }
            for i, (a, b, c) in enumerate(zip(y, *draw.normal(size=(2, 40)), strict=True))
        ]
        write_rows(folder / f"{k}.csv", rows)  # type: ignore[arg-type]
        named[f"shop {k}"] = {
            "path": f"{k}.csv",
            "id": "id",
            "target": "y",
            "unit": units[k % len(units)],
        }
    config = {
        "version": 1,
        "report": {"title": "Shops"},
        "datasets": named,
        "task": "regression",
        "models": {
            "old": {"column": "s", "role": "baseline"},
            "new": {"column": "t"},
            "same": {"column": "u"},
        },
        "metrics": ["mae", "kendall"],
        "primary": {"metric": "mae", "margin": 0.1},
        "across": {},
        "bootstrap": {"replicates": 59, "seed": 1},
        "curves": [],
        "outputs": ["json", "markdown"],
        **changes,
    }
    config = {key: value for key, value in config.items() if value is not None}
    (folder / "c.yaml").write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    return folder / "c.yaml"


def run(folder: Path, *given: object, **changes: object) -> dict[str, list[dict[str, object]]]:
    config = put(folder, *given, **changes)  # type: ignore[arg-type]
    assert call("run", config, "--out", folder / "out", *QUIET) == 0
    return json.loads((folder / "out" / "results.json").read_text())  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def seven(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("across")
    run(folder, 7)
    return folder / "out"


def told(folder: Path) -> dict[str, list[dict[str, object]]]:
    return json.loads((folder / "results.json").read_text())  # type: ignore[no-any-return]


def test_differences_are_pooled_by_the_standard_errors_of_each_dataset(seven: Path) -> None:
    found = told(seven)
    each = [
        (c["difference"], c["se"])
        for c in found["comparisons"]
        if (c["key"], c["candidate"], c["segment"]) == ("mae", "new", None)
    ]
    expected = fit_random_effects(*np.array(each, dtype=float).T, 0.975)
    assert expected is not None
    pooled = found["across"][0]["comparisons"][0]["pooled"]  # type: ignore[index]
    assert pooled["level"] == 0.975
    for name in ("mean", "low", "high", "tau", "next_low", "next_high"):
        assert pooled[name] == pytest.approx(getattr(expected, name), rel=1e-9), name
    page = (seven / "report.md").read_text(encoding="utf-8")
    assert "Mean difference | Spread τ | Next dataset |" in page


def test_a_pair_is_compared_by_signed_ranks_over_datasets(seven: Path) -> None:
    found = told(seven)
    of = {(e["model"], e["dataset"]): e["value"] for e in found["estimates"] if e["key"] == "mae"}
    names = [d["name"] for d in found["datasets"]]
    d = np.array([of["new", name] - of["old", name] for name in names])  # type: ignore[operator]
    (first, _) = found["across"]
    (one, other) = first["comparisons"]  # type: ignore[misc]
    assert one["difference"] == pytest.approx(hodges_lehmann(d))
    assert one["p_value"] == pytest.approx(wilcoxon_p_value(d))
    assert one["p_adjusted"] == pytest.approx(2 * wilcoxon_p_value(d))
    assert one["level"] == pytest.approx(0.975)
    assert (one["wins"], one["ties"], one["losses"]) == (7, 0, 0)
    assert (one["word"], other["word"]) == ("clearly better", "equivalent")


def test_every_metric_has_mean_ranks_and_its_tests(seven: Path) -> None:
    mae, kendall = told(seven)["across"]
    assert mae["key"] == "mae" and kendall["key"] == "kendall"
    assert mae["mean_ranks"][1] == 1.0  # type: ignore[index]
    assert sum(mae["mean_ranks"]) == pytest.approx(6)  # type: ignore[arg-type]
    assert 0 < mae["p_f"] < mae["p_chi_squared"] < 0.01  # type: ignore[operator]


def test_the_page_says_what_the_unit_is(seven: Path) -> None:
    page = (seven / "report.md").read_text(encoding="utf-8")
    assert "Each of 7 datasets counts once" in page
    assert "new differs from old by" in page and "new wins on 7 of 7 datasets" in page
    assert "the report neither averages nor tests over them" not in page


def test_nothing_is_tested_over_datasets_that_are_not_said_to_be_a_sample(tmp_path: Path) -> None:
    assert run(tmp_path, 3, across=None)["across"] == []
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "the report neither averages nor tests over them" in page


def test_few_datasets_raise_w126_and_have_no_p_value(tmp_path: Path) -> None:
    found = run(tmp_path, 4)
    assert "W126" in [w["code"] for w in found["warnings"]]
    (first, _) = found["across"]
    assert first["p_f"] is None and first["comparisons"][0]["p_value"] is None  # type: ignore[index]


def test_values_in_several_units_have_ranks_and_wins_alone(tmp_path: Path) -> None:
    mae, kendall = run(tmp_path, 6, ("EUR", "USD"))["across"]
    one, other = mae["comparisons"][0], kendall["comparisons"][0]  # type: ignore[index]
    assert one["difference"] is None and one["wins"] == 6 and mae["p_f"] is not None
    assert other["difference"] is not None


def test_what_does_not_matter_may_be_said_apart_from_the_margin(tmp_path: Path) -> None:
    wide, none = (tmp_path / name for name in ("wide", "none"))
    shares = []
    for folder, rope in ((wide, 5), (none, 0)):
        folder.mkdir()
        shares.append(run(folder, 6, across={"rope": rope})["across"][0]["comparisons"][0])  # type: ignore[index]
    assert shares[0]["alike"] == 1.0 and shares[1]["alike"] < 0.01  # type: ignore[index]


def test_two_datasets_are_no_sample(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("run", put(tmp_path, 2), "--out", tmp_path / "out", *QUIET) == 2
    assert "compares models over 3 datasets or more" in capsys.readouterr().err


def test_a_copy_of_the_baseline_takes_no_part_in_what_is_adjusted_for(tmp_path: Path) -> None:
    models = {
        "old": {"column": "s", "role": "baseline"},
        "new": {"column": "t"},
        "copy": {"column": "copy"},
    }
    found = run(tmp_path, 7, models=models, metrics=["mae"])
    new, copy = found["across"][0]["comparisons"][:2]  # type: ignore[index]
    assert (new["level"], copy["p_value"], copy["word"]) == (0.95, None, "equivalent")
    assert new["p_adjusted"] == new["p_value"] is not None


def test_page_one_says_which_dataset_it_judges_and_what_is_not_adjusted_for(seven: Path) -> None:
    page = (seven / "report.md").read_text(encoding="utf-8")
    assert "40 rows of dataset shop 0." in page
    assert "CIs on other datasets are unadjusted." in page
