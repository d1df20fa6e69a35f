"""The changes between two runs as a program prints them: plain text, Markdown, JSON, HTML."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace

from reportgen.render import html, markdown
from reportgen.render.theme import Theme
from reportgen.results import Changes, Results
from reportgen.sections.changes import document_of
from reportgen.text import clean, in_json
from reportgen.wording import changes as words

SCHEMA = "urn:reportgen:diff:1"
FORMATS = ("text", "markdown", "json", "html")


def told(changes: Changes, now: Results, as_: str) -> str:
    """The changes in one of the formats."""
    if as_ == "json":
        plain = {"schema": SCHEMA, **asdict(changes)}
        return in_json(json.dumps(plain, indent=1, ensure_ascii=False)) + "\n"
    if as_ == "text":
        return "\n".join(map(clean, _lines(changes, now))) + "\n"
    page = document_of(changes, now)
    page = replace(page, header=replace(page.header, question=""))
    if as_ == "html":
        return html.page(page, Theme())
    return markdown.render(page, now)[markdown.NAME].decode()


def _lines(changes: Changes, now: Results) -> Iterator[str]:
    """The same in lines, in the order in which it should be read."""
    for each in changes.rule:
        yield f"rule changed: {each.key}: {each.before or 'none'} → {each.now or 'none'}"
    for cause in changes.causes:
        detail = f" ({cause.detail})" if cause.detail else ""
        yield f"{cause.name}: {words.caused(cause.is_changed)}{detail}"
    yield changes.because or words.NOTHING
    yield f"then: {changes.before.verdict}"
    yield f"now:  {changes.now.verdict}"
    for gate in changes.gates:
        yield f"gate {gate.name}: {gate.before or 'none'} → {gate.now or 'none'}"
    yield from _moved(changes, now)
    for given in changes.warnings:
        state = "new" if given.is_new else "gone"
        yield f"warning {given.code} {state}{f': {given.about}' if given.about else ''}"


def _moved(changes: Changes, now: Results) -> Iterator[str]:
    labels = {model.name: model.label for model in now.models}
    rows = [("value", "then", "now", "move", "interval", "shown", "how")]
    for move in words.others_in(changes):
        before, after, change, interval = words.numbers_of(move)
        name = f"{move.label}: {words.moved(move, labels)}"
        word = words.word_of(move)
        rows.append((name, before, after, change, interval, word, words.how(move)))
    if len(rows) > 1:
        yield from _aligned(rows)
        yield words.of_family(changes)
    if same := words.of_same(changes):
        yield same


def _aligned(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(len(row[k]) for row in rows) for k in range(6)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        yield "  ".join((*cells, row[6])).rstrip()
