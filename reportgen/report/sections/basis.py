"""Basis: verdicts at a glance, points to check, sign-off."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from reportgen.report import prose
from reportgen.report.document import (
    Block,
    Bullets,
    Cell,
    Heading,
    Phrase,
    Section,
    SignOff,
    Span,
    Table,
    Text,
    make_phrase,
)
from reportgen.report.sections.cells import add_bin_bound, make_metric_cell, name_verdict
from reportgen.report.sections.costs.tables import describe_harms
from reportgen.report.sections.index import Index
from reportgen.report.sections.page_one import MOST_REQUIREMENTS, build_requirements_table
from reportgen.report.sections.robustness import list_method_sensitive
from reportgen.report.sections.scores import make_reference_column
from reportgen.report.sections.tables import ReportColumn, build_table, word_column
from reportgen.report.wording import cautions, classes, methods, verdicts
from reportgen.report.wording.classes import choose_class_wording
from reportgen.report.wording.methods import describe_zeros
from reportgen.report.wording.names import (
    capitalize,
    clean_name,
    clean_prose,
    find_full_title,
    format_adjustment,
    format_segment,
    join_list,
    lower_first_word,
)
from reportgen.report.wording.numbers import MISSING, format_count, format_level
from reportgen.report.wording.warnings import format_code_heading, format_warning, replace_by_labels
from reportgen.results import Results
from reportgen.results.core import Comparison, MetricInfo, ModelInfo, Warning
from reportgen.results.types import OpenVocabulary, Word
from reportgen.results.verdicts import word_side


def iter_benchmark_lines(index: Index) -> Iterator[Phrase]:
    """Yield a sentence on each benchmark: its value, and its difference from the baseline."""
    for model in index.results.models:
        if model.role == "benchmark":
            yield make_phrase(_format_line(index, model, index.leading))


def _format_line(index: Index, model: ModelInfo, metric: MetricInfo) -> str:
    label = clean_name(model.label, 40)
    head = f"{label} is a simple benchmark and not to be chosen"
    found = index.comparison(model.name, metric.key)
    if found is None or found.difference is None or index.baseline is None:
        return f"{head}."
    form = verdicts.choose_difference_format(found, metric)
    said = lower_first_word(clean_name(metric.label))
    baseline = clean_name(index.baseline.label, 40)
    size = f"{form.number(found.difference, signed=True)} ({verdicts.format_interval(found, form)})"
    return (
        f"{head}: its {said} differs from that of {baseline} by {size}, {name_verdict(found.word)}."
    )


_BLANK = (("", "Model owner", "", ""), ("", "Validator", "", ""))
_FINDING = ("id", "text", "severity", "owner", "due", "status")
_TITLES = ("Finding", "What was found", "Severity", "Owner", "Due", "Status")


def build_sign_off(results: Results) -> SignOff:
    """Build lines for those named in the config, or two blank ones."""
    named = tuple(
        (
            clean_name(person.get("name", "")),
            clean_name(person.get("role", "")),
            clean_name(person.get("decision", "")),
            clean_name(str(person.get("date", ""))),
        )
        for person in results.report.sign_off
    )
    return SignOff(named or _BLANK)


def build_review_tables(results: Results) -> list[Table]:
    """Build a table of the findings of a review, with the columns that any of them has."""
    findings = results.report.findings
    if not findings:
        return []

    def finding_column(key: str, title: str) -> ReportColumn[Mapping[str, str]]:
        return word_column(title, lambda each: clean_prose(each.get(key, ""), 300))

    return [
        build_table(
            "basis-findings",
            "Findings of the review, as the config states them.",
            findings,
            *(
                finding_column(key, title)
                for key, title in zip(_FINDING, _TITLES, strict=True)
                if any(each.get(key) for each in findings)
            ),
        )
    ]


def describe_warning_briefly(index: Index, warning: Warning) -> str:
    """Return a warning's short line, or its own text where it has no numbers."""
    case = index.main.case
    if not warning.numbers:
        return warning.text or format_warning(warning.code, {}, case)
    numbers = replace_by_labels(warning.numbers, index.labels)
    return cautions.describe_warning_plainly(warning.code, numbers, case)


def describe_subject(index: Index, metric: MetricInfo | None, model: str | None) -> str:
    """Describe what a doubt is about: a metric, a model, or a metric of a model."""
    parts = (
        clean_name(metric.label, 40) if metric is not None else "",
        index.short_label(model) if model else "",
    )
    return " of ".join(filter(None, parts))


def prefix_subject(subject: str, text: str) -> str:
    """Prefix a sentence with what it concerns, if anything, and a colon."""
    return f"{subject}: {text[:1].lower()}{text[1:]}" if subject else text


def describe_disagreements(index: Index) -> list[str]:
    """One sentence a candidate on whom its metrics disagree."""
    if index.baseline is None:
        return []
    against = index.baseline.label
    said = (
        verdicts.describe_disagreement(index.list_comparisons(m.name), m.label, against)
        for m in index.candidates
    )
    return [text for text in said if text]


def describe_flip(index: Index, comparison: Comparison, metric: MetricInfo) -> str:
    """Who is ahead of whom in a segment, by how much, among how many."""
    pair = [clean_name(index.label(m)) for m in (comparison.candidate, comparison.baseline)]
    ahead, behind = pair if comparison.favours == comparison.candidate else reversed(pair)
    rows = format_count(comparison.n, *index.main.case)
    form = verdicts.choose_difference_format(comparison, metric)
    size = form.amount(abs(comparison.difference or 0.0))
    interval = verdicts.format_unsigned_interval(comparison, form) or "no interval"
    on = lower_first_word(clean_name(metric.label))
    return f"{ahead} is better than {behind} on {on} by {size} ({interval}) among {rows}."


_MOST = 3
_MOST_PLACES = 2  # of a warning: page one is to hold everything


def build_points_to_check(index: Index) -> list[Block]:
    """Harmful constants, reversals, disagreements, warnings, what is undefined."""
    items = (
        *_list_harmful_constants(index),
        *_list_flips(index),
        *_list_disagreements(index),
        *_list_warnings(index),
        *_list_method_sensitive_verdicts(index),
        *_list_undefined_values(index),
    )
    found = (
        Bullets(items, is_numbered=True)
        if items
        else Text(make_phrase(_explain_nothing_to_check(index)))
    )
    return [Heading("Points to check", "points"), found]


def _explain_nothing_to_check(index: Index) -> str:
    """Why there is nothing to check: only of what was judged."""
    if not index.candidates:
        return "Nothing was compared, and there is no warning."
    untested = classes.describe_untested(index.main_calibrations)
    has_segments = any(c.segment is not None for c in index.results.comparisons)
    return prose.line("points.none", has_segments=has_segments, untested=untested)


def _list_harmful_constants(index: Index) -> list[Phrase]:
    """Constants that make models cost more than leaving them alone, one line an asymmetry."""
    lines = [said for costs in index.results.costs for said in describe_harms(index, costs)]
    head = Span("A fitted constant does harm.", is_strong=True)
    return [make_phrase(head, f" {said} ", Span("Costs", href="#costs")) for said in lines[:_MOST]]


def _list_flips(index: Index) -> list[Phrase]:
    metric = index.leading
    found = [line for model in index.candidates if (line := _build_flip(index, model, metric))]
    rest = len(found) - _MOST
    more = f"It reverses for {format_count(rest, 'other candidate')} too."
    tail = [make_phrase(Span(more, is_strong=True), " ", Span("Segments", href="#segments"))]
    return found[:_MOST] + (tail if rest > 0 else [])


def _build_flip(index: Index, model: ModelInfo, metric: MetricInfo) -> Phrase:
    flips = index.flips(model.name, metric.key)
    overall = index.comparison(model.name, metric.key)
    if not flips or overall is None or overall.favours is None:
        return ()
    ahead = clean_name(index.label(overall.favours))
    where = f"{len(flips)} segments" if len(flips) > 1 else "one segment"
    unsure = "" if word_side(overall.word) else ", though not clearly"
    if len(flips) == 1:
        first = flips[0]
        place = format_segment(index.main, first.segment)
        said = f" In {place} {describe_flip(index, first, metric)} "
    else:
        leads = clean_name(index.label(flips[0].favours or ""))
        named = join_list([format_segment(index.main, c.segment) for c in flips])
        said = f" {leads} is clearly ahead of {ahead} in {named}. "
    return make_phrase(
        Span(f"The result reverses in {where}.", is_strong=True),
        f" On all {clean_name(index.main.case[1])} {ahead} is ahead{unsure}.{said}",
        Span("Segments", href="#segments"),
    )


def _list_disagreements(index: Index) -> list[Phrase]:
    found = describe_disagreements(index)
    lines = []
    for text in found[:_MOST]:
        head, _, rest = text.partition(": ")
        lines.append(
            make_phrase(
                Span(f"{head}:", is_strong=True), f" {rest} ", Span("Results", href="#results")
            )
        )
    if len(found) > _MOST:
        more = format_count(len(found) - _MOST, "other candidate")
        lines.append(make_phrase(f"So it is for {more}. ", Span("Results", href="#results")))
    return lines


def _list_warnings(index: Index) -> list[Phrase]:
    """One line a code: the first few places where it was raised, and how many more."""
    codes = sorted({w.code for w in index.results.warnings})
    return [
        _build_warning_phrase(index, [w for w in index.results.warnings if w.code == code])
        for code in codes
    ]


def _build_warning_phrase(index: Index, warnings: Sequence[Warning]) -> Phrase:
    first = warnings[0]
    fatal = " (fatal)" if any(w.is_fatal for w in warnings) else ""
    head = Span(f"{capitalize(format_code_heading(first.code))}{fatal}.", is_strong=True)
    means = cautions.describe_consequence(first.code, index.main.case)
    means = f" {means}" if means else ""
    places_by_text = _group_places_by_text(index, warnings)
    if len(places_by_text) == 1:
        [(text, places)] = places_by_text.items()
        named = join_list(places, most=_MOST)
        return make_phrase(head, f" {prefix_subject(named, text)}{means} ", _build_link(first))
    shown = list(places_by_text.items())[:_MOST_PLACES]
    lines = [prefix_subject(join_list(places, most=_MOST), text) for text, places in shown]
    rest = sum(len(places) or 1 for places in places_by_text.values())
    rest -= sum(len(places) or 1 for _, places in shown)
    more = ""
    if rest:
        more = f" {prose.line('points.more', count=format_count(rest, 'other value'))}"
    return make_phrase(head, f" {' '.join(lines)}{more}{means} ", _build_link(first))


def _group_places_by_text(index: Index, warnings: Sequence[Warning]) -> dict[str, list[str]]:
    """Group the places where warnings were raised by their text, each place once.

    Of several operating points none is named: a place is a measure, which judges calls at one.
    """
    if len({w.numbers.get("at") for w in warnings}) > 1:
        warnings = [
            replace(w, numbers={k: v for k, v in w.numbers.items() if k != "at"}) for w in warnings
        ]
    places_by_text: dict[str, list[str]] = {}
    for each in warnings:
        places, place = (
            places_by_text.setdefault(describe_warning_briefly(index, each), []),
            _format_place(index, each),
        )
        if place and place not in places:
            places.append(place)
    return places_by_text


def _format_place(index: Index, warning: Warning) -> str:
    metric = next((m for m in index.results.metrics if m.key == warning.key), None)
    is_plain = len(index.tests) < 2 and warning.dataset == index.main.name
    dataset = None if is_plain else warning.dataset
    at = index.datasets.get(warning.dataset or "", index.main)
    parts = (
        describe_subject(index, metric, warning.model),
        format_segment(at, warning.segment) if warning.segment else "",
        clean_name(dataset, 40) if dataset else "",
    )
    return ", ".join(filter(None, parts))


def _build_link(warning: Warning) -> Span:
    target = "#data" if warning.code.startswith("W2") else "#method"
    if warning.segment is not None:
        target = "#segments"
    return Span(warning.code, href=target)


def _list_method_sensitive_verdicts(index: Index) -> list[Phrase]:
    found = list_method_sensitive(index)
    if not found:
        return []
    named = join_list(found, most=_MOST)
    return [
        make_phrase(
            Span("The method matters.", is_strong=True),
            f" A second method gives another verdict for {named}. ",
            Span("Robustness", href="#robustness"),
        )
    ]


def _list_undefined_values(index: Index) -> list[Phrase]:
    mine = [e for e in index.results.estimates if e.status == "undefined" and e.segment is None]
    metrics: dict[str, MetricInfo] = {m.key: m for m in index.results.metrics}
    lines = [
        make_phrase(
            Span("Undefined.", is_strong=True),
            f" {clean_name(index.label(e.model))}: "
            f"{verdicts.explain_absence(metrics[e.key], e.status, e.reason)} ",
            Span("Results", href="#results"),
        )
        for e in mine[:_MOST]
    ]
    if len(mine) > _MOST:
        more = f"{format_count(len(mine) - _MOST, 'other value')} undefined."
        lines.append(make_phrase(Span(more, is_strong=True), " ", Span("Results", href="#results")))
    return lines


_NOTHING = "–"
MOST_REASONS = 4  # a sentence each; Scores has all of them
_MARKS: Mapping[Word, str] = OpenVocabulary(
    {
        "clearly better": "▲▲",
        "better": "▲",
        "equivalent": "≈",
        "not worse": "≥",
        "not better": "≤",
        "cannot tell": "○",
        "worse": "▼",
        "clearly worse": "▼▼",
        "no result": _NOTHING,
    },
    _NOTHING,
)


def build_basis_section(results: Results) -> Section:
    """Build a matrix of marks, lines on the comparison, points to check, the sign-off block."""
    index = Index(results)
    blocks: list[Block] = []
    if index.baseline is not None:
        blocks.append(_build_matrix(index))
        said = (f"{_format_key(index)}.", *_iter_inapplicable_notes(index))
        blocks.append(Bullets(tuple(map(make_phrase, said))))
    blocks.append(Bullets(tuple(_iter_comparison_phrases(index)), "What was compared"))
    blocks += _list_other_requirements(index)
    blocks += build_points_to_check(index)
    blocks += build_review_tables(results)
    blocks.append(build_sign_off(results))
    return Section("basis", "Basis", tuple(blocks))


def _list_other_requirements(index: Index) -> list[Block]:
    """List the requirements that page one has no room for."""
    conclusion = index.results.conclusion
    others = () if conclusion is None else conclusion.requirements[MOST_REQUIREMENTS:]
    if not others:
        return []
    title = "Other requirements"
    return [build_requirements_table(index, others, "other-requirements", title, "")]


def _build_matrix(index: Index) -> Table:
    """Metrics down, of the same kind together; candidates across, then simple benchmarks."""
    against = clean_name(index.baseline.label if index.baseline else "", 40)
    level = format_level(index.results.inference.level)
    rows = clean_name(index.main.case[1])

    def verdict_column(model: ModelInfo) -> ReportColumn[MetricInfo]:
        return word_column(
            clean_name(model.label, 40),
            lambda m: _build_cell(index, index.comparison(model.name, m.key), m),
            note="a benchmark" if model.role == "benchmark" else "",
        )

    return build_table(
        "basis-verdicts",
        f"Difference from {against} on all {rows}, with its {level} interval.",
        _sort_by_kind(index),
        word_column("Metric", lambda m: make_metric_cell(index, m)),
        *map(verdict_column, index.candidates),
        *(verdict_column(m) for m in index.results.models if m.role == "benchmark"),
        make_reference_column(index, index.main),
    )


def _sort_by_kind(index: Index) -> list[MetricInfo]:
    """Sort the metrics: the primary one first, then those of its kind, then the others."""
    kinds = list(dict.fromkeys(metric.needs for metric in index.metrics))
    return sorted(index.metrics, key=lambda metric: kinds.index(metric.needs))


def _build_cell(index: Index, found: Comparison | None, metric: MetricInfo) -> Cell:
    if found is None:
        return Cell(_NOTHING, note="not compared")
    if found.status != "ok" or found.difference is None:
        return Cell(_NOTHING, note=name_verdict(found.word))
    form = verdicts.choose_difference_format(found, metric)
    interval = verdicts.format_interval(found, form)
    shown = form.number(found.difference, signed=True)
    note = "no interval" if interval.startswith(MISSING) else interval
    off_by = index.off_by(found.key, found.candidate, found.baseline)
    return Cell(
        f"{format_verdict_mark(found)} {shown}",
        note=add_bin_bound(note, off_by, metric),
        value=found.difference,
        tone=index.tone(found),
    )


def format_verdict_mark(found: Comparison) -> str:
    """Return the sign of a verdict, doubled where it is clear."""
    return _MARKS[found.word]


def _format_key(index: Index) -> str:
    """Format the key to the marks that occur."""
    shown = [m for m in index.results.models if m.role != "baseline"]
    used = {c.word for m in shown for _, c in index.list_comparisons(m.name)}
    return "; ".join(
        f"{sign} {name_verdict(word)}" for word, sign in _MARKS.items() if word in used
    )


def _iter_inapplicable_notes(index: Index) -> Iterator[str]:
    """Why metrics have no value for a model, all with the same reason in one sentence."""
    labels: dict[str, dict[str, None]] = {}
    for metric in _sort_by_kind(index):
        for model in index.results.models:
            found = index.comparison(model.name, metric.key)
            if found is not None and found.status == "not applicable" and found.reason:
                labels.setdefault(found.reason, {})[metric.label] = None
    for reason, metrics in [*labels.items()][:MOST_REASONS]:
        names = join_list([clean_name(label) for label in metrics], 5)
        verb = "are" if len(metrics) > 1 else "is"
        yield f"{names} {verb} not applicable: {clean_prose(reason, 120)}."


def _iter_comparison_phrases(index: Index) -> Iterator[Phrase]:
    """Yield the rows, the models, how intervals are made and how several are allowed for."""
    info, main = index.results.inference, index.main
    models = join_list([clean_name(m.label, 40) for m in index.results.models], 10)
    where = f" of {clean_name(main.name, 40)}" if len(index.tests) > 1 else ""
    rounds = "" if main.rounds is None else f" in {format_count(main.rounds, 'round')}"
    rows = f"the same {format_count(main.n, *main.case)}{rounds}{where}"
    y = next((c for c in main.columns if c.role == "y"), None)
    zeros = f" ({describe_zeros(y, main.classes)})" if y is not None and y.n and y.zeros else ""
    if main.unlabelled:
        zeros = ""
    if len(main.classes) > 2 or main.labels_per_row is not None:
        words = choose_class_wording(main)
        zeros = f" ({format_count(len(main.classes), words.one, words.many)})"
    target = clean_name(main.target_label or main.target, 40)
    of_target = f"; target {target}{zeros}" if target else ""
    yield make_phrase(f"{models}, on {rows}{of_target}.")
    if main.unlabelled:
        yield make_phrase(methods.describe_labelled_rows(main))
    if weights := methods.describe_prevalence_weights(index.results.config, main):
        yield make_phrase(weights)
    yield from iter_benchmark_lines(index)
    metric = index.primary
    if metric is None:
        yield make_phrase("No primary metric was declared.")
    elif index.baseline is not None:
        label = lower_first_word(clean_name(metric.label))
        title = find_full_title(metric)
        behind = f" ({lower_first_word(title)})" if title else ""
        yield make_phrase(
            f"Decided on {label}{behind}{_format_margin(metric)}{_format_counted(index, metric)}."
        )
    yield make_phrase(
        f"{capitalize(format_level(info.level))} intervals {_describe_interval_source(index)}."
    )
    if main.question is not None:
        yield make_phrase(f"They are about {methods.describe_question(main)}.")
    if index.baseline is None:
        return
    yield make_phrase(f"A difference is the candidate minus {clean_name(index.baseline.label)}.")
    if any(c.family_size > 1 for c in index.results.comparisons):
        text = "Intervals of differences allow for all comparisons of their family"
        yield make_phrase(f"{text}: {format_adjustment(info.adjust)}.")


def _format_counted(index: Index, metric: MetricInfo) -> str:
    """Say on how many rows a metric is known, if that is not all: a query may have none to find."""
    main = index.main
    found = [c for m in index.candidates if (c := index.comparison(m.name, metric.key))]
    counted = max((c.n for c in found), default=0)
    if not counted or counted >= main.n or main.rounds is not None:
        return ""
    count = format_count(counted, *main.case)
    return prose.line("basis.counted", count=count, all=format_count(main.n))


def _describe_interval_source(index: Index) -> str:
    """Describe the source of intervals."""
    if index.main.question == "procedure":
        return f"from the differences between {methods.describe_folds(index.main)}"
    drawn = f"{format_count(index.resamples)} resamples, seed {index.results.inference.seed}"
    mine = index.main.name
    values = [e.method for e in index.results.estimates if (e.dataset, e.segment) == (mine, None)]
    differences = [
        c.method for c in index.results.comparisons if (c.dataset, c.segment) == (mine, None)
    ]
    return methods.describe_interval_sources(values, differences, drawn)


def _format_margin(metric: MetricInfo) -> str:
    if metric.margin is not None:
        return f", with a margin of {verdicts.format_margin(metric.margin, metric)}"
    return (
        f", with a margin of {metric.margin_text}" if metric.margin_text else ", without a margin"
    )
