"""Differences of two set-ups and of their results, in words."""

import math

import torch
from torch import Tensor

from attnviz.core.changes import changes_of
from attnviz.core.masks import USES, dropped_by
from attnviz.core.scenario import SETTINGS, Scenario, traced
from attnviz.core.stages import EDITABLE, MASK
from attnviz.core.tokens import token_labels
from attnviz.explanation.comparing import Comparison
from attnviz.explanation.masking import cut_by_view
from attnviz.explanation.origins import filled_with, setting_in_words, symbol_in_words
from attnviz.words import plural, say
from attnviz.words.numbers import significant, written

_OTHER_SUM = 1e-4  # if sums of rows differ by more, that isn't rounding
_LEAST = 1e-3  # of a smaller share of attention, texts only say that it's less than this
_NAMED = 4  # changed cells that are named one by one


def heads_in_words(a: Scenario, b: Scenario, head: int, layer: int = 0) -> str:
    """Say which heads and layers are compared; empty for one each.

    >>> heads_in_words(Scenario(n_heads=2), Scenario(), 1)
    'A has 2 heads, B has 1 head: head 1 of A beside head 0 of B. What follows the heads is made of all of them.'
    """
    return " ".join(filter(None, (_layers_in_words(a, b, layer), _heads_in_words(a, b, head))))


def _layers_in_words(a: Scenario, b: Scenario, layer: int) -> str:
    if a.n_layers == b.n_layers:
        return ""
    places = {"layer_a": min(layer, a.n_layers - 1), "layer_b": min(layer, b.n_layers - 1)}
    return say("compare.heads.layers", a=plural(a.n_layers, "layer"), b=plural(b.n_layers, "layer"), **places)


def _heads_in_words(a: Scenario, b: Scenario, head: int) -> str:
    if a.n_heads == b.n_heads:
        return say("compare.heads.same", head=head) if a.n_heads > 1 else ""
    places = {"head_a": min(head, a.n_heads - 1), "head_b": min(head, b.n_heads - 1)}
    return say("compare.heads.differ", a=plural(a.n_heads, "head"), b=plural(b.n_heads, "head"), **places)


def changed_in_words(a: Scenario, b: Scenario) -> list[str]:
    """Say how B differs: settings, replaced matrices and edited cells.

    >>> changed_in_words(Scenario(), Scenario(seed=124, edits=[("w_q", 0, 1, 0.9)]))
    ['Seed 123 → 124', 'W_q, row 0, column 1: 0.52 → 0.90']
    """
    left_out = {"second"} | ({"mask_use"} if _dropped(a) != _dropped(b) else set())
    words = [_setting(name, a, b) for name in SETTINGS if getattr(a, name) != getattr(b, name) and name not in left_out]
    words += _second_in_words(a, b)
    replaced = [dict(changes_of(scenario).replaced) for scenario in (a, b)]
    for name in dict.fromkeys((*EDITABLE, *replaced[0], *replaced[1])):
        if replaced[0].get(name) != replaced[1].get(name):
            words.append(_change(symbol_in_words(name), _filled(a, name), _filled(b, name)))
    edited = [{edit[:3]: edit.value for edit in scenario.edits} for scenario in (a, b)]
    cells = [cell for cell in dict.fromkeys((*edited[0], *edited[1])) if _number(a, *cell) != _number(b, *cell)]
    for cell in cells[:_NAMED]:
        numbers = [_number(scenario, *cell) for scenario in (a, b)]
        before, after = (say("compare.changes.not_there") if each is None else written(each, 2) for each in numbers)
        if before == after:  # equal as rounded: write more digits
            before, after = (significant(each or 0.0, 9) for each in numbers)
        matrix, row, column = cell
        places = {"symbol": symbol_in_words(matrix), "row": row, "column": column, "before": before, "after": after}
        words.append(say("compare.changes.edit", **places))
    if len(cells) > _NAMED:
        words.append(say("compare.changes.more", n=len(cells) - _NAMED))
    return words


def _second_in_words(a: Scenario, b: Scenario) -> list[str]:
    """Say which second sentences are read, where they differ."""
    before, after = (setting_in_words("second", each.second) if each.reads_others else "" for each in (a, b))
    if before == after:
        return []
    if before and after:
        return [_change(say("setup.second.label"), before, after)]
    return [say(f"compare.changes.second_{'b' if after else 'a'}", text=after or before)]


def _change(what: str, before: str, after: str) -> str:
    return say("compare.changes.setting", label=what, before=before, after=after)


def _setting(name: str, a: Scenario, b: Scenario) -> str:
    """Say how a setting changed, and whether a temperature cancels another √d_k."""
    before, after = (setting_in_words(name, getattr(scenario, name)) for scenario in (a, b))
    if before == after:  # equal as rounded: write more digits
        before, after = (str(getattr(scenario, name)) for scenario in (a, b))
    if name == "what_if":
        return say(f"compare.changes.what_if_{'there' if not a.what_if else 'usual' if not b.what_if else 'both'}",
                   before=before, after=after)  # fmt: skip
    changed = _change(say(f"setup.{name}.label"), before, after)
    if name != "temperature":
        return changed
    one, other = (traced(scenario).scaling for scenario in (a, b))
    alike = one.d_k != other.d_k and math.isclose(one.divisor, other.divisor, rel_tol=1e-6)
    return say("compare.changes.same_divisor", changed=changed, divisor=significant(one.divisor)) if alike else changed


def _dropped(scenario: Scenario) -> float | None:
    """Return the p of dropout, where a mask does that; None elsewhere."""
    late = USES[scenario.mask_use].lossy and MASK in scenario.editable
    return dropped_by(scenario.matrix(MASK)) if late else None


def _filled(scenario: Scenario, name: str) -> str:
    """Say what a matrix is filled with, or that it isn't there."""
    p = _dropped(scenario) if name == MASK else None
    if p is not None:
        return say("compare.changes.dropout", p=significant(p))
    if name not in scenario.editable:
        return say("compare.changes.not_there")
    by = dict(changes_of(scenario).replaced).get(name)
    return say("compare.changes.as_set_up") if by is None else filled_with(by)


def _number(scenario: Scenario, matrix: str, row: int, column: int) -> float | None:
    """Return a cell's number; None if the matrix has no such cell."""
    rows, columns = scenario.shape_of(matrix) if matrix in scenario.editable else (0, 0)
    return scenario.matrix(matrix)[row, column].item() if row < rows and column < columns else None


def moved_most(comparison: Comparison, name: str, digits: int, most: int = 3) -> list[str]:
    """Say which rows of a compared matrix moved most, the furthest first.

    A row of attention weights has moved by half the sum of its cells' changes: the share of its attention
    that goes elsewhere (the total variation distance). A row of the others has moved by the length of
    its difference.

    >>> from attnviz.core.scenario import trace
    >>> moved = Comparison(trace(Scenario("a b")), trace(Scenario("a b", edits=[("w_v", 0, 0, 3.0)])))
    >>> moved_most(moved, "attention_weights", 2)
    ['No row of the attention weights moved.']
    """
    difference = comparison.difference(name)
    if difference is None:
        a, b = ("×".join(map(str, getattr(trace, name).shape)) for trace in (comparison.a, comparison.b))
        return [say("compare.moved.shapes", matrix=_called(name), a=a, b=b)]
    defined = difference.isfinite().all(-1)
    distance = difference.abs().sum(-1) / 2 if name == "attention_weights" else difference.norm(dim=-1)
    distance = torch.where(defined, distance, 0.0)
    words = []
    for row in distance.argsort(descending=True, stable=True)[:most].tolist():
        if distance[row] > 0:
            words.append(_moved_row(comparison, name, row, difference[row], distance[row].item(), digits))
    if not defined.all():
        words.append(say("compare.moved.not_finite", n=int((~defined).sum())))
    same = torch.equal(*(getattr(trace, name).cpu() for trace in (comparison.a, comparison.b)))
    return words or [say(f"compare.moved.{'none' if same else 'rounded'}", matrix=_called(name))]


def _moved_row(comparison: Comparison, name: str, row: int, moved: Tensor, distance: float, digits: int) -> str:
    labels = token_labels(comparison.b.tokens, 40)
    if name != "attention_weights":
        return say(f"compare.moved.{name}", token=labels[row], distance=written(distance, digits))
    by_place = cut_by_view(comparison.a) or cut_by_view(comparison.b)  # a view mixes tokens in A or B
    who = say("compare.moved.row", row=row) if by_place else say("compare.moved.named", token=labels[row])
    read = [say("compare.moved.column", column=at) for at in range(len(moved))] if by_place else _read(comparison)
    ends = (("gained", int(moved.argmax()), 1), ("lost", int(moved.argmin()), -1))
    changes = ", ".join(
        say(f"compare.moved.{key}", who=read[at], by=written(sign * moved[at].item(), digits))
        for key, at, sign in ends
        if sign * moved[at] > 0
    )
    sums = [float(trace.attention_weights[row].sum()) for trace in (comparison.a, comparison.b)]
    if abs(sums[1] - sums[0]) > _OTHER_SUM:  # A or B has no softmax of rows
        before, after = (written(each, digits) for each in sums)
        return say("compare.moved.sums", who=who, before=before, after=after, changes=changes)
    return say("compare.moved.weights", who=who, share=_percent(distance), changes=changes)


def _read(comparison: Comparison) -> list[str]:
    """Return the labels of the read tokens, with A's where it differs."""
    before, after = (token_labels(trace.read_tokens, 40) for trace in (comparison.a, comparison.b))
    return [
        say("compare.moved.named", token=now) if then == now else say("compare.moved.other_in_a", token=now, other=then)
        for then, now in zip(before, after, strict=True)
    ]


def about(comparison: Comparison, name: str) -> str:
    """Say what a matrix of B is, or which dropout it had.

    >>> from attnviz.core.scenario import trace
    >>> about(Comparison(trace(Scenario("a b")), trace(Scenario("a b"))), "context")
    "Each row is one token's mix of the values it reads."
    """
    b = comparison.b
    mask = b.layers[0].mask if b.mask_use.lossy else None
    p = None if mask is None or name != "attention_weights" else dropped_by(mask)
    return b.stages[name].plain if p is None else say("summary.mask.dropout", p=significant(p))


def _called(name: str) -> str:
    return say(f"compare.moved.rows_of.{name}")


def _percent(share: float) -> str:
    if share < _LEAST:
        return say("compare.moved.hardly", least=written(100 * _LEAST, 1))
    return say("compare.moved.share", share=written(100 * share, 1))


def other_words(comparison: Comparison) -> str:
    """Say where equally many words of A and B differ; else empty.

    >>> from attnviz.core.scenario import trace
    >>> other_words(Comparison(trace(Scenario("a cat")), trace(Scenario("a dog"))))
    'Rows are compared by their place: where A has “cat”, B has “dog”.'
    """
    return " ".join(filter(None, (_other_rows(comparison), _other_columns(comparison))))


def _other_columns(comparison: Comparison) -> str:
    """Say where A and B read different words of another sentence."""
    a, b = comparison.a.read_tokens, comparison.b.read_tokens
    own = (a, b) == (comparison.a.tokens, comparison.b.tokens)
    place = next((place for place in range(len(a)) if a[place] != b[place]), None) if len(a) == len(b) else None
    if own or place is None:
        return ""
    first, second = (token_labels(tokens, 40)[place] for tokens in (a, b))
    return say("compare.words.read", a=first, b=second)


def _other_rows(comparison: Comparison) -> str:
    a, b = comparison.a.tokens, comparison.b.tokens
    places = [place for place in range(len(a)) if a[place] != b[place]] if len(a) == len(b) else []
    if not places:
        return ""
    first, second = (token_labels(tokens, 40)[places[0]] for tokens in (a, b))
    if len(places) == 1:
        return say("compare.words.one", a=first, b=second)
    return say("compare.words.several", n=len(places) - 1, a=first, b=second)
