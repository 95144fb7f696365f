"""Data about classes for tests of the whole app."""

# Files whose texts aren't in the catalogue, with the reason, for tests/unit/project/test_words.py.
NO_PAGE = {
    "attnviz/features/classes/served": "writes into the server's log",
    "attnviz/features/classes/tables.py": "writes SQL, and errors for whoever runs a server",
}
