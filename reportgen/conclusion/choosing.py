"""Which of several models to use: what is found, or what to do where the question asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from reportgen import wording
from reportgen.conclusion.asked import ranking
from reportgen.results import MetricInfo
from reportgen.results.conclusion import Judged
from reportgen.selection import Selection
from reportgen.wording import answers
from reportgen.wording.names import begun
from reportgen.wording.words import TONES, side_of

Tone = Literal["good", "bad", "open", "neutral"]

HERE_ONLY = "Better on this metric only"
_NEGLIGIBLE = "Better, but negligibly"


def chosen(
    found: Selection,
    rows: Sequence[Judged],
    metric: MetricInfo,
    contrary: Sequence[Sequence[str]],
    *,
    tells_what_to_do: bool,
) -> tuple[list[str], Tone]:
    """Which model is shown best, or which are not distinguishable from it.

    `contrary` is what takes back each row of `rows`, in words, the longest first.
    """
    on, baseline = answers.phrase_of(metric), wording.name(found.label(rows[0].baseline), 40)
    order, level = ranking(found, metric), found.level_with_best(metric.key)
    against = dict(zip((row.candidate for row in rows), contrary, strict=True))
    here_only = {row.candidate for row in rows if row.word == HERE_ONLY}
    if not order:
        return [f"No conclusion: {on} is undefined."], "neutral"
    best = wording.name(found.label(order[0]), 40)
    if order[0] in here_only:
        finding = f"{best} is best on {on} only; {against[order[0]][0]}."
        advice = [f"Do not choose on {on} alone: {best} is best there, {against[order[0]][0]}.",
                  f"Do not choose on {on} alone."]  # fmt: skip
        return [*(advice if tells_what_to_do else ()), finding,
                f"{best} is best on {on} only."], "open"  # fmt: skip
    if level == {order[0]} and order[0] == rows[0].baseline:
        return [f"Keep {baseline}: shown better than every other model on {on}.",
                f"Keep {baseline}: shown best."], "neutral"  # fmt: skip
    if level == {order[0]}:
        back = against[order[0]][0] if against[order[0]] and order[0] == rows[0].candidate else ""
        superlative = "cheapest" if metric.kind == "cost" else "best"
        options = _use(best, on, superlative, back) if tells_what_to_do else []
        options += _is_best(best, on, superlative, back)
        return options, "open" if back else "good"
    perfect = [model for model, back in against.items() if answers.TOO_GOOD[0] in back]
    return _level(found, rows, metric, perfect, tells_what_to_do=tells_what_to_do)


def _use(best: str, on: str, superlative: str, back: str) -> list[str]:
    """What to do where one model is shown better than every other."""
    end = f"; {back}" if back else ""
    reasons = [f"{superlative} on {on}, shown better than every other model{end}",
               f"shown better than every other model on {on}{end}",
               f"{superlative} on {on}{end}", f"shown {superlative}{end}",
               f"shown {superlative} on {on}", f"shown {superlative}"]  # fmt: skip
    return [f"Use {best}: {why}." for why in reasons]


def _is_best(best: str, on: str, superlative: str, back: str) -> list[str]:
    """The same as a finding."""
    end, first, shown = f"; {back}" * bool(back), f"{best} is {superlative}", (
        ", shown better than every other model"
    )  # fmt: skip
    on_it = f"{first} on {on}"
    options = [f"{on_it}{shown}{end}", f"{on_it}{end}", f"{first}{end}", f"{on_it}{shown}",
               f"{first}{shown}", first]  # fmt: skip
    return [f"{text}." for text in options]


def _level(
    found: Selection,
    rows: Sequence[Judged],
    metric: MetricInfo,
    perfect: Sequence[str],
    *,
    tells_what_to_do: bool,
) -> tuple[list[str], Tone]:
    """No single model is shown best; of one of the `perfect` that may be a leak's doing."""
    on, baseline = answers.phrase_of(metric), wording.name(found.label(rows[0].baseline), 40)
    better = [row for row in rows if side_of(row.word) > 0 and row.word != HERE_ONLY]
    level = found.level_with_best(metric.key)
    better = [row for row in better if row.candidate in level] or better
    better.sort(key=lambda row: ranking(found, metric).index(row.candidate))
    if not better:
        lead = [f"Keep {baseline} for now: no model is shown better on {on}.",
                f"Keep {baseline} for now: no model is shown better."]  # fmt: skip
        return [*(lead if tells_what_to_do else ()),
                f"No model is shown better than {baseline} on {on}.",
                f"No model is shown better than {baseline}."], "neutral"  # fmt: skip
    labels = [wording.name(found.label(row.candidate), 40) for row in better]
    names = answers.of_models(labels)
    verb = "is" if len(better) == 1 else "are"
    which = "that it is best is not shown" if len(better) == 1 else "which is best is not shown"
    tone: Tone = max((TONES[row.word] for row in better), key=lambda each: each == "good")
    if leak := next((row.candidate for row in better if row.candidate in perfect), None):
        which, tone = answers.no_error(found.label(leak)), "open"
    is_worth_it = any(row.word != _NEGLIGIBLE for row in better)
    either = _either(labels, baseline, on, which) if tells_what_to_do and is_worth_it else []
    return [*either,
            f"{begun(names, labels)} {verb} better than {baseline} on {on}; {which}.",
            f"{begun(names, labels)} {verb} better than {baseline}; {which}.",
            f"{wording.count(len(better), 'model')} {verb} better than {baseline}; {which}.",
            "No model is shown best."], tone  # fmt: skip


def _either(labels: Sequence[str], baseline: str, on: str, which: str) -> list[str]:
    """What to do where one model or several are better, and none is shown best."""
    if len(labels) > 3:
        head = f"Use one of {len(labels)} models"
    else:
        head = f"Use {' or '.join(filter(None, (', '.join(labels[:-1]), labels[-1])))}"
    return [f"{head}: better than {baseline} on {on}; {which}.",
            f"{head}: better than {baseline}; {which}.", f"{head}; {which}."]  # fmt: skip
