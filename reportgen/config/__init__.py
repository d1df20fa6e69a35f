"""The YAML language, version 1: read, check and describe a config."""

from reportgen.config.json_schema import build_config_schema
from reportgen.config.loading import LoadedConfig, Plugin, find_plugins, read_config
from reportgen.config.schema.config import (
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
from reportgen.config.schema.costs import Costs, ThresholdKeys
from reportgen.config.schema.fields import MarginKeys
from reportgen.config.schema.report import GATE_RULES
from reportgen.config.schema.report import FewHarmed as FewHarmed
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
