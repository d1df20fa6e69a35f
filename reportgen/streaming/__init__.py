"""The analysis of rows that do not fit into memory: sums over row groups."""
