"""The sections of a report: each module turns results into one, or into parts of one."""
