"""Who makes a pass over the row groups: threads of this process, or others that can be given it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol, TypeVar

from reportgen.data.groups import RowGroup

Part = TypeVar("Part")


class Engine(Protocol):
    """What makes a pass over row groups."""

    @property
    def threads(self) -> int:
        """How many row groups a process holds at a time, at most."""

    def parts(self, work: Callable[[RowGroup], Part], groups: Sequence[RowGroup]) -> Iterator[Part]:
        """What the work finds of each row group, in their order."""


@dataclass(frozen=True)
class Threads:
    """Threads of this process."""

    threads: int

    def parts(self, work: Callable[[RowGroup], Part], groups: Sequence[RowGroup]) -> Iterator[Part]:
        """What the work finds of each row group, in their order."""
        with ThreadPoolExecutor(self.threads) as pool:
            for start in range(0, len(groups), self.threads):
                yield from pool.map(work, groups[start : start + self.threads])
