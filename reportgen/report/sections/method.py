"""Method and provenance."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import get_args

from reportgen.report import prose
from reportgen.report.conclusion.references import list_sources
from reportgen.report.document import (
    Block,
    Bullets,
    Cell,
    Definitions,
    Listing,
    Phrase,
    Section,
    Span,
    Table,
    make_phrase,
)
from reportgen.report.facts import FamilyName, FamilySize
from reportgen.report.prose import methods, row_wins, run_changes
from reportgen.report.prose.classes import choose_class_nouns
from reportgen.report.prose.methods import format_method
from reportgen.report.prose.warnings import explain_code, is_known
from reportgen.report.sections import data
from reportgen.report.sections.cells import describe_metric, format_setting
from reportgen.report.sections.index import Index, fold_for_full_report
from reportgen.report.sections.page_one import LONGEST_LIMIT, MOST_LIMITS
from reportgen.report.sections.tables import ReportColumn, build_table, number_column, word_column
from reportgen.report.wording import names, verdicts
from reportgen.report.wording.numbers import (
    MISSING,
    choose_declared_precision,
    format_count,
    format_level,
    format_times,
)
from reportgen.report.wording.verdicts import format_margin
from reportgen.results import Results
from reportgen.results.core import Comparison, Estimate, MetricInfo, ModelInfo, ModelPair


def build_method_section(results: Results) -> Section:
    """Metrics, methods, design, the meaning of verdicts, limitations."""
    index = Index(results)
    blocks: list[Block] = [
        Bullets(tuple(_iter_judging_phrases(index)), prose.line("method.judged")),
        *_list_differences(results),
        *_list_other_limits(results),
        Bullets(tuple(_iter_verdicts()), prose.line("method.verdicts")),
        *fold_for_full_report(prose.line("method.warnings"), _explain_codes(results)),
        *fold_for_full_report(
            prose.line("method.details"),
            [
                Definitions(tuple(_iter_design(index))),
                *_list_policies(results),
                _build_definitions(index),
                _build_methods(index),
                *_iter_variances(index),
            ],
        ),
    ]
    return Section("method", "Method", tuple(blocks))


def _list_other_limits(results: Results) -> tuple[Bullets, ...]:
    """List the limitations whole where page one has no room for all of them, or cuts one."""
    every = results.report.limitations
    if len(every) <= MOST_LIMITS and all(len(text) <= LONGEST_LIMIT for text in every):
        return ()
    lines = tuple(make_phrase(names.clean_prose(text, 1000)) for text in every)
    return (Bullets(lines, prose.line("limits.title")),)


def _iter_design(index: Index) -> Iterator[tuple[str, Phrase]]:
    info = index.results.inference
    metric, rows = index.primary, names.clean_name(index.main.case[1])
    yield "Design", make_phrase(methods.describe_design(index.main, info))
    yield (
        "Resamples",
        make_phrase(
            prose.line(
                "design.resamples_used",
                count=format_count(index.resamples),
                seed=info.seed,
                of_curves=index.main.curve_replicates or 0,
            )
        ),
    )
    intervals = "" if info.interval == "auto" else info.interval
    level = format_level(info.level)
    yield "Intervals", prose.phrase("design.intervals_at", method=intervals, level=level)
    if index.results.across:
        yield prose.line("design.across_title"), prose.phrase("design.across")
    if index.baseline is not None:
        yield (
            "Tests",
            prose.phrase("design.by_metric")
            if info.test == "auto"
            else prose.phrase("design.declared_test", test=info.test),
        )
        yield "Comparisons", make_phrase(prose.term("pairs_compared", info.against))
        yield "Baseline", make_phrase(names.clean_name(index.baseline.label, 40))
        yield "Families", make_phrase(_format_families(index))
    no_primary = prose.line("design.no_primary")
    primary = no_primary if metric is None else names.clean_name(metric.label)
    yield prose.line("design.primary"), make_phrase(primary)
    yield "Margin", make_phrase(_format_margin(metric))
    yield "Rule", make_phrase(run_changes.describe_frozen_rule(index.results.frozen))
    yield (
        "Privacy",
        make_phrase(run_changes.describe_privacy(index.results.config.get("privacy"), rows)),
    )
    if index.results.looks is not None:
        yield "Looks", make_phrase(run_changes.describe_looks(index.results.looks, rows))


def _iter_judging_phrases(index: Index) -> Iterator[Phrase]:
    """Yield the rows, the models, how intervals are made and how several are allowed for."""
    info, main = index.results.inference, index.main
    y = next((c for c in main.columns if c.role == "y"), None)
    values = ""
    if len(main.classes) > 2 or main.labels_per_row is not None:
        values = format_count(len(main.classes), *choose_class_nouns(main))
    elif y is not None and y.n and y.zeros and not main.unlabelled:
        values = methods.describe_zeros(y, main.classes)
    yield prose.phrase(
        "judged.models",
        models=[names.clean_name(m.label, 40) for m in index.results.models],
        rows=format_count(main.n, *main.case),
        rounds=main.rounds,
        dataset=names.clean_name(main.name, 40) if len(index.tests) > 1 else "",
        target=names.clean_name(main.target_label or main.target, 40),
        values=values,
    )
    if main.unlabelled:
        yield make_phrase(data.describe_labelled_rows(main))
    if weights := methods.describe_prevalence_weights(index.results.config, main):
        yield make_phrase(weights)
    yield from _iter_benchmark_lines(index)
    metric = index.primary
    if metric is not None and index.baseline is not None:
        yield prose.phrase(
            "judged.metric",
            metric=names.lower_first_word(names.clean_name(metric.label)),
            title=names.lower_first_word(names.find_full_title(metric)),
            margin=metric.margin_text
            if metric.margin is None
            else format_margin(metric.margin, metric),
            counted=_format_counted(index, metric),
        )
    level, source = format_level(info.level), _describe_interval_source(index)
    yield prose.phrase("judged.intervals", level=level, source=source)
    yield from _iter_anytime_phrases(index)
    if any(each.name == "mase" for each in index.metrics):
        fits = [each for each in index.results.datasets if each.role == "fit"]
        dataset = names.clean_name(fits[0].name, 40) if fits else ""
        yield prose.phrase("judged.naive", dataset=dataset, rows=names.clean_name(main.case[1]))
    if main.question is not None:
        yield prose.phrase("judged.question", question=methods.describe_question(main))
    if index.results.frozen is not None:
        rule = run_changes.describe_frozen_rule(index.results.frozen)
        yield prose.phrase("judged.rule", rule=rule)
    if index.results.looks is not None:
        rows = names.clean_name(main.case[1])
        looks = run_changes.describe_looks(index.results.looks, rows)
        yield prose.phrase("judged.looks", looks=looks)
    for source in list_sources(index, [each.key for each in index.metrics]):
        yield make_phrase(prose.line("reference.source", source=source))
    if index.baseline is None:
        return
    yield prose.phrase("judged.difference", baseline=names.clean_name(index.baseline.label, 40))
    if any(c.family_size > 1 for c in index.results.comparisons):
        yield prose.phrase("judged.families", adjustment=names.format_adjustment(info.adjust))


def _iter_anytime_phrases(index: Index) -> Iterator[Phrase]:
    """Yield what limits that hold at every analysis rest on, and what they cost."""
    found = [
        (model, each)
        for model in index.candidates
        if (each := index.comparison(model.name, index.leading.key)) is not None
        and each.e_value is not None
    ]
    if not found:
        return
    yield prose.phrase(
        "judged.anytime",
        metric=names.lower_first_word(names.clean_name(index.leading.label)),
        time=names.clean_name(index.main.time) if index.main.time else "",
    )
    for model, each in found:
        if each.times_as_wide is not None and each.e_value is not None:
            yield prose.phrase(
                "judged.anytime_width",
                candidate=names.clean_name(model.label, 40),
                times=format_times(each.times_as_wide),
                evidence=_format_e_value(each.e_value),
            )


MOST_EVIDENCE = 1e6  # an e-value above which its size says no more


def _format_e_value(value: float) -> str:
    """Format an e-value with two digits; a huge one as more than a million."""
    if value > MOST_EVIDENCE:
        return prose.line("judged.much_evidence", most=format_count(MOST_EVIDENCE))
    rounded = float(f"{value:.2g}")
    return choose_declared_precision(rounded).number(rounded)


def _format_counted(index: Index, metric: MetricInfo) -> str:
    """Say on how many rows a metric is known, if that is not all: a query may have none to find."""
    main = index.main
    found = [c for m in index.candidates if (c := index.comparison(m.name, metric.key))]
    counted = max((c.n for c in found), default=0)
    if not counted or counted >= main.n or main.rounds is not None:
        return ""
    count = format_count(counted, *main.case)
    return prose.line("method.counted", count=count, all=format_count(main.n))


def _describe_interval_source(index: Index) -> str:
    """Describe the source of intervals."""
    if index.main.question == "procedure":
        return prose.line("judged.folds", folds=methods.describe_folds(index.main))
    drawn = prose.line(
        "judged.resamples",
        count=format_count(index.resamples),
        seed=index.results.inference.seed,
    )
    mine = index.main.name
    values = [e.method for e in index.results.estimates if (e.dataset, e.segment) == (mine, None)]
    differences = [
        c.method for c in index.results.comparisons if (c.dataset, c.segment) == (mine, None)
    ]
    return methods.describe_interval_sources(values, differences, drawn)


def _iter_benchmark_lines(index: Index) -> Iterator[Phrase]:
    """Yield a sentence on each benchmark: its value, and its difference from the baseline."""
    for model in index.results.models:
        if model.role == "benchmark":
            yield _describe_benchmark(index, model, index.leading)


def _describe_benchmark(index: Index, model: ModelInfo, metric: MetricInfo) -> Phrase:
    found = index.comparison(model.name, metric.key)
    said = difference = limits = baseline = word = ""
    if found is not None and found.difference is not None and index.baseline is not None:
        form = verdicts.choose_difference_format(found, metric)
        said, word = names.lower_first_word(names.clean_name(metric.label)), found.word
        difference = form.number(found.difference, signed=True)
        limits = verdicts.format_interval(found, form)
        baseline = names.clean_name(index.baseline.label, 40)
    return prose.phrase(
        "judged.benchmark",
        model=names.clean_name(model.label, 40),
        metric=said,
        baseline=baseline,
        difference=difference,
        limits=limits,
        word=word,
    )


def _list_policies(results: Results) -> tuple[Definitions, ...]:
    """List the conventions for judging documents of queries; none in another task."""
    ranking = results.config.get("ranking")
    keys = ranking if isinstance(ranking, dict) else {}
    lines = [
        row_wins.describe_policy(key, value)
        for key, value in keys.items()
        if value not in (None, {})
    ]
    return (Definitions(tuple((term, make_phrase(text)) for term, text in lines)),) if lines else ()


def _list_differences(results: Results) -> tuple[Bullets, ...]:
    """List what differs from the frozen rule, key by key."""
    lines = run_changes.list_rule_differences(results.frozen)
    title = prose.line("method.frozen_differences")
    return (Bullets(tuple(map(make_phrase, lines)), title),) if lines else ()


def _format_families(index: Index) -> str:
    """Format how many comparisons are allowed for together, family by family."""
    compared: list[Comparison | ModelPair] = [*index.results.comparisons, *index.results.pairs]
    sizes = [
        prose.say_plain(FamilySize(family, max(sizes_of)))
        for family in get_args(FamilyName)
        if (sizes_of := [c.family_size for c in compared if c.family == family])
    ]
    adjust = names.format_adjustment(index.results.inference.adjust)
    return f"{names.join_list(sizes)}; {adjust}"


def _format_margin(metric: MetricInfo | None) -> str:
    if metric is None or (metric.margin is None and not metric.margin_text):
        return prose.line("design.no_margin")
    if metric.margin is None:
        return prose.line("design.margin_share", share=metric.margin_text)
    return format_margin(metric.margin, metric)


def _build_definitions(index: Index) -> Table:
    return build_table(
        "method-metrics",
        prose.line("metrics_used.caption"),
        index.metrics,
        word_column(
            "Metric",
            lambda m: Cell(names.clean_name(m.label), note=describe_metric(index, m, is_full=True)),
        ),
        word_column(
            prose.line("metrics_used.definition"), lambda m: Cell(m.definition, note=m.caveat)
        ),
        word_column("Range", _format_range),
        word_column(
            "Undefined", lambda m: names.fill_case_nouns(m.undefined or "never", index.main.case)
        ),
        word_column("Margin", _describe_margin),
        word_column("Source", lambda m: m.cite or MISSING),
    )


def _describe_margin(metric: MetricInfo) -> str:
    if metric.margin is not None:
        return format_margin(metric.margin, metric)
    return metric.margin_text or MISSING


def _format_range(metric: MetricInfo) -> str:
    low, high = metric.bounds
    return prose.line(
        "metrics_used.range",
        low="" if low is None else format_setting(low),
        high="" if high is None else format_setting(high),
    )


def _iter_variances(index: Index) -> Iterator[Table]:
    """Tabulate the variance of each value by resamples, next to that of the formula."""
    known = [
        (metric, e)
        for metric in index.metrics
        for e in index.results.estimates
        if (e.key, e.dataset, e.segment) == (metric.key, index.main.name, None)
        and e.bootstrap_variance is not None
    ]
    if not known:
        return

    def variance_column(title: str, name: str) -> ReportColumn[tuple[MetricInfo, Estimate]]:
        def make_cell(row: tuple[MetricInfo, Estimate]) -> Cell:
            value: float = getattr(row[1], name)
            return Cell(f"{value:#.3g}".rstrip("."), value=value)

        return number_column(title, make_cell)

    yield build_table(
        "method-variances",
        prose.line("variances.caption"),
        known,
        word_column("Metric", lambda row: names.clean_name(row[0].label)),
        word_column("Model", lambda row: index.short_label(row[1].model)),
        variance_column("Resamples", "bootstrap_variance"),
        variance_column("Formula", "formula_variance"),
        word_column("By", lambda row: row[1].variance_formula),
    )


def _build_methods(index: Index) -> Table:
    """One row a metric: each method that was used for it, and why that one."""
    results = index.results

    def is_meant(each: Comparison | Estimate, metric: MetricInfo) -> bool:
        return (each.key, each.dataset, each.segment) == (metric.key, index.main.name, None)

    return build_table(
        "method-intervals",
        prose.line("methods_used.caption"),
        index.metrics,
        word_column("Metric", lambda m: names.clean_name(m.label)),
        word_column(
            prose.line("methods_used.value"),
            lambda m: _format_used_methods(e.method for e in results.estimates if is_meant(e, m)),
        ),
        word_column(
            prose.line("methods_used.difference"),
            lambda m: _format_used_methods(c.method for c in results.comparisons if is_meant(c, m)),
        ),
        word_column(
            "Test",
            lambda m: _format_used_methods(c.test for c in results.comparisons if is_meant(c, m)),
        ),
    )


def _format_used_methods(methods: Iterable[str]) -> str:
    named = [method for method in dict.fromkeys(methods) if method]
    return "; ".join(format_method(method) for method in named) or MISSING


def _explain_codes(results: Results) -> tuple[Bullets, ...]:
    """Explain each code that occurs: what it means, why it matters, what to do."""
    known = sorted(filter(is_known, {w.code for w in results.warnings}))
    items = [explain_code(code).partition(",") for code in known]
    lines = tuple(make_phrase(Span(f"{code}:", is_strong=True), text) for code, _, text in items)
    return (Bullets(lines, prose.line("method.warnings")),) if lines else ()


def _iter_verdicts() -> Iterator[Phrase]:
    yield prose.phrase("worded.clearly")
    yield prose.phrase("worded.better")
    yield prose.phrase("worded.equivalent")
    yield prose.phrase("worded.not_worse")
    yield prose.phrase("worded.not_better")
    yield prose.phrase("worded.cannot_tell")
    yield prose.phrase("worded.no_result")


_SHOWN_APART = frozenset({"command", "config", "config_text"})
_LINE = 92


def build_provenance_section(results: Results) -> Section:
    """Build the section with the command, the resolved config, versions, seeds, hashes."""
    blocks: list[Block] = []
    command = results.provenance.get("command")
    if command:
        blocks.append(Listing(str(command), "sh", "Command", is_folded=False))
    facts = tuple(_iter_facts(results))
    if facts:
        blocks.append(Definitions(facts))
    blocks += data.build_models_table(results)
    blocks += fold_for_full_report(prose.line("method.config"), [_build_config(results)])
    return Section("provenance", "Provenance", tuple(blocks))


def _iter_facts(results: Results) -> Iterator[tuple[str, Phrase]]:
    for key, value in results.provenance.items():
        if key in _SHOWN_APART or value in (None, "", {}, []) or not _format_on_one_line(value):
            continue
        yield (
            names.capitalize(key.replace("_", " ")),
            make_phrase(Span(_format_on_one_line(value), is_code=True)),
        )
    yield "Seed", make_phrase(Span(str(results.inference.seed), is_code=True))
    for dataset in results.datasets:
        for file in dataset.inputs:
            said = f"{names.clean_name(file.path, 200)}: {file.sha256}"
            yield f"SHA-256, {file.role}", make_phrase(Span(said, is_code=True))


def _format_on_one_line(value: object) -> str:
    """Format a recorded value on one line, keys in order.

    >>> _format_on_one_line({"numpy": "2.1", "a": [1, 2]})
    'a 1, 2; numpy 2.1'
    """
    if isinstance(value, Mapping):
        known = (key for key in sorted(value, key=str) if value[key] is not None)
        return "; ".join(f"{key} {_format_on_one_line(value[key])}" for key in known)
    if isinstance(value, list | tuple):
        return ", ".join(_format_on_one_line(item) for item in value)
    return names.clean_name(str(value), 500)


def _build_config(results: Results) -> Listing:
    written = results.provenance.get("config_text")
    if isinstance(written, str) and written:
        return Listing(written, "yaml", prose.line("method.config"))
    return Listing(_format_json(results.config), "json", prose.line("method.config"))


def _format_json(value: object, indent: int = 0) -> str:
    """Format a value as JSON, on one line where it fits."""
    flat = json.dumps(value, ensure_ascii=False, default=str)
    if not isinstance(value, dict | list) or len(flat) + indent <= _LINE:
        return flat
    pad = "\n" + " " * (indent + 2)
    if isinstance(value, dict):
        inner = [
            f"{json.dumps(str(key), ensure_ascii=False)}: {_format_json(item, indent + 2)}"
            for key, item in value.items()
        ]
        return "{" + ",".join(pad + line for line in inner) + "\n" + " " * indent + "}"
    inner = [_format_json(item, indent + 2) for item in value]
    return "[" + ",".join(pad + line for line in inner) + "\n" + " " * indent + "]"
