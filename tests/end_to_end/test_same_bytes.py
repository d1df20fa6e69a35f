"""The same inputs give the same bytes, whatever the folder, threads, seed of hashes or cache."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from reportgen.governance import outputs
from reportgen.terms import RESULTS, VOUCHING
from tests.end_to_end.wallet import call, contents, dataset, put, shell

ALL = ["html", "pdf", "json", "markdown", "junit"]


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, bytes]]:
    """A folder with a config and its data, and the bytes that one run of it gave."""
    folder = tmp_path_factory.mktemp("first")
    small = {"datasets": dataset(segments=[]), "curves": ["ranking"]}  # few figures: quick to draw
    put(folder, metrics=["kendall", "mae", "ranking_slope"], outputs=ALL, **small)
    words = ("run", "wallet.yaml", "--out", "report", "--threads", 1, "--no-cache")
    code, _, err = shell(*words, cwd=folder, PYTHONHASHSEED="1", SOURCE_DATE_EPOCH="1700000000")
    assert code == 0, err
    return folder, contents(folder / "report")


@pytest.mark.parametrize(
    ("threads", "environ"),
    [(2, {"TZ": "Asia/Tokyo"}), (1, {"REPORTGEN_NUMPY": "1"})],
    ids=["two threads", "NumPy"],
)
def test_two_folders_and_two_hash_seeds_give_the_same_bytes(
    tmp_path: Path,
    first: tuple[Path, dict[str, bytes]],
    threads: int,
    environ: dict[str, str],
) -> None:
    other = tmp_path / "a folder elsewhere"
    other.mkdir()
    for name in ("wallet.yaml", "wallet.csv"):
        shutil.copy(first[0] / name, other / name)
    words = ("run", other / "wallet.yaml", "--out", "x/y", "--threads", threads, "--no-cache")
    code, _, err = shell(*words, PYTHONHASHSEED="22", **environ)
    assert code == 0, err
    found = contents(tmp_path / "x" / "y")
    assert [*found] == [*first[1]]
    assert [name for name in found if found[name] != first[1][name]] == []


def numbers(raw: bytes) -> dict[str, Any]:
    """What results.json holds, less the names of the files beside it."""
    found: dict[str, Any] = json.loads(raw)
    assert found.pop("files")[0] == "results.json"
    return found


def test_what_the_cache_kept_gives_the_same_bytes(
    first: tuple[Path, dict[str, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(first[0])
    monkeypatch.setattr(outputs, "DRAWN", ())  # the numbers are the question, not the drawing
    for folder in ("filling", "filled"):
        assert call("run", "wallet.yaml", "--out", folder, "--quiet") == 0
        found = contents(first[0] / folder)
        assert {*found} == {RESULTS, *VOUCHING}
        assert numbers(found[RESULTS]) == numbers(first[1][RESULTS])


def test_rendering_results_json_reproduces_every_output(
    first: tuple[Path, dict[str, bytes]], tmp_path: Path
) -> None:
    (tmp_path / "results.json").write_bytes(first[1]["results.json"])
    assert call("render", "results.json", "--out", "again") == 0
    assert contents(tmp_path / "again") == first[1]


def test_without_a_fixed_clock_only_the_clock_differs(
    first: tuple[Path, dict[str, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    monkeypatch.chdir(first[0])
    assert call("run", "wallet.yaml", "--out", "now", "--quiet", "--set", "outputs=[json]") == 0
    before = numbers(first[1]["results.json"])
    after = numbers((first[0] / "now" / "results.json").read_bytes())
    assert before["provenance"].pop("time") != after["provenance"].pop("time")
    for each in (before, after):
        del each["provenance"]["command"], each["config"]["outputs"]
        del each["digests"]["config"]  # of the outputs, too
    assert before == after
