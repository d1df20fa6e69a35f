"""Who makes a pass over the row groups: threads of this process, or others that can be given it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol, TypeVar

from reportgen.data.groups import RowGroup
from reportgen.passes import Pass

Part = TypeVar("Part")


class Engine(Protocol):
    """What makes a pass over row groups."""

    @property
    def threads(self) -> int:
        """How many row groups a process holds at a time, at most."""

    @property
    def holding(self) -> str:
        """The same in words."""

    def parts(self, work: Pass[Part], groups: Sequence[RowGroup]) -> Iterator[Part]:
        """What the work finds of each row group, in their order."""


@dataclass(frozen=True)
class Threads:
    """Threads of this process."""

    threads: int

    @property
    def holding(self) -> str:
        """How many there are, in words."""
        return f"--threads {self.threads}"

    def parts(self, work: Pass[Part], groups: Sequence[RowGroup]) -> Iterator[Part]:
        """What the work finds of each row group, in their order."""
        with ThreadPoolExecutor(self.threads) as pool:
            for start in range(0, len(groups), self.threads):
                yield from pool.map(work, groups[start : start + self.threads])
