"""Asymmetries in words: α with the cost ratio that it stands for, or c of an exponential loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from reportgen.results import Number
from reportgen.wording.numbers import plain_form

_MOST_DIGITS = 8


@dataclass(frozen=True)
class Asymmetries:
    """The axis of a loss: its letter, and the ends beyond which nothing is looked at."""

    symbol: Literal["α", "c"] = "α"
    low: float = 0.0
    high: float = 1.0

    @classmethod
    def of(cls, reaches: Number) -> Asymmetries:
        """The axis of a cost model: of c where it says how far that reaches."""
        return cls() if reaches is None else cls("c", -reaches, reaches)

    @property
    def has_ratio(self) -> bool:
        """Whether an asymmetry stands for a ratio of costs."""
        return self.symbol == "α"

    def number(self, value: float, beside: Sequence[float] = ()) -> str:
        """An asymmetry as a number alone: three decimals of α, three digits of c.

        As many more as tell it from others that stand `beside` it, and an α from an end.

        >>> Asymmetries().number(0.8), Asymmetries("c", -1, 1).number(-0.012345)
        ('0.8', '−0.0123')
        >>> Asymmetries().number(0.000403), Asymmetries().number(0.99996), Asymmetries().number(1)
        ('0.0004', '0.99996', '1')
        >>> Asymmetries().number(0.91973, (0.92004,)), Asymmetries().number(0.92004, (0.91973,))
        ('0.9197', '0.92')
        """
        others = {*beside, *((0.0, 1.0) if self.has_ratio else ())}
        others -= {value}
        rounded = next(
            (
                x
                for d in range(3, _MOST_DIGITS)
                if (x := self._rounded(value, d))
                not in {self._rounded(other, d) for other in others}
            ),
            self._rounded(value, 3),
        )
        return plain_form(rounded).number(rounded)

    def _rounded(self, value: float, digits: int) -> float:
        return round(value, digits) if self.has_ratio else float(f"{value:.{digits}g}")

    def place(self, value: float) -> str:
        """An asymmetry with what it stands for.

        >>> Asymmetries().place(0.8), Asymmetries("c", -1, 1).place(0.02)
        ('α = 0.8 (4 : 1)', 'c = 0.02')
        """
        plain = f"{self.symbol} = {self.number(value)}"
        return f"{plain} ({ratio(value)})" if self.has_ratio else plain

    def stretch(self, low: float, high: float) -> str:
        """A stretch in words, with the cost ratios that it stands for.

        >>> Asymmetries().stretch(0.8, 1.0)
        'from α = 0.8 (a ratio of 4 : 1) up'
        >>> Asymmetries().stretch(0.0, 0.5), Asymmetries("c", -1, 1).stretch(-1, 1)
        ('up to α = 0.5 (a ratio of 1 : 1)', 'at every c')
        """
        if low <= self.low and high >= self.high:
            return f"at every {self.symbol}"
        if high >= self.high:
            return f"from {self._named(low)} up"
        if low <= self.low:
            return f"up to {self._named(high)}"
        ends = f" (ratios of {ratio(low)} to {ratio(high)})" if self.has_ratio else ""
        return f"from {self.symbol} = {self._between(low, high)}{ends}"

    def span(self, low: float, high: float) -> str:
        """A stretch in few words.

        >>> Asymmetries().span(0.2, 1.0), Asymmetries().span(0.2, 0.7)
        ('from α = 0.2 up', 'from 0.2 to 0.7')
        """
        if low <= self.low and high >= self.high:
            return f"at every {self.symbol}"
        if high >= self.high:
            return f"from {self.symbol} = {self.number(low)} up"
        if low <= self.low:
            return f"up to {self.symbol} = {self.number(high)}"
        return f"from {self._between(low, high)}"

    def ratios(self, low: float, high: float) -> str:
        """A stretch as cost ratios where there are any, in few words.

        >>> Asymmetries().ratios(0.8, 1.0), Asymmetries().ratios(0.0, 0.5)
        ('from 4 : 1 up', 'up to 1 : 1')
        >>> Asymmetries().ratios(0.5, 0.8), Asymmetries("c", -1, 1).ratios(0.2, 1)
        ('from 1 : 1 to 4 : 1', 'from c = 0.2 up')
        """
        if not self.has_ratio:
            return self.span(low, high)
        if low <= self.low and high >= self.high:
            return "at every cost ratio"
        if high >= self.high:
            return f"from {ratio(low)} up"
        return f"up to {ratio(high)}" if low <= self.low else f"from {ratio(low)} to {ratio(high)}"

    def _between(self, low: float, high: float) -> str:
        return f"{self.number(low, (high,))} to {self.number(high, (low,))}"

    def _named(self, value: float) -> str:
        plain = f"{self.symbol} = {self.number(value)}"
        return f"{plain} (a ratio of {ratio(value)})" if self.has_ratio else plain


ALPHA = Asymmetries()


def ratio(alpha: float) -> str:
    """How many times as much too low costs as too high, as two numbers.

    >>> ratio(0.8), ratio(0.2), ratio(0.5), ratio(1.0), ratio(0.0)
    ('4 : 1', '1 : 4', '1 : 1', '1 : 0', '0 : 1')
    """
    if alpha in (0.0, 1.0):
        return "1 : 0" if alpha else "0 : 1"
    high, low = (alpha, 1 - alpha) if alpha >= 0.5 else (1 - alpha, alpha)
    times = times_of(high / low)
    return f"{times} : 1" if alpha >= 0.5 else f"1 : {times}"


def times_of(times: float) -> str:
    """A ratio with two or three digits."""
    rounded = round(times, 0 if times >= 10 else 1)
    return plain_form(rounded).number(rounded)
