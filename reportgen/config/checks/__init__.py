"""Rules across the keys of a config: names that point at others, parts that go together."""
