"""Why a word has its score: what each head and each feed-forward layer gave to it, as bars."""

from typing import Any

from attnviz.app.model.looked import looked_why
from attnviz.app.refusals import told
from attnviz.app.session import state
from attnviz.core.errors import RefusedError
from attnviz.core.tokens import token_labels, visible
from attnviz.models import ModelTrace
from attnviz.models.reasons import Part, Why
from attnviz.models.uses import text_of
from attnviz.words import say
from attnviz.words.numbers import written

_MOST_PARTS, _MOST_READ = 9, 3  # that are told, the largest first


def reasons_of(view: ModelTrace, token: int | None) -> dict[str, Any] | None:
    """Return what is drawn of why a token has its score: a title, bars and sentences; None where none is asked."""
    if token is None:
        return None
    if token >= view.result.logits.shape[-1]:
        return {"title": say("write.why.none"), "rows": [], "told": []}
    try:
        found = looked_why(view, token)
    except RefusedError as error:
        return {"title": told(error), "rows": [], "told": []}
    score = written(found.logit, state.digits())
    title = say("write.why.title", token=visible(text_of(view.tokenizer, token)), score=score)
    return {"title": title, "rows": _rows(found), "told": [_strongest(view, found), say("write.why.norm")]}


def _rows(found: Why) -> list[dict[str, Any]]:
    """Return the parts that gave most, and all others as one, with how long their bars are."""
    ordered = sorted(found.parts, key=lambda part: -abs(part.value))
    rows = [(_called(part), part.value, None if part.head is None else f"{part.layer}.{part.head}")
            for part in ordered[:_MOST_PARTS]]  # fmt: skip
    rest = ordered[_MOST_PARTS:]
    if rest:
        rows.append((say("write.why.rest", n=len(rest)), sum(part.value for part in rest), None))
    most = max(abs(value) for _, value, _ in rows) or 1.0
    return [{"name": name, "share": value / most, "told": written(value, state.digits()), "head": head}
            for name, value, head in rows]  # fmt: skip


def _called(part: Part) -> str:
    return say(f"write.why.part.{part.kind}", layer=part.layer, head=part.head)


def _strongest(view: ModelTrace, found: Why) -> str:
    """Say of the head that gave most for which tokens that it read."""
    part = max((each for each in found.parts if each.kind == "head"), key=lambda each: abs(each.value))
    assert part.layer is not None
    assert part.head is not None
    read, digits = found.keys[part.layer, part.head], state.digits()
    labels = token_labels(view.tokens)
    largest = read.abs().topk(min(_MOST_READ, len(read))).indices.tolist()
    weights = view.heads[part.layer, part.head].attention_weights[-1]
    tokens = ", ".join(
        say("write.why.read", token=labels[at], value=written(float(read[at]), digits),
            weight=written(float(weights[at]), 2))
        for at in largest
    )  # fmt: skip
    return say(
        "write.why.strongest", layer=part.layer, head=part.head, value=written(part.value, digits), tokens=tokens
    )
