"""How long whole runs take beside what their imports and figures alone take, and what BCa adds.

    python benchmarks/whole.py

The survey (500 rows) with all outputs but the PDF, and the wallet study (23,570 rows, 1,999
replicates, all bands) with all outputs; neither from the cache. Beside each, in a process of its
own, the imports and every figure of its page, wide and narrow, those in folds too; what that
process takes to find the figures in the results is taken off. Runs alternate; medians are written
to benchmarks/results/whole.md. Seconds are those of the processor, which other work on the machine
moves least. BCa is timed as the intervals of the wallet's estimates and comparisons, from
replicates that are there, as a share of the run that made them.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from reportgen.planning.plan import build_analysis_plan

ROOT = Path(__file__).parents[1]
PAGE = Path(__file__).parent / "results" / "whole.md"
RUNS = {
    "survey": ("wallet-survey.yaml", "outputs=[html,json,markdown,junit]", 1.3),
    "wallet": ("wallet.yaml", "outputs=[html,pdf,json,markdown,junit]", 5.0),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--figures", type=Path, nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.figures:
        figures_alone(*options.figures)
        return
    load = os.getloadavg()[0]
    lines = [
        "# Whole runs\n\nMade by `python benchmarks/whole.py`; processor seconds, medians "
        f"of {options.times}, load {load:.1f} at the start on {os.cpu_count()} cores.\n",
        "| run | whole | imports and figures alone | ratio | goal |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for name, (config, outputs, goal) in RUNS.items():
        whole, alone = timed(config, outputs, options.times)
        ratio = whole / alone
        lines.append(f"| {name} | {whole:.2f} | {alone:.2f} | {ratio:.2f} | {goal:g} |")
    plain, corrected = bca_beside_percentiles()
    added = 100 * (corrected - plain) / plain
    lines.append(
        f"\nThe wallet's answer takes {plain:.2f} s with percentiles, {corrected:.2f} s "
        f"with BCa: {added:+.1f} % (goal: at most 10 %)."
    )
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


def timed(config: str, outputs: str, times: int) -> tuple[float, float]:
    """Median seconds of the whole run, and of its imports and figures."""
    whole, alone = [], []
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "report"
        run = [
            sys.executable,
            "-m",
            "reportgen",
            "run",
            str(ROOT / "configs" / config),
            "--quiet",
            "--no-cache",
            "--threads",
            "2",
            "--set",
            outputs,
            "--out",
            str(out),
        ]
        figures = [sys.executable, __file__, "--figures", str(out / "results.json")]
        for _ in range(times):
            whole.append(seconds(run))
            finding = out.with_name("finding")
            alone.append(seconds([*figures, str(finding)]) - float(finding.read_text()))
    return median(whole), median(alone)


def seconds(command: list[str]) -> float:
    """What a process takes of the processor, on all its threads."""
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) in (0, 1), command
    return used.ru_utime + used.ru_stime


def figures_alone(results: Path, finding: Path) -> None:
    """Draw every figure of the page as the page does; write what finding them took."""
    from reportgen.report import archive
    from reportgen.report.document import Figure, iter_unfolded
    from reportgen.report.layout import build_document
    from reportgen.report.render.plain import draw_svg, narrow_figure
    from reportgen.report.render.theme import Theme

    begun = time.process_time()
    sections = build_document(archive.load_results(results)).sections
    blocks = (block for each in sections for block in iter_unfolded(each.blocks))
    figures = [block for block in blocks if isinstance(block, Figure)]
    finding.write_text(str(time.process_time() - begun))
    for figure in figures:
        draw_svg(figure, Theme())
        if figure.width == "full":
            draw_svg(narrow_figure(figure), Theme())


def bca_beside_percentiles() -> tuple[float, float]:
    """Median seconds of the wallet's answer with either interval, in turns, two threads."""
    from contextlib import ExitStack

    from reportgen.analysis.run import analyze_dataset
    from reportgen.planning.loading import load_config
    from reportgen.planning.requests import read_data

    taken: dict[str, list[float]] = {"percentile": [], "bca": []}
    for _ in range(3):
        for method, seconds_ in taken.items():
            with ExitStack() as stack:
                change = (f"bootstrap.interval={method}",)
                loaded = load_config(ROOT / "configs" / "wallet.yaml", change, False, stack)
                asked = build_analysis_plan(loaded.config, read_data(loaded)[0].sample)
                begun = time.process_time()
                analyze_dataset(asked, 2)
                seconds_.append(time.process_time() - begun)
    return median(taken["percentile"]), median(taken["bca"])


if __name__ == "__main__":
    main()
