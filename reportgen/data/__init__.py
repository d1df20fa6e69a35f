"""Read files into checked arrays: the only package that knows tables and column names."""

import os

# Arrow's own pool takes a gigabyte of addresses at once and keeps what was read; it asks when it
# is imported.
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
