"""Post-process SVG: small, safe, dark-mode aware."""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.etree import ElementTree as Xml
from zlib import crc32

from reportgen.text import isolate_names

SVG = "http://www.w3.org/2000/svg"
LINK = "http://www.w3.org/1999/xlink"
FONTS = "Inter, DejaVu Sans, sans-serif"

_NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?|-?\d+(?:e-?\d+)?")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_DOT = re.compile(r"M([-\d.]+) ([-\d.]+)L\1 \2(?=M|$)")
_STEP = re.compile(r"([MLZz])(?:(-?[\d.]+) (-?[\d.]+))?")
_TICK = re.compile(r"M0 0([hv]-?[\d.]+)")
LONG = 12  # steps of a line from which tenths of a point do
_NUMERIC = set(
    """
    d x y width height points transform stroke-dasharray stroke-width cx cy r stroke-dashoffset
""".split()
)
_DEFAULTS = {
    "stroke-linecap": "butt",
    "stroke-linejoin": "round",
    "font-weight": "400",
    "text-anchor": "start",
    "font-style": "normal",
    "stroke-dashoffset": "0",
    "opacity": "1",
}


def finish_svg(
    raw: bytes, *, prefix: str, title: str, description: str, colours: Mapping[str, str]
) -> str:
    """Finish the drawing for a page; `colours` maps each part's name to the colour used for it."""
    root = Xml.fromstring(raw)
    classes = {colour: name for name, colour in reversed(list(colours.items()))}
    _drop(root)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        _attributes(element)
        _add_colour_classes(element, classes, colours)
        _round_numbers(element)
    _drop_repeated_attributes(root)
    _merge_grid_paths(root)
    _prefix_ids(root, prefix)
    _lift_empty_groups(root)
    _set_root_attributes(root, prefix, title, description)
    return Xml.tostring(root, encoding="unicode")


def _drop(root: Xml.Element) -> None:
    """Take out metadata, matplotlib's own style sheet and the empty paper behind everything."""
    for parent in list(root.iter()):
        for child in list(parent):
            name = child.tag.rpartition("}")[2]
            is_paper = name == "path" and child.get("style") in {
                "fill: none",
                "fill: none; opacity: 0",
            }
            if name in {"metadata", "style"} or is_paper:
                parent.remove(child)


def _attributes(element: Xml.Element) -> None:
    """Make `style=` plain attributes and `xlink:href` plain `href`."""
    for declaration in element.attrib.pop("style", "").split(";"):
        name, colon, value = declaration.partition(":")
        if colon:
            element.set(name.strip(), value.strip())
    href = element.attrib.pop(f"{{{LINK}}}href", None)
    if href:
        element.set("href", href)
    for name, value in _DEFAULTS.items():
        if element.get(name) == value:
            del element.attrib[name]
    element.attrib.pop("font-family", None)
    element.attrib.pop("version", None)
    if element.get("font-size") == "9px":
        del element.attrib["font-size"]


def _add_colour_classes(
    element: Xml.Element, classes: Mapping[str, str], colours: Mapping[str, str]
) -> None:
    """Add the classes that give colours in dark mode, and a halo where one was asked for."""
    names = []
    for attribute, letter in (("fill", "f"), ("stroke", "s")):
        colour = element.get(attribute, "")
        if colour in classes:
            names.append(f"{letter}-{classes[colour]}")
    if names:
        element.set("class", " ".join(names))
    if element.get("id") == "halo":
        for text in element.iter():
            if text.tag.rpartition("}")[2] == "text":
                text.set("stroke", colours["page"])
                text.set("stroke-width", "3")
                text.set("paint-order", "stroke")
                text.set("stroke-linejoin", "round")


def _round_numbers(element: Xml.Element) -> None:
    for name in _NUMERIC.intersection(element.attrib):
        element.set(name, _NUMBER.sub(_two_decimals, element.attrib[name]))
    if "d" in element.attrib:
        element.set("d", _compact_path(element.attrib["d"]))
    transform = element.get("transform", "")
    if transform.startswith(("rotate(-0 ", "rotate(0 ")):
        del element.attrib["transform"]


def _two_decimals(match: re.Match[str]) -> str:
    value = round(float(match.group()), 2)
    return f"{value:.2f}".rstrip("0").rstrip(".") if value else "0"


def _compact_path(path: str) -> str:
    """Drop needless spaces from the path, and write a stroke without length in its short form."""
    tight = re.sub(r"\s*([MLHVCQZz])\s*", r"\1", path.strip())
    tight = _DOT.sub(r"M\1 \2h0", tight)
    return tight if "C" in tight or "Q" in tight or "h" in tight else _relative(tight)


def _relative(path: str) -> str:
    """Write the same straight lines as steps from point to point, in hundredths without drift.

    Long lines have tenths: a twentieth of a point is less than the eye or a screen can tell.

    >>> _relative("M10 20L10 25.5L12 25L8 25z")
    'M10 20v5.5l2-.5h-4z'
    """
    unit = 10 if path.count("L") >= LONG else 100
    made: list[str] = []
    at = (0, 0)
    for letter, x, y in _STEP.findall(path):
        if letter in "Zz":
            made.append("z")
            continue
        to = (round(float(x) * unit), round(float(y) * unit))
        if letter == "M":
            made.append(f"M{_short(to[0], unit)} {_short(to[1], unit)}")
        elif to != at:
            made.append(_format_step(to[0] - at[0], to[1] - at[1], unit))
        at = to
    return "".join(made)


def _format_step(right: int, down: int, unit: int) -> str:
    if not right:
        return f"v{_short(down, unit)}"
    if not down:
        return f"h{_short(right, unit)}"
    second = _short(down, unit)
    return f"l{_short(right, unit)}{'' if second.startswith('-') else ' '}{second}"


def _short(value: int, unit: int) -> str:
    """Format a number of tenths or hundredths as short as it can be written."""
    sign, size = "-" if value < 0 else "", abs(value)
    if size % unit == 0:
        return f"{sign}{size // unit}"
    text = f"{size / unit:.2f}".rstrip("0")
    return sign + text.removeprefix("0")


def _merge_grid_paths(root: Xml.Element) -> None:
    """Lines of the grid as one path, and the ticks that repeat one stroke as another."""
    strokes = {
        e.attrib["id"]: e
        for e in root.iter("path")
        if e.get("id") and _TICK.fullmatch(e.get("d", ""))
    }
    ticks: dict[str, Xml.Element] = {}
    grids: dict[tuple[tuple[str, str], ...], Xml.Element] = {}
    for parent in list(root.iter()):
        for child in list(parent):
            looks = {k: v for k, v in child.attrib.items() if k not in ("d", "id", "x", "y")}
            name = looks.get("href", "#")[1:]
            if child.tag == "use" and set(looks) == {"href"} and name in strokes:
                _convert_to_path(child, strokes[name])
                first = ticks.setdefault(name, child)
            elif child.tag == "path" and "s-line" in looks.get("class", ""):
                first = grids.setdefault(tuple(sorted(looks.items())), child)
            else:
                continue
            if first is not child:
                first.set("d", first.attrib["d"] + child.attrib["d"])
                parent.remove(child)
    for name in ticks:
        strokes[name].set("d", "")


def _convert_to_path(mark: Xml.Element, stroke: Xml.Element) -> None:
    """Make a mark that repeats a stroke a path with its looks."""
    at = f"M{mark.get('x', '0')} {mark.get('y', '0')}"
    step = _TICK.sub(lambda match: at + match[1], stroke.attrib["d"])
    mark.tag = "path"
    mark.attrib.clear()
    mark.attrib.update({k: v for k, v in stroke.attrib.items() if k != "id"} | {"d": step})


def _drop_repeated_attributes(root: Xml.Element) -> None:
    """Take from a mark what the shape that it repeats says already, but not its own filling."""
    shapes = {element.get("id"): element for element in root.iter() if element.get("id")}
    for element in root.iter("use"):
        shape = shapes.get(element.get("href", "#")[1:])
        if shape is None or element.get("fill", shape.get("stroke")) != shape.get("stroke"):
            continue
        for name in ("fill", "stroke", "stroke-width", "class"):
            if shape.get("stroke") and name in element.attrib:
                del element.attrib[name]


def _prefix_ids(root: Xml.Element, prefix: str) -> None:
    used = set()
    for element in root.iter():
        used.update(_REFERENCE.findall(" ".join(element.attrib.values())))
        if element.get("href", "").startswith("#"):
            used.add(element.attrib["href"][1:])
    # A page says these thousands of times: eight digits of the prefix tell figures apart too.
    short = f"f{crc32(prefix.encode()):08x}"
    names = {name: f"{short}-{k}" for k, name in enumerate(sorted(used))}
    for element in root.iter():
        if (own := element.attrib.pop("id", None)) in names:
            element.set("id", names[own])
        for key, value in element.attrib.items():
            if key == "href":
                element.set(key, f"#{names[value[1:]]}")
            elif "url(" in value:
                element.set(key, _REFERENCE.sub(lambda m: f"url(#{names[m.group(1)]})", value))


def _lift_empty_groups(root: Xml.Element) -> None:
    """Take away groups that say nothing, and the white space between elements."""
    for element in root.iter():
        element.tail = None
        if element.tag == "text":
            element.text = isolate_names(element.text or "")
        elif not (element.text or "").strip():
            element.text = None
        children: list[Xml.Element] = []
        for child in element:
            children.extend(_list_kept_elements(child))
        element[:] = children


def _list_kept_elements(element: Xml.Element) -> list[Xml.Element]:
    if element.tag == "path" and not element.get("d"):
        return []
    if element.tag not in {"g", "defs"} or (element.tag == "g" and element.attrib):
        return [element]
    if element.tag == "defs":
        return [element] if any(shape.get("d") or len(shape) for shape in element) else []
    return [part for child in element for part in _list_kept_elements(child)]


def _set_root_attributes(root: Xml.Element, prefix: str, title: str, description: str) -> None:
    box = root.get("viewBox", "")
    root.attrib.clear()
    root.set("xmlns", SVG)
    root.set("viewBox", _NUMBER.sub(_two_decimals, box))
    root.set("role", "img")
    root.set("aria-labelledby", f"{prefix}-title {prefix}-description")
    root.set("font-family", FONTS)
    root.set("font-size", "9")
    root.set("stroke-linejoin", "round")
    for place, (name, text) in enumerate((("title", title), ("description", description))):
        element = Xml.Element("title" if name == "title" else "desc", id=f"{prefix}-{name}")
        element.text = text
        root.insert(place, element)
