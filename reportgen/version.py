"""The version of this program: the one place that says it; the package's metadata reads it here."""

__version__ = "0.2.0"
