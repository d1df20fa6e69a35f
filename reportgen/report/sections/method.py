"""Method and provenance."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

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
from reportgen.report.prose import methods, row_wins, run_changes
from reportgen.report.prose.classes import choose_class_nouns
from reportgen.report.prose.methods import format_method
from reportgen.report.prose.warnings import explain_code, is_known
from reportgen.report.sections import data
from reportgen.report.sections.cells import describe_metric, format_setting, name_verdict
from reportgen.report.sections.index import Index, fold_for_full_report
from reportgen.report.sections.page_one import LONGEST_LIMIT, MOST_LIMITS
from reportgen.report.sections.tables import ReportColumn, build_table, number_column, word_column
from reportgen.report.wording import names, verdicts
from reportgen.report.wording.numbers import MISSING, format_count, format_level
from reportgen.report.wording.verdicts import format_margin
from reportgen.results import Results
from reportgen.results.core import Comparison, Estimate, MetricInfo, ModelInfo, ModelPair

_VERDICTS = (
    (
        "clearly better, clearly worse",
        "a margin is set, and the whole interval of the difference reaches it on that side",
    ),
    ("better, worse", "the whole interval is on that side of zero"),
    (
        "equivalent",
        "the whole interval is inside the margin, or the scores are the same on every row",
    ),
    ("not worse", "a loss as large as the margin is ruled out, a gain is not certain"),
    ("not better", "a gain as large as the margin is ruled out, a loss is not certain"),
    ("cannot tell", "the interval leaves more than one of these open"),
    ("no result", "there is no value, or no interval"),
)


def build_method_section(results: Results) -> Section:
    """Metrics, methods, design, the meaning of verdicts, limitations."""
    index = Index(results)
    blocks: list[Block] = [
        Bullets(tuple(_iter_judging_phrases(index)), prose.line("method.judged")),
        *_list_differences(results),
        *_list_other_limits(results),
        Bullets(tuple(_iter_verdicts()), "How verdicts are worded: the first that holds"),
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
            f"{format_count(index.resamples)}, seed {info.seed}; the "
            "same for every model, metric and curve, so that differences are paired"
        ),
    )
    chosen = "chosen for each metric" if info.interval == "auto" else info.interval
    yield "Intervals", make_phrase(f"{chosen}, at {format_level(info.level)}")
    if index.results.across:
        yield (
            "Across datasets",
            make_phrase("Hodges–Lehmann centres, with limits and p-values of exact signed ranks"),
        )
    if index.baseline is not None:
        tests = "chosen for each metric" if info.test == "auto" else f"{info.test}, as declared"
        yield "Tests", make_phrase(tests)
        pairs = {"baseline": "each candidate with the baseline", "all": "every pair of models"}
        yield "Comparisons", make_phrase(pairs[info.against])
        yield "Baseline", make_phrase(names.clean_name(index.baseline.label))
        yield "Families", make_phrase(_format_families(index))
    primary = "none declared" if metric is None else names.clean_name(metric.label)
    yield "Primary metric", make_phrase(primary)
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
    models = names.join_list([names.clean_name(m.label, 40) for m in index.results.models], 10)
    where = f" of {names.clean_name(main.name, 40)}" if len(index.tests) > 1 else ""
    rounds = "" if main.rounds is None else f" in {format_count(main.rounds, 'round')}"
    rows = f"the same {format_count(main.n, *main.case)}{rounds}{where}"
    y = next((c for c in main.columns if c.role == "y"), None)
    zeros = (
        f" ({methods.describe_zeros(y, main.classes)})" if y is not None and y.n and y.zeros else ""
    )
    if main.unlabelled:
        zeros = ""
    if len(main.classes) > 2 or main.labels_per_row is not None:
        words = choose_class_nouns(main)
        zeros = f" ({format_count(len(main.classes), words.one, words.many)})"
    target = names.clean_name(main.target_label or main.target, 40)
    of_target = f"; target {target}{zeros}" if target else ""
    yield make_phrase(f"{models}, on {rows}{of_target}.")
    if main.unlabelled:
        yield make_phrase(data.describe_labelled_rows(main))
    if weights := methods.describe_prevalence_weights(index.results.config, main):
        yield make_phrase(weights)
    yield from _iter_benchmark_lines(index)
    metric = index.primary
    if metric is None:
        yield make_phrase("No primary metric was declared.")
    elif index.baseline is not None:
        label = names.lower_first_word(names.clean_name(metric.label))
        title = names.find_full_title(metric)
        behind = f" ({names.lower_first_word(title)})" if title else ""
        yield make_phrase(
            f"Decided on {label}{behind}{_name_margin(metric)}{_format_counted(index, metric)}."
        )
    yield make_phrase(
        f"{names.capitalize(format_level(info.level))} intervals "
        f"{_describe_interval_source(index)}."
    )
    if main.question is not None:
        yield make_phrase(f"They are about {methods.describe_question(main)}.")
    if index.results.frozen is not None:
        yield make_phrase(f"Rule: {run_changes.describe_frozen_rule(index.results.frozen)}.")
    if index.results.looks is not None:
        rows = names.clean_name(main.case[1])
        yield make_phrase(f"Looks: {run_changes.describe_looks(index.results.looks, rows)}.")
    for source in list_sources(index, [each.key for each in index.metrics]):
        yield make_phrase(prose.line("reference.source", source=source))
    if index.baseline is None:
        return
    yield make_phrase(
        f"A difference is the candidate minus {names.clean_name(index.baseline.label)}."
    )
    if any(c.family_size > 1 for c in index.results.comparisons):
        text = "Intervals of differences allow for all comparisons of their family"
        yield make_phrase(f"{text}: {names.format_adjustment(info.adjust)}.")


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
        return f"from the differences between {methods.describe_folds(index.main)}"
    drawn = f"{format_count(index.resamples)} resamples, seed {index.results.inference.seed}"
    mine = index.main.name
    values = [e.method for e in index.results.estimates if (e.dataset, e.segment) == (mine, None)]
    differences = [
        c.method for c in index.results.comparisons if (c.dataset, c.segment) == (mine, None)
    ]
    return methods.describe_interval_sources(values, differences, drawn)


def _name_margin(metric: MetricInfo) -> str:
    if metric.margin is not None:
        return f", with a margin of {format_margin(metric.margin, metric)}"
    return (
        f", with a margin of {metric.margin_text}" if metric.margin_text else ", without a margin"
    )


def _iter_benchmark_lines(index: Index) -> Iterator[Phrase]:
    """Yield a sentence on each benchmark: its value, and its difference from the baseline."""
    for model in index.results.models:
        if model.role == "benchmark":
            yield make_phrase(_format_line(index, model, index.leading))


def _format_line(index: Index, model: ModelInfo, metric: MetricInfo) -> str:
    label = names.clean_name(model.label, 40)
    head = f"{label} is a simple benchmark and not to be chosen"
    found = index.comparison(model.name, metric.key)
    if found is None or found.difference is None or index.baseline is None:
        return f"{head}."
    form = verdicts.choose_difference_format(found, metric)
    said = names.lower_first_word(names.clean_name(metric.label))
    baseline = names.clean_name(index.baseline.label, 40)
    size = f"{form.number(found.difference, signed=True)} ({verdicts.format_interval(found, form)})"
    return (
        f"{head}: its {said} differs from that of {baseline} by {size}, {name_verdict(found.word)}."
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
    title = "What differs from the frozen rule"
    return (Bullets(tuple(map(make_phrase, lines)), title),) if lines else ()


_FAMILIES: Mapping[str, str] = {
    "asked": "the comparison that is asked for",
    "choice": "the candidates on the primary metric",
    "others": "the other models on the primary metric",
    "best": "the candidates with one another",
    "declared": "each comparison of a requirement",
    "metrics": "the other metrics of a model",
    "segments": "the segments of a metric and a model",
}


def _format_families(index: Index) -> str:
    """Format how many comparisons are allowed for together, family by family."""
    compared: list[Comparison | ModelPair] = [*index.results.comparisons, *index.results.pairs]
    sizes = [
        f"{max(each)} of {words}"
        for family, words in _FAMILIES.items()
        for each in [[c.family_size for c in compared if c.family == family]]
        if each
    ]
    adjust = names.format_adjustment(index.results.inference.adjust)
    return f"{names.join_list(sizes)}; {adjust}"


def _format_margin(metric: MetricInfo | None) -> str:
    if metric is None or (metric.margin is None and not metric.margin_text):
        return "none declared, so “not worse” and “equivalent” are never said"
    if metric.margin is None:
        return f"{metric.margin_text} of the baseline's value"
    return format_margin(metric.margin, metric)


def _build_definitions(index: Index) -> Table:
    return build_table(
        "method-metrics",
        "Metrics as used here, their parameters with them.",
        index.metrics,
        word_column(
            "Metric",
            lambda m: Cell(names.clean_name(m.label), note=describe_metric(index, m, is_full=True)),
        ),
        word_column("What it is", lambda m: Cell(m.definition, note=m.caveat)),
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
    ends = (
        "no lower end" if low is None else format_setting(low),
        "no upper end" if high is None else format_setting(high),
    )
    return f"{ends[0]} to {ends[1]}"


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
        "The variance of each value: of the resamples, and by a formula that needs none.",
        known,
        word_column("Metric", lambda row: names.clean_name(row[0].label)),
        word_column("Model", lambda row: names.clean_name(index.label(row[1].model))),
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
        "How each interval and test was made, and why that way.",
        index.metrics,
        word_column("Metric", lambda m: names.clean_name(m.label)),
        word_column(
            "Interval of a value",
            lambda m: _format_used_methods(e.method for e in results.estimates if is_meant(e, m)),
        ),
        word_column(
            "Interval of a difference",
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
    return (Bullets(lines, "What the warnings mean"),) if lines else ()


def _iter_verdicts() -> Iterator[Phrase]:
    for word, meaning in _VERDICTS:
        yield make_phrase(Span(word, is_strong=True), f": {meaning}.")


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
    blocks += fold_for_full_report("Resolved config", [_build_config(results)])
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
        return Listing(written, "yaml", "Resolved config")
    return Listing(_format_json(results.config), "json", "Resolved config")


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
