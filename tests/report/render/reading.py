"""What a browser would make of a page: its elements, and the text a reader can see."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "img", "br", "hr", "link", "input", "wbr"}


class Page(HTMLParser):
    """Every element as (tag, attributes), and the text of each element of some kinds."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self._open: list[str] = []
        self._held: list[list[str]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)
            self._held.append([])

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self._open and self._open[-1] == tag, f"{tag} closes {self._open[-3:]}"
        self._open.pop()
        text = " ".join(self._held.pop())
        self.texts.setdefault(tag, []).append(" ".join(text.split()))
        if self._held and tag not in {"title", "desc", "script", "style"}:
            self._held[-1].append(text)

    def handle_data(self, data):
        if self._held:
            self._held[-1].append(data)
