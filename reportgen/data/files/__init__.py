"""Files to columns: where files are, and one reader a format."""
