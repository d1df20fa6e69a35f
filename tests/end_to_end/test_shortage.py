"""Too little of anything ends in one line that says so, and with 4."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from reportgen.cli import process
from reportgen.errors import OutputError, UsageError
from reportgen.report import publish
from tests.end_to_end.wallet import ROOT, call, put

Said = pytest.CaptureFixture[str]
needs_limits = pytest.mark.skipif(sys.platform != "linux", reason="limits of another kind")


@needs_limits
@pytest.mark.parametrize(
    ("limit", "says"),
    [
        ("-v 600000", r"MB of address space (see ulimit -v)"),
        ("-d 60000", r"MB of memory (see ulimit -d)"),
        ("-n 7", r"more open files (see ulimit -n)"),
    ],
)
@pytest.mark.parametrize("words", ["run wallet.yaml", "render results.json", "init wallet.csv"])
def test_what_is_needed_is_said_before_any_work(
    tmp_path: Path, limit: str, says: str, words: str
) -> None:
    put(tmp_path)
    done = subprocess.run(
        ["sh", "-c", f'ulimit {limit}; exec "$0" -m reportgen {words}', sys.executable],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.startswith("this needs about ")
    assert done.stderr.endswith(f"{says}, and the system gives less\n")
    assert done.stderr.count("\n") == 1


def test_threads_that_cannot_start_are_told_before_any_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused(_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("threading.Thread.start", refused)
    with pytest.raises(OutputError, match=r"about 16 more threads \(see ulimit -u; --threads 1 "):
        process.check_resources(process.REPORTING_NEED, threads=4)


def test_what_is_tried_is_given_back() -> None:
    if sys.platform == "linux":
        before = sorted(path.name for path in Path("/proc/self/fd").iterdir())
        process.check_resources(process.REPORTING_NEED, threads=2)
        assert sorted(path.name for path in Path("/proc/self/fd").iterdir()) == before


def test_memory_that_runs_out_later_is_told_with_what_was_asked_for(
    tmp_path: Path, capfd: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reportgen.pipeline.read_data", lambda loaded: np.empty(1 << 55))
    assert call("run", put(tmp_path), "--out", "out", "--quiet") == 4
    said = capfd.readouterr().err
    assert said.startswith("not enough memory: Unable to allocate 256. PiB for an array with ")
    assert said.endswith("give fewer rows or replicates; no report was written\n")
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (MemoryError(), "not enough memory"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "not enough memory"),
        (ImportError("x.so: failed to map segment from shared object"), "not enough memory"),
        (OSError(errno.EMFILE, "Too many open files"), "too few open files"),
        (ImportError("x.so: cannot open: Too many open files"), "too few open files"),
        (RuntimeError("can't start new thread"), "too few threads"),
        (FileNotFoundError(2, "No usable temporary directory found in ['/tmp']"), "no folder for"),
        (OSError("Matplotlib requires access to a writable cache directory"), "no folder for"),
        (BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable"), "too few threads"),
    ],
)
def test_an_error_is_told_as_the_shortage_that_it_comes_of(error: Exception, says: str) -> None:
    wrapped = ImportError("a library cannot be loaded")
    wrapped.__cause__ = error
    for each in (error, wrapped):
        assert (process.explain_shortage(each) or "").startswith(says)


def test_an_error_of_ours_is_no_shortage() -> None:
    assert process.explain_shortage(ZeroDivisionError("division by zero")) is None
    assert process.explain_shortage(OSError(errno.ENOSPC, "No space left on device")) is None


def test_a_folder_that_matplotlib_made_for_this_process_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tmp_path / "matplotlib-made"
    made.mkdir()
    monkeypatch.setenv("MPLCONFIGDIR", str(made))
    monkeypatch.setattr(process, "_given_figure_folder", str(made))
    process.remove_figure_folder()
    assert made.is_dir()  # it is the user's
    monkeypatch.setattr(process, "_given_figure_folder", None)
    process.remove_figure_folder()
    assert not made.exists()


@pytest.mark.parametrize("before", [None, b"old"])
@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EACCES])
def test_a_single_file_that_cannot_be_written_is_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: bytes | None, error: int
) -> None:
    place = tmp_path / "page.html"
    if before is not None:
        place.write_bytes(before)
    publish.replace_file(place, b"new")
    assert place.read_bytes() == b"new"

    def fail(handle: int) -> None:
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OutputError if error == errno.ENOSPC else UsageError) as refused:
        publish.replace_file(place, b"newer")
    assert str(refused.value) == f"{place}: cannot be written: {os.strerror(error)}"
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    assert place.read_bytes() == b"new"


def test_a_file_that_is_not_ready_is_no_shortage_of_threads() -> None:
    again, said = errno.EAGAIN, "Resource temporarily unavailable"
    assert (process.explain_shortage(BlockingIOError(again, said)) or "").startswith(
        "too few threads"
    )
    assert process.explain_shortage(BlockingIOError(again, said, 0)) is None  # a pipe that is full
    assert process.explain_shortage(BlockingIOError(again, said, "a.csv")) is None
