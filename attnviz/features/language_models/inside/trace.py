"""What a model computed for one text: each head as a trace."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import index
from typing import Any, ClassVar

import torch
from torch import Tensor

from attnviz.core.arguments import typed
from attnviz.core.attention import AttentionTrace
from attnviz.core.limits import check_choice, check_whole, in_short
from attnviz.explanation.head_figures import HeadFigures
from attnviz.feature import public
from attnviz.features.language_models.inside.edits import ModelEdit
from attnviz.features.language_models.inside.heads.tables import notes_on_rows
from attnviz.features.language_models.inside.layers.layer import Kind, Layer
from attnviz.features.language_models.inside.layers.other_layers import OtherLayer
from attnviz.features.language_models.inside.pieces import Piece, Read, pieces_of
from attnviz.words import Later


class Heads(Mapping[tuple[int, int], AttentionTrace]):
    """Heads by ``[layer, head]``, counted from 0, each made on demand."""

    def __init__(self, layers: tuple[Layer | OtherLayer, ...]) -> None:
        self._layers = layers

    def __repr__(self) -> str:
        """Return their number, because all matrices would fill pages."""
        return f"Heads(n_layers={len(self._layers)}, n_heads={len(self)})"

    def __getitem__(self, place: tuple[int, int]) -> AttentionTrace:
        own: Layer | OtherLayer | None = None
        try:
            layer, head = place
            if layer < 0 or head < 0:
                raise IndexError
            own = self._layers[layer]
            if isinstance(own, Layer):
                return own.head(range(own.n_heads)[head])
        except (IndexError, TypeError, ValueError):
            pass
        attending = [at for at, each in enumerate(self._layers) if each.n_heads]
        last = attending[-1]
        most = f"[{attending[0]}, 0] to [{last}, {self._layers[last].n_heads - 1}]"
        if isinstance(own, OtherLayer):
            raise KeyError(f"layer {own.number} has no heads, expected one from {most}: {own}")
        raise KeyError(f"there is no head {in_short(place)}, expected [layer, head] from {most}")

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return ((i, head) for i, layer in enumerate(self._layers) for head in range(layer.n_heads))

    def __len__(self) -> int:
        return sum(layer.n_heads for layer in self._layers)

    def __contains__(self, place: object) -> bool:  # doesn't make the head
        try:
            layer, head = map(index, place)  # type: ignore[call-overload]
        except (TypeError, ValueError):
            return False
        return 0 <= layer < len(self._layers) and 0 <= head < self._layers[layer].n_heads


@dataclass(frozen=True, repr=False)
class ModelTrace:
    """What a model computed for one text, as :func:`attnviz.look_into` returns it.

    `heads[layer, head]` is one head as a trace like any other, counted from 0. `layers` are the model's, by its own
    numbers. In a hybrid, an `OtherLayer` says what a layer without attention weights does; `attending` are the other
    layers, in the order in which the model computed them. `tokens` are the text's as the model cuts it, `spans` each
    token's place in the text, (0, 0) for one that the model added, and `special` marks the added ones. `result` is what
    the model returned. With `edits`, all of this is computed with these changes, and `original` is the same without
    them. For an encoder with a decoder, :meth:`only` gives the heads of one kind.
    """

    name: str
    text: str
    tokens: tuple[str, ...]
    layers: tuple[Layer | OtherLayer, ...]
    spans: tuple[tuple[int, int], ...] = ()
    special: tuple[bool, ...] = ()
    result: Any = None
    tokenizer: Any = field(default=None, repr=False)
    edits: tuple[ModelEdit, ...] = ()
    original: "ModelTrace | None" = field(default=None, repr=False)
    notes: tuple[Later, ...] = ()  # one for each decoder head that an edit lets read later tokens
    whole: "ModelTrace | None" = field(default=None, repr=False)  # the trace from which :meth:`only` took one kind
    model: Any = field(default=None, repr=False)
    cut: Mapping[str, list[Any]] = field(default_factory=dict, repr=False)  # the tokenizer's result for the text
    written: tuple[int, ...] = ()  # the ids of the last tokens, which were written after the text
    second: str = ""  # the second text of a pair, which is also the last line of `text`
    computed_from: int = 0  # rows before this one are from an earlier step, their keys and values from its cache
    write: ClassVar[Callable[..., Any]]  # :func:`attnviz.features.language_models.inside.writing.write`
    why: ClassVar[Callable[..., Any]]  # :func:`attnviz.features.language_models.inside.logit_attribution.why`

    def __repr__(self) -> str:
        """Return a short description, because all numbers would fill pages.

        >>> import torch
        >>> from attnviz import look_into
        >>> layer = torch.nn.TransformerEncoderLayer(8, nhead=2, batch_first=True).eval()
        >>> view = look_into(layer, torch.ones(3, 8))
        >>> view
        ModelTrace('TransformerEncoderLayer', n_tokens=3, n_layers=1, n_heads=2, kinds=('encoder',))
        >>> view.heads, view.layers[0]
        (Heads(n_layers=1, n_heads=2), Layer(0, 'encoder', n_queries=3, n_keys=3, n_heads=2))
        """
        n_tokens = self.attending[0].attended.query.shape[-2]
        sizes = f"n_tokens={n_tokens}, n_layers={self.n_layers}, n_heads={self.n_heads}, kinds={self.kinds}"
        return f"ModelTrace({self.name!r}, {sizes})"

    # The feature that draws it may be left out, so it's looked up when needed.
    def _repr_html_(self) -> str:
        markup: str = public("attnviz.documents", "model_markup")(self)
        return markup

    @typed
    def figure(self, *, dark: bool = False) -> Any:
        """Return the attention weights of all heads as a Plotly figure: :func:`attnviz.figures.model_figure`."""
        return public("attnviz.figures", "model_figure")(self, dark=dark)

    @property
    def heads(self) -> Heads:
        """The heads by ``[layer, head]``."""
        return Heads(self.layers)

    @cached_property
    def attending(self) -> tuple[Layer, ...]:
        """The layers that have attention weights."""
        return tuple(layer for layer in self.layers if isinstance(layer, Layer))

    def attending_at(self, number: int) -> Layer:
        """Return a layer with attention weights by its number.

        Raises ``ValueError`` for a number outside, and ``KeyError`` for a layer that mixes its tokens in another way.
        """
        layer = self.layers[check_whole("layer", number, 0, self.n_layers - 1)]
        if isinstance(layer, OtherLayer):
            raise KeyError(f"layer {number} has no attention weights: {layer}")
        return layer

    @property
    def n_layers(self) -> int:
        """The number of layers."""
        return len(self.layers)

    @property
    def n_heads(self) -> int:
        """The number of heads in a layer; the largest, if layers differ."""
        return max(layer.n_heads for layer in self.layers)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of attention that there are."""
        return tuple(dict.fromkeys(layer.kind for layer in self.layers))

    @property
    def notices(self) -> tuple[str, ...]:
        """A sentence for each decoder head that changes let read later tokens."""
        return tuple(map(str, self.notes))

    @property
    def row_notices(self) -> tuple[str, ...]:
        """Sentences on unusual rows of weights that came without a model."""
        alone = [layer.weights.flatten(0, 1) for layer in self.attending if layer.attended.is_weights_alone]
        return tuple(map(str, notes_on_rows(torch.cat(alone)))) if alone else ()

    def only(self, kind: Kind) -> "ModelTrace":
        """Return the trace with one kind of layers: "encoder", "decoder" or "cross".

        Raises ``ValueError`` for a kind that the model doesn't have.
        """
        check_choice("kind", kind, self.kinds)
        layers = tuple(layer for layer in self.layers if layer.kind == kind)
        original = None if self.original is None else self.original.only(kind)
        view = replace(self, layers=layers, tokens=layers[0].tokens, original=original, whole=self.whole or self)
        # Spans and special marks are of the text's tokens, not of a decoder's own.
        return view if view.tokens == self.tokens else replace(view, spans=(), special=())

    @property
    def asked(self) -> Read:
        """The text that was read, or both texts of a pair."""
        return (self.text[: -len(self.second) - 1], self.second) if self.second else self.text

    @property
    def n_bytes(self) -> int:
        """The most memory, in bytes, that its numbers and cached heads take."""
        tensors = [each for layer in self.attending for each in layer.attended.computed()]
        tensors += [each for each in getattr(self.result, "__dict__", {}).values() if isinstance(each, Tensor)]
        storages = {each.untyped_storage().data_ptr(): each.untyped_storage().nbytes() for each in tensors}
        made = sum(layer.most_kept * 3 * 4 * layer.weights[0].numel() for layer in self.attending)
        return sum(storages.values()) + made + (0 if self.original is None else self.original.n_bytes)

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """Each token's piece of the text; empty if the tokenizer doesn't say."""
        return pieces_of(self.text, self.spans)

    def measured(self, layer: int, head: int) -> HeadFigures | None:
        """Return a head's :class:`attnviz.explanation.head_figures.HeadFigures`; None in cross-attention.

        Raises as :meth:`attending_at` does, and ``ValueError`` for a head that the layer doesn't have.
        """
        own = self.attending_at(layer)
        head = check_whole("head", head, 0, own.n_heads - 1)
        special = self.special if own.tokens == self.tokens else ()  # a decoder's own tokens have no marks
        return own.figures(special)[head] if own.kind != "cross" else None
