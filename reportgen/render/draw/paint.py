"""What a role looks like: its colour, dash, marker and width."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Dash = Literal["-"] | tuple[float, tuple[float, ...]]
_DASHES: Mapping[str, Dash] = {
    "candidate2": (0, (5, 2)),
    "candidate3": (0, (2, 1.3)),
    "candidate4": (0, (6, 1.5, 1.5, 1.5)),
    "candidate5": (0, (3.5, 1.5)),
    "candidate6": (0, (8, 2)),
    "candidate7": (0, (1.2, 1.2)),
    "candidate8": (0, (6, 1.5, 1.5, 1.5, 1.5, 1.5)),
    "candidate9": (0, (3, 3)),
    "worse": (0, (4, 1.5)),
    "reference": (0, (3, 2.5)),
}
_MARKERS: Mapping[str, str] = {
    "baseline": "s", "candidate1": "o", "candidate2": "^", "candidate3": "D", "candidate4": "v",
    "candidate5": "P", "candidate6": "X", "candidate7": "<", "candidate8": ">",
    "candidate9": "p", "worse": "o", "reference": "s", "other": "o",
}  # fmt: skip


@dataclass(frozen=True)
class Paint:
    """The colours by part, and how far a simplified line may be from the true one."""

    colours: Mapping[str, str]
    tolerance: float

    def of(self, role: str) -> str:
        """The colour of a role, or of another part of the page."""
        return self.colours[role]

    def of_text(self, role: str) -> str:
        """The colour of the name of a role: what is thin and pale is named in soft letters."""
        return self.colours["soft" if role == "other" else role]

    def width(self, role: str, is_thin: bool = False) -> float:
        """How thick the line of a role is, in points."""
        return 0.9 if is_thin or role == "other" else 1.7

    def dash(self, role: str) -> Dash:
        """The dashes that tell a role without colour."""
        return _DASHES.get(role, "-")

    def marker(self, role: str) -> str:
        """The marker that tells a role without colour."""
        return _MARKERS[role]


def opacity(role: str) -> float:
    """How much a stretch covers: one of no model is pale."""
    return 0.15 if role == "reference" else 0.55
