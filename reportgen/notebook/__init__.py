"""The way in from a notebook: `compare` arrays, `run` a config, look at the `Report`."""
