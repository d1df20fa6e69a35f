"""Whenever the writing ends, one report or the other is there, or the folder says that none is."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from reportgen import signals
from reportgen.errors import DataError, OutputError
from reportgen.report import archive, publish
from reportgen.report.publish import files, marker
from reportgen.report.publish.files import MARKER_NAME, is_staging_name
from tests.report.publish.torn import NEW, NEXT, OLD, held, put_others

REPOSITORY = Path(__file__).parents[3]
needs_unix = pytest.mark.skipif(sys.platform == "win32", reason="forks")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a report and things of a user's own in it, which cannot be exchanged."""
    publish.publish_files(OLD, tmp_path / "report")
    put_others(tmp_path / "report")
    return tmp_path / "report"


@pytest.fixture
def stopped(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder after a run that was stopped when it had replaced one file."""
    replaced: list[Path] = []
    real = Path.replace

    def replace(path: Path, to: Path) -> Path:
        if replaced:
            raise OSError(5, "Input/output error")
        replaced.append(path)
        return real(path, to)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(OutputError, match=r"Input/output error; report may hold files of two"):
        publish.publish_files(NEW, folder)
    monkeypatch.undo()
    return folder


def staged(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if is_staging_name(path.name)]


@pytest.mark.full
@needs_unix
@pytest.mark.parametrize("kind", ["new", "plain", "foreign", "current"])
def test_ended_at_any_call_it_leaves_one_report_or_the_other_and_tells_which(kind: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.report.publish.ends", kind],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
    )
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout.endswith(" calls\n") and done.stdout.count("\n") == 1, done.stdout


def test_a_folder_that_was_left_half_way_is_refused_by_readers(stopped: Path) -> None:
    with pytest.raises(DataError, match=r"may belong to another report .*; run the config again$"):
        archive.load_results(stopped / "results.json")


def test_the_next_run_finishes_what_was_left_half_way(stopped: Path) -> None:
    assert held(stopped) not in (OLD, NEW)
    publish.check_folder(stopped)
    marker.finish_exchange(stopped)
    assert held(stopped) == NEW
    publish.publish_files(NEXT, stopped)
    assert held(stopped) == NEXT
    assert not marker.is_marked(stopped)
    assert staged(stopped) == []


def test_where_the_rest_is_lost_the_marker_stays_until_a_run_has_ended(stopped: Path) -> None:
    for left in staged(stopped):
        subprocess.run(["rm", "-r", left], check=True)
    marker.finish_exchange(stopped)
    assert marker.is_marked(stopped)
    publish.publish_files(NEXT, stopped)
    assert held(stopped) == NEXT
    assert not marker.is_marked(stopped)


def test_a_failure_before_that_says_that_the_folder_is_still_incomplete(
    stopped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for left in staged(stopped):
        subprocess.run(["rm", "-r", left], check=True)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(publish, "fill_staging", full)
    with pytest.raises(OutputError, match=r"No space left .* is marked as incomplete; run again"):
        publish.publish_files(NEXT, stopped)


@pytest.mark.parametrize(
    "change",
    [
        {"staging": "../report"},
        {"staging": "thesis"},
        {"files": {"notes.txt": "0"}},
        {"gone": ["notes.txt"]},
        {"gone": ["../x"]},
        {"about": "mine"},
        {"files": 3},
    ],
)
def test_a_marker_that_no_run_of_ours_can_have_set_does_nothing(
    stopped: Path, change: dict[str, object]
) -> None:
    told = json.loads((stopped / MARKER_NAME).read_text()) | change
    (stopped / MARKER_NAME).write_text(json.dumps(told))
    before = held(stopped)
    marker.finish_exchange(stopped)
    assert held(stopped) == before
    with pytest.raises(OutputError, match=r"holds a \.reportgen-incomplete that reportgen did not"):
        publish.publish_files(NEXT, stopped)


@needs_unix
def test_what_another_run_is_doing_is_not_taken_for_left_behind(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_PAUSE", 0)
    with publish.make_staging(folder, publish.PRIVATE) as other:
        mark = marker.ExchangePlan.from_staging(other, NEW, ())
        publish.fill_staging(other, NEW, folder)
        with marker.hold_marker(mark, other, folder):
            with pytest.raises(OutputError, match=r"another run is writing to it; "):
                publish.publish_files(NEXT, folder)
            marker.carry_out_exchange(mark, folder)
    assert held(folder) == NEW | {name: OLD[name] for name in ("report.md", "tables/lift.csv")}


@needs_unix
def test_what_another_run_is_staging_stays(folder: Path) -> None:
    with publish.make_staging(folder.parent, publish.PRIVATE) as other:
        publish.fill_staging(other, NEW, folder)
        publish.publish_files(NEXT, folder)
        assert held(other) == NEW
    assert not other.exists()


def test_a_system_that_cannot_exchange_folders_replaces_file_by_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publish, "_RENAME", None)
    for report in (OLD, NEW, NEXT):
        publish.publish_files(report, tmp_path / "report")
        assert held(tmp_path / "report") == report
        has_tables = any("/" in name for name in report)
        assert len([*tmp_path.rglob("*")]) == 1 + len(report) + has_tables


def test_a_file_of_anothers_that_comes_at_the_last_moment_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "report"
    publish.publish_files(OLD, folder)
    real = publish._swap_paths
    came = iter([True])

    def swapped(one: Path, other: Path) -> bool:
        if next(came, False):
            (folder / "notes.txt").write_text("mine")
        return real(one, other)

    monkeypatch.setattr(publish, "_swap_paths", swapped)
    publish.publish_files(NEW, folder)
    assert (folder / "notes.txt").read_text() == "mine"
    assert held(folder) == NEW


def test_a_signal_is_heard_when_the_steps_that_belong_together_are_done() -> None:
    done, before = [], signal.signal(signal.SIGINT, signal.default_int_handler)
    try:  # the one that began these tests may have them ignore it
        with pytest.raises(KeyboardInterrupt), signals.defer_signals():
            os.kill(os.getpid(), signal.SIGINT)
            done.append(True)
    finally:
        signal.signal(signal.SIGINT, before)
    assert done


def test_the_folder_of_a_run_that_has_no_working_folder_is_written(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    program = """import os, sys; from pathlib import Path; from reportgen.report import publish
"""
    program += "from tests.report.publish.torn import NEW, OLD\nos.rmdir(os.getcwd())\n"
    program += "for new in (OLD, NEW): publish.publish_files(new, Path(sys.argv[1]))"
    words = [sys.executable, "-c", program, str(tmp_path / "report")]
    environ = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    assert subprocess.run(words, cwd=gone, env=environ).returncode == 0
    assert held(tmp_path / "report") == NEW
