"""The YAML language, version 1: read, check and describe a config."""

from reportgen.config.json_schema import build_config_schema
from reportgen.config.loading import LoadedConfig, Plugin, find_plugins, read_config
from reportgen.config.schema.config import Comparisons, Config, Dataset, MetricUse, Primary
from reportgen.config.schema.costs import Costs, ThresholdKeys
from reportgen.config.schema.datasets import Model, Scores, SegmentKeys
from reportgen.config.schema.fields import MarginKeys
from reportgen.config.schema.report import (
    GATE_RULES,
    AnyGate,
    Bootstrap,
    Bound,
    FewHarmed,
    NonInferior,
    ReportKeys,
    ThemeKeys,
    Versus,
)
from reportgen.config.secrets import Secrets
from reportgen.config.sources import ConfigMapping
from reportgen.config.vocabulary import ParameterLike, TaskWord, Vocabulary, Word
from reportgen.config.yaml.tree import ConfigSource, dump_yaml

__all__ = [
    "GATE_RULES",
    "AnyGate",
    "Bootstrap",
    "Bound",
    "Comparisons",
    "Config",
    "ConfigMapping",
    "ConfigSource",
    "Costs",
    "Dataset",
    "FewHarmed",
    "LoadedConfig",
    "MarginKeys",
    "MetricUse",
    "Model",
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
    "build_config_schema",
    "dump_yaml",
    "find_plugins",
    "read_config",
]
