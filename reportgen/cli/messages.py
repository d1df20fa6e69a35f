"""Messages of a run, its outputs for GitHub Actions, and the changes between runs as text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from reportgen.governance.manifest import digest_bytes
from reportgen.report import prose
from reportgen.report.prose import run_changes as change_texts
from reportgen.report.render import html, markdown
from reportgen.report.render.theme import Theme
from reportgen.report.sections.run_changes import build_changes_document, iter_presence_lines
from reportgen.report.sections.shifts import iter_shift_lines
from reportgen.results import Results
from reportgen.results.changes import Changes
from reportgen.results.core import DatasetInfo, GateResult
from reportgen.results.input_checks import HELD
from reportgen.results.recommendation import Stop
from reportgen.results.types import RequirementStatus
from reportgen.terms import FILES, MANIFEST, RESULTS, VOUCHING
from reportgen.text import LONGEST_QUOTE, are_values_hidden, escape_json, format_line, shorten

if TYPE_CHECKING:
    from reportgen.config.schema.config import Config
    from reportgen.data.dataset import LoadedDataset
    from reportgen.results.input_checks import InputFinding

LONGEST_VERDICT = 300  # letters: a unit or a name may be as long as somebody likes


def iter_data_messages(datasets: Iterable[Any]) -> Iterator[str]:
    """Yield how files were read, and the warnings that the report will give, with their codes."""
    from reportgen.report.prose.warnings import format_warning

    for each in datasets:
        for note in each.info.reading or ():
            yield f"{shorten(each.info.name, LONGEST_QUOTE)}: {note}"
        for found in each.warnings:
            column, _, _ = (found.segment or "").partition("=")
            segment = column if are_values_hidden() else found.segment
            at = f", {shorten(segment, LONGEST_QUOTE)}" if segment else ""
            of = f" of {shorten(found.model, LONGEST_QUOTE)}" if found.model else ""
            text = format_warning(found.code, found.numbers, each.info.case)
            yield f"{shorten(each.info.name, LONGEST_QUOTE)}{at}{of}: {text} ({found.code})"


def iter_check_messages(
    config: Config, data: Sequence[LoadedDataset], checks: Iterable[InputFinding]
) -> Iterator[str]:
    """Yield what checks of the input find, with the name that `allow:` takes."""
    labels = {name: model.label or name for name, model in config.models.items()}
    yield from _describe_checks(labels, [each.info for each in data], checks)


def _describe_checks(
    labels: Mapping[str, str], infos: Iterable[DatasetInfo], checks: Iterable[InputFinding]
) -> Iterator[str]:
    """Describe each check that failed; `labels` are what the report calls the models."""
    from reportgen.report.conclusion.input_checks import describe_finding

    datasets = {info.name: info for info in infos}
    for each in checks:
        if each.outcome == "failed":
            text = describe_finding(each, datasets[each.dataset], labels)
            yield f"{shorten(each.dataset, LONGEST_QUOTE)}: {text} ({each.name})"


def iter_result_messages(outcome: Any, folder: Path) -> Iterator[str]:
    """Yield the files, the stops, the failed gates and the fatal warnings."""
    for name in dict.fromkeys(map(_shorten_file_name, outcome.files)):
        yield str(folder / name)
    if outcome.results.is_stopped:
        for stop in outcome.results.conclusion.recommendation.stops:
            yield f"not judged: {stop.advice}"
    labels = {model.name: model.label for model in outcome.results.models}
    on_models = [each for each in outcome.results.checks if each.name in HELD]
    for text in _describe_checks(labels, outcome.results.datasets, on_models):
        yield f"check failed: {text}"
    for gate in outcome.results.gates:
        if gate.is_failure:
            yield f"gate failed: {shorten(gate.name, LONGEST_QUOTE)}: {gate.reason}"
    for warning in outcome.results.warnings:
        if warning.is_fatal:
            yield f"fatal warning {warning.code}: {warning.text}"


def iter_closing_messages(outcome: Any, folder: Path) -> Iterator[str]:
    """Yield how the gates ended, the file to open, what vouches for all files, and the answer."""
    yield _describe_gates(outcome, folder)
    yield f"manifest sha256 {digest_bytes(outcome.files[MANIFEST])}: record it in the ticket"
    yield shorten(outcome.headline, LONGEST_VERDICT)


def _describe_gates(outcome: Any, folder: Path) -> str:
    """Count the requirements by their status on page one, and name the file to open."""
    drawn = [name for name in outcome.files if name not in (RESULTS, *VOUCHING)] or [RESULTS]
    path = folder / ("report.html" if "report.html" in drawn else drawn[0])
    conclusion = outcome.results.conclusion
    requirements = conclusion.requirements if conclusion is not None else ()
    if not requirements:
        return f"no requirements: {path}"
    fatal = sum(each.is_failure and each.status == "cannot tell" for each in requirements)
    statuses = [each.status for each in requirements]
    words = [word for word in get_args(RequirementStatus) if word in statuses]
    counted = ", ".join(f"{statuses.count(word)} {word}" for word in words)
    more = f" ({fatal} counts as not met)" if fatal else ""
    return f"requirements: {counted}{more}: {path}"


def _shorten_file_name(name: str) -> str:
    """Return a file's own name; for files in a folder of the report, that folder."""
    inside, _, own = name.rpartition("/")
    return f"{inside}/" if inside else own


CHANGES_SCHEMA = "urn:reportgen:diff:1"


def render_changes(changes: Changes, now: Results, as_: str) -> str:
    """Render the changes in one of the formats."""
    if as_ == "json":
        plain = {"schema": CHANGES_SCHEMA, **asdict(changes)}
        return escape_json(json.dumps(plain, indent=1, ensure_ascii=False)) + "\n"
    if as_ == "text":
        return "\n".join(map(format_line, _iter_lines(changes, now))) + "\n"
    page = build_changes_document(changes, now)
    page = replace(page, header=replace(page.header, question=""))
    if as_ == "html":
        return html.render_page(page, Theme())
    return markdown.render(page, now).decode()


def _iter_lines(changes: Changes, now: Results) -> Iterator[str]:
    """Yield the changes as lines of text, in the order in which to read them."""
    for each in changes.rule:
        yield f"rule changed: {each.key}: {each.before or 'none'} → {each.now or 'none'}"
    for cause in changes.causes:
        detail = f" ({cause.detail})" if cause.detail else ""
        yield f"{cause.name}: {change_texts.format_cause(cause.is_changed)}{detail}"
    yield changes.because or prose.line("changes.nothing")
    yield f"then: {changes.before.verdict}"
    yield f"now:  {changes.now.verdict}"
    for gate in changes.gates:
        yield f"gate {gate.name}: {gate.before or 'none'} → {gate.now or 'none'}"
    yield from iter_presence_lines(changes)
    yield from _iter_moved_rows(changes, now)
    yield from iter_shift_lines(changes.shifts, {model.name: model.label for model in now.models})
    for given in changes.warnings:
        state = "new" if given.is_new else "gone"
        yield f"warning {given.code} {state}{f': {given.about}' if given.about else ''}"


def _iter_moved_rows(changes: Changes, now: Results) -> Iterator[str]:
    labels = {model.name: model.label for model in now.models}
    rows = [("value", "then", "now", "move", "interval", "shown", "how")]
    for move in change_texts.list_moved(changes):
        before, after, change, interval = change_texts.format_move_numbers(move)
        name = f"{move.label}: {change_texts.describe_mover(move, labels)}"
        word = change_texts.move_word(move)
        rows.append((name, before, after, change, interval, word, change_texts.describe_move(move)))
    if len(rows) > 1:
        yield from _align_columns(rows)
        yield change_texts.describe_move_family(changes)
    if same := change_texts.describe_unmoved(changes):
        yield same


def _align_columns(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(len(row[k]) for row in rows) for k in range(6)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        yield "  ".join((*cells, row[6])).rstrip()


MOST_ANNOTATIONS = 10
LARGEST_SUMMARY = 900_000


def iter_annotations(results: Results) -> Iterator[str]:
    """Yield a workflow command for each stop and each gate that failed or is open, at its line."""
    stops = list(_iter_stop_commands(results))
    failed = [gate for gate in results.gates if gate.is_failure]
    thin = [gate for gate in results.gates if gate.status == "cannot tell"]
    left = [gate for gate in thin if not gate.is_failure]
    yield from stops
    for level, gates, most in (
        ("error", failed, MOST_ANNOTATIONS - len(stops)),
        ("warning", left, MOST_ANNOTATIONS),
    ):
        few = gates if len(gates) <= most else gates[: most - 1]
        yield from (_format_command(level, f"gate {g.name}", g.reason, g) for g in few)
        if len(gates) > len(few):
            yield f"::{level}::{_escape(f'and {len(gates) - len(few)} more gates; see the report')}"


def _iter_stop_commands(results: Results) -> Iterator[str]:
    """Yield an error for each stop; one that names all where they would crowd out the gates."""
    if results.conclusion is None:
        return
    made = results.conclusion.recommendation
    title = "no verdict" if made.answer == "no verdict" else "not judged"
    if len(made.stops) <= MOST_ANNOTATIONS // 2:
        for stop in made.stops:
            yield _format_command("error", title, stop.advice, stop)
    else:
        text = "; ".join(stop.full_text for stop in made.stops)
        yield _format_command("error", title, text, made.stops[0])


def write_github_outputs(outcome: Any, folder: Path, environ: Mapping[str, str]) -> Iterator[str]:
    """Write the summary and the outputs; the lines to print, a note where a file is not named."""
    yield from iter_annotations(outcome.results)
    for name, text in (
        ("GITHUB_STEP_SUMMARY", _format_summary(outcome)),
        ("GITHUB_OUTPUT", _format_outputs(outcome, folder)),
    ):
        place = environ.get(name)
        if not place:
            yield f"{name} is not set, so it is not written"
            continue
        try:
            yield from _append(Path(place), text, name)
        except OSError as error:
            yield f"{name}: cannot be written: {error.strerror}"


def _append(file: Path, text: str, name: str) -> Iterator[str]:
    """Add to a file of the runner; what would make a summary too large is not added."""
    content = text.encode()
    held = file.stat().st_size if file.exists() else 0
    if name == "GITHUB_STEP_SUMMARY" and held + len(content) > LARGEST_SUMMARY:
        yield f"{name} would be larger than {LARGEST_SUMMARY:,} bytes, so it is left as it is"
        return
    with file.open("ab") as out:
        out.write(content)


def _format_summary(outcome: Any) -> str:
    """Return the Markdown report, or the verdict and the gates where none was made."""
    page = outcome.files.get(FILES["markdown"])
    if page is not None:
        found: str = page.decode()
        return found
    gates = [f"- {format_line(gate.name)}: {gate.status}" for gate in outcome.results.gates]
    return "\n".join((format_line(outcome.headline), "", *gates)) + "\n"


def _format_outputs(outcome: Any, folder: Path) -> str:
    page = FILES["markdown"]
    failed = sum(gate.is_failure for gate in outcome.results.gates)
    outputs = {
        "verdict": format_line(outcome.headline),
        "gates-failed": failed,
        "manifest-sha256": digest_bytes(outcome.files[MANIFEST]),
        "page": format_line(str(folder / page)) if page in outcome.files else "",
    }
    return "".join(f"{name}={value}\n" for name, value in outputs.items())


def _format_command(level: str, title: str, text: str, at: GateResult | Stop) -> str:
    place = {"title": title}
    if at.line is not None:
        place = {"file": at.file, "line": str(at.line), **place}
    properties = ",".join(f"{key}={_escape_property(value)}" for key, value in place.items())
    return f"::{level} {properties}::{_escape(text)}"


def _escape(text: str) -> str:
    """Escape a message for use in a workflow command."""
    return format_line(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
