"""Fields whose values the page itself writes into the address; see scripts/fields.js."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from attnviz.app.session.page_record import this_page

MOST_AS_JSON = 20_000  # characters that the address holds until the server has packed them


def stand_at_once(
    parameter: str,
    keys: Mapping[str, str],
    *,
    most: int = MOST_AS_JSON,
    ends: Sequence[str] = (),
    held: Mapping[str, Any] | None = None,
    is_optional: bool = True,
) -> None:
    """Have the page write some fields into the address as they change.

    `keys` maps the key of each field, or of its container, to the field's name. The parameter holds a field's text, of
    `most` characters at most; with `held`, it holds all the fields as JSON by their names. A field may be blank if it
    `is_optional`. A change removes the parameters `ends` from the address.
    """
    this_page().fields[parameter] = {
        "parameter": parameter,
        "names": {class_of(key): name for key, name in keys.items()},
        "most": most,
        "ends": list(ends),
        "held": None if held is None else dict(held),
        "isOptional": is_optional,
    }


def class_of(key: str) -> str:
    """Return the CSS class that Streamlit gives an element with this key.

    >>> class_of("check.answer.1.q.0.0")
    'st-key-check-answer-1-q-0-0'
    """
    return "st-key-" + re.sub(r"[^a-zA-Z0-9_-]", "-", key.strip())
