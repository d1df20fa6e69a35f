"""Whether results of earlier schemas are still rendered, compared and verified.

    python benchmarks/old_results.py [NAME ...] [--schema 1 2] [--keep FOLDER]

For each worked report the newest results.json of schema 2 is in the history of
`tests/worked_results/`. None of schema 1 was committed: the last commit that wrote it runs those of
its configs that still exist, with as many resamples. Each file is then

  rendered   by `reportgen render`, and its page is held to the laws of tests/laws;
  compared   by `reportgen diff` with itself, where nothing may differ, and with today's file;
  verified   by `reportgen verify` in the folder that was rendered; its own folder had no manifest.

`--keep` keeps the old files and the pages; old files that are there are taken as they are. Exit 1
if anything fails.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from old_and_new import checked_out

from reportgen.report.archive import load_results
from tests.end_to_end.wallet import heard
from tests.laws.laws import LAWS, Report
from tests.laws.printed import read_html
from tests.worked import CONFIGS, RESAMPLES, text_of

ROOT = Path(__file__).parents[1]
LAST_OF_2 = "03003c11"
LAST_OF_1 = "5795fc33"
OUTPUTS = ["html", "pdf", "markdown", "junit", "tables"]


@dataclass(frozen=True)
class Found:
    """What became of one old file; "" where a step went well."""

    name: str
    schema: int
    render: str
    laws: str
    diff_itself: str
    diff_today: str
    verify: str
    seconds: float

    @property
    def is_fine(self) -> bool:
        """True where no step failed."""
        return not any(
            (self.render, self.laws, self.diff_itself, self.diff_today, self.verify),
        )

    def format_line(self) -> str:
        """The row of the table."""
        steps = self.render, self.laws, self.diff_itself, self.diff_today, self.verify
        told = " | ".join(step.replace("|", "/") or "ok" for step in steps)
        return f"| {self.name} | {self.schema} | {told} | {self.seconds:.1f} |"


def main() -> int:
    """Print the table."""
    asked = parse_arguments()
    print("| report | schema | render | laws | diff, itself | diff, today | verify | seconds |")
    print("| --- | ---: | --- | --- | --- | --- | --- | ---: |")
    found = []
    with ExitStack() as stack:
        folder = asked.keep or Path(stack.enter_context(TemporaryDirectory()))
        for schema in asked.schema:
            for name, place in list_old_files(folder.resolve(), asked.names or CONFIGS, schema):
                found.append(try_file(name, schema, place))
                print(found[-1].format_line(), flush=True)
    failed = sum(not each.is_fine for each in found)
    print(f"\n{len(found)} old files, {failed} with a step that failed")
    return 1 if failed else 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="worked configs; default: all")
    parser.add_argument("--schema", nargs="+", type=int, choices=(1, 2), default=(1, 2))
    parser.add_argument("--keep", type=Path, help="the folder for old files and pages")
    return parser.parse_args()


def list_old_files(folder: Path, names: Sequence[str], schema: int) -> Iterator[tuple[str, Path]]:
    """Each report that has a file of a schema, and the folder of that file."""
    known = list_names_in(LAST_OF_1 if schema == 1 else LAST_OF_2)
    places = {name: folder / f"{name}-{schema}" for name in names if name in known}
    missing = {n: place for n, place in places.items() if not (place / "results.json").exists()}
    if schema == 1 and missing:
        with checked_out(LAST_OF_1) as tree:
            for name, place in missing.items():
                run_old(tree, name, place)
    elif missing:
        for name, place in missing.items():
            place.mkdir(parents=True)
            packed = read_git("show", f"{LAST_OF_2}:tests/worked_results/{name}.json.gz")
            (place / "results.json").write_bytes(gzip.decompress(packed))
    for name, place in places.items():
        old = json.loads((place / "results.json").read_bytes())
        assert old["schema_version"] == schema, place
        old["config"]["outputs"] = OUTPUTS
        (place / "results.json").write_text(json.dumps(old), encoding="utf-8")
        yield name, place


def list_names_in(commit: str) -> set[str]:
    """The configs that a commit ships."""
    listed = read_git("ls-tree", "--name-only", commit, "configs/").decode().split()
    return {Path(path).stem for path in listed if path.endswith(".yaml")}


def read_git(*words: str) -> bytes:
    return subprocess.run(["git", "-C", ROOT, *words], check=True, capture_output=True).stdout


def run_old(tree: Path, name: str, place: Path) -> None:
    """Run a config with the reportgen of an earlier commit."""
    choices = ["outputs=[json]", f"bootstrap.replicates={RESAMPLES}"]
    words = [part for each in choices for part in ("--set", each)]
    command = [sys.executable, "-m", "reportgen", "run", f"configs/{name}.yaml", "--no-cache"]
    subprocess.run(
        [*command, "--out", str(place), "--quiet", *words],
        cwd=tree,
        check=True,
        capture_output=True,
        env={**os.environ, "SOURCE_DATE_EPOCH": "0"},
    )


def try_file(name: str, schema: int, place: Path) -> Found:
    """Render, compare and verify one old file."""
    start = time.perf_counter()
    pages, today = place / "pages", place / "today"
    today.mkdir(exist_ok=True)
    (today / "results.json").write_bytes(text_of(name))
    _, render = call(place, "render", "results.json", "--out", "pages")
    return Found(
        name,
        schema,
        render,
        "not rendered" if render else find_contradictions(pages),
        diff_with_itself(place),
        diff_with_today(place),
        "not rendered" if render else call(place, "verify", "pages")[1],
        time.perf_counter() - start,
    )


def find_contradictions(pages: Path) -> str:
    """The laws that a page breaks, with the first contradiction of each."""
    results = load_results(pages / "results.json")
    markdown = pages / "report.md"
    report = Report(
        results,
        read_html((pages / "report.html").read_text(encoding="utf-8")),
        markdown.read_text(encoding="utf-8") if markdown.exists() else "",
    )
    broken = {law: list(check(report)) for law, check in LAWS.items()}
    return "; ".join(f"{len(said)} × {law}: {said[0]}" for law, said in broken.items() if said)


def diff_with_itself(place: Path) -> str:
    """What differs between an old file and itself, where nothing may."""
    said, failure = call(place, "diff", "results.json", "results.json", "--format", "json")
    if failure:
        return failure
    changes = json.loads(said)
    moved = [each for each in changes["moves"] if each["before"] != each["now"]]
    others = [name for name in ("rule", "gates", "warnings", "presence") if changes[name]]
    is_same = changes["before"]["verdict"] == changes["now"]["verdict"]
    return ", ".join([*("values",) * bool(moved), *others, *("verdict",) * (not is_same)])


def diff_with_today(place: Path) -> str:
    """Why an old file cannot be compared with today's, as text and as a page."""
    for form in ("text", "html"):
        out = f"changes.{form}"
        _, failure = call(
            place, "diff", "results.json", "today/results.json", "--format", form, "--out", out
        )
        if failure:
            return failure
    return ""


def call(place: Path, *words: str) -> tuple[str, str]:
    """Call reportgen in a folder: what it printed, and why it failed.

    A report is written although a requirement is not met (1) or its verdict is withheld (3).
    """
    code, said, error = heard(*words, cwd=place)
    is_fine = code == 0 or (words[0] == "render" and code in (1, 3))
    last = (error.strip() or said.strip()).rpartition("\n")[2]
    return said, "" if is_fine else f"exit {code}: {last}"


if __name__ == "__main__":
    sys.exit(main())
