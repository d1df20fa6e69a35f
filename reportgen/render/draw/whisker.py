"""The small interval beside a number: where it lies against zero and the margin."""

from __future__ import annotations

from collections.abc import Mapping
from xml.sax.saxutils import escape, quoteattr

from reportgen.document import Whisker
from reportgen.text import clean

WIDTH, HEIGHT = 150.0, 20.0
EDGE = 5.0


def whisker_svg(whisker: Whisker, colours: Mapping[str, str]) -> str:
    """The whisker as SVG 150 wide and 20 high; what lies off the axis ends at its edge."""
    parts = [*_margin(whisker, colours), *_zero(whisker, colours), *_interval(whisker, colours)]
    name = quoteattr(clean(whisker.description))
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" class="whisker" '
        f'width="{WIDTH:g}" height="{HEIGHT:g}" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" '
        f'role="img" aria-label={name}>'
        f"<title>{escape(clean(whisker.description))}</title>{''.join(parts)}</svg>"
    )


def _margin(whisker: Whisker, colours: Mapping[str, str]) -> list[str]:
    if whisker.margin is None:
        return []
    middle = whisker.reference or 0.0
    left, right = (_place(whisker, middle + side * whisker.margin) for side in (-1, 1))
    return [
        f'<rect x="{left:.2f}" y="2" width="{right - left:.2f}" height="16" '
        f'fill="{colours["line"]}" class="f-line"/>'
    ]


def _zero(whisker: Whisker, colours: Mapping[str, str]) -> list[str]:
    if whisker.reference is None:
        return []
    x = _place(whisker, whisker.reference)
    return [
        f'<path d="M{x:.2f} 1V19" stroke="{colours["soft"]}" class="s-soft" '
        'stroke-dasharray="2 2" fill="none"/>'
    ]


def _interval(whisker: Whisker, colours: Mapping[str, str]) -> list[str]:
    part = "soft" if whisker.tone == "neutral" else whisker.tone
    low, middle, high = (
        _place(whisker, value) for value in (whisker.low, whisker.value, whisker.high)
    )
    return [
        f'<path d="M{low:.2f} 10H{high:.2f}" stroke="{colours[part]}" class="s-{part}" '
        'stroke-width="2.2" stroke-linecap="round" fill="none"/>',
        f'<circle cx="{middle:.2f}" cy="10" r="4" fill="{colours[part]}" class="f-{part}"/>',
    ]


def _place(whisker: Whisker, value: float) -> float:
    length = whisker.axis_high - whisker.axis_low
    share = (value - whisker.axis_low) / length if length > 0 else 0.5
    return EDGE + min(max(share, 0.0), 1.0) * (WIDTH - 2 * EDGE)
