"""What page one says is to be read with care: at most three points, the weightiest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from reportgen import wording
from reportgen.conclusion.rows import judged
from reportgen.conclusion.top import shown_top_error
from reportgen.results import ColumnProfile, Comparison, MetricInfo, Warning
from reportgen.results.conclusion import BestAction, Care, Judged
from reportgen.selection import Selection
from reportgen.wording import cares as said
from reportgen.wording.kinds import written

MOST = 3
ABSENT = "W207"  # a class that has no row, which macro averages leave out
CONSTANT = "W201"  # a target that does not vary, so that there is nothing to tell apart
MOST_ABSENT = 3  # of such classes, named
UNCHECKED = "W251"  # of rows that some warnings were not looked for on
LACKING = 0.02  # share of queries without a line, or of rows left out, from which it is said
DROPPED, SCALED = "W204", "W206"  # rows left out, and probabilities that were divided by their sum
TIED = 0.2  # share of a score's pairs from which ties stand on page one
FORGIVING = ("kendall", "spearman")  # a pair that a score leaves tied costs it little or nothing
_WEIGHTY = ("W142", "W231", "W110", "W109", "W143", "W115", "W117", "W121", "W144", "W131",
            "W138", "W139", "W133", "W119", CONSTANT, ABSENT, DROPPED, SCALED)  # fmt: skip
_OF_DATA = (ABSENT, CONSTANT)
_LAST = ("W103",)
_OF_SHIFTS = ("W115", "W116", "W117")  # of rows that shifts are fitted on


def cares(
    found: Selection,
    rows: Sequence[Judged],
    consequences: Sequence[Judged],
    advised: BestAction | None = None,
) -> tuple[tuple[Care, ...], tuple[Judged, ...]]:
    """The points, and the rows with the number of the one that is about them.

    Where an action is advised that no row is about, the points are about that action.
    """
    forced = list(_forced(found, rows))
    last = list(_unchecked(found))
    most = MOST - len(last)
    if len(forced) > most:
        forced = [said.together(forced)]
    is_told = advised is None or advised.is_primary
    others = _others(found, rows, consequences) if is_told else _of_action(found, advised)
    made = (*[*forced, *others][:most], *last)
    return made, tuple(_numbered(row, forced) for row in rows)


def _numbered(row: Judged, forced: Sequence[Care]) -> Judged:
    for number, care in enumerate(forced, 1):
        is_all = care.model is None and row.word == "Better on this metric only"
        if care.model == row.candidate or is_all:
            return replace(row, care=number)
    return row


def _forced(found: Selection, rows: Sequence[Judged]) -> Iterator[Care]:
    """Verdicts that another metric of the same kind contradicts, and scores with many ties."""
    tied = _tied(found)
    for row in rows:
        if row.word == "Better on this metric only":
            yield _contradiction(found, row, tied.get(row.candidate))
    told = {row.candidate for row in rows if row.word == "Better on this metric only"}
    for model, profile in tied.items():
        if model not in told and found.primary is not None:
            yield said.ties(
                found.label(model), model, profile, found.primary, _by_half(found, model)
            )


def _unchecked(found: Selection) -> Iterator[Care]:
    """That most warnings were not looked for: told whatever else is, as silence would mislead."""
    for w in found.results.warnings:
        if w.code == UNCHECKED and w.dataset in (None, found.main.name):
            care = said.warning(w, "", "", found.main.case)
            yield replace(care, is_forced=True)
            return


def _tied(found: Selection) -> dict[str, ColumnProfile]:
    """The models whose scores leave many pairs tied, where the primary metric forgives it."""
    if found.primary is None or found.primary.name not in FORGIVING or found.baseline is None:
        return {}
    return {
        column.model: column
        for column in found.main.columns
        if column.role == "score" and column.model and (column.tied_pairs or 0.0) > TIED
    }


def _by_half(found: Selection, model: str) -> tuple[MetricInfo, Judged] | None:
    """A comparison on a metric that counts tied pairs as half, if one was computed."""
    for metric in found.results.metrics:
        is_half = metric.name == "kendall_a" or (
            metric.name == "regression_auc" and metric.params.get("ties") == "half"
        )
        c = found.comparison(model, metric.key) if is_half else None
        if c is not None and c.status == "ok":
            return metric, judged(found, c)
    return None


def _contradiction(found: Selection, row: Judged, tied: ColumnProfile | None) -> Care:
    metrics = {metric.key: metric for metric in found.results.metrics}
    half = _by_half(found, row.candidate) if tied is not None else None
    if half is not None and half[0].key in row.contradicted_by:
        worse = half
    else:
        key = row.contradicted_by[0]
        worse = metrics[key], judged(found, _of(found, row.candidate, key))
    acts = [
        (metric, judged(found, c))
        for metric in found.results.metrics
        if metric.kind == "decision"
        for c in [found.comparison(row.candidate, metric.key)]
        if c is not None and c.verdict == "worse"
    ]
    return said.contradiction(
        (row.candidate, found.label(row.candidate)), metrics[row.key], worse, tied, acts[:1]
    )


def _of(found: Selection, model: str, key: str) -> Comparison:
    c = found.comparison(model, key)
    assert c is not None, (model, key)
    return c


def _others(
    found: Selection, rows: Sequence[Judged], consequences: Sequence[Judged]
) -> Iterator[Care]:
    """What else weighs on the model asked about, in order of weight."""
    shown = {row.key for row in (*rows[:1], *consequences)} or {m.key for m in found.metrics}
    models = [rows[0].candidate, rows[0].baseline] if rows else [*found.models]
    warnings = list(_warnings(found, shown, models))
    yield from (_of_code(found, w) for w in warnings if w.code in _WEIGHTY)
    for row in rows[:1]:
        if text := shown_top_error(found, row.candidate):
            yield said.top(text, row.candidate, wording.level(found.results.inference.level))
        yield from _borderline(found, row)
        c = _of(found, row.candidate, row.key)
        if c.is_method_sensitive:
            yield said.method(row.candidate)
        yield from _reversed(found, row, consequences)
    yield from (_of_code(found, w) for w in warnings if w.code not in _WEIGHTY)


def _of_code(found: Selection, w: Warning) -> Care:
    named = replace(w, numbers=wording.by_label(w.numbers, found.labels))
    care = said.warning(named, *_subject(found, w), found.main.case)
    others = _others_with(found, w)
    base = None if found.baseline is None else found.baseline.name
    ordered = sorted(others, key=lambda model: (model != base, model))
    names = [f"{wording.name(found.label(model), 30)}{others[model]}" for model in ordered]
    return replace(care, text=care.text + said.of_others(names, has_baseline=base in others))


def _others_with(found: Selection, w: Warning) -> dict[str, str]:
    """The other models of which the same is warned, on the rows of page one, and how far off."""
    return {
        str(other.model): _how_far(other)
        for other in found.results.warnings
        if w.model is not None
        and (other.code, other.segment) == (w.code, None)
        and other.dataset in (None, found.main.name)
        and other.model not in (None, w.model)
    }  # fmt: skip


def _how_far(w: Warning) -> str:
    error = w.numbers.get("error")
    return (
        f" ({wording.form_of(error, None, None).number(error)})" if isinstance(error, float) else ""
    )


def _of_action(found: Selection, advised: BestAction | None) -> Iterator[Care]:
    """What weighs on an action: warnings on its costs, and that they are of one ratio."""
    assert advised is not None and found.baseline is not None
    models = [advised.model, found.baseline.name]
    for w in _warnings(found, {m.key for m in found.metrics if m.kind == "cost"}, models):
        yield said.warning(w, *_subject(found, w), found.main.case)
    costs = found.costs[found.main.name]
    if len({option.asymmetry for option in costs.options}) == 1:
        yield said.one_ratio(advised)


def _warnings(found: Selection, shown: set[str], models: Sequence[str]) -> Iterator[Warning]:
    """One warning a code, on what page one shows.

    Those on the first of the models come first, which the page is about, then the primary metric.
    """
    has_shifts = _shows_shifts(found, shown)
    mine = [
        w
        for w in found.results.warnings
        if w.segment is None
        and (w.code not in _OF_SHIFTS or has_shifts)
        and w.dataset in (None, found.main.name)
        and (w.key is None or w.key in shown)
        and (w.model is None or w.model in models)
        and w.code != "W102"
        and (
            not w.code.startswith("W2")
            or w.code in _OF_DATA
            or _lacks_queries(found, w)
            or _lacks_rows(w)
            or w.code == SCALED
        )
    ]
    primary = None if found.primary is None else found.primary.key
    first = models[:1]
    mine.sort(
        key=lambda w: (
            w.code in _LAST,
            w.model is not None and w.model not in first,
            w.key not in (None, primary),
            -_share(w),
        )
    )
    seen: dict[str, Warning] = {}
    for w in mine:
        seen.setdefault(w.code, w)
    if ABSENT in seen:
        seen[ABSENT] = _of_all_absent([w for w in mine if w.code == ABSENT])
    yield from seen.values()


def _of_all_absent(every: Sequence[Warning]) -> Warning:
    """One warning of all classes without rows."""
    names = [str(w.numbers.get("class", "")) for w in every]
    shown = names if len(names) <= MOST_ABSENT else [*names[:MOST_ABSENT], "others"]
    return replace(every[0], numbers={**every[0].numbers, "class": " or ".join(shown)})


def _lacks_queries(found: Selection, w: Warning) -> bool:
    """Whether a run lacks so many queries that it weighs, or what becomes of them turns a verdict.

    Those that are left out weigh too: mostly they are ones that the system failed on.
    """
    if w.code != "W231":
        return False
    turned = (c.is_other for c in found.sensitivity.choices if c.choice == "missing_query")
    return _share(w) >= LACKING or any(turned)


def _lacks_rows(w: Warning) -> bool:
    """Whether so many rows were left out that what is left may be others than the model meets."""
    share = w.numbers.get("share")
    return w.code == DROPPED and isinstance(share, float) and share >= LACKING


def _share(w: Warning) -> float:
    """Which share of the queries a run lacks."""
    lacking, of = w.numbers.get("queries"), w.numbers.get("of")
    if w.code != "W231" or not isinstance(lacking, int) or not isinstance(of, int):
        return 0.0
    return lacking / of


def _shows_shifts(found: Selection, shown: set[str]) -> bool:
    """Whether page one has a number of fitted shifts: of a metric, or of the action advised."""
    if found.results.report.decision == "shift":
        return True
    return any(m.params.get("shift") == "fitted" for m in found.results.metrics if m.key in shown)


def _subject(found: Selection, w: Warning) -> tuple[str, str]:
    """What a warning is about: a metric and a model."""
    metric = next((m for m in found.results.metrics if m.key == w.key), None)
    label = "" if metric is None else written(metric)
    return label, "" if w.model is None else wording.name(found.label(w.model), 40)


def _borderline(found: Selection, row: Judged) -> Iterator[Care]:
    """Few rows on which the word depends."""
    sets = [
        each
        for deletion in found.sensitivity.deletions
        if deletion.key == row.key
        for each in deletion.sets
        if (each.candidate, each.baseline) == (row.candidate, row.baseline)
    ]
    metric = next(m for m in found.results.metrics if m.key == row.key)
    text = said.borderline(sets, found.main.case, (metric, row), found.label(row.candidate))
    if text:
        yield Care("borderline", "Borderline.", text, row.candidate)


def _reversed(found: Selection, row: Judged, consequences: Sequence[Judged]) -> Iterator[Care]:
    """Segments in which the other model is shown better, beyond the one that has a row."""
    shown = {each.segment for each in consequences}
    flips = [c for c in found.flips(row.candidate, row.key) if c.segment not in shown]
    if flips:
        names = [wording.segment_name(found.main, c.segment) for c in flips]
        yield said.reversal(names, row.candidate)
