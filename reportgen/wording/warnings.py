"""Coded warnings: what each means, why it matters, what to do, and one line of it with numbers.

Codes are stable: W1xx are on the statistics, W2xx on the data and the page. A code whose numbers
are not all there says what it can and leaves out the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import floor, log10
from typing import cast, get_args

from reportgen.results import Counted, DatasetInfo, Scalar
from reportgen.wording.codes import WARNINGS
from reportgen.wording.designs import plural
from reportgen.wording.fine import fine_percent
from reportgen.wording.names import ROWS, Case, listed, lowered, name, of_cases
from reportgen.wording.numbers import (
    Form,
    bare_p_value,
    count,
    effective,
    form_of,
    percent,
    plain_form,
)
from reportgen.wording.wins import called, set_to

Numbers = Mapping[str, Scalar]
_NAMES = ("other", "binned", "of_classes")  # of a model, of metrics
_LISTS = ("binned", "of_classes", "unseen")  # of names, or of codes
_SIDES = ("positives", "negatives")
_MARK, _MOST_LISTED = ", ", 20


def warning(code: str, numbers: Numbers, case: Case = ROWS) -> str:
    r"""One line that says the warning with its numbers; what is missing, or 0, is left out.

    >>> warning("W105", {"share": 0.034})
    'The measure did not exist in 3.4% of the resamples.'
    >>> warning("W105", {})
    'The measure did not exist in some of the resamples.'
    """
    text = WARNINGS.get(code)
    if text is None:
        given = ", ".join(f"{key} {value}" for key, value in sorted(numbers.items()))
        return f"{code}: {given}." if given else f"{code}."
    lines, numbers = (*text.instead, text.line, text.bare), _each_once(numbers)
    found = (told(each, text.parts, numbers, case) for each in lines)
    return next(filter(None, found), "")


def _each_once(numbers: Numbers) -> Numbers:
    """The numbers without the rows of the class that is named with how many rows it has.

    >>> _each_once({"count": 9, "class": "left", "positives": 9, "negatives": 500})
    {'count': 9, 'class': 'left', 'negatives': 500}
    """
    if "class" not in numbers or "deciding" in numbers:
        return numbers
    said = numbers.get("count")
    return {k: v for k, v in numbers.items() if k not in _SIDES or v != said}


def told(line: str, parts: Sequence[str], numbers: Numbers, case: Case = ROWS) -> str:
    """A line with its numbers and the parts whose numbers are there; empty if one of its is not."""
    said = _Printed(numbers)
    line, *parts = (of_cases(each, case, is_template=True) for each in (line, *parts))
    if not said.has(line):
        return ""
    more = [
        part
        for part in parts
        if said.has(part) and (numbers[_keys(part)[0]] != 0 or len(_keys(part)) > 1)
    ]
    return "".join([line.format_map(said), *(part.format_map(said) for part in more)]) + "."


def by_label(numbers: Numbers, labels: Mapping[str, str]) -> dict[str, Scalar]:
    """The numbers of a warning, with the model, metrics and class that it names by their labels.

    Of a class `labels` have “class” before its value.

    >>> by_label({"share": 0.5, "other": "m2"}, {"m2": "Dense"})
    {'share': 0.5, 'other': 'Dense'}
    >>> by_label({"binned": "roc_auc, gini"}, {"roc_auc": "AUC", "gini": "Gini"})
    {'binned': 'AUC, Gini'}
    >>> by_label({"class": "1"}, {"1": "Dense", "class 1": "left"})
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


def labels_of_classes(datasets: Iterable[DatasetInfo]) -> dict[str, str]:
    """What classes are called, by their values after “class”: a model may be called the same.

    All classes but one stand after “class not”.
    """
    each = [one for info in datasets for one in info.classes]
    others = {f"class not {one.value}": f"not {one.name}" for one in each}
    return others | {f"class {one.value}": one.name for one in each}


def explain(code: str) -> str:
    """A paragraph on a code: what it means, why it matters, what to do."""
    text = WARNINGS[code]
    return f"{code}, {text.title}. {text.meaning} {text.matters} {text.remedy}"


def heading(code: str) -> str:
    """A code's name in a few words."""
    text = WARNINGS.get(code)
    return text.title if text else "warning"


class _Printed(dict[str, str]):
    """The numbers as text, each printed by what its key stands for."""

    def __init__(self, numbers: Numbers) -> None:
        super().__init__(counted=plural("row"))  # unless the numbers say what they count
        self.update({key: _print(key, value) for key, value in numbers.items()
                     if value is not None})  # fmt: skip

    def has(self, template: str) -> bool:
        """Whether every number that a template asks for is there."""
        return all(key in self for key in _keys(template))


def _print(key: str, value: Scalar) -> str:
    if key == "counted" and value in get_args(Counted):
        return plural(cast(Counted, value))
    if key == "choice" and isinstance(value, str):
        return name(set_to(*value.split(": ", 1))) if ": " in value else name(value)
    if isinstance(value, str) and key in _LISTS:
        return listed([lowered(name(_topic(each))) for each in value.split(_MARK)], _MOST_LISTED)
    if isinstance(value, str):
        return name(called(value) if key in ("verdict", "declared") else value)
    if value is None or isinstance(value, bool):
        return str(value)
    shown = _PRINTED_AS.get(key)
    if shown is not None:
        return shown(float(value))
    return count(value) if float(value).is_integer() else f"{value:.3g}".replace("-", "\u2212")


def _topic(text: str) -> str:
    """What warnings of a code are about; any other text as it is."""
    return (WARNINGS[text].topic or heading(text)) if text in WARNINGS else text


def _plain(value: float) -> str:
    return plain_form(value).number(value)


def _limit(value: float) -> str:
    """A limit with as many digits as tell it from the end of the range it is held against."""
    distance = abs(value - round(value))
    return Form(max(2, -floor(log10(distance))) if distance else 0, least=2).number(value)


_PRINTED_AS: Mapping[str, Callable[[float], str]] = {
    "share": percent,
    "said": percent,
    "expected": fine_percent,
    "happened": fine_percent,
    "right": percent,
    "gone_positive": percent,
    "kept_positive": percent,
    "by_chance": percent,
    "spans": percent,
    "share_pairs": percent,
    "mode_share": percent,
    "top_share": percent,
    "largest_share": percent,
    "most_share": percent,
    "auc": percent,
    "most_auc": percent,
    "spread": lambda value: form_of(value, None, None).number(value),
    "error": lambda value: form_of(value, None, None).number(value),
    "effective": effective,
    "distinct": lambda value: count(value, "score", "different scores"),
    "clusters": lambda value: count(value, "cluster"),
    "classes": lambda value: count(value, "class", "classes"),
    "more_classes": lambda value: count(value, "more class", "more classes"),
    "more_labels": lambda value: count(value, "more label"),
    "exact_low": _limit,
    "exact_high": _limit,
    "bound": _plain,
    "on_fresh": lambda value: form_of(value, None, None).number(value),
    "on_fitted": lambda value: form_of(value, None, None).number(value),
    "mode": lambda value: form_of(value, None, None).number(value),
    "p": bare_p_value,
}


def _keys(template: str) -> list[str]:
    return [piece.partition("}")[0] for piece in template.split("{")[1:]]
