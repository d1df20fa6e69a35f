"""Format numbers: digits, signs, units, percent, p-values, intervals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from math import ceil, floor, isclose, isfinite, log10

from reportgen.records import record
from reportgen.results.types import Number

MINUS = "\u2212"
NO_BREAK = "\u00a0"
MISSING = "–"
PER_1000 = "per 1,000"  # the unit of rows counted of so many
CURRENCIES = frozenset("$€£¥₹")
_FINEST = 8
_LEAST = 2  # significant digits
_CURRENCY_CODES = frozenset(("AUD", "CAD", "CHF", "CNY", "EUR", "GBP", "INR", "JPY", "SEK", "USD"))
_MOST_MORE = 4  # decimals that one value may add to a row
_BOUND = 5  # decimals of a bound that is too small to matter
_LARGE = 1e15  # from here on, and for what is tiny, a power of ten is easier to read than zeros
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@record
class NumberFormat:
    r"""Format of the numbers of one quantity: decimals (below 0: tens, hundreds) and unit.

    A number gets more decimals where it would otherwise show fewer than `least` significant digits.
    Money has no decimals or two, never one.

    >>> NumberFormat(1, "$").amount(-5.3)
    '−$5.30'
    >>> NumberFormat(1, "dollars").amount(5.3, signed=True)
    '+5.3 dollars'
    >>> NumberFormat(1, "share").amount(0.0712)
    '7.1%'
    >>> NumberFormat(-4, least=2).number(240.03), NumberFormat(-4, least=2).number(130_000)
    ('240', '130,000')
    """

    decimals: int
    unit: str = ""
    least: int = 0

    def __post_init__(self) -> None:
        """Give money two decimals in place of one."""
        if self.decimals == 1 and is_money(self.unit):
            object.__setattr__(self, "decimals", 2)

    def number(self, value: Number, *, signed: bool = False) -> str:
        """The bare number; a share is printed in percent, so that its sign is part of it.

        What has a sign is a difference, and that of shares is one in percentage points, never in
        tens of them.

        >>> NumberFormat(1, "share").number(0.07, signed=True), NumberFormat(-1, "share").number(
        ...     0.48, signed=True)
        ('+7.0 points', '+48 points')
        """
        bare = self.bare(value, signed=signed)
        if self.unit != "share" or bare == MISSING:
            return bare
        return f"{bare} points" if signed else f"{bare}%"

    def bare(self, value: Number, *, signed: bool = False) -> str:
        """The number without a unit, a share in percent."""
        if value is None or not isfinite(value):
            return MISSING
        scaled = 100 * value if self.unit == "share" else value
        fewest = 0 if signed and self.unit == "share" else self.decimals
        return format_decimal(scaled, max(self.decimals_of(value), fewest), signed=signed)

    def amount(self, value: Number, *, signed: bool = False) -> str:
        """The number with its unit."""
        return add_unit(self.number(value, signed=signed), self.unit)

    def decimals_of(self, value: float) -> int:
        """With how many decimals a value is printed, in percent where it is a share.

        >>> NumberFormat(0, "share").decimals_of(0.55), NumberFormat(0, "share",
        ...     least=2).decimals_of(0.04)
        (0, 1)
        """
        scaled = 100 * value if self.unit == "share" else value
        decimals = _showing(self.least, scaled, self.decimals)
        return 2 if decimals == 1 and is_money(self.unit) else decimals

    def raise_decimals(self, fewest: int) -> NumberFormat:
        """The same with no fewer decimals than that."""
        return replace(self, decimals=max(self.decimals, fewest))

    def show_two_digits(self) -> NumberFormat:
        """The same for numbers of which each shows two significant digits."""
        return replace(self, least=_LEAST)

    def limit(self, value: Number, *, signed: bool = False) -> str:
        """A limit of an interval: one that is not 0 shows a digit, so that it never reads as 0.

        >>> NumberFormat(3).limit(0.0000213, signed=True), NumberFormat(3).limit(0.0)
        ('+0.00002', '0.000')
        """
        is_seen = not value or any(digit in self.bare(value) for digit in "123456789")
        form = self if is_seen else replace(self, least=1)
        return form.bare(value, signed=True) if signed else form.number(value)

    def interval(self, low: Number, high: Number, *, signed: bool = False) -> str:
        """Both bounds, without a unit; a bound that does not exist leaves the interval open.

        >>> NumberFormat(1, "share").interval(-1.0, -0.047, signed=True)
        'up to −4.7'
        >>> NumberFormat(2).interval(-0.35, -0.0004, signed=True)
        '−0.35 to −0.0004'
        """
        return self._join_bounds(low, high, "", signed)

    def plain_interval(self, low: Number, high: Number, *, signed: bool = False) -> str:
        """Both bounds as a number alone is printed: with a sign such as $, without a unit's name.

        >>> NumberFormat(2, "$ per case").plain_interval(-12.6, -5.02, signed=True)
        '−$12.60 to −$5.02'
        >>> NumberFormat(1, "min").plain_interval(27.6, None)
        '27.6 or more'
        """
        return self._join_bounds(low, high, find_currency(self.unit.partition(" per ")[0]), signed)

    def _join_bounds(self, low: Number, high: Number, unit: str, signed: bool) -> str:
        if signed:
            low, high = clip_share_limits(low, high, self.unit)
        first, last = (add_unit(self.limit(end, signed=signed), unit) for end in (low, high))
        if low is None and high is None:
            return MISSING
        if low is None:
            return f"up to {last}"
        if high is None:
            return f"{first} or more"
        return f"{first} to {last}"


Bounds = tuple[Number, Number]
"""The least and the greatest value that a metric can have; None where there is none."""


def choose_format(
    value: Number,
    low: Number,
    high: Number,
    unit: str = "",
    apart_from: tuple[Number, ...] = (),
    *,
    bounds: Bounds | None = None,
) -> NumberFormat:
    """The form that an interval's half width allows, or three digits where there is none.

    No number gets fewer than two significant digits. Up to two digits more are used to print a
    bound on the side of zero or of a margin (`apart_from`) where it lies: a bound of 0.0103 must
    not read 0.010 next to a margin of 0.01 that it passes. Rows counted of 1,000 are never rounded
    to tens, and have no decimals but to tell one from zero.

    >>> of = choose_format(126.98, 80.3, 195.6, PER_1000)
    >>> of.number(126.98), of.interval(80.3, 195.6), choose_format(0.3, 0.1, 0.9, PER_1000).number(
    ...     0.3)
    ('127', '80 to 196', '0.3')
    >>> choose_format(56.8, 0.0, None).number(56.8)  # a limit of zero tells nothing of precision
    '56.8'
    """
    scale = 100.0 if unit == "share" else 1.0
    low, high = clip_share_limits(low, high, unit)
    half = None if low is None or high is None else scale * (high - low) / 2
    one = low if high is None else high
    if half is None and one and value is not None:
        half = scale * abs(one - value) or None
    form = NumberFormat(
        _count_decimals(half, None if value is None else scale * value), unit, _LEAST
    )
    if unit == PER_1000:
        form = refine_from_zero(replace(form, decimals=max(form.decimals, 0), least=0), value)
    for _ in range(2):
        if not any(_collides(form, b, level) for b in (low, high) for level in apart_from):
            break
        form = replace(form, decimals=form.decimals + 1)
    if is_money(unit) and any(form.decimals_of(x) > 0 for x in (value, low, high) if x is not None):
        form = form.raise_decimals(2 * (form.decimals >= 0))
    return form if bounds is None else refine_format(form, (value,), bounds)


def refine_format(form: NumberFormat, values: Iterable[Number], bounds: Bounds) -> NumberFormat:
    """Return the format with the decimals that values need, for all numbers of their row.

    A value shows two significant digits. A value that is not at a bound of its metric does not read
    as that bound. A value that would need many more decimals than the others is ignored.

    >>> refine_format(NumberFormat(0), [1.40, 3.21], (0, None)).number(1.40)
    '1.4'
    >>> refine_format(NumberFormat(2, "1"), [0.9976, 0.9951], (-1, 1)).number(0.9976)
    '0.998'
    >>> refine_format(NumberFormat(0, "share"), [0.99996, 1.0], (0, 1)).number(0.99996)
    '99.996%'
    """
    seen = [value for value in values if value is not None and isfinite(value)]
    most = min(form.decimals + _MOST_MORE, _FINEST)
    showing = form.show_two_digits()
    needed = [showing.decimals_of(value) for value in seen]
    form = form.raise_decimals(max((d for d in needed if d <= most), default=form.decimals))
    while form.decimals < _FINEST and any(
        _collides(form, value, end) for value in seen for end in bounds if not _is_at(value, end)
    ):
        form = replace(form, decimals=form.decimals + 1)
    return form


def refine_from_zero(form: NumberFormat, *values: Number) -> NumberFormat:
    """The form with up to two decimals more, so that nothing but zero is printed as zero."""
    for _ in range(2):
        if not any(x and form.number(x) in ("0", form.number(0.0)) for x in values):
            break
        form = replace(form, decimals=form.decimals + 1)
    return form


def format_bin_bound(bound: float, unit: str = "") -> str:
    r"""Format the error of a number found from bins: two digits, rounded up; "" for 0.

    >>> format_bin_bound(0.0000171), format_bin_bound(0.0000171, "share"), format_bin_bound(0.0)
    ('±\xa00.000018 by the bins', '±\xa00.0018% by the bins', '')
    """
    return f"±{NO_BREAK}{format_bin_offset(bound, unit)} by the bins" if bound > 0 else ""


def format_bin_offset(bound: float, unit: str = "") -> str:
    """The same as a number alone, of a bound above 0; one that is tiny is rounded up to 0.00001.

    >>> format_bin_offset(0.00131), format_bin_offset(2.4e-7)
    ('0.0014', '0.00001')
    """
    size = 100 * bound if unit == "share" else bound
    decimals = max(1 - floor(log10(size)), 0) if size > 10.0**-_BOUND else _BOUND
    up = ceil(size * 10**decimals - 1e-9) / 10**decimals
    return f"{up:,.{decimals}f}{'%' * (unit == 'share')}"


def choose_declared_precision(value: Number, unit: str = "") -> NumberFormat:
    """The form for a number that somebody declared, as many digits as it has (at most 8).

    >>> choose_declared_precision(0.01).number(0.01), choose_declared_precision(1500).number(
    ...     1500), choose_declared_precision(40.5).number(40.5)
    ('0.01', '1,500', '40.5')
    """
    if value is None or not isfinite(value):
        return NumberFormat(0, unit)
    scaled = round(100 * value, 10) if unit == "share" else value
    digits = next((d for d in range(_FINEST) if round(scaled, d) == scaled), None)
    return NumberFormat(_FINEST, unit, _LEAST) if digits is None else NumberFormat(digits, unit)


def choose_declared_format(value: Number, unit: str = "") -> NumberFormat:
    """The form for a margin or bound: as it was declared, where that are four decimals at most.

    >>> choose_declared_format(0.01).number(0.01)
    '0.01'
    >>> choose_declared_format(0.6662348, "$").amount(0.6662348)
    '$0.666'
    """
    plain = choose_declared_precision(value, unit)
    return plain if plain.decimals <= 4 else choose_format(value, None, None, unit)


def format_decimal(value: float, decimals: int, *, signed: bool = False) -> str:
    r"""A number with thousands separators and U+2212; never a minus zero.

    From 1e15 up, or where it would begin with many zeros, a mantissa times a power of ten.

    >>> format_decimal(-1234.56, 1), format_decimal(0.018, 3, signed=True), format_decimal(-0.0001,
    ...     2, signed=True)
    ('−1,234.6', '+0.018', '0.00')
    >>> format_decimal(92_500, -3), format_decimal(1.94e34, 0), format_decimal(3.2e-9, 10)
    ('93,000', '1.94\xa0×\xa010³⁴', '3.2\xa0×\xa010⁻⁹')
    """
    is_tiny = 0 < abs(value) < 1e-6 and decimals > 6
    if abs(value) >= _LARGE or is_tiny or (abs(value) >= 1e12 and decimals > 6):
        return _scientific(value, decimals, signed)
    text = f"{abs(round_half_up(value, decimals)):,.{max(decimals, 0)}f}"
    if not any(digit in text for digit in "123456789"):
        return text
    sign = MINUS if value < 0 else ("+" if signed else "")
    return sign + text


def round_half_up(value: float, decimals: int = 0) -> Decimal:
    """Round as a reader does: halves away from zero, of the decimal number that a float stands for.

    Fifteen digits are those that a float keeps of any decimal number.

    >>> [str(round_half_up(x, 1)) for x in (0.25, 0.35, -0.25, 100 * 0.1445)]
    ['0.3', '0.4', '-0.3', '14.5']
    """
    return Decimal(f"{value:.15g}").quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)


def format_percent(share: Number, decimals: int | None = None) -> str:
    r"""A share in [0, 1] as percent: two digits, or as many decimals as asked.

    >>> format_percent(0.7), format_percent(0.0234), format_percent(0.0032), format_percent(
    ...     0.0004), format_percent(0.995, 1)
    ('70%', '2.3%', '0.32%', 'under 0.1%', '99.5%')
    """
    if share is None or not isfinite(share):
        return MISSING
    if decimals is None and 0 < share < 0.001:
        return "under 0.1%"
    if decimals is None and 0.9995 <= share < 1:
        return "over 99.9%"
    is_coarse = 0.0995 <= abs(share) < 0.995 or abs(share) >= 1
    fine = 2 if abs(share) < 0.00995 else 1
    chosen = (0 if is_coarse or not share else fine) if decimals is None else decimals
    return format_decimal(100 * share, chosen) + "%"


def format_bootstrap_fraction(share: Number, resamples: int) -> str:
    r"""A bootstrap fraction as percent: resamples are finite, so it is never quoted as certain.

    Nor finer than their number B allows: nothing under 1 / (B + 1), or under 0.1%, is distinct from
    it, and nothing that is as near to 1.

    >>> format_bootstrap_fraction(1.0, 1999), format_bootstrap_fraction(0.0,
    ...     1999), format_bootstrap_fraction(0.62, 1999)
    ('over 99.9%', 'under 0.1%', '62%')
    >>> format_bootstrap_fraction(0.0, 199), format_bootstrap_fraction(1.0,
    ...     199), format_bootstrap_fraction(0.0, 50)
    ('under 0.5%', 'over 99.5%', 'under 2%')
    """
    if share is None or not isfinite(share):
        return MISSING
    finest = ceil(1000 / (resamples + 1) - 1e-9) / 1000  # in whole tenths of a percent, upwards
    if share < finest:
        return f"under {choose_declared_precision(finest, 'share').number(finest)}"
    if share > 1 - finest:
        return f"over {choose_declared_precision(1 - finest, 'share').number(1 - finest)}"
    return format_percent(share)


def format_p_value(p: Number) -> str:
    """A p-value as it is quoted; never 0 and never 1.

    >>> format_p_value(0.0031), format_p_value(0.0004), format_p_value(0.2345), format_p_value(
    ...     0.99999), format_p_value(0.04996)
    ('p = 0.003', 'p < 0.001', 'p = 0.23', 'p > 0.99', 'p = 0.04996')
    """
    text = format_bare_p_value(p)
    return f"p {text}" if text[0] in "<>" else f"p = {text}"


def format_bare_p_value(p: Number) -> str:
    """A p-value for a column headed p.

    >>> format_bare_p_value(0.0004), format_bare_p_value(0.051), format_bare_p_value(None)
    ('< 0.001', '0.051', '–')
    """
    if p is None or not isfinite(p):
        return MISSING
    if p < 0.001:
        return "< 0.001"
    if p > 0.99:
        return "> 0.99"
    if p != 0.05 and format_decimal(p, 3) == "0.050":
        return format_decimal(p, 5)
    return format_decimal(p, 2 if p >= 0.0995 else 3)


def format_count(number: int | float | None, one: str = "", many: str = "") -> str:
    """A whole number, with its noun where one is given.

    >>> format_count(23570), format_count(1, "row"), format_count(2, "row"), format_count(3,
    ...     "query", "queries")
    ('23,570', '1 row', '2 rows', '3 queries')
    """
    if number is None:
        return MISSING
    noun = one if number == 1 else (many or f"{one}s")
    text = f"{round_half_up(number):,}"
    return f"{text} {noun}" if one else text


def format_effective_rows(number: float) -> str:
    """An effective number of rows, which need not be whole.

    >>> format_effective_rows(7.26), format_effective_rows(1234.5)
    ('7.3', '1,235')
    """
    return format_decimal(number, 0 if number >= 10 else 1)


def format_level(share: float) -> str:
    r"""A confidence level; one that was divided among comparisons by two digits of what is left.

    >>> format_level(0.95), format_level(0.9), format_level(0.975), format_level(0.9875)
    ('95%', '90%', '97.5%', '98.75%')
    >>> format_level(1 - 0.05 / 9), format_level(1 - 0.05 / 3)
    ('99.44%', '98.3%')
    """
    rest = 1 - round(share, 6)
    is_short = abs(float(f"{rest:.3g}") - rest) < 1e-9
    shown = round(share, 6) if is_short else 1 - float(f"{rest:.2g}")
    return choose_declared_precision(round(shown, 6), "share").number(shown)


def clip_share_limits(low: Number, high: Number, unit: str) -> tuple[Number, Number]:
    """The limits of a difference of shares, without one that no difference could pass.

    Few resamples give a limit at an end of what can be where they know nothing to that side.

    >>> clip_share_limits(-1.0, -0.047, "share"), clip_share_limits(0.2, 1.0, "share")
    ((None, -0.047), (0.2, 1.0))
    """
    if unit != "share" or low is None or high is None or low >= 0:
        return low, high
    return (None if low <= -1 else low), (None if high >= 1 else high)


def add_unit(text: str, unit: str) -> str:
    """A printed number with its unit: a currency sign before it, a word after it.

    >>> add_unit("−5.3", "€"), add_unit("5.3", "days"), add_unit("0.3", "1")
    ('−€5.3', '5.3 days', '0.3')
    >>> add_unit("−5.3", "€ per case"), add_unit("5.3", "€²")
    ('−€5.3 per case', '5.3 €²')
    """
    if text == MISSING or not has_unit(unit):
        return text
    if unit[0] in CURRENCIES and is_money(unit):
        sign = text[0] if text[0] in f"+{MINUS}" else ""
        return f"{sign}{unit[0]}{text[len(sign) :]}{unit[1:]}"
    return f"{text}%" if unit == "%" else f"{text} {unit}"


def find_currency(unit: str) -> str:
    """The currency sign that a unit is; "" for any other unit.

    >>> find_currency("$"), find_currency("EUR"), find_currency("$ per case")
    ('$', '', '')
    """
    return unit if unit in CURRENCIES else ""


def is_money(unit: str) -> bool:
    """Tell whether a unit counts money, per case or not.

    >>> [is_money(unit) for unit in ("$", "EUR per customer", "€/kWh", "€²", "days")]
    [True, True, True, False, False]
    """
    if unit[:1] in CURRENCIES:
        return unit[1:2] in ("", " ", "/")
    return unit[:3] in _CURRENCY_CODES and unit[3:4] in ("", " ", "/")


def has_unit(unit: str) -> bool:
    """Tell whether a unit is printed after the number: not for pure numbers and shares."""
    return unit not in {"", "1", "y", "y²", "share"}


def _count_decimals(half: float | None, value: float | None) -> int:
    if half is not None and half > 1e-300 and isfinite(half):
        return min(ceil(log10(3 / half)), _FINEST)
    if not value or not isfinite(value):
        return 0
    return min(max(2 - floor(log10(abs(value))), 0), _FINEST)


def _collides(form: NumberFormat, bound: Number, level_: Number) -> bool:
    if bound is None or level_ is None or bound == level_:
        return False
    return form.number(bound) == form.number(level_)


def _is_at(value: float, end: Number) -> bool:
    return end is not None and isclose(value, end, rel_tol=1e-9, abs_tol=1e-9)


def _showing(digits: int, value: float, decimals: int) -> int:
    """The decimals asked for, or as many more as show so many significant digits.

    >>> _showing(2, 240.03, -4), _showing(2, 0.0312, 1), _showing(2, 0.0312, 4)
    (-1, 3, 4)
    """
    if not value or not digits:
        return decimals
    return max(decimals, digits - 1 - floor(log10(abs(value))))


def _scientific(value: float, decimals: int, signed: bool) -> str:
    """With the digits that the decimals leave, one after the point at least and eight at most."""
    shown = decimals + floor(log10(abs(value)))
    # No decimals of a large number are a form without an interval: three digits, as elsewhere.
    places = 2 if decimals >= 0 and abs(value) >= 1 else min(max(shown, 1), _FINEST)
    mantissa, _, exponent = f"{abs(value):.{places}e}".partition("e")
    sign = MINUS if value < 0 else ("+" if signed else "")
    return f"{sign}{mantissa}{NO_BREAK}×{NO_BREAK}10{str(int(exponent)).translate(_RAISED)}"


def format_size(form: NumberFormat, value: Number) -> str:
    """Return how large a difference is, with its unit; of shares it is one in percentage points.

    >>> format_size(NumberFormat(1, "share"), 0.005), format_size(NumberFormat(0, "share"), 0.01)
    ('0.5 points', '1 point')
    """
    if form.unit != "share" or value is None or not isfinite(value):
        return form.amount(value)
    said = format_decimal(100 * value, max(form.decimals_of(value), 0))
    return f"{said} {'point' if said == '1' else 'points'}"


def format_fine_percent(share: float) -> str:
    r"""A share in [0, 1] as percent with three digits, for two that lie near each other.

    >>> format_fine_percent(0.1745), format_fine_percent(0.000612), format_fine_percent(
    ...     1.0), format_fine_percent(0.0)
    ('17.5%', '0.0612%', '100%', '0%')
    """
    if not 0 < share < 1:
        return format_percent(share, 0)
    return format_percent(share, min(max(0, 2 - floor(log10(100 * share))), 6))


def format_ratio(alpha: float) -> str:
    """Return how many times as much too low costs as too high, as two numbers.

    >>> format_ratio(0.8), format_ratio(0.2), format_ratio(0.5), format_ratio(1.0), format_ratio(
    ...     0.0)
    ('4 : 1', '1 : 4', '1 : 1', '1 : 0', '0 : 1')
    """
    if alpha in (0.0, 1.0):
        return "1 : 0" if alpha else "0 : 1"
    high, low = (alpha, 1 - alpha) if alpha >= 0.5 else (1 - alpha, alpha)
    times = format_times(high / low)
    return f"{times} : 1" if alpha >= 0.5 else f"1 : {times}"


def format_times(times: float) -> str:
    """Format a ratio with two or three digits."""
    rounded = float(round_half_up(times, 0 if times >= 10 else 1))
    return choose_declared_precision(rounded).number(rounded)
