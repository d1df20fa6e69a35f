"""The cache as its user meets it: its size, its limit, and what a changed plug-in does to it."""

from pathlib import Path

import pytest

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
    said = "REPORTGEN_CACHE_MB: wants a whole number of megabytes, not 'much'\n"
    assert capfd.readouterr().err == said


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
