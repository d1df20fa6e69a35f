"""Coded warnings in words: their messages with their numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import floor, log10
from typing import Literal, cast, get_args

from reportgen.report.prose import load_catalogue
from reportgen.report.prose.filters import Zero
from reportgen.report.prose.marks import keep_code
from reportgen.report.prose.methods import name_unit
from reportgen.report.prose.row_wins import describe_convention_value
from reportgen.report.wording.names import (
    LIST_MARK,
    LISTS_IN_WARNINGS,
    ROWS,
    Case,
    clean_name,
    join_list,
    list_class_labels,
    lower_first_word,
    replace_by_labels,
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
from reportgen.results import Results
from reportgen.results.core import Warning
from reportgen.results.types import Counted, Scalar
from reportgen.terms import LIMITS

WarningNumbers = Mapping[str, Scalar]
WarningPart = Literal[
    "title", "text", "brief", "consequence", "topic", "meaning", "matters", "remedy"
]
_SIDES = ("positives", "negatives")
_MOST_LISTED = 20


def format_warning(code: str, numbers: WarningNumbers, case: Case = ROWS) -> str:
    r"""Write the warning with its numbers, in one line; what is missing, or 0, is left out.

    >>> format_warning("W105", {"share": 0.034})
    'The metric is undefined in 3.4% of the resamples.'
    >>> format_warning("W105", {})
    'The metric is undefined in some resamples.'
    """
    if not is_known(code):
        given = ", ".join(f"{key} {value}" for key, value in sorted(numbers.items()))
        return f"{code}: {given}." if given else f"{code}."
    return _fill(code, "text", numbers, case)


def describe_warning_plainly(code: str, numbers: WarningNumbers, case: Case = ROWS) -> str:
    """Write a warning in one short line, without what only a statistician reads."""
    return _fill(code, "brief", numbers, case) or format_warning(code, numbers, case)


def describe_consequence(code: str, case: Case = ROWS) -> str:
    """Write what a warning means for the reader, in one sentence; empty where its line says it."""
    return _fill(code, "consequence", case=case)


def explain_code(code: str) -> str:
    """Explain a code in a paragraph: what it means, why it matters, what to do."""
    title, *more = (_fill(code, part) for part in ("title", "meaning", "matters", "remedy"))
    return f"{code}, {title}. {' '.join(more)}"


def describe_code(code: str, part: WarningPart) -> str:
    """Write one part of what explains a code."""
    return _fill(code, part)


def format_code_heading(code: str) -> str:
    """Name a code in a few words."""
    return _fill(code, "title") or "warning"


def list_codes() -> list[str]:
    """List the codes that have words."""
    keys = (key.split(".") for key in load_catalogue().messages)
    return sorted(key[1] for key in keys if (key[0], key[-1]) == ("warning", "text"))


def is_known(code: str) -> bool:
    """Tell whether a code has words."""
    return f"warning.{code}.text" in load_catalogue().messages


def _fill(
    code: str, part: WarningPart, numbers: WarningNumbers | None = None, case: Case = ROWS
) -> str:
    """Fill a message of a code; empty where it has none."""
    catalogue, key = load_catalogue(), f"warning.{code}.{part}"
    if key not in catalogue.messages:
        return ""
    nouns = dict(zip(("case", "cases"), map(clean_name, case), strict=True))
    limits = {k: int(v) if v == int(v) else v for k, v in LIMITS.get(code, {}).items()}
    values = _format_numbers(numbers or {})
    return keep_code(catalogue.fill(key, {**nouns, "limit": limits, **values}))


def _format_numbers(numbers: WarningNumbers) -> dict[str, object]:
    """Format each number by what its key stands for; those that are missing are left out."""
    texts = {
        key: (Zero if value == 0 else str)(_print(key, value))
        for key, value in _drop_repeated_number(numbers).items()
        if value is not None
    }
    if "class" in texts:  # a name that Python keeps for itself
        texts["of_class"] = texts.pop("class")
    return {"counted": name_unit("row")[1], **texts}  # unless the numbers say what they count


def _drop_repeated_number(numbers: WarningNumbers) -> WarningNumbers:
    """Return the numbers without the rows of the class that is named with how many rows it has.

    >>> _drop_repeated_number({"count": 9, "class": "left", "positives": 9, "negatives": 500})
    {'count': 9, 'class': 'left', 'negatives': 500}
    """
    if "class" not in numbers or "deciding" in numbers:
        return numbers
    said = numbers.get("count")
    return {k: v for k, v in numbers.items() if k not in _SIDES or v != said}


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


def _print(key: str, value: Scalar) -> str:
    if key == "counted" and value in get_args(Counted):
        return name_unit(cast(Counted, value))[1]
    if key == "choice" and isinstance(value, str):
        return (
            clean_name(describe_convention_value(*value.split(": ", 1)))
            if ": " in value
            else clean_name(value)
        )
    if isinstance(value, str) and key in LISTS_IN_WARNINGS:
        return join_list(
            [lower_first_word(clean_name(_format_topic(each))) for each in value.split(LIST_MARK)],
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
    """Name what warnings of a code are about; any other text as it is."""
    return _fill(text, "topic") or _fill(text, "title") or text


def _format_declared(value: float) -> str:
    return choose_declared_precision(value).number(value)


def _format_limit(value: float) -> str:
    """Format a limit with as many digits as tell it from the end of its range."""
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
    "sum": _format_limit,
    "exact_low": _format_limit,
    "exact_high": _format_limit,
    "bound": _format_declared,
    "on_fresh": lambda value: choose_format(value, None, None).number(value),
    "on_fitted": lambda value: choose_format(value, None, None).number(value),
    "mode": lambda value: choose_format(value, None, None).number(value),
    "p": format_bare_p_value,
}
