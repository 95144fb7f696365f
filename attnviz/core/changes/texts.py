"""Changes as short texts, which links carry."""

from attnviz.core.changes.lying import Changes, Replacement
from attnviz.core.layers import STACK, placed

OF_LAYER = "~"  # in a text, between the name of a matrix and its layer, where that isn't the first
GIVEN = "given."  # in a text, followed by the numbers of a matrix, rows between two underscores


def change_texts(changes: Changes) -> list[str]:
    """Return each change as a short text, which links carry, too.

    >>> from attnviz.core.matrix_input import Edit
    >>> change_texts(Changes((Edit("w_q", 0, 1, 0.9),), (("w_v", "identity"), ("w_k", ((1.0, 2.0), (3.0, 0.5))))))
    ['w_v.identity', 'w_k.given.1.0_2.0__3.0_0.5', 'w_q.0.1.0.9']
    """
    parts = [f"{name_in_text(name)}.{_fill_text(by)}" for name, by in changes.replaced]
    return parts + [
        f"{name_in_text(edit.matrix)}.{edit.row}.{edit.column}.{_number_text(edit.value)}" for edit in changes.edits
    ]


def name_in_text(name: str) -> str:
    """Return how a text of a change names a matrix; of a later layer as ``w_q~1``."""
    layer, own = placed(name)
    return f"{own}{OF_LAYER}{layer}" if layer else own


def name_from_text(text: str) -> str:
    """Return the matrix that a text of a change names; of a later layer as ``w_q~1``.

    >>> name_from_text("w_q"), name_from_text("w_q~1")
    ('w_q', 'layers.1.w_q')
    """
    own, _, layer = text.partition(OF_LAYER)
    return f"{STACK}.{layer}.{own}" if layer else text


def _number_text(value: float) -> str:
    return repr(value).replace("+", "")  # a plus sign would be read as a blank: 1e30 for 1e+30


def _fill_text(by: Replacement) -> str:
    if isinstance(by, str):
        return by.replace(":", ".")
    return GIVEN + "__".join("_".join(_number_text(value) for value in row) for row in by)
