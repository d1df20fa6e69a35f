"""Configs over the whole language, each through the real program.

    python benchmarks/fuzz_language.py --count 10000 --first 1 --workers 2 --page

Each case of `language_cases.py` is run by the command line's own code in a forked child, so that a
hang, an abort or a crash is one case's end and not the study's. A case must end within 20 seconds
of the processor's time (and ten minutes of the clock's, as the machine may be shared) with 0, 1, 2,
3 or 4, without a traceback or a library's warning, in lines that can be read. What fails is kept in
a folder with its files, and printed by the place where it failed. A case that ends by signal 24
took too much of the processor, one that ends by signal 9 too much of the clock. Outcomes are kept
by commit, so that a range of seeds can be run in parts. With `--page` the counts are written to
benchmarks/results/fuzz-language.md.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import matplotlib.backends.backend_svg  # noqa: F401  # what every child needs, read once
import pandas  # noqa: F401
import pyarrow.csv
import pyarrow.pandas_compat  # noqa: F401
from language_cases import Case, case

from reportgen import notebook, pipeline  # noqa: F401
from reportgen.cli import commands
from reportgen.report.render import html, junit, markdown, pdf  # noqa: F401

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "benchmarks" / "results" / "fuzz-language.md"
FINE = (0, 1, 2, 3, 4)
LIMIT = 20
PATIENCE = 600.0
LONGEST_LINE = 700
MEMORY = 6 * 2**30
THEIRS = re.compile(r"Traceback|\.py:\d+: \w*Warning|Error in sys\.excepthook|Segmentation")


@dataclass(frozen=True)
class Outcome:
    """How one case ended: its exit code, or the negative number of a signal; and what was wrong."""

    seed: int
    code: int
    seconds: float
    is_spoilt: bool
    fault: str


@dataclass(frozen=True)
class Running:
    """A case whose child is at work."""

    drawn: Case
    seed: int
    folder: tempfile.TemporaryDirectory[str]
    began: float


def outcomes(seeds: Iterable[int], workers: int, kept: Path) -> Iterator[Outcome]:
    """How each case ends, so many children at a time; as they end, not in order."""
    waiting, running = iter(seeds), dict[int, Running]()
    while True:
        while len(running) < workers and (seed := next(waiting, None)) is not None:
            child, started = _started(seed)
            running[child] = started
        if not running:
            return
        for child, each in list(running.items()):
            if time.perf_counter() - each.began > PATIENCE:
                os.kill(child, signal.SIGKILL)
            done, status, used = os.wait4(child, os.WNOHANG)
            if done:
                del running[child]
                seconds = used.ru_utime + used.ru_stime
                yield _judged(each, os.waitstatus_to_exitcode(status), seconds, kept)
        time.sleep(0.002)


def _started(seed: int) -> tuple[int, Running]:
    folder = tempfile.TemporaryDirectory(prefix="fuzz-language-")
    drawn = case(seed)
    put(drawn, Path(folder.name))
    began = time.perf_counter()
    return _forked(drawn, Path(folder.name)), Running(drawn, seed, folder, began)


def _judged(each: Running, code: int, seconds: float, kept: Path) -> Outcome:
    """What became of a case; its files are kept if that is not as it should be."""
    with each.folder as name:
        said = (Path(name) / "stderr").read_text(encoding="utf-8", errors="replace")
        fault = fault_of(code, seconds, said, Path(name) / "out")
        if fault:
            put(each.drawn, kept / str(each.seed))
            (kept / str(each.seed) / "stderr").write_text(said, encoding="utf-8")
    return Outcome(each.seed, code, seconds, each.drawn.is_spoilt, fault)


def put(drawn: Case, folder: Path) -> None:
    """The files of a case, and how to run it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in drawn.files.items():
        (folder / name).write_bytes(content)
    (folder / "words.json").write_text(json.dumps([drawn.words, drawn.environ]))


def _forked(drawn: Case, folder: Path) -> int:
    child = os.fork()
    if child:
        return child
    try:
        os.chdir(folder)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, 2 * LIMIT))  # a signal of its own
        os.environ.update(drawn.environ)
        os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
        out = os.open("stderr", os.O_WRONLY | os.O_CREAT, 0o600)
        os.dup2(out, 1), os.dup2(out, 2)
        words = ("run", "case.yaml", "--out", "out", "--quiet", "--no-cache", "--threads", "1")
        sys.argv = ["reportgen", *words, *drawn.words]
        commands.main()
    finally:
        os._exit(70)  # main() ends the process itself


def fault_of(code: int, seconds: float, said: str, out: Path) -> str:
    """What is wrong with how a case ended; empty if nothing is."""
    lines = said.splitlines()
    if code not in FINE:
        places = [
            line.strip() for line in lines if line.startswith("  File ") and "reportgen" in line
        ]
        place = re.sub(r".*/reportgen/", "", places[-1]) if places else ""
        last = next(
            (line for line in reversed(lines) if re.match(r"\w*(Error|Exception)", line)), ""
        )
        return f"exit {code} after {seconds:.0f} s: {place} {last[:160]}"
    if found := THEIRS.search(said):
        line = next(line for line in lines if found[0] in line)
        return f"said: {re.sub(r'.*/reportgen/', '', line)[:200]}"
    if longest := max((len(line) for line in lines), default=0) // LONGEST_LINE:
        line = max(lines, key=len)
        return f"a line of {longest * LONGEST_LINE} letters or more: {line[:60]!r}…{line[-60:]!r}"
    if code in (2, 3) and not lines:
        return f"exit {code} without a word"
    if code in (0, 1, 4):
        try:
            json.loads((out / "results.json").read_bytes(), parse_constant=lambda name: 1 / 0)
        except (OSError, ValueError, ZeroDivisionError) as error:
            return f"results.json: {error!r}"
    return ""


def main() -> None:
    """Run the cases that are still to run, print what failed, write the page; 1 if any failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--kept", type=Path, default=Path(tempfile.gettempdir()) / "fuzz-language")
    parser.add_argument("--page", action="store_true", help="write the counts to results/")
    options = parser.parse_args()
    found = run(range(options.first, options.first + options.count), options.workers, options.kept)
    text = page(found)
    print(text)
    if options.page:
        PAGE.write_text(text, encoding="utf-8")
    sys.exit(1 if any(each.fault for each in found) else 0)


def run(seeds: range, workers: int, kept: Path) -> list[Outcome]:
    """The outcomes of some seeds; those of this commit that are known already are not run again."""
    kept.mkdir(parents=True, exist_ok=True)
    log = kept / f"{commit()}.jsonl"
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    known = {each.seed: each for each in (Outcome(**json.loads(line)) for line in lines)}
    gc.freeze()  # what is read once is then not copied for every child
    with log.open("a", encoding="utf-8") as kept_log:
        for each in outcomes((seed for seed in seeds if seed not in known), workers, kept):
            known[each.seed] = each
            print(json.dumps(asdict(each)), file=kept_log, flush=True)
            if each.fault:
                print(f"{each.seed}: {each.fault}", flush=True)
    return [known[seed] for seed in seeds]


def commit() -> str:
    """The commit that is run; with the time if files differ from it, as no two are then alike."""
    git = ("git", "-C", str(PAGE.parent))
    name = subprocess.check_output([*git, "rev-parse", "--short", "HEAD"], text=True).strip()
    code = [str(ROOT / "reportgen"), str(ROOT / "benchmarks" / "language_*.py")]
    changed = subprocess.check_output([*git, "status", "--porcelain", "--", *code], text=True)
    return f"{name}-changed-{time.time():.0f}" if changed else name


def page(found: list[Outcome]) -> str:
    """The counts, as a page."""
    codes = Counter(each.code for each in found)
    spoilt = [each for each in found if each.is_spoilt]
    whole = [each for each in found if not each.is_spoilt]
    seconds = [each.seconds for each in found]
    faults = sum(bool(each.fault) for each in found)
    lines = [
        "# Configs over the whole language\n",
        "Made by `python benchmarks/fuzz_language.py --page`, which draws configs over every key "
        "of the schema, with tables of 20 to 60 rows, and runs each as the command line would. "
        "A case keeps the promise if it ends by itself within 20 seconds of the processor's time "
        "with the exit code 0, 1, 2, 3 or 4, without a traceback, without a warning of Python or "
        f"NumPy, in lines of fewer than {LONGEST_LINE} letters, and with a results.json that can "
        "be read where a report is promised.\n",
        f"At commit `{commit()}`, seeds {found[0].seed} to {found[-1].seed}: "
        f"{len(found):,} cases, of which {len(spoilt):,} were spoilt on purpose. "
        f"**{faults or 'None'} broke the promise.** A report was made by {_share(whole)} of the "
        f"cases that were not spoilt and by {_share(spoilt)} of those that were. A case took "
        f"{sum(seconds) / len(seconds):.2f} s of the processor in the mean, "
        f"{max(seconds):.1f} s at most.\n",
        "| exit code | cases | not spoilt | spoilt |",
        "| ---: | ---: | ---: | ---: |",
        *(
            f"| {code} | {codes[code]:,} | {_count(whole, code):,} | {_count(spoilt, code):,} |"
            for code in sorted(codes)
        ),
    ]
    return "\n".join(lines) + "\n"


def _share(cases: list[Outcome]) -> str:
    return f"{sum(each.code in (0, 1) for each in cases) / max(len(cases), 1):.0%}"


def _count(cases: list[Outcome], code: int) -> int:
    return sum(each.code == code for each in cases)


if __name__ == "__main__":
    main()
