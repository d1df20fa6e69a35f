"""Whatever ends a run early, the last report is whole, and nothing is left lying about."""

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from reportgen.report.publish.files import MARKER_NAME
from reportgen.terms import VOUCHING
from tests.end_to_end.wallet import ROOT, call, contents, customers, put, put_config

WHILE = " while resampling holdout; the last report is unchanged\n"
STAGES = ("reportgen: reading the data\n", "reportgen: resampling holdout\n")
# The program, which gets a signal while it draws the second batch of resamples.
RESAMPLING = """
import os, signal, sys
from reportgen.cli import commands
from reportgen.inference.resampling.design import Design
by, drawn = int(sys.argv.pop()), Design._draw_counts
def batch(design, index):
    if index == 1:
        os.kill(os.getpid(), by)
    return drawn(design, index)
Design._draw_counts = batch
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's `&` has it ignored
commands.main()
"""


# The program, which gets a signal when it comes to one of its functions.
LATE = """
import os, signal, sys
from importlib import import_module
where, by = sys.argv.pop(1), sys.argv.pop(1)
module, _, name = where.rpartition(".")
module = import_module(module)
real = getattr(module, name)
def late(*words):
    os.kill(os.getpid(), getattr(signal, by))
    return real(*words)
setattr(module, name, late)
signal.signal(signal.SIGINT, signal.default_int_handler)
from reportgen.cli import commands
commands.main()
"""
# The program, which is interrupted where Python can raise nothing: while an object goes.
LOST = """
import os, signal
from reportgen.cli import commands
from reportgen.inference.resampling.design import Design
drawn = Design._draw_counts
class Going:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000):
            pass
def batch(design, index):
    if index == 0:
        Going()
    return drawn(design, index)
Design._draw_counts = batch
signal.signal(signal.SIGINT, signal.default_int_handler)
commands.main()
"""
# The program, which is interrupted while it imports its command line.
LOADING = """
import os, signal, sys
class Finder:
    @staticmethod
    def find_spec(name, *_):
        if name == "reportgen.cli.commands":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder)
signal.signal(signal.SIGINT, signal.default_int_handler)
from reportgen.__main__ import main
main()
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


@pytest.mark.full
@pytest.mark.parametrize(
    ("by", "code", "says"),
    [
        (
            signal.SIGINT,
            130,
            f"\ninterrupted{WHILE}",
        ),
        (
            signal.SIGTERM,
            143,
            f"terminated{WHILE}",
        ),
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
from reportgen.report import publish
files = {"results.json": b"new", "report.html": b"new"}
kept = os.fsync
def fsync(handle):
    kept(handle)
    os.kill(os.getpid(), signal.SIGKILL)
os.fsync = fsync
publish.publish_files(files, Path("report"))
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
    assert call("run", put(tmp_path, customers(90)), "--out", "report", "--quiet") == 0
    found = contents(tmp_path / "report")
    assert found.pop("notes.txt") == b"mine"
    assert {*found} == {"results.json", *VOUCHING}
    assert found != report


def test_an_output_that_is_no_longer_wanted_goes(tmp_path: Path) -> None:
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "notes.txt").write_text("mine")
    words = ("run", put(tmp_path, outputs=["json", "junit"]), "--out", "report", "--quiet")
    assert call(*words) == 0
    found = {*contents(tmp_path / "report")}
    assert found == {"junit.xml", "notes.txt", "results.json", *VOUCHING}
    put_config(tmp_path, outputs=["json"])
    assert call(*words) == 0
    assert {*contents(tmp_path / "report")} == {"notes.txt", "results.json", *VOUCHING}


def test_a_file_that_the_last_report_does_not_name_stops_a_run_before_it_begins(
    tmp_path: Path, report: dict[str, bytes], capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "report" / "report.html").write_text("mine")
    assert call("run", put_config(tmp_path), "--out", "report", "--quiet") == 2
    assert capfd.readouterr().err == (
        "report: holds a report.html that reportgen did not write, and would replace; choose "
        "another --out\n"
    )


def test_a_folder_that_was_left_half_way_is_not_rendered(
    tmp_path: Path, report: dict[str, bytes], capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "report" / MARKER_NAME).write_text("")
    assert call("render", "report/results.json", "--out", "again") == 3
    assert capfd.readouterr().err == (
        "report/results.json: may belong to another report than the files beside it, since a run "
        "was stopped while it replaced them; run the config again\n"
    )


@pytest.mark.full
@pytest.mark.parametrize(
    ("at", "by", "says"),
    [
        (
            "reportgen.report.publish.fill_staging",
            "SIGTERM",
            "terminated; the last report is unchanged\n",
        ),
        (
            "reportgen.report.publish.exchange_folders",
            "SIGINT",
            "interrupted; the new report is in place\n",
        ),
        (
            "reportgen.cli.commands._report_outcome",
            "SIGINT",
            "interrupted; the new report is in place\n",
        ),
        (
            "reportgen.cli.commands._exit_process",
            "SIGTERM",
            "terminated; the new report is in place\n",
        ),
    ],
)
def test_a_signal_in_the_last_moments_is_told_truly(
    tmp_path: Path, report: dict[str, bytes], at: str, by: str, says: str
) -> None:
    (tmp_path / "other.json").write_bytes(report["results.json"].replace(b"Wallet", b"Purse"))
    done = python(LATE, at, by, "render", "other.json", "--out", "report")
    assert done.returncode == 128 + getattr(signal, by)
    assert done.stderr.removeprefix("\n") == says
    assert (contents(tmp_path / "report") == report) == ("unchanged" in says)
    assert litter(tmp_path) == []


@pytest.mark.full
def test_an_interrupt_that_python_loses_still_ends_the_run(
    tmp_path: Path, report: dict[str, bytes]
) -> None:
    done = python(LOST, "run", put_config(tmp_path), "--out", "report", "--no-cache", "--quiet")
    assert done.returncode == 130
    # With few resamples the next step may already be the comparison.
    stages = [WHILE, WHILE.replace("resampling", "comparing models on")]
    assert done.stderr.removeprefix("\n") in [f"interrupted{stage}" for stage in stages]
    assert contents(tmp_path / "report") == report


def test_an_interrupt_while_the_program_loads_is_no_traceback(tmp_path: Path) -> None:
    done = python(LOADING, "list", "metrics")
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


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
    assert err == f"{place}:1: 'nothing_of_that_name' is undefined; correct the template\n"
    assert out.splitlines()[:2] == ["report/results.json", "report/report.md"]
    assert {*contents(tmp_path / "report")} == {"report.md", "results.json", *VOUCHING}


def test_a_failed_gate_weighs_more_than_an_output_that_fails(tmp_path: Path) -> None:
    gate = {"name": "e", "rule": "below", "metric": "mae", "model": "clv", "value": 1}
    config = put(tmp_path, outputs=["html"], gates=[gate], curves=["ranking"])
    (tmp_path / "mine" / "html").mkdir(parents=True)
    (tmp_path / "mine" / "html" / "report.html").write_text("{{ nothing_of_that_name }}")
    assert call("run", config, "--out", "report", "--quiet", "--template-dir", "mine") == 1
