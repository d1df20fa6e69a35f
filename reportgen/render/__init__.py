"""From a Document to files: one module an output, each with `render(document, results, …)`.

A renderer lays out and draws; every word and digit it prints stands in the Document already.
"""
