"""Values and differences: every model on every metric, on all rows and in segments."""
