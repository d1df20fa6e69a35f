"""What a second thread gains, what the machine allows, and where the rest goes.

    python benchmarks/threads.py [--rows 10000,30000,100000,300000]

The work is that of speed.py. Each timing has a process of its own. Two processes with a thread
each share nothing but the machine: what they gain together is what it allows. `outside the lock`
is the share of a one-thread run that is spent in compiled kernels, which let another thread go on;
the rest is Python, of which only one thread at a time can run. Written to results/threads.md.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import speed

from reportgen.analysis.dataset_analysis import draw_replicates
from reportgen.kernels import native

PAGE = Path(__file__).parent / "results" / "threads.md"
SECONDS = 4.0  # for which each process repeats the work
HEAD = """# What a second thread gains

Made by `python benchmarks/threads.py` on {machine}.
The work is that of [speed.md](speed.md): six metrics, 2 models, 1,000 replicates. Times are medians
of runs repeated for {seconds:.0f} s in a process of their own, in milliseconds.

- *machine*: what two processes with one thread each gain over one after the other. They share
  nothing, so no program gains more here.
- *outside the lock*: share of a one-thread run in compiled kernels. The rest is Python, of which
  one thread at a time can run; where it is a third of a short run, threads wait for each other.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", default="10000,30000,100000,300000")
    parser.add_argument("--child", nargs=2, type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child is not None:
        print(json.dumps(repeated(*options.child)))
        return
    rows = [line(int(n)) for n in options.rows.split(",")]
    head = ("rows", "one thread", "two threads", "gain", "machine", "outside the lock")
    page = [HEAD.format(machine=speed.machine(), seconds=SECONDS)]
    page += [f"| {' | '.join(head)} |", "|" + " ---: |" * len(head)]
    page += [f"| {' | '.join(row)} |" for row in rows]
    PAGE.write_text("\n".join(page) + "\n", encoding="utf-8")
    print("\n".join(page))


def line(n: int) -> tuple[str, ...]:
    """One size: alone with one thread and with two, and two processes at once."""
    (one,), (two,) = together(n, 1, 1), together(n, 2, 1)
    pair = together(n, 1, 2)
    machine = 2 * one["seconds"] / max(each["seconds"] for each in pair)
    shown = [f"{1000 * each['seconds']:.3g}" for each in (one, two)]
    gain = one["seconds"] / two["seconds"]
    return f"{n:,}", *shown, f"{gain:.2f}", f"{machine:.2f}", f"{100 * one['outside']:.0f} %"


def together(n: int, threads: int, processes: int) -> list[dict[str, float]]:
    """So many processes at the same time, each repeating the work."""
    command = [sys.executable, __file__, "--child", str(n), str(threads)]
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(processes)
    ]
    return [json.loads(each.communicate()[0]) for each in running]


def repeated(n: int, threads: int) -> dict[str, float]:
    """Median seconds of a run; with one thread also the share of it outside the lock."""
    question = speed.plan(n)
    draw_replicates(question, threads)  # what a process finds once and keeps
    taken, end = [], time.perf_counter() + SECONDS
    while time.perf_counter() < end or len(taken) < 3:
        start = time.perf_counter()
        draw_replicates(question, threads)
        taken.append(time.perf_counter() - start)
    outside = in_kernels(n) if threads == 1 else 0.0
    return {"seconds": median(taken), "outside": outside}


def in_kernels(n: int) -> float:
    """Share of one run that passes inside compiled kernels."""
    plain, spent = native.call_kernel, 0.0

    def timed(name: str, *arguments: object) -> None:
        nonlocal spent
        start = time.perf_counter()
        plain(name, *arguments)  # type: ignore[arg-type]
        spent += time.perf_counter() - start

    native.call_kernel = timed
    try:
        question, start = speed.plan(n), time.perf_counter()
        draw_replicates(question, 1)
        return spent / (time.perf_counter() - start)
    finally:
        native.call_kernel = plain


if __name__ == "__main__":
    main()
