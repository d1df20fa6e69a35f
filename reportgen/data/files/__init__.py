"""Bytes to columns: each kind of file, and where files are."""
