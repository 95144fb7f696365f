"""What a model computed for one text: each head as a trace."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import index
from typing import Any, ClassVar, Literal

import torch
from torch import Tensor

from attnviz.core.attention import AttentionTrace
from attnviz.core.layers import reading_others
from attnviz.core.limits import check_choice, in_short
from attnviz.core.rules import Rotate
from attnviz.explanation.head_figures import HeadFigures, figures_of_heads
from attnviz.models.edits import EVEN, ModelEdit
from attnviz.models.pieces import Piece, pieces_of
from attnviz.models.projections import ProjectedHeads, projected_heads
from attnviz.models.tables import averaged, head_trace, parts_of, with_output
from attnviz.models.watching import Attended
from attnviz.words import Later

Kind = Literal["encoder", "decoder", "cross"]
_KEPT = 2**19  # numbers of a layer's heads that stay made, in each of three matrices


@dataclass(frozen=True, repr=False)
class Layer:
    """One attention of a model, with the model's own tensors in `attended`.

    `tokens` are those that read, `read` those that may be read; a decoder that reads an encoder is of the `kind`
    "cross", and these are other tokens.
    """

    attended: Attended
    kind: Kind
    tokens: tuple[str, ...]
    read: tuple[str, ...]
    turns: tuple[Rotate, ...] = ()
    changed: Mapping[int, tuple[str, ...]] = field(default_factory=dict)  # what stands changed in a head
    number: int = 0  # among all attentions of the model, in the order in which it computes them

    def __repr__(self) -> str:
        """Say what it is: its numbers would fill pages."""
        n_queries, n_keys = self.attended.query.shape[-2], self.attended.key.shape[-2]
        return f"Layer({self.number}, {self.kind!r}, n_queries={n_queries}, n_keys={n_keys}, n_heads={self.n_heads})"

    @property
    def n_heads(self) -> int:
        """How many heads attend side by side."""
        return self.attended.query.shape[0]

    @property
    def weights(self) -> Tensor:
        """The attention weights of all heads, ``(n_heads, n_queries, n_keys)``."""
        return self._stacked if self.attended.weights is None else self.attended.weights

    @cached_property
    def _stacked(self) -> Tensor:
        return torch.stack([self.head(head).attention_weights for head in range(self.n_heads)])

    @cached_property
    def projected(self) -> Mapping[str, ProjectedHeads]:
        """How each head's queries, keys and values were made, None if unknown."""
        parts = {"q": self.attended.query, "k": self.attended.key, "v": self.attended.value}
        turns = {"q": self.turns, "k": self.turns, "v": ()}
        return {name: projected_heads(part, self.attended.projections, turns[name]) for name, part in parts.items()}

    @cached_property
    def _heads(self) -> dict[int, AttentionTrace]:
        return {}

    @property
    def most_kept(self) -> int:
        """How many heads stay made: of many tokens, few."""
        return min(self.n_heads, max(1, _KEPT // (self.attended.query.shape[-2] * self.attended.key.shape[-2])))

    def head(self, head: int) -> AttentionTrace:
        """Return one head as a trace."""
        kept = self._heads
        made = kept.get(head)
        if made is not None:
            return made
        made = self._head(head)
        for other in list(kept)[: max(0, len(kept) + 1 - self.most_kept)]:
            kept.pop(other, None)
        kept[head] = made
        return made

    def _head(self, head: int) -> AttentionTrace:
        others = self.kind == "cross"
        changed = self.changed.get(head, ())
        parts = parts_of(self.attended, self.projected, head, others=others, sink=EVEN not in changed)
        trace = head_trace(parts, self.tokens, changed)
        if not others or len(self.read) != self.attended.key.shape[-2]:
            return trace
        return AttentionTrace(reading_others(trace.stages, self.read), trace.matrices, trace.tokens, trace.notes)

    @cached_property
    def _figures(self) -> dict[tuple[bool, ...], list[HeadFigures | None]]:
        return {}

    def figures(self, special: tuple[bool, ...]) -> list[HeadFigures | None]:
        """Return all heads' measured figures; `special` marks tokens outside the text."""
        if special not in self._figures:
            added = self.attended.added
            readable = None if added is None else added != -math.inf
            found = figures_of_heads(self.weights, self.tokens, readable, special)
            if self.attended.sinks is not None:  # rows don't sum to 1, and have no entropy
                found = [None if each is None else replace(each, most=None) for each in found]
            self._figures[special] = found
        return self._figures[special]

    def average(self) -> AttentionTrace:
        """Return a trace of the attention weights, averaged over all heads."""
        return averaged(self.head(0), self.weights)

    def output(self, head: int) -> AttentionTrace | None:
        """Return one head with its rows of `w_o` and its `output`.

        The products of all heads, and a bias, sum to the attention's output. None where W_o isn't found.
        """
        found = self.attended.output
        if found is None:
            return None
        trace = self.head(head)
        d_v = trace.context.shape[1]
        return with_output(trace, found.weight[head * d_v : (head + 1) * d_v])

    def whole(self, head: int) -> AttentionTrace:
        """Return one head, with its part of the output where that's known."""
        return self.output(head) or self.head(head)


class Heads(Mapping[tuple[int, int], AttentionTrace]):
    """Heads by ``[layer, head]``, counted from 0, each made on demand."""

    def __init__(self, layers: tuple[Layer, ...]) -> None:
        self._layers = layers

    def __repr__(self) -> str:
        """Say how many there are: all their numbers would fill pages."""
        return f"Heads(n_layers={len(self._layers)}, n_heads={len(self)})"

    def __getitem__(self, place: tuple[int, int]) -> AttentionTrace:
        try:
            layer, head = place
            if layer < 0 or head < 0:
                raise IndexError
            return self._layers[layer].head(range(self._layers[layer].n_heads)[head])
        except (IndexError, TypeError, ValueError):
            most = f"[0, 0] to [{len(self._layers) - 1}, {self._layers[-1].n_heads - 1}]"
            raise KeyError(f"there is no head {in_short(place)}, expected [layer, head] from {most}") from None

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return ((i, head) for i, layer in enumerate(self._layers) for head in range(layer.n_heads))

    def __len__(self) -> int:
        return sum(layer.n_heads for layer in self._layers)

    def __contains__(self, place: object) -> bool:  # without making the head
        try:
            layer, head = map(index, place)  # type: ignore[call-overload]
        except (TypeError, ValueError):
            return False
        return 0 <= layer < len(self._layers) and 0 <= head < self._layers[layer].n_heads


@dataclass(frozen=True, repr=False)
class ModelTrace:
    """What a model computed for one text, as :func:`attnviz.look_into` returns it.

    `heads[layer, head]` is one head as a trace like any other, counted from 0; `layers` are the attentions in the order
    in which the model computed them; `tokens` are the text's as the model cuts it, and `spans` where each stands in the
    text, (0, 0) for what the model put there. `special` says which are none of the text's. `result` is what the model
    returned. With `edits`, all of this is computed with these changes, and `original` is the same without them.
    Of an encoder with a decoder, :meth:`only` gives the heads of one kind.
    """

    name: str
    text: str
    tokens: tuple[str, ...]
    layers: tuple[Layer, ...]
    spans: tuple[tuple[int, int], ...] = ()
    special: tuple[bool, ...] = ()
    result: Any = None
    tokenizer: Any = field(default=None, repr=False)
    edits: tuple[ModelEdit, ...] = ()
    original: "ModelTrace | None" = field(default=None, repr=False)
    notes: tuple[Later, ...] = ()  # of the changes: what a model couldn't do without them
    whole: "ModelTrace | None" = field(default=None, repr=False)  # of which :meth:`only` took one kind
    model: Any = field(default=None, repr=False)
    cut: Mapping[str, list[Any]] = field(default_factory=dict, repr=False)  # as the tokenizer cut the text
    written: tuple[int, ...] = ()  # the last tokens: those that were put after the text
    computed_from: int = 0  # the rows before this one are of an earlier step, and their keys and values of its cache
    # How a trace is drawn: the whole package says it, this room knows nothing of figures.
    figure: ClassVar[Callable[..., Any]]
    _repr_html_: ClassVar[Callable[..., str]]
    write: ClassVar[Callable[..., Any]]  # :func:`attnviz.models.writing.write`
    why: ClassVar[Callable[..., Any]]  # :func:`attnviz.models.reasons.why`

    def __repr__(self) -> str:
        """Say what there is of it: all its numbers would fill pages.

        >>> from attnviz import look_into
        >>> layer = torch.nn.TransformerEncoderLayer(8, nhead=2, batch_first=True).eval()
        >>> view = look_into(layer, torch.ones(3, 8))
        >>> view
        ModelTrace('TransformerEncoderLayer', n_tokens=3, n_layers=1, n_heads=2, kinds=('encoder',))
        >>> view.heads, view.layers[0]
        (Heads(n_layers=1, n_heads=2), Layer(0, 'encoder', n_queries=3, n_keys=3, n_heads=2))
        """
        n_tokens = self.layers[0].attended.query.shape[-2]
        sizes = f"n_tokens={n_tokens}, n_layers={self.n_layers}, n_heads={self.n_heads}, kinds={self.kinds}"
        return f"ModelTrace({self.name!r}, {sizes})"

    @property
    def heads(self) -> Heads:
        """The heads by ``[layer, head]``."""
        return Heads(self.layers)

    @property
    def n_layers(self) -> int:
        """How many layers there are."""
        return len(self.layers)

    @property
    def n_heads(self) -> int:
        """How many heads a layer has; the most, where layers differ."""
        return max(layer.n_heads for layer in self.layers)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of attention that there are."""
        return tuple(dict.fromkeys(layer.kind for layer in self.layers))

    @property
    def notices(self) -> tuple[str, ...]:
        """What the model couldn't do without the changes."""
        return tuple(map(str, self.notes))

    def only(self, kind: Kind) -> "ModelTrace":
        """Return it with one kind of layers: "encoder", "decoder" or "cross".

        Raises ``ValueError`` for a kind that the model doesn't have.
        """
        check_choice("kind", kind, self.kinds)
        layers = tuple(layer for layer in self.layers if layer.kind == kind)
        original = None if self.original is None else self.original.only(kind)
        view = replace(self, layers=layers, tokens=layers[0].tokens, original=original, whole=self.whole or self)
        # What is known of the text's tokens isn't of a decoder's own.
        return view if view.tokens == self.tokens else replace(view, spans=(), special=())

    @property
    def n_bytes(self) -> int:
        """The most memory, in bytes, that its numbers and cached heads take."""
        tensors = [each for layer in self.layers for each in layer.attended.computed()]
        tensors += [each for each in getattr(self.result, "__dict__", {}).values() if isinstance(each, Tensor)]
        storages = {each.untyped_storage().data_ptr(): each.untyped_storage().nbytes() for each in tensors}
        made = sum(layer.most_kept * 3 * 4 * layer.weights[0].numel() for layer in self.layers)
        return sum(storages.values()) + made + (0 if self.original is None else self.original.n_bytes)

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """Each token's piece of the text; empty if the tokenizer doesn't say."""
        return pieces_of(self.text, self.spans)

    def measured(self, layer: int, head: int) -> HeadFigures | None:
        """Return a head's :class:`attnviz.explanation.head_figures.HeadFigures`; None in cross-attention."""
        if (layer, head) not in self.heads:
            raise KeyError(f"there is no head {(layer, head)}, expected one of the view's")
        own = self.layers[layer]
        special = self.special if own.tokens == self.tokens else ()  # nothing is known of a decoder's own tokens
        return own.figures(special)[head] if own.kind != "cross" else None
