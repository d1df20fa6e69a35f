"""Messages of the user: check them, begin a file of them, and let them replace the product's."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from itertools import product
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from jinja2 import meta, nodes
from jinja2.exceptions import TemplateError

from reportgen.errors import UsageError, did_you_mean
from reportgen.report.facts import Fact, Limits, Quantity, fill_key, list_key_fields, list_names
from reportgen.report.prose.messages import Catalogue, Message, read_messages
from reportgen.report.wording.numbers import NumberFormat
from reportgen.terms import INPUT_CHECKS

_TEXTS: Mapping[str, str] = {
    "candidate": "Gradient boosting",
    "model": "Gradient boosting",
    "baseline": "CLV",
    "metric": "mean absolute error",
    "heading": "Mean absolute error",
    "rows": "customers",
    "needs": "< $40",
    "answer_model": "RFM",
    "where": "repeat customers",
    "gain": "is better on customer ranking",
    "case": "customer",
    "cases": "customers",
    "units": "queries",
    "one": "customer",
    "many": "customers",
    "label": "churned",
    "verdict": "clearly better",
    "purpose": "ranking customers",
    "ranked": "customers",
    "other": "mean absolute error",
    "other_verdict": "worse",
    "other_purpose": "predicting amounts",
    "requirement": "its error is below 28 min",
    "name": "error in bounds",
    "reference": "always predicting $0",
    "problem": "RFM makes no errors",
    "share": "30%",
    "metrics": "metric",
}
_LEFT_OUT = ("where", "share")
"""Texts that may be missing."""
_COUNT = 3


def list_kinds() -> list[type[Fact]]:
    """List all kinds of facts, in reading order."""
    return Fact.__subclasses__()


def make_samples(kind: type[Fact]) -> Iterator[Fact]:
    """Make a kind of fact in each of its shapes.

    For each message: with all that may be missing, without it, and with one field changed at a
    time: each flag, each other word, each count at 0 and 1, each list with one item.
    """
    hints = get_type_hints(kind)
    names = list_key_fields(kind)
    order = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    for chosen in product(*(get_args(hints[name]) for name in names)):
        own = dict(zip(names, chosen, strict=True))
        full, bare = (
            {name: own.get(name, _make_value(name, hints[name], is_full=is_full)) for name in order}
            for is_full in (True, False)
        )
        changed = (
            {**full, name: other}
            for name in full
            if name not in own
            for other in _list_other_values(hints[name], full[name])
        )
        for values in (full, bare, *changed):
            if values.get("is_size"):  # only a metric of which 0 is best has an absolute value
                values = {**values, "metric": "bias"}
            with suppress(ValueError):
                yield kind(**values)


def _list_other_values(hint: Any, value: Any) -> tuple[Any, ...]:
    if hint is bool:
        return (False,)
    if hint is int:
        return (0, 1)
    if get_origin(hint) is Literal:
        return tuple(each for each in get_args(hint) if each != value)
    if type(None) in get_args(hint):
        return (None,)
    return (value[:1],) if isinstance(value, tuple) else ()


def _make_value(name: str, hint: Any, *, is_full: bool) -> Any:
    """Make a realistic value of a field; nothing where it may be missing and `is_full` is False."""
    if get_origin(hint) in (Union, UnionType):
        inner = next(each for each in get_args(hint) if each is not type(None))
        return _make_value(name, inner, is_full=True) if is_full else None
    if get_origin(hint) is Literal:
        return get_args(hint)[0]
    if get_origin(hint) is tuple and issubclass(get_args(hint)[0], Fact):
        return tuple(make_samples(get_args(hint)[0]))[:_COUNT]
    if get_origin(hint) is tuple:
        return tuple(f"{_TEXTS.get(name, name)} {number}" for number in (1, 2, 3))
    if isinstance(hint, type) and issubclass(hint, Fact):
        return next(make_samples(hint))
    form = NumberFormat(2, "$")
    simple: Mapping[Any, Any] = {
        str: _TEXTS.get(name, name)
        if is_full or (name in _TEXTS and name not in _LEFT_OUT)
        else "",
        bool: is_full,
        int: _COUNT,
        Quantity: Quantity(5.3, form),
        Limits: Limits(-1.2, 2.4, form),
    }
    return simple[hint]


_PACKAGE = Path(__file__).parents[2]
_RESERVED = frozenset("true false none True False None loop self not and or is in if".split())
"""Names that Jinja keeps for itself: a field of such a name would print nothing."""
CHECK_PARTS = ("rule", "finding", "evidence", "likely", "fix", "passed", "failed")
"""What each check of the input has a message for."""
_CHECK_KEYS = {f"check.{name}.{part}" for name in (*INPUT_CHECKS, "hidden") for part in CHECK_PARTS}
_OF_WARNING = re.compile(
    r"warning\.W\d{3}\.(title|text|brief|consequence|topic|meaning|matters|remedy)"
)
_DEEPEST_IF = 2
_COUNTS = (0, 1)
"""Numbers that a message may compare a count with; any other comparison is a property of a fact."""


def find_problems(catalogue: Catalogue) -> Iterator[str]:
    """Find messages that are missing, unused or wrong, each with its file and line."""
    kinds = {key: kind for kind in list_kinds() for key in list_keys(kind)}
    calls = dict(_iter_calls())
    groups = {key for key in calls if "." not in key} | set(_iter_term_groups(catalogue))
    for kind in list_kinds():
        yield from _find_reserved_names(kind)
    for key, kind in kinds.items():
        if key not in catalogue.messages:
            yield f"{kind.__name__}: no message {key!r}"
    for key, place in calls.items():
        if key not in catalogue.messages and f"{key}." not in _list_groups(catalogue):
            yield f"{place[0]}: no message {key!r}"
    every = Counter(message.key for message in read_messages(catalogue.folder))
    yield from (f"two messages have the key {key!r}" for key, n in every.items() if n > 1)
    for message in catalogue.messages.values():
        known = kinds.get(message.key)
        called = calls.get(message.key)
        is_term = message.key.partition(".")[0] in groups
        is_of_check = message.key in _CHECK_KEYS or _OF_WARNING.fullmatch(message.key)
        if known is None and called is None and not is_term and not is_of_check:
            yield f"{message.place}: no fact and no call uses it"
        yield from _check_message(catalogue, message, known, called)


def list_keys(kind: type[Fact]) -> list[str]:
    """List the keys of all messages that a kind of fact may need."""
    hints, names = get_type_hints(kind), list_key_fields(kind)
    choices = product(*(get_args(hints[name]) for name in names))
    return [fill_key(kind.message, dict(zip(names, each, strict=True))) for each in choices]


def _iter_term_groups(catalogue: Catalogue) -> Iterator[str]:
    """Iterate over the closed lists that the filter `term` looks up."""
    for message in catalogue.messages.values():
        for wording in message.wordings:
            with suppress(TemplateError):  # which `_check_message` reports
                tree = catalogue.environment.parse(wording)
                filters = (each for each in tree.find_all(nodes.Filter) if each.name == "term")
                yield from (str(each.args[0].as_const()) for each in filters)


def _list_groups(catalogue: Catalogue) -> set[str]:
    return {f"{key.partition('.')[0]}." for key in catalogue.messages}


def _find_reserved_names(kind: type[Fact]) -> Iterator[str]:
    for name in list_names(kind):
        if name in _RESERVED or hasattr(Fact, name):
            yield f"{kind.__name__}: rename the field {name!r}, which has a meaning of its own"


def _check_message(
    catalogue: Catalogue,
    message: Message,
    kind: type[Fact] | None,
    call: tuple[str, set[str]] | None,
) -> Iterator[str]:
    used: set[str] = set()
    for wording in message.wordings:
        try:
            catalogue.environment.from_string(wording)
            tree = catalogue.environment.parse(wording)
        except TemplateError as error:
            yield f"{message.place}: {error}"
            return
        used |= meta.find_undeclared_variables(tree)
        if kind is not None:
            yield from (f"{message.place}: {text}" for text in find_wrong_names(tree, kind))
        yield from (f"{message.place}: {text}" for text in _find_logic(tree))
        if not any(part.strip(" .,;:\n") for part in _iter_plain_texts(tree)):
            yield f"{message.place}: has no words of its own"
    if call is not None:
        place, given = call
        yield from (f"{place}: {message.key!r} needs {name!r}" for name in sorted(used - given))
        yield from (f"{place}: {message.key!r} has no {name!r}" for name in sorted(given - used))


def _iter_plain_texts(tree: nodes.Template) -> Iterator[str]:
    yield from (data.data for data in tree.find_all(nodes.TemplateData))
    yield from (const.value for const in tree.find_all(nodes.Const) if isinstance(const.value, str))


def _find_logic(tree: nodes.Template) -> Iterator[str]:
    """Find what belongs in a fact: deep nesting, and comparisons of numbers other than 0 and 1."""
    if _measure_depth(tree) > _DEEPEST_IF:
        yield "nests its conditions too deeply; make messages or properties of them"
    for compare in tree.find_all(nodes.Compare):
        for operand in compare.ops:
            value = getattr(operand.expr, "value", "")
            if not isinstance(value, str) and value not in _COUNTS:
                yield f"line {compare.lineno}: compares numbers; make it a property of the fact"


def _measure_depth(node: nodes.Node) -> int:
    """Count the conditions inside one another; an `elif` has the depth of its `if`."""
    others = node.elif_ if isinstance(node, nodes.If) else []
    inner = [_measure_depth(each) for each in node.iter_child_nodes() if each not in others]
    own = max(inner, default=0) + isinstance(node, nodes.If)
    return max([own, *map(_measure_depth, others)])


def find_wrong_names(tree: nodes.Template, kind: type[Fact]) -> Iterator[str]:
    """Find names that a message uses and its kind of fact does not have."""
    types = _list_types(kind)
    for name in sorted(meta.find_undeclared_variables(tree) - types.keys()):
        yield f"{name!r} is undefined; it has {', '.join(list_names(kind))}"
    for part in tree.find_all(nodes.Getattr):
        owner = _find_type(part.node, types)
        if owner is not None and _find_attribute(owner, part.attr) is None:
            yield f"line {part.lineno}: {getattr(owner, '__name__', owner)} has no {part.attr!r}"


def _list_types(kind: type[Any]) -> dict[str, Any]:
    """Map the fields and properties of a class to their types."""
    types = dict(get_type_hints(kind)) if is_dataclass(kind) else {}
    for each in kind.__mro__:
        for name, value in vars(each).items():
            if isinstance(value, property) and value.fget is not None:
                types.setdefault(name, get_type_hints(value.fget).get("return", Any))
    return types


def _find_type(node: nodes.Node, types: Mapping[str, Any]) -> Any:
    """Find the type of an expression; None where it is not known."""
    if isinstance(node, nodes.Name):
        return types.get(node.name)
    owner = _find_type(node.node, types) if isinstance(node, nodes.Getattr) else None
    return None if owner is None else _find_attribute(owner, node.attr)  # type: ignore[attr-defined]


def _find_attribute(owner: Any, name: str) -> Any:
    """Find the type of an attribute; None where no member of a union has it."""
    if get_origin(owner) in (Union, UnionType):
        members = (
            _find_attribute(each, name) for each in get_args(owner) if each is not type(None)
        )
        return next((found for found in members if found is not None), None)
    if owner is Any:
        return Any
    if get_origin(owner) is Literal or not isinstance(owner, type):
        return None
    return _list_types(owner).get(name) or (Any if hasattr(owner, name) else None)


def _iter_calls() -> Iterator[tuple[str, tuple[str, set[str]]]]:
    """Iterate over the keys that `prose.line`, `text`, `phrase` and `term` are called with.

    Each comes with its place and the names that the call gives. A key is written out, so that a
    search for it finds the message and the call.
    """
    for path in sorted(_PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "prose." in text else ():
            if isinstance(node, ast.Call) and _is_prose_call(node.func):
                key = node.args[0]
                place = f"{path.relative_to(_PACKAGE)}:{node.lineno}"
                given = {str(each.arg) for each in node.keywords} - {"most_words"}
                value = key.value if isinstance(key, ast.Constant) else ast.unparse(key)
                yield str(value), (place, given)


def _is_prose_call(function: ast.expr) -> bool:
    return (
        isinstance(function, ast.Attribute)
        and function.attr in ("line", "phrase", "term", "text")
        and isinstance(function.value, ast.Name)
        and function.value.id == "prose"
    )


LOCKED = ("answer.", "status.", "verdict.", "header.replaced")
"""Messages that no team replaces, so that other words hide no result."""


def replace_messages(built_in: Catalogue, folder: Path) -> Catalogue:
    """Return the catalogue with the messages of a folder in place of its own.

    Raises UsageError, with a line for each fault: a key that is unknown, locked or written twice, a
    syntax error, a filter or a name that the message does not have.
    """
    found = list(read_messages(folder))
    faults = [fault for message in found for fault in _find_faults(built_in, message)]
    keys = [message.key for message in found]
    faults += [
        f"{message.place}: stands here twice"
        for place, message in enumerate(found)
        if message.key in keys[:place]
    ]
    if faults:
        raise UsageError(*faults)
    made = Catalogue(built_in.folder, {message.key: message for message in found})
    made.environment.filters.update(built_in.environment.filters, term=made.find_term)
    return made


def _find_faults(built_in: Catalogue, message: Message) -> Iterator[str]:
    if message.key not in built_in.messages:
        near = did_you_mean(message.key, built_in.messages)
        yield f"{message.place}: replaces no message; {near}"
    elif message.key.startswith(LOCKED):
        yield f"{message.place}: cannot be replaced, so that a result reads alike everywhere"
    elif not any(message.wordings):
        yield f"{message.place}: has no text"
    else:
        yield from _find_faulty_wordings(built_in, message)


def _find_faulty_wordings(built_in: Catalogue, message: Message) -> Iterator[str]:
    kind = next((kind for kind in list_kinds() if message.key in list_keys(kind)), None)
    known = list_message_names(built_in, message.key)
    for wording in message.wordings:
        try:
            built_in.environment.from_string(wording)
            tree = built_in.environment.parse(wording)
        except TemplateError as error:
            yield f"{message.place}: {error.message}"
            continue
        if kind is not None:
            faults = find_wrong_names(tree, kind)
            yield from (f"{message.place}: {fault}" for fault in faults)
            continue
        for name in sorted(meta.find_undeclared_variables(tree) - set(known)):
            has = f"it has {', '.join(known)}" if known else "it has no values"
            yield f"{message.place}: {name!r} is undefined; {has}"


def format_messages(catalogue: Catalogue, beginning: str = "") -> str:
    """Format the messages whose key begins so, as a file that replaces them may have them.

    A note above each names its file and the values that it may use.
    """
    keys = [key for key in catalogue.messages if key.startswith(beginning)]
    if not keys:
        raise UsageError(
            f"no message begins with {beginning!r}; {did_you_mean(beginning, catalogue.messages)}"
        )
    return "\n\n".join(_format_message(catalogue, catalogue.messages[key]) for key in keys)


def _format_message(catalogue: Catalogue, message: Message) -> str:
    names = ", ".join(list_message_names(catalogue, message.key)) or "no values"
    note = f"# {Path(message.path).name}: {names}"
    wordings = "\n---\n".join(message.wordings)
    return f"{note}\n\n## {message.key}\n{wordings}"


def list_message_names(built_in: Catalogue, key: str) -> list[str]:
    """List the values that a message may name: those of its fact, or those that it uses."""
    kind = next((kind for kind in list_kinds() if key in list_keys(kind)), None)
    if kind is not None:
        return sorted(list_names(kind))
    parse = built_in.environment.parse
    trees = map(parse, built_in.messages[key].wordings)
    return sorted(set().union(*map(meta.find_undeclared_variables, trees)))
