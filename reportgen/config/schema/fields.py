"""Types of values and fields that all parts of the schema share."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    WithJsonSchema,
    model_serializer,
    model_validator,
)
from pydantic_core import PydanticCustomError

from reportgen.terms import Margin

Text = Annotated[str, Field(min_length=1)]
LARGEST = 1e50  # beyond it squares and sums may overflow; the data have the same limit
SMALLEST = 1 / LARGEST  # below it, and above 0, squares and quotients may vanish
Number = Annotated[
    float,
    Field(allow_inf_nan=False, ge=-LARGEST, le=LARGEST),
    AfterValidator(lambda x: _check_not_tiny(x)),
]
Positive = Annotated[
    float,
    Field(allow_inf_nan=False, gt=0, le=LARGEST),
    AfterValidator(lambda x: _check_not_tiny(x)),
]
NotNegative = Annotated[
    float,
    Field(allow_inf_nan=False, ge=0, le=LARGEST),
    AfterValidator(lambda x: _check_not_tiny(x)),
]
Seed = Annotated[int, Field(ge=0, lt=2**63)]
Replicates = Annotated[int, Field(ge=1, le=10_000_000)]
Count = Annotated[int, Field(ge=2, le=1000)]
Counts = Annotated[
    tuple[Count, ...], Field(min_length=1, max_length=5), AfterValidator(lambda x: _distinct(x))
]
Buckets = Annotated[
    Annotated[Count, Tag("one")] | Annotated[Counts, Tag("several")],
    Discriminator(lambda given: "several" if isinstance(given, list | tuple) else "one"),
]
Share = Annotated[float, Field(ge=0, le=1), AfterValidator(lambda x: _check_not_tiny(x))]
INFINITE = {".inf": float("inf"), "-.inf": float("-inf")}
# JSON has no infinity: where one is allowed, it may be the text that YAML has for it.
Edge = Annotated[
    float,
    BeforeValidator(lambda given: INFINITE.get(given, given) if isinstance(given, str) else given),
    WithJsonSchema({"anyOf": [{"type": "number"}, {"enum": [*INFINITE]}]}),
]
Role = Literal["baseline", "candidate", "benchmark"]
Delimiter = Literal[",", ";", "|", "\t", "tab"]
FileFormat = Literal["csv", "tsv", "jsonl", "json", "parquet", "feather", "excel"]
DecimalMark = Literal[".", ","]
ThousandsMark = Literal[".", ",", " ", "'"]
Encoding = Annotated[str, AfterValidator(lambda x: _check_encoding(x))]
Header = Annotated[tuple[Annotated[str, Field(min_length=1)], ...], Field(min_length=1)]


def describe_field(
    description: str, default: Any = ..., *, example: Any = None, **limits: Any
) -> Any:
    """Build a field with its description, an example of its value, and limits."""
    examples = None if example is None else [example]
    return Field(default, description=description, examples=examples, **limits)


def is_subnormal(number: float) -> bool:
    """Return whether a number is not 0 and yet too small to be computed with."""
    return 0 < abs(number) < SMALLEST


def _check_not_tiny(number: float) -> float:
    if is_subnormal(number):
        raise schema_error(f"needs 0 or a number of at least {SMALLEST:g} in size")
    return number


def _check_encoding(name: str) -> str:
    try:
        b"".decode(name)
        "a".encode(name)
    except (LookupError, ValueError):
        problem = "needs the name of an encoding, such as cp1252, latin-1 or utf-16"
        raise schema_error(problem) from None
    return name


class StrictModel(BaseModel):
    """No key unknown, no type guessed, nothing changed afterwards."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", defer_build=True)


class TextFileKeys(StrictModel):
    """Keys for the format of a file that its content does not tell."""

    format: FileFormat | None = describe_field(
        "What kind of file it is; default: found from its content, then from its name.",
        None,
        example="csv",
    )
    encoding: Encoding | None = describe_field(
        "The encoding of a text file; default: that of its mark, or UTF-8.", None, example="cp1252"
    )
    decimal: DecimalMark | None = describe_field(
        "The mark before decimals; default: found from the values of each column.",
        None,
        example='","',
    )
    thousands: ThousandsMark | None = describe_field(
        "The mark between thousands; default: found from the values of each column.",
        None,
        example='"."',
    )
    skip_rows: Annotated[int, Field(ge=0)] | None = describe_field(
        "How many lines to skip before the header of a CSV file.", None, example=2
    )

    sheet: Text | None = describe_field(
        "The sheet of a workbook to read; default: the only one.", None, example="Scores"
    )

    @model_validator(mode="after")
    def _marks_differ(self) -> Self:
        if self.decimal is not None and self.decimal == self.thousands:
            raise schema_error("has the same mark for decimals and thousands; write two marks")
        return self


def _distinct(counts: tuple[int, ...]) -> tuple[int, ...]:
    if len(set(counts)) < len(counts):
        raise schema_error("needs each number once")
    return counts


def schema_error(words: str) -> PydanticCustomError:
    """Build an error in our own words; its place is put before them, the written value after."""
    return PydanticCustomError("said", "{words}", {"words": words})


class MarginKeys(StrictModel):
    """The smallest difference that matters.

    In the metric's unit, or, if `is_relative`, a share of the baseline's value: `2%` is 0.02.
    """

    value: float
    is_relative: bool = False

    @model_validator(mode="before")
    @classmethod
    def _read(cls, given: object) -> object:
        wrong = schema_error(
            'needs a number from 0 up in the metric\'s unit, or a share such as "2%"'
        )
        text = given.strip() if isinstance(given, str) else ""
        try:
            number = float(text[:-1] if text.endswith("%") else given)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            raise wrong from None
        is_text = isinstance(given, str) and not text.endswith("%")
        if isinstance(given, bool) or is_text or not 0 <= number <= LARGEST or is_subnormal(number):
            raise wrong
        return {"value": number / 100 if text else number, "is_relative": bool(text)}

    def to_margin(self) -> Margin:
        """Return the margin that it declares."""
        return Margin(self.value, self.is_relative)

    @model_serializer
    def format_margin(self) -> float | str:
        """Return the margin as the YAML writes it."""
        return f"{self.value * 100:.12g}%" if self.is_relative else self.value
