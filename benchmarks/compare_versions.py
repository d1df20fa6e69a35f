"""Compare what two installed versions make of every worked config.

    python benchmarks/compare_versions.py BEFORE AFTER [NAME ...] [--replicates N]

BEFORE and AFTER are each the Python of an environment that has a version of reportgen, or the
folder of reports that an earlier call kept with `--keep FOLDER`. Both versions read the configs of
this checkout, without a cache. Three configs of `configs/retrain/` read the report of the first.
Numbers and words of results.json must be equal, and the text of report.html and report.md. Set
aside are paths, times, versions and digests of source code. Exit 1 if anything differs.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parents[1]
FIRST = "first"
CONFIGS = {path.stem: path for path in sorted((ROOT / "configs").glob("*.yaml"))}
CONFIGS |= {
    n: ROOT / f"configs/retrain/{n}.yaml"
    for n in (FIRST, "same-rows", "fresh-rows", "wider-margin")
}
SET_ASIDE = re.compile(r"\.(provenance|digests|changes\.before\.digest|history\[\d+\]\.digest)$")


def run_configs(python: str, names: list[str], folder: Path, replicates: int | None) -> None:
    """Run configs with one version, each report in a folder of its name."""
    with TemporaryDirectory() as scratch:
        # A copy, so that each version writes the first report where the other three read it.
        shutil.copytree(ROOT / "configs", Path(scratch) / "configs")
        for name in names:
            config = Path(scratch) / CONFIGS[name].relative_to(ROOT)
            out = Path(scratch) / "reports" / name
            command = [
                python,
                "-m",
                "reportgen",
                "run",
                str(config),
                "--no-cache",
                "--out",
                str(out),
            ]
            if replicates:
                command += ["--set", f"bootstrap.replicates={replicates}"]
            # Outside any checkout, so that it is the installed version that runs.
            done = subprocess.run(
                command,
                cwd=scratch,
                env={**os.environ, "SOURCE_DATE_EPOCH": "0"},
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode not in (0, 1):
                sys.exit(f"{python}: {name} ended with {done.returncode}\n{done.stderr}")
            shutil.copytree(out, folder / name, dirs_exist_ok=True)


def list_differences(before: Any, after: Any, place: str = "") -> Iterator[str]:
    """List the places where two JSON values differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted(before.keys() | after.keys()):
            if not SET_ASIDE.match(f"{place}.{key}"):
                yield from list_differences(before.get(key), after.get(key), f"{place}.{key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, pair in enumerate(zip(before, after, strict=True)):
            yield from list_differences(*pair, f"{place}[{index}]")
    elif before != after or type(before) is not type(after):
        yield f"{place}: {before!r} became {after!r}"


class _Text(HTMLParser):
    """The text of a page, a line for each piece between two tags."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.lines.append(" ".join(data.split()))


def read_page(path: Path) -> list[str]:
    """Read the lines of a page; digests, times and paths of temporary folders become dots."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        parser = _Text()
        parser.feed(text)
        text = "\n".join(parser.lines)
    digest = r"\b[0-9a-f]{12}\b|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b"
    text = re.sub(rf"{digest}|/tmp/\S+", "…", text)
    return re.sub(r"\b\d+(\.\d+)? s\b", "…", text).splitlines()


def compare_reports(before: Path, after: Path) -> list[str]:
    """Compare two report folders and return a line for each difference."""
    results = [
        json.loads((folder / "results.json").read_text("utf-8")) for folder in (before, after)
    ]
    differences = [f"results.json {line}" for line in list_differences(*results)]
    for page in ("report.html", "report.md"):
        is_there = [(folder / page).exists() for folder in (before, after)]
        if all(is_there):
            pairs = zip_longest(read_page(before / page), read_page(after / page))
            differences += [f"{page}: {a!r} became {b!r}" for a, b in pairs if a != b]
        elif any(is_there):
            differences.append(f"{page}: only {'before' if is_there[0] else 'after'} has it")
    return differences


def main() -> int:
    """Run what has to be run, compare, and print one line for each config."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--replicates", type=int, help="resamples of each run; fewer are faster")
    parser.add_argument("--keep", type=Path, help="where to keep the reports of AFTER")
    options = parser.parse_args()
    names = options.names or list(CONFIGS)
    if {"same-rows", "fresh-rows", "wider-margin"} & set(names) and FIRST not in names:
        names.insert(0, FIRST)
    names.sort(key=lambda name: name != FIRST)
    with TemporaryDirectory() as scratch:
        folders = []
        for side, version in (("before", options.before), ("after", options.after)):
            folder = Path(version)
            if not folder.is_dir():
                folder = options.keep if options.keep and side == "after" else Path(scratch) / side
                run_configs(version, names, folder, options.replicates)
            folders.append(folder)
        count = 0
        for name in names:
            differences = compare_reports(folders[0] / name, folders[1] / name)
            count += len(differences)
            print(f"{name}: {len(differences)} differences", *differences[:5], sep="\n    ")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
