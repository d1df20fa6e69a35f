"""Sensitivity in words: influential rows, alternative analyses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from reportgen.report import prose
from reportgen.report.facts import Withstands, WorstCase
from reportgen.report.wording.names import (
    ROWS,
    Case,
    clean_name,
    judges_amounts,
    lower_first_word,
)
from reportgen.report.wording.numbers import format_count, format_percent
from reportgen.results.core import MetricInfo
from reportgen.results.sensitivity import BucketCount, Deletion, Influence
from reportgen.results.types import Number


def list_most_moved(
    rows: Sequence[Influence],
    metrics: Mapping[str, MetricInfo],
    labels: Mapping[str, str],
    case: Case = ROWS,
) -> list[str]:
    """Say how far one row moves the error measures and the rank measures, at most."""
    said = []
    for needs in ("amount", "order"):
        known = [r for r in rows if judges_amounts(metrics[r.key], needs) and _compute_size(r) > 0]
        if known:
            most = max(known, key=_compute_size)
            line = prose.line(
                "influence.most",
                needs=needs,
                is_error=metrics[most.key].better != "higher",
                case=case[0],
                metric=lower_first_word(clean_name(metrics[most.key].label)),
                model=clean_name(labels[most.model], 40),
                search=most.search,
                share=format_percent(_compute_size(most)),
            )
            said.append(line)
    return said


def describe_bucket_changes(rows: Sequence[BucketCount], labels: Mapping[str, str]) -> str:
    """Describe which differences take another side of zero with another number of buckets.

    It is "" of values.

    By the interval that each has alone: above zero, below, or neither.
    """
    sides: dict[tuple[str, str, str], set[int]] = {}
    for row in rows:
        if row.baseline is not None:
            pair = (row.key, row.model, row.baseline)
            sides.setdefault(pair, set()).add(_side(row.low, row.high))
    if not sides:
        return ""
    changed = [
        prose.line(
            "bucket_counts.pair",
            metric=lower_first_word(clean_name(labels[metric], 40)),
            candidate=clean_name(labels[candidate], 40),
            baseline=clean_name(labels[baseline], 40),
        )
        for (metric, candidate, baseline), found in sides.items()
        if len(found) > 1
    ]
    if not changed:
        return prose.line("bucket_counts.same")
    return prose.line("bucket_counts.changed", changed=changed)


def _side(low: Number, high: Number) -> int:
    """1 where an interval is above zero, −1 where below, else 0."""
    if low is None or high is None:
        return 0
    return (low > 0) - (high < 0)


def list_worst_cases(
    metrics: Sequence[MetricInfo],
    n: int,
    is_weighted: bool = False,
    is_tied: bool = False,
    case: Case = ROWS,
) -> list[str]:
    """List what rows with a wrong y can do to each metric at most, one sentence for each kind.

    A share of the pairs is a number only where all pairs count alike: without weights and ties.
    """
    shares = {"nothing": 0.0, "range": 0.0, "rows": 1 / n, "pairs": 2 / n, "ranks": 3 / (n + 1)}
    said = []
    for kind, share in (shares | {"half": 0.0}).items():
        named = [lower_first_word(clean_name(m.label, 40)) for m in metrics if m.withstands == kind]
        found = kind
        if kind in ("pairs", "ranks") and (is_weighted or is_tied):
            found = f"tied_{kind}"
        elif kind == "rows" and is_weighted:
            found = "weighted"
        fact = WorstCase(
            cast(Withstands, found),
            tuple(named),
            format_percent(min(share, 1.0), 4 if share < 0.001 else 2),
            n // 2,
            *map(clean_name, case),
        )
        said += [prose.say_plain(fact)] if named else []
    return said


def _compute_size(record: Influence) -> float:
    return abs(record.change or 0.0)


def describe_deciding_removal(
    rows: Sequence[Deletion],
    candidate: str,
    baseline: str,
    labels: Mapping[str, str],
    usual: str | None = None,
    case: Case = ROWS,
) -> str:
    """Say the fewest rows found whose removal changes a verdict, or turns the difference.

    `rows` are those of the removals. What was not found is said to be not found, and no more. The
    opponent is named where it is not the `usual` one; `case` are the nouns for rows.
    """
    who = clean_name(labels[candidate], 40)
    if usual is not None and baseline != usual:
        other = clean_name(labels[baseline], 40)
        who = prose.line("removal.pair", candidate=who, baseline=other)
    mine = [r for r in rows if r.candidate == candidate and r.baseline == baseline]
    if not mine:
        return prose.line("removal.nothing", who=who, cases=case[1])
    changed = _fewest([r for r in mine if r.is_changed])
    moved = _list_moved_differences(mine, changed, labels, case)
    most = max(r.rows for r in mine)
    if changed:
        return prose.line(
            "removal.changed",
            who=who,
            rows=format_count(changed[0].rows, *case),
            before=changed[0].word_before,
            words=list(dict.fromkeys(r.word for r in changed)),
            moved=moved,
        )
    if all(r.word is None for r in mine):
        return prose.line("removal.unjudged", who=who, rows=format_count(most, *case), moved=moved)
    return prose.line(
        "removal.unchanged",
        who=who,
        is_one=most == 1,
        case=case[0],
        rows=format_count(most, *case),
        before=mine[0].word_before,
        has_stronger=any(r.is_stronger for r in mine),
        moved=moved,
    )


def _list_moved_differences(
    rows: Sequence[Deletion], changed: Sequence[Deletion], labels: Mapping[str, str], case: Case
) -> list[str]:
    """Say what the smallest sets do to the difference: they turn it, leave none, or none defined.

    Sets already said to change the verdict are not counted out again, nor is an undefined
    difference whose verdict is said to be that.
    """
    turned = _fewest([r for r in rows if r.is_turned])
    lost = [r for r in rows if r.is_lost]
    level = _fewest([r for r in lost if r.difference is not None])
    undefined = _fewest([r for r in lost if r.difference is None and r not in changed])

    def count(found: Sequence[Deletion]) -> str:
        return "" if found == changed else format_count(found[0].rows, *case)

    said = []
    if turned:
        sides = dict.fromkeys(clean_name(labels[r.in_favour_of], 40) for r in turned)
        said.append(prose.line("removal.turned", rows=count(turned), models=list(sides)))
    if level:
        said.append(prose.line("removal.level", rows=count(level)))
    if undefined:
        said.append(prose.line("removal.undefined", rows=count(undefined)))
    return said


def _fewest(rows: Sequence[Deletion]) -> list[Deletion]:
    """Select the smallest sets."""
    return [r for r in rows if r.rows == min(each.rows for each in rows)]


def select_telling_removals(rows: Sequence[Deletion]) -> list[Deletion]:
    """Select the removals that say most: for each side the largest set that changes nothing.

    Of those that change something, the smallest for each outcome.
    """
    kept: dict[tuple[object, ...], Deletion] = {}
    for row in sorted(rows, key=lambda row: row.rows):
        is_new = row.is_changed or row.is_turned or row.is_lost
        outcome = (
            row.candidate,
            row.baseline,
            row.in_favour_of,
            row.word,
            row.is_turned,
            row.is_lost,
            is_new,
        )
        if not is_new or outcome not in kept:
            kept[outcome] = row
    return [row for row in rows if any(row is chosen for chosen in kept.values())]
