"""Rules across the keys of a config: each check reads a `ConfigView` and yields what is wrong."""
