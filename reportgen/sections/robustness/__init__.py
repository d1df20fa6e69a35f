"""What would have changed the answer."""
