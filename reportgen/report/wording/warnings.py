"""Coded warnings as sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import floor, log10
from typing import cast, get_args

from reportgen.report.wording.methods import name_unit
from reportgen.report.wording.names import (
    ROWS,
    Case,
    clean_name,
    fill_case_nouns,
    join_list,
    lower_first_word,
)
from reportgen.report.wording.numbers import (
    NumberFormat,
    choose_declared_precision,
    choose_format,
    format_bare_p_value,
    format_count,
    format_effective_rows,
    format_fine_percent,
    format_percent,
)
from reportgen.report.wording.row_wins import describe_convention_value
from reportgen.report.wording.warning_texts import WARNING_TEXTS
from reportgen.results import Results
from reportgen.results.core import DatasetInfo, Warning
from reportgen.results.types import Counted, Scalar

WarningNumbers = Mapping[str, Scalar]
_NAMES = ("other", "binned", "of_classes", "without")  # of a model, of metrics
_LISTS = ("binned", "of_classes", "without", "unseen")  # of names, or of codes
_SIDES = ("positives", "negatives")
_MARK, _MOST_LISTED = ", ", 20


def format_warning(code: str, numbers: WarningNumbers, case: Case = ROWS) -> str:
    r"""One line that says the warning with its numbers; what is missing, or 0, is left out.

    >>> format_warning("W105", {"share": 0.034})
    'The measure did not exist in 3.4% of the resamples.'
    >>> format_warning("W105", {})
    'The measure did not exist in some of the resamples.'
    """
    text = WARNING_TEXTS.get(code)
    if text is None:
        given = ", ".join(f"{key} {value}" for key, value in sorted(numbers.items()))
        return f"{code}: {given}." if given else f"{code}."
    lines, numbers = (*text.instead, text.line, text.bare), _drop_repeated_number(numbers)
    found = (fill_warning_line(each, text.parts, numbers, case) for each in lines)
    return next(filter(None, found), "")


def _drop_repeated_number(numbers: WarningNumbers) -> WarningNumbers:
    """The numbers without the rows of the class that is named with how many rows it has.

    >>> _drop_repeated_number({"count": 9, "class": "left", "positives": 9, "negatives": 500})
    {'count': 9, 'class': 'left', 'negatives': 500}
    """
    if "class" not in numbers or "deciding" in numbers:
        return numbers
    said = numbers.get("count")
    return {k: v for k, v in numbers.items() if k not in _SIDES or v != said}


def fill_warning_line(
    line: str, parts: Sequence[str], numbers: WarningNumbers, case: Case = ROWS
) -> str:
    """A line with its numbers and the parts whose numbers are there; empty if one of its is not."""
    said = _Printed(numbers)
    line, *parts = (fill_case_nouns(each, case, is_template=True) for each in (line, *parts))
    if not said.has(line):
        return ""
    more = [
        part
        for part in parts
        if said.has(part) and (numbers[_list_keys(part)[0]] != 0 or len(_list_keys(part)) > 1)
    ]
    return "".join([line.format_map(said), *(part.format_map(said) for part in more)]) + "."


def write_warning_texts(results: Results) -> Results:
    """Give every warning that has no text yet its sentence, models and metrics by their labels."""
    labels = {m.key: m.label for m in (*results.class_metrics, *results.metrics)}
    labels |= {model.name: model.label for model in results.models}
    datasets = {each.name: each for each in results.datasets}

    def write_text(warning: Warning) -> Warning:
        if warning.text:
            return warning
        info = datasets.get(warning.dataset or "")
        names = labels | list_class_labels([] if info is None else [info])
        numbers = replace_by_labels(warning.numbers, names)
        case = ROWS if info is None else info.case
        return replace(warning, text=format_warning(warning.code, numbers, case))

    return replace(results, warnings=tuple(map(write_text, results.warnings)))


def replace_by_labels(numbers: WarningNumbers, labels: Mapping[str, str]) -> dict[str, Scalar]:
    """The numbers of a warning, with the model, metrics and class that it names by their labels.

    Of a class `labels` have “class” before its value.

    >>> replace_by_labels({"share": 0.5, "other": "m2"}, {"m2": "Dense"})
    {'share': 0.5, 'other': 'Dense'}
    >>> replace_by_labels({"binned": "roc_auc, gini"}, {"roc_auc": "AUC", "gini": "Gini"})
    {'binned': 'AUC, Gini'}
    >>> replace_by_labels({"class": "1"}, {"1": "Dense", "class 1": "left"})
    {'class': 'left'}
    """
    named: dict[str, Scalar] = {}
    for key, value in numbers.items():
        if key in _NAMES and isinstance(value, str):
            each = value.split(_MARK) if key in _LISTS else [value]
            named[key] = _MARK.join(labels.get(one, one) for one in each)
        elif key == "class":
            named[key] = labels.get(f"class {value}", value)
    return {**numbers, **named}


def list_class_labels(datasets: Iterable[DatasetInfo]) -> dict[str, str]:
    """What classes are called, by their values after “class”: a model may be called the same.

    All classes but one stand after “class not”.
    """
    each = [one for info in datasets for one in info.classes]
    others = {f"class not {one.value}": f"not {one.name}" for one in each}
    return others | {f"class {one.value}": one.name for one in each}


def explain_code(code: str) -> str:
    """A paragraph on a code: what it means, why it matters, what to do."""
    text = WARNING_TEXTS[code]
    return f"{code}, {text.title}. {text.meaning} {text.matters} {text.remedy}"


def format_code_heading(code: str) -> str:
    """A code's name in a few words."""
    text = WARNING_TEXTS.get(code)
    return text.title if text else "warning"


class _Printed(dict[str, str]):
    """The numbers as text, each printed by what its key stands for."""

    def __init__(self, numbers: WarningNumbers) -> None:
        super().__init__(counted=name_unit("row")[1])  # unless the numbers say what they count
        self.update(
            {key: _print(key, value) for key, value in numbers.items() if value is not None}
        )

    def has(self, template: str) -> bool:
        """Whether every number that a template asks for is there."""
        return all(key in self for key in _list_keys(template))


def _print(key: str, value: Scalar) -> str:
    if key == "counted" and value in get_args(Counted):
        return name_unit(cast(Counted, value))[1]
    if key == "choice" and isinstance(value, str):
        return (
            clean_name(describe_convention_value(*value.split(": ", 1)))
            if ": " in value
            else clean_name(value)
        )
    if isinstance(value, str) and key in _LISTS:
        return join_list(
            [lower_first_word(clean_name(_format_topic(each))) for each in value.split(_MARK)],
            _MOST_LISTED,
        )
    if isinstance(value, str):
        return clean_name(value)
    if value is None or isinstance(value, bool):
        return str(value)
    shown = _PRINTED_AS.get(key)
    if shown is not None:
        return shown(float(value))
    return (
        format_count(value) if float(value).is_integer() else f"{value:.3g}".replace("-", "\u2212")
    )


def _format_topic(text: str) -> str:
    """What warnings of a code are about; any other text as it is."""
    return (
        (WARNING_TEXTS[text].topic or format_code_heading(text)) if text in WARNING_TEXTS else text
    )


def _format_declared(value: float) -> str:
    return choose_declared_precision(value).number(value)


def _limit(value: float) -> str:
    """A limit with as many digits as tell it from the end of the range it is held against."""
    distance = abs(value - round(value))
    return NumberFormat(max(2, -floor(log10(distance))) if distance else 0, least=2).number(value)


_PRINTED_AS: Mapping[str, Callable[[float], str]] = {
    "share": format_percent,
    "said": format_percent,
    "expected": format_fine_percent,
    "happened": format_fine_percent,
    "right": format_percent,
    "gone_positive": format_percent,
    "kept_positive": format_percent,
    "by_chance": format_percent,
    "spans": format_percent,
    "share_pairs": format_percent,
    "mode_share": format_percent,
    "top_share": format_percent,
    "largest_share": format_percent,
    "most_share": format_percent,
    "unmatched_share": format_percent,
    "auc": format_percent,
    "most_auc": format_percent,
    "spread": lambda value: choose_format(value, None, None).number(value),
    "error": lambda value: choose_format(value, None, None).number(value),
    "effective": format_effective_rows,
    "distinct": lambda value: (
        "every row the same score"
        if value == 1
        else f"only {format_count(value, 'score', 'different scores')}"
    ),
    "clusters": lambda value: format_count(value, "cluster"),
    "classes": lambda value: format_count(value, "class", "classes"),
    "more_classes": lambda value: format_count(value, "more class", "more classes"),
    "more_labels": lambda value: format_count(value, "more label"),
    "exact_low": _limit,
    "exact_high": _limit,
    "bound": _format_declared,
    "on_fresh": lambda value: choose_format(value, None, None).number(value),
    "on_fitted": lambda value: choose_format(value, None, None).number(value),
    "mode": lambda value: choose_format(value, None, None).number(value),
    "p": format_bare_p_value,
}


def _list_keys(template: str) -> list[str]:
    return [piece.partition("}")[0] for piece in template.split("{")[1:]]
