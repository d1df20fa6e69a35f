"""The texts of the warnings about the data and the page: W2xx."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.wording.warning_text import WarningText

DATA: Mapping[str, WarningText] = {
    "W201": WarningText(
        "constant target",
        "Every row has the same target",
        "Every row has the same target, {value}",
        (),
        "The target does not vary on these rows.",
        "There is nothing to rank and nothing to explain: most measures are undefined.",
        "Check the column and the filter.",
        example=(
            {"value": 1.0},
            "Every row has the same target, 1.",
        ),
    ),
    "W202": WarningText(
        "identical score columns",
        "Two models have the same score on every row",
        "Its scores are those of {other} on every row",
        (),
        "Two score columns hold the same numbers.",
        "Probably one model was entered twice, or a file was copied.",
        "Check the columns that the config names.",
        example=(
            {"other": "last year's model"},
            "Its scores are those of last year's model on every row.",
        ),
    ),
    "W203": WarningText(
        "small or empty segment",
        "This segment has few rows or none",
        "This segment has few rows or none, {rows} where {fewest} are wanted",
        (", n = {n}",),
        "A declared segment holds few rows, or none.",
        "Its measures are unsure or undefined; an absent finding there is not an absent problem.",
        "Merge it with a neighbour, or gather rows.",
        example=(
            {"rows": 7, "fewest": 30},
            "This segment has few rows or none, 7 where 30 are wanted.",
        ),
    ),
    "W204": WarningText(
        "rows dropped",
        "Rows were left out",
        "Rows left out for missing values of {column}: {removed}",
        (
            ": {rows} rows",
            ", {reason}",
            "; rows that lack it: {missing}",
            "; ids of its table without a row: {unused}",
            "; {gone_positive} of those left out are positive, {kept_positive} of the others",
        ),
        "Some rows of the files take no part in the report.",
        "If rows are missing for a reason, what is left is not what the model will meet.",
        "Look at the row waterfall, and decide on `missing:` and `filter:` knowingly.",
        example=(
            {"column": "spend", "missing": 4, "removed": 3, "unused": 0},
            "Rows left out for missing values of spend: 3; rows that lack it: 4.",
        ),
    ),
    "W205": WarningText(
        "characters without a font",
        "The PDF and figures print some characters as code points",
        "The PDF and figures print characters that no font has as code points: {characters}",
        (),
        "A name holds characters that no packaged font has.",
        "The HTML page's text, report.md and results.json have them; no number is touched.",
        "Name a folder of fonts with `theme: {fonts: DIR}`.",
        example=(
            {"characters": "U+1F600"},
            "The PDF and figures print characters that no font has as code points: U+1F600.",
        ),
    ),
    "W206": WarningText(
        "probabilities brought to a sum of 1",
        "Probabilities did not sum to 1, and were divided by their sum",
        "The probabilities of {rows} rows did not sum to 1, and were divided by their sum",
        ("; the farthest sum is {sum}",),
        "The probabilities of all classes of a row are those of one model, and must sum to 1.",
        "What is judged is not what the model gave: another model may have been meant, or a class "
        "may be missing.",
        "Look at the rows that are off; a class that the model knows may not be among `classes:`.",
        example=(
            {"rows": 17, "of": 300, "sum": 0.93},
            "The probabilities of 17 rows did not sum to 1, and were divided by their sum; the "
            "farthest sum is 0.93.",
        ),
    ),
    "W207": WarningText(
        "a class without rows",
        "A class has no row",
        "No row is of class {class}",
        (": macro averages, such as of F or AUC, are over the {others} others that have rows",),
        "A class that is declared, that another dataset has or that a model names has no row here.",
        "Nothing can be said of it, and macro averages, which are means of one value per class, "
        "leave it out. Whatever is counted over all rows keeps it: the log loss, micro averages.",
        "Look at the spelling of its value, and at `filter:`.",
        example=(
            {"class": "rabies", "others": 4},
            "No row is of class rabies: macro averages, such as of F or AUC, are over the 4 others "
            "that have rows.",
        ),
    ),
    "W251": WarningText(
        "not fully checked",
        "Some warnings and parts of the report are left out when rows are streamed",
        "Left out, as rows were streamed: some warnings, {what}",
        (
            "; these warnings are about {unseen}",
            "; of each class: {of_classes}",
            "; of the curves that the config names: {named}",
            "; {binned} come from bins of values: off by at most {bound}, and intervals are "
            "that much wider",
        ),
        "Rows were read piece by piece, and what is left out needs all of them at once.",
        "What was not looked for may be there, and a part that is absent says nothing of the "
        "models.",
        "Run a sample of the rows with `engine: memory` for these warnings and parts.",
        example=(
            {"what": "curves, single rows", "named": "lorenz"},
            "Left out, as rows were streamed: some warnings, curves, single rows; of the curves "
            "that the config names: lorenz.",
        ),
        briefs=(
            (
                "Rows were streamed, so warnings about {unseen} were not looked for",
                (", and of the curves that the config names these are left out: {named}",),
            ),
            (
                "Rows were streamed, so {beside} are left out",
                ("; of the curves that the config names: {named}",),
            ),
            (
                "Rows were streamed, so warnings about heavy tails, repeated units and "
                "neighbouring rows were not looked for",
                (", and of the curves that the config names these are left out: {named}",),
            ),
        ),
        consequence="A warning that is not told here may still apply.",
    ),
}
