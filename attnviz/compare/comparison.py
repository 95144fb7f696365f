"""Two scenarios side by side: what differs in the question, and what moved in the answer."""

from dataclasses import dataclass, replace
from types import MappingProxyType

import torch
from torch import Tensor

from attnviz.core.attention import AttentionTrace
from attnviz.core.changes import changes_of
from attnviz.core.heads import CONTEXTS
from attnviz.core.scenario import SETTINGS, Scenario
from attnviz.core.stages import EDITABLE
from attnviz.core.tokens import token_labels
from attnviz.explanation.changes_in_words import filled_with, setting_in_words, symbol_in_words
from attnviz.explanation.what_if import cut_by_view
from attnviz.words import plural, say
from attnviz.words.numbers import written

# The attention weights, and what comes out of a head, of all heads, of attention and of the feed-forward step.
COMPARED = ("attention_weights", "context", CONTEXTS, "output", "feed_forward")
_STILL = 1e-6  # a row that moved less than this stood still
_LEAST = 1e-3  # a smaller share of its attention is told as less than this
_NAMED = 4  # changed cells that are named one by one


@dataclass(frozen=True)
class Comparison:
    """The traces of two scenarios, A and B, of one sentence or of two."""

    a: AttentionTrace
    b: AttentionTrace

    @classmethod
    def of_heads(cls, a: AttentionTrace, b: AttentionTrace, head: int, layer: int = 0) -> "Comparison":
        """Compare as seen from this head and layer of each; from the last one of a computation that has not so many.

        >>> from attnviz.core.scenario import trace
        >>> one, two = trace(Scenario("a b")), trace(Scenario("a b", n_heads=2))
        >>> Comparison.of_heads(one, two, 1).names
        ('attention_weights', 'context', 'contexts')
        """
        seen = [trace.seen_from(min(head, trace.n_heads - 1), min(layer, trace.n_layers - 1)) for trace in (a, b)]
        several = max(a.n_heads, b.n_heads) > 1
        return cls(*(_with_contexts(trace) if several and trace.n_heads == 1 else trace for trace in seen))

    @property
    def names(self) -> tuple[str, ...]:
        """The matrices that are compared, of those that both have."""
        return tuple(name for name in COMPARED if name in self.a.stages and name in self.b.stages)

    def difference(self, name: str) -> Tensor | None:
        """Return B - A of one matrix, ``(rows, columns)`` on the CPU; None where their shapes differ.

        >>> from attnviz.core.scenario import trace
        >>> same = Comparison(trace(Scenario("a b")), trace(Scenario("a b")))
        >>> same.difference("attention_weights")
        tensor([[0., 0.],
                [0., 0.]])
        """
        a, b = (getattr(trace, name).detach().cpu() for trace in (self.a, self.b))
        return b - a if a.shape == b.shape else None


def _with_contexts(trace: AttentionTrace) -> AttentionTrace:
    """Return a computation of one head with what all its heads have found, to stand beside one of several."""
    told = replace(trace.stages["context"], name=CONTEXTS)
    matrices = {**trace.matrices, CONTEXTS: trace.context}
    return AttentionTrace(MappingProxyType({**trace.stages, CONTEXTS: told}), matrices, trace.tokens, trace.notices)


def heads_in_words(a: Scenario, b: Scenario, head: int, layer: int = 0) -> str:
    """Say which head of which layer is compared with which; empty where A and B have one each.

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
    """Say what B's question has other than A's: set-up, replaced matrices and edited cells.

    >>> changed_in_words(Scenario(seed=1), Scenario(seed=2, edits=[("w_q", 0, 1, 0.9)]))
    ['Seed 1 → 2', 'W_q[0, 1] as drawn → 0.9000']
    """
    words = [
        _change(
            say(f"setup.{name}.label"),
            setting_in_words(name, getattr(a, name)),
            setting_in_words(name, getattr(b, name)),
        )
        for name in SETTINGS
        if getattr(a, name) != getattr(b, name) and name != "second"
    ]
    words += _second_in_words(a, b)
    replaced = [dict(changes_of(scenario).replaced) for scenario in (a, b)]
    for name in dict.fromkeys((*EDITABLE, *replaced[0], *replaced[1])):
        before, after = (each.get(name) for each in replaced)
        if before != after:
            words.append(_change(symbol_in_words(name), _filled(before), _filled(after)))
    edited = [{edit[:3]: edit.value for edit in scenario.edits} for scenario in (a, b)]
    cells = [cell for cell in dict.fromkeys((*edited[0], *edited[1])) if edited[0].get(cell) != edited[1].get(cell)]
    for matrix, row, column in cells[:_NAMED]:
        before_cell, after_cell = (_cell(each.get((matrix, row, column))) for each in edited)
        words.append(_change(f"{symbol_in_words(matrix)}[{row}, {column}]", before_cell, after_cell))
    if len(cells) > _NAMED:
        words.append(say("compare.changes.more", n=len(cells) - _NAMED))
    return words


def _second_in_words(a: Scenario, b: Scenario) -> list[str]:
    """Say which second sentences are read, where they differ; a set-up's own that it doesn't read is none."""
    before, after = (setting_in_words("second", each.second) if each.reads_others else "" for each in (a, b))
    if before == after:
        return []
    if before and after:
        return [_change(say("setup.second.label"), before, after)]
    return [say(f"compare.changes.second_{'b' if after else 'a'}", text=after or before)]


def _change(what: str, before: str, after: str) -> str:
    return say("compare.changes.setting", label=what, before=before, after=after)


def _filled(by: object) -> str:
    if by is None:
        return say("compare.changes.as_drawn")
    return filled_with(by)


def _cell(value: float | None) -> str:
    return say("compare.changes.as_drawn") if value is None else written(value, 4)


def moved_most(comparison: Comparison, name: str, digits: int, most: int = 3) -> list[str]:
    """Say which rows of the attention weights, of the context or of the feed-forward output moved most, the furthest
    first.

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
        return [_why_not(comparison, name)]
    defined = difference.isfinite().all(-1)
    distance = difference.abs().sum(-1) / 2 if name == "attention_weights" else difference.norm(dim=-1)
    distance = torch.where(defined, distance, 0.0)
    words = []
    for row in distance.argsort(descending=True, stable=True)[:most].tolist():
        if distance[row] >= _STILL:
            words.append(_moved_row(comparison, name, row, difference[row], distance[row].item(), digits))
    if not defined.all():
        words.append(say("compare.moved.not_finite", n=int((~defined).sum())))
    return words or [say("compare.moved.none", matrix=_called(name))]


def _moved_row(comparison: Comparison, name: str, row: int, moved: Tensor, distance: float, digits: int) -> str:
    labels = token_labels(comparison.b.tokens, 40)
    if name != "attention_weights":
        return say(f"compare.moved.{name}", token=labels[row], distance=written(distance, digits))
    gained, lost = int(moved.argmax()), int(moved.argmin())
    told = {"share": _percent(distance), "more": written(moved[gained].item(), digits),
            "less": written(-moved[lost].item(), digits)}  # fmt: skip
    if cut_by_view(comparison.a) or cut_by_view(comparison.b):  # rows are of other tokens in one of them
        return say("compare.moved.weights_by_place", row=row, gained=gained, lost=lost, **told)
    read = _read(comparison)
    return say("compare.moved.weights", token=labels[row], gained=read[gained], lost=read[lost], **told)


def _read(comparison: Comparison) -> list[str]:
    """Return the labels of the tokens that are read; where A has another at the same place, with that."""
    before, after = (token_labels(trace.read_tokens, 40) for trace in (comparison.a, comparison.b))
    return [
        say("compare.moved.named", token=now) if then == now else say("compare.moved.other_in_a", token=now, other=then)
        for then, now in zip(before, after, strict=True)
    ]


def _called(name: str) -> str:
    return say(f"compare.moved.rows_of.{name}")


def _percent(share: float) -> str:
    if share < _LEAST:
        return say("compare.moved.hardly", least=written(100 * _LEAST, 1))
    return say("compare.moved.share", share=written(100 * share, 1))


def _why_not(comparison: Comparison, name: str) -> str:
    a, b = ("×".join(map(str, getattr(trace, name).shape)) for trace in (comparison.a, comparison.b))
    return say("compare.moved.shapes", matrix=_called(name), a=a, b=b)


def other_words(comparison: Comparison) -> str:
    """Say where the words of A and B differ though they are as many, or those that are read; empty where they do not.

    >>> from attnviz.core.scenario import trace
    >>> other_words(Comparison(trace(Scenario("a cat")), trace(Scenario("a dog"))))
    'Rows are compared by their place: where A has “cat”, B has “dog”.'
    """
    return " ".join(filter(None, (_other_rows(comparison), _other_columns(comparison))))


def _other_columns(comparison: Comparison) -> str:
    """Say where the words that A and B read differ, where any of them reads others than its own."""
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
