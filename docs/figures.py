"""One drawing of each kind of figure, from the worked results: a page and its drawings."""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from reportgen.analysis.costs.rroc_plane import LINES
from reportgen.analysis.curves import iter_curve_infos
from reportgen.kernels.batch import Vector
from reportgen.metrics.curves import CURVES
from reportgen.metrics.retrieval.gains import rank_discount
from reportgen.metrics.rows import Classes
from reportgen.report.archive import load_results
from reportgen.report.document import Axis, Figure, Panel, Role, Series, iter_unfolded
from reportgen.report.layout import build_document
from reportgen.report.render.figures import put_on_paper
from reportgen.report.render.plain import draw_svg
from reportgen.report.render.theme import Theme
from reportgen.results import Results
from reportgen.results.types import round_number, round_numbers

HERE = Path(__file__).parent
DEEPEST = 20  # the last rank of which a discount is drawn
WORKED = HERE.parent / "tests" / "worked_results"
CHOSEN: Mapping[str, Sequence[str]] = {
    "wallet": (
        "gain-curve",
        "deciles",
        "bucket-calibration-curve",
        "error-by-rank-curve",
        "segments-forest",
        "distribution-y-curve",
        "ranking-curve",
        "concordance-curve",
        "auc-by-cutoff-curve",
        "rank-lift-curve",
        "lift-curve",
        "concentration-curve",
        "rec-curve",
        "distribution-score-curve",
        "distribution-error-curve",
        "error-density-curve",
    ),
    "wallet-costs": ("cost-curve-2", "cost-curve-3", "rroc-space", "rroc-curve"),
    "wallet-shifts": ("rroc-paths", "cost-gap"),
    "churn": ("segments-forest",),
    "see-also": (
        "ndcg-at-k-curve",
        "recall-at-k-curve",
        "queries-differences",
        "queries-scatter",
        "queries-spread",
        "queries-grades",
    ),
}
"""The figures of each config by their names, the first where several are numbered."""
DISCOUNTS = "figures/discounts.svg"
ON_REQUEST = "churn-interpolated-precision-recall-curve.svg"


def pages() -> dict[str, str]:
    """The page and its drawings, by their paths in the folder of made pages."""
    return {"figures.md": page(), DISCOUNTS: discounts()} | {
        f"figures/{name}": svg for name, svg in drawings().items()
    }


def page() -> str:
    """The page: each config with its answer, then its drawings under their titles."""
    parts = [
        "# Figures",
        "Figures of the reports that the configs in `configs/` make, here with 199 resamples. "
        "[Reading a report](../reading-a-report.md) says how to read them; a standard report "
        "prints those that decide, the full report all of them.",
    ]
    for config in CHOSEN:
        results, figures = chosen(config)
        answer = results.conclusion.answer if results.conclusion else ""
        parts.append(f"## {config}.yaml\n\n{results.report.question or results.report.title}")
        if answer:
            parts.append(f"**{answer}**")
        for name, figure in figures.items():
            title = figure.title.replace("[", "(").replace("]", ")")
            parts.append(f"### {title}\n\n![{title}](figures/{config}-{name}.svg)")
    title = interpolated().title
    parts.append("## churn.yaml with `curves: [interpolated_precision_recall]`")
    parts.append(f"### {title}\n\n![{title}](figures/{ON_REQUEST})")
    parts.append(f"## What a gain counts at each rank\n\n![Discounts by rank]({DISCOUNTS})")
    return "\n\n".join(parts) + "\n"


def drawings() -> dict[str, str]:
    """Every drawing on white paper, by the name of its file."""
    return {
        f"{config}-{name}.svg": put_on_paper(draw_svg(figure, Theme()))
        for config in CHOSEN
        for name, figure in chosen(config)[1].items()
    } | {ON_REQUEST: put_on_paper(draw_svg(interpolated(), Theme()))}


@cache
def interpolated() -> Figure:
    """What interpolation adds to precision, from the scores that churn.yaml reads."""
    results, curve = _results("churn"), CURVES["interpolated_precision_recall"]
    columns = {"logistic": "p_logreg", "forest": "p_rf", "boosted": "p_gbm"}
    table = np.genfromtxt(HERE.parent / "configs" / "data" / "churn.csv", names=True, delimiter=",")
    weight, found = np.ones(len(table)), []
    one = next(each for each in results.curves if each.curve == "roc" and not each.baseline)
    for model, column in columns.items():
        rows = Classes(table["y_test"].astype(np.intp), table[column][:, None], ("0", "1"))
        trace = curve.bind(rows, weight).trace(weight)
        x, y, base = (round_numbers(each) for each in (trace.x, trace.y, trace.base))
        marks = {name: round_number(value) for name, value in trace.marks.items()}
        found.append(
            replace(
                one,
                curve=curve.name,
                model=model,
                x=x,
                y=y,
                base=base,
                marks=marks,
                low=(),
                high=(),
                band_low=(),
                band_high=(),
            )
        )
    told = replace(results, curves=tuple(found), curve_infos=tuple(iter_curve_infos([curve])))
    blocks = (b for section in build_document(told).sections for b in iter_unfolded(section.blocks))
    return next(b for b in blocks if isinstance(b, Figure) and b.id.startswith("interpolated"))


def discounts() -> str:
    """What measures of ranking count a result at each rank, on white paper."""
    rank = np.arange(1.0, DEEPEST + 1)
    lines: Sequence[tuple[str, Role, Vector]] = (
        ("nDCG, DCG", "baseline", rank_discount(rank, 2.0, "standard")),
        ("discount: original", "candidate1", rank_discount(rank, 2.0, "original")),
        ("RBP, p = 0.8", "candidate2", 0.8 ** (rank - 1)),
        ("reciprocal rank", "candidate3", 1 / rank),
    )
    said = "; ".join(f"{name} {y[1]:.2f} at 2, {y[9]:.2f} at 10" for name, _, y in lines)
    panel = Panel(
        "",
        Axis("rank", ticks=tuple((float(k), str(k)) for k in (1, 2, 3, 5, 10, 15, DEEPEST))),
        Axis("what a gain counts there", low=0.0, high=1.05),
        tuple(Series(name, role, tuple(rank), tuple(y)) for name, role, y in lines),
    )
    title = "What a gain counts at each rank"
    return put_on_paper(draw_svg(Figure("discounts", "line", title, "", said, (panel,)), Theme()))


@cache
def chosen(config: str) -> tuple[Results, dict[str, Figure]]:
    """The worked results of a config, and its figures that the gallery shows, by name."""
    results = _results(config)
    blocks = (
        b for section in build_document(results).sections for b in iter_unfolded(section.blocks)
    )
    figures = [block for block in blocks if isinstance(block, Figure)]
    found = {
        name: next((f for f in figures if re.fullmatch(rf"{name}(-[0-9]+)*", f.id)), None)
        for name in CHOSEN[config]
    }
    return results, {name: figure for name, figure in found.items() if figure is not None}


def _results(config: str) -> Results:
    """The worked results, with curves told and drawn as they are now."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "results.json"
        path.write_bytes(gzip.decompress((WORKED / f"{config}.json.gz").read_bytes()))
        found = load_results(path)
    known = {info.curve: info for info in (*iter_curve_infos(CURVES.values()), *LINES)}
    return replace(found, curve_infos=tuple(known.get(i.curve, i) for i in found.curve_infos))
