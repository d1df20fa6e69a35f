"""The laws that no page breaks, each a function from a report to the contradictions it finds.

What is asked (the decision, the names of models and metrics) is taken from the results; what was
found is read from the printed page alone. The rules of verdicts and answers are written here a
second time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from xml.etree import ElementTree as Xml

from reportgen.results import Results
from reportgen.results.types import NEAREST
from tests.laws.printed import (
    Comparison,
    Node,
    Page,
    Requirement,
    count_decimals,
    list_markdown_rows,
    read_interval,
    read_number,
    squeeze,
)

BETTER, WORSE = ("clearly better", "better"), ("clearly worse", "worse")


@dataclass(frozen=True)
class Report:
    """One report as it leaves: its page and, where they were made, its other outputs."""

    results: Results
    page: Page
    markdown: str = ""
    junit: str = ""
    pdf: str = ""

    @cached_property
    def candidates(self) -> list[str]:
        """The labels of the candidates."""
        return [m.label for m in self.results.models if m.role == "candidate"]

    @cached_property
    def decision(self) -> str:
        """What is asked."""
        is_alone = not self.candidates
        return "meets" if is_alone else self.results.report.decision or "choose"

    @cached_property
    def asked(self) -> str:
        """The label of the model that is asked about; empty where it is about all."""
        found = {m.name: m.label for m in self.results.models}
        return found.get(self.results.report.about or "", "")

    @property
    def answer(self) -> str:
        """The answer that the printed words give."""
        return read_answer(self.page.answer)

    @property
    def is_stopped(self) -> bool:
        """True where the page withholds its verdict."""
        return self.answer == "no verdict"

    @cached_property
    def margin(self) -> float:
        """The margin that the figure names, 0 without one."""
        found = re.search(r"Grey band: less than (\S+)", self.page.caption)
        number = read_number(found[1]) if found else None
        return number[0] if number else 0.0

    @cached_property
    def is_up(self) -> bool:
        """Whether the axis of the figure grows to the right, where better models stand."""
        ticks = self.page.ticks.partition(": ")[2].split(", ")
        zero = next((k for k, tick in enumerate(ticks) if tick.startswith("0")), 0)
        signs = [(k > zero) == ("−" not in t) for k, t in enumerate(ticks) if k != zero]
        return not self.page.is_of_actions and (signs[0] if signs else True)

    def find_model(self, text: str) -> str:
        """The candidate that a text is about: the one that it names first."""
        places = {text.find(label): label for label in self.candidates if label in text}
        if places:
            return places[min(places)]
        return self.candidates[0] if len(self.candidates) == 1 else ""

    def list_requirements(self, model: str) -> list[Requirement]:
        """The requirements on a candidate."""
        return [r for r in self.page.every_requirement if self.find_model(r.name) == model]


def read_answer(text: str) -> str:
    """Read yes, no, cannot tell or no verdict from the words of an answer."""
    if text.startswith(("Yes", "Use ")) or " and correct its predictions with" in text:
        return "yes"
    if text.startswith("No verdict"):
        return "no verdict"
    return "no" if text.startswith(("No", "Keep ")) else "cannot tell"


def judge_interval(low: float | None, high: float | None, margin: float, *, is_up: bool) -> str:
    """Judge an interval by the first of the nine words that holds."""
    low, high = (-1e308 if low is None else low), (1e308 if high is None else high)
    if not is_up:
        low, high = -high, -low
    if margin > 0 and -margin < low and high < margin:
        return "equivalent"
    if low > 0:
        return "clearly better" if margin > 0 and low >= margin else "better"
    if high < 0:
        return "clearly worse" if margin > 0 and high <= -margin else "worse"
    if margin > 0 and low > -margin:
        return "not worse"
    if margin > 0 and high < margin:
        return "not better"
    return "cannot tell"


# 1: one verdict and one interval


def check_agreement(report: Report) -> Iterator[str]:
    """One key has one verdict and one interval in HTML, PDF, Markdown, JUnit and JSON."""
    yield from _compare_with_matrix(report)
    yield from _compare_requirements(report)
    yield from _compare_with_markdown(report)
    yield from _compare_with_pdf(report)
    yield from _compare_with_json(report)
    yield from _compare_with_junit(report)


def _compare_with_matrix(report: Report) -> Iterator[str]:
    page = report.page
    first = next((metric for metric, _ in page.matrix), "")
    pairs = [(row, page.matrix.get((first, row.name))) for row in page.forest]
    if page.is_of_actions:
        pairs = []
    pairs += [(row, _find_cell(report, row)) for row in page.changes if _is_plain(report, row)]
    for row, cell in pairs:
        if cell is None:
            continue
        word, difference, interval = cell
        if row.word != word:
            yield f"{row.name}: {row.word} on page one, {word} in Results"
        for one, other in ((row.difference, difference), (row.interval, interval)):
            if _differ(one, other):
                yield f"{row.name}: {one} on page one, {other} in Results"


def _find_cell(report: Report, row: Comparison) -> tuple[str, str, str] | None:
    names = {row.name.lower(), *row.note.lower().split("; ")}
    shown = report.page.about if not report.page.is_of_actions else _shown_model(report)
    found = [
        cell
        for (metric, model), cell in report.page.matrix.items()
        if metric.lower() in names and model == shown
    ]
    return found[0] if len(found) == 1 else None


def _shown_model(report: Report) -> str:
    page = report.page
    said = page.changes_caption or page.answer
    return next((label for label in report.candidates if label in said), "")


def _is_plain(report: Report, row: Comparison) -> bool:
    """Whether a row is about all rows of the main data set."""
    is_slice = "of all" in row.note or ", data set " in row.name
    return not is_slice


def _differ(one: str, other: str) -> bool:
    """Whether two printed numbers or intervals are not roundings of the same."""
    if _is_of_limits(one) != _is_of_limits(other):
        return bool(one and other) and "no " not in f"{one}{other}"
    first, second = _list_numbers(one), _list_numbers(other)
    if len(first) != len(second):
        return bool(first and second)
    steps = [10.0**-a for _, a in first], [10.0**-b for _, b in second]
    return any(
        abs(a - b) > 0.5 * (max(steps[0]) + max(steps[1])) + 1e-9
        for (a, _), (b, _) in zip(first, second, strict=True)
    )


def _is_of_limits(text: str) -> bool:
    return " to " in text or "or more" in text


def _list_numbers(text: str) -> list[tuple[float, int]]:
    parts = re.split(r" to | or more|, not adjusted", text)
    return [number for part in parts if (number := read_number(part))]


def _compare_requirements(report: Report) -> Iterator[str]:
    """A requirement that names a comparison of page one quotes its interval."""
    page = report.page
    if page.is_of_actions or not report.candidates:
        return
    decides = {m.key: m for m in report.results.metrics}[_leading(report)]
    rows = {row.name: row for row in page.forest}
    gates = report.results.conclusion.requirements if report.results.conclusion else ()
    for each, gate in zip(page.every_requirement, gates, strict=False):
        row = rows.get(report.find_model(each.name))
        is_same = (
            gate.is_difference and gate.key == decides.key and not _has_place(report, gate.gate)
        )
        has_numbers = gate.needs is not None  # not where a check of the input decides it
        is_same &= has_numbers or gate.status not in ("not met", "cannot tell")
        if row is not None and is_same and _differ(row.interval, each.interval):
            yield f"{each.name}: {each.interval}, but {row.interval} in the figure"


def _has_place(report: Report, name: str) -> bool:
    gate = next(g for g in report.results.gates if g.name == name)
    baseline = next((m.name for m in report.results.models if m.role == "baseline"), None)
    is_here = gate.segment is None and gate.dataset == report.results.inference.primary_dataset
    return not is_here or gate.against != baseline


def _leading(report: Report) -> str:
    metrics = report.results.metrics
    key = report.results.inference.primary
    return next((m.key for m in metrics if m.is_primary or m.key == key), metrics[0].key)


def _compare_with_markdown(report: Report) -> Iterator[str]:
    if not report.markdown:
        return
    rows = {tuple(row) for row in list_markdown_rows(report.markdown)}
    for row in report.page.forest:
        word = f"{row.word} {row.mark}".strip()
        cells = (row.name, row.value, row.difference, row.interval, word)
        if not any(_same_cells(cells, found) for found in rows):
            yield f"{row.name}: {cells} is not in the Markdown page"
    for row in report.page.changes:
        name = f"{row.name} {row.note}".strip()
        word = f"{row.word} {f'margin {row.margin}' * bool(row.margin)}".strip()
        said = f"{row.difference} {row.interval}".strip()
        cells = (name, row.base, row.value, *row.without, said, word)
        if not any(_same_cells(cells, found) for found in rows):
            yield f"{row.name}: {cells} is not in the Markdown page"
    for each in report.page.requirements:
        cells = (each.name, *each.printed)
        if not any(_same_cells(cells, found) for found in rows):
            yield f"{each.name}: {cells} is not in the Markdown page"


def _same_cells(cells: Sequence[str], found: Sequence[str]) -> bool:
    if len(cells) != len(found):
        return False
    return all(
        squeeze(b).lower().startswith(squeeze(a).lower()) for a, b in zip(cells, found, strict=True)
    )


def _compare_with_pdf(report: Report) -> Iterator[str]:
    if not report.pdf:
        return
    text = squeeze(report.pdf).lower()
    wanted = [squeeze(report.page.answer), squeeze(report.page.key_line)]
    for row in report.page.forest:
        numbers = f"{row.difference}({row.interval})" * bool(row.interval)
        wanted.append(squeeze(f"{numbers}{row.word}{row.mark}"))
    for row in report.page.changes:
        parts = (row.base, row.value, *row.without, row.difference, row.interval, row.word)
        wanted.append(squeeze("".join(parts)))
    for each in report.page.requirements:
        wanted.append(squeeze("".join(each.printed)))
    for words in wanted:
        if words.lower() not in text:
            yield f"{words} is not in the PDF"


def _compare_with_json(report: Report) -> Iterator[str]:
    """The figure, the table and the requirements print what results.json has."""
    found = report.results.conclusion
    if found is None:
        return
    pairs = [*zip(report.page.changes, found.consequences, strict=False)]
    if not report.page.is_of_actions:
        pairs += zip(report.page.forest, found.rows, strict=False)
    compared = {
        (c.dataset, c.segment, c.key, c.candidate, c.baseline): c
        for c in report.results.comparisons
    }
    for row, held in pairs:
        c = compared[held.dataset, held.segment, held.key, held.candidate, held.baseline]
        if not row.word == held.word == c.word:
            yield f"{row.name}: {row.word} on the page, {held.word} and {c.word} in results.json"
        factor = 100.0 if "points" in row.difference else 1.0
        limits = read_interval(row.interval) or (None, None)
        for printed, kept, said in zip(
            limits, (held.low, held.high), row.interval.partition(" to ")[::2], strict=True
        ):
            step = 10.0 ** -count_decimals(said or row.interval)
            is_known = printed is not None and abs(printed) > 1e-9 and kept is not None
            if is_known and abs(printed - factor * kept) > 0.51 * step:
                yield f"{row.name}: {row.interval} on the page, {kept:g} in results.json"
    for each, kept in zip(report.page.every_requirement, found.requirements, strict=False):
        if each.status != kept.status:
            yield f"{each.name}: {each.status} on the page, {kept.status} in results.json"


def _compare_with_junit(report: Report) -> Iterator[str]:
    if not report.junit or report.results.conclusion is None:
        return
    cases = {case.get("name"): case for case in Xml.fromstring(report.junit).iter("testcase")}
    for each, kept in zip(
        report.page.every_requirement, report.results.conclusion.requirements, strict=False
    ):
        case = cases.get(" ".join(kept.gate.split()))
        if case is None:
            yield f"{each.name}: not in JUnit"
            continue
        failed = case.find("failure") is not None
        if failed != (each.status == "not met" or each.counts_as_failed):
            yield f"{each.name}: {each.status} on the page, failed in JUnit: {failed}"
        said = "".join(case.itertext()) + (case.find("*").get("message") or "")
        limits = re.search(r"\(([^()]*? to [^()]*?)\)", said)
        if (
            limits
            and each.interval
            and " to " in each.interval
            and _differ(limits[1], each.interval)
        ):
            yield f"{each.name}: {each.interval} on the page, {limits[1]} in JUnit"


# 2: the verdict is a function of what is printed


def check_verdicts(report: Report) -> Iterator[str]:
    """A verdict is what the printed interval and the printed margin make of it."""
    margin = 0.0 if report.page.is_of_actions else report.margin
    for row in report.page.forest:
        yield from _check_verdict(row, margin, is_up=report.is_up)
    for row in report.page.changes:
        number = read_number(row.margin)
        is_up = not any(
            said in row.note for said in ("lower is better", "nearer to 0", "nearer to 1")
        )
        yield from _check_verdict(row, number[0] if number else 0.0, is_up=is_up)


def _check_verdict(row: Comparison, margin: float, *, is_up: bool) -> Iterator[str]:
    limits, difference = read_interval(row.interval), read_number(row.difference)
    expected = {judge_interval(*limits, margin, is_up=is_up)} if limits else {"no result"}
    if difference and difference[0] == 0 and limits in (None, (0.0, 0.0)):
        expected = {"equivalent", *expected}  # the same scores
    if row.word not in expected:
        said = f"{row.interval} with a margin of {margin:g}"
        yield f"{row.name}: {said} is {expected}, not {row.word}"
    tone = "good" if row.word in BETTER else "bad" if row.word in WORSE else ""
    if row.tones != {tone} - {""} and not (row.mark and not row.tones):
        yield f"{row.name}: {row.word} in the colours {sorted(row.tones)}"


# 3: the answer is a function of verdicts and statuses


def check_answer(report: Report) -> Iterator[str]:
    """The answer is what the printed verdicts and statuses make of it."""
    if report.is_stopped:
        return
    expected = {
        "replace": _expect_replacement,
        "choose": _expect_choice,
        "rank": _expect_order,
        "enough": _expect_sufficiency,
        "shift": _expect_action,
        "meets": _expect_value,
    }[report.decision](report)
    if report.answer not in expected:
        yield f"“{report.page.answer}” is {report.answer}, the page says {sorted(expected)}"


def _judge_candidate(report: Report, row: Comparison, *, takes_loss: bool) -> str:
    """Judge one candidate from its row of the figure, by the first step that applies."""
    statuses = [each.status for each in report.list_requirements(row.name)]
    limits = read_interval(row.interval)
    low, high = limits or (None, None)
    low, high = (-1e308 if low is None else low), (1e308 if high is None else high)
    if not report.is_up:
        low, high = -high, -low
    if "not met" in statuses or _is_constant(report, row.name):
        return "no"
    if takes_loss:
        out = limits is not None and (high <= -report.margin if report.margin else high < 0)
        is_enough = limits is not None and low > (-report.margin if report.margin else 0.0)
        is_enough |= row.word == "equivalent"
        out &= row.word != "equivalent"
    else:
        out = row.word in ("equivalent", "not better", *WORSE)
        is_enough = row.word in BETTER
    if out:
        return "no"
    if row.mark or not is_enough or _list_losses(report, row.name):
        return "cannot tell"
    return "cannot tell" if {"cannot tell", "not judged"} & set(statuses) else "yes"


def _is_constant(report: Report, model: str) -> bool:
    mark = next(row.mark for row in report.page.forest if row.name == model)
    return bool(mark) and any(
        f"{mark} Set aside: it {verb} " in report.page.caption
        for verb in ("gives", "makes the same")
    )


def _list_losses(report: Report, model: str) -> list[str]:
    """The metrics of another kind on which a candidate is worse and that no requirement settles.

    They are read in Results, which has a verdict on each metric of each candidate.
    """
    found = []
    for metric in _list_shown(report):
        word = report.page.matrix.get((metric.label, model), ("",))[0]
        is_settled = any(
            gate.key == metric.key
            for gate, each in zip(
                report.results.conclusion.requirements, report.page.every_requirement, strict=False
            )
            if report.find_model(each.name) == model
        )
        if word in WORSE and not is_settled:
            found.append(metric.label)
    return found


def _list_shown(report: Report) -> list:
    """The metrics of the headline: those that are named, else the first of each other kind."""
    metrics = report.results.metrics
    first = next(m for m in metrics if m.key == _leading(report))
    named = report.results.report.headline
    if named:
        return [m for m in metrics if m.key in named and m is not first]
    shown, kinds = [], {first.kind}
    for metric in [*(m for m in metrics if not _is_last(m)), *filter(_is_last, metrics)]:
        if metric.kind not in kinds and metric is not first:
            kinds.add(metric.kind)
            shown.append(metric)
    return shown


def _is_last(metric) -> bool:
    return metric.is_partial or metric.better in NEAREST


def _expect_replacement(report: Report) -> set[str]:
    row = next((row for row in report.page.forest if row.name == report.asked), None)
    if row is None:
        return {"yes", "no", "cannot tell"}
    needs = report.results.report.needs == "not_worse"
    answers = {_judge_candidate(report, row, takes_loss=needs)}
    rows = _list_elsewhere(report)
    elsewhere = [(row.word, read_number(row.margin)) for row in rows]
    for word, number in [*elsewhere, *_iter_without_room(report, rows)]:
        words = {"yes", "no", "cannot tell"}
        if not needs:
            words -= {"no", "cannot tell"} if word in BETTER else {"yes"}
            words -= {"cannot tell"} if word in ("equivalent", "not better", *WORSE) else set()
        elif number is not None and word in ("not worse", "equivalent", *BETTER):
            words -= {"no"}
        if len(words) == 1:
            answers |= words
        else:
            return _combine_open(answers, words)
    return {_combine(answers)}


def _list_elsewhere(report: Report) -> list[Comparison]:
    """List the rows of the metric that decides on other data sets."""
    decides = re.search(r"Difference from .*? in (.+?)\. ", f"{report.page.caption} ")
    name = decides[1].casefold() if decides else ""
    rows = report.page.changes
    return [row for row in rows if row.name.casefold().startswith(f"{name}, data set ")]


def _iter_without_room(
    report: Report, rows: list[Comparison]
) -> Iterator[tuple[str, float | None]]:
    """Yield the word and the margin of each data set that has no row in the table."""
    printed = {row.name.casefold().partition(", data set ")[2] for row in rows}
    conclusion = report.results.conclusion
    others = [each.dataset for each in conclusion.recommendation.datasets][1:]
    for c in report.results.comparisons:
        is_asked = c.candidate == report.results.report.about and c.key == _leading(report)
        is_printed = c.dataset.casefold() in printed
        if c.dataset in others and c.segment is None and is_asked and not is_printed:
            yield c.word, c.margin


def _combine(answers: set[str]) -> str:
    if "no" in answers:
        return "no"
    return "yes" if answers == {"yes"} else "cannot tell"


def _combine_open(answers: set[str], words: set[str]) -> set[str]:
    return {_combine({*answers, word}) for word in words}


def _expect_choice(report: Report) -> set[str]:
    answers = {
        row.name: _judge_candidate(report, row, takes_loss=False) for row in report.page.forest
    }
    if len(report.results.conclusion.recommendation.datasets) > 1:
        return {"no", "cannot tell"} | ({"yes"} if "yes" in answers.values() else set())
    if "yes" in answers.values():
        return {"yes"}
    return {"no"} if set(answers.values()) == {"no"} else {"cannot tell"}


def _expect_sufficiency(report: Report) -> set[str]:
    return {"no"} if _expect_choice(report) == {"cannot tell"} else {"yes"}


def _expect_order(report: Report) -> set[str]:
    """What is between the baseline's two sides is decided; a group holds no such pair."""
    answers = {"yes", "cannot tell"}
    if len(report.results.conclusion.recommendation.datasets) > 1:
        return {*answers, "no"}
    better = [row.name for row in report.page.forest if row.word in BETTER]
    worse = [row.name for row in report.page.forest if row.word in WORSE]
    joined = re.findall(r"(\w+(?:, \w+)* and \w+)", report.page.answer.partition(": ")[2])
    for group in joined:
        names = set(re.findall(r"\w+", group))
        if names & set(better) and names & set(worse):
            return {f"another order than {group}"}
    return answers


def _expect_action(report: Report) -> set[str]:
    failed = {
        report.find_model(each.name)
        for each in report.page.every_requirement
        if each.status == "not met"
    }
    answers = []
    for row in report.page.forest:
        is_failed = row.name.partition(",")[0] in failed
        low, _ = read_interval(row.interval) or (None, None)
        if row.word in BETTER and not is_failed:
            return {"yes"}
        is_known = (row.word in BETTER and is_failed) or (low is not None and low >= 0)
        answers.append("no" if is_known else "cannot tell")
    if "more action" in report.page.caption:
        return {"no", "cannot tell", "yes"}
    return {"no"} if set(answers) <= {"no"} else {"cannot tell"}


def _expect_value(report: Report) -> set[str]:
    statuses = {each.status for each in report.page.every_requirement} - {"skipped"}
    if "not met" in statuses:
        return {"no"}
    drawback = report.page.points.get("Drawback", "")
    doubt = drawback.partition("cannot tell whether")[2].partition(": ")[0]
    if doubt and " on " not in doubt:  # else it is about another metric
        return {"cannot tell", "no"}  # no, if its interval lies below what takes no model
    has_reference = any(
        each.key == _leading(report) and each.differences for each in report.results.references
    )
    is_met = statuses <= {"met", "no harm seen"}
    return {"yes"} if is_met and (statuses or has_reference) else {"cannot tell"}


# 4: advice stands in the answer alone

_IMPERATIVE = re.compile(
    r"(?:^|[.:;!?–—(]\s*|,\s+(?:so|and|then|but)\s+)"
    r"((?:use|replace|keep|choose|pick|prefer|adopt|switch|do not)\b[^.;]{0,60})",
    re.IGNORECASE,
)
_BLOCKS = ("p", "li", "td", "th", "caption", "figcaption", "dt", "dd", "h2", "h3", "h4", "summary")
_CONFIG = re.compile(r"[`“][a-z_]+: |\b[a-z]+(?:_[a-z]+|\.[a-z_]+)+\b")


def check_advice(report: Report) -> Iterator[str]:
    """No text outside the answer advises; lines that name a config key are about the config."""
    for text in _iter_texts(report.page.root):
        if _is_of_authors(report, text) or _CONFIG.search(text):
            continue
        for found in _IMPERATIVE.finditer(text):
            yield f"“{found[1]}” in: {text[:200]}"


def _iter_texts(root: Node) -> Iterator[str]:
    """The text of each block outside the answer, the header and the listings of a config."""
    for child in root.children:
        if not isinstance(child, Node) or child.tag in ("header", "nav", "pre", "script", "style"):
            continue
        if child.attrs.get("id") == "answer":
            continue
        if child.tag in _BLOCKS or "forest-title" in (child.attrs.get("class") or ""):
            yield child.text()
        else:
            yield from _iter_texts(child)


def _is_of_authors(report: Report, text: str) -> bool:
    """Whether the authors wrote a text: a limitation, a finding, a name."""
    info = report.results.report
    written = (*info.limitations, *(v for f in info.findings for v in f.values()), info.title)
    written += (*(g.name for g in report.results.gates), *(m.label for m in report.results.metrics))
    return any(text[:60] in said or said in text for said in written if said and len(said) > 20)


# 5: who is best somewhere else


def check_best(report: Report) -> Iterator[str]:
    """A model that is called cheapest and not recommended is so somewhere, and bears its mark."""
    used = _list_used(report)
    marks = {row.name: row.mark for row in report.page.forest if row.mark}
    for text in _iter_texts(report.page.root):
        for sentence in re.split(r"(?<=[.!?])\s+", text):
            found = re.search(r"\b(cheapest|lowest cost|costs least|best model)\b", sentence, re.I)
            named = [label for label in report.candidates if label in sentence]
            if not found or not named or _is_of_authors(report, text):
                continue
            named = [label for label in named if not any(label in x and label != x for x in named)]
            subject = min(named, key=lambda label: abs(sentence.find(label) - found.start()))
            has_place = re.search(
                r"\bat\b|\bfrom\b.*\bto\b|\bwhere\b|for some|\d : \d|α|in [\d.]+%", sentence
            )
            if subject not in used and not has_place and not report.is_stopped:
                yield f"{subject} is called {found[1]} without where: {sentence[:160]}"
            if subject in marks and marks[subject] not in sentence:
                yield f"{subject} is set aside, but bears no mark: {sentence[:160]}"


def _list_used(report: Report) -> list[str]:
    """The models that the answer names to be used."""
    said = report.page.answer.partition(":")[0]
    if report.decision == "replace":
        return [report.asked] if report.answer == "yes" else []
    return [label for label in report.candidates if said.startswith("Use") and label in said]


# 6: counts


def check_counts(report: Report) -> Iterator[str]:
    """Every count equals the number of rows that it counts."""
    yield from _count_statuses(report)
    yield from _count_candidates(report)
    page = report.page
    found = re.search(r"(\d+) of these (?:is|are) under Results", page.requirements_caption)
    if found and page.others and int(found[1]) != len(page.others):
        yield f"{found[0]}, but {len(page.others)} rows"
    settled = re.search(r"No loss was found on (\d+) other metric", page.points.get("Drawback", ""))
    undecided = re.search(
        r"On (\d+) (?:more|other metrics), the data cannot", page.points.get("Drawback", "")
    )
    if counts := [found for found in (settled, undecided) if found]:
        shown = page.about if not page.is_of_actions else _shown_model(report)
        first = next(metric for metric, _ in page.matrix)
        words = [
            word
            for (metric, model), (word, _, _) in page.matrix.items()
            if model == shown and metric != first and word != "no result"
        ]
        is_wrong = len(words) != sum(int(found[1]) for found in counts)
        is_wrong |= undecided is not None and words.count("cannot tell") != int(undecided[1])
        if page.matrix and (is_wrong or set(words) & set(WORSE)):
            yield f"{' '.join(found[0] for found in counts)}, but Results has {words}"
    for row in page.changes:
        found = re.search(r"worst of (\d+) segments", row.note)
        segments = report.results.datasets[0].segments
        if found and int(found[1]) > len(segments):
            yield f"{row.name}: {found[0]}, but there are {len(segments)}"


_ALL_MET = {"Met": 1, "Both met": 2}


def _count_statuses(report: Report) -> Iterator[str]:
    caption = report.page.requirements_caption
    rows = [each.status for each in report.page.every_requirement]
    total = len(rows)
    if not rows:
        return
    said = caption.removeprefix("Requirements").strip()
    all_met = re.match(r"(Met|Both met|All (\d+) met)", said)
    if all_met:
        count = int(all_met[2]) if all_met[2] else _ALL_MET[all_met[1]]
        if count != total or set(rows) != {"met"}:
            yield f"{said}, but the rows are {rows}"
        return
    statuses = "|".join(sorted(STATUS_WORDS, key=len, reverse=True))
    counts = re.findall(rf"(\d+) “?({statuses})", said)
    for number, status in counts:
        if int(number) != rows.count(status):
            yield f"{number} {status}, but {rows.count(status)} rows"
    if counts and sum(int(number) for number, _ in counts) != total:
        yield f"{said}, but {total} rows"
    if found := re.search(r"No: (\d+) of (\d+) requirements", report.page.answer):
        mine = [each.status for each in report.list_requirements(report.asked)]
        if (mine.count("not met"), len(mine)) != (int(found[1]), int(found[2])):
            yield f"{found[0]}, but the rows on {report.asked} are {mine}"


STATUS_WORDS = ("met", "not met", "cannot tell", "not judged", "skipped", "no harm seen")


def _count_candidates(report: Report) -> Iterator[str]:
    page = report.page
    if not page.forest or page.is_of_actions:
        return
    hidden = re.search(r"(\d+) other candidates?: see Results", page.caption)
    total = len(page.forest) + (int(hidden[1]) if hidden else 0)
    if total != len(report.candidates):
        yield f"{total} candidates in the figure of {len(report.candidates)}"
    better = sum(row.word in BETTER for row in page.forest)
    found = re.search(r"(\d+) of (\d+) are (?:clearly )?better", page.answer)
    if found and (int(found[1]), int(found[2])) != (better, total):
        yield f"{found[0]}, but {better} of {total} rows"
    found = re.search(r"\b(all (\d+)|both) are (?:clearly )?better", page.answer)
    if found and int(found[2] or 2) != better:
        yield f"{found[0]}, but {better} rows"
    found = re.search(r"none of the (\d+) candidates", page.answer)
    if found and int(found[1]) != total:
        yield f"{found[0]}, but {total} rows"
    if " are clearly better" in page.answer and "CIs" in page.caption:
        words = {row.word for row in page.forest if row.word in BETTER}
        if words != {"clearly better"}:
            yield f"all are called clearly better, but the rows are {sorted(words)}"
    if found := re.search(r"CIs, adjusted for (\d+) comparisons", page.caption):
        known = sum(read_interval(row.interval) is not None for row in page.forest)
        if not hidden and int(found[1]) != known and report.results.inference.against != "all":
            yield f"{found[0]}, but {known} intervals"
    found = re.search(r"the other (\d+) are adjusted for (\d+) comparisons", page.caption)
    if found and (int(found[1]) != total - 1 or int(found[2]) > total):
        yield f"{found[0]}, but {total} rows"


# 7: extremes


def check_extremes(report: Report) -> Iterator[str]:
    """Lowest, highest, cheapest and best name the extreme of what is printed next to them."""
    page = report.page
    found = re.search(
        r" of ((?:(?! of )[^:])+), the (highest|lowest|nearest to [01]): ", page.key_line
    )
    if found and page.forest:
        takes_loss = report.results.report.needs == "not_worse"
        used = [
            row.name
            for row in page.forest
            if _judge_candidate(report, row, takes_loss=takes_loss) == "yes"
        ]
        sizes = {
            row.name: number[0] * (1 if report.is_up else -1)
            for row in page.forest
            if row.name in used and (number := read_number(row.difference))
        }
        decides = next(m for m in report.results.metrics if m.key == _leading(report))
        expected = {"higher": "highest", "lower": "lowest", "zero": "nearest to 0"}
        if sizes and sizes.get(found[1], -1e308) < max(sizes.values()):
            yield f"{found[1]} is called the {found[2]}, but differences are {sizes}"
        if found[2] != expected.get(decides.better, "nearest to 1"):
            yield f"{found[1]} is called the {found[2]} where {decides.better} is better"
    for table in page.root.find("table"):
        yield from _check_marked_rows(table)


def _check_marked_rows(table: Node) -> Iterator[str]:
    """A row that is called the lowest or highest has the lowest or highest cost of its table."""
    body = table.find("tbody")
    rows = [[*row.find("th"), *row.find("td")] for row in body[0].find("tr")] if body else []
    costs = {
        row[0].text(["small"]): number[0]
        for row in rows
        for cell in row[1:]
        if (cell.attrs.get("data-of") or "").startswith("Cost")
        and not row[0].text().startswith("Flag ")
        and (number := read_number(cell.text(["small"])))
    }
    for row in rows:
        name = row[0].text(["small"])
        note = " ".join(small.text() for small in row[0].find("small"))
        found = re.search(r"\b(lowest|highest) cost of \d+|cheapest", note, re.IGNORECASE)
        extreme = max if found and found[1] == "highest" else min
        if found and name in costs and costs[name] != extreme(costs.values()):
            yield f"{name} is the {found[0]}, but costs are {costs}"


# 8: what fails is not recommended, what is stopped not judged


def check_failures(report: Report) -> Iterator[str]:
    """No model with a requirement not met is recommended; what is stopped has no verdict."""
    for model in _list_used(report):
        failed = [r.name for r in report.list_requirements(model) if r.status == "not met"]
        if failed and not report.page.is_of_actions:
            yield f"{model} is recommended, but: not met: {failed}"
    if report.is_stopped:
        yield from _check_silence(report)
    stopped = [s.model for s in report.results.conclusion.recommendation.stops if s.model]
    labels = {m.name: m.label for m in report.results.models}
    for model in [] if report.is_stopped else stopped:
        yield from _check_stopped_model(report, labels[model])


def _check_silence(report: Report) -> Iterator[str]:
    page = report.page
    judged = {each.status for each in page.every_requirement} - {"not judged", "skipped"}
    if judged:
        yield f"no verdict, but requirements are {sorted(judged)}"
    if page.forest or page.changes:
        yield "no verdict, but the figure or the table of changes is shown"
    words = {word for word, _, _ in page.matrix.values()} - {"no result", "not judged"}
    if words:
        yield f"no verdict, but Results says {sorted(words)}"
    for node in page.root.walk():
        classes = (node.attrs.get("class") or "").split()
        is_quiet = node.attrs.get("id") == "answer" or "tag" in classes or "status" in classes
        if not is_quiet and {"good", "bad"} & set(classes):
            yield f"no verdict, but “{node.text()[:60]}” is coloured"
    if not page.values and not re.search(r"\d", page.root.find(id_="decision")[0].text()):
        yield "no verdict, and no value either"


def _check_stopped_model(report: Report, model: str) -> Iterator[str]:
    page = report.page
    for row in page.forest:
        if row.name == model and (row.word not in ("no result", "not judged") or row.tones):
            yield f"{model} is stopped, but its row says {row.word}"
    for (metric, name), (word, _, _) in page.matrix.items():
        if name == model and word not in ("no result", "not judged"):
            yield f"{model} is stopped, but on {metric} it is {word}"
    for each in report.list_requirements(model):
        if each.status not in ("not judged", "skipped") or each.tones:
            yield f"{model} is stopped, but “{each.name}” is {each.status}"


# 9: subtraction


def check_differences(report: Report) -> Iterator[str]:
    """A printed difference is that of the printed values, within one unit of the last decimal."""
    for row in report.page.changes:
        nearest = {"nearer to 0": 0.0, "nearer to 1": 1.0}
        best = next((v for said, v in nearest.items() if said in row.note), None)
        yield from _check_difference(row.name, row.base, row.value, row.difference, best)
    line = report.page.key_line
    found = re.match(r"([^ ]+(?: points)?) \(.*?: (?:both )?(\S+) against (\S+?)\.? ", line)
    if found and report.results.metrics:
        decides = next(m for m in report.results.metrics if m.key == _leading(report))
        best = None if report.page.is_of_actions else NEAREST.get(decides.better)
        yield from _check_difference("the key line", found[3], found[2], found[1], best)


def _check_difference(
    name: str, base: str, value: str, difference: str, best: float | None
) -> Iterator[str]:
    numbers = [read_number(text) for text in (base, value, difference)]
    if None in numbers:
        return
    (b, _), (v, _), (d, decimals) = numbers  # type: ignore[misc]
    if best is not None:
        b, v = abs(b - best), abs(v - best)
    if abs((v - b) - d) > 10.0**-decimals + 1e-9:
        yield f"{name}: {value} less {base} is {v - b:g}, not {difference}"


# 10: what takes no model stands where a verdict is green


def check_references(report: Report) -> Iterator[str]:
    """No green verdict without the value that takes no model, if there is one, in the same table.

    Nor is one green in the figure where the model is not established to be better than that.
    """
    page, found = report.page, report.results.conclusion
    assert found is not None
    known = {(each.dataset, each.key): each for each in report.results.references}
    for row, of in zip(page.changes, found.consequences, strict=False):
        each = known.get((of.dataset, of.key))
        value = None if each is None else each.value
        if each is not None and of.segment is not None:
            value = each.segments.get(of.segment)
        if value is not None and of.difference is not None:
            yield from _check_reference(row.name, "".join(row.without), value, row.difference)
    first = found.rows[0] if found.rows and page.forest and not page.is_of_actions else None
    each = None if first is None else known.get((first.dataset, first.key))
    if first is None or each is None or each.value is None:
        return
    yield from _check_reference("the figure", page.without.rpartition(": ")[2], each.value, "")
    allowed = {c.model for c in report.results.checks if (c.name, c.outcome) == ALLOWED}
    for row, of in zip(page.forest, found.rows, strict=False):
        is_open = each.is_beaten_by(of.candidate) is False and of.candidate not in allowed
        if "good" in row.tones and is_open:
            yield f"{row.name} is green, and may be no better than no model"


ALLOWED = ("reference", "allowed")


def _check_reference(name: str, said: str, value: float, difference: str) -> Iterator[str]:
    number = read_number(said)
    times = 100.0 if "%" in said.split(" ")[0] or "points" in difference else 1.0
    if number is None:
        yield f"{name}: the value without a model, {value:g}, is not printed"
    elif abs(number[0] - times * value) > 10.0 ** -number[1] + 1e-9:
        yield f"{name}: {said} without a model is not {value:g}"


# 11: the points say what the rows say

CAPTURE = re.compile(r"\S+ top \S+(?: of .+?)? may capture no more .*? against [^ ]*\.(?= |$)")
"""Where a gain ends: what it leaves open at the top."""


def check_points(report: Report) -> Iterator[str]:
    """A gain is established, a drawback agrees with its row, "No loss was found" is true.

    A page with a gain and no drawback says by that that no loss was found.
    A sentence that quotes two values says what the row with these values says.
    """
    page = report.page
    for title, favoured in (("Gain", BETTER), ("Drawback", WORSE)):
        said = CAPTURE.sub("", page.points.get(title, ""))
        for value, base in re.findall(r"(\S+?)(?: on average)?,? against (\S+)", said):
            words = {row.word for row in page.changes if _has_values(row, value, base)}
            if words and not words & set(favoured):
                yield f"{title}: {value} against {base} is {', '.join(sorted(words))}"
    gain = CAPTURE.sub("", page.points.get("Gain", ""))
    if found := re.search(r"\b(worse|fewer|less often|may|might|captures less)\b", gain):
        yield f"a gain says {found[0]!r}: {gain}"
    costs = re.search(r" costs (\S+).*? costs (\S+) at best", gain)
    numbers = [read_number(text) for text in costs.groups()] if costs else []
    if None not in numbers and numbers and numbers[0][0] > numbers[1][0]:  # type: ignore[index]
        yield f"a gain costs more than the baseline: {gain}"
    own = next((row.word for row in page.forest if row.name == page.about), "")
    if re.search(r"\bwins on\b", gain) and own not in BETTER:
        yield f"a gain is {own}: {gain}"
    drawback = page.points.get("Drawback", "")
    if re.search(r"No loss was found|data cannot tell which", drawback):
        yield from _iter_somethings(report)
    elif gain and not drawback:  # the answer speaks of the metric that decides, and requirements
        for (metric, of), (word, _, _) in page.matrix.items():
            if of == page.about and word in WORSE and metric != _name_leading(report):
                yield f"no drawback is said, but {metric} is {word}"


def _has_values(row: Comparison, value: str, base: str) -> bool:
    told = [read_number(text.strip(".,;:()")) for text in (value, base, row.value, row.base)]
    return None not in told and told[:2] == told[2:]


def _name_leading(report: Report) -> str:
    return next((m.label for m in report.results.metrics if m.key == _leading(report)), "")


def _iter_somethings(report: Report) -> Iterator[str]:
    """Iterate over what stands against the shown model, of which a drawback says nothing."""
    page, model = report.page, report.page.about
    for row in page.changes:
        if row.word in WORSE:
            yield f"nothing is said of {row.name}, which is {row.word}"
    decides = _name_leading(report)
    for (metric, of), (word, _, _) in page.matrix.items():
        is_lost = word == "no result" and metric != decides
        if of == model and (word in WORSE or is_lost):
            yield f"nothing is said of {metric}, which is {word}"
    for each in report.list_requirements(model):
        if each.status == "not met":
            yield f"nothing is said of a requirement that is not met: {each.name}"


LAWS: dict[str, Callable[[Report], Iterator[str]]] = {
    "one verdict and one interval": check_agreement,
    "the verdict follows from the interval": check_verdicts,
    "the answer follows from the verdicts": check_answer,
    "advice stands in the answer alone": check_advice,
    "the best elsewhere is said where": check_best,
    "counts are counts of rows": check_counts,
    "extremes are extremes": check_extremes,
    "what fails is not used, what is stopped not judged": check_failures,
    "differences are differences": check_differences,
    "what takes no model stands beside what is green": check_references,
    "points agree with rows": check_points,
}
