"""The YAML language, version 1: read, check and describe a config."""
