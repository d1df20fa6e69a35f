"""The drawings of a forest: one strip a row, on one axis, and the axis with its ticks."""

from __future__ import annotations

from collections.abc import Mapping
from xml.sax.saxutils import escape, quoteattr

from reportgen.document import Forest, ForestRow
from reportgen.text import clean

WIDTH, HEIGHT, FOOT = 260.0, 40.0, 19.0
EDGE = 6.0
SIGN = 6.3  # the width of a sign of the text, about
TOO_SMALL = "too small to matter"
Colours = Mapping[str, str]


def strip_svg(forest: Forest, row: ForestRow, colours: Colours) -> str:
    """One row: the margin, the line at no difference, the interval."""
    part = "soft" if row.tone == "neutral" else row.tone
    return _svg(HEIGHT, row.description, [
        *_ground(forest, colours), *_interval(forest, row, part, colours)
    ])  # fmt: skip


def head_svg(forest: Forest, colours: Colours) -> str:
    """Above the rows: what the shade means, where there is room, and the side that is better."""
    zero, length = _place(forest, 0.0), len(forest.right) * SIGN
    start = min(zero + 6, WIDTH - 2 - length)
    parts, said = [], forest.right
    if forest.margin is not None:
        half, right = len(TOO_SMALL) * SIGN / 2, _place(forest, forest.margin)
        middle = max(zero, half)
        beyond = max(middle + half + 10, right + 6)
        if middle - half <= zero <= middle + half and beyond + length <= WIDTH:
            parts.append(_text(middle, 13, TOO_SMALL, "middle", colours))
            start, said = beyond, f"{TOO_SMALL} | {said}"
    parts.append(_text(start, 13, forest.right, "start", colours))
    return _svg(FOOT, said, parts)


def axis_svg(forest: Forest, colours: Colours) -> str:
    """The ticks below the rows; a text less than two signs from one nearer to zero is left out."""
    parts: list[str] = []
    kept: list[tuple[float, float]] = []
    for place, text in sorted(forest.ticks, key=lambda tick: abs(tick[0])):
        half = (len(text) / 2 + 1) * SIGN
        middle = min(max(_place(forest, place), half), WIDTH - half)
        if all(middle + half <= low or middle - half >= high for low, high in kept):
            kept.append((middle - half, middle + half))
            parts.append(_text(middle, 15, text, "middle", colours))
            x = _place(forest, place)
            parts.append(f'<path d="M{x:.2f} 0V3" stroke="{colours["soft"]}" class="s-soft"/>')
    said = ", ".join(text for _, text in forest.ticks)
    return _svg(FOOT, f"{forest.axis}: {said}", parts)


def _svg(height: float, said: str, parts: list[str]) -> str:
    name = quoteattr(clean(said))
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" class="strip" '
        f'width="{WIDTH:g}" height="{height:g}" viewBox="0 0 {WIDTH:g} {height:g}" '
        f'role="img" aria-label={name}>'
        f"<title>{escape(clean(said))}</title>{''.join(parts)}</svg>"
    )


def _ground(forest: Forest, colours: Colours) -> list[str]:
    parts = []
    if forest.margin is not None:
        left, right = (_place(forest, side * forest.margin) for side in (-1, 1))
        parts.append(
            f'<rect x="{left:.2f}" y="0" width="{right - left:.2f}" height="{HEIGHT:g}" '
            f'fill="{colours["line"]}" class="f-line"/>'
        )
    x = _place(forest, 0.0)
    stroke = f'stroke="{colours["soft"]}" class="s-soft" fill="none"'
    return [*parts, f'<path d="M{x:.2f} 0V{HEIGHT:g}" {stroke}/>']


def _interval(forest: Forest, row: ForestRow, part: str, colours: Colours) -> list[str]:
    if row.value is None:
        return []
    middle, height = _place(forest, row.value), HEIGHT / 2
    drawn = []
    if row.low is not None and row.high is not None:
        low, high = _place(forest, row.low), _place(forest, row.high)
        drawn.append(
            f'<path d="M{low:.2f} {height:g}H{high:.2f}" stroke="{colours[part]}" '
            f'class="s-{part}" stroke-width="{3 if row.is_strong else 2.2}" '
            'stroke-linecap="round" fill="none"/>'
        )
    size = 5 if row.is_strong else 4
    drawn.append(
        f'<circle cx="{middle:.2f}" cy="{height:g}" r="{size}" fill="{colours[part]}" '
        f'class="f-{part}"/>'
    )
    return drawn


def _text(x: float, y: float, text: str, anchor: str, colours: Colours) -> str:
    return (
        f'<text x="{x:.2f}" y="{y:g}" text-anchor="{anchor}" font-size="12" '
        f'font-family="Inter, DejaVu Sans, sans-serif" fill="{colours["soft"]}" class="f-soft">'
        f"{escape(clean(text))}</text>"
    )


def _place(forest: Forest, value: float) -> float:
    length = forest.axis_high - forest.axis_low
    share = (value - forest.axis_low) / length if length > 0 else 0.5
    return EDGE + min(max(share, 0.0), 1.0) * (WIDTH - 2 * EDGE)
