"""From a config and its samples to requests, plans and results: one module a concern."""
