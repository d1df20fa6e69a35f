"""Messages that a team writes in place of those of the package, one by one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from jinja2 import meta
from jinja2.exceptions import TemplateError

from reportgen.errors import UsageError, did_you_mean
from reportgen.report.facts import list_names
from reportgen.report.prose.checking import find_wrong_names, list_keys
from reportgen.report.prose.messages import Catalogue, Message, read_messages
from reportgen.report.prose.samples import list_kinds

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
