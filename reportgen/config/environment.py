"""`${VAR}`, `${VAR:-default}` and `${VAR:?message}` in values; `$${` is a plain `${`.

What came from the environment may be a secret: a value keeps the text that is printed instead,
with `${VAR}` in it, unless the variable is listed under `show_variables`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from reportgen.config.faults import Faults
from reportgen.config.yaml.characters import unfit
from reportgen.config.yaml.scalars import resolve
from reportgen.config.yaml.tree import Entry, Items, Node, Scalar
from reportgen.errors import did_you_mean

VARIABLE = re.compile(
    r"\$\$\{|\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(:(?P<how>[-?])(?P<word>[^{}]*))?\}|(?P<bad>\$\{)"
)


@dataclass(frozen=True)
class Environment:
    """The variables that a config may read, and those whose values may be shown."""

    values: Mapping[str, str]
    shown: Collection[str]
    faults: Faults

    def fill(self, node: Node) -> Node:
        """The tree with its variables filled in, values only."""
        if isinstance(node, Scalar):
            return self._scalar(node)
        if isinstance(node, Items):
            return replace(node, items=tuple(self.fill(item) for item in node.items))
        for key, entry in node.entries.items():
            if "${" in key:
                self.faults.settle(entry.mark, f"{key!r}: variables stand in values, not in keys")
        return replace(
            node,
            entries={key: Entry(e.mark, self.fill(e.node)) for key, e in node.entries.items()},
        )

    def _scalar(self, node: Scalar) -> Scalar:
        if "${" not in node.written:
            return node
        hidden: list[str] = []
        text = VARIABLE.sub(lambda match: self._value(match, node, hidden), node.written)
        whole = VARIABLE.fullmatch(node.written)
        is_typed = node.is_plain or (whole is not None and whole["name"] is not None)
        secret = VARIABLE.sub(self._printed, node.written) if hidden else None
        return replace(node, value=resolve(text) if is_typed else text, written=text, secret=secret)

    def _value(self, match: re.Match[str], node: Scalar, hidden: list[str]) -> str:
        name, how, word = match["name"], match["how"], match["word"]
        if match["bad"]:
            self.faults.settle(
                node.mark,
                "'${' begins no variable: write ${NAME}, ${NAME:-default} or ${NAME:?message}, "
                "or $${ for a plain ${",
            )
            return ""
        if name is None:
            return "${"
        value = self.values.get(name)
        if value is not None and unfit(value):
            said = "holds bytes that are no text; set it to UTF-8"
            self.faults.settle(node.mark, f"the environment variable {name} {said}")
            return ""
        if value is not None and (value or not how):
            hidden += [] if name in self.shown else [name]
            return value
        if how == "-":
            return str(word)
        self.faults.settle(node.mark, self._unset(name, how, word))
        return ""

    def _unset(self, name: str, how: str | None, word: str | None) -> str:
        if how == "?" and word:
            return f"the environment variable {name} is not set: {word}"
        near = did_you_mean(name, self.values)
        hint = f" ({near})" if near.startswith("did") else ""
        fact = f"the environment variable {name} is not set{hint}"
        return f"{fact}; set it, or write ${{{name}:-default}}"

    def _printed(self, match: re.Match[str]) -> str:
        name = match["name"]
        if name is None:
            return match[0]
        value = self.values.get(name)
        if value is None or (not value and match["how"]):
            return str(match["word"] or "")
        return value if name in self.shown else f"${{{name}}}"
