"""What an error costs, as a config declares it."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Discriminator, Tag, model_validator

from reportgen.config.fields import NotNegative, Number, Positive, Share, Strict, Text, about, said
from reportgen.config.thresholds import CELLS, CallCost, CallCostColumn

EXPONENTIAL = ("linexp", "quadexp")


class Hybrid(Strict):
    """What a random mixture of two models is to reach in expectation: one of both."""

    bias: Number | None = about("A mean error.", None, example=0)
    over: NotNegative | None = about("A mean over-estimation a row.", None, example=2.5)

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if (self.bias is None) == (self.over is None):
            raise said("wants bias: 0, or over: 2.5, and not both")
        return self


class CostColumn(Strict):
    """Unit costs that differ by row."""

    column: Text = about("The column that holds them, 0 or more.", example="stock_out_cost")


UnitCost = Annotated[
    Annotated[Positive, Tag("same")] | Annotated[CostColumn, Tag("by row")],
    Discriminator(lambda given: "by row" if isinstance(given, dict | CostColumn) else "same"),
]


class Costs(Strict):
    """What an error costs: which side hurts how much more."""

    loss: Text = about("The shape of the loss.", "linlin", example="linlin")
    c: tuple[Number, ...] = about(
        "Asymmetries of linexp and quadexp, in 1/unit; above 0 too high is exponential. "
        "Default: one over the standard deviation of the target.",
        (),
        example=[0.02, -0.02],
    )
    hybrid: Hybrid = about("What mixtures of two models are to reach.", Hybrid(bias=0.0))
    asymmetries: tuple[Share, ...] = about(
        "Shares of the cost that lie on under-estimation, 0 to 1.", (), example=[0.2, 0.5, 0.8]
    )
    under: UnitCost | None = about(
        "Cost of one unit under-estimated: a number, or a column where it differs by row.",
        None,
        example=4,
    )
    over: UnitCost | None = about(
        "Cost of one unit over-estimated: a number, or a column where it differs by row.",
        None,
        example=1,
    )
    fp: CallCost | None = about(
        "Cost of a false alarm: a number, or a column where it differs by row.", None, example=10
    )
    fn: CallCost | None = about("Cost of a positive that is missed.", None, example=200)
    tp: CallCost | None = about("Cost of a positive that is called; default: 0.", None, example=10)
    tn: CallCost | None = about("Cost of a negative that is not called; default: 0.", None)
    matrix: dict[str, dict[str, Number]] = about(
        "Costs of calls of several classes: {actual: {called: cost}}; other stands for every class "
        "that is not named, and what nothing names costs 0.",
        {},
        example={"7": {"1": 50, "other": 5}},
    )
    currency: Text | None = about("The currency of the costs.", None, example="EUR")
    degree: int = about(
        "Degree of the polynomial shift of the score that is fitted beside the constant where a "
        "dataset has role: fit; 0 for none.",
        2,
        example=2,
        ge=0,
        le=5,
    )
    with_alpha: bool = about(
        "Whether a polynomial of score and asymmetry together, of that degree, is fitted too.",
        False,
    )

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if self.matrix:
            others = self._said_beside("matrix", "currency")
            if others:
                raise said(f"has {sorted(others)[0]} beside matrix, which are costs of calls")
            return self
        if not self.is_of_calls:
            return self._with_sides()
        if self.fp is None or self.fn is None:
            raise said("wants both fp and fn, what a false alarm and a missed positive cost")
        others = self._said_beside(*CELLS, "currency")
        if others:
            raise said(f"has {sorted(others)[0]} beside fp and fn, which are costs of calls")
        return self

    def _said_beside(self, *keys: str) -> set[str]:
        """Further keys that say something: a default that is written out says nothing new."""
        fields = type(self).model_fields
        others = self.model_fields_set - set(keys)
        return {key for key in others if getattr(self, key) != fields[key].get_default()}

    def _with_sides(self) -> Self:
        if self.with_alpha and not self.degree:
            raise said("has with_alpha: true, which takes a degree from 1 to 5")
        if self.with_alpha and self.loss != "linlin":
            raise said("has with_alpha: true, which takes loss: linlin alone")
        if (self.under is None) != (self.over is None):
            raise said("wants both under and over, or neither")
        if self.columns and self.loss != "linlin":
            raise said("has unit costs by row, which take loss: linlin alone")
        if self.columns and self.asymmetries:
            raise said(
                "has asymmetries beside unit costs by row; an asymmetry of all rows takes constant "
                "unit costs: take one of the two out"
            )
        if self.columns and self.with_alpha:
            raise said("has with_alpha: true beside unit costs by row, which take a constant alone")
        if self.loss in EXPONENTIAL:
            if self.under is not None or self.asymmetries:
                raise said("has a loss that takes c, not asymmetries or unit costs")
            if 0 in self.c:
                raise said("has c: 0, at which every model costs nothing; take it out")
            return self
        if self.c:
            raise said("has c, which belongs to loss: linexp and quadexp alone")
        if self.under is None and not self.asymmetries:
            raise said("wants asymmetries: [0.2, 0.5, 0.8], or under: 4 and over: 1")
        return self

    @property
    def is_of_calls(self) -> bool:
        """Whether they are costs of calls, by the cell of the confusion matrix."""
        return any(getattr(self, cell) is not None for cell in CELLS)

    @property
    def cells(self) -> dict[str, float | str]:
        """What each cell costs: a number, or the column that says so; empty if not of calls."""
        if not self.is_of_calls:
            return {}
        each = {cell: getattr(self, cell) for cell in CELLS}
        return {
            cell: cost.column if isinstance(cost, CallCostColumn) else float(cost or 0.0)
            for cell, cost in each.items()
        }

    @property
    def alphas(self) -> tuple[float, ...]:
        """Every asymmetry to report: those listed, and that of the cost pair."""
        if self.declared is None:
            return self.asymmetries
        return tuple(sorted({*self.asymmetries, self.declared}))

    @property
    def declared(self) -> float | None:
        """The asymmetry of the cost pair; None without one, or where it differs by row."""
        pair = self.pair
        return None if pair is None else pair[0] / (pair[0] + pair[1])

    @property
    def pair(self) -> tuple[float, float] | None:
        """Cost of one unit too low and of one too high; None without both, or where one differs."""
        if isinstance(self.under, float | int) and isinstance(self.over, float | int):
            return float(self.under), float(self.over)
        return None

    @property
    def columns(self) -> dict[str, str]:
        """The columns of unit costs by their side, `under` or `over`."""
        sides = {"under": self.under, "over": self.over}
        return {s: cost.column for s, cost in sides.items() if isinstance(cost, CostColumn)}

    @property
    def named_columns(self) -> dict[str, str]:
        """Every column that holds costs, by its side or by its cell."""
        of_calls = {cell: cost for cell, cost in self.cells.items() if isinstance(cost, str)}
        return {**self.columns, **of_calls}

    @property
    def is_priced(self) -> bool:
        """Whether both sides have a unit cost, or calls have one."""
        has_sides = self.under is not None and self.over is not None
        return has_sides or self.is_of_calls or bool(self.matrix)
