"""Verdicts that another method does not share: the same ones wherever they are told."""

from __future__ import annotations

from reportgen import wording
from reportgen.results import Comparison
from reportgen.sections.index import Index


def method_sensitive(index: Index) -> list[str]:
    """Metric and candidate of each such verdict on all rows, and what else tells it from others.

    That is the dataset where there are several, and the opponent where it is not the baseline.
    """
    mine = [c for c in index.results.comparisons if c.is_method_sensitive and c.segment is None]
    return [_said(index, comparison) for comparison in mine]


def _said(index: Index, found: Comparison) -> str:
    labels = {m.key: m.label for m in index.results.metrics}
    metric = wording.lowered(wording.name(labels.get(found.key, found.key), 40))
    baseline = index.baseline.name if index.baseline else None
    against = f" against {wording.name(index.label(found.baseline), 40)}"
    dataset = f", {wording.name(found.dataset, 40)}" * (len(index.tests) > 1)
    who = wording.name(index.label(found.candidate), 40)
    return f"{metric} ({who}{against * (found.baseline != baseline)}{dataset})"
