"""A document with every kind of block and figure, and the hostile one, for tests and for looking.

`python tests/report/render/sample_document.py FOLDER` writes every output of both into the folder.
"""

from __future__ import annotations

import sys
from math import exp, log, sin, sqrt
from pathlib import Path

from reportgen.report.document import (
    Axis,
    Block,
    Bullets,
    Callout,
    Cell,
    Definitions,
    Document,
    Figure,
    Forest,
    ForestRow,
    Header,
    Heading,
    Listing,
    Panel,
    Reference,
    Section,
    Series,
    SideBySide,
    SignOff,
    Span,
    Strip,
    Table,
    TableColumn,
    Text,
    make_phrase,
)
from reportgen.results import Results
from reportgen.results.core import GateResult, Inference, ModelInfo, ReportInfo

NAMES = ("CLV", "Gradient boosting", "Last 91 days")
ROLES = ("baseline", "candidate1", "candidate2")
HOSTILE = (
    "<script>alert(1)</script>",
    "$x_1$ \\frac{a}{b}",
    '#{1+1} #panic("x") ]]> --> `code`',
    "a\u202egnp.exe\u0000\x07\ud800",
    "客户钱包模型" * 20,
    "محفظة العميل — نموذج",
    "n" * 200,
    '"><img src=x onerror=alert(1)>',
    "{{ 7 * 7 }} {% raise %} ${HOME} @everyone",
    "[link](javascript:alert(1)) | **bold** \\",
)


def bold(text: str, tone=None) -> Span:
    return Span(text, is_strong=True, tone=tone)


def signed(value: float, digits: int = 3) -> str:
    return f"{value:+.{digits}f}".replace("-", "−")


METRICS = (
    (
        "Kendall τ-b",
        "ranking, −1 to 1, higher is better",
        0.337,
        0.356,
        0.018,
        0.011,
        0.025,
        "good",
        3,
    ),
    (
        "Spearman ρ",
        "ranking, −1 to 1, higher is better",
        0.428,
        0.443,
        0.016,
        0.006,
        0.024,
        "good",
        3,
    ),
    (
        "Regression AUC",
        "ties count half, higher is better",
        0.733,
        0.738,
        0.005,
        0.0,
        0.01,
        "good",
        3,
    ),
    ("Mean absolute error", "dollars, lower is better", 33.3, 38.6, 5.3, 4.7, 5.9, "bad", 1),
    ("Root mean squared error", "dollars, lower is better", 92.3, 104.5, 12.2, 4.5, 20.9, "bad", 1),
    (
        "Asymmetric cost",
        "α = 0.8, dollars, lower is better",
        36.1,
        34.8,
        -1.3,
        -2.0,
        -0.5,
        "good",
        1,
    ),
    ("R²", "share of variance explained, at most 1", 0.31, 0.29, -0.02, -0.09, 0.04, "open", 2),
)
WORDS = {"good": "better", "bad": "worse", "open": "inconclusive"}


def verdict() -> Section:
    columns = (
        Bullets(
            (
                make_phrase("Ranks better on three rank measures of three."),
                make_phrase("At α = 0.8 its asymmetric cost is lower by 1.3 (0.5 to 2.0)."),
                make_phrase("Ahead in all three cohorts; two of three intervals clear zero."),
            ),
            "Why",
        ),
        Bullets(
            (
                make_phrase(
                    bold("Not among repeat customers:"),
                    " there CLV ranks better by 0.017 (0.011 to 0.023).",
                ),
                make_phrase(
                    "RMSE rests on few rows: the top 1 % of squared errors are 70 % of their sum ",
                    Span("W103", href="#robustness"),
                    ".",
                ),
                make_phrase("One cohort year; stability over time is not tested."),
            ),
            "What this does not show",
        ),
        Bullets(
            (
                make_phrase(bold("met", "good"), " ranks no worse than CLV"),
                make_phrase(bold("met", "good"), " mean absolute error under 40"),
                make_phrase(
                    bold("open", "open"), " RMSE no worse by 5 %: interval 4.9 % to 22.6 %"
                ),
                make_phrase(bold("not met", "bad"), " cost under 30: 34.8 (33.3 to 36.7)"),
            ),
            "Gates",
        ),
    )
    forest = Forest(
        "candidates",
        "How sure is that?",
        "Difference from CLV in Kendall's τ-b, with 95% confidence intervals (CI); 23,570 customers.",
        "difference in Kendall's τ-b",
        "better than CLV →",
        -0.02,
        0.09,
        ((0.0, "0 = CLV"), (0.04, "+0.04"), (0.08, "+0.08")),
        (
            ForestRow(
                "Gradient boosting",
                "+0.018",
                "+0.011 to +0.025",
                "Better",
                "good",
                "Gradient boosting: +0.018 (+0.011 to +0.025)",
                0.018,
                0.011,
                0.025,
                is_strong=True,
            ),
            ForestRow(
                "Last 91 days",
                "+0.072",
                "+0.062 to +0.082",
                "Better on this metric only ①",
                "open",
                "Last 91 days: +0.072 (+0.062 to +0.082)",
                0.072,
                0.062,
                0.082,
            ),
            ForestRow(
                "RFM",
                "–",
                "",
                "Not applicable",
                "neutral",
                "RFM: not applicable",
                note="it is a rank score",
            ),
        ),
        0.01,
    )
    changes = Table(
        "consequences",
        "CIs are adjusted for 12 comparisons of these metrics.",
        (
            TableColumn("", is_numeric=False),
            TableColumn("CLV"),
            TableColumn("Gradient boosting"),
            TableColumn("Difference", note="95% CI"),
            TableColumn("Verdict", is_numeric=False),
        ),
        (
            (
                Cell("Average error", "mean absolute error"),
                Cell("$33.3"),
                Cell("$38.6"),
                Cell("+$5.3", "+4.3 to +6.2"),
                Cell("Worse", tone="bad"),
            ),
        ),
        title="What would change?",
    )
    beside = SideBySide(((columns[1],), (columns[2], columns[0])))
    return Section(
        "decision",
        "Decision",
        (
            Callout(
                "good",
                "Better",
                "Gradient boosting ranks customers better than CLV.",
                (
                    make_phrase(
                        "Kendall's τ-b is higher by ",
                        bold("+0.018"),
                        " (95 % interval +0.011 to +0.025), the whole interval beyond the margin of 0.01. It predicts ",
                        bold("amounts worse"),
                        ": mean absolute error is higher by $5.3 ($4.7 to $5.9). It fits choosing whom to contact, not forecasting revenue.",
                    ),
                ),
                columns,
            ),
            forest,
            changes,
            beside,
            *look(),
        ),
    )


def look() -> tuple[Block, ...]:
    return (
        Heading("What to look at", "look"),
        Bullets(
            (
                make_phrase(
                    bold("The order flips in one segment."),
                    " Among the 9,616 repeat customers CLV ranks better; among the 13,954 one-time buyers boosting is ahead, though not clearly (−0.002 to +0.033). ",
                    Span("Segments", href="#segments"),
                ),
                make_phrase(
                    bold("Rank and error measures disagree."),
                    " The boosted scores run high: mean 39.2 against mean spend 33.0. A constant shift of −10 brings its mean absolute error from 38.6 to 33.4, level with CLV. ",
                    Span("Costs", href="#costs"),
                ),
                make_phrase(
                    bold("Last 91 days wins τ-b (0.410) but loses AUC (0.664):"),
                    " 82 % of its scores are zero, so it finds those who spend nothing, not the order of those who spend. ",
                    Span("Ranking", href="#results"),
                ),
                make_phrase(
                    bold("One customer is 7.4 % of the squared error;"),
                    " without it RMSE falls from 104.5 to 100.5. ",
                    Span("Robustness", href="#robustness"),
                ),
            ),
            is_numbered=True,
        ),
    )


def scores() -> Section:
    rows = tuple(
        (
            Cell(name, note, is_strong=True),
            Cell(f"{old:.{k}f}", f"{old * 0.97:.{k}f} to {old * 1.03:.{k}f}", old),
            Cell(f"{new:.{k}f}", f"{new * 0.97:.{k}f} to {new * 1.03:.{k}f}", new),
            Cell(signed(d, k), f"{signed(low, k)} to {signed(high, k)}", d),
            Cell(WORDS[tone], tone=tone),
        )
        for name, note, old, new, d, low, high, tone, k in METRICS
    )
    table = Table(
        "scores-table",
        "Both models on the same 23,570 customers. Difference is boosting minus CLV, with 95 % intervals from 300 paired resamples; the shaded strip is the margin.",
        (
            TableColumn("Metric", False),
            TableColumn("CLV"),
            TableColumn("Boosting"),
            TableColumn("Difference"),
            TableColumn("Boosting is", False),
        ),
        rows,
    )
    return Section("classes", "Classes", (table, forest(), dots()))


def forest() -> Figure:
    rows = tuple(float(k) for k in range(len(METRICS)))
    share = [(d / old, low / old, high / old) for _, _, old, _, d, low, high, _, _ in METRICS]
    series = Series(
        "Gradient boosting",
        "candidate1",
        tuple(a for a, _, _ in share),
        rows,
        tuple(b for _, b, _ in share),
        tuple(c for _, _, c in share),
        tuple(b - 0.02 for _, b, _ in share),
        tuple(c + 0.02 for _, _, c in share),
        texts=tuple(WORDS[m[7]] for m in METRICS),
    )
    panel = Panel(
        "",
        Axis("difference as a share of CLV's value"),
        Axis("", ticks=tuple(zip(rows, (m[0] for m in METRICS), strict=True))),
        (series,),
        (Reference("no difference", x=(0.0,)),),
        (Strip("margin", "x", -0.02, 0.02),),
    )
    return Figure(
        "forest",
        "forest",
        "Boosting ranks better and predicts amounts worse",
        "Difference as a share of CLV's value, thick line 95 %, thin line allowing for seven comparisons; n = 23,570.",
        "Kendall +5 %, mean absolute error +16 %.",
        (panel,),
        table=numbers("forest-numbers", "Differences as shares", METRICS),
    )


def numbers(name: str, caption: str, rows) -> Table:
    body = tuple(
        (
            Cell(row[0]),
            Cell(f"{row[4]:.4f}", value=row[4]),
            Cell(f"{row[5]:.4f}"),
            Cell(f"{row[6]:.4f}"),
        )
        for row in rows
    )
    return Table(
        name,
        caption,
        (
            TableColumn("Metric", False),
            TableColumn("Difference"),
            TableColumn("Low"),
            TableColumn("High"),
        ),
        body,
    )


def dots() -> Figure:
    rows = (0.0, 1.0, 2.0)
    series = tuple(
        Series(
            name,
            role,
            tuple(v + k * 0.02 for v in (0.34, 0.43, 0.73)),
            rows,
            tuple(v + k * 0.02 - 0.012 for v in (0.34, 0.43, 0.73)),
            tuple(v + k * 0.02 + 0.012 for v in (0.34, 0.43, 0.73)),
        )
        for k, (name, role) in enumerate(zip(NAMES, ROLES, strict=True))
    )
    return Figure(
        "dots",
        "forest",
        "All three rank measures agree on the order",
        "Dots are values, lines 95 % intervals.",
        "Three models on three measures.",
        (
            Panel(
                "",
                Axis("value"),
                Axis(
                    "",
                    ticks=tuple(
                        zip(rows, ("Kendall τ-b", "Spearman ρ", "Regression AUC"), strict=True)
                    ),
                ),
                series,
            ),
        ),
        width="half",
    )


def ranking() -> Section:
    x = tuple(float(k) for k in range(1, 11))
    heights = {
        "CLV": (10, 8, 8, 9, 9, 11, 17, 30, 57, 170),
        "Gradient boosting": (6, 6, 7, 8, 10, 14, 20, 32, 57, 170),
        "Last 91 days": (15, 17, 14, 14, 18, 15, 14, 17, 43, 164),
    }
    series = tuple(
        Series(
            f"{name}  {heights[name][-1]}",
            role,
            x,
            tuple(map(float, heights[name])),
            tuple(v * 0.93 for v in heights[name]),
            tuple(v * 1.08 for v in heights[name]),
            tuple(v * 0.88 for v in heights[name]),
            tuple(v * 1.13 for v in heights[name]),
            has_markers=True,
        )
        for name, role in zip(NAMES, ROLES, strict=True)
    )
    lift = Figure(
        "buckets",
        "line",
        "The top tenth found by boosting spends as much as the one found by CLV",
        "Customers in ten equal buckets by each model's score; points are mean spend in the bucket, bands 95 % intervals over 300 resamples, n = 2,357 a bucket. A good model climbs late and steeply.",
        "Mean spend in bucket 10: CLV 170, boosting 170, last 91 days 164 dollars.",
        (
            Panel(
                "",
                Axis(
                    "bucket of customers, lowest score to highest",
                    ticks=tuple((v, f"{v:.0f}") for v in x),
                ),
                Axis("mean spend, dollars", low=0.0),
                series,
                (Reference("random order: mean of all customers, 33", y=(33.0,)),),
            ),
        ),
        table=Table(
            "buckets-numbers",
            "Mean spend by bucket",
            (TableColumn("Bucket", False), *(TableColumn(n) for n in NAMES)),
            tuple(
                (Cell(f"{k + 1}"), *(Cell(f"{heights[n][k]}") for n in NAMES)) for k in range(10)
            ),
        ),
    )
    return Section(
        "results",
        "Results",
        (lift, roc(), gains()),
        make_phrase("How well each model puts customers in order."),
    )


def curve(power: float, count: int = 300):
    x = tuple(k / count for k in range(count + 1))
    return x, tuple(round(v**power, 6) for v in x)


def roc() -> Figure:
    panels = []
    for title, powers in (("2023", (0.4, 0.35)), ("2024", (0.45, 0.3)), ("2025", (0.5, 0.42))):
        series = []
        for name, role, power in zip(NAMES, ROLES, powers, strict=False):
            x, y = curve(power)
            series.append(
                Series(
                    name,
                    role,
                    x,
                    y,
                    band_low=tuple(max(v - 0.05, 0) for v in y),
                    band_high=tuple(min(v + 0.05, 1) for v in y),
                )
            )
        panels.append(
            Panel(
                title,
                Axis("false positive share", low=0, high=1),
                Axis("true positive share", low=0, high=1),
                tuple(series),
                (Reference("", (0.0, 1.0), (0.0, 1.0)),),
            )
        )
    return Figure(
        "roc",
        "steps",
        "Boosting is above CLV in every year",
        "Share of buyers found against share of others contacted; bands hold 95 % of whole curves.",
        "AUC 0.71 to 0.77.",
        tuple(panels),
        shares_axes=True,
        has_equal_axes=True,
    )


def gains() -> Figure:
    series = []
    for name, role, power in zip(NAMES, ROLES, (0.45, 0.4, 0.55), strict=True):
        x, y = curve(power, 120)
        series.append(
            Series(name, role, x, y, tuple(v - 0.02 for v in y), tuple(v + 0.02 for v in y))
        )
    return Figure(
        "gains",
        "steps",
        "A fifth of the customers holds half of the spend",
        "Share of all spend found in the best-scored share of customers.",
        "At 20 %: CLV 48 %, boosting 53 %.",
        (
            Panel(
                "",
                Axis("share of customers contacted"),
                Axis("share of spend found"),
                tuple(series),
                (Reference("random order", (0.0, 1.0), (0.0, 1.0)),),
            ),
        ),
    )


def costs() -> Section:
    x = tuple(k / 20 for k in range(1, 20))

    def cost(a: float, k: int) -> float:
        return 40 * a * (1 - a) * (4 - 0.3 * k) + (a - 0.5) * 8 * k

    series = tuple(
        Series(
            n,
            r,
            x,
            tuple(cost(a, k) for a in x),
            tuple(cost(a, k) - 2 for a in x),
            tuple(cost(a, k) + 2 for a in x),
        )
        for k, (n, r) in enumerate(zip(NAMES, ROLES, strict=True))
    )
    lines = Figure(
        "costs-figure",
        "line",
        "CLV costs less below α = 0.4, boosting above",
        "Mean cost when a dollar too little costs α and a dollar too much 1 − α.",
        "Crossing at 0.4.",
        (
            Panel(
                "",
                Axis("α, the weight of predicting too little"),
                Axis("mean cost, dollars"),
                series,
                (Reference("your α = 0.8", x=(0.8,)),),
                (Strip("likely", "x", 0.7, 0.9),),
            ),
        ),
    )
    bars = Figure(
        "shares",
        "bars",
        "Most contacts go to repeat customers",
        "Share of those contacted, by cohort, with 95 % intervals.",
        "Repeat 61 %.",
        (
            Panel(
                "",
                Axis("", ticks=((0.0, "January"), (1.0, "February"), (2.0, "March"))),
                Axis("share contacted"),
                tuple(
                    Series(
                        n,
                        r,
                        (0.0, 1.0, 2.0),
                        (0.4 + k / 20, 0.5 - k / 20, 0.61),
                        (0.37 + k / 20, 0.47 - k / 20, 0.58),
                        (0.43 + k / 20, 0.53 - k / 20, 0.64),
                    )
                    for k, (n, r) in enumerate(zip(NAMES[:2], ROLES[:2], strict=True))
                ),
            ),
        ),
        width="half",
    )
    lying = Figure(
        "influence",
        "bars",
        "Five customers move the difference most",
        "Change of the difference when the customer is left out.",
        "Largest −0.8.",
        (
            Panel(
                "",
                Axis("change of RMSE, dollars"),
                Axis("", ticks=tuple((float(k), f"customer {k * 317 + 101}") for k in range(5))),
                (
                    Series(
                        "change",
                        "candidate1",
                        (4.0, 2.5, 1.2, -0.8, -0.4),
                        (0.0, 1.0, 2.0, 3.0, 4.0),
                        texts=("4.0", "2.5", "1.2", "−0.8", "−0.4"),
                    ),
                ),
            ),
        ),
        width="half",
    )
    return Section("costs", "Costs", (lines, bars, lying))


def segments() -> Section:
    names = [f"cohort={m}" for m in ("January", "February", "March")] + ["repeat=yes", "repeat=no"]
    rows = tuple(float(k) for k in range(len(names)))
    values = (0.02, 0.015, 0.031, -0.017, 0.016)
    figure = Figure(
        "segments-figure",
        "forest",
        "CLV ranks better among repeat customers",
        "Difference in Kendall's τ-b, dots as large as the segment.",
        "Repeat −0.017.",
        (
            Panel(
                "",
                Axis("difference in Kendall's τ-b"),
                Axis("", ticks=tuple(zip(rows, names, strict=True))),
                (
                    Series(
                        "Gradient boosting",
                        "candidate1",
                        values,
                        rows,
                        tuple(v - 0.012 for v in values),
                        tuple(v + 0.012 for v in values),
                        size=(7000.0, 8000.0, 8570.0, 9616.0, 13954.0),
                        marks=("filled", "open", "filled", "crossed", "open"),
                        texts=("n 7,000", "n 8,000", "n 8,570", "n 9,616", "n 13,954"),
                    ),
                ),
                (Reference("", x=(0.0,)),),
                (Strip("margin", "x", -0.01, 0.01),),
            ),
        ),
    )
    return Section(
        "segments",
        "Segments",
        (
            Callout(
                "bad",
                "Flip",
                "The order flips among repeat customers",
                (make_phrase("CLV ranks them better by 0.017 (0.011 to 0.023)."),),
                id="flip",
            ),
            figure,
        ),
    )


def robustness() -> Section:
    edges = tuple(float(k * 10 - 100) for k in range(31))
    counts = [tuple(1000 * exp(-((e + 5 * k) ** 2) / 2500) for e in edges[:-1]) for k in range(2)]
    histogram = Figure(
        "errors",
        "histogram",
        "Boosting errs upwards",
        "Errors in dollars; the top and bottom 1 % are left out.",
        "Median −2 and +6.",
        (
            Panel(
                "",
                Axis("score minus spend, dollars"),
                Axis("customers"),
                tuple(
                    Series(n, r, edges, c) for n, r, c in zip(NAMES, ROLES, counts, strict=False)
                ),
                (Reference("", x=(0.0,)),),
            ),
        ),
        width="half",
    )
    matrix = Figure(
        "confusion",
        "matrix",
        "Most confusions are between neighbours",
        "Rows are what happened, columns what was predicted; n = 3,000.",
        "Diagonal 80 %.",
        (
            Panel(
                "",
                Axis("predicted", ticks=((0.0, "none"), (1.0, "low"), (2.0, "high"))),
                Axis("", ticks=((0.0, "none"), (1.0, "low"), (2.0, "high"))),
                (
                    Series(
                        "CLV",
                        "candidate1",
                        (0.0, 1.0, 2.0) * 3,
                        (0.0,) * 3 + (1.0,) * 3 + (2.0,) * 3,
                        size=(900.0, 80.0, 20.0, 150.0, 700.0, 150.0, 30.0, 170.0, 800.0),
                        texts=("900", "80", "20", "150", "700", "150", "30", "170", "800"),
                    ),
                ),
            ),
        ),
        width="half",
    )
    return Section(
        "robustness", "Robustness", (histogram, matrix, scatter("few", 800), scatter("many", 5000))
    )


def scatter(name: str, count: int) -> Figure:
    x = tuple(sqrt(k + 1) * (1 + sin(k * 12.9898) / 2) for k in range(count))
    y = tuple(v * (1 + sin(k * 78.233) / 2) + log(k + 2) for k, v in enumerate(x))
    return Figure(
        f"scatter-{name}",
        "scatter",
        f"The two models' scores go together ({name})",
        "Each point is a customer.",
        "Correlation 0.8.",
        (
            Panel(
                "",
                Axis("score of CLV"),
                Axis("score of boosting"),
                (Series("customers", "candidate1", x, y),),
                (Reference("equal", (0.0, 80.0), (0.0, 80.0)),),
            ),
        ),
        width="half",
    )


def method() -> Section:
    return Section(
        "method",
        "Method",
        (
            Definitions(
                (
                    (
                        "Kendall τ-b",
                        make_phrase(
                            "Share of concordant less discordant pairs among pairs tied in neither. ",
                            Span(
                                "doi:10.1093/biomet/33.3.239",
                                href="https://doi.org/10.1093/biomet/33.3.239",
                            ),
                        ),
                    ),
                    (
                        "Intervals",
                        make_phrase(
                            "Paired bootstrap, ",
                            Span("replicates: 300", is_code=True),
                            ", bias-corrected.",
                        ),
                    ),
                    ("Limitations", make_phrase(bold("not provided", "open"))),
                )
            ),
            Text(
                make_phrase(
                    "The family holds seven comparisons; ", bold("Holm"), " adjusts their p-values."
                )
            ),
            Table(
                "all",
                "All comparisons",
                (
                    TableColumn("Metric", False),
                    TableColumn("Difference"),
                    TableColumn("Low"),
                    TableColumn("High"),
                ),
                tuple(
                    (Cell(m[0]), Cell(f"{m[4]:.4f}"), Cell(f"{m[5]:.4f}"), Cell(f"{m[6]:.4f}"))
                    for m in METRICS * 6
                ),
                is_folded=True,
            ),
        ),
    )


def provenance() -> Section:
    config = (
        "task: regression\nmodels:\n  clv: {score: score_clv, role: baseline}\n  boosted: {score: score_new}\n"
        + "".join(f"# line {k}\n" for k in range(30))
    )
    return Section(
        "files",
        "Files",
        (
            Listing("reportgen run wallet.yaml", "sh", "Command", is_folded=False),
            Listing(config, "yaml", "Resolved config"),
            SignOff((("A. Reviewer", "model risk", "", ""), ("B. Owner", "marketing", "", ""))),
        ),
    )


def sample() -> Document:
    header = Header(
        "Customer wallet models, autumn review",
        "WALLET-2026-11",
        "Should the boosted model replace the CLV model for the spring campaign?",
        "DRAFT",
        "two limitations not signed off",
        "Internal",
        "2026-11-20T09:30:00+00:00",
        "Campaign board",
    )
    return Document(
        header,
        (
            verdict(),
            scores(),
            ranking(),
            costs(),
            segments(),
            robustness(),
            method(),
            provenance(),
        ),
        "reportgen 0.1.0 · config 3f2a · data 9c1e",
    )


def hostile() -> Document:
    """Ten models, forty metrics, sixty segments, all with names that attack or overflow."""
    names = HOSTILE
    roles = ("baseline", *(f"candidate{k}" for k in range(1, 10)))
    columns = (TableColumn("Metric", False), *(TableColumn(name) for name in names))
    rows = tuple(
        (
            Cell(f"{names[k % 10]} {k}", names[(k + 1) % 10], is_strong=True),
            *(Cell(f"{k + j / 7:.3f}", f"{k:.3f} to {k + 1:.3f}") for j in range(10)),
        )
        for k in range(40)
    )
    x = tuple(float(k) for k in range(50))
    lines = tuple(
        Series(
            name,
            role,
            x,
            tuple(v * (1 + k / 9) + sin(v) for v in x),
            tuple(v * (1 + k / 9) - 3 for v in x),
            tuple(v * (1 + k / 9) + 3 for v in x),
        )
        for k, (name, role) in enumerate(zip(names, roles, strict=True))
    )
    ys = tuple(float(k) for k in range(60))
    forest = Series(
        names[0],
        "candidate1",
        tuple(sin(k) for k in ys),
        ys,
        tuple(sin(k) - 0.3 for k in ys),
        tuple(sin(k) + 0.3 for k in ys),
    )
    return Document(
        Header(
            names[0] + names[6],
            names[1],
            names[2] + names[4],
            "FINAL",
            names[3],
            names[7],
            "2026-11-20",
            names[6],
        ),
        (
            Section(
                "decision",
                names[8],
                (
                    Callout(
                        "bad",
                        names[9],
                        names[0] + names[6],
                        tuple(make_phrase(n, bold(n, "bad"), Span(n, is_code=True)) for n in names),
                        (Bullets(tuple(make_phrase(n) for n in names), names[6]),),
                    ),
                    Forest(
                        "forest",
                        names[0],
                        names[1],
                        names[2],
                        names[3],
                        -1.0,
                        1.0,
                        tuple((k / 10, n) for k, n in enumerate(names)),
                        tuple(ForestRow(n, n, n, n, "bad", n, 0.1, -0.2, 0.3) for n in names),
                    ),
                    SideBySide(
                        ((Bullets(tuple(make_phrase(n) for n in names), names[6], names[7]),),)
                    ),
                ),
            ),
            Section(
                "classes",
                names[1],
                (Table("scores-table", names[2], columns, rows),),
                make_phrase(*names),
            ),
            Section(
                "curves",
                names[5],
                (
                    Figure(
                        "lines",
                        "line",
                        names[1],
                        names[2],
                        names[7],
                        (
                            Panel(
                                names[0],
                                Axis(names[6]),
                                Axis(names[4]),
                                lines,
                                (Reference(names[8], y=(20.0,)),),
                            ),
                        ),
                    ),
                    Figure(
                        "segments",
                        "forest",
                        names[0],
                        names[1],
                        names[2],
                        (
                            Panel(
                                "",
                                Axis(names[6]),
                                Axis(
                                    "",
                                    ticks=tuple((k, f"{names[int(k) % 10]}={int(k)}") for k in ys),
                                ),
                                (forest,),
                            ),
                        ),
                    ),
                    Figure(
                        "panels",
                        "steps",
                        names[0],
                        names[1],
                        names[2],
                        tuple(Panel(n, Axis(n), Axis(n), lines, ()) for n in names[:4]),
                    ),
                ),
            ),
            Section(
                "method",
                names[6],
                (
                    Definitions(tuple((n, make_phrase(n)) for n in names)),
                    Listing("\n".join(names), "", names[0]),
                    SignOff(tuple((n, n, n, n) for n in names[:3])),
                ),
            ),
        ),
        names[9],
    )


def results() -> Results:
    def finding(name, status, inconclusive):
        return GateResult(
            name,
            status,
            f"{name}: interval 4.9 % to 22.6 %",
            "not_worse",
            "test",
            None,
            "rmse",
            "rmse",
            "boosted",
            "clv",
            0.05,
            0.1,
            0.049,
            0.226,
            0.95,
            inconclusive,
        )

    return Results(
        "regression",
        ReportInfo("Wallet", length="full"),
        Inference(300, 1, 0.95, "auto", "baseline", "holm", 7, "kendall", "test"),
        (ModelInfo("clv", "</script><script>alert(1)</script>", "baseline", "amount"),),
        (),
        (),
        (),
        (),
        gates=(
            finding("ranks no worse", "met", "warn"),
            finding("cost <below> & \x07", "not met", "warn"),
            finding("open, counts as pass", "cannot tell", "pass"),
            finding("open, warns", "cannot tell", "warn"),
            finding("open, fails", "cannot tell", "fail"),
        ),
    )


if __name__ == "__main__":
    from reportgen.report.render import html, junit, markdown, pdf

    for label, document in (("sample", sample()), ("hostile", hostile())):
        for renderer in (html, pdf, markdown, junit):
            for name, content in renderer.render(document, results()).items():
                target = Path(sys.argv[1]) / label / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
