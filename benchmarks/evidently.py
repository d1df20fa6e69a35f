"""A whole report with intervals beside Evidently's regression preset without, on the same rows.

    python benchmarks/evidently.py PYTHON [--rows 1000000] [--replicates 999] [--times 3]

PYTHON is that of an environment in which Evidently is installed: it needs other versions of what
we need too. One model, eight metrics, every curve with its band and an HTML page here; there
`RegressionPreset` and an HTML page, which has no intervals. Both read the same Parquet file, in
processes of their own and in turns, and both may use all processors. Written to
benchmarks/results/evidently.md.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from old_and_new import CONFIG, ROOT, Spent, _generated

PAGE = Path(__file__).parent / "results" / "evidently.md"
THEIRS = """
import pandas as pd
from evidently import DataDefinition, Dataset, Regression, Report
from evidently.presets import RegressionPreset

rows = pd.read_parquet("rows.parquet", columns=["y", "score_0"])
roles = DataDefinition(regression=[Regression(target="y", prediction="score_0")])
made = Report([RegressionPreset()]).run(Dataset.from_pandas(rows, data_definition=roles), None)
made.save_html("theirs.html")
"""
HEAD = """# A whole report beside Evidently's

Made by `python benchmarks/evidently.py`: Evidently {version}, `RegressionPreset`, an HTML page
without intervals, beside an HTML report of one model with eight metrics, every curve with its band
and {replicates} replicates. {rows:,} generated rows in one Parquet file; {times} {runs} of each in
turns, medians, on {cores} cores; load {before:.1f} at the start and {after:.1f} at the end.

| | processor seconds | clock seconds | peak MB | page, MB |
| --- | ---: | ---: | ---: | ---: |
"""


def main() -> None:
    """Time both and write the page."""
    asked = _arguments()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _generated(asked.rows, folder / "rows.parquet")
        (folder / "theirs.py").write_text(THEIRS, encoding="utf-8")
        _put_config(folder, asked.replicates)
        runs = {
            "this report": (
                [
                    sys.executable,
                    "-m",
                    "reportgen",
                    "run",
                    "config.yaml",
                    "--out",
                    "out",
                    "--no-cache",
                    "--quiet",
                ],
                "out/report.html",
            ),
            "Evidently": ([asked.python, "theirs.py"], "theirs.html"),
        }
        taken: dict[str, list[Spent]] = {name: [] for name in runs}
        for _ in range(asked.times):
            for name, (command, _) in runs.items():
                taken[name].append(_spent(command, folder))
        pages = {name: (folder / page).stat().st_size / 1e6 for name, (_, page) in runs.items()}
    version = _version(asked.python)
    head = HEAD.format(
        version=version,
        replicates=asked.replicates,
        rows=asked.rows,
        times=asked.times,
        runs="run" if asked.times == 1 else "runs",
        cores=os.cpu_count(),
        before=load,
        after=os.getloadavg()[0],
    )
    text = head + "".join(_line(name, taken[name], pages[name]) for name in runs) + _ratio(taken)
    PAGE.write_text(text, encoding="utf-8")
    print(text)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("python", help="the Python of an environment with Evidently")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--replicates", type=int, default=999)
    parser.add_argument("--times", type=int, default=3)
    return parser.parse_args()


def _put_config(folder: Path, replicates: int) -> None:
    """The generated rows' config with its first model alone, and a page of HTML."""
    text = CONFIG.format(replicates=replicates).replace(
        "[html, pdf, json, markdown, junit]", "[html]"
    )
    lines = [line for line in text.splitlines() if not line.startswith(("  b:", "  c:"))]
    kept = "\n".join(lines).replace(", role: baseline", "")
    kept = kept.replace("primary: {metric: kendall, margin: 0.01}", "primary: {metric: kendall}")
    (folder / "config.yaml").write_text(kept + "\n", encoding="utf-8")


def _spent(command: list[str], folder: Path) -> Spent:
    begun = os.times().elapsed
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) in (0, 1), command
    seconds = os.times().elapsed - begun
    return Spent(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def _version(python: str) -> str:
    command = [python, "-c", "import evidently; print(evidently.__version__)"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def _line(name: str, runs: list[Spent], page: float) -> str:
    parts = (median(getattr(run, part) for run in runs) for part in ("processor", "clock", "peak"))
    processor, clock, peak = parts
    return f"| {name} | {processor:.1f} | {clock:.1f} | {peak:.0f} | {page:.1f} |\n"


def _ratio(taken: dict[str, list[Spent]]) -> str:
    pairs = list(zip(*taken.values(), strict=True))
    of = {
        part: median(getattr(a, part) / getattr(b, part) for a, b in pairs)
        for part in ("processor", "clock", "peak")
    }
    return (
        f"\nOurs over theirs, medians of neighbouring runs: {of['processor']:.2f} in processor "
        f"seconds, {of['clock']:.2f} in clock seconds, {of['peak']:.2f} in memory.\n"
    )


if __name__ == "__main__":
    main()
