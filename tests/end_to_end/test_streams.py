"""Whoever listens, or does not, the exit code is that of the gates."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.end_to_end.wallet import ROOT, call, put

pytestmark = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device")

FAILS = {"name": "e", "rule": "below", "metric": "mae", "model": "clv", "value": 1}
FULL = "standard output: could not be written: No space left on device\n"
PRINTING = [
    ["list", "metrics"],
    ["schema"],
    ["explain", "mae"],
    ["cache", "size"],
    ["init", "wallet.csv"],
    ["--help"],
]


@contextmanager
def nobody() -> Iterator[int]:
    """A pipe that is read by nobody any more."""
    read, write = os.pipe()
    os.close(read)
    yield write
    os.close(write)


@contextmanager
def full() -> Iterator[int]:
    """A device that has no room."""
    handle = os.open("/dev/full", os.O_WRONLY)
    yield handle
    os.close(handle)


def program(words: list[str], closed: str = "", **streams: int) -> tuple[int, str, str]:
    """Exit code and what was heard on both streams; those in `closed` do not even exist."""
    run = [sys.executable, "-m", "reportgen", *words]
    done = subprocess.run(
        ["sh", "-c", f'exec "$0" "$@" {closed}', *run],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams},  # type: ignore[call-overload]
    )
    return done.returncode, done.stdout or "", done.stderr or ""


@pytest.fixture
def failed(tmp_path: Path) -> list[str]:
    """A command that ends with 1, for a gate that is not met."""
    config = put(tmp_path, outputs=["json"], gates=[FAILS])
    assert call("run", config, "--out", "out", "--quiet") == 1
    return ["render", "out/results.json"]


@pytest.mark.parametrize("words", PRINTING)
def test_a_command_that_prints_ends_well_if_nobody_reads_on(
    tmp_path: Path, words: list[str]
) -> None:
    put(tmp_path)
    with nobody() as pipe:
        code, _, said = program(words, stdout=pipe)
    assert code == 0
    assert "standard output" not in said and "Error" not in said


def test_a_command_that_prints_to_nothing_ends_well() -> None:
    assert program(["list", "metrics"], ">&-") == (0, "", "")


@pytest.mark.parametrize("words", PRINTING[:-1])
def test_a_command_that_cannot_print_what_it_is_for_ends_with_4(
    tmp_path: Path, words: list[str]
) -> None:
    put(tmp_path)
    with full() as device:
        code, _, said = program(words, stdout=device)
    assert code == 4
    assert said.endswith(FULL) and said.count("standard output") == 1


@pytest.mark.full
def test_the_code_of_a_failed_gate_does_not_depend_on_who_listens(failed: list[str]) -> None:
    with nobody() as pipe, full() as device:
        assert program(failed, stdout=pipe) == (1, "", "")
        assert program(failed, stdout=device) == (1, "", FULL)
        assert program(failed, ">&-") == (1, "", "")
        assert program(failed, stdout=device, stderr=device)[0] == 1


@pytest.mark.full
def test_progress_that_nobody_hears_does_not_end_a_run(tmp_path: Path) -> None:
    put(tmp_path, outputs=["json"], gates=[FAILS])
    words = ["run", "wallet.yaml", "--out", "out"]
    with nobody() as pipe, full() as device:
        assert program(words, stderr=pipe)[0] == 1
        assert program(words, stderr=device)[0] == 1
        assert program(words, ">&- 2>&- <&-")[0] == 1


@pytest.mark.full
def test_no_file_takes_the_place_of_a_stream_that_is_closed(tmp_path: Path) -> None:
    put(tmp_path, datasets={})
    code, out, _ = program(["validate", "wallet.yaml"], "2>&-")
    assert (code, out) == (2, "")
    code, out, _ = program(["init", "wallet.csv", "--out", "new.yaml"], ">&- 2>&-")
    assert code == 0
    assert (tmp_path / "new.yaml").read_text(encoding="utf-8").startswith("#")


@pytest.mark.full
def test_a_pipe_that_does_not_wait_gets_everything() -> None:
    read, write = os.pipe()
    os.set_blocking(write, False)
    words = [sys.executable, "-m", "reportgen", "schema"]
    with subprocess.Popen(words, stdout=write, env={**os.environ, "PYTHONPATH": str(ROOT)}) as run:
        os.close(write)
        with open(read, "rb") as pipe:  # noqa: PTH123
            got = pipe.read()
        assert run.wait() == 0
    assert got == subprocess.run(words, capture_output=True, cwd=ROOT).stdout
    assert len(got) > 65_536
