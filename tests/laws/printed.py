"""What a reader sees of a report: its page as HTML, the text of its PDF, its Markdown.

Nothing here knows the results: numbers are read back from the words and digits that are printed.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser

import pypdf

WORDS = (
    "clearly better",
    "clearly worse",
    "better",
    "worse",
    "equivalent",
    "not better",
    "not worse",
    "cannot tell",
    "no result",
)
STATUSES = ("met", "not met", "cannot tell", "not judged", "skipped", "no harm seen")
MARKS = "①②③④⑤⑥⑦⑧⑨"
TONES = ("good", "bad")
_LOWERED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_VOID = {"meta", "img", "br", "hr", "link", "input"}
_UNSEEN = {"script", "style", "svg", "title"}
NUMBER = re.compile(r"[+−±]?[^\d\s(−+]{0,4}\d[\d,]*(?:\.\d+)?")


@dataclass
class Node:
    """An element of a page."""

    tag: str
    attrs: dict[str, str | None]
    children: list[Node | str] = field(default_factory=list)

    def walk(self) -> Iterator[Node]:
        """Every element in it, itself first."""
        yield self
        for child in self.children:
            if isinstance(child, Node):
                yield from child.walk()

    def find(self, tag: str = "", cls: str = "", id_: str = "") -> list[Node]:
        """Elements by their tag, a class of theirs, their id."""
        return [
            node
            for node in self.walk()
            if (not tag or node.tag == tag)
            and (not cls or cls in (node.attrs.get("class") or "").split())
            and (not id_ or node.attrs.get("id") == id_)
        ]

    def text(self, without: Sequence[str] = ()) -> str:
        """The text that is seen, without some kinds of elements."""
        return " ".join("".join(self._iter_text({*_UNSEEN, *without})).split())

    def _iter_text(self, hidden: set[str]) -> Iterator[str]:
        for child in self.children:
            if isinstance(child, str):
                yield child
            elif child.tag not in hidden and "unseen" not in (child.attrs.get("class") or ""):
                is_block = child.tag not in {"span", "strong", "a", "em", "code", "sub", "sup"}
                yield " " * is_block
                yield from child._iter_text(hidden)
                yield " " * is_block

    @property
    def tones(self) -> set[str]:
        """The colours of what it holds."""
        classes = (cls for node in self.walk() for cls in (node.attrs.get("class") or "").split())
        return {tone for cls in classes for tone in TONES if cls in (tone, f"{tone}-edge")}


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Node("document", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, dict(attrs))
        self.open[-1].children.append(node)
        if tag not in _VOID:
            self.open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Node(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in _VOID:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


@dataclass(frozen=True)
class Comparison:
    """A row with a verdict: of the figure, or of the table of what else changes."""

    name: str
    note: str
    base: str
    value: str
    difference: str
    interval: str
    word: str
    mark: str
    margin: str
    tones: frozenset[str]
    without: tuple[str, ...] = ()

    @property
    def printed(self) -> tuple[str, str, str]:
        """What every output prints of it."""
        return self.difference, self.interval, self.word


@dataclass(frozen=True)
class Requirement:
    """A row of the requirements."""

    name: str
    needs: str
    found: str
    interval: str
    status: str
    counts_as_failed: bool
    tones: frozenset[str]

    @property
    def printed(self) -> tuple[str, str, str, str]:
        """What every output prints of it."""
        return self.needs, self.found, self.interval, self.status


@dataclass(frozen=True)
class Page:
    """The front of a report and its results, as they are read."""

    root: Node
    question: str
    answer: str
    points: dict[str, str]
    key_line: str
    about: str
    caption: str
    ticks: str
    is_of_actions: bool
    forest: tuple[Comparison, ...]
    without: str
    changes: tuple[Comparison, ...]
    changes_caption: str
    requirements: tuple[Requirement, ...]
    requirements_caption: str
    others: tuple[Requirement, ...]
    matrix: dict[tuple[str, str], tuple[str, str, str]]
    values: tuple[tuple[str, str], ...]

    @property
    def every_requirement(self) -> tuple[Requirement, ...]:
        """Those of page one, then those that it has no room for."""
        return (*self.requirements, *self.others)


def read_html(text: str) -> Page:
    """Read a page."""
    reader = _Reader()
    reader.feed(text)
    root = reader.open[0].find("body")[0]
    answer = root.find(id_="answer")[0]
    said = [p for p in answer.find("p") if p.text()]
    titles = {(p.find("strong") or [p])[0].text(): p.text() for p in said}
    key_line = next((p.text() for p in said if not p.text().startswith(POINTS)), "")
    figure = (root.find(cls="forest") or [Node("none", {})])[0]
    named = [*figure.find(cls="forest-title"), *figure.find(cls="forest-notes")]
    caption = " ".join(part.text() for part in named)
    foot = [s for s in figure.find("svg") if ":" in (s.attrs.get("aria-label") or "")]
    lines = [row for row in figure.find(cls="forest-row") if row.find(cls="forest-name")]
    rows = [row for row in lines if row.find(cls="forest-word")[0].text()]
    beneath = [row for row in lines if row not in rows]
    strong = [row for row in rows if "strong" in (row.attrs.get("class") or "")]
    return Page(
        root=root,
        question=(root.find("h1") or [Node("none", {})])[0].text(),
        answer=_without_tag(answer.find("h3")[0]),
        points={k: v for k, v in titles.items() if k in POINTS},
        key_line=key_line,
        about=strong[0].find(cls="forest-name")[0].text() if strong else "",
        caption=caption,
        ticks=(foot[-1].attrs.get("aria-label") or "") if foot else "",
        is_of_actions=figure.attrs.get("id") == "actions",
        forest=tuple(_read_forest_row(row) for row in rows),
        without=_read_without(beneath),
        changes=tuple(_read_change(row) for row in _rows(root, "consequences")),
        changes_caption=_caption(root, "consequences"),
        requirements=tuple(map(_read_requirement, _rows(root, "requirements"))),
        requirements_caption=_caption(root, "requirements"),
        others=tuple(map(_read_requirement, _rows(root, "other-requirements"))),
        matrix=dict(_iter_matrix(root)),
        values=tuple(
            (row[0].text(["small"]), row[1].text(["small"])) for row in _rows(root, "values")
        ),
    )


def _read_without(beneath: list[Node]) -> str:
    """Read what takes no model, as “random order: 0.50”; empty where there is none."""
    for row in beneath:
        if row.find(cls="forest-name")[0].text() == "No model":
            note, amount = (row.find(cls=c)[0].text() for c in ("strip-box", "forest-amount"))
            return f"{note}: {amount}"
    return ""


POINTS = ("Gain", "Drawback", "Unsure")


def _without_tag(heading: Node) -> str:
    tag = (heading.find(cls="tag") or [Node("none", {})])[0].text()
    return heading.text().removeprefix(tag).strip()


def _rows(root: Node, table: str) -> list[list[Node]]:
    found = root.find("table", id_=table)
    body = found[0].find("tbody")[0] if found else Node("none", {})
    return [[*row.find("th"), *row.find("td")] for row in body.find("tr")]


def _caption(root: Node, table: str) -> str:
    found = root.find("table", id_=table)
    return found[0].find("caption")[0].text() if found and found[0].find("caption") else ""


def _small(cell: Node) -> str:
    return " ".join(small.text() for small in cell.find("small"))


def _read_forest_row(row: Node) -> Comparison:
    number = row.find(cls="forest-number")[0]
    said = row.find(cls="forest-word")[0]
    word = said.text()
    mark = next((sign for sign in MARKS if sign in word), "")
    return Comparison(
        name=row.find(cls="forest-name")[0].text(),
        note="",
        base="",
        value=row.find(cls="forest-amount")[0].text(),
        difference=number.text(["small"]),
        interval=_small(number).strip("()"),
        word=word.replace(mark, "").strip().lower(),
        mark=mark,
        margin="",
        tones=frozenset(row.tones),
    )


def _read_change(cells: list[Node]) -> Comparison:
    name, base, value, *without, difference, word = cells
    note = _small(word)
    return Comparison(
        name=name.text(["small"]),
        note=_small(name),
        base=base.text(["small"]),
        value=value.text(["small"]),
        difference=difference.text(["small"]),
        interval=_small(difference),
        word=word.text(["small"]).lower(),
        mark="",
        margin=note.partition("margin ")[2].partition(";")[0],
        tones=frozenset(word.tones),
        without=tuple(f"{c.text(['small'])} {_small(c)}".strip() for c in without),
    )


def _read_requirement(cells: list[Node]) -> Requirement:
    name, needs, found, interval, status = cells
    return Requirement(
        name=name.text(["small"]),
        needs=needs.text(),
        found=found.text(),
        interval=interval.text(),
        status=status.text(["small"]).lower(),
        counts_as_failed=bool(_small(status)),
        tones=frozenset(status.tones),
    )


def _iter_matrix(root: Node) -> Iterator[tuple[tuple[str, str], tuple[str, str, str]]]:
    """Yield (metric, candidate): the verdict, the difference, the interval."""
    for cells in (*_rows(root, "scores-table"), *_rows(root, "differences")):
        metric = cells[0].text(["small"])
        for cell in cells[1:]:
            model, _, is_verdict = (cell.attrs.get("data-of") or "").rpartition(" ")
            if is_verdict != "is":
                continue
            difference, _, interval = _small(cell).partition(" (")
            word = cell.text(["small"]).lower()
            yield (metric, model), (word, difference, interval.partition(")")[0])


def read_number(text: str) -> tuple[float, int] | None:
    """Read a number as it is printed, and how many decimals it has; None without one."""
    found = NUMBER.search(text)
    if found is None:
        return None
    digits = re.sub(r"[^\d.]", "", found[0])
    power = re.match(r"\s×\s10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", text[found.end() :])
    times = int(power[1].translate(_LOWERED)) if power else 0
    decimals = max(len(digits.partition(".")[2]) - times, 0)
    return float(digits) * 10.0**times * (-1 if "−" in found[0] else 1), decimals


def read_interval(text: str) -> tuple[float | None, float | None] | None:
    """Read an interval as it is printed; None where there is none."""
    parts = re.split(r" to | or more", text.removeprefix("up to "))
    numbers = [n[0] for part in parts if (n := read_number(part))]
    if text.startswith("up to") and numbers:
        return None, numbers[0]
    if text.endswith("or more") and numbers:
        return numbers[0], None
    if " to " in text and len(numbers) >= 2:
        return numbers[0], numbers[1]
    return None


def count_decimals(text: str) -> int:
    """Count the decimals of the first number in a text."""
    found = read_number(text)
    return found[1] if found else 0


_WORD = "|".join(word.capitalize() for word in WORDS)
_STATUS = "|".join(status.capitalize() for status in STATUSES)


def read_pdf(paper: bytes) -> str:
    """The text of a PDF, with one blank for each gap."""
    pages = pypdf.PdfReader(io.BytesIO(paper)).pages
    return " ".join(" ".join(page.extract_text() for page in pages).split())


def squeeze(text: str) -> str:
    """The text without spaces and break places, which line breaks move about."""
    return re.sub(r"[\s\u200b\u00ad\u2060]+", "", text)


def list_markdown_rows(text: str) -> list[list[str]]:
    """The cells of every row of every table of a Markdown page."""
    plain = text.replace("&gt;", ">").replace("&lt;", "<").replace("**", "").replace("\\", "")
    rows = (line.strip("|").split(" | ") for line in plain.splitlines() if line.startswith("| "))
    return [[cell.replace("<br>", " ").strip() for cell in row] for row in rows]
