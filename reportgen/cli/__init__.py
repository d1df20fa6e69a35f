"""The command line: commands, console messages, exit codes."""
