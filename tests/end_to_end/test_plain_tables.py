"""A table as it comes: without ids, with other delimiters, with limits of its own."""

import gzip
import os
from pathlib import Path

import pytest

from tests.end_to_end.wallet import call, customers, dataset, put, results

Said = pytest.CaptureFixture[str]


def test_one_wide_table_needs_no_id_and_the_report_says_so(tmp_path: Path) -> None:
    config = put(tmp_path, datasets=dataset(id=None), outputs=["json", "markdown"], gates=None)
    assert call("run", config, "--out", "out", "--quiet") == 0
    assert results(tmp_path / "out")["datasets"][0]["is_numbered"]
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert (
        "No column identifies the rows, so each is identified by its row number in the file."
        in page
    )


def test_scores_in_files_of_their_own_need_an_id(tmp_path: Path, capfd: Said) -> None:
    labels = dataset(id=None, path=None, labels={"path": "wallet.csv"})
    models = {"clv": {"scores": {"path": "wallet.csv", "id": "customer_id", "column": "n_orders"}}}
    config = put(tmp_path, datasets=labels, models=models, gates=None)
    assert call("validate", config) == 2
    said = capfd.readouterr().err
    assert "datasets.holdout has no 'id' (the column that names each row)" in said


def test_numbers_of_rows_are_ids_only_within_one_file(tmp_path: Path, capfd: Said) -> None:
    rows = customers()
    both = {
        **dataset(id=None),
        "before": {"path": "before.csv", "target": "y_spend_hold", "role": "fit"},
    }
    costs = {"under": 2, "over": 1}
    config = put(tmp_path, datasets=both, costs=costs, gates=None)
    content = (tmp_path / "wallet.csv").read_bytes()
    (tmp_path / "before.csv").write_bytes(content + content.splitlines()[-1])
    assert call("validate", "--data", config) == 0
    assert call("run", config, "--out", "out", "--quiet") == 0
    (tmp_path / "before.csv").write_bytes(content)
    capfd.readouterr()
    assert call("run", config, "--out", "out", "--quiet") == 3
    assert f"share {len(rows)} ids" in capfd.readouterr().err


def test_a_delimiter_is_found_or_named(tmp_path: Path, capfd: Said) -> None:
    config = put(tmp_path, gates=None)
    data = tmp_path / "wallet.csv"
    text = data.read_text(encoding="utf-8")
    data.write_text(text.replace(",", ";"), encoding="utf-8")
    assert call("validate", "--data", config) == 0
    data.write_text(text.replace(",", "|"), encoding="utf-8")
    assert call("validate", "--data", config) == 3
    assert 'write `delimiter: "|"`' in capfd.readouterr().err
    assert call("validate", "--data", config, "--set", "datasets.holdout.delimiter='|'") == 0


def test_a_limit_to_unpacking_is_named_in_gb(tmp_path: Path, capfd: Said) -> None:
    config = put(tmp_path, datasets=dataset(path="wallet.csv.gz"), gates=None)
    plain = (tmp_path / "wallet.csv").read_bytes()
    (tmp_path / "wallet.csv.gz").write_bytes(gzip.compress(plain))
    assert call("validate", "--data", config) == 0
    assert call("validate", "--data", config, "--set", "datasets.holdout.max_unpacked=1e-6") == 3
    assert "wallet.csv.gz: unpacks to more than 1e-06 GB" in capfd.readouterr().err


@pytest.mark.parametrize("kind", ["a pipe", "a device", "a folder"])
@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("datasets.holdout.path", ["validate", "--data"]),
        ("theme.logo", ["run", "--out", "out"]),
        ("plugins", ["validate", "--allow-plugins"]),
    ],
)
def test_what_is_no_regular_file_is_refused(
    key: str, words: list[str], kind: str, tmp_path: Path, capfd: Said
) -> None:
    config = put(tmp_path, gates=None, outputs=["html"])
    odd = tmp_path / "odd.csv"
    if kind == "a pipe":
        os.mkfifo(odd)
    elif kind == "a device":
        odd.symlink_to("/dev/zero")
    else:
        odd.mkdir()
    value = "[odd.csv]" if key == "plugins" else "odd.csv"
    assert call(words[0], config, *words[1:], "--set", f"{key}={value}") in (2, 3)
    assert "bug" not in capfd.readouterr().err


@pytest.mark.parametrize("kind", ["a pipe", "a device"])
@pytest.mark.parametrize("command", ["render", "init", "validate"])
def test_what_is_no_file_on_the_command_line_is_refused(
    command: str, kind: str, tmp_path: Path, capfd: Said
) -> None:
    if kind == "a pipe":
        os.mkfifo(tmp_path / "odd.csv")
    else:
        (tmp_path / "odd.csv").symlink_to("/dev/zero")
    assert call(command, tmp_path / "odd.csv") in (2, 3)
    assert "bug" not in capfd.readouterr().err
