"""Links that name an example: ``?example=love-ai``."""

from collections.abc import Mapping
from urllib.parse import parse_qsl

from attnviz.core.limits import in_short
from attnviz.link.set_up import CHANGES, query_of
from attnviz.published import starting_points

EXAMPLE = "example"  # the name of the parameter
PUBLISHED = "published"  # its value that stands for the defaults of all others
EXAMPLES = (*starting_points(), PUBLISHED)


def with_example(query: Mapping[str, str]) -> dict[str, str]:
    """Return the parameters of a link with those of the example that it names in place of its name; what else
    the link says lies over them.

    Raises ``ValueError`` for an example that there is not.

    >>> with_example({"example": "love-ai", "d_v": "2", "edits": "w_q.0.1.0.9"})["edits"]
    'x.example.love-ai*w_q.example.love-ai*w_k.example.love-ai*w_v.example.love-ai*w_q.0.1.0.9'
    """
    own = {name: text for name, text in query.items() if name != EXAMPLE}
    if query.get(EXAMPLE, PUBLISHED) == PUBLISHED:
        return own
    if query[EXAMPLE] not in starting_points():
        known = ", ".join(EXAMPLES)
        raise ValueError(f"example is {in_short(query[EXAMPLE])}, expected one of {known}")
    stated = dict(parse_qsl(query_of(starting_points()[query[EXAMPLE]].scenario)))
    changes = [part for part in (stated.get(CHANGES), own.get(CHANGES)) if part]
    return stated | own | ({CHANGES: "*".join(changes)} if changes else {})
