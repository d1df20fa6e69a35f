"""Text to a tree in which every leaf knows its place."""
