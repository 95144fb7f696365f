"""Data about checking for tests of the whole app."""

import attnviz

# Files whose texts aren't in the catalogue, with the reason, for tests/unit/project/test_words.py.
NO_PAGE = {"attnviz/features/check/commands": "writes a command line's help"}
# Classes that functions return, for tests/unit/project/public_calls.py.
RETURNED = {"Mark", "MarkedTable", "Marking", "Misfit", "UnknownDkError", "Verdict"}
# Name of a function -> its arguments, if a name means something else there.
OTHERWISE = {"mark_fitting": {"tables": lambda: {"x": attnviz.read_table("1 2")}}}
