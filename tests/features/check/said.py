"""What tests of the whole app are told of checking."""

# Texts that aren't said, by file: tests/unit/project/test_words.py.
NO_PAGE = {"attnviz/features/check/commands": "writes a command line's help"}
# Public calls: tests/unit/project/public_calls.py.
RETURNED = {"Mark", "MarkedTable", "Marking", "Misfit", "UnknownDkError", "Verdict"}
