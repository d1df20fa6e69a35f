"""The YAML language, version 1: reading, checking, describing and starting a config."""

from reportgen.config.json_schema import json_schema
from reportgen.config.loading import Loaded, read_config
from reportgen.config.plugin_names import plugin_files
from reportgen.config.schema import (
    AnyGate,
    Bootstrap,
    Bound,
    Comparisons,
    Config,
    Costs,
    Dataset,
    Margin,
    MetricUse,
    Model,
    NonInferior,
    Primary,
    Report,
    Scores,
    Segment,
    Theme,
    Versus,
)
from reportgen.config.tree import Source
from reportgen.config.vocabulary import ParameterLike, Vocabulary, Word

__all__ = [
    "AnyGate",
    "Bootstrap",
    "Bound",
    "Comparisons",
    "Config",
    "Costs",
    "Dataset",
    "Loaded",
    "Margin",
    "MetricUse",
    "Model",
    "NonInferior",
    "ParameterLike",
    "Primary",
    "Report",
    "Scores",
    "Segment",
    "Source",
    "Theme",
    "Versus",
    "Vocabulary",
    "Word",
    "json_schema",
    "plugin_files",
    "read_config",
]
