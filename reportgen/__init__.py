"""One YAML file in, a decided model comparison out."""
