"""The report: wording, conclusion, sections, rendering and publication of results."""
