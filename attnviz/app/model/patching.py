"""From another sentence: what a layer makes of its word in the place of this one's, and how far the next word moves."""

from typing import Any

from torch import Tensor

from attnviz.app.model.looked import looked, looked_moved
from attnviz.app.refusals import told
from attnviz.app.session.link_values import take
from attnviz.core.tokens import token_labels
from attnviz.link.parameter_table import MODEL_FROM, MODEL_PLACE
from attnviz.models import ModelTrace
from attnviz.models.reasons import patched
from attnviz.words import say
from attnviz.words.shares import percent


def places_of(view: ModelTrace) -> tuple[dict[str, Any] | None, Tensor | None]:
    """Return what is drawn of all places of another sentence, and the scores of the next word with the picked one; None
    where no sentence is typed, and where none is picked."""
    text, place = take(MODEL_FROM), take(MODEL_PLACE)
    if not text.strip():
        return None, None
    if view.edits:
        return {"title": say("write.from.changed")}, None
    try:
        other = looked(view.name, text)
        moves = looked_moved(view, other)
    except ValueError as error:
        return {"title": told(error)}, None
    layers, n = moves.shape
    place = place if place is not None and place[0] < layers and place[1] < n else None
    data = {
        "title": say("write.from.title"),
        "tokens": [token_labels(each.tokens)[:n] for each in (view, other)],
        "layers": [say("models.layer", layer=layer) for layer in range(layers)],
        "shares": moves.tolist(),
        "told": [[percent(share) for share in row] for row in moves.tolist()],
        "picked": "" if place is None else ".".join(map(str, place)),
    }
    return data, None if place is None else patched(view, other, *place)
