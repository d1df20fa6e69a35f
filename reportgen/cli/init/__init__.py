"""The command `init`: a first config from the columns of a data file."""
