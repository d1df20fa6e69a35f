"""Where calls begin, as a config declares it: operating points by name, and what calls cost."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator

from reportgen.config.fields import Number, Positive, Share, Strict, Text, about, said

CELLS = ("tp", "fp", "fn", "tn")


class CallCostColumn(Strict):
    """What a call costs where that differs by row."""

    column: Text = about("The column that holds it.", example="balance")


CallCost = Annotated[
    Annotated[Number, Tag("same")] | Annotated[CallCostColumn, Tag("by row")],
    Discriminator(lambda given: "by row" if isinstance(given, dict | CallCostColumn) else "same"),
]
Priced = Annotated[
    Annotated[Literal[True], Tag("rule")] | Annotated[Positive, Tag("of one")],
    Discriminator(lambda given: "rule" if isinstance(given, bool) else "of one"),
]


class ThresholdKeys(Strict):
    """An operating point: from which score on a row is called positive."""

    fixed: Number | None = about("The score from which a row is called.", None, example=0.5)
    by_model: dict[str, Number] = about(
        "Other scores for some models, beside fixed.", {}, example={"boosted": 0.42}
    )
    by_class: dict[str, Number] = about(
        "Other scores for some of the labels that a row may have, beside fixed.",
        {},
        example={"Short": 0.3},
    )
    share: float | None = about(
        "The share of the weight that is called: the highest scores.", None, example=0.1, gt=0, le=1
    )
    k: int | None = about("How many rows are called: the highest scores.", None, example=110, ge=1)
    budget: Positive | None = about(
        "What all calls may cost; cost is what one costs.", None, example=1100
    )
    cost: Priced | None = about(
        "true: where a call costs what it saves, by the declared costs (of probabilities alone); "
        "beside budget, what one call costs.",
        None,
        example=10,
    )
    maximize: Text | None = about(
        "A metric of calls to be as high as it can be.", None, example="f"
    )
    minimize: Text | None = about(
        "A metric of calls to be as low as it can be.", None, example="misclassification_cost"
    )
    reach: dict[Text, Share] = about(
        "A share of calls to be reached: recall or npv by as few calls as do, precision or "
        "specificity by as many as do.",
        {},
        example={"recall": 0.8},
    )
    on: Literal["fit", "test"] = about(
        "Where the threshold is learnt: on the dataset with role: fit, or on the rows judged.",
        "fit",
    )

    @model_validator(mode="after")
    def _is_one_rule(self) -> Self:
        rules = self._rules()
        if len(rules) != 1:
            given = f"has {' and '.join(rules)}" if rules else "has no rule"
            raise said(
                f"{given}; an operating point wants one of fixed, share, k, budget with cost, "
                "cost: true, maximize, minimize, reach"
            )
        if self.by_model and self.fixed is None:
            raise said("has by_model without fixed, the threshold of all other models")
        if self.by_class and self.fixed is None:
            raise said("has by_class without fixed, the threshold of all other labels")
        if self.by_class and self.by_model:
            raise said("has by_class and by_model; keep one, or name another operating point")
        if (self.budget is None) != (self.cost is None or self.cost is True):
            raise said("wants budget and cost (of one call) together")
        if self.budget is not None and self.cost is not None and self.cost > self.budget:
            raise said(
                f"has a budget of {self.budget:g}, which pays for no call at a cost of "
                f"{self.cost:g}; give a budget of {self.cost:g} or more"
            )
        if len(self.reach) > 1:
            raise said("has several metrics to reach; keep one")
        if self.on == "test" and not self.is_learnt:
            raise said("has on: test, which goes with maximize, minimize or reach")
        return self

    def _rules(self) -> list[str]:
        named = {
            "fixed": self.fixed is not None,
            "share": self.share is not None,
            "k": self.k is not None,
            "budget": self.budget is not None or (isinstance(self.cost, float | int)
            and not isinstance(self.cost, bool)),
            "cost: true": self.cost is True,
            "maximize": self.maximize is not None,
            "minimize": self.minimize is not None,
            "reach": bool(self.reach),
        }  # fmt: skip
        return [name for name, is_there in named.items() if is_there]

    @property
    def is_learnt(self) -> bool:
        """Whether the threshold is chosen by what comes of it on some rows."""
        return bool(self.maximize or self.minimize or self.reach)

    @property
    def goal(self) -> str:
        """The metric that the threshold is chosen by; "" where it is not."""
        return self.maximize or self.minimize or next(iter(self.reach), "")


Thresholds = Annotated[dict[Text, ThresholdKeys], Field(max_length=12)]
