"""One model over several datasets in one figure: its RROC curve and its costs on each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from reportgen import wording
from reportgen.document import Axis, Figure, Panel, Role, Series
from reportgen.results import CurveResult
from reportgen.sections.axes import in_money
from reportgen.sections.curves.tables import description, points_table
from reportgen.sections.index import Index

_MOST = 4  # models, the first of the config
_ROLES = cast("tuple[Role, ...]", ("baseline", *(f"candidate{k}" for k in range(1, 10))))
_AXES = {
    "rroc": ("over-estimation a row", "under-estimation a row"),
    "cost": ("asymmetry α", "expected cost a row"),
}
_TITLES = {
    "rroc": "RROC curve on every dataset",
    "cost": "Expected cost over asymmetry on every dataset, scores as they are",
}


def figures_across(index: Index) -> Iterator[Figure]:
    """A figure for each kind of curve, a panel for each model, a line for each dataset.

    None where there is one dataset to judge on, or where their targets have different units.
    """
    names = [each.name for each in index.tests][: len(_ROLES)]
    if len(names) < 2:
        return
    for kind in _AXES:
        found = [c for c in index.results.curves if c.dataset in names and _is_of(c, kind)]
        of_model = {
            model.name: [c for name in names for c in found if (c.model, c.dataset) ==
                         (model.name, name)]
            for model in index.results.models
        }  # fmt: skip
        shown = {m: curves for m, curves in of_model.items() if len(curves) > 1}
        if shown and len({(c.x_unit, c.y_unit) for c in found}) == 1:
            yield _figure(index, kind, dict([*shown.items()][:_MOST]), names)


def _is_of(curve: CurveResult, kind: str) -> bool:
    """Whether it is the plain curve of a model: per row, of all rows, against no other model."""
    is_whole = curve.segment is None and curve.baseline is None and curve.status == "ok"
    asked = {"raw": False, "loss": "linlin"} | ({"shift": "none"} if kind == "cost" else {})
    return is_whole and curve.curve == kind and asked.items() <= dict(curve.params).items()


def _figure(
    index: Index, kind: str, shown: dict[str, list[CurveResult]], names: Sequence[str]
) -> Figure:
    every = [curve for curves in shown.values() for curve in curves]
    labels = [f"{_model(index, c.model)}, {wording.name(c.dataset, 30)}" for c in every]
    x_name, y_name = _axes(every[0], kind)
    return Figure(
        f"{kind}-across",
        "line",
        _TITLES[kind],
        _caption(index, kind, names),
        " ".join(description(c, label) for c, label in zip(every, labels, strict=True)),
        tuple(
            Panel(
                _model(index, model),
                in_money(Axis(x_name), every[0].x_unit),
                in_money(Axis(y_name), every[0].y_unit),
                tuple(_line(curve, names) for curve in curves),
            )
            for model, curves in shown.items()
        ),
        table=points_table(every, labels, f"{kind}-across", (x_name, y_name)),
        shares_axes=True,
    )


def _line(curve: CurveResult, names: Sequence[str]) -> Series:
    role = _ROLES[names.index(curve.dataset)]
    return Series(wording.name(curve.dataset, 30), role, curve.x, curve.y)


def _axes(curve: CurveResult, kind: str) -> tuple[str, str]:
    unit = f", {curve.y_unit}" if wording.has_unit(curve.y_unit) else ""
    x_name, y_name = _AXES[kind]
    return (f"{x_name}{unit}" if kind == "rroc" else x_name), f"{y_name}{unit}"


def _caption(index: Index, kind: str, names: Sequence[str]) -> str:
    rows = [f"{wording.name(d.name, 30)} {wording.count(d.n)}" for d in index.tests
            if d.name in names]  # fmt: skip
    near, what = (
        ("the nearer the upper left, the better", "Both axes are means")
        if kind == "rroc"
        else ("the lower, the cheaper", "Costs are means")
    )
    return (
        f"Each line is one dataset; {near}. {what} of a row, so that datasets of different "
        "sizes can be held against each other. Bands stand in the figures of each "
        f"dataset. n: {wording.listed(rows)}."
    )


def _model(index: Index, model: str) -> str:
    return wording.name(index.label(model), 40)
