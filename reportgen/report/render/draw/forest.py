"""Forests and whiskers as SVG."""

from __future__ import annotations

from collections.abc import Mapping
from xml.sax.saxutils import escape, quoteattr

from reportgen.report.document import Forest, ForestRow, Whisker
from reportgen.text import clean_text

STRIP_WIDTH, STRIP_HEIGHT, FOOT = 260.0, 40.0, 19.0
STRIP_EDGE = 6.0
SIGN = 6.3  # the width of a sign of the text, about
TOO_SMALL = "too small to matter"
Colours = Mapping[str, str]


def render_strip(forest: Forest, row: ForestRow, colours: Colours) -> str:
    """One row: the margin, the line at no difference, the interval."""
    part = "soft" if row.tone == "neutral" else row.tone
    return _svg(
        STRIP_HEIGHT,
        row.description,
        [*_ground(forest, colours), *_strip_interval(forest, row, part, colours)],
    )


def render_forest_head(forest: Forest, colours: Colours) -> str:
    """Above the rows: what the shade means, where there is room, and the side that is better."""
    zero, length = _strip_place(forest, 0.0), len(forest.right) * SIGN
    start = min(zero + 6, STRIP_WIDTH - 2 - length)
    parts, said = [], forest.right
    if forest.margin is not None:
        half, right = len(TOO_SMALL) * SIGN / 2, _strip_place(forest, forest.margin)
        middle = max(zero, half)
        beyond = max(middle + half + 10, right + 6)
        if middle - half <= zero <= middle + half and beyond + length <= STRIP_WIDTH:
            parts.append(_format_text(middle, 13, TOO_SMALL, "middle", colours))
            start, said = beyond, f"{TOO_SMALL} | {said}"
    parts.append(_format_text(start, 13, forest.right, "start", colours))
    return _svg(FOOT, said, parts)


def render_forest_axis(forest: Forest, colours: Colours) -> str:
    """Render the ticks below the rows; drop a text less than two signs from one nearer to zero."""
    parts: list[str] = []
    kept: list[tuple[float, float]] = []
    for place, text in sorted(forest.ticks, key=lambda tick: abs(tick[0])):
        half = (len(text) / 2 + 1) * SIGN
        middle = min(max(_strip_place(forest, place), half), STRIP_WIDTH - half)
        if all(middle + half <= low or middle - half >= high for low, high in kept):
            kept.append((middle - half, middle + half))
            parts.append(_format_text(middle, 15, text, "middle", colours))
            x = _strip_place(forest, place)
            parts.append(f'<path d="M{x:.2f} 0V3" stroke="{colours["soft"]}" class="s-soft"/>')
    said = ", ".join(text for _, text in forest.ticks)
    return _svg(FOOT, f"{forest.axis}: {said}", parts)


def _svg(height: float, said: str, parts: list[str]) -> str:
    name = quoteattr(clean_text(said))
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" class="strip" '
        f'width="{STRIP_WIDTH:g}" height="{height:g}" viewBox="0 0 {STRIP_WIDTH:g} {height:g}" '
        f'role="img" aria-label={name}>'
        f"<title>{escape(clean_text(said))}</title>{''.join(parts)}</svg>"
    )


def _ground(forest: Forest, colours: Colours) -> list[str]:
    parts = []
    if forest.margin is not None:
        left, right = (_strip_place(forest, side * forest.margin) for side in (-1, 1))
        parts.append(
            f'<rect x="{left:.2f}" y="0" width="{right - left:.2f}" height="{STRIP_HEIGHT:g}" '
            f'fill="{colours["line"]}" class="f-line"/>'
        )
    x = _strip_place(forest, 0.0)
    stroke = f'stroke="{colours["soft"]}" class="s-soft" fill="none"'
    return [*parts, f'<path d="M{x:.2f} 0V{STRIP_HEIGHT:g}" {stroke}/>']


def _strip_interval(forest: Forest, row: ForestRow, part: str, colours: Colours) -> list[str]:
    if row.value is None:
        return []
    middle, height = _strip_place(forest, row.value), STRIP_HEIGHT / 2
    drawn = []
    if row.low is not None and row.high is not None:
        low, high = _strip_place(forest, row.low), _strip_place(forest, row.high)
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


def _format_text(x: float, y: float, text: str, anchor: str, colours: Colours) -> str:
    return (
        f'<text x="{x:.2f}" y="{y:g}" text-anchor="{anchor}" font-size="12" '
        f'font-family="Inter, DejaVu Sans, sans-serif" fill="{colours["soft"]}" class="f-soft">'
        f"{escape(clean_text(text))}</text>"
    )


def _strip_place(forest: Forest, value: float) -> float:
    length = forest.axis_high - forest.axis_low
    share = (value - forest.axis_low) / length if length > 0 else 0.5
    return STRIP_EDGE + min(max(share, 0.0), 1.0) * (STRIP_WIDTH - 2 * STRIP_EDGE)


WHISKER_WIDTH, WHISKER_HEIGHT = 150.0, 20.0
WHISKER_EDGE = 5.0


def render_whisker(whisker: Whisker, colours: Mapping[str, str]) -> str:
    """Render the whisker as SVG 150 wide and 20 high; what lies off the axis ends at its edge."""
    parts = [
        *_list_margin(whisker, colours),
        *_zero(whisker, colours),
        *_whisker_interval(whisker, colours),
    ]
    name = quoteattr(clean_text(whisker.description))
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" class="whisker" '
        f'width="{WHISKER_WIDTH:g}" height="{WHISKER_HEIGHT:g}" '
        f'viewBox="0 0 {WHISKER_WIDTH:g} {WHISKER_HEIGHT:g}" '
        f'role="img" aria-label={name}>'
        f"<title>{escape(clean_text(whisker.description))}</title>{''.join(parts)}</svg>"
    )


def _list_margin(whisker: Whisker, colours: Mapping[str, str]) -> list[str]:
    if whisker.margin is None:
        return []
    middle = whisker.reference or 0.0
    left, right = (_whisker_place(whisker, middle + side * whisker.margin) for side in (-1, 1))
    return [
        f'<rect x="{left:.2f}" y="2" width="{right - left:.2f}" height="16" '
        f'fill="{colours["line"]}" class="f-line"/>'
    ]


def _zero(whisker: Whisker, colours: Mapping[str, str]) -> list[str]:
    if whisker.reference is None:
        return []
    x = _whisker_place(whisker, whisker.reference)
    return [
        f'<path d="M{x:.2f} 1V19" stroke="{colours["soft"]}" class="s-soft" '
        'stroke-dasharray="2 2" fill="none"/>'
    ]


def _whisker_interval(whisker: Whisker, colours: Mapping[str, str]) -> list[str]:
    part = "soft" if whisker.tone == "neutral" else whisker.tone
    low, middle, high = (
        _whisker_place(whisker, value) for value in (whisker.low, whisker.value, whisker.high)
    )
    return [
        f'<path d="M{low:.2f} 10H{high:.2f}" stroke="{colours[part]}" class="s-{part}" '
        'stroke-width="2.2" stroke-linecap="round" fill="none"/>',
        f'<circle cx="{middle:.2f}" cy="10" r="4" fill="{colours[part]}" class="f-{part}"/>',
    ]


def _whisker_place(whisker: Whisker, value: float) -> float:
    length = whisker.axis_high - whisker.axis_low
    share = (value - whisker.axis_low) / length if length > 0 else 0.5
    return WHISKER_EDGE + min(max(share, 0.0), 1.0) * (WHISKER_WIDTH - 2 * WHISKER_EDGE)
