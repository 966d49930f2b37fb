"""The `records` extractor in plain Python: the view of a page, its candidates, their features, and
the columns of a list.

This is how it was first written and tuned. The kernel does the same with numbers in place of
strings and running sums in place of walks.
"""
