"""What each function of kernels.c is given after the kind of machine code: one table.

`int` is a whole number, `columns` the addresses of arrays of doubles, all else a contiguous array
of that type; one with a question mark may be left out. A test holds the table against the C.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

TYPES: Mapping[str, np.dtype[Any]] = MappingProxyType(
    {
        "u8": np.dtype(np.uint8),
        "u16": np.dtype(np.uint16),
        "u32": np.dtype(np.uint32),
        "u64": np.dtype(np.uint64),
        "i32": np.dtype(np.int32),
        "i64": np.dtype(np.int64),
        "f32": np.dtype(np.float32),
        "f64": np.dtype(np.float64),
        "columns": np.dtype(np.uintp),
    }
)
WRITTEN: Mapping[str, str] = MappingProxyType({
    "whole_poisson": "u64 int u8",
    "whole_keyed_poisson": "u64 u64 int u8",
    "whole_multinomial": "u64 int u8",
    "whole_power_sums": "u8 int u64 u64 u64",
    "whole_tie_sums": "u8 i32 u8 int u64 u64",
    "parting": "i32 i32 int int u8 u8 u8",
    "weight_below": "i32 i32 f64 f64 f64 f64 int int",
    "unit_pairs": "i32 i32 i32 i32 i32 int i32 u64 i32 i32 int i32 columns",
    "best_in_ranges": "i32 f64 i64 i64 i64 i64 int i64",
    "group_spread": "i32 f64 int int f64 f64 f64 f64",
    "whole_discordant": "u8 i32 u8 u8 u8 int int int u8 u8 u64",
    "whole_centred_ranks": "u8 i32 u8 int u64 f32",
    "whole_rank_products": "u8 i32 u8 i32 int u64 f32 int i64",
    "whole_weighted_sums": "u8 f64? columns int int int int f64",
    "whole_exact_sums": "u8 columns int int f64",
    "real_weighted_sums": "int f64 columns int int int f64",
    "real_differing": "int f64 i32 u8 int f64",
    "real_discordant": "int f64 i32 u8 int int f64 f64 f64",
    "real_ranks": "int f64 i32 u8 int f64",
    "real_rank_products": "int f64 i32 i32 int f64 f64 f64",
    "whole_quantile": "u8 i32 int u32 u32 i64",
    "whole_upto": "u8 i32 u8 f64 int f64 int f64",
    "whole_upto_together": "u8 i32 u8 columns int int f64 int f64",
    "whole_cells": "u8 u16 int u32",
    "whole_cell_sums": "u32 int int i64 i64",
    "real_quantile": "int f64 i32 int f64 f64 i64",
    "real_upto": "int f64 i32 u8 f64 int f64 int f64",
    "whole_auc": "u8 i32 u8 int int u64",
    "whole_label_ties": "u8 i32 u8 u8 int u64",
    "whole_precision": "u8 i32 u8 u8 int f64",
    "real_auc": "int f64 i32 u8 u8 int f64",
    "real_precision": "int f64 i32 u8 u8 int f64",
    "whole_classes_along": "u8 i32 u8 u8 int f64? f64 int int f64 f64",
    "real_classes_along": "int f64 i32 u8 u8 int f64? f64 int int f64 f64",
    "whole_class_pairs": "u8 i32 u8 i32 int int int f64 f64 f64",
    "real_class_pairs": "int f64 i32 u8 i32 int int int f64 f64 f64",
    "whole_class_window": "u8 i32 u8 u8 int f64? f64 f64",
    "real_class_window": "int f64 i32 u8 u8 int f64? f64 f64",
    "whole_class_gap": "u8 i32 u8 u8 int f64? f64",
    "real_class_gap": "int f64 i32 u8 u8 int f64? f64",
    "whole_hyperbolas": "u8 i32 u8 u8 int f64",
    "real_hyperbolas": "int f64 i32 u8 u8 int f64",
    "whole_logit_lines": "u32 int f64 f64? int f64 f64",
    "real_logit_lines": "int f64 int f64 f64? int f64 f64",
    "whole_logit_shifts": "u32 int f64 f64? int f64 f64",
    "real_logit_shifts": "int f64 int f64 f64? int f64 f64",
    "whole_rising_blocks": "u32 int i64 u32",
    "real_rising_blocks": "int f64 int i64 f64",
    "whole_ranks_along": "u8 i32 u8 i32 i32 u8 int f64 int i32 f64 f64",
    "real_ranks_along": "int f64 i32 u8 i32 i32 u8 int f64 int f64 f64 f64",
    "whole_concordance": "u8 i32 u8 i32 i32 u8 int int f64 int i32 u32 f64 f64",
    "real_concordance": "int f64 i32 u8 i32 i32 u8 int int f64 int f64 f64 f64 f64",
    "whole_cutoff_lengths": "u8 i32 u8 int u64 f64",
    "whole_cutoffs_wide": "u8 i32 u8 i32 i32 u8 i32 u8? int int int int f64 f64 int i32 u16 f64 "
    "f64 i64?",
    "whole_cutoffs": "u8 i32 u8 i32 i32 u8 int f64 int i32 f64 f64",
    "real_cutoffs": "int f64 i32 u8 i32 i32 u8 int f64 int f64 f64 f64",
    "whole_overs": "u8 i32 u8 f64 int f64 int int f64 f64",
    "real_overs": "int f64 i32 u8 f64 int f64 int int f64 f64",
    "whole_bins": "u8 i32 f64? int f64",
    "real_bins": "int f64 i32 f64? int f64",
    "whole_between": "u8 i32 f64 int f64 f64",
    "real_between": "int f64 i32 f64 int f64 f64",
})  # fmt: skip
Argument = NDArray[Any] | int | None


class Signature:
    """The parameters of one function, against which every call is checked."""

    def __init__(self, name: str, written: str) -> None:
        self.name, self._kinds = name, tuple(written.split())
        self._types = tuple(TYPES.get(kind.rstrip("?")) for kind in self._kinds)
        self._may_lack = tuple(kind.endswith("?") for kind in self._kinds)

    @property
    def are_whole(self) -> tuple[bool, ...]:
        """Which arguments are whole numbers; the others are addresses."""
        return tuple(wanted is None for wanted in self._types)

    def require(self, arguments: tuple[Argument, ...]) -> None:
        """A TypeError for anything but what the function takes."""
        if len(arguments) != len(self._types):
            raise TypeError(
                f"{self.name} takes {len(self._types)} arguments, and was given {len(arguments)}"
            )
        for place, (argument, wanted) in enumerate(zip(arguments, self._types, strict=True)):
            # NumPy takes None for a type, too: a whole number is asked for first.
            if wanted is None:
                is_right = isinstance(argument, int)
            elif isinstance(argument, np.ndarray):
                is_right = argument.dtype == wanted and argument.flags.c_contiguous
            else:
                is_right = argument is None and self._may_lack[place]
            if not is_right:
                raise self._fault(place, argument)

    def _fault(self, place: int, argument: Argument) -> TypeError:
        given: object = type(argument).__name__
        if isinstance(argument, np.ndarray):
            gaps = "" if argument.flags.c_contiguous else " that is not contiguous"
            given = f"an array of {argument.dtype}{gaps}"
        wanted = self._kinds[place]
        return TypeError(f"{self.name} takes {wanted} as argument {place + 1}, not {given}")


SIGNATURES: Mapping[str, Signature] = MappingProxyType(
    {name: Signature(name, written) for name, written in WRITTEN.items()}
)
