"""The table of given matrices, which aren't computed from others.

All that is special to one of these matrices is in its row of :data:`GIVEN`, found by its name.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import torch
from torch import Tensor

from attnviz.core import limits
from attnviz.core.seeding import FLOAT32_ON_CPU, INITIALIZATIONS, alibi_slopes, second_seed
from attnviz.core.seeding.word_classes import class_of
from attnviz.core.tokens import visible
from attnviz.words import plural, say
from attnviz.words.numbers import significant

if TYPE_CHECKING:
    from attnviz.core.matrix_input import Edit
    from attnviz.core.scenario.derived import Derived
    from attnviz.core.scenario.matrices import Matrices

Shape = tuple[int, int]


def _stays(edit: "Edit", old: "Derived", new: "Derived") -> "Edit | None":
    return edit


@dataclass(frozen=True)
class GivenMatrix:
    """A matrix that a set-up gives.

    - `name`: its name in scenarios, edits, links and scripts, and the key of its texts in `stages.toml`.
    - `shape`: returns its rows and columns; a vector is one row.
    - `rows`: what its rows stand for: tokens of the text or of the "second" sentence, heads or features; "one" is a
      vector.
    - `drawn_by`: returns all settings that its numbers depend on, besides tokens; while these are equal, its changes
      are kept.
    - `draw`: draws its numbers; None where the initialization draws them, in an order of its own.
    - `origin`: says where the numbers of a row come from; None wherever `draw` is.
    - `once`: whether all layers share it; otherwise each layer has its own.
    - `of_sentence`: whether its numbers belong to the text's tokens, so that a kept sentence read alone has others.
    - `to_heads`: whether attention itself reads it, the same for all heads.
    - `moved`: moves an edit of an old set-up to the same cell of a new one; returns None if that has no such cell.
    - `fits`: whether numbers that were given cell by cell for an old set-up fit a new one.
    - `off`: the key in `refused.toml` for a set-up without this matrix; if blank, the error lists the available ones.
    - `made_of`: the token matrix and the positions that it's computed from, in some set-ups.
    - `drawn_shape`: returns the shape that the initialization draws, where given numbers may have another one.
    - `is_of_words`: whether its rows are the tokens' own vectors; `Derived.called` names these in a set-up.
    - `by_row`: whether each row's numbers have an origin of their own.
    - `most_columns`: how many columns a reader may give.
    - `hides`: whether it may hold -∞.
    - `code`: returns the expression that creates it in a script, where one is enough.
    """

    name: str
    shape: Callable[["Derived"], Shape]
    rows: Literal["tokens", "second", "heads", "features", "one"]
    drawn_by: Callable[["Derived", int], tuple[Any, ...]]
    draw: Callable[["Matrices"], Tensor] | None = None
    origin: Callable[["Matrices", int], str] | None = None
    once: bool = False
    of_sentence: bool = False
    to_heads: bool = False
    moved: Callable[["Edit", "Derived", "Derived"], "Edit | None"] = _stays
    fits: Callable[["Derived", "Derived"], bool] = lambda old, new: True
    off: str = ""
    made_of: tuple[str, ...] = ()
    drawn_shape: Callable[["Derived"], Shape] | None = None
    is_of_words: bool = False
    by_row: bool = False
    most_columns: int = limits.MAX_D
    hides: bool = False
    code: Callable[["Derived"], str] | None = None

    @property
    def most_rows(self) -> int:
        """How many rows a reader may give."""
        return limits.MAX_TOKENS if self.once else limits.MAX_D

    @property
    def is_vector(self) -> bool:
        """Whether the matrix has one row, which stages read as a vector."""
        return self.rows == "one"


def _vectors_of_tokens(name: str, **more: Any) -> GivenMatrix:
    """Return the table's row for the vectors of a sentence's tokens."""
    second = name in ("y", "e_y")

    def draw(s: "Matrices") -> Tensor:
        own_table = name == s.read_matrix and s.made_by.of_table
        seed = second_seed(s.seed) if own_table else s.seed
        return s.made_by.vectors(s.tokens_of(name), s.d_in, seed, s.chosen_classes)

    def origin(s: "Matrices", row: int) -> str:
        word = s.tokens_of(name)[row]
        token = visible(word)
        if s.is_published(row, name):
            return say("origins.published", token=token)
        if s.made_by.by_class:
            found = class_of(word, s.chosen_classes)
            return say(f"origins.class_{found.by}", token=token, kind=say(f"word_class.{found.kind.name}"))
        if s.made_by.of_table:
            seed = second_seed(s.seed) if name == s.read_matrix else s.seed
            return say("origins.table", token=token, seed=seed)
        return say("origins.stable", token=token, d_in=s.d_in, seed=s.seed)

    def with_its_token(edit: "Edit", old: "Derived", new: "Derived") -> "Edit | None":
        before, now = old.tokens_of(name), new.tokens_of(name)
        return edit if edit.row < len(now) and before[edit.row] == now[edit.row] else None

    return GivenMatrix(
        name, lambda s: (len(s.tokens_of(name)), s.d_in), "second" if second else "tokens",
        lambda s, layer: (s.embedding, s.d_in, None if s.made_by.by_class else s.seed),
        draw, origin, once=True, of_sentence=True, is_of_words=True, moved=with_its_token,
        fits=lambda old, new: old.tokens_of(name) == new.tokens_of(name), by_row=True, **more,
    )  # fmt: skip


def _of_place(s: "Matrices", row: int) -> str:
    """Return the origin of a position's vector, or of a head's distances."""
    position = s.position
    slope = significant(alibi_slopes(s.n_heads)[row].item()) if position.biases else ""
    return say(
        f"summary.positions.{position.name}_origin", row=row, seed=position.seed_of(s.seed), of=s.seed, slope=slope
    )


def _drawn_by_place(s: "Derived", layer: int) -> tuple[Any, ...]:
    return s.positions, s.d_in, s.position.own_seed and s.seed


def _places(s: "Matrices") -> tuple[Tensor, Tensor]:
    """Return the position vectors of the kept sentence, then the text's."""
    assert s.position.vectors is not None
    made = s.position.vectors(s.n_memory + len(s.tokens), s.d_in, s.seed)
    return made[: s.n_memory].clone(), made[s.n_memory :].clone()


def _same_places(old: "Derived", new: "Derived") -> bool:
    return (old.n_memory, len(old.tokens)) == (new.n_memory, len(new.tokens))


def _at_place(edit: "Edit", old: "Derived", new: "Derived") -> "Edit | None":
    row = edit.row + old.n_memory - new.n_memory
    return edit._replace(row=row) if 0 <= row < len(new.tokens) else None


def _at_kept_place(edit: "Edit", old: "Derived", new: "Derived") -> "Edit | None":
    return edit if edit.row < new.n_memory else None


def _drawn_mask(s: "Derived", layer: int) -> tuple[Any, ...]:
    # Padding hides the last tokens; with another number of tokens, these are others.
    kind = s.mask_kind
    padded = None if kind.of_all or not kind.sized else len(s.read_tokens)
    return s.reads, kind.name, s.mask_size if kind.sized else None, padded


def _mask(s: "Matrices") -> Tensor:
    return s.mask_kind.drawn(len(s.tokens), len(s.read_tokens), s.mask_size, s.n_memory)


def _origin_of_mask(s: "Matrices", row: int) -> str:
    return say(f"explanation.of_mask.{s.mask_kind.words}", tokens=plural(s.mask_size, "token"))


def _in_mask(edit: "Edit", old: "Derived", new: "Derived") -> "Edit | None":
    """Return a mask's edit in its new column, behind the kept keys."""
    column = edit.column
    if column >= old.n_memory:
        column += new.n_memory - old.n_memory
    elif column >= new.n_memory:
        return None
    is_there = edit.row < len(new.tokens) and 0 <= column < len(new.read_tokens)
    return edit._replace(column=column) if is_there else None


def _distances(s: "Matrices") -> Tensor:
    assert s.position.distances is not None
    return s.position.distances(s.n_heads, len(s.read_tokens), s.seed)


def _at_distance(edit: "Edit", old: "Derived", new: "Derived") -> "Edit | None":
    column, n = edit.column + len(new.read_tokens) - len(old.read_tokens), len(new.read_tokens)
    return edit._replace(column=column) if 0 <= column < 2 * n - 1 else None


def _of_norm(name: str, value: float) -> GivenMatrix:
    """Return the table's row for a layer norm's gain or offset."""
    called, made = ("gain", "ones") if value else ("offset", "zeros")
    return GivenMatrix(
        name, lambda s: (1, s.d_in), "one", lambda s, layer: (s.d_in,),
        lambda s: torch.full((1, s.d_in), value, **FLOAT32_ON_CPU), lambda s, row: say(f"origins.{called}"),
        off="norm_off", code=lambda s: f"torch.{made}(d_in)",
    )  # fmt: skip


def _learned(name: str, behind: int, shape: Callable[["Derived"], Shape], **more: Any) -> GivenMatrix:
    """Return the table's row for a matrix that the initialization draws.

    `behind` counts the parts drawn before it: they are W_q, W_k, W_v, W_o, then the feed-forward step.
    """

    def drawn_by(s: "Derived", layer: int) -> tuple[Any, ...]:
        widths: tuple[Any, ...] = (
            s.width_of_keys, s.drawn_d_v, s.drawn_d_v * s.n_heads // s.kv_heads, (s.output, s.d_ff),
        )  # fmt: skip
        drawn = (s.init, s.seed, s.d_in, s.d_out, *widths[: len(widths) if layer else behind])
        # nn.Linear draws each bias after its weight, so biases shift the random numbers of all later matrices.
        return (*drawn, s.bias) if layer or (behind and INITIALIZATIONS[s.init].as_layer) else drawn

    rows: Literal["one", "features"] = "one" if name.startswith("b_") else "features"
    return GivenMatrix(name, shape, rows, drawn_by, **more)


def _width_of_values(s: "Derived") -> int:
    """Return V's width: d_v, or that of a given W_v."""
    return len(s.w_v[0]) if s.d_v is None and isinstance(s.w_v, tuple) else s.drawn_d_v


# In the order in which changes are listed. Another given matrix needs a row here, and a stage in a table.
GIVEN: Mapping[str, GivenMatrix] = MappingProxyType({row.name: row for row in (
    _vectors_of_tokens("x", made_of=("e", "p")),
    _vectors_of_tokens("e", off="positions_off"),
    GivenMatrix("p", lambda s: (len(s.tokens), s.d_in), "tokens", _drawn_by_place, lambda s: _places(s)[1],
                lambda s, row: _of_place(s, row + s.n_memory), once=True, of_sentence=True, moved=_at_place,
                fits=_same_places, off="positions_off", by_row=True),
    _learned("w_q", 0, lambda s: (s.d_in, s.d_out)),
    _learned("w_k", 1, lambda s: (s.d_in, s.width_of_keys)),
    _learned("w_v", 2, lambda s: (s.d_in, _width_of_values(s)), drawn_shape=lambda s: (s.d_in, s.drawn_d_v)),
    _learned("b_q", 0, lambda s: (1, s.d_out), off="bias_off"),
    _learned("b_k", 1, lambda s: (1, s.width_of_keys), off="bias_off"),
    _learned("b_v", 2, lambda s: (1, _width_of_values(s)), off="bias_off",
             drawn_shape=lambda s: (1, s.drawn_d_v)),
    GivenMatrix("mask", lambda s: (len(s.tokens), len(s.read_tokens)), "tokens", _drawn_mask, _mask, _origin_of_mask,
                once=True, of_sentence=True, moved=_in_mask,
                fits=lambda old, new: old.shape_of("mask") == new.shape_of("mask"),
                to_heads=True, off="mask_off", most_columns=limits.MAX_TOKENS, hides=True),
    GivenMatrix("by_distance", lambda s: (s.n_heads, 2 * len(s.read_tokens) - 1), "heads",
                lambda s, layer: (s.positions, s.n_heads, s.position.own_seed and s.seed), _distances, _of_place,
                once=True, of_sentence=True, moved=_at_distance,
                fits=lambda old, new: len(old.read_tokens) == len(new.read_tokens),
                to_heads=True, off="distances_off", by_row=True, most_columns=2 * limits.MAX_TOKENS),
    _learned("w_o", 3, lambda s: (s.width_of_context, s.width_of_context), off="output_off"),
    _learned("b_o", 3, lambda s: (1, s.width_of_context), off="output_off"),
    _learned("w_1", 4, lambda s: (s.width_of_context, s.d_ff or 0), off="d_ff_off"),
    _learned("b_1", 4, lambda s: (1, s.d_ff or 0), off="d_ff_off"),
    _learned("w_2", 4, lambda s: (s.d_ff or 0, s.width_of_context), off="d_ff_off"),
    _learned("b_2", 4, lambda s: (1, s.width_of_context), off="d_ff_off"),
    _of_norm("gamma_1", 1.0),
    _of_norm("beta_1", 0.0),
    _of_norm("gamma_2", 1.0),
    _of_norm("beta_2", 0.0),
    _vectors_of_tokens("y", off="reads_off", made_of=("e_y", "p_y")),
    _vectors_of_tokens("e_y", off="positions_off"),
    GivenMatrix("p_y", lambda s: (len(s.second_tokens), s.d_in), "second", _drawn_by_place, lambda s: _places(s)[0],
                _of_place, once=True, of_sentence=True, moved=_at_kept_place,
                fits=lambda old, new: old.n_memory == new.n_memory, off="positions_off", by_row=True),
)})  # fmt: skip
TO_HEADS = tuple(name for name, given in GIVEN.items() if given.to_heads)
ONCE = tuple(name for name, given in GIVEN.items() if given.once)  # shared by all layers
HIDING = tuple(name for name, given in GIVEN.items() if given.hides)
