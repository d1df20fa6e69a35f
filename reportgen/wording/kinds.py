"""What a metric judges, as sentences tell its kinds apart."""

from __future__ import annotations

from reportgen.results import MetricInfo
from reportgen.wording.names import capital, name

FOUND_ELSEWHERE = "Score"  # the title of the metric `finished_score`, which a test holds


def judges(metric: MetricInfo, needs: str) -> bool:
    """Whether a metric judges amounts, or orders: not so what comes of calls, which need an order.

    >>> capture = MetricInfo("c", "c", {}, "C", "higher", "share", (0, 1), "", "", "",
    ...                      needs="order", kind="decision")
    >>> judges(capture, "order")
    False
    """
    is_of_calls = needs == "order" and metric.kind in ("cost", "decision")
    return metric.needs == needs and not is_of_calls


def written(metric: MetricInfo) -> str:
    """A metric's label where a sentence begins: a name as it is written, a phrase with a capital.

    >>> from dataclasses import replace
    >>> named = MetricInfo("c", "c", {}, "net gain", "higher", "1", (0, 1), "", "", "")
    >>> written(named), written(replace(named, phrase="net gain"))
    ('net gain', 'Net gain')
    """
    label = name(metric.label)
    return capital(label) if metric.phrase and name(metric.phrase) == label else label


def title_behind(metric: MetricInfo) -> str:
    """What a metric is called that a config calls something else; "" where its label says it.

    "" of a value that was found elsewhere, too: what it is, its label in the config alone says.

    >>> from dataclasses import replace
    >>> named = MetricInfo("t", "t", {}, "right in two", "higher", "1", (0, 1), "", "", "",
    ...                    title="Top-k accuracy")
    >>> title_behind(named), title_behind(replace(named, label="Top-k accuracy at 5"))
    ('Top-k accuracy', '')
    """
    is_said = metric.title == FOUND_ELSEWHERE or metric.title.lower() in metric.label.lower()
    return "" if is_said else metric.title


def distance(metric: MetricInfo) -> str:
    """What stands before a metric where differences are between distances from what is best."""
    if metric.better == "one":
        return "distance from 1 of "
    return "size of " * (metric.better == "zero")
