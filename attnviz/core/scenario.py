"""A scenario is the whole question: everything that determines a computation, as plain values."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from attnviz.core import limits
from attnviz.core.attention import AttentionTrace, UndefinedAttentionError, execute
from attnviz.core.devices import check_device_name, resolve_device
from attnviz.core.errors import RefusedError
from attnviz.core.matrix_input import (
    NO_EDITS,
    Edit,
    Edits,
    checked_edit,
    numbers_given,
    plain,
    random_seed,
    wrong_shape,
)
from attnviz.core.published_matrices import PUBLISHED_D_IN, PUBLISHED_VECTORS
from attnviz.core.seeding import (
    FLOAT32_ON_CPU,
    INITS,
    SEEDED_EMBEDDINGS,
    Projections,
    generator_for,
    seeded_embeddings,
    seeded_projections,
)
from attnviz.core.stages import BIASES, EDITABLE, Table, attention_table
from attnviz.core.tokens import TOKENIZERS, tokenize

EMBEDDINGS = ("published", *SEEDED_EMBEDDINGS)


@dataclass(frozen=True)
class Scenario:
    """Everything that determines a computation: same scenario, same numbers, everywhere.

    `text` is split by `tokenizer` ("words", "whitespace", "characters"). `embedding` makes X
    ``(n_tokens, d_in)``: "stable" (each token's vector depends on its text, `d_in` and `seed` alone), "table"
    (rows of a seeded ``nn.Embedding`` in the order of the sorted distinct tokens) or "published" (the
    published vectors of the words that have one while `d_in` is 3, "stable" for all others). `init` and `seed`
    draw W_q, W_k ``(d_in, d_out)``, W_v ``(d_in, d_v)`` (`d_v` None is `d_out`) and, with `bias`, b_q, b_k
    ``(d_out,)`` and b_v ``(d_v,)``.

    `x`, `w_q` ... `b_v` replace the drawn matrix: by explicit numbers (any nested sequence or array;
    with `d_v` None, `w_v` and `b_v` may have a width of their own), or by "identity" (ones on the main
    diagonal), "zeros", "random:N" (drawn alone, from seed N) or "example:ID" (as a worked example states it).
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
    scale: bool = True
    temperature: float = 1.0
    device: str = "cpu"
    x: Any = None
    w_q: Any = None
    w_k: Any = None
    w_v: Any = None
    b_q: Any = None
    b_k: Any = None
    b_v: Any = None
    edits: Edits = NO_EDITS

    def __post_init__(self) -> None:
        self._check_choices()
        changed: dict[str, Any] = {
            "temperature": limits.check_temperature(self.temperature),
            "device": check_device_name(self.device),
        }
        for name in EDITABLE:
            changed[name] = plain(name, getattr(self, name))
        for field, value in changed.items():
            object.__setattr__(self, field, value)
        limits.check_whole("the number of tokens", len(self.tokens), 1, limits.MAX_TOKENS)
        self._check_matrices()
        object.__setattr__(self, "edits", self._checked_edits(self.edits))

    def _check_choices(self) -> None:
        if not isinstance(self.text, str):
            raise RefusedError(f"text is {limits.in_short(self.text)}, expected a string", "text")
        if len(self.text) > limits.MAX_TEXT_CHARACTERS:  # before it is cut into tokens, which takes time
            n, most = len(self.text), limits.MAX_TEXT_CHARACTERS
            raise RefusedError(
                f"text has {n} characters, expected at most {most}", "text_long", characters=n, most=most
            )
        choices = {"tokenizer": TOKENIZERS, "embedding": EMBEDDINGS, "init": INITS}
        for name, allowed in choices.items():
            chosen = getattr(self, name)
            if not isinstance(chosen, str) or chosen not in allowed:
                message = f"{name} is {limits.in_short(chosen)}, expected one of {', '.join(allowed)}"
                raise RefusedError(message, "choice", name=name, value=chosen, allowed=tuple(allowed))
        for name in ("bias", "causal", "scale"):
            chosen = getattr(self, name)
            if not isinstance(chosen, bool):
                message = f"{name} is {limits.in_short(chosen)}, expected True or False"
                raise RefusedError(message, "flag", name=name, value=chosen)
        object.__setattr__(self, "d_in", limits.check_whole("d_in", self.d_in, 1, limits.MAX_D))
        object.__setattr__(self, "d_out", limits.check_whole("d_out", self.d_out, 1, limits.MAX_D))
        if self.d_v is not None:
            object.__setattr__(self, "d_v", limits.check_whole("d_v", self.d_v, 1, limits.MAX_D))
        object.__setattr__(self, "seed", limits.check_whole("seed", self.seed, 0, limits.MAX_SEED))

    def _check_matrices(self) -> None:
        for name in BIASES:
            if getattr(self, name) is not None and not self.bias:
                raise RefusedError(f"{name} is given, but bias is False", "bias_off", matrix=name)
        for name in EDITABLE:
            given = numbers_given(name, getattr(self, name))
            if given is not None:
                shape = (len(given), len(given[0]))
                if shape != self.shape_of(name):
                    raise wrong_shape(name, shape, self.shape_of(name))

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
        n_rows, n_columns = self.shape_of(edit.matrix)
        if edit.matrix in BIASES and not self.bias:
            raise RefusedError(f"edit of {edit.cell}, but bias is False", "bias_off", matrix=edit.matrix)
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

    @property
    def editable(self) -> tuple[str, ...]:
        """The matrices that can be edited: the biases only where they are switched on."""
        return EDITABLE if self.bias else tuple(name for name in EDITABLE if name not in BIASES)

    def shape_of(self, name: str) -> tuple[int, int]:
        """Return ``(rows, columns)`` of an editable matrix; a bias is one row."""
        if name == "x":
            return len(self.tokens), self.d_in
        n_rows = 1 if name in BIASES else self.d_in
        if name not in ("w_v", "b_v"):
            return n_rows, self.d_out
        if self.d_v is None and isinstance(self.w_v, tuple):
            return n_rows, len(self.w_v[0])  # d_v is as wide as the W_v that is given
        return n_rows, self.drawn_d_v

    @property
    def drawn_d_v(self) -> int:
        """The width of the W_v that the set-up draws."""
        return self.d_out if self.d_v is None else self.d_v

    def is_published(self, row: int) -> bool:
        """Whether this row of X is a published vector, before edits."""
        by_word = self.x is None and self.embedding == "published" and self.d_in == PUBLISHED_D_IN
        return by_word and self.tokens[row] in PUBLISHED_VECTORS

    def unedited(self, name: str) -> Tensor:
        """Return an editable matrix before its edits, ``(rows, columns)`` float32 on the CPU."""
        if name not in EDITABLE or (name in BIASES and not self.bias):
            raise ValueError(
                f"{limits.in_short(name)} is no matrix of this scenario, expected one of {', '.join(EDITABLE)}"
            )
        given = getattr(self, name)
        numbers = numbers_given(name, given)
        if numbers is not None:
            return torch.tensor(numbers, **FLOAT32_ON_CPU)
        if given == "identity":
            return torch.eye(*self.shape_of(name), **FLOAT32_ON_CPU)
        if given == "zeros":
            return torch.zeros(*self.shape_of(name), **FLOAT32_ON_CPU)
        if name == "x":
            return self._drawn_x(random_seed(given))
        seed = random_seed(given)
        drawn = getattr(self._projections if seed is None else self._draw(seed), name)
        return drawn if drawn.dim() == 2 else self._as_row(name, drawn)

    def _as_row(self, name: str, bias: Tensor) -> Tensor:
        width = self.shape_of(name)[1]
        return (bias if len(bias) == width else torch.zeros(width, **FLOAT32_ON_CPU)).unsqueeze(0)

    def _draw(self, seed: int) -> Projections:
        return seeded_projections(self.d_in, self.d_out, self.init, seed, self.bias, self.d_v)

    @cached_property
    def _projections(self) -> Projections:
        return self._draw(self.seed)

    def _drawn_x(self, seed: int | None) -> Tensor:
        if seed is not None:
            return torch.randn(*self.shape_of("x"), generator=generator_for(seed), **FLOAT32_ON_CPU)
        embedding = "stable" if self.embedding == "published" else self.embedding
        x = seeded_embeddings(self.tokens, self.d_in, embedding, self.seed)
        for row, token in enumerate(self.tokens):
            if self.is_published(row):
                x[row] = torch.tensor(PUBLISHED_VECTORS[token], **FLOAT32_ON_CPU)
        return x

    def matrix(self, name: str) -> Tensor:
        """Return an editable matrix with its edits, ``(rows, columns)`` float32 on the CPU; a bias is one row."""
        edits = [edit for edit in self.edits if edit.matrix == name]
        matrix = self.unedited(name)
        if edits:
            matrix = matrix.clone()
            for edit in edits:
                matrix[edit.row, edit.column] = edit.value
        return matrix

    @property
    def table(self) -> Table:
        """The stages of this computation."""
        return attention_table(
            self.d_out, biases=BIASES if self.bias else (), scale=self.scale, temperature=self.temperature,
            causal=self.causal,
        )  # fmt: skip

    @cached_property
    def _inputs(self) -> tuple[dict[str, Tensor], tuple[str, ...]]:
        device, notice = resolve_device(self.device)
        given = {name: self.matrix(name).to(device) for name in self.editable}
        return given | {name: given[name][0] for name in given if name in BIASES}, (notice,) if notice else ()


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
    return replace(scenario, edits=(), **nothing)
