"""What every part of the config language is made of: kinds of values, fields, errors."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

Text = Annotated[str, Field(min_length=1)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Seed = Annotated[int, Field(ge=0, lt=2**63)]
Share = Annotated[float, Field(ge=0, le=1)]
Role = Literal["baseline", "candidate"]
Scale = Literal["amount", "rank"]


def about(description: str, default: Any = ..., *, example: Any = None, **limits: Any) -> Any:
    """A field with its description, an example of its value, and limits."""
    examples = None if example is None else [example]
    return Field(default, description=description, examples=examples, **limits)


class Strict(BaseModel):
    """No key unknown, no type guessed, nothing changed afterwards."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


def said(words: str) -> PydanticCustomError:
    """An error in our own words; the place is put before them and what was written after."""
    return PydanticCustomError("said", "{words}", {"words": words})
