"""Machines that lack a home, a folder to write to, or space: a report or one line, and no parts."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.end_to_end.wallet import ROOT, put

PROGRAM = f"{sys.executable} -m reportgen"
STRANGER = "setpriv --reuid=54321 --regid=54321 --clear-groups env -u HOME -u XDG_CACHE_HOME"
RUN = f"{PROGRAM} run wallet.yaml --no-cache --quiet --out"
ALL = "--set 'outputs=[json, html, pdf]'"


def run_in_namespace(script: str, folder: Path) -> tuple[int, str, str]:
    """Run a shell script in a mount namespace of its own, in which it may mount folders."""
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout, done.stderr


def may_mount() -> bool:
    """Tell whether this user may mount folders in a namespace of its own."""
    if not (shutil.which("unshare") and shutil.which("setpriv")):
        return False
    mount = ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"]
    return subprocess.run(mount, capture_output=True).returncode == 0


pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(not may_mount(), reason="this user may not mount folders"),
]


def may_start() -> bool:
    """Tell whether another user may start this Python, as none may in a closed home folder."""
    words = [*STRANGER.split(), sys.executable, "-c", "pass"]
    return (
        bool(shutil.which("setpriv")) and not subprocess.run(words, capture_output=True).returncode
    )


def list_names(folder: Path) -> list[str]:
    """List every file below a folder."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


@pytest.mark.skipif(not may_start(), reason="a stranger may not start this Python")
def test_a_user_whom_the_system_does_not_know_gets_a_report_and_leaves_nothing(
    tmp_path: Path,
) -> None:
    put(tmp_path)
    (tmp_path / "apart").mkdir()
    for folder in (tmp_path, tmp_path / "apart"):
        folder.chmod(0o777)
    reach = f"mount --bind {tmp_path} /mnt; cd /mnt; export TMPDIR=/mnt/apart; "
    code, _, error = run_in_namespace(reach + f"{STRANGER} {RUN} out {ALL}", tmp_path)
    assert (code, error) == (0, "")
    assert {"report.html", "report.pdf"} <= set(list_names(tmp_path / "out"))
    assert list_names(tmp_path / "apart") == []


def test_a_system_that_is_read_only_everywhere_ends_with_one_line(tmp_path: Path) -> None:
    put(tmp_path)
    (tmp_path / "rw").mkdir()
    script = (
        "mount --bind . . && cd $PWD && mount -t tmpfs none rw && mount -o remount,ro,bind / && "
        "for each in /tmp /var/tmp /usr/tmp /dev/shm . $HOME; do "
        "! mountpoint -q $each || mount -o remount,ro,bind $each; done; cd $PWD; "
        "export TMPDIR=/nowhere HOME=/nowhere XDG_CACHE_HOME=/nowhere XDG_CONFIG_HOME=/nowhere; "
        f"env -u MPLCONFIGDIR {RUN} rw/out {ALL}; code=$?; ls -A rw; exit $code"
    )
    code, left, error = run_in_namespace(script, tmp_path)
    assert code == 4 and left == ""
    assert error.startswith("no folder for temporary files is writable; set TMPDIR")
    assert error.count("\n") == 1


@pytest.mark.parametrize("options", ["ro", "size=8k"])
def test_a_cache_that_takes_nothing_costs_no_report(tmp_path: Path, options: str) -> None:
    put(tmp_path)
    script = (
        f"mkdir kept; mount -t tmpfs -o {options} none kept; export XDG_CACHE_HOME=$PWD/kept; "
        f"{PROGRAM} run wallet.yaml --quiet --out out && find kept -name '*.draft'"
    )
    code, said, error = run_in_namespace(script, tmp_path)
    assert (code, error) == (0, "") and "draft" not in said
    assert "results.json" in list_names(tmp_path / "out")


@pytest.mark.parametrize("out", ["place", "place/out"])
def test_a_report_that_fits_on_no_disk_ends_with_4(tmp_path: Path, out: str) -> None:
    put(tmp_path)
    script = f"mkdir place; mount -t tmpfs -o size=40k none place; {RUN} {out} {ALL}; code=$?; "
    code, left, error = run_in_namespace(script + "ls -A place; exit $code", tmp_path)
    name = Path(out).name
    assert (code, left) == (4, "")
    assert error == (
        f"{name}: could not be written: No space left on device; no report was written\n"
    )


def test_a_folder_that_is_read_only_is_refused_before_any_work(tmp_path: Path) -> None:
    put(tmp_path)
    script = f"mkdir place; mount -t tmpfs -o ro none place; {RUN} place"
    code, said, error = run_in_namespace(script, tmp_path)
    assert (code, said) == (2, "")
    assert error == "place: the folder cannot be written to; choose another --out\n"


@pytest.mark.parametrize(
    "command",
    [
        "diff out out --format html --out place/kept",
        "trend out --out place/kept",
        "freeze wallet.yaml --out place/kept",
        "init wallet.csv --out place/new.yaml",
    ],
)
def test_a_single_file_on_a_full_disk_is_whole_or_as_it_was(tmp_path: Path, command: str) -> None:
    put(tmp_path)
    script = (
        f"{RUN} out >said; mkdir place; mount -t tmpfs -o size=8k none place; "
        "echo old >place/kept; head -c 4000 /dev/zero >place/fill; "
        f"{PROGRAM} {command} >said; code=$?; "
        "cat place/kept; ls -A place; exit $code"
    )
    code, left, error = run_in_namespace(script, tmp_path)
    assert (code, left) == (4, "old\nfill\nkept\n")
    last = error.splitlines()[-1]
    assert last == f"{command.split()[-1]}: cannot be written: No space left on device"
