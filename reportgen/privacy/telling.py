"""What a report keeps to itself: small slices, ends of columns, single rows, fine curves.

Everything is taken out of the results before page one is concluded, so that no output has it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from reportgen.config import Config
from reportgen.data.sample import Sample, Vector
from reportgen.privacy.bins import told_curves
from reportgen.privacy.cells import (
    told_calls,
    told_confusions,
    told_differences,
    told_pairs,
    told_points,
    told_wins,
)
from reportgen.privacy.classes import (
    told_calibrations,
    told_classes,
    told_models,
    told_of_classes,
    told_warnings,
    without_rows,
)
from reportgen.privacy.slices import hidden_slices
from reportgen.results import (
    Agreement,
    Choice,
    ColumnProfile,
    DatasetInfo,
    Finding,
    Results,
    Sensitivity,
    rounded,
)

FEW = 5  # rows whose removal is told of only where single rows may be
ENDS = (0.01, 0.99)
TOO_FEW = "not told: too few rows in this slice"


@dataclass(frozen=True)
class Telling:
    """What may be told: the rows of a slice and of a bin, ends of columns, single rows."""

    min_segment: int = 1
    min_cell: int = 1
    extremes: bool = True
    leverage: bool = True


LEVELS: Mapping[str, Telling] = {
    "open": Telling(),
    "standard": Telling(30, 5),
    "strict": Telling(30, 10, extremes=False, leverage=False),
}


def kept_by(config: Config) -> Telling:
    """The rules of the level, less what the config says otherwise."""
    asked = config.privacy
    own: dict[str, Any] = {
        name: getattr(asked, name)
        for name in ("min_segment", "min_cell", "extremes", "leverage")
        if getattr(asked, name) is not None
    }
    return replace(LEVELS[asked.level], **own)


def hidden(results: Results, kept: Telling, samples: Mapping[str, Sample]) -> Results:
    """The results without what may not be told."""
    if kept == Telling():
        return results
    small = {each.name: _small(each, kept.min_segment, samples) for each in results.datasets}
    curves = [c for c in results.curves if c.segment not in small[c.dataset]]
    fewest = kept.min_cell
    confusions = told_confusions(results.confusions, fewest, samples)
    names = {each.name: [c.value for c in each.classes] for each in results.datasets}
    datasets = tuple(_dataset(d, kept, small[d.name], samples) for d in results.datasets)
    confusions = without_rows(confusions, datasets)
    models = told_models(results.models, datasets, fewest)
    untold = {d.name: {c.value for c in d.classes if c.is_hidden} for d in datasets}

    def is_told(dataset: str, segment: str | None) -> bool:
        return segment not in small.get(dataset, ())

    return replace(
        results,
        models=models,
        datasets=datasets,
        calibrations=told_calibrations(results.calibrations, untold),
        class_calibrations=told_of_classes(
            results.class_calibrations, datasets, untold, kept.min_segment
        ),
        rare_classes=tuple(each for each in results.rare_classes if not untold[each.dataset]),
        estimates=tuple(e for e in results.estimates if is_told(e.dataset, e.segment)),
        comparisons=tuple(c for c in results.comparisons if is_told(c.dataset, c.segment)),
        warnings=told_warnings(
            [w for w in results.warnings if is_told(w.dataset or "", w.segment)],
            datasets,
            models,
        ),
        gates=tuple(g if is_told(g.dataset, g.segment) else _bare(g) for g in results.gates),
        curves=tuple(told_curves(curves, fewest, samples)),
        points=told_points(results.points, fewest, samples),
        label_calls=told_calls(results.label_calls, fewest, samples),
        confusions=confusions,
        confusion_differences=tuple(
            told_differences(results.confusion_differences, confusions, names)
        ),
        fresh_gaps=tuple(g for g in results.fresh_gaps if g.n >= kept.min_segment),
        agreements=tuple(a for a in results.agreements if _is_of_many(a, kept.min_segment)),
        classes=tuple(
            c
            for c in results.classes
            if not c.value or (c.n >= kept.min_segment and c.value not in untold[c.dataset])
        ),
        sensitivity=_sensitivity(results.sensitivity, kept, small),
    )  # fmt: skip


def _is_of_many(found: Agreement, fewest: int) -> bool:
    """Whether rows judged twice are enough, and those judged once are none or enough."""
    left = found.of - found.n
    return found.n >= fewest and (not left or left >= fewest)


def _small(info: DatasetInfo, fewest: int, samples: Mapping[str, Sample]) -> frozenset[str]:
    sample = samples.get(info.name)
    return hidden_slices(info.segments, sample.segments if sample else {}, fewest)


def _dataset(
    info: DatasetInfo, kept: Telling, small: frozenset[str], samples: Mapping[str, Sample]
) -> DatasetInfo:
    columns = info.columns
    if not kept.extremes:
        columns = tuple(_without_ends(each, samples[info.name]) for each in columns)
    return replace(
        info,
        columns=columns,
        classes=told_classes(info.classes, kept.min_cell),
        segments=tuple(each for each in info.segments if each.segment not in small),
        hidden=tuple(each.segment for each in info.segments if each.segment in small),
    )


def _without_ends(column: ColumnProfile, sample: Sample) -> ColumnProfile:
    """The column with its 1% and 99% quantiles for its least and largest value."""
    values = _values(column, sample)
    low, high = (None, None) if values is None else np.quantile(values, ENDS)
    ends = [None if x is None else rounded(float(x)) for x in (low, high)]
    return replace(column, minimum=ends[0], maximum=ends[1])


def _values(column: ColumnProfile, sample: Sample) -> Vector | None:
    if column.role == "y":
        return sample.y
    if column.role == "weight":
        return sample.weight
    is_one = column.role == "score" and column.model and not sample.parts.get(column.model)
    return sample.scores.get(str(column.model)) if is_one else None


def _bare(gate: Finding) -> Finding:
    """A gate on a slice that is not told: how it ended, and no number."""
    return replace(gate, value=None, low=None, high=None, reason=TOO_FEW)


def _is_of_few(choice: Choice, choices: Sequence[Choice], fewest: int) -> bool:
    """Whether an analysis of one's own is of few rows, or of all but few."""
    whole = max((c.n for c in choices if c.dataset == choice.dataset), default=choice.n)
    return choice.kind == "own" and (choice.n < fewest or 0 < whole - choice.n < fewest)


def _sensitivity(
    found: Sensitivity, kept: Telling, small: Mapping[str, frozenset[str]]
) -> Sensitivity:
    """Without single rows, and without the rest that a hidden slice would be read from."""
    columns = {(name, s.partition("=")[0]) for name, slices in small.items() for s in slices}
    told = replace(
        found,
        choices=tuple(
            c
            for c in found.choices
            if not (c.kind == "rows" and c.choice == "without"
                    and (c.dataset, c.value.partition("=")[0]) in columns)
            and (c.kind != "own" or not small.get(c.dataset))
            and not _is_of_few(c, found.choices, kept.min_segment)
        ),
        harms=tuple(h for h in found.harms if h.segment not in small.get(h.dataset, ())),
        pairs=told_pairs(found.pairs, kept.min_cell),
        wins=tuple(told_wins(found.wins, kept.min_cell)),
    )  # fmt: skip
    if kept.leverage:
        return told
    few = (replace(each, sets=tuple(s for s in each.sets if s.rows > FEW))
           for each in found.deletions)  # fmt: skip
    return replace(
        told,
        influence=(),
        extremes=(),
        row_values=(),
        deletions=tuple(each for each in few if each.sets),
    )
