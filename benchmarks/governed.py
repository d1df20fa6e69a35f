"""What a report that lasts costs, and how sure a move between two runs of one table is.

    python benchmarks/governed.py [--part times|sizes|moves] [--before TREE] [--times N]

The wallet study with all outputs, not from the cache, in turns: as it is; without other choices of
the primary comparison and without files inside the PDF; and, where TREE is another checkout with
built kernels, the run of that. Manifest and sums are always made; they are timed alone. Bounds: at
most 25 % slower, a PDF at most 1.3 times as large with its results, config and evidence inside.
Then the wallet beside itself with other scores of one model: the standard error of each metric's
move, from replicates of the same draws, beside that of both scores as two models of one run. Bound:
5 %. Each part is a section of benchmarks/results/governed.md.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from reportgen.governance import run_diff
from reportgen.governance.manifest import build_manifest_files
from reportgen.inference.resampling.cache import open_user_cache
from reportgen.pipeline import Options, run_config
from reportgen.progress import SilentProgress

ROOT = Path(__file__).parents[1]
PAGE = Path(__file__).parent / "results" / "governed.md"
WALLET = ROOT / "configs" / "wallet.yaml"
OUTPUTS = "outputs=[html,pdf,json,markdown,junit]"
WITHOUT = ("sensitivity=none", "pdf.attach=[]")
SWAPPED = ("models.boosted.column=score_last91", "models.last91.column=score_gbm_time")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--part", choices=("times", "sizes", "moves"), action="append")
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--before", type=Path, default=None)
    options = parser.parse_args()
    parts = {
        "times": lambda: timed(options.times, options.before),
        "sizes": sizes,
        "moves": paired,
    }
    for name in options.part or parts:
        write(name, "\n".join(parts[name]()))
    print(PAGE.read_text(encoding="utf-8"))


def write(part: str, text: str) -> None:
    """Put a section in the place of the one of its name."""
    known = dict.fromkeys(("times", "sizes", "moves"), "")
    for section in PAGE.read_text(encoding="utf-8").split("\n## ")[1:] if PAGE.exists() else ():
        name, _, held = section.partition("\n")
        known[name] = held.strip()
    known[part] = text.strip()
    sections = (f"## {name}\n\n{held}\n" for name, held in known.items() if held)
    title = "# What a report that lasts costs\n\nMade by `python benchmarks/governed.py`.\n\n"
    PAGE.write_text(title + "\n".join(sections), encoding="utf-8")


def timed(times: int, before: Path | None) -> Iterator[str]:
    """Medians of runs in turns: seconds on the clock, and of the processor."""
    arms: dict[str, tuple[Path, tuple[str, ...]]] = {
        "as it is": (ROOT, ()),
        "without sensitivity and attachments": (ROOT, WITHOUT),
    }
    if before is not None:
        arms["before"] = (before, ())
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in arms}
    load = os.getloadavg()[0]
    for _ in range(times):
        for name, arm in arms.items():
            taken[name].append(seconds(*arm))
    yield f"Medians of {times} runs of the wallet in turns, load {load:.1f} at the start.\n"
    yield "| run | seconds | of the processor |\n| --- | ---: | ---: |"
    middle = {
        name: [median(part) for part in zip(*found, strict=True)] for name, found in taken.items()
    }
    for name, (clock, used) in middle.items():
        yield f"| {name} | {clock:.2f} | {used:.2f} |"
    first = middle.pop("as it is")
    for name, other in middle.items():
        ratios = [a / b for a, b in zip(first, other, strict=True)]
        yield f"\nAs it is, against {name}: {ratios[0]:.3f} times the seconds,"
        yield f"{ratios[1]:.3f} times those of the processor (goal: at most 1.25)."
    yield f"\nManifest and sums of its files: {1000 * vouched():.0f} ms."


def seconds(tree: Path, changes: tuple[str, ...]) -> tuple[float, float]:
    """What a run takes on the clock, and of the processor on all its threads."""
    with tempfile.TemporaryDirectory() as folder:
        sets = [word for change in (OUTPUTS, *changes) for word in ("--set", change)]
        command = [
            sys.executable,
            "-m",
            "reportgen",
            "run",
            "configs/wallet.yaml",
            "--quiet",
            "--no-cache",
            "--threads",
            "2",
            *sets,
            "--out",
            f"{folder}/report",
        ]
        begun = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=tree,
            env=os.environ | {"PYTHONPATH": str(tree)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _, status, used = os.wait4(process.pid, 0)
        assert os.waitstatus_to_exitcode(status) in (0, 1), command
        return time.perf_counter() - begun, used.ru_utime + used.ru_stime


def vouched() -> float:
    """Seconds for the manifest and the sums of the wallet's files."""
    made = run_config(WALLET, Options((OUTPUTS,)), SilentProgress())
    files = {name: made.files[name] for name in made.files if name[0] not in "mS"}
    begun = time.perf_counter()
    build_manifest_files(made.results, made.headline, files)
    return time.perf_counter() - begun


def sizes() -> Iterator[str]:
    """The PDF without files inside, with those of the bound, with all."""
    made = {}
    for attached in ("[]", "[results,config,evidence]", "[results,config,tables,evidence]"):
        change = ("outputs=[pdf]", f"pdf.attach={attached}")
        made[attached] = len(
            run_config(WALLET, Options(change), SilentProgress()).files["report.pdf"]
        )
    plain, *others = made.values()
    yield "The wallet's PDF.\n"
    yield "| inside the PDF | bytes | times |\n| --- | ---: | ---: |"
    for name, size in made.items():
        yield f"| {name} | {size:,} | {size / plain:.2f} |"
    yield f"\nGoal: at most 1.3 with results, config and evidence; it is {others[0] / plain:.2f}."


def paired() -> Iterator[str]:
    """The standard error of moves of one model's values, beside that of two models in one run."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        every = ("outputs=[json]", "comparisons.against=all", "sensitivity=none")
        first, second = (
            run_config(WALLET, Options((*every, *more)), SilentProgress()).results
            for more in ((), SWAPPED)
        )
        pair = run_diff._build_pair(first, second, "holdout")
        yield "Standard errors on the wallet, 1,999 replicates.\n"
        yield "| metric | of the move | of both in one run | ratio |\n| --- | ---: | ---: | ---: |"
        worst = 1.0
        for c in first.comparisons:
            if {c.candidate, c.baseline} == {"boosted", "last91"} and c.segment is None and c.se:
                se = pair.spread(c.key, ("boosted",), open_user_cache())
                if se is None:
                    continue
                worst = max(worst, se / c.se, c.se / se)
                yield f"| {c.key} | {se:.4g} | {c.se:.4g} | {se / c.se:.3f} |"
        yield f"\nThe largest ratio is {worst:.3f} (goal: 1.05)."


if __name__ == "__main__":
    main()
