"""The YAML language, version 1: reading, checking, describing and starting a config."""

from reportgen.config.costing import Costs
from reportgen.config.fields import MarginKeys
from reportgen.config.gating import FewHarmed as FewHarmed
from reportgen.config.given import Given
from reportgen.config.guessing import (
    Guess,
    GuessedColumn,
    Named,
    guess,
    is_score,
    model_names,
    with_sums,
)
from reportgen.config.guessing_classes import EACH
from reportgen.config.hiding import Secrets
from reportgen.config.json_schema import json_schema
from reportgen.config.loading import Loaded, Plugin, find_plugins, read_config
from reportgen.config.rules import RULES
from reportgen.config.schema import (
    AnyGate,
    Bootstrap,
    Bound,
    Comparisons,
    Config,
    Dataset,
    MetricUse,
    Model,
    NonInferior,
    Primary,
    ReportKeys,
    Scores,
    SegmentKeys,
    ThemeKeys,
    Versus,
)
from reportgen.config.starter import SCHEMA_LINE, SCHEMA_NAME, init_config
from reportgen.config.thresholds import ThresholdKeys
from reportgen.config.vocabulary import ParameterLike, TaskWord, Vocabulary, Word
from reportgen.config.yaml.tree import ConfigSource
from reportgen.config.yaml.writing import as_yaml

__all__ = [
    "EACH",
    "RULES",
    "SCHEMA_LINE",
    "SCHEMA_NAME",
    "AnyGate",
    "Bootstrap",
    "Bound",
    "Comparisons",
    "Config",
    "ConfigSource",
    "Costs",
    "Dataset",
    "Given",
    "Guess",
    "GuessedColumn",
    "Loaded",
    "MarginKeys",
    "MetricUse",
    "Model",
    "Named",
    "NonInferior",
    "ParameterLike",
    "Plugin",
    "Primary",
    "ReportKeys",
    "Scores",
    "Secrets",
    "SegmentKeys",
    "TaskWord",
    "ThemeKeys",
    "ThresholdKeys",
    "Versus",
    "Vocabulary",
    "Word",
    "as_yaml",
    "find_plugins",
    "guess",
    "init_config",
    "is_score",
    "json_schema",
    "model_names",
    "read_config",
    "with_sums",
]
