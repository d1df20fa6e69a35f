"""The config language in its long form, as pydantic models."""
