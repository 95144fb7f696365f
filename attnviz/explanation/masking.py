"""Sentences about what masks and other changes to attention do."""

from typing import Literal

import numpy as np

from attnviz.core.attention import AttentionTrace
from attnviz.core.masks import ZEROED, dropped_by
from attnviz.core.rules import Softmax, values
from attnviz.core.rules.rows import COLUMNS, ROWS, WHOLE
from attnviz.core.stages import Y
from attnviz.core.tokens import token_labels
from attnviz.core.what_if import CUT, SCORES, TYPED
from attnviz.words import listed, say
from attnviz.words.numbers import significant, written

_ROWS = 8  # rows whose tokens are named, at most
# Texts that have another version for traces that read a second or kept sentence.
_OF_OTHERS = ("projections.exchanged.more",)


def what_if_notes(trace: AttentionTrace) -> list[str]:
    """Return a note for each change that makes this differ from attention.

    >>> from attnviz.core.scenario import Scenario, trace
    >>> what_if_notes(trace(Scenario("a b"))), len(what_if_notes(trace(Scenario("a b", what_if="scores:cosine"))))
    ([], 1)
    """
    notes = [say(key_of(each, "note", reads_others(trace))) for each in trace.switched_on]
    return notes + _whose_rows(trace)


def key_of(switch: str, what: str, reads_others: bool) -> str:
    """Return the catalogue key of a switch's text, "note" or "more".

    >>> key_of("scores.keys-first", "more", False), key_of("projections.exchanged", "more", True)
    ('what_if.scores.keys_first.more', 'what_if.projections.exchanged.more_others')
    """
    key = f"{switch.replace('-', '_')}.{what}"
    return f"what_if.{key}_others" if reads_others and key in _OF_OTHERS else f"what_if.{key}"


def reads_others(trace: AttentionTrace) -> bool:
    """Whether keys and values come from another sentence, wholly or in part."""
    return Y in trace.layers[0].stages


def cut_by_view(trace: AttentionTrace) -> bool:
    """Whether a view cuts heads, so that their rows mix tokens."""
    return any(each.startswith(CUT) for each in trace.switched_on) and trace.layers[0].x.shape[-2] > 1


def _whose_rows(trace: AttentionTrace) -> list[str]:
    """Say which tokens' rows the queries are, where a view cuts heads."""
    q = trace.stages.get("q")
    if q is None or q.rule is None or not q.rule.cuts_rows or not trace.tokens:
        return []
    rows = q.labels("rows", trace.tokens, len(trace.tokens))
    told = ", ".join(say("summary.named", token=each) for each in rows[:_ROWS])
    more = "rows_and_more" if len(rows) > _ROWS else "rows"
    return [say(f"what_if.cut.{more}", symbol=q.symbol, head=q.head, tokens=told)]


def scores_switched(trace: AttentionTrace) -> bool:
    """Whether scores aren't plain products of queries and keys."""
    return any(each.startswith((SCORES, TYPED)) for each in trace.switched_on)


AS_ENDLESS = -1e3  # a number this low in a mask is meant to hide a key, as −∞ does
AS_EXACT = 1e-4  # attention weights that are off by less count as exact
_NAMED = 3
_DIGITS = 2


def meant_hidden(trace: AttentionTrace) -> np.ndarray:
    """Return which keys the mask means to hide, large negative numbers included."""
    mask = trace.layers[0].mask
    if mask is None:
        return trace.is_hidden
    return mask.detach().cpu().numpy() <= AS_ENDLESS


def leaks(trace: AttentionTrace) -> np.ndarray:
    """Return each row's attention on hidden tokens: ``(layers and heads, n_tokens)``."""
    return (_weights(trace) * meant_hidden(trace)).sum(-1)


def _weights(trace: AttentionTrace) -> np.ndarray:
    """Return the attention weights of all layers and heads, ``(n, n_tokens, n_tokens)``."""
    each = (layer.attention_weights.detach().cpu().numpy() for layer in trace.layers)
    return np.concatenate([weights.reshape(-1, *weights.shape[-2:]) for weights in each])


def undefined_by_mask(trace: AttentionTrace) -> bool:
    """Whether the first undefined attention weights are all due to the mask."""
    weights = (layer.attention_weights.isnan().cpu().numpy() for layer in trace.layers)
    undefined = next((each.reshape(-1, *each.shape[-2:]).any(0) for each in weights if each.any()), None)
    if undefined is None:
        return False
    over = {ROWS: 1, COLUMNS: 0, WHOLE: None}[trace.shared_over]
    left = (~trace.is_hidden).any(over, keepdims=True)
    return not (undefined & left).any()


def mask_notes(trace: AttentionTrace) -> list[str]:
    """Return what a mask hides, what leaks, and who can't read anything."""
    hidden, meant = trace.is_hidden, meant_hidden(trace)
    if not meant.any():
        return []
    notes, use, mask = [], trace.mask_use, trace.layers[0].mask
    p = dropped_by(mask) if use.lossy and mask is not None else None
    mixed = cut_by_view(trace)
    if use.usual and hidden.any():
        kind = "masked" if trace.causal and not mixed else "hidden"
        linear = any(stage.rule is not None and stage.rule.is_linear for stage in trace.stages.values())
        kind = f"{kind}_weights" if linear else kind  # without a softmax, no scaled score is −∞
        notes.append(say(f"summary.notes.{kind}", n=int(hidden.sum()), count=hidden.size))
    if mixed:
        notes.append(say("summary.mask.by_place"))
    if not use.usual:
        notes.append(say(f"summary.mask.{use.name}") if p is None else say("summary.mask.dropout", p=significant(p)))
    weights = _weights(trace)
    if use.lossy:
        sums = weights.sum(-1)
        low, high = (written(float(each), _DIGITS) for each in (np.nanmin(sums), np.nanmax(sums)))
        notes += [say("summary.mask.sums", low=low, high=high)] * (low != written(1.0, _DIGITS) or low != high)
    elif (use.times_scores or not np.array_equal(hidden, meant)) and not np.isnan(weights).all():
        given = leaks(trace)
        most, mean = (written(float(each), _DIGITS) for each in (np.nanmax(given), np.nanmean(given)))
        notes.append(say("summary.mask.leak", mean=mean, most=most))
    return notes if p is not None else notes + (_unread(trace, hidden) or _nothing(trace, meant, hidden))


def _nothing(trace: AttentionTrace, meant: np.ndarray, hidden: np.ndarray) -> list[str]:
    """Say which tokens may read nothing, and what happens then."""
    rows = np.flatnonzero(meant.all(-1)).tolist()
    if not rows:
        return []
    kind = trace.mask_use.name if not trace.mask_use.usual or hidden[rows].all() else _finite(trace, rows)
    if trace.shared_over != ROWS:  # then a number added to all of a row does matter
        weights = _weights(trace)[:, rows]
        if not (weights == 0).all():
            return []
        kind = ZEROED
    return [say(f"summary.nothing.{kind}", names=_named(trace, "row", rows))]


def _finite(trace: AttentionTrace, rows: list[int]) -> str:
    """Return how a finite mask leaves scores: "finite", "swallowed" or "rounded"."""
    kinds = set()
    for head in (head for layer in trace.layers for head in layer.heads):
        stage = head.stages["scaled_scores"]
        if stage.rule is None or len(stage.sources) < 2:
            continue
        scores, mask = (head[name].detach().double().cpu().numpy()[rows] for name in stage.sources[:2])
        shares = values(Softmax(), values(stage.rule, scores, mask))
        weights = head.attention_weights.detach().double().cpu().numpy()[rows]
        if np.abs(shares - weights).max() < AS_EXACT:
            kinds.add("finite")
        else:
            kinds.add("swallowed" if (head.scaled_scores.cpu().numpy()[rows] == mask).all() else "rounded")
    return next((kind for kind in ("rounded", "swallowed") if kind in kinds), "finite")


def _unread(trace: AttentionTrace, hidden: np.ndarray) -> list[str]:
    """Say which tokens nobody may read, unless each row sums to 1."""
    over = trace.shared_over if trace.mask_use.usual else ROWS
    if over == WHOLE and hidden.all():
        return [say("summary.unread.whole")]
    columns = np.flatnonzero(hidden.all(0)).tolist()
    if over != COLUMNS or not columns:
        return []
    return [say("summary.unread.columns", n=len(columns), names=_named(trace, "column", columns))]


def _named(trace: AttentionTrace, axis: Literal["row", "column"], places: list[int]) -> str:
    """Name tokens, or rows and columns where a view cuts heads."""
    tokens = trace.tokens if axis == "row" else trace.read_tokens
    names = token_labels(tokens) if tokens else [str(place) for place in range(max(places) + 1)]
    if cut_by_view(trace):
        told = [say(f"summary.nothing.{axis}", place=place) for place in places[:_NAMED]]
    else:
        told = [say("summary.named", token=names[place]) for place in places[:_NAMED]]
    rest = len(places) - _NAMED
    return say("summary.more", names=", ".join(told), rest=rest) if rest > 0 else listed(told)
