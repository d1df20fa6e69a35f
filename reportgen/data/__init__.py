"""Files in, checked arrays out. The only place that knows tables and column names."""
