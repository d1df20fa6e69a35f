"""What can have moved a number: rows, labels, scores, rule, code, environment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from reportgen.digests import rule
from reportgen.results import DatasetDigests, Plain, Results
from reportgen.results.changes import Cause, RuleChange

_FIRST = ("primary", "gates", "comparisons", "bootstrap")
SEED = "bootstrap.seed"
_LONGEST = 80


def rule_changes(before: Results, now: Results) -> tuple[RuleChange, ...]:
    """The keys of the rule that differ, what decides first; values are of the resolved configs.

    Of two versions of this program the keys that only one of them knows are not told.
    """
    return differing(
        rule(before.config), rule(now.config), is_one_version=_version(before) == _version(now)
    )


def differing(before: Plain, now: Plain, *, is_one_version: bool) -> tuple[RuleChange, ...]:
    """The keys that differ between two rules as `digests.rule` gives them."""
    was, new = _flat(before), _flat(now)
    keys = was.keys() | new.keys() if is_one_version else was.keys() & new.keys()
    found = [
        RuleChange(key, was.get(key, ""), new.get(key, ""))
        for key in sorted(keys, key=_order)
        if was.get(key) != new.get(key)
    ]
    return tuple(found)


def causes(before: Results, now: Results, changed: tuple[RuleChange, ...]) -> tuple[Cause, ...]:
    """Everything that can have moved a number, and whether it changed."""
    return (
        *_of_data(before, now),
        *_of_rule([each.key for each in changed]),
        _of_digest("code", before, now),
        _of_environment(before, now),
    )


def _of_rule(changed: list[str]) -> Iterator[Cause]:
    """The rule, and the seed of the resamples apart from it."""
    others = [key for key in changed if key != SEED]
    yield Cause("rule", bool(others), f"{len(others)} keys" if len(others) > 1 else "")
    yield Cause("seed", SEED in changed)


def because(found: tuple[Cause, ...]) -> str:
    """The one cause that differs; or why nobody can tell; "" where nothing differs."""
    changed = [cause for cause in found if cause.is_changed]
    unknown = [cause.name for cause in found if cause.is_changed is None]
    if unknown:
        what = _listed([cause.name for cause in changed]) or "none that is known"
        return (
            f"Changed: {what}. Whether {_listed(unknown)} changed too cannot be told, so no cause "
            "is named."
        )
    if not changed:
        return ""
    if len(changed) == 1:
        if changed[0].name == "rule":
            return "Only the rule changed: whatever differs follows from it."
        detail = f" ({changed[0].detail})" if changed[0].detail else ""
        return f"What moved, moved because of the {changed[0].name}{detail}: nothing else differs."
    return (
        f"The {_listed([cause.name for cause in changed])} changed together; this cannot tell them "
        "apart."
    )


def _of_data(before: Results, now: Results) -> Iterator[Cause]:
    pairs = _datasets(before, now)
    if not pairs or any(None in pair for pair in pairs):
        yield from (Cause(name, None) for name in ("rows", "labels", "scores"))
        return
    both = [(a, b) for a, b in pairs if a is not None and b is not None]
    has_same_ids = all(a.ids == b.ids for a, b in both)
    yield Cause("rows", not has_same_ids)
    if not has_same_ids:
        yield Cause("labels", None, "the rows are others")
        yield Cause("scores", None, "the rows are others")
        return
    yield Cause("labels", any(a.rows != b.rows for a, b in both))
    moved = sorted({
        model for a, b in both for model in a.scores.keys() & b.scores.keys()
        if a.scores[model] != b.scores[model]
    })  # fmt: skip
    yield Cause("scores", bool(moved), _listed([_of_version(before, now, m) for m in moved]))


def _of_version(before: Results, now: Results, model: str) -> str:
    """What a model is called, and of which version it was and is, where both are stated."""
    was, new = (next((m for m in r.models if m.name == model), None) for r in (before, now))
    label = model if new is None else new.label
    if was is None or new is None or None in (was.version, new.version):
        return label
    return label if was.version == new.version else f"{label}, {was.version} → {new.version}"


def _datasets(
    before: Results, now: Results
) -> list[tuple[DatasetDigests | None, DatasetDigests | None]]:
    """The digests of the datasets that the present run judges, in both runs."""
    found = []
    for info in now.datasets:
        first, second = (
            next((d for d in r.digests.datasets if d.dataset == info.name), None)
            if r.digests
            else None
            for r in (before, now)
        )
        found.append((first, second))
    return found


def _of_digest(name: str, before: Results, now: Results) -> Cause:
    if before.digests is None or now.digests is None:
        same = _version(before) == _version(now)
        return Cause(name, None if same else True)
    return Cause(name, getattr(before.digests, name) != getattr(now.digests, name))


def _of_environment(before: Results, now: Results) -> Cause:
    """Versions of libraries and of Python, and the kind of machine."""
    was, new = _environment(before), _environment(now)
    names = sorted(name for name in was.keys() & new.keys() if was[name] != new[name])
    told = [f"{name} {was[name]} → {new[name]}" for name in names]
    return Cause("environment", bool(told), "; ".join(told))


def _environment(results: Results) -> dict[str, str]:
    found = results.provenance
    versions = found.get("versions")
    known = dict(versions) if isinstance(versions, Mapping) else {}
    known.pop("reportgen", None)
    known |= {name: found[name] for name in ("python", "platform") if name in found}
    return {str(name): str(value) for name, value in known.items()}


def _version(results: Results) -> str:
    versions = results.provenance.get("versions")
    return str(versions.get("reportgen", "")) if isinstance(versions, Mapping) else ""


def _flat(value: Any, place: str = "") -> dict[str, str]:
    """Every value of a config by its place; of a list of named things the place has their name."""
    if isinstance(value, Mapping):
        items = [(str(key), each) for key, each in value.items()]
    elif isinstance(value, list | tuple):
        items = [(_name(each, k), each) for k, each in enumerate(value)]
    else:
        return {place: _text(value)}
    if not items:
        return {place: "none"} if place else {}
    found: dict[str, str] = {}
    for key, each in items:
        found |= _flat(each, f"{place}.{key}" if place else key)
    return found


def _name(each: Any, place: int) -> str:
    if isinstance(each, Mapping) and each.get("rule"):
        return f"{place} {each['rule']} {each.get('metric', '')}".strip()
    known = (each.get(key) for key in ("as", "name", "column")) if isinstance(each, Mapping) else ()
    return next((str(name) for name in known if name), str(place))


def _text(value: object) -> str:
    if isinstance(value, float) and value == int(value):
        value = int(value)
    told = "none" if value is None else str(value)
    return told if len(told) <= _LONGEST else told[: _LONGEST - 1] + "…"


def _order(key: str) -> tuple[int, str]:
    first = key.partition(".")[0]
    return (_FIRST.index(first) if first in _FIRST else len(_FIRST)), key


def _listed(names: list[str]) -> str:
    return (
        names[0]
        if len(names) == 1
        else ", ".join(names[:-1]) + " and " * bool(names) + (names[-1] if names else "")
    )
