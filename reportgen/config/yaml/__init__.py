"""YAML text to a tree in which every leaf knows its place."""
