"""Whatever ends a run early, the last report is whole, and nothing is left lying about."""

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.end_to_end.wallet import ROOT, call, contents, customers, put, put_config

STAGES = ("reportgen: reading the data\n", "reportgen: resampling holdout\n")
# The program, which gets a signal while it draws the second batch of resamples.
RESAMPLING = """
import os, signal, sys
from reportgen import cli
from reportgen.inference.design import Design
by, drawn = int(sys.argv.pop()), Design.batch
def batch(design, index):
    if index == 1:
        os.kill(os.getpid(), by)
    return drawn(design, index)
Design.batch = batch
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's `&` has it ignored
cli.main()
"""


@pytest.fixture
def report(tmp_path: Path) -> dict[str, bytes]:
    """The bytes of a report that is already there."""
    assert call("run", put(tmp_path), "--out", "report", "--quiet") == 0
    return contents(tmp_path / "report")


def litter(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith(".")]


def python(program: str, *words: object) -> subprocess.CompletedProcess[str]:
    """What came of a program of these lines."""
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, words)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize(
    ("by", "code", "says"),
    [
        (signal.SIGINT, 130, "\ninterrupted; the last report is unchanged\n"),
        (signal.SIGTERM, 143, "terminated; the last report is unchanged\n"),
        (signal.SIGKILL, -9, ""),
    ],
)
def test_a_signal_in_the_middle_leaves_the_last_report_whole(
    tmp_path: Path, report: dict[str, bytes], by: signal.Signals, code: int, says: str
) -> None:
    words = ("run", put_config(tmp_path), "--out", "report", "--no-cache", by.value)
    done = python(RESAMPLING, *words)
    assert (done.returncode, done.stderr) == (code, "".join(STAGES) + says)
    assert contents(tmp_path / "report") == report
    assert litter(tmp_path) == []


def test_a_kill_while_writing_leaves_the_last_report_whole_and_the_next_run_tidies(
    tmp_path: Path, report: dict[str, bytes]
) -> None:
    dying = """
import os, signal
from pathlib import Path
from reportgen import output
files = {"results.json": b"new", "report.html": b"new"}
kept = os.fsync
def fsync(handle):
    kept(handle)
    os.kill(os.getpid(), signal.SIGKILL)
os.fsync = fsync
output.write(files, Path("report"))
"""
    assert python(dying).returncode == -signal.SIGKILL
    assert contents(tmp_path / "report") == report
    assert len(litter(tmp_path)) == 1
    assert call("run", put_config(tmp_path), "--out", "report", "--quiet") == 0
    assert litter(tmp_path) == []


def test_a_full_disk_leaves_the_last_report_whole(
    tmp_path: Path, report: dict[str, bytes], capfd: pytest.CaptureFixture[str]
) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    config = put_config(tmp_path, report={"title": "Another"})
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))
    try:
        code = call("run", config, "--out", "report", "--quiet", "--no-cache")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert code == 4
    said = "report: could not be written: File too large; the last report is unchanged\n"
    assert capfd.readouterr().err == said
    assert contents(tmp_path / "report") == report
    assert litter(tmp_path) == []


@pytest.mark.skipif(not Path("/dev/shm").is_mount(), reason="no second file system to write to")
def test_a_folder_on_another_file_system_is_filled(tmp_path: Path) -> None:
    place = Path("/dev/shm") / f"reportgen-{os.getpid()}"
    try:
        assert call("run", put(tmp_path), "--out", place / "report", "--quiet") == 0
        assert "results.json" in contents(place / "report")
    finally:
        subprocess.run(["rm", "-r", str(place)], check=True)


def test_a_file_of_somebody_else_stays_in_the_folder(
    tmp_path: Path, report: dict[str, bytes]
) -> None:
    (tmp_path / "report" / "notes.txt").write_text("mine")
    (tmp_path / "report" / "report.html").write_text("of an earlier run that wanted it")
    assert call("run", put(tmp_path, customers(90)), "--out", "report", "--quiet") == 0
    found = contents(tmp_path / "report")
    assert found.pop("notes.txt") == b"mine"
    assert [*found] == ["results.json"]
    assert found != report


def test_an_output_that_fails_ends_with_4_and_leaves_no_stale_file(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    config = put(tmp_path, outputs=["html", "markdown"], curves=["ranking"])
    assert call("run", config, "--out", "report", "--quiet") == 0
    assert "report.html" in contents(tmp_path / "report")
    (tmp_path / "mine" / "html").mkdir(parents=True)
    (tmp_path / "mine" / "html" / "report.html").write_text("{{ nothing_of_that_name }}")
    capfd.readouterr()
    words = ("run", config, "--out", "report", "--quiet", "--template-dir", "mine")
    assert call(*words) == 4
    out, err = capfd.readouterr()
    place = Path("mine") / "html" / "report.html"
    assert err == f"{place}:1: 'nothing_of_that_name' is undefined; mend the template\n"
    assert out.splitlines()[:2] == ["report/results.json", "report/report.md"]
    assert [*contents(tmp_path / "report")] == ["report.md", "results.json"]


def test_a_failed_gate_weighs_more_than_an_output_that_fails(tmp_path: Path) -> None:
    gate = {"name": "e", "rule": "below", "metric": "mae", "model": "clv", "value": 1}
    config = put(tmp_path, outputs=["html"], gates=[gate], curves=["ranking"])
    (tmp_path / "mine" / "html").mkdir(parents=True)
    (tmp_path / "mine" / "html" / "report.html").write_text("{{ nothing_of_that_name }}")
    assert call("run", config, "--out", "report", "--quiet", "--template-dir", "mine") == 1
