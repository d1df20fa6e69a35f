"""At which shares of the classes values are found, as a config declares it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Discriminator, Field, Tag, model_validator

from reportgen.config.fields import Strict, Text, about, said

SUM = 1e-6  # how far shares of all classes may be from 1
ShareOfClass = Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)]
Shares = Annotated[
    Annotated[ShareOfClass, Tag("of positives")]
    | Annotated[dict[Text, ShareOfClass], Field(min_length=2), Tag("by class")],
    Discriminator(lambda given: "by class" if isinstance(given, dict) else "of positives"),
]


class PrevalenceKeys(Strict):
    """Shares of the classes other than those of the rows."""

    target: Shares = about(
        "The share of positives where the models will be used, or the share of each class; rows "
        "are weighted to it.",
        example=0.05,
    )
    trained_at: Shares | None = about(
        "That share in the rows that the models were fitted on: probabilities are then moved from "
        "it to target; default: they stay as they are.",
        None,
        example=0.5,
    )

    @model_validator(mode="after")
    def _is_whole(self) -> PrevalenceKeys:
        if self.trained_at is not None and self.is_by_class != isinstance(self.trained_at, dict):
            raise said("has target and trained_at in two forms; write both as numbers, or as maps")
        for key, shares in (("target", self.target), ("trained_at", self.trained_at)):
            if isinstance(shares, dict) and abs(sum(shares.values()) - 1) > SUM:
                total = sum(shares.values())
                raise said(f"has shares under {key} that sum to {total:g}, not to 1")
        return self

    @property
    def is_by_class(self) -> bool:
        """Whether each class has its share, and not positives alone."""
        return isinstance(self.target, dict)
