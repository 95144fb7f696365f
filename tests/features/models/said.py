"""What tests of the whole app are told of models."""

# Texts that aren't said, by file: tests/unit/project/test_words.py.
NO_PAGE = {"attnviz/features/models/commands.py": "writes a command line's help"}
