"""The example, and a small vocabulary: the language is tested without the catalogue."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from reportgen.config.loading import LoadedConfig
from reportgen.config.vocabulary import TaskWord, Vocabulary, Word

CONFIGS = Path(__file__).parents[2] / "configs"
EXAMPLE = (Path(__file__).parent / "example.yaml").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Parameter:
    """A parameter of a metric."""

    kind: Literal["number", "integer", "text", "flag"]
    default: str | int | float | bool | None = None
    choices: tuple[str, ...] = ()
    is_required: bool = False


def _alpha_is_a_share(alpha: float) -> str | None:
    return None if 0 <= alpha <= 1 else f"alpha is a share from 0 to 1, not {alpha}"


ALPHA = {"alpha": Parameter("number", is_required=True)}
BUCKETS = {
    "buckets": Parameter("integer", 10),
    "statistic": Parameter("text", "mean", ("mean", "median")),
}
ORDERS = ("auto", "analytic", "bootstrap", "gaussian", "influence")
AMOUNTS = (*ORDERS, "t", "sign-flip")
AMOUNT = frozenset(("order", "amount", "density"))
WORDS = Vocabulary(
    planned_tasks=("binary", "multiclass", "multilabel", "ranking"),
    tasks={"regression": TaskWord({"amount": AMOUNT, "rank": frozenset(("order",))}, True, True)},
    metrics={
        "kendall": Word("regression", "order", tests=ORDERS),
        "spearman": Word("regression", "order"),
        "regression_auc": Word(
            "regression", "order", {"ties": Parameter("text", "half", ("half", "strict"))}
        ),
        "mae": Word("regression", "amount", tests=AMOUNTS),
        "rmse": Word("regression", "amount"),
        "r2": Word("regression", "amount"),
        "bias": Word("regression", "amount", is_best_at_zero=True),
        "pinball": Word("regression", "amount", ALPHA, check=_alpha_is_a_share),
        "asymmetric_cost": Word("regression", "amount", ALPHA, check=_alpha_is_a_share),
        "ranking_last": Word("regression", "order", BUCKETS),
        "roc_auc": Word("binary", "order"),
    },
    curves={
        "ranking": Word("regression", "order", BUCKETS),
        "roc": Word("binary", "order"),
    },
    sections=("decision", "results", "costs", "segments", "data"),
    intervals=("auto", "percentile", "basic", "bca", "se", "studentized", "analytic"),
    tests=(*AMOUNTS, "mcnemar"),
    adjustments=("bonferroni", "maxt", "holm", "bh", "none"),
)

Reader = Callable[..., LoadedConfig]
