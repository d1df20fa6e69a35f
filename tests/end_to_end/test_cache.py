"""The cache as its user meets it: its size, its limit, and what a changed plug-in does to it."""

import os
from pathlib import Path

import pytest

from reportgen.inference.resampling import cache
from tests.end_to_end.wallet import call, put, results

Said = pytest.CaptureFixture[str]
PLUGIN = """
from reportgen import rowwise

FACTOR = {factor}


@rowwise(title="Own", task="regression", better="lower", bounds=(0, float("inf")), unit="y",
         estimand="mean", needs="amount", cite="")
def own(y, score):
    "Own."
    return FACTOR * abs(y - score)
"""


def test_its_size_is_told_and_clearing_empties_it(tmp_path: Path, capfd: Said) -> None:
    assert call("cache", "size") == 0
    assert capfd.readouterr().out == "0 entries, 0.0 MB of at most 500.0 MB\n"
    config = put(tmp_path)
    assert call("run", config, "--out", "out", "--quiet") == 0
    count = len(list((tmp_path / "cache" / "reportgen").iterdir()))
    capfd.readouterr()
    assert call("cache", "clear") == 0
    assert capfd.readouterr().out.startswith(f"removed {count} entries, ")
    assert list((tmp_path / "cache" / "reportgen").iterdir()) == []


def test_its_limit_is_in_megabytes_and_holds_after_a_run(
    tmp_path: Path, capfd: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REPORTGEN_CACHE_MB", "0")
    assert call("run", put(tmp_path), "--out", "out", "--quiet") == 0
    assert list((tmp_path / "cache" / "reportgen").iterdir()) == []
    monkeypatch.setenv("REPORTGEN_CACHE_MB", "much")
    assert call("cache", "size") == 2
    said = "REPORTGEN_CACHE_MB: needs a whole number of megabytes, not 'much'\n"
    assert capfd.readouterr().err == said


def lose_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the process one of a user whom the system does not know."""

    def find_nothing(name: str) -> Path:
        raise RuntimeError(name)

    monkeypatch.setattr(cache, "user_cache_path", find_nothing)


@pytest.mark.skipif(os.name == "nt", reason="modes of files")
@pytest.mark.parametrize("problem", ["no home", "a relative home", "others may write"])
def test_a_cache_that_is_not_safe_is_not_used_and_the_run_says_so(
    tmp_path: Path, capfd: Said, monkeypatch: pytest.MonkeyPatch, problem: str
) -> None:
    folder = tmp_path / "cache" / "reportgen"
    folder.mkdir(parents=True)
    if problem == "others may write":
        folder.chmod(0o777)
    elif problem == "no home":
        lose_home(monkeypatch)
    else:
        monkeypatch.setattr(cache, "user_cache_path", lambda name: Path("~", ".cache", name))
    monkeypatch.chdir(tmp_path)
    assert call("run", put(tmp_path), "--out", "out") == 0
    assert "no resample is kept, as " in capfd.readouterr().err
    assert list(folder.iterdir()) == [] and not Path("~").exists()
    assert call("cache", "size") == 2
    said = capfd.readouterr().err
    assert said.startswith("no resample is kept, as ") and "XDG_CACHE_HOME" in said


def test_a_changed_constant_of_a_plug_in_changes_its_interval(tmp_path: Path) -> None:
    config = put(tmp_path, metrics=["kendall", "own"], plugins=["own.py"], gates=[])
    found = []
    for factor in (1, 10):
        (tmp_path / "own.py").write_text(PLUGIN.format(factor=factor))
        assert call("run", config, "--out", "out", "--quiet", "--allow-plugins") == 0
        [estimate] = [
            e
            for e in results(tmp_path / "out")["estimates"]
            if (e["key"], e["model"], e["segment"]) == ("own", "clv", None)
        ]
        found.append((estimate["low"], estimate["high"]))
    assert found[1] == pytest.approx([10 * end for end in found[0]])
