"""Why the core refuses something: the message is for those who program, the facts are for the page's own sentence."""


class RefusedError(ValueError):
    """A ``ValueError`` with what a page needs to tell its reader about it.

    `kind` is the key of the page's sentence in refused.toml, `facts` are what its places are filled from.

    >>> error = RefusedError("5000 edits, expected at most 4096", "edits", n=5000, most=4096)
    >>> str(error), error.kind, error.facts
    ('5000 edits, expected at most 4096', 'edits', {'n': 5000, 'most': 4096})
    """

    def __init__(self, message: str, kind: str, /, **facts: object) -> None:
        super().__init__(message)
        self.kind = kind
        self.facts = facts


class SaidError(ValueError):
    """A ``ValueError`` whose message is a sentence of the catalogue, for the reader as it stands."""
