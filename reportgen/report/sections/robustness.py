"""Robustness: power, alternative analyses, second opinions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from reportgen.report import prose
from reportgen.report.conclusion.alternatives import (
    count_stronger_and_weaker,
    describe_agreement,
    describe_alternative,
    is_declared_choice,
    list_alternatives,
)
from reportgen.report.document import (
    Block,
    Bullets,
    Cell,
    Forest,
    ForestRow,
    Section,
    Table,
    TableColumn,
    Text,
    make_phrase,
)
from reportgen.report.prose.marks import remove_marks
from reportgen.report.prose.methods import format_units
from reportgen.report.prose.row_wins import describe_convention
from reportgen.report.prose.sensitivity import (
    describe_bucket_changes,
    describe_deciding_removal,
    list_most_moved,
    list_worst_cases,
    select_telling_removals,
)
from reportgen.report.sections.cells import capitalize_verdict, make_metric_cell, name_verdict
from reportgen.report.sections.index import Index, fold_for_full_report
from reportgen.report.sections.tables import (
    MISSING_CELL,
    MOST_ROWS,
    ReportColumn,
    build_table,
    count_column,
    describe_cut,
    format_model,
    model_column,
    number_column,
    word_column,
)
from reportgen.report.wording import numbers, verdicts
from reportgen.report.wording.names import (
    capitalize,
    clean_name,
    clean_prose,
    lower_first_word,
)
from reportgen.report.wording.numbers import format_size
from reportgen.report.wording.verdicts import TONES
from reportgen.results import Results
from reportgen.results.core import Comparison, DatasetInfo, MetricInfo, ModelInfo
from reportgen.results.sensitivity import (
    AlternativeChoice,
    BucketCount,
    CaseDeletion,
    Deletion,
    Influence,
    RankProbabilities,
    TailShares,
)
from reportgen.results.types import Number, Params, Scalar

_MOST_FIRST = 4
_RARE = 0.01  # share of resamples below which a model is not named as first
_Make = Callable[[str], Table]


def iter_row_tables(index: Index) -> Iterator[tuple[Sequence[Block], _Make]]:
    """Yield sentences on each table that holds something, and the function that builds it."""
    found = index.sensitivity
    if found.ranks:
        yield [], partial(build_rank_table, index, found.ranks)
        yield [], partial(build_firsts_table, index, found.ranks)
    if found.influence:
        metrics = {m.key: m for m in index.results.metrics}
        said = " ".join(list_most_moved(found.influence, metrics, index.labels, index.main.case))
        yield _list_sentence(said), partial(build_influence_table, index, found.influence)
    if found.tails:
        yield [], partial(build_tails_table, index, found.tails)
    for deletion in found.deletions:
        yield (
            [_build_fragility_bullets(index, deletion.sets)],
            partial(build_deletion_table, index, deletion),
        )
    if found.bucket_counts:
        said = describe_bucket_changes(found.bucket_counts, index.labels)
        yield _list_sentence(said), partial(build_bucket_counts_table, index, found.bucket_counts)


def _list_sentence(said: str) -> list[Block]:
    return [Text(make_phrase(said))] if said else []


def _build_fragility_bullets(index: Index, sets: Sequence[Deletion]) -> Bullets:
    """Describe what each verdict depends on."""
    baseline = index.baseline.name if index.baseline else None
    pairs = dict.fromkeys((each.candidate, each.baseline) for each in sets)
    case = index.main.case
    items = tuple(
        make_phrase(describe_deciding_removal(sets, *pair, index.labels, baseline, case))
        for pair in pairs
    )
    return Bullets(items, title=prose.line("robustness.few_title", cases=clean_name(case[1])))


def build_influence_table(index: Index, found: Sequence[Influence], id_: str) -> Table:
    """Each metric of each model without its most influential row, models side by side if few."""
    models = list(dict.fromkeys(r.model for r in found))
    case, cases = map(clean_name, index.main.case)
    searches = {r.key: r.search for r in found if r.search != "every row"}
    caption = prose.line(
        "robustness.influence",
        case=case,
        cases=cases,
        searches=[
            (lower_first_word(clean_name(index.labels[key], 40)), tried)
            for key, tried in searches.items()
        ],
    )
    if len(models) > _MOST_ACROSS:
        return build_table(
            id_,
            caption,
            [(metric, r) for metric in index.metrics for r in found if r.key == metric.key],
            word_column("Metric", lambda row: make_metric_cell(index, row[0])),
            model_column(index, lambda row: row[1].model),
            number_column(
                prose.line("robustness.without_row", case=case),
                lambda row: _build_influence_cell(index, row[1]),
            ),
            most=MOST_ROWS,
        )
    cells = {(r.key, r.model): _build_influence_cell(index, r) for r in found}

    def influence_column(model: str) -> ReportColumn[MetricInfo]:
        return number_column(
            format_model(index, model), lambda m: cells.get((m.key, model), MISSING_CELL)
        )

    return build_table(
        id_,
        caption,
        [metric for metric in index.metrics if any((metric.key, m) in cells for m in models)],
        word_column("Metric", lambda metric: make_metric_cell(index, metric)),
        *map(influence_column, models),
        most=MOST_ROWS,
    )


def build_deletion_table(index: Index, table: CaseDeletion, id_: str) -> Table:
    """Tabulate the primary comparisons without sets of few rows."""
    found, unit = table.sets, table.unit
    metric = lower_first_word(clean_name(index.labels.get(table.key, "")))
    caption = prose.line(
        "robustness.deletion",
        metric=metric,
        cases=clean_name(index.main.case[1]),
        pairs=0 if table.pairs == table.searched else table.pairs,
        searched=table.searched,
    )
    is_judged = any(r.word is not None for r in found)
    has_ids = any(r.ids is not None for r in found)
    return build_table(
        id_,
        caption,
        select_telling_removals(found),
        word_column("Candidate", lambda removal: _build_candidate_cell(index, removal)),
        count_column(prose.line("robustness.removed", cases=_format_rows(index)), lambda r: r.rows),
        model_column(
            index, lambda removal: removal.in_favour_of, prose.line("robustness.in_favour")
        ),
        number_column(
            prose.line("robustness.difference"),
            lambda r: _build_difference_cell(r, unit),
            unit=unit,
        ),
        word_column(prose.line("robustness.verdict"), _build_verdict_cell) if is_judged else None,
        word_column(_format_rows(index), _list_row_ids) if has_ids else None,
        most=MOST_ROWS,
    )


def build_rank_table(index: Index, found: Sequence[RankProbabilities], id_: str) -> Table:
    """Count how often each model takes each place on the leading metric."""
    mine = [r for r in found if r.key == index.leading.key]
    metric = lower_first_word(clean_name(index.leading.label))
    caption = prose.line("robustness.ranks", is_of_fits=index.is_of_fits, metric=metric)

    def place_column(place: int) -> ReportColumn[RankProbabilities]:
        return number_column(f"Place {place + 1}", lambda r: _build_share(index, r.shares[place]))

    columns = map(place_column, range(len(mine)))
    return build_table(id_, caption, mine, model_column(index, lambda r: r.model), *columns)


def build_firsts_table(index: Index, found: Sequence[RankProbabilities], id_: str) -> Table:
    """List the models that come first on each metric, and how often, the most frequent first."""

    def format_firsts(metric: MetricInfo) -> str:
        mine = [r for r in found if r.key == metric.key]
        shares = [(r.shares[0] or 0.0, index.label(r.model)) for r in mine]
        often = sorted((pair for pair in shares if pair[0] >= _RARE), key=lambda pair: -pair[0])
        named = [
            f"{clean_name(m, 40)} {numbers.format_bootstrap_fraction(s, index.resamples)}"
            for s, m in often[:_MOST_FIRST]
        ]
        return "; ".join(named) or numbers.MISSING

    return build_table(
        id_,
        prose.line("robustness.firsts", is_of_fits=index.is_of_fits),
        [metric for metric in index.metrics if any(r.key == metric.key for r in found)],
        word_column("Metric", lambda metric: clean_name(metric.label)),
        word_column(
            prose.line("robustness.first_share", is_of_fits=index.is_of_fits), format_firsts
        ),
    )


def build_tails_table(index: Index, found: Sequence[TailShares], id_: str) -> Table:
    """Tabulate the share of all error that the largest errors hold."""
    return build_table(
        id_,
        prose.line("robustness.tails", cases=clean_name(index.main.case[1])),
        found,
        word_column("Model", lambda tail: index.short_label(tail.model)),
        count_column(_format_rows(index), lambda tail: tail.rows),
        number_column(
            prose.line("robustness.absolute"), lambda t: _build_error_cell(t.absolute_error)
        ),
        number_column(
            prose.line("robustness.squared"), lambda t: _build_error_cell(t.squared_error)
        ),
        most=MOST_ROWS,
    )


def build_bucket_counts_table(index: Index, found: Sequence[BucketCount], id_: str) -> Table:
    """Metrics of buckets with other numbers of buckets, one column a number."""
    cells = {(r.key, r.model, r.baseline, r.buckets): r for r in found}
    caption = prose.line(
        "robustness.buckets",
        are_differences=any(r.baseline for r in found),
        level=numbers.format_level(index.results.inference.level),
    )

    def bucket_column(n: int) -> ReportColumn[tuple[MetricInfo, str, str | None]]:
        return number_column(
            f"{numbers.format_count(n)} buckets",
            lambda row: _build_bucket_cell(cells.get((row[0].key, *row[1:], n)), row[0]),
        )

    return build_table(
        id_,
        caption,
        [
            (metric, candidate, baseline)
            for key, candidate, baseline in dict.fromkeys(place[:3] for place in cells)
            for metric in index.metrics
            if metric.key == key
        ],
        word_column("Metric", lambda row: make_metric_cell(index, row[0])),
        word_column("Model", lambda row: _pair_cell(index, row[1], row[2])),
        *map(bucket_column, sorted({r.buckets for r in found})),
        most=MOST_ROWS,
    )


def _pair_cell(index: Index, candidate: str, baseline: str | None) -> Cell:
    other = format_model(index, baseline)
    against = prose.line("robustness.against", baseline=other) if baseline else ""
    return Cell(format_model(index, candidate), note=against)


def _build_bucket_cell(found: BucketCount | None, metric: MetricInfo) -> Cell:
    """Make a cell of a value, or a difference, with its interval under it."""
    if found is None or found.value is None:
        return Cell(numbers.MISSING)
    form = numbers.choose_format(found.value, found.low, found.high, metric.unit, (0.0,))
    is_signed = found.baseline is not None
    note = form.interval(found.low, found.high, signed=is_signed)
    return Cell(form.number(found.value, signed=is_signed), note=note, value=found.value)


def _build_influence_cell(index: Index, found: Influence) -> Cell:
    """Show how far one row moves a value, with the value before and after, and the row if named."""
    metric = next(m for m in index.results.metrics if m.key == found.key)
    value, without, change = found.value, found.without, found.change
    # As many digits as show the change.
    low, high = sorted((value or 0.0, without or 0.0))
    form = numbers.choose_format(value, low, high, metric.unit)
    note = f"{form.number(value)} → {form.number(without)}"
    if found.row is not None:
        shown = (f", {what} {_format_scalar(value)}" for what, value in found.row.shown.items())
        case, name = clean_name(index.main.case[0]), clean_name(found.row.id, 40)
        note += f"; {case} {name}{''.join(shown)}"
    if change is None:
        if value is None or without is None:
            return Cell(numbers.MISSING, note=note)
        moved = numbers.choose_format(without - value, None, None, metric.unit)
        return Cell(moved.amount(without - value, signed=True), note=note)
    form = numbers.choose_format(change, None, None, "share")  # relative to the value: in percent
    relative = numbers.format_decimal(100 * change, form.decimals_of(change), signed=True)
    return Cell(f"{relative}%", note=note, value=change)


def _format_rows(index: Index) -> str:
    """Return the word for rows, as a heading."""
    return capitalize(clean_name(index.main.case[1]))


def _list_row_ids(found: Deletion) -> str:
    """Format the ids of the first rows of a set."""
    ids = found.ids or ()
    return clean_prose(", ".join(ids) + ", …" * (found.rows > len(ids)), 400)


def _build_share(index: Index, share: Number) -> Cell:
    return Cell(
        numbers.format_bootstrap_fraction(share, index.resamples)
        if share is not None
        else numbers.MISSING,
        value=share,
    )


def _format_scalar(value: Scalar) -> str:
    if isinstance(value, str):
        return clean_name(value, 40)
    return numbers.choose_format(value, None, None).number(value)


def _build_candidate_cell(index: Index, found: Deletion) -> Cell:
    """Make a cell of the candidate of a set, with the baseline and the verdict on all rows."""
    baseline = format_model(index, found.baseline)
    against = prose.line("robustness.against_word", baseline=baseline, word=found.word_before)
    return Cell(format_model(index, found.candidate), note=against)


def _build_difference_cell(found: Deletion, unit: str) -> Cell:
    value, low, high = found.difference, found.low, found.high
    form = numbers.choose_format(value, low, high, unit, (0.0,))
    note = form.interval(low, high, signed=True) if low is not None else ""
    return Cell(form.number(value, signed=True), note=note, value=value)


def _build_verdict_cell(found: Deletion) -> Cell:
    if found.word is None:
        return MISSING_CELL
    note = "changed" * bool(found.is_changed)
    return Cell(capitalize_verdict(found.word), note=note, tone=TONES[found.word])


def _build_error_cell(share: Number) -> Cell:
    if share is None:
        return MISSING_CELL
    return Cell(numbers.choose_format(share, None, None, "share").number(share), value=share)


def list_method_sensitive(index: Index) -> list[str]:
    """Metric and candidate of each such verdict on all rows, and what else tells it from others.

    That is the dataset where there are several, and the opponent where it is not the baseline.
    """
    mine = [c for c in index.results.comparisons if c.is_method_sensitive and c.segment is None]
    return [_describe_second_opinion(index, comparison) for comparison in mine]


def _describe_second_opinion(index: Index, found: Comparison) -> str:
    labels = {m.key: m.label for m in index.results.metrics}
    metric = lower_first_word(clean_name(labels.get(found.key, found.key), 40))
    baseline = index.baseline.name if index.baseline else None
    return prose.line(
        "robustness.second_opinion",
        metric=metric,
        candidate=index.short_label(found.candidate),
        baseline="" if found.baseline == baseline else index.short_label(found.baseline),
        dataset=clean_name(found.dataset, 40) if len(index.tests) > 1 else "",
    )


_MOST_ACROSS = 4
_OF_ROWS = ("rows", "design", "buckets", "costs", "definition", "own", "convention")


def build_alternatives_blocks(index: Index) -> list[Block]:
    """Build blocks on what other choices change, then on all of them; none where there are none."""
    found = [c for c in index.sensitivity.choices if c.dataset == index.main.name]
    if not found:
        return []
    pairs = dict.fromkeys((c.candidate, c.baseline) for c in found)
    of = {pair: [c for c in found if (c.candidate, c.baseline) == pair] for pair in pairs}
    is_named = len({baseline for _, baseline in of}) > 1
    lines = tuple(
        make_phrase(
            f"{_format_head(index, *pair, is_named=is_named)}: "
            f"{say_agreement(mine, index.main, index.leading.params)}"
        )
        for pair, mine in of.items()
        if len(mine) > 1
    )
    bullets = [Bullets(lines, title=prose.line("robustness.title"))] if lines else []
    about = _find_asked_pair(index, list(of))
    every = fold_for_full_report(prose.line("robustness.every"), [_build_table(index, found)])
    differing = [c for c in of[about] if c.is_other or is_declared_choice(c)]
    curve = [_build_curve(index, differing)] if any(c.is_other for c in differing) else []
    return [*bullets, *curve, *every]


def _find_asked_pair(index: Index, pairs: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """Return the pair that page one is about, or the first."""
    conclusion = index.results.conclusion
    rows = conclusion.rows if conclusion is not None else ()
    named = [(row.candidate, row.baseline) for row in rows[:1]]
    return next((pair for pair in named if pair in pairs), pairs[0])


def _format_label(index: Index, mine: Sequence[AlternativeChoice]) -> str:
    return index.short_label(mine[0].candidate)


def _say_alternative(index: Index, found: AlternativeChoice) -> str:
    return remove_marks(describe_alternative(found, index.main, index.leading.params))


def say_agreement(choices: Sequence[AlternativeChoice], of: DatasetInfo, declared: Params) -> str:
    """Say in how many re-analyses the verdict is another one, or that all agree."""
    if said := describe_agreement(choices, of, declared):
        return remove_marks(said)
    tried = list_alternatives(choices)
    stronger, weaker = count_stronger_and_weaker(choices)
    return prose.line("unsure.all_agree", total=len(tried), stronger=stronger, weaker=weaker)


def _build_curve(index: Index, mine: Sequence[AlternativeChoice]) -> Forest:
    """Build a forest of the analyses with another verdict, the declared one in bold."""
    better = index.leading.better
    sign = 1.0 if better == "higher" else -1.0
    rows = tuple(_curve_row(index, c, sign) for c in _order_choices(mine, sign))
    declared = next((c for c in mine if is_declared_choice(c)), mine[0])
    ends = [0.0, *(x for row in rows for x in (row.low, row.high) if x is not None)]
    ends += [s * (declared.margin or 0.0) for s in (-1.0, 1.0)]
    room = 0.04 * (max(ends) - min(ends)) or 1.0
    metric = lower_first_word(clean_name(index.labels.get(declared.key, "")))
    baseline = index.short_label(declared.baseline)
    return Forest(
        id="specification-curve",
        title=prose.line("robustness.curve_title", candidate=_format_label(index, mine)),
        caption=_format_caption(index, mine, metric, baseline),
        axis=prose.line("robustness.curve_axis", baseline=baseline),
        right="better →",
        axis_low=min(ends) - room,
        axis_high=max(ends) + room,
        ticks=((0.0, f"0 = {baseline}" if len(baseline) < 20 else "0"),),
        rows=rows,
        margin=declared.margin,
    )


def _order_choices(mine: Sequence[AlternativeChoice], sign: float) -> list[AlternativeChoice]:
    """Sort the analyses, from what favours the candidate most."""
    return sorted(mine, key=lambda c: (c.difference is None, -sign * (c.difference or 0.0)))


def _format_caption(
    index: Index, mine: Sequence[AlternativeChoice], metric: str, baseline: str
) -> str:
    kinds = {c.kind for c in mine}
    first = next((c for c in mine if c.kind == "formula"), None)
    is_of_rows = bool(kinds & set(_OF_ROWS))
    return prose.line(
        "robustness.curve",
        baseline=baseline,
        metric=metric,
        level=numbers.format_level(mine[0].level),
        family=_find_family_size(mine),
        formula=_say_alternative(index, first) if first is not None and is_of_rows else "",
    )


def _find_family_size(choices: Sequence[AlternativeChoice]) -> int:
    """Find how many comparisons the intervals of one analysis allow for."""
    return max((c.family_size for c in choices), default=1)


def _choose_form(index: Index, c: AlternativeChoice) -> numbers.NumberFormat:
    """Choose the decimals of the same metric elsewhere, and more where an interval needs them."""
    metric = index.find_metric(c.key)
    least = index.choose_form(metric, c.dataset).decimals
    return verdicts.choose_difference_format(c, metric).raise_decimals(least)


def _curve_row(index: Index, c: AlternativeChoice, sign: float) -> ForestRow:
    form = _choose_form(index, c)
    difference = form.number(c.difference, signed=True)
    interval = form.interval(c.low, c.high, signed=True)
    word, name = (
        capitalize_verdict(c.word),
        capitalize(_say_alternative(index, c)),
    )
    ends = sorted(sign * x for x in (c.low, c.high) if x is not None)
    return ForestRow(
        name=name,
        difference=difference,
        interval=interval,
        word=word,
        tone=TONES[c.word],
        description=f"{name}: {difference} ({interval}), {word}",
        value=None if c.difference is None else sign * c.difference,
        low=ends[0] if len(ends) == 2 else None,
        high=ends[1] if len(ends) == 2 else None,
        is_strong=is_declared_choice(c),
    )


def _build_table(index: Index, found: list[AlternativeChoice]) -> Table:
    """Build a table with a row for each analysis and a column for each pair."""
    pairs = list(dict.fromkeys((c.candidate, c.baseline) for c in found))[:_MOST_ACROSS]
    against = len({c.baseline for c in found}) > 1
    columns = (
        TableColumn("Analysis", is_numeric=False),
        TableColumn("n"),
        *(TableColumn(_format_head(index, *pair, is_named=against)) for pair in pairs),
    )
    metric = lower_first_word(clean_name(index.labels.get(found[0].key, "")))
    caption = prose.line(
        "robustness.conventions",
        metric=metric,
        level=numbers.format_level(found[0].level),
        family=_find_family_size(found),
    )
    of = {(_build_key(c), c.candidate, c.baseline): c for c in found}
    rows = tuple(
        _build_row(index, [of.get((key, *pair)) for pair in pairs])
        for key in dict.fromkeys(map(_build_key, found))
        if any((key, *pair) in of for pair in pairs)
    )
    return Table("robustness-conventions", caption, columns, rows)


def _build_key(c: AlternativeChoice) -> tuple[str, str, str]:
    return c.kind, c.choice, c.value


def _format_head(index: Index, candidate: str, baseline: str, *, is_named: bool) -> str:
    who = index.short_label(candidate, 30)
    if not is_named:
        return who
    other = index.short_label(baseline, 30)
    return prose.line("robustness.head", candidate=who, baseline=other)


def _build_row(index: Index, each: list[AlternativeChoice | None]) -> tuple[Cell, ...]:
    """One analysis of each pair; a pair that it does not have has a dash."""
    found = [c for c in each if c is not None]
    if found[0].kind == "convention":
        what, value = describe_convention(found[0])
        head = Cell(capitalize(what), note=value)
    else:
        head = Cell(capitalize(_say_alternative(index, found[0])))
    n = Cell(numbers.format_count(found[0].n), value=found[0].n)
    return (head, n, *(Cell("–") if c is None else _build_cell(index, c) for c in each))


def _build_cell(index: Index, c: AlternativeChoice) -> Cell:
    form = _choose_form(index, c)
    interval = form.interval(c.low, c.high, signed=True)
    note = f"{interval}, {name_verdict(c.word)}"
    difference = form.number(c.difference, signed=True)
    return Cell(difference, note=note, value=c.difference, tone=TONES[c.word], is_strong=c.is_other)


_MOST = 100
_WAYS = ("interval", "formula")


def build_robustness_section(results: Results) -> Section | None:
    """None where nothing is compared and no influence was found."""
    index = Index(results)
    blocks: list[Block] = [] if index.baseline is None else [_build_agreement(index)]
    tables: list[Block] = []
    for place, (said, make) in enumerate(iter_row_tables(index), 1):
        if (made := make(f"robustness-{place}")).rows:
            blocks += said
            tables.append(made)
    blocks += build_alternatives_blocks(index)
    if index.baseline is not None:
        blocks += fold_for_full_report(prose.line("robustness.power_title"), [_build_power(index)])
    blocks += fold_for_full_report(prose.line("robustness.rows_title"), tables)
    if blocks:
        at_worst = _build_breakdown_bullets(index)
        blocks += fold_for_full_report(at_worst.title, [at_worst] if at_worst.items else [])
    return Section("robustness", "Robustness", tuple(blocks)) if blocks else None


def _build_breakdown_bullets(index: Index) -> Bullets:
    """Describe what wrong rows can do to each metric, however wrong they are."""
    main = index.main
    is_tied = any(c.tied_pairs for c in main.columns if c.role in ("y", "score"))
    lines = list_worst_cases(
        index.metrics, main.n, main.effective_n is not None, is_tied, main.case
    )
    title = prose.line("robustness.worst_title", cases=clean_name(main.case[1]))
    return Bullets(tuple(map(make_phrase, lines)), title=title)


def _build_power(index: Index) -> Table:
    """Tabulate the smallest difference that could be shown, next to the one that was found."""
    rows = [
        (model, metric, c)
        for model in index.candidates
        for metric, c in index.list_comparisons(model.name)
        if c.status == "ok"
    ]
    columns = (
        TableColumn("Metric", is_numeric=False),
        TableColumn("Candidate", is_numeric=False),
        TableColumn("Difference"),
        TableColumn(prose.line("robustness.smallest"), note=prose.line("robustness.with_power")),
        TableColumn("Margin"),
        TableColumn(prose.line("robustness.needed"), note=prose.line("robustness.with_power")),
        TableColumn(
            prose.line("robustness.ahead"),
            note=prose.line("robustness.share_of", is_of_fits=index.is_of_fits),
        ),
    )
    return Table(
        "robustness-power",
        prose.line("robustness.power") + describe_cut(len(rows), _MOST),
        columns,
        tuple(_power_row(index, *row) for row in rows[:_MOST]),
    )


def _power_row(
    index: Index, model: ModelInfo, metric: MetricInfo, found: Comparison
) -> tuple[Cell, ...]:
    form = index.choose_form(metric, found.dataset, found.segment)
    least, ahead = found.smallest_detectable, found.probability_better
    is_beyond = least is None and found.se is not None and found.low is not None
    shown = form.show_two_digits()
    size = format_size(shown, least) if form.unit == "share" else shown.number(least)
    smallest = prose.line("robustness.beyond") if is_beyond else size
    margin = (
        numbers.MISSING if found.margin is None else verdicts.format_margin(found.margin, metric)
    )
    return (
        make_metric_cell(index, metric),
        Cell(clean_name(model.label, 40)),
        Cell(form.number(found.difference, signed=True), value=found.difference),
        Cell(smallest, value=least),
        Cell(margin, value=found.margin),
        _build_needed_cell(found),
        Cell(numbers.format_bootstrap_fraction(ahead, index.resamples), value=ahead),
    )


def _build_needed_cell(found: Comparison) -> Cell:
    needed, drawn = found.units_to_detect, found.replicates_to_settle
    resamples = "" if drawn is None else prose.line("robustness.resamples", count=drawn)
    if needed is None:
        return Cell(resamples or numbers.MISSING)
    low, high = found.units_to_detect_low, found.units_to_detect_high
    units = format_units(verdicts.round_up_two_digits(needed), found.counted)
    rows = prose.line("robustness.about", units=units)
    if low is not None and high is not None:
        least = numbers.format_count(verdicts.round_up_two_digits(low))
        most = format_units(verdicts.round_up_two_digits(high), found.counted)
        rows = prose.line("robustness.between", least=least, most=most)
    return Cell(rows, note=resamples, value=needed)


def _build_agreement(index: Index) -> Text:
    """Show whether a second method gives other verdicts, or another kind of interval."""
    differing, choices = list_method_sensitive(index), index.sensitivity.choices
    if differing:
        return Text(prose.phrase("robustness.sensitive", found=differing))
    changed = [
        c for c in choices if c.is_other and c.kind in _WAYS and c.dataset == index.main.name
    ]
    if changed:
        whom = list(dict.fromkeys(index.short_label(c.candidate) for c in changed))
        metric = lower_first_word(clean_name(index.labels.get(changed[0].key, "")))
        return Text(prose.phrase("robustness.other_interval", metric=metric, models=whom))
    return Text(
        prose.phrase(
            "robustness.all_agree",
            cases=clean_name(index.main.case[1]),
            is_turned=any(c.is_other for c in choices),
        )
    )
