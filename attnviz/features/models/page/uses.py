"""Uses of a model's output: similarities, and reasons for scores."""

from functools import lru_cache
from typing import Any

import streamlit as st
import torch
from torch import Tensor

from attnviz.app.parts.charts import Measured, show_measured
from attnviz.app.session import state
from attnviz.app.session.url_texts import take
from attnviz.app.text import as_message, message_of
from attnviz.core.limits import RefusedError
from attnviz.core.tokens import token_labels, visible
from attnviz.features.language_models.inside import ModelTrace, similarity
from attnviz.features.language_models.inside.edits import OFF
from attnviz.features.language_models.inside.logit_attribution import Why, patched
from attnviz.features.language_models.inside.pieces import text_of
from attnviz.features.language_models.inside.pretrained import goes_through_ours
from attnviz.features.language_models.inside.standing import stood_in
from attnviz.features.language_models.inside.uses import has_next, has_vector, last_vectors
from attnviz.features.models.page.result_cache import fitting, looked, looked_moved, looked_right, looked_why, most_of
from attnviz.features.models.page.typing import is_too_long, sentence
from attnviz.features.models.parameters import MODEL_FROM, MODEL_OTHER, MODEL_PLACE
from attnviz.features.stories.asked import JUDGED_BY, PLACES, StoryQuestion, asked_in, read
from attnviz.features.stories.grammar import ASKED, World, stories
from attnviz.words import listed, say
from attnviz.words.numbers import percent, written

_OTHER_KEY = "model.other"
_DIGITS = 2  # decimals of percentages
_EXAM = 50  # held-out stories
_MOST_PARTS, _MOST_READ = 9, 3  # shown at most: a score's largest parts, and the tokens that a head reads


def show_uses(whole: ModelTrace, asked: str) -> None:
    """Draw the model's results; `asked` is its name in the list."""
    if has_vector(whole):
        _show_similarity(whole, asked)
    elif not has_next(whole):
        _show_vectors(whole)
    if whole.original is not None:
        st.text(_moved(whole, whole.original))


def _show_similarity(view: ModelTrace, asked: str) -> None:
    other = sentence(MODEL_OTHER, say("models.use.other"), _OTHER_KEY)
    if not other.strip():
        st.info(say("models.use.blank"), icon=":material/edit:")
        return
    if is_too_long(other):
        return
    try:
        plain = looked(asked, other)
        edits = fitting(tuple(edit for edit in view.edits if edit.of_model), plain)
        changed = looked(asked, other, edits=edits)
    except ValueError as error:
        st.warning(as_message(message_of(error)), icon=":material/info:")
        return
    digits = state.digits()
    with st.container(horizontal=True, gap="large"):
        st.metric(say("models.use.similarity"), written(similarity(view, changed), digits), width="content")
        if view.original is not None:
            st.metric(say("models.use.without"), written(similarity(view.original, plain), digits), width="content")
    st.caption(say("models.use.cosine"))
    if len(edits) < len(view.edits):
        st.caption(say("models.use.of_sentence"))


def _show_vectors(view: ModelTrace) -> None:
    """Draw how far changes move each token's last vector."""
    now = last_vectors(view)
    then = None if view.original is None else last_vectors(view.original)
    if now is None or then is None:
        st.caption(say("models.use.vectors"))
        return
    moved, lengths = (now - then).double().norm(dim=-1), then.double().norm(dim=-1)
    moves = moved.tolist()
    of_length = (100 * moved / lengths.clamp_min(torch.finfo(lengths.dtype).tiny)).tolist()
    st.caption(say("models.use.vectors_moved"))
    show_measured("model.vectors", say("models.use.read"), [visible(each) for each in view.layers[-1].tokens], {
        "moves": Measured(say("models.use.moves"), moves, max(moves), state.digits()),
        "of_length": Measured(say("models.use.of_length"), of_length, max(of_length), _DIGITS, percent=True),
    })  # fmt: skip


def _moved(view: ModelTrace, original: ModelTrace) -> str:
    """Say how far changes move the last layer's attention weights or contexts."""
    last, before = view.attending[-1], original.attending[-1]
    # The page counts the layers of each kind separately.
    number = sum(each.kind == last.kind for each in view.layers if each.number < last.number)
    where = say("models.layer", layer=number)
    if len(view.kinds) > 1:
        where = say("models.use.layer_of_kind", layer=number, kind=say(f"models.page.kinds.{last.kind}"))
    parts = {"moved": (last.weights, before.weights), "moved_context": (last.attended.context, before.attended.context)}
    for name, (now, then) in parts.items():
        if now is None or then is None:
            continue
        apart = (now - then).abs().flatten(1).amax(1)
        head = int(apart.argmax())
        if most := float(apart[head]):
            return say(f"models.use.{name}", layer=where, head=head, most=written(most, state.digits()))
    return say("models.use.stayed", layer=where)


def reasons_of(view: ModelTrace, token: int | None) -> dict[str, Any] | None:
    """Return data that explains a token's score; None without a token."""
    if token is None:
        return None
    if token >= view.result.logits.shape[-1]:
        return {"title": say("write.why.none"), "rows": [], "told": []}
    try:
        found = looked_why(view, token)
    except RefusedError as error:
        return {"title": message_of(error), "rows": [], "told": []}
    score = written(found.logit, state.digits())
    title = say("write.why.title", token=visible(text_of(view.tokenizer, token)), score=score)
    return {"title": title, "rows": _rows(found), "told": [_strongest(view, found), say("write.why.norm")]}


def _rows(found: Why) -> list[dict[str, Any]]:
    """Return the largest parts of a score as bars, the rest summed."""
    ordered = sorted(found.parts, key=lambda part: -abs(part.value))
    rows = [(say(f"write.why.part.{part.kind}", layer=part.layer, head=part.head), part.value,
             None if part.head is None else f"{part.layer}.{part.head}") for part in ordered[:_MOST_PARTS]]  # fmt: skip
    rest = ordered[_MOST_PARTS:]
    if rest:
        rows.append((say("write.why.rest", n=len(rest)), sum(part.value for part in rest), None))
    most = max(abs(value) for _, value, _ in rows) or 1.0
    return [
        {"name": name, "share": value / most, "told": written(value, state.digits()), "head": head}
        for name, value, head in rows
    ]


def _strongest(view: ModelTrace, found: Why) -> str:
    """Say which head gave most, and for which of its tokens."""
    part = max((each for each in found.parts if each.kind == "head"), key=lambda each: abs(each.value))
    assert part.layer is not None
    assert part.head is not None
    read, digits = found.keys[part.layer, part.head], state.digits()
    labels = token_labels(view.tokens)
    largest = read.abs().topk(min(_MOST_READ, len(read))).indices.tolist()
    weights = view.heads[part.layer, part.head].attention_weights[-1]
    tokens = ", ".join(
        say("write.why.read", token=labels[at], value=written(float(read[at]), digits),
            weight=percent(float(weights[at])))
        for at in largest
    )  # fmt: skip
    return say(
        "write.why.strongest", layer=part.layer, head=part.head, value=written(part.value, digits), tokens=tokens
    )


@lru_cache(maxsize=1)
def _exam() -> tuple[Tensor, dict[str, list[StoryQuestion]]]:
    """Return held-out stories as ids, and the questions in them."""
    drawn = stories(_EXAM, torch.Generator().manual_seed(JUDGED_BY), World(), PLACES, held_out=True)
    return read(drawn, World()).ids[:, :-1], asked_in(drawn, World())


def held_out_in_words(view: ModelTrace) -> str:
    """Say how many held-out questions a changed model answers; blank if unchanged."""
    edits, words = tuple(each for each in view.edits if each.of_model), World().vocabulary
    known = tuple(view.tokenizer.convert_ids_to_tokens(range(min(len(words), len(view.tokenizer)))))
    if not edits or known != words or most_of(view) < PLACES or not goes_through_ours(view.model):
        return ""
    counts = [looked_right(view, each, *_exam()) for each in (edits, ())]
    told = {each: [percent(count[each] / len(_exam()[1][each])) for count in counts] for each in ASKED}
    shares = {
        f"{each}{when}": share for each, both in told.items() for when, share in zip(("", "_before"), both, strict=True)
    }
    return say("write.held_out", n=_EXAM, **shares)


def stood_in_words(view: ModelTrace) -> str:
    """Say which head makes up for those off; blank without any.

    It explains the score of the word that is likeliest without the changes. If there are changes of other kinds, too,
    it's blank, because nobody could tell what makes up for what.
    """
    off = {(each.layer, each.head) for each in view.edits if each.matrix == OFF and each.head is not None}
    if not off or len(off) < len(view.edits) or view.original is None:
        return ""
    token = int(view.original.result.logits[0, -1].argmax())
    try:
        found = stood_in(looked_why(view.original, token), looked_why(view, token), off)
    except RefusedError:
        return ""
    digits = state.digits()
    numbers = {name: written(getattr(found, name), digits)
               for name in ("score", "score_off", "lost", "before", "after", "fed")}  # fmt: skip
    heads = listed([say("write.stood.head", layer=layer, head=head) for layer, head in sorted(off)])
    told = say("write.stood.off", token=visible(text_of(view.tokenizer, token)), heads=heads, **numbers)
    which = "none" if found.head is None else "most"
    return f"{told} {say(f'write.stood.{which}', layer=found.layer, head=found.head, **numbers)}"


def places_of(view: ModelTrace) -> tuple[dict[str, Any] | None, dict[str, Tensor]]:
    """Return drawing data and next-word scores for places of another sentence.

    The data are None if no other sentence is typed.
    """
    text, place = take(MODEL_FROM), take(MODEL_PLACE)
    if not text.strip():
        return None, {}
    try:
        other = looked(view.name, text)
        moves = looked_moved(view, other)
    except ValueError as error:
        return {"title": message_of(error)}, {}
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
    if place is None:
        return data, {}
    return data, {name: patched(view, other, *place, frozen=name == "frozen") for name in ("put", "frozen")}
