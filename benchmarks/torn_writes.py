"""End the writing of a report at each of its system calls, and look at what is left.

    python -m benchmarks.torn_writes [KIND ...] [--only ACTION]

One report stands in a folder of each kind and another is written over it, by the code that the
program writes with, under strace. At every system call of it in turn the process is killed,
terminated or interrupted, or the call fails for a full disk or a broken one. After each:

- the folder holds one report or the other whole, or it is marked as incomplete, every reader
  refuses it, and the next run finishes it;
- files, folders and links of others are as they were, to mode and owner;
- what was said and the exit code are true;
- a further run leaves nothing but its own files.

Wants Linux, strace and, for a mount, the right to mount. Takes about ten minutes on one core; a
short form is in tests/report/publish.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.report.publish import torn

ACTIONS = ("signal=SIGKILL", "signal=SIGTERM", "signal=SIGINT", "error=ENOSPC", "error=EIO")
CODES = {"signal=SIGKILL": (-9,), "signal=SIGTERM": (143,), "signal=SIGINT": (130,)}
BEGIN = "/torn-writes-begin"
# Calls that have no bearing on files: memory, clocks, the handlers of signals themselves.
ASIDE = re.compile(
    r"mmap|munmap|mremap|brk|mprotect|madvise|futex|rt_sig\w+|getpid|gettid|getuid|geteuid|exit\w*"
    r"|clock\w*|restart_syscall|setitimer"
)


def traced(kind: str, folder: Path, log: str, *options: str) -> tuple[int, str]:
    """The exit code of the write stage in a process of its own under strace, and what it said."""
    with tempfile.TemporaryFile() as said:
        child = os.fork()
        if child == 0:
            os.dup2(said.fileno(), 1)
            os.dup2(said.fileno(), 2)
            os.chdir(folder if kind == "current" else folder.parent)
            os.kill(os.getpid(), signal.SIGSTOP)
            os.access(BEGIN, os.F_OK)
            torn.write(Path("." if kind == "current" else "report"))
        os.waitpid(child, os.WUNTRACED)
        with subprocess.Popen(["strace", "-qq", "-o", log, *options, "-p", str(child)]) as tracer:
            while "TracerPid:\t0\n" in Path(f"/proc/{child}/status").read_text():
                if tracer.poll() is not None:
                    os.kill(child, signal.SIGKILL)
                    sys.exit("strace cannot attach")
                time.sleep(0.001)
            os.kill(child, signal.SIGCONT)
            _, status = os.waitpid(child, 0)
        said.seek(0)
        return os.waitstatus_to_exitcode(status), said.read().decode().strip()


def calls(kind: str) -> list[tuple[str, int]]:
    """Each system call of the stage: its name, and the how manieth of that name it is."""
    place = Path(tempfile.mkdtemp())
    log = place / "log"
    traced(kind, torn.made(kind, place), str(log))
    counts: Counter[str] = Counter()
    found, is_inside = [], False
    for line in log.read_text().splitlines():
        name = line.partition("(")[0]
        counts[name] += 1
        if is_inside and name.isidentifier() and not ASIDE.fullmatch(name):
            found.append((name, counts[name]))
        is_inside = is_inside or BEGIN in line
    torn.unmade(kind, place)
    return found


def faults(kind: str, action: str, call: tuple[str, int], seen: Counter[str]) -> Iterator[str]:
    """What is wrong after one way to end the stage at one call."""
    place = Path(tempfile.mkdtemp())
    try:
        folder = torn.made(kind, place)
        before = torn.others(place)
        inject = f"inject={call[0]}:{action}:when={call[1]}"
        done = traced(kind, folder, "/dev/null", "-e", f"trace={call[0]}", "-e", inject)
        seen[torn.state(folder, kind == "new").partition(":")[0]] += 1
        yield from torn.wrong(folder, kind == "new", CODES.get(action, (0, 4)), *done)
        yield from torn.left_by_the_next(place, folder)
        if kind != "new" and torn.others(place) != before:
            yield "something of others changed"
    except Exception as error:
        yield f"{type(error).__name__}: {error}"
    finally:
        torn.unmade(kind, place)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kinds", nargs="*", default=torn.KINDS)
    parser.add_argument("--only", choices=ACTIONS)
    chosen = parser.parse_args()
    ends = wrong = 0
    for kind in chosen.kinds or torn.KINDS:
        points = calls(kind)
        print(f"{kind}: {len(points)} calls: {dict(Counter(name for name, _ in points))}")
        for action in [chosen.only] if chosen.only else ACTIONS:
            seen: Counter[str] = Counter()
            for call in points:
                for fault in faults(kind, action, call, seen):
                    wrong += 1
                    print(f"  {kind} {action} {call}: {fault}", flush=True)
            ends += len(points)
            print(f"  {action}: {dict(seen)}", flush=True)
    print(f"{ends} ends, {wrong} faults")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
