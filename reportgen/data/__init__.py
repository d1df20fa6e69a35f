"""Files in, checked arrays out. The only place that knows pandas and column names."""
