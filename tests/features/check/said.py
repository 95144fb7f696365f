"""Data about checking for tests of the whole app."""

# Files whose texts aren't in the catalogue, with the reason, for tests/unit/project/test_words.py.
NO_PAGE = {"attnviz/features/check/commands": "writes a command line's help"}
# Classes that functions return, for tests/unit/project/public_calls.py.
RETURNED = {"Mark", "MarkedTable", "Marking", "Misfit", "UnknownDkError", "Verdict"}
