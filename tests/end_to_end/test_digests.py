"""What is the same in two runs has the same digest, and what is not has another."""

import copy
import json
import re
import subprocess
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import pypdf
import pytest
import yaml

from tests.end_to_end.wallet import WALLET, customers, dataset, heard, put

Told = dict[str, Any]


def digests(folder: Path, rows: list[dict[str, str]] | None = None, **changes: object) -> Told:
    folder.mkdir()
    put(folder, rows, **{"metrics": ["mae"], "primary": None, "gates": [], "curves": [], **changes})
    code, _, err = heard("run", "wallet.yaml", "--out", "out", "--quiet", cwd=folder)
    assert code == 0, err
    found: Told = json.loads((folder / "out" / "results.json").read_bytes())["digests"]
    return found


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Told:
    return digests(tmp_path_factory.mktemp("plain") / "run")


def of_data(told: Told) -> Told:
    [found] = told["datasets"]
    return found


def differing(told: Told, other: Told) -> set[str]:
    first, second = ({**each, **of_data(each)} for each in (told, other))
    return {name for name in first if first[name] != second[name]} - {"datasets"}


def test_the_order_of_the_rows_and_the_clock_change_nothing(plain: Told, tmp_path: Path) -> None:
    assert differing(plain, digests(tmp_path / "run", customers()[::-1])) == set()


def test_another_outcome_is_another_digest_of_the_rows_and_of_the_resamples(
    plain: Told, tmp_path: Path
) -> None:
    rows = customers()
    rows[3]["y_spend_hold"] = "12.5"
    told = digests(tmp_path / "run", rows)
    assert differing(plain, told) == {"rows", "design", "replicates"}


def test_another_score_is_another_digest_of_that_model_alone(plain: Told, tmp_path: Path) -> None:
    rows = customers()
    rows[3]["score_rfm"] = "7"
    told = digests(tmp_path / "run", rows, metrics=["kendall"])
    models = {
        name
        for name, each in of_data(plain)["scores"].items()
        if of_data(told)["scores"][name] != each
    }
    assert models == {"rfm"}
    assert of_data(told)["rows"] == of_data(plain)["rows"]


def test_a_row_less_is_another_digest_of_the_ids(plain: Told, tmp_path: Path) -> None:
    told = digests(tmp_path / "run", customers()[:-1])
    assert {"ids", "rows", "scores", "design"} <= differing(plain, told)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"report": {"title": "Another"}}, {"config"}),
        ({"outputs": ["json", "junit"]}, {"config"}),
        ({"datasets": dataset(target_label="spend", unit="€")}, {"config", "metrics"}),
        ({"primary": {"metric": "mae", "margin": 2}}, {"config", "decision"}),
        (
            {
                "gates": [
                    {"name": "e", "rule": "below", "metric": "mae", "model": "clv", "value": 900}
                ]
            },
            {"config", "decision"},
        ),
        (
            {"bootstrap": {"replicates": 99, "seed": 2}},
            {"config", "decision", "design", "replicates"},
        ),
    ],
)
def test_what_cannot_change_an_answer_leaves_the_digest_of_the_rule(
    plain: Told, tmp_path: Path, changes: Told, expected: set[str]
) -> None:
    assert differing(plain, digests(tmp_path / "run", **changes)) == expected


def test_another_label_or_version_of_a_model_is_no_other_rule(plain: Told, tmp_path: Path) -> None:
    models = copy.deepcopy(WALLET["models"])
    models["clv"] |= {"label": "In use", "version": "2026-11", "owner": "Pricing"}
    models["clv"]["artifact"] = {"uri": "clv.pkl", "sha256": 64 * "0"}
    models["clv"]["trained_on"] = {"path": "wallet.csv", "id": "customer_id"}
    assert differing(plain, digests(tmp_path / "run", models=models)) == {"config"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A signed report in every format, of a config in two files."""
    folder = tmp_path_factory.mktemp("made")
    report = {"title": "Wallet", "sign_off": [{"role": "Risk", "name": "A. Person"}]}
    put(folder, outputs=["html", "pdf", "markdown"], report=report, curves=[])
    (folder / "base.yaml").write_bytes((folder / "wallet.yaml").read_bytes())
    (folder / "wallet.yaml").write_text(yaml.safe_dump({"extends": "base.yaml"}))
    code, _, err = heard("run", "wallet.yaml", "--out", "out", "--quiet", cwd=folder)
    assert code == 0, err
    return folder


def test_every_page_and_the_sign_off_show_the_first_signs_of_the_results(made: Path) -> None:
    out = made / "out"
    signs = sha256((out / "results.json").read_bytes()).hexdigest()[:12]
    pages = pypdf.PdfReader(BytesIO((out / "report.pdf").read_bytes())).pages
    assert all(f"results {signs}" in page.extract_text() for page in pages)
    html = (out / "report.html").read_text(encoding="utf-8")
    assert re.search(f"<footer>.*{signs}.*</footer>", html)
    assert re.search(f"<caption>Sign-off.*{signs}", html)
    markdown = (out / "report.md").read_text(encoding="utf-8")
    assert f"Sign-off of results `{signs}`" in markdown
    assert markdown.rstrip().endswith(f"Results `{signs}`.")


def test_the_manifest_names_every_file_of_the_config_and_the_machine(made: Path) -> None:
    told = json.loads((made / "out" / "manifest.json").read_bytes())
    assert told["config"] == [
        {"path": name, "sha256": sha256((made / name).read_bytes()).hexdigest()}
        for name in ("wallet.yaml", "base.yaml")
    ]
    system, _, kernels = told["platform"].partition(", ")
    assert (
        system
        == subprocess.run(["uname", "-sm"], capture_output=True, text=True).stdout.strip().lower()
    )
    assert kernels.endswith("kernels")


def test_the_manifest_has_the_digests_of_the_results_without_names_of_the_cache(
    made: Path,
) -> None:
    told = json.loads((made / "out" / "manifest.json").read_bytes())["digests"]
    found = json.loads((made / "out" / "results.json").read_bytes())["digests"]
    data = of_data(found)
    assert {name: told[name] for name in ("decision", "config", "code", "metrics")} == {
        name: found[name] for name in ("decision", "config", "code", "metrics")
    }
    assert told["datasets"] == {
        "holdout": {name: data[name] for name in ("ids", "rows", "scores", "design")}
    }
