"""Say what is to be had without a model, and whether a model is better."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.report import prose
from reportgen.report.conclusion.recommendation import BETTER
from reportgen.report.facts import (
    ALIKE,
    AMOUNTS,
    SHARES_OF_RIGHT,
    ReferenceLabel,
    ReferencePhrase,
    ReferenceWord,
)
from reportgen.report.selection import Selection
from reportgen.report.wording.names import clean_name
from reportgen.report.wording.numbers import choose_format, format_percent
from reportgen.results.core import DatasetInfo, MetricInfo
from reportgen.results.references import ReferenceValue
from reportgen.results.types import Number, Word
from reportgen.results.verdicts import decide_verdict

LONGEST_CLASS = 16


def label_reference(found: Selection, each: ReferenceValue) -> str:
    """Say in at most three words what is predicted without a model."""
    if each.kind == "value":
        return clean_name(each.label, 40)
    return prose.say_plain(ReferenceLabel(*_choose_words(found, each)))


def phrase_reference(found: Selection, each: ReferenceValue | None) -> str:
    """Say the same as it goes on after “better than”; None is one that privacy hides."""
    if each is None:
        return prose.say_plain(ReferencePhrase("hidden", ""))
    if each.kind == "value":
        return f"“{clean_name(each.label, 40)}”"
    return prose.say_plain(ReferencePhrase(*_choose_words(found, each)))


def is_established(found: Selection, model: str, key: str, dataset: str | None = None) -> bool:
    """Tell whether a model is better than the reference, or there is nothing to tell it from."""
    word = judge_against_reference(found, model, key, dataset)
    return word is None or word in BETTER


def judge_against_reference(
    found: Selection, model: str, key: str, dataset: str | None = None
) -> Word | None:
    """Judge the difference from the reference by its interval; None if it has none.

    It is no verdict of the report: nothing is adjusted for it, and a margin, which is about models,
    only makes a better one clearly better.
    """
    each = found.reference(key, dataset)
    own = None if each is None else each.difference(model)
    if each is None or own is None or (own.low, own.high) == (None, None):
        return None
    margin = found.find_metric(key).margin
    words = [decide_verdict(own.low, own.high, size, each.better) for size in (margin, None)]
    return words[0] if words[0] in BETTER else words[1]


def is_not_better(found: Selection, model: str, key: str) -> bool:
    """Tell whether it is established that a model is no better than the reference."""
    each = found.reference(key)
    own = None if each is None else each.difference(model)
    if each is None or own is None:
        return False
    end: Number = own.high if each.better == "higher" else own.low
    return end is not None and (end <= 0 if each.better == "higher" else end >= 0)


def list_sources(found: Selection, keys: Sequence[str]) -> list[str]:
    """List from which rows the references of metrics come, each once."""
    known = [found.reference(key) for key in keys]
    return list(dict.fromkeys(each.source for each in known if each is not None and each.source))


def _choose_words(found: Selection, each: ReferenceValue) -> tuple[ReferenceWord, str]:
    metric, dataset = found.find_metric(each.key), found.datasets[each.dataset]
    if each.kind == "chance":
        return ("order" if metric.needs == "order" else "chance"), ""
    if each.kind in ("everyone", "nobody"):
        return _choose_flags(metric, dataset, each.kind)
    if each.kind == "share" and each.constant is not None:
        return "amount", format_percent(each.constant, 1)
    if each.kind == "share":
        return "share", ""
    if each.kind in AMOUNTS and each.constant is not None:
        form = choose_format(each.constant, None, None, dataset.unit)
        return "amount", form.amount(each.constant)
    if each.kind in AMOUNTS:
        return AMOUNTS[each.kind], ""
    name = next((c.name for c in dataset.classes if c.value == each.label), each.label)
    if each.kind == "class" and name and len(name) <= LONGEST_CLASS:
        return "class", clean_name(name, LONGEST_CLASS)
    return ALIKE.get(each.kind, "commonest"), ""


def _choose_flags(metric: MetricInfo, dataset: DatasetInfo, kind: str) -> tuple[ReferenceWord, str]:
    names = [each.name for each in dataset.classes] or ["0", "1"]
    if metric.name in SHARES_OF_RIGHT and len(names) == 2:
        return "class", clean_name(names[kind == "everyone"], LONGEST_CLASS)
    return ("everyone" if kind == "everyone" else "nobody"), ""
