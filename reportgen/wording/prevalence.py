"""At which shares of the classes values are told, where these are not the shares of the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reportgen.results import ClassInfo, DatasetInfo
from reportgen.wording.names import listed, name
from reportgen.wording.numbers import percent
from reportgen.wording.targets import positive

_SHOWN = 4  # classes of which shares are told in a sentence


def weighted_to(config: Mapping[str, object], dataset: DatasetInfo) -> str:
    """To which shares rows are weighted, in a few words; "" where none are declared."""
    found = _keys(config).get("target")
    return f"weighted to {_shares(found, dataset)}" if found is not None else ""


def weights(config: Mapping[str, object], dataset: DatasetInfo) -> str:
    """The same as sentences, with what it does to weights and probabilities."""
    said = weighted_to(config, dataset)
    if not said:
        return ""
    before = _keys(config).get("trained_at")
    many = name(dataset.case[1])
    moved = "" if before is None else (
        f" Probabilities are moved from {_shares(before, dataset)} to that by their odds."
    )  # fmt: skip
    return (
        f"The {many} of each class are {said} and drawn within it, so that every resample has "
        f"these shares.{moved}"
    )


def _keys(config: Mapping[str, object]) -> Mapping[str, object]:
    found = config.get("prevalence")
    return found if isinstance(found, dict) else {}


def _shares(found: object, dataset: DatasetInfo) -> str:
    if not isinstance(found, dict):
        share = found if isinstance(found, float | int) else 0.0
        return f"{percent(share)} {positive(dataset)}"
    most = sorted(found.items(), key=lambda each: -float(each[1]))
    told = [f"{percent(float(share))} {_named(value, dataset.classes)}"
            for value, share in most[:_SHOWN]]  # fmt: skip
    rest = len(most) - _SHOWN
    return listed([*told, f"{rest} other classes"] if rest > 0 else told)


def _named(value: str, classes: Sequence[ClassInfo]) -> str:
    return name(next((each.name for each in classes if each.value == value), value), 40)
