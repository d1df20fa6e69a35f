"""Rules across the keys of a config."""
