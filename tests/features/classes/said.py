"""What tests of the whole app are told of classes."""

# Texts that aren't said, by file: tests/unit/project/test_words.py.
NO_PAGE = {
    "attnviz/features/classes/served": "writes into the server's log",
    "attnviz/features/classes/tables.py": "writes SQL, and errors for whoever runs a server",
}
