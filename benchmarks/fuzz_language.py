"""Ten thousand configs over the whole language, each through the real program.

    python benchmarks/fuzz_language.py --count 10000 --first 1 --workers 1

Each case of `language_cases.py` is run by the command line's own code in a forked child, so that a
hang, an abort or a crash is one case's end and not the study's. A case must end within 20 seconds
of the processor's time (and two minutes of the clock's, as the machine may be shared) with 0, 1, 2,
3 or 4, without a traceback or a library's warning, in lines that can be read. What fails is kept in
a folder with its files, and printed by the place where it failed. With `--page` the counts are
written to benchmarks/results/fuzz-language.md.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import re
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from language_cases import Case, case

from reportgen import cli, pipeline, report  # noqa: F401  # what every child needs, read once
from reportgen.render import html, pdf  # noqa: F401

PAGE = Path(__file__).parent / "results" / "fuzz-language.md"
FINE = (0, 1, 2, 3, 4)
LIMIT = 20
PATIENCE = 120.0
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


def outcome(seed: int, kept: Path | None = None) -> Outcome:
    """Run one case in a folder and a child of its own."""
    drawn = case(seed)
    with tempfile.TemporaryDirectory(prefix="fuzz-language-") as name:
        folder = Path(name)
        put(drawn, folder)
        began = time.perf_counter()
        code, seconds = _ended(_forked(drawn, folder), began)
        said = (folder / "stderr").read_text(encoding="utf-8", errors="replace")
        fault = fault_of(code, seconds, said, folder / "out")
        if fault and kept is not None:
            put(drawn, kept / str(seed))
            (kept / str(seed) / "stderr").write_text(said, encoding="utf-8")
    return Outcome(seed, code, seconds, drawn.is_spoilt, fault)


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
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))
        os.environ.update(drawn.environ)
        os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
        out = os.open("stderr", os.O_WRONLY | os.O_CREAT, 0o600)
        os.dup2(out, 1), os.dup2(out, 2)
        words = ("run", "case.yaml", "--out", "out", "--quiet", "--no-cache", "--threads", "1")
        sys.argv = ["reportgen", *words, *drawn.words]
        cli.main()
    finally:
        os._exit(70)  # main() ends the process itself


def _ended(child: int, began: float) -> tuple[int, float]:
    """The exit code, or minus the signal, and the seconds of the processor."""
    done = 0
    while not done:
        if time.perf_counter() - began > PATIENCE:
            os.kill(child, signal.SIGKILL)
        done, status, used = os.wait4(child, os.WNOHANG)
        time.sleep(0 if done else 0.004)
    return os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime


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
    """Run the cases, print what failed, write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--kept", type=Path, default=Path(tempfile.gettempdir()) / "fuzz-language")
    parser.add_argument("--page", action="store_true", help="write the counts to results/")
    options = parser.parse_args()
    found: list[Outcome] = []
    gc.freeze()  # what is read once is then not copied for every child
    seeds = range(options.first, options.first + options.count)
    with ThreadPoolExecutor(options.workers) as pool:
        for each in pool.map(lambda seed: outcome(seed, options.kept), seeds):
            found.append(each)
            if each.fault:
                print(f"{each.seed}: {each.fault}", flush=True)
    text = page(found)
    print(text)
    if options.page:
        PAGE.write_text(text, encoding="utf-8")


def page(found: list[Outcome]) -> str:
    """The counts, as a page."""
    codes = Counter(each.code for each in found)
    valid = [each for each in found if not each.is_spoilt]
    reached = sum(each.code in (0, 1) for each in found)
    faults = [each for each in found if each.fault]
    lines = [
        "# The language under ten thousand configs\n",
        f"Made by `python benchmarks/fuzz_language.py --page`: {len(found):,} cases, of which "
        f"{len(found) - len(valid):,} were spoilt on purpose. {reached / len(found):.0%} ended "
        f"with a report; of those not spoilt "
        f"{sum(each.code in (0, 1) for each in valid) / max(len(valid), 1):.0%}. The slowest took "
        f"{max(each.seconds for each in found):.1f} s. {len(faults)} broke a promise.\n",
        "| exit code | cases |",
        "| ---: | ---: |",
        *(f"| {code} | {count:,} |" for code, count in sorted(codes.items())),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
