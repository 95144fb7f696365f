"""A scenario is the whole question: everything that determines a computation, as plain values."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NoReturn

import torch
from torch import Tensor

from attnviz.core import limits
from attnviz.core.attention import AttentionTrace, UndefinedAttentionError, execute
from attnviz.core.devices import resolve_device
from attnviz.core.drawing import (
    Widths,
    drawn_distances,
    drawn_positions,
    drawn_vectors,
    drawn_weights,
    has_published_vector,
)
from attnviz.core.errors import RefusedError
from attnviz.core.layers import OF_TOKENS, in_layer, named, placed, stacked
from attnviz.core.masks import drawn_mask
from attnviz.core.matrix_input import (
    NO_EDITS,
    Edit,
    Edits,
    checked_edit,
    is_editable,
    numbers_given,
    plain,
    random_seed,
    wrong_shape,
)
from attnviz.core.reading import check_reading, reading_others, second_tokens
from attnviz.core.seeding import ADDED_POSITIONS, BIASED_POSITIONS, FLOAT32_ON_CPU, generator_for, second_seed
from attnviz.core.settings import LINEAR, check_scores, check_what_if, check_width, checked_settings, mask_settings
from attnviz.core.stages import (
    BIASES,
    BY_DISTANCE,
    EDITABLE,
    GAINS,
    ITSELF,
    KEPT,
    LAYERS,
    MASK,
    NORMS,
    OUTPUT,
    VECTORS,
    Stage,
    Table,
    Y,
    layer_table,
)
from attnviz.core.tokens import tokenize


@dataclass(frozen=True)
class Scenario:
    """Everything that determines a computation: same scenario, same numbers, everywhere.

    `text` is split by `tokenizer` ("words", "whitespace", "characters"). `embedding` makes X
    ``(n_tokens, d_in)``: "stable" (each token's vector depends on its text, `d_in` and `seed` alone), "table"
    (rows of a seeded ``nn.Embedding`` in the order of the sorted distinct tokens) or "published" (the
    published vectors of the words that have one while `d_in` is 3, "stable" for all others). `init` and `seed`
    draw W_q, W_k ``(d_in, d_out)``, W_v ``(d_in, d_v)`` (`d_v` None is `d_out`) and, with `bias`, b_q, b_k
    ``(d_out,)`` and b_v ``(d_v,)``.

    With `n_heads` Q, K, V and the context hold so many heads side by side in their columns, which it has to divide;
    with `n_kv_heads`, which has to divide it, so many of keys and values, and W_k and W_v are narrower by as much. With
    `output` W_o ``(d_v, d_v)`` and b_o follow the context: drawn after W_v, as an ``nn.Linear`` with "linear", else
    with a bias of zeros.

    With `norm` "sums", "pre" or "post" a block is made of it: what goes in is added to what comes out (`d_v` has to be
    `d_in`); with "pre" or "post" layer norms with gains gamma_1, gamma_2 of ones and offsets beta_1, beta_2 of zeros,
    each ``(d_in,)``, stand before or after.

    With `n_layers` over 1 so many of these layers follow one another, each with matrices of its own, drawn after those
    of the layer before, or with `same_layers` all with those of the first; what one makes (`d_v` has to be `d_in`) is
    the X of the next.

    With `positions` "sinusoidal", or "seeded" as an ``nn.Embedding`` draws them, X is the sum of the tokens' vectors,
    then called E, and P. With "rotary" queries and keys are turned by their places, pair by pair of columns. With
    `embedding_factor` the tokens' vectors are E without positions, too, and go into X times √d_in. With
    "alibi" or "relative" a number for each distance of two tokens is added to their scaled scores: `by_distance`
    ``(n_heads, 2 * n_read - 1)``, the distance times a slope of the head, or drawn from the seed. With
    `d_ff` a feed-forward step of so many hidden features follows, with `activation` "relu" or "gelu": W_1
    ``(d_v, d_ff)``, b_1, W_2 ``(d_ff, d_v)``, b_2, drawn after all others, as two ``nn.Linear`` with "linear", else
    with biases of zeros.

    With `weighting` "linear", queries and keys go through a feature map in place of the softmax, and each row of their
    products is divided by its sum, whatever `scale` and `temperature` are.

    With a mask that is added to the scores, M ``(n_tokens, n_tokens)``: "causal" (the same as `causal`), "window:W" (a
    token reads itself and the W - 1 before it), "padding:K" (none reads the last K), "not-self", "painted" (hides
    nothing until its cells are edited), or given numbers, of which -inf hides a key from a query. A mask that is named
    is kept as `causal`, or as `masking` and `mask_size`. A `mask_use` other than "added" does with it what attention
    doesn't: "factor" multiplies hidden scores by 0, "zeroed" makes hidden attention weights 0 after the softmax, and
    "renormalized" divides what is left of their rows by its sum.

    Where it `reads` the "second" sentence, keys and values are made of Y ``(n_read, d_in)``, the vectors of the tokens
    of `second`, which are cut and drawn as those of `text` are (a "table" has rows of its own for them) and have
    nothing added to them; scores, a mask and attention weights are ``(n_tokens, n_read)``. Where it reads a "kept" one,
    `second` stood before `text`, and keys and values are made of Y with X below it: the tokens that are read are those
    of both, those of `second` first, and a causal mask hides none of these.

    `what_if` holds switches that make of it what attention isn't, such as "softmax:columns" or "scores:cosine" (see
    :mod:`attnviz.core.what_if`), with commas between them.

    `x` (with positions `e` and `p`), `y`, `w_q` ... `b_2` replace the drawn matrix: by explicit numbers (any
    nested sequence or array; with `d_v` None, `w_v` and `b_v` may have a width of their own), or by "identity" (ones on
    the main diagonal), "zeros", "random:N" (drawn alone, from seed N) or "example:ID" (as a worked example states it).
    `deeper` replaces matrices of later layers in the same way: a mapping from ``"layers.1.w_q"``.
    `edits` are ``(matrix, row, column, value)`` laid over all that.
    A device that is not there falls back to the CPU; the trace says so in `notices`.

    Raises ``ValueError`` for whatever is of a wrong type or shape, or over a limit of :mod:`attnviz.core.limits`.

    >>> Scenario(text="a cat", edits=[("w_q", 0, 1, 0.9)]).matrix("w_q")[0, 1]
    tensor(0.9000)
    """

    text: str = "Your journey starts with one step"
    tokenizer: str = "words"
    embedding: str = "stable"
    d_in: int = 3
    d_out: int = 2
    d_v: int | None = None
    init: str = "uniform"
    seed: int = 123
    bias: bool = False
    causal: bool = False
    masking: str = "none"
    mask_size: int = 2
    mask_use: str = "added"
    scale: bool = True
    temperature: float = 1.0
    device: str = "cpu"
    positions: str = "none"
    d_ff: int | None = None
    activation: str = "relu"
    n_heads: int = 1
    n_kv_heads: int | None = None
    output: bool = False
    norm: str = "none"
    n_layers: int = 1
    same_layers: bool = False
    embedding_factor: bool = False
    weighting: str = "softmax"
    what_if: str = ""
    reads: str = ITSELF
    second: str = "Deine Reise beginnt heute"
    y: Any = None
    x: Any = None
    e: Any = None
    p: Any = None
    w_q: Any = None
    w_k: Any = None
    w_v: Any = None
    b_q: Any = None
    b_k: Any = None
    b_v: Any = None
    mask: Any = None
    by_distance: Any = None
    w_o: Any = None
    b_o: Any = None
    w_1: Any = None
    b_1: Any = None
    w_2: Any = None
    b_2: Any = None
    gamma_1: Any = None
    beta_1: Any = None
    gamma_2: Any = None
    beta_2: Any = None
    deeper: Any = ()
    edits: Edits = NO_EDITS

    def __post_init__(self) -> None:
        named = mask_settings(self.__dict__)
        changed = named | checked_settings(self.__dict__ | named)
        for name in EDITABLE:
            changed[name] = plain(name, changed[name] if name in changed else getattr(self, name))
        changed["deeper"] = _plain_deeper(self.deeper)
        for field, value in changed.items():
            object.__setattr__(self, field, value)
        limits.check_whole("the number of tokens", len(self.tokens), 1, limits.MAX_TOKENS)
        check_scores(self.n_heads, len(self.tokens), self.n_layers)
        check_reading(self.__dict__, len(self.tokens))
        self._check_matrices()
        check_width(self.__dict__, self.width_of_context)
        check_what_if(self.__dict__ | {"d_v": self.width_of_context}, len(self.tokens))
        object.__setattr__(self, "edits", self._checked_edits(self.edits))

    def __getstate__(self) -> dict[str, Any]:
        """Return its fields: what was made of them is made again by whoever gets a copy."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def _check_matrices(self) -> None:
        for name, by in self.replaced.items():
            self._check_is_there(name, f"{name} is given")
            given = numbers_given(name, by)
            if given is not None:
                shape = (len(given), len(given[0]))
                if shape != self.shape_of(name):
                    raise wrong_shape(name, shape, self.shape_of(name))
                if name == "w_v" and shape[1] % self.kv_heads:
                    message = f"w_v has {shape[1]} columns, expected a multiple of its {self.kv_heads} heads"
                    raise RefusedError(message, "heads_w_v", columns=shape[1], heads=self.kv_heads)

    def _check_is_there(self, name: str, what: str) -> None:
        """Raise ``ValueError`` where a matrix is switched off, or made from others."""
        if name in self.editable:
            return
        layer, own = placed(name)
        if layer >= self.n_layers:
            message = f"{what}, but n_layers is {self.n_layers}"
            raise RefusedError(message, "layers_off", matrix=own, layer=layer, n=self.n_layers)
        if layer and self.same_layers:
            raise RefusedError(f"{what}, but same_layers is True", "layers_same", matrix=own, layer=layer)
        self._refuse(own, name, what)

    def _refuse(self, own: str, matrix: str, what: str) -> NoReturn:
        """Raise why a matrix, which has the name `own` in its layer, is not there."""
        if own == Y:
            raise RefusedError(f"{what}, but reads is {self.reads!r}", "reads_off", matrix=matrix)
        if own in BIASES:
            raise RefusedError(f"{what}, but bias is False", "bias_off", matrix=matrix)
        if own == MASK:
            raise RefusedError(f"{what}, but there is no mask", "mask_off", matrix=matrix)
        if own == BY_DISTANCE:
            raise RefusedError(f"{what}, but positions is {self.positions!r}", "distances_off", matrix=matrix)
        if own in OUTPUT:
            raise RefusedError(f"{what}, but output is False", "output_off", matrix=matrix)
        if own in NORMS:
            raise RefusedError(f"{what}, but this computation has no such layer norm", "norm_off", matrix=matrix)
        if own in LAYERS:
            raise RefusedError(f"{what}, but d_ff is None", "d_ff_off", matrix=matrix)
        if own == "x":
            if not self.adds_positions:
                raise RefusedError(f"{what}, but x is e times a factor", "is_product", matrix=matrix)
            raise RefusedError(f"{what}, but with positions x is the sum of e and p", "is_sum", matrix=matrix)
        raise RefusedError(f"{what}, but positions is {self.positions!r}", "positions_off", matrix=matrix)

    def _checked_edits(self, edits: Iterable[Any]) -> tuple[Edit, ...]:
        cells: dict[tuple[str, int, int], Edit] = {}
        if not isinstance(edits, Iterable):
            message = f"edits is {limits.in_short(edits)}, expected a sequence of (matrix, row, column, value)"
            raise RefusedError(message, "no_edit")
        for given in edits:
            edit = self.checked_edit(given)
            cells[edit[:3]] = edit
        if len(cells) > limits.MAX_EDITS:
            n, most = len(cells), limits.MAX_EDITS
            raise RefusedError(f"{n} edits, expected at most {most}", "edits", n=n, most=most)
        return tuple(cells.values())

    def checked_edit(self, given: Any) -> Edit:
        """Return an edit that fits this scenario, or raise ``ValueError`` naming its cell."""
        edit = checked_edit(given)
        self._check_is_there(edit.matrix, f"edit of {edit.cell}")
        n_rows, n_columns = self.shape_of(edit.matrix)
        if not (0 <= edit.row < n_rows and 0 <= edit.column < n_columns):
            message = f"edit of {edit.cell} lies outside its shape ({n_rows}, {n_columns})"
            raise RefusedError(
                message, "outside", matrix=edit.matrix, row=edit.row, column=edit.column, rows=n_rows, columns=n_columns
            )
        return edit

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """The tokens of the text, one for each row of X."""
        return tokenize(self.text, self.tokenizer)

    @cached_property
    def read_tokens(self) -> tuple[str, ...]:
        """The tokens that are read, one for each key: those of the text, of a second sentence, or of a kept one and the
        text."""
        if self.reads == KEPT:
            return (*self.second_tokens, *self.tokens)
        return self.second_tokens or self.tokens

    @cached_property
    def second_tokens(self) -> tuple[str, ...]:
        """The tokens of the second sentence, or of the kept one, one for each row of Y; none where neither is read."""
        return second_tokens(self.__dict__)

    @property
    def n_kept(self) -> int:
        """How many tokens were kept, whose keys stand before those of the text."""
        return len(self.second_tokens) if self.reads == KEPT else 0

    @property
    def reads_others(self) -> bool:
        """Whether keys and values are of other tokens than those that read, or of more than these."""
        return self.reads != ITSELF

    def tokens_of(self, name: str) -> tuple[str, ...]:
        """Return the tokens that the rows of an editable matrix are of; none where they are of no tokens."""
        return self.second_tokens if name == Y else self.tokens if name in ("x", "e", "p", MASK) else ()

    @cached_property
    def editable(self) -> tuple[str, ...]:
        """The matrices that are given, and so can be edited: those that are switched on, in the table's order; those of
        later layers by their paths."""
        given = [name for name, stage in self.layer.items() if stage.rule is None]
        n_layers = 1 if self.same_layers else self.n_layers
        return tuple(
            named(layer, name) for layer in range(n_layers) for name in given if not (layer and name in OF_TOKENS)
        )

    @property
    def replaced(self) -> dict[str, Any]:
        """What stands in place of drawn matrices, by their names."""
        return {name: by for name in EDITABLE if (by := getattr(self, name)) is not None} | dict(self.deeper)

    def replacement(self, name: str) -> Any:
        """Return what stands in place of an editable matrix, or None where the set-up draws it."""
        return dict(self.deeper).get(name) if placed(name)[0] else getattr(self, name)

    def stage(self, name: str) -> Stage:
        """Return the row of the table of an editable matrix."""
        return self.table[name if self.n_layers == 1 else in_layer(*placed(name))]

    @property
    def adds_positions(self) -> bool:
        """Whether X is the sum of the tokens' vectors and those of their places."""
        return self.positions in ADDED_POSITIONS

    @property
    def token_matrix(self) -> str:
        """The name of the matrix that holds the tokens' own vectors: X, or E where X is made of it."""
        return "e" if self.adds_positions or self.embedding_factor else "x"

    def shape_of(self, name: str) -> tuple[int, int]:
        """Return ``(rows, columns)`` of an editable matrix, or of X where it is a sum; a vector is one row."""
        name = placed(name)[1]
        if name in ("x", "e", "p"):
            return len(self.tokens), self.d_in
        if name == Y:
            return len(self.second_tokens), self.d_in
        if name in NORMS:
            return 1, self.d_in
        if name == MASK:
            return len(self.tokens), len(self.read_tokens)
        if name == BY_DISTANCE:
            return self.n_heads, 2 * len(self.read_tokens) - 1
        if name in (*OUTPUT, *LAYERS):
            return self._shape_behind(name)
        n_rows = 1 if name in BIASES else self.d_in
        if name not in ("w_v", "b_v"):
            return n_rows, self.d_out if name in ("w_q", "b_q") else self.width_of_keys
        if self.d_v is None and isinstance(self.w_v, tuple):
            return n_rows, len(self.w_v[0])  # d_v is as wide as the W_v that is given
        return n_rows, self.drawn_d_v

    def _shape_behind(self, name: str) -> tuple[int, int]:
        width, d_ff = self.width_of_context, self.d_ff or 0
        return {
            "w_o": (width, width), "b_o": (1, width),
            "w_1": (width, d_ff), "b_1": (1, d_ff), "w_2": (d_ff, width), "b_2": (1, width),
        }[name]  # fmt: skip

    @property
    def masked_as(self) -> str:
        """The kind of mask that the set-up draws; "none" where it draws none."""
        return "causal" if self.causal else self.masking

    @property
    def kv_heads(self) -> int:
        """How many heads of keys and values there are."""
        return self.n_kv_heads or self.n_heads

    @property
    def width_of_keys(self) -> int:
        """How many columns K has: fewer than Q where heads share their keys."""
        return self.d_out * self.kv_heads // self.n_heads

    @property
    def width_of_context(self) -> int:
        """How many columns the context has: more than V where heads share their values."""
        return self.shape_of("w_v")[1] * self.n_heads // self.kv_heads

    @property
    def drawn_d_v(self) -> int:
        """The width of the W_v that the set-up draws."""
        return (self.d_out if self.d_v is None else self.d_v) * self.kv_heads // self.n_heads

    def is_published(self, row: int, name: str = "x") -> bool:
        """Whether the vector of this token, or of one that is read in `y`, is a published one, before edits."""
        name = name if name == Y else self.token_matrix
        drawn = getattr(self, name) is None
        return drawn and has_published_vector(self.tokens_of(name)[row], self.embedding, self.d_in)

    def unedited(self, name: str) -> Tensor:
        """Return an editable matrix before its edits, ``(rows, columns)`` float32 on the CPU."""
        if name not in self.editable:
            raise ValueError(
                f"{limits.in_short(name)} is no matrix of this scenario, expected one of {', '.join(self.editable)}"
            )
        given = self.replacement(name)
        numbers = numbers_given(name, given)
        if numbers is not None:
            return torch.tensor(numbers, **FLOAT32_ON_CPU)
        if given == "identity":
            return torch.eye(*self.shape_of(name), **FLOAT32_ON_CPU)
        if given == "zeros":
            return torch.zeros(*self.shape_of(name), **FLOAT32_ON_CPU)
        seed = random_seed(given)
        layer, own = placed(name)
        if own in (self.token_matrix, Y, "p", MASK, BY_DISTANCE, *NORMS):
            if seed is not None:
                return torch.randn(*self.shape_of(name), generator=generator_for(seed), **FLOAT32_ON_CPU)
            if own in NORMS:
                return torch.full(self.shape_of(name), float(own in GAINS), **FLOAT32_ON_CPU)
            if name == MASK:
                return drawn_mask(self.masked_as, self.mask_size, *self.shape_of(MASK), self.n_kept)
            if name == BY_DISTANCE:
                return drawn_distances(self.positions, self.n_heads, len(self.read_tokens), self.seed)
            if name == "p":
                return drawn_positions(self.positions, len(self.tokens), self.d_in, self.seed)
            own_table = name == Y and self.embedding == "table"
            seed = second_seed(self.seed) if own_table else self.seed
            return drawn_vectors(self.tokens_of(name), self.d_in, self.embedding, seed)
        drawn = (self._weights[layer] if seed is None else self._draw(seed, 1)[0])[own]
        return drawn if drawn.dim() == 2 else self._as_row(name, drawn)

    def _as_row(self, name: str, bias: Tensor) -> Tensor:
        width = self.shape_of(name)[1]
        return (bias if len(bias) == width else torch.zeros(width, **FLOAT32_ON_CPU)).unsqueeze(0)

    def _draw(self, seed: int, n_layers: int) -> tuple[dict[str, Any], ...]:
        widths = Widths(
            self.d_in, self.d_out, self.width_of_keys, self.drawn_d_v, self.width_of_context, self.output, self.d_ff
        )
        return drawn_weights(seed, self.init, self.bias, widths, n_layers)

    @cached_property
    def _weights(self) -> tuple[dict[str, Any], ...]:
        return self._draw(self.seed, self.n_layers)

    def matrix(self, name: str) -> Tensor:
        """Return an editable matrix with its edits, ``(rows, columns)`` float32 on the CPU; a vector is one row."""
        edits = [edit for edit in self.edits if edit.matrix == name]
        matrix = self.unedited(name)
        if edits:
            matrix = matrix.clone()
            for edit in edits:
                matrix[edit.row, edit.column] = edit.value
        return matrix

    @property
    def inputs(self) -> Tensor:
        """X as attention gets it, ``(n_tokens, d_in)`` on the CPU: with positions, E + P; E may be times √d_in."""
        e = self.matrix(self.token_matrix)
        e = e * math.sqrt(self.d_in) if self.embedding_factor else e
        return e + self.matrix("p") if self.adds_positions else e

    @cached_property
    def table(self) -> Table:
        """The stages of this computation."""
        return stacked(self.layer, self.n_layers, self.same_layers)

    @property
    def layer(self) -> Table:
        """The stages of one layer of it."""
        table = layer_table(
            self.d_out, biases=BIASES if self.bias else (), scale=self.scale, temperature=self.temperature,
            mask=self.masked_as != "none" or self.mask is not None, mask_use=self.mask_use,
            positions=self.adds_positions,
            rotary=self.positions == "rotary",
            distances=self.positions if self.positions in BIASED_POSITIONS else "",
            factor=self.embedding_factor,
            linear=self.weighting == LINEAR,
            n_heads=self.n_heads, n_kv_heads=self.kv_heads,
            d_v=self.width_of_context if self.n_heads > 1 else 1, output=self.output, norm=self.norm,
            activation=None if self.d_ff is None else self.activation, what_if=self.what_if, reads=self.reads,
            n_kept=self.n_kept,
        )  # fmt: skip
        return reading_others(table, self.read_tokens, self.n_kept) if self.reads_others else table

    @cached_property
    def _inputs(self) -> tuple[dict[str, Tensor], tuple[str, ...]]:
        device, notice = resolve_device(self.device)
        given = {}
        for name in self.editable:
            matrix = self.matrix(name).to(device)
            given[self.stage(name).name] = matrix[0] if placed(name)[1] in VECTORS else matrix
        return given, (notice,) if notice else ()


# Its fields but for the matrices and what lies over them.
SETTINGS = tuple(each.name for each in fields(Scenario) if each.name not in (*EDITABLE, "deeper", "edits"))


def _plain_deeper(given: Any) -> tuple[tuple[str, Any], ...]:
    """Return the replaced matrices of later layers as pairs, in the order of their names."""
    try:
        pairs = dict(given)
    except (TypeError, ValueError):
        message = f"deeper is {limits.in_short(given)}, expected a mapping from names like 'layers.1.w_q'"
        raise RefusedError(message, "no_matrix") from None
    for name in pairs:
        if not isinstance(name, str) or not is_editable(name) or not placed(name)[0]:
            message = f"{limits.in_short(name)} is no matrix of a later layer, expected a name like 'layers.1.w_q'"
            raise RefusedError(message, "no_matrix")
    return tuple(sorted((name, plain(name, by)) for name, by in pairs.items() if by is not None))


def trace(scenario: Scenario) -> AttentionTrace:
    """Compute every intermediate of a scenario, float32 on its device.

    Raises :class:`attnviz.UndefinedAttentionError` for a row without a finite score.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.2.1.

    >>> trace(Scenario(embedding="published")).context[1]
    tensor([0.3061, 0.8210])
    """
    inputs, notices = scenario._inputs
    return execute(scenario.table, inputs, scenario.tokens, notices)


def traced(scenario: Scenario) -> AttentionTrace:
    """Compute a scenario as :func:`trace` does, or the part of it that is defined: in a row without a finite score the
    attention weights and the context are NaN.

    >>> broken = Scenario("a b", w_q="zeros", edits=[("w_q", 0, 0, 3e38), ("x", 0, 0, 10)])
    >>> bool(traced(broken).attention_weights.isnan().any())
    True
    """
    try:
        return trace(scenario)
    except UndefinedAttentionError as error:
        return error.trace


def without_changes(scenario: Scenario) -> Scenario:
    """Return the scenario as its set-up draws it: no edits, no replaced matrices."""
    nothing: dict[str, Any] = dict.fromkeys(EDITABLE)
    return replace(scenario, edits=(), deeper=(), **nothing)
