"""Closed lists that all layers share: scales, sections, limits of warnings, files of outputs."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from reportgen.records import record

# What the score of a model is, and what a statistic may need of one.
Scale = Literal["amount", "probability", "score", "rank", "label"]
Needs = Literal["order", "amount", "density", "series", "probability", "label", "call"]

DERIVED = "\x1f"
"""What begins the second part of the name of a column that is derived from one of a file."""
REFERENCE = "reference"
"""What a requirement names in the place of a model, for what takes no model."""
SECTION_NAMES = tuple(
    """
    decision results classes costs segments folds across changes robustness data method files
""".split()
)

KIND_TEXTS: Mapping[str, str] = MappingProxyType(
    {
        "metrics": "What models are measured by: `metrics:`.",
        "curves": "What is drawn over all rows: `curves:`.",
        "warnings": "How far to trust a number: `warnings: {fatal: […]}`.",
        "checks": "Whether the data support a judgement: `allow: {…}`.",
        "rules": "What a gate demands: `gates: [{rule: …}]`.",
        "intervals": "How limits are found: `bootstrap: {interval: …}`.",
        "tests": "How a difference is tested: `comparisons: {test: …}`.",
        "adjustments": "How many comparisons are allowed for: `comparisons: {adjust: …}`.",
        "sections": "What stands in a report, in its order: `sections:`.",
        "exit-codes": "What a command ends with.",
    }
)
"""What `reportgen list KIND` lists, by kind."""

FEW_QUERIES = 25
FEWEST_IN_A_WINDOW = 30
"""Fewest rows of a period whose difference is compared with that of others."""
# The limits of warnings, by code: their rules and their words read the same numbers.
LIMITS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "W101": {"fewest": 30, "gate": 10, "any_measure": 16, "maximum": 200, "window": 10},
        "W102": {"pairs": 0.01, "mode": 0.05},
        "W103": {"top": 0.05},
        "W104": {"bias": 0.25, "acceleration": 0.1},
        "W105": {"share": 0.01},
        "W106": {"fewest": 20, "largest": 0.2, "fewest_for_p": 10},
        "W107": {"share": 0.05, "fewest_units": 20},
        "W111": {"correlation": 0.1, "chance": 0.001, "chance_of_all": 0.05},
        "W112": {"share": 0.1},
        "W116": {"fewest": 30, "refused": 5},
        "W118": {"fewest": 20},
        "W120": {"p": 0.01, "error": 0.02, "low": 0.8, "high": 1.25},
        "W122": {"share": 0.01},
        "W123": {"share": 0.01},
        "W124": {"chance": 0.5},
        "W126": {"folds": 5, "rows": 400, "datasets": 6, "verdict": 3},
        "W127": {"effective": 0.25, "leans": 0.125},
        "W129": {"fewest": 30, "spans": 0.2},
        "W130": {"fewest": 100, "share": 0.5, "largest": 0.2},
        "W131": {"fewest": FEW_QUERIES, "verdict": 10},
        "W132": {"fewest": 30, "share": 0.1, "fewest_of_few": 10, "queries": FEW_QUERIES},
        "W133": {"fewest": 0.9, "apart": 0.05},
        "W134": {"share": 0.05},
        "W135": {"of_error": 0.5},
        "W136": {"variance": 0.25, "largest": 0.2},
        "W137": {"chance": 0.5},
        "W140": {"fewest": 30},
        "W141": {"looks": 5},
        "W144": {"lacking": 0.2, "range": 0.01},
        "W152": {"fewest": 30, "share": 0.3},
        "W203": {"fewest": 30},
        "W235": {"share": 0.01},
        "W301": {"tail": 0.0005, "tail_in_folds": 0.0001},
        "W302": {"tail": 0.0005},
        "W303": {"unseen": 0.95, "rows": 50},
        "W304": {"fewest": 50, "of_class": 5, "kappa": 0.5, "given": 0.1},
        "W305": {
            "rows": 20,
            "factor": 10,
            "level": 0.3,
            "level_of_spread": 0.5,
            "spread": 3,
        },
        "W307": {"row": 20, "group": 10, "fold": 3, "dataset": 6, "rarer": 8},
        "W308": {"distinct": 20},
        "W309": {"rare": 0.01, "fewest": 20, "share": 0.2, "distinct": 0.5},
        "W311": {"values": 20, "rows": 20, "share": 0.99},
        "W312": {"rows": 20},
        "W313": {"share": 0.5},
        "W314": {"rarer": 400, "auc": 0.999, "rows": 400, "rarer_of_rows": 100, "wrong": 1},
        "W315": {"tail": 0.0005, "tail_in_folds": 0.0001},
        "W318": {"fewest": 20},
        "W319": {"fewest": 10},
        "W320": {"share": 0.05},
        "W321": {"fewest": 15, "share": 0.1, "wrong": 0.01, "valley": 4},
        "W322": {"fewest": 10, "tail": 0.0005, "times": 1.1},
    }
)

CheckKind = Literal["stop", "hold", "out", "open"]
"""What a failed check does: no verdict (stop), no “yes” (hold), “no” for the model (out), or
requirements left open (open)."""
CheckTopic = Literal["order", "values", "duplicates", "scores", "rows"]
"""What a check of the input looks at: a line of the table of what was checked."""


@record
class InputCheck:
    """A check of the input, of the data or of one model.

    `key` is the config key under the dataset or the model that its fix names.
    """

    code: str
    kind: CheckKind
    scope: Literal["data", "model"]
    topic: CheckTopic
    key: str = ""


# By the name that `allow:` takes, in the order of their codes.
INPUT_CHECKS: Mapping[str, InputCheck] = MappingProxyType(
    {
        "reversed": InputCheck("W301", "stop", "data", "order", "positive"),
        "below_chance": InputCheck("W302", "stop", "data", "order", "target"),
        "labels": InputCheck("W303", "stop", "model", "values", "column"),
        "permuted": InputCheck("W304", "stop", "model", "values", "columns"),
        "scale": InputCheck("W305", "stop", "model", "values", "column"),
        "one_class": InputCheck("W306", "stop", "data", "values", "target"),
        "too_few": InputCheck("W307", "stop", "data", "rows", "path"),
        "doubled": InputCheck("W308", "stop", "data", "duplicates", "path"),
        "copies": InputCheck("W309", "stop", "data", "duplicates", "path"),
        "total_row": InputCheck("W310", "stop", "data", "duplicates", "path"),
        "target_copy": InputCheck("W311", "stop", "model", "scores", "column"),
        "hard_labels": InputCheck("W312", "stop", "model", "values", "scale"),
        "unmatched": InputCheck("W313", "stop", "model", "values", "run"),
        "too_good": InputCheck("W314", "hold", "model", "scores", "column"),
        "below_alone": InputCheck("W315", "hold", "model", "order", "order"),
        "reference": InputCheck("W316", "hold", "model", "scores"),
        "conflict": InputCheck("W317", "hold", "model", "scores"),
        "constant": InputCheck("W318", "out", "model", "scores", "column"),
        "identical": InputCheck("W319", "out", "model", "scores", "column"),
        "split_units": InputCheck("W320", "hold", "model", "duplicates", "fold"),
        "certain_part": InputCheck("W321", "hold", "model", "scores", "column"),
        "left_out": InputCheck("W322", "hold", "model", "rows", "column"),
        "heavy_tail": InputCheck("W323", "open", "model", "values"),
        "judge_bias": InputCheck("W324", "stop", "model", "scores"),
    }
)

# By the output's name in a config, in the order in which outputs are named to people.
FILES: Mapping[str, str] = MappingProxyType(
    {
        "html": "report.html",
        "pdf": "report.pdf",
        "json": "results.json",
        "markdown": "report.md",
        "junit": "junit.xml",
        "queries": "queries.csv",
        "metrics": "metrics.json",
        "curves": "curves.csv",
        "openmetrics": "metrics.txt",
        "statement": "statement.json",
        "figures": "figures.zip",
    }
)
PAGE_ONE = "page-1.png"  # the picture of it among the figures
TABLES = "tables"  # an output that is a folder: a small file for each figure and table
QUERIES = "queries"  # a file with the value of each query
NAMES = (*FILES, TABLES)
STATEMENT = "statement"  # what the gates say of the models, for signing
ON_REQUEST = (
    QUERIES,
    "metrics",
    "curves",
    "openmetrics",
    STATEMENT,
    "figures",
)  # where they are named
USUAL = tuple(name for name in NAMES if name not in ON_REQUEST)  # where a config names none
RESULTS = FILES["json"]  # written always, whatever is asked for
MANIFEST = "manifest.json"  # the digest of every other file, written always and last
SUMS = "SHA256SUMS"  # the same for `sha256sum -c`, the manifest among them
VOUCHING = (MANIFEST, SUMS)
DRAWN: Mapping[str, str] = MappingProxyType(
    {output: name for output, name in FILES.items() if name != RESULTS}
)


@record
class Margin:
    """The smallest difference that matters: in the metric's unit, or as a share of a value."""

    size: float
    is_relative: bool = False

    def at(self, value: float) -> float:
        """Return the margin in the metric's unit, given the baseline's value.

        >>> Margin(0.02, is_relative=True).at(50.0)
        1.0
        """
        return self.size * abs(value) if self.is_relative else self.size


RENAMED_METRICS: Mapping[str, str] = {
    "called": "flagged",
    "caught": "found",
    "false_alarms": "false_positives",
}
"""Metrics that configs and results.json named otherwise, with their names of today."""
RENAMED_SECTIONS: Mapping[str, str] = {"basis": "results", "reference": "files"}
"""Sections that configs named otherwise, with the names of those that have their content now."""
