"""Links that name their sentence; others open the published sentence with random numbers."""

from attnviz.link.parameter_table import table
from attnviz.link.set_up import EXAMPLE
from attnviz.link.state import as_the_app_opens, read_query


def names_its_sentence(query: str) -> bool:
    """Return whether a link has a sentence, an example, or nothing of a set-up.

    >>> names_its_sentence("step=scale"), names_its_sentence("seed=7&text=a+cat"), names_its_sentence("seed=7")
    (True, True, False)
    """
    said = read_query(query)
    return "text" in as_the_app_opens(said) or EXAMPLE in said or not any(name in table() for name in said)
