"""The texts of the warnings of governance: W141 to W143, W241."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.wording.warning_text import WarningText

GOVERNANCE: Mapping[str, WarningText] = {
    "W141": WarningText(
        "many looks at the same rows",
        "These rows were judged several times",
        "These rows were judged {looks} times",
        ("; had no candidate been better, one would look so with a chance of up to {by_chance}",),
        "The runs that this one carries on judged the same rows five times or more, and no number "
        "of looks was planned.",
        "Each look may favour a model by chance, and what was learned from one look is in the next "
        "model: a holdout that decides often is slowly learned by heart.",
        "Judge on new rows, or plan the looks beforehand by `looks:` of the dataset.",
        consequence="A model may look better by chance alone.",
        example=(
            {"looks": 6, "by_chance": 0.15},
            "These rows were judged 6 times; had no candidate been better, one would look so with "
            "a chance of up to 15%.",
        ),
    ),
    "W142": WarningText(
        "exploratory",
        "The rule is not the one that was frozen",
        "The rule is not the one that was frozen: {keys}",
        (),
        "The config names a frozen rule, and what decides differs from it.",
        "A rule that was changed after the data were seen can be chosen for its answer.",
        "Go back to the frozen rule, or take the verdicts as a reason to look at new rows.",
        consequence="Verdicts are exploratory.",
        example=(
            {"keys": "gates.1.value"},
            "The rule is not the one that was frozen: gates.1.value.",
        ),
    ),
    "W143": WarningText(
        "judged on rows it was trained on",
        "A model is judged on rows that it was trained on",
        "A model is judged on rows that it was trained on: {shared} of {rows} ids are in the file "
        "of its training",
        (),
        "Ids of rows that are judged are also in the file that `trained_on` of a model names. They "
        "may be the same rows, or others of the same units, such as last year's of the same "
        "customers.",
        "A model knows the rows that it was trained on, and will do worse on new ones; compared "
        "with a model that did not see them it looks better than it is.",
        "Judge on rows that no model has seen, by a `filter` or another file. Where the ids are of "
        "units and the rows are later ones of them, say so in `limitations`.",
        consequence="On new rows it may do worse than here.",
        example=(
            {"shared": 20, "rows": 500},
            "A model is judged on rows that it was trained on: 20 of 500 ids are in the file of "
            "its training.",
        ),
    ),
    "W241": WarningText(
        "not FINAL",
        "The report is a draft, since FINAL lacks something",
        "The report is a draft, since FINAL lacks {first}",
        ("; {lacking} conditions in all",),
        "The config asks for status FINAL, and a condition of it does not hold; the header names "
        "what is lacking.",
        "A final report can be made again, and its rule was stated.",
        "Add what is lacking, and run again.",
        example=(
            {"first": "limitations", "lacking": 2},
            "The report is a draft, since FINAL lacks limitations; 2 conditions in all.",
        ),
    ),
}
