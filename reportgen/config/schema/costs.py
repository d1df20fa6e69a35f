"""Costs of errors and operating points."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator

from reportgen.config.schema.fields import (
    NotNegative,
    Number,
    Positive,
    Share,
    StrictModel,
    Text,
    describe_field,
    schema_error,
)

CELLS = ("tp", "fp", "fn", "tn")


class ErrorCostColumn(StrictModel):
    """Cost of a cell of the confusion matrix, where it differs by row."""

    column: Text = describe_field("The column that holds it.", example="balance")


ErrorCost = Annotated[
    Annotated[Number, Tag("same")] | Annotated[ErrorCostColumn, Tag("by row")],
    Discriminator(lambda given: "by row" if isinstance(given, dict | ErrorCostColumn) else "same"),
]
CostedCall = Annotated[
    Annotated[Literal[True], Tag("rule")] | Annotated[Positive, Tag("of one")],
    Discriminator(lambda given: "rule" if isinstance(given, bool) else "of one"),
]


class ThresholdKeys(StrictModel):
    """An operating point: from which score on a row is flagged."""

    fixed: Number | None = describe_field(
        "The score from which a row is flagged.", None, example=0.5
    )
    by_model: dict[str, Number] = describe_field(
        "Other scores for some models, beside fixed.", {}, example={"boosted": 0.42}
    )
    by_class: dict[str, Number] = describe_field(
        "Other scores for some of the labels that a row may have, beside fixed.",
        {},
        example={"Short": 0.3},
    )
    share: float | None = describe_field(
        "The share of the weight that is flagged: the highest scores.",
        None,
        example=0.1,
        gt=0,
        le=1,
    )
    k: int | None = describe_field(
        "How many rows are flagged: the highest scores.", None, example=110, ge=1
    )
    budget: Positive | None = describe_field(
        "What flagging may cost in all; cost is what one flagged row costs.", None, example=1100
    )
    cost: CostedCall | None = describe_field(
        "true: where flagging pays for itself, by the declared costs (of probabilities alone); "
        "beside budget, what one flagged row costs.",
        None,
        example=10,
    )
    maximize: Text | None = describe_field(
        "A metric at a threshold to be as high as it can be.", None, example="f"
    )
    minimize: Text | None = describe_field(
        "A metric at a threshold to be as low as it can be.", None, example="misclassification_cost"
    )
    reach: dict[Text, Share] = describe_field(
        "A share to be reached: recall or npv with as few flagged rows as do, precision or "
        "specificity by as many as do.",
        {},
        example={"recall": 0.8},
    )
    on: Literal["fit", "test"] = describe_field(
        "Where the threshold is learnt: on the dataset with role: fit, or on the rows judged.",
        "fit",
    )

    @model_validator(mode="after")
    def _is_one_rule(self) -> Self:
        rules = self._rules()
        if len(rules) != 1:
            given = f"has {' and '.join(rules)}" if rules else "has no rule"
            raise schema_error(
                f"{given}; an operating point needs one of fixed, share, k, budget with cost, "
                "cost: true, maximize, minimize, reach"
            )
        if self.by_model and self.fixed is None:
            raise schema_error("has by_model without fixed, the threshold of all other models")
        if self.by_class and self.fixed is None:
            raise schema_error("has by_class without fixed, the threshold of all other labels")
        if self.by_class and self.by_model:
            raise schema_error(
                "has by_class and by_model; keep one, or name another operating point"
            )
        if (self.budget is None) != (self.cost is None or self.cost is True):
            raise schema_error("needs budget and cost (of one flagged row) together")
        if self.budget is not None and self.cost is not None and self.cost > self.budget:
            raise schema_error(
                f"has a budget of {self.budget:g}, which pays for no flagged row at a cost of "
                f"{self.cost:g}; give a budget of {self.cost:g} or more"
            )
        if len(self.reach) > 1:
            raise schema_error("has several metrics to reach; keep one")
        if self.on == "test" and not self.is_learnt:
            raise schema_error("has on: test, which goes with maximize, minimize or reach")
        return self

    def _rules(self) -> list[str]:
        named = {
            "fixed": self.fixed is not None,
            "share": self.share is not None,
            "k": self.k is not None,
            "budget": self.budget is not None
            or (isinstance(self.cost, float | int) and not isinstance(self.cost, bool)),
            "cost: true": self.cost is True,
            "maximize": self.maximize is not None,
            "minimize": self.minimize is not None,
            "reach": bool(self.reach),
        }
        return [name for name, is_there in named.items() if is_there]

    @property
    def is_learnt(self) -> bool:
        """True if the threshold is chosen by what comes of it on some rows."""
        return bool(self.maximize or self.minimize or self.reach)

    @property
    def goal(self) -> str:
        """The metric that the threshold is chosen by; "" where it is not."""
        return self.maximize or self.minimize or next(iter(self.reach), "")


Thresholds = Annotated[dict[Text, ThresholdKeys], Field(max_length=12)]

EXPONENTIAL = ("linexp", "quadexp")


class Hybrid(StrictModel):
    """Target of a random mixture of two models in expectation: a bias or an over-estimation."""

    bias: Number | None = describe_field("A mean error.", None, example=0)
    over: NotNegative | None = describe_field("A mean over-estimation a row.", None, example=2.5)

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if (self.bias is None) == (self.over is None):
            raise schema_error("needs bias: 0, or over: 2.5, and not both")
        return self


class CostColumn(StrictModel):
    """Unit costs that differ by row."""

    column: Text = describe_field(
        "The column that holds them, 0 or more.", example="stock_out_cost"
    )


UnitCost = Annotated[
    Annotated[Positive, Tag("same")] | Annotated[CostColumn, Tag("by row")],
    Discriminator(lambda given: "by row" if isinstance(given, dict | CostColumn) else "same"),
]


class Costs(StrictModel):
    """Costs of errors: which side hurts how much more."""

    loss: Text = describe_field("The shape of the loss.", "linlin", example="linlin")
    c: tuple[Number, ...] = describe_field(
        "Asymmetries of linexp and quadexp, in 1/unit; above 0 too high is exponential. "
        "Default: one over the standard deviation of the target.",
        (),
        example=[0.02, -0.02],
    )
    hybrid: Hybrid = describe_field("What mixtures of two models are to reach.", Hybrid(bias=0.0))
    asymmetries: tuple[Share, ...] = describe_field(
        "Shares of the cost that lie on under-estimation, 0 to 1.", (), example=[0.2, 0.5, 0.8]
    )
    under: UnitCost | None = describe_field(
        "Cost of one unit under-estimated: a number, or a column where it differs by row.",
        None,
        example=4,
    )
    over: UnitCost | None = describe_field(
        "Cost of one unit over-estimated: a number, or a column where it differs by row.",
        None,
        example=1,
    )
    fp: ErrorCost | None = describe_field(
        "Cost of a false positive: a number, or a column where it differs by row.", None, example=10
    )
    fn: ErrorCost | None = describe_field("Cost of a positive that is missed.", None, example=200)
    tp: ErrorCost | None = describe_field(
        "Cost of a positive that is found; default: 0.", None, example=10
    )
    tn: ErrorCost | None = describe_field(
        "Cost of a negative that is not flagged; default: 0.", None
    )
    matrix: dict[str, dict[str, Number]] = describe_field(
        "Costs of errors among several classes: {actual: {predicted: cost}}; other stands for "
        "every class that is not named, and what nothing names costs 0.",
        {},
        example={"7": {"1": 50, "other": 5}},
    )
    currency: Text | None = describe_field("The currency of the costs.", None, example="EUR")
    degree: int = describe_field(
        "Degree of the polynomial shift of the score that is fitted beside the constant where a "
        "dataset has role: fit; 0 for none.",
        2,
        example=2,
        ge=0,
        le=5,
    )
    with_alpha: bool = describe_field(
        "Whether a polynomial of score and asymmetry together, of that degree, is fitted too.",
        False,
    )

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if self.matrix:
            others = self._list_other_keys("matrix", "currency")
            if others:
                raise schema_error(
                    f"has {sorted(others)[0]} beside matrix, which are costs of classes"
                )
            return self
        if not self.is_of_errors:
            return self._check_side_costs()
        if self.fp is None or self.fn is None:
            raise schema_error(
                "needs both fp and fn, what a false positive and a missed positive cost"
            )
        others = self._list_other_keys(*CELLS, "currency")
        if others:
            raise schema_error(
                f"has {sorted(others)[0]} beside fp and fn, which are costs of errors"
            )
        return self

    def _list_other_keys(self, *keys: str) -> set[str]:
        """Further keys that say something: a default that is written out says nothing new."""
        fields = type(self).model_fields
        others = self.model_fields_set - set(keys)
        return {key for key in others if getattr(self, key) != fields[key].get_default()}

    def _check_side_costs(self) -> Self:
        if self.with_alpha and not self.degree:
            raise schema_error("has with_alpha: true, which takes a degree from 1 to 5")
        if self.with_alpha and self.loss != "linlin":
            raise schema_error("has with_alpha: true, which takes loss: linlin alone")
        if (self.under is None) != (self.over is None):
            raise schema_error("needs both under and over, or neither")
        if self.columns and self.loss != "linlin":
            raise schema_error("has unit costs by row, which take loss: linlin alone")
        if self.columns and self.asymmetries:
            raise schema_error(
                "has asymmetries beside unit costs by row; an asymmetry of all rows takes constant "
                "unit costs: take one of the two out"
            )
        if self.columns and self.with_alpha:
            raise schema_error(
                "has with_alpha: true beside unit costs by row, which take a constant alone"
            )
        if self.loss in EXPONENTIAL:
            if self.under is not None or self.asymmetries:
                raise schema_error("has a loss that takes c, not asymmetries or unit costs")
            if 0 in self.c:
                raise schema_error("has c: 0, at which every model costs nothing; take it out")
            return self
        if self.c:
            raise schema_error("has c, which belongs to loss: linexp and quadexp alone")
        if self.under is None and not self.asymmetries:
            raise schema_error("needs asymmetries: [0.2, 0.5, 0.8], or under: 4 and over: 1")
        return self

    @property
    def is_of_errors(self) -> bool:
        """True if they are costs of calls, by the cell of the confusion matrix."""
        return any(getattr(self, cell) is not None for cell in CELLS)

    @property
    def cells(self) -> dict[str, float | str]:
        """Cost of each cell: a number, or the column that holds it; empty if not of calls."""
        if not self.is_of_errors:
            return {}
        each = {cell: getattr(self, cell) for cell in CELLS}
        return {
            cell: cost.column if isinstance(cost, ErrorCostColumn) else float(cost or 0.0)
            for cell, cost in each.items()
        }

    @property
    def alphas(self) -> tuple[float, ...]:
        """Every asymmetry to report: those listed, and that of the cost pair."""
        if self.pair_alpha is None:
            return self.asymmetries
        return tuple(sorted({*self.asymmetries, self.pair_alpha}))

    @property
    def pair_alpha(self) -> float | None:
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
    def all_columns(self) -> dict[str, str]:
        """Every column that holds costs, by its side or by its cell."""
        of_calls = {cell: cost for cell, cost in self.cells.items() if isinstance(cost, str)}
        return {**self.columns, **of_calls}

    @property
    def is_priced(self) -> bool:
        """True if both sides have a unit cost, or calls have one."""
        has_sides = self.under is not None and self.over is not None
        return has_sides or self.is_of_errors or bool(self.matrix)
