"""End the writing of a report at each call that touches files.

Run it by `python -m tests.report.publish.ends KIND`.

What Python tells its auditors of is ended (files opened, made, renamed, removed, locked), with the
syncs and the exchange. Prints what is wrong afterwards, a line each. Every system call is tried by
`benchmarks/torn_writes.py`.
"""

import errno
import mmap
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from reportgen.report import publish
from tests.report.publish import torn

ENDS: dict[str, tuple[int, ...]] = {
    "SIGKILL": (-9,),
    "SIGTERM": (143,),
    "SIGINT": (130,),
    "ENOSPC": (0, 4),
    "EIO": (0, 4),
}
TOUCHING = ("open", "os.", "fcntl.", "shutil.", "renameat2")
FAST = Path("/dev/shm")  # a sync costs nothing there
COUNT = mmap.mmap(-1, 8)  # shared with the children: how many calls the last one made


def ended(kind: str, place: Path, folder: Path, end: str, at: int) -> tuple[int, str]:
    """The exit code of a process that is ended at its n-th call, and what it said."""
    with tempfile.TemporaryFile() as said:
        child = os.fork()
        if child == 0:
            os.dup2(said.fileno(), 1)
            os.dup2(said.fileno(), 2)
            os.chdir(folder if kind == "current" else place)
            audit(end, at)
            torn.write(Path("." if kind == "current" else "report"))
        _, status = os.waitpid(child, 0)
        said.seek(0)
        return os.waitstatus_to_exitcode(status), said.read().decode().strip()


def audit(end: str, at: int) -> None:
    """Have the n-th call end as told."""
    made = 0

    def hook(event: str, _: object) -> None:
        nonlocal made
        if not event.startswith(TOUCHING):
            return
        made += 1
        COUNT[:8] = made.to_bytes(8, "little")
        if made != at:
            return
        if end.startswith("SIG"):
            os.kill(os.getpid(), getattr(signal, end))
        else:
            number = getattr(errno, end)
            raise OSError(number, os.strerror(number))

    os.fsync = audited("os.fsync", os.fsync)
    if publish._RENAME is not None:
        publish._RENAME = refused(audited("renameat2", publish._RENAME))
    sys.addaudithook(hook)


def audited(event: str, call: Callable[..., object]) -> Callable[..., object]:
    def told(*words: object) -> object:
        sys.audit(event)
        return call(*words)

    return told


def refused(call: Callable[..., object]) -> Callable[..., object]:
    """A system's call tells of an error by -1."""

    def tried(*words: object) -> object:
        try:
            return call(*words)
        except OSError:
            return -1

    return tried


def faults(kind: str, end: str, at: int) -> Iterator[str]:
    """What is wrong after one end; none is tried at call 0."""
    place = Path(tempfile.mkdtemp(dir=FAST if FAST.is_dir() else None))
    folder = torn.made(kind, place)
    before = torn.others(place)
    code, said = ended(kind, place, folder, end, at)
    yield from torn.wrong(folder, kind == "new", ENDS[end] if at else (0,), code, said)
    yield from torn.left_by_the_next(place, folder)
    if kind != "new" and torn.others(place) != before:
        yield "something of others changed"
    torn.unmade(kind, place)


def main(kind: str) -> None:
    for fault in faults(kind, "EIO", 0):
        print(f"no end: {fault}")
    calls = int.from_bytes(COUNT[:8], "little")
    for end in ENDS:
        for at in range(1, calls + 1):
            for fault in faults(kind, end, at):
                print(f"{end} at call {at} of {calls}: {fault}")
    print(f"{calls} calls")


if __name__ == "__main__":
    main(sys.argv[1])
