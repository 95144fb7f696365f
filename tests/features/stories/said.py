"""Data about stories for tests of the whole app."""

# Files whose texts aren't in the catalogue, with the reason, for tests/unit/project/test_words.py.
NO_PAGE = {
    "attnviz/features/stories/asked.py": "names what stories ask",
    "attnviz/features/stories/grammar.py": "holds the words of a story",
}
# The module with public calls, for tests/unit/project/public_calls.py and test_wrong_types.py.
MODULES = ("attnviz.features.stories.held_out",)
# What the contract names, for tests/unit/project/test_wrong_types.py.
NAMED = {"features.stories.held_out.examples"}
