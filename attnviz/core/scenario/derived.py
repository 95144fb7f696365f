"""A scenario's settings, and its tokens, sizes and table of stages."""

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from attnviz.core.given import GIVEN, ONCE
from attnviz.core.layers import in_layer, named, placed, reading_others, second_tokens, stacked
from attnviz.core.limits import check_choice, check_type
from attnviz.core.masks import CAUSAL, MASKS, NONE, USES, Masked, MaskKind
from attnviz.core.matrix_input import NO_EDITS, Edits
from attnviz.core.seeding import EMBEDDINGS, POSITIONS, Position
from attnviz.core.seeding.vectors import Embedding
from attnviz.core.seeding.word_classes import FoundClass, chosen_classes, class_of
from attnviz.core.stages import BIASES, E_MEMORY, EDITABLE, ITSELF, KEPT, Scoring, Stage, Table, Y, layer_table
from attnviz.core.tokens import tokenize


@dataclass(frozen=True)
class Given(Scoring):
    """The fields of a scenario, which :class:`attnviz.Scenario` explains and checks."""

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
    what_if: str = ""
    reads: str = ITSELF
    second: str = "Deine Reise beginnt heute"
    word_classes: str = ""
    y: Any = None
    e_y: Any = None
    p_y: Any = None
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

    def __getstate__(self) -> dict[str, Any]:
        """Return only the fields; a copy computes everything else again."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


_OF_SCORES = tuple(each.name for each in fields(Scoring))
# All fields except matrices and edits; the settings of attention itself come last.
SETTINGS = (
    *(each.name for each in fields(Given) if each.name not in (*EDITABLE, *_OF_SCORES, "deeper", "edits")),
    *_OF_SCORES,
)


class Derived(Given):
    """A scenario's tokens, and each matrix's size and sources."""

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """The tokens of the text, one for each row of X."""
        return tokenize(self.text, self.tokenizer)

    @cached_property
    def read_tokens(self) -> tuple[str, ...]:
        """The tokens that are read, one for each key."""
        if self.reads == KEPT:
            return (*self.second_tokens, *self.tokens)
        return self.second_tokens or self.tokens

    @cached_property
    def second_tokens(self) -> tuple[str, ...]:
        """The tokens of Y's rows: the second or kept sentence's, if any."""
        return second_tokens(self.__dict__)

    @property
    def n_memory(self) -> int:
        """How many kept tokens' keys stand before the text's."""
        return len(self.second_tokens) if self.reads == KEPT else 0

    @property
    def reads_others(self) -> bool:
        """Whether keys and values come from other tokens, or from more."""
        return self.reads != ITSELF

    def tokens_of(self, name: str) -> tuple[str, ...]:
        """Return the tokens of an editable matrix's rows, if it has any."""
        check_type("matrix", name, str, "a matrix's name")
        rows = GIVEN[name].rows if name in GIVEN else ""
        return self.second_tokens if rows == "second" else self.tokens if rows == "tokens" else ()

    @cached_property
    def editable(self) -> tuple[str, ...]:
        """The given matrices in the table's order; later layers' names are paths."""
        given = [name for name, stage in self.layer.items() if stage.rule is None]
        n_layers = 1 if self.same_layers else self.n_layers
        return tuple(named(layer, name) for layer in range(n_layers) for name in given if not (layer and name in ONCE))

    @property
    def replaced(self) -> dict[str, Any]:
        """The replacements of drawn matrices, by the matrices' names."""
        return {name: by for name in EDITABLE if (by := getattr(self, name)) is not None} | dict(self.deeper)

    def replacement(self, name: str) -> Any:
        """Return an editable matrix's replacement, None if it's drawn.

        Raises ``ValueError`` for a matrix that can't be edited.
        """
        check_choice("matrix", name, self.editable)
        return dict(self.deeper).get(name) if placed(name)[0] else getattr(self, name)

    def stage(self, name: str) -> Stage:
        """Return an editable matrix's row of the table.

        Raises ``ValueError`` for a matrix that can't be edited.
        """
        check_choice("matrix", name, self.editable)
        return self.table[name if self.n_layers == 1 else in_layer(*placed(name))]

    @property
    def made_by(self) -> Embedding:
        """The embedding, which makes the tokens' vectors."""
        return EMBEDDINGS[self.embedding]

    @property
    def chosen_classes(self) -> dict[str, str]:
        """The classes that the reader chose, by lower-case word."""
        return chosen_classes(self.word_classes)

    @property
    def found_classes(self) -> tuple[FoundClass, ...]:
        """The class of each token's word; empty unless vectors depend on classes."""
        if not self.made_by.by_class or getattr(self, self.token_matrix) is not None:
            return ()
        chosen = self.chosen_classes
        return tuple(class_of(token, chosen) for token in self.tokens)

    @property
    def position(self) -> Position:
        """The kind of positions, by which attention knows the tokens' order."""
        return POSITIONS[self.positions]

    @property
    def adds_positions(self) -> bool:
        """Whether X is the sum of token and position vectors."""
        return self.position.adds

    @property
    def token_matrix(self) -> str:
        """The name of the tokens' own vectors: X, or E behind it."""
        return "e" if self.adds_positions or self.embedding_factor else "x"

    @property
    def read_matrix(self) -> str:
        """The name of the second sentence's own vectors: Y, or E_y."""
        return E_MEMORY if self.n_memory and self.token_matrix == "e" else Y

    def called(self, name: str) -> str:
        """Return a given matrix's name here, such as E for X.

        >>> from attnviz import Scenario
        >>> Scenario(positions="learned").called("x"), Scenario().called("e"), Scenario().called("w_q")
        ('e', 'x', 'w_q')
        """
        check_type("matrix", name, str, "a matrix's name")
        if name not in GIVEN or not GIVEN[name].is_of_words:
            return name
        return self.read_matrix if GIVEN[name].rows == "second" else self.token_matrix

    def shape_of(self, name: str) -> tuple[int, int]:
        """Return ``(rows, columns)`` of X or a given matrix; vectors are rows."""
        check_type("matrix", name, str, "a matrix's name")
        name = placed(name)[1]
        check_choice("matrix", name, EDITABLE)
        return GIVEN[name].shape(self)

    def is_as_drawn(self, name: str) -> bool:
        """Whether a matrix has the shape that the initialization draws."""
        shape = self.shape_of(name)
        drawn = GIVEN[placed(name)[1]].drawn_shape
        return drawn is None or drawn(self) == shape

    @property
    def mask_kind(self) -> MaskKind:
        """The kind of mask that the set-up draws."""
        return MASKS[CAUSAL if self.causal else self.masking]

    @property
    def masked(self) -> Masked | None:
        """The mask and its use; None where nothing is masked."""
        if self.mask is not None:
            return Masked(use=USES[self.mask_use])
        kind = self.mask_kind
        return None if kind.name == NONE else Masked(kind, self.mask_size if kind.sized else 0, USES[self.mask_use])

    @property
    def kv_heads(self) -> int:
        """How many heads of keys and values there are."""
        return self.n_kv_heads or self.n_heads

    @property
    def width_of_keys(self) -> int:
        """How many columns K has: fewer than Q if heads share keys."""
        return self.d_out * self.kv_heads // self.n_heads

    @property
    def width_of_context(self) -> int:
        """How many columns the context has: more than V with shared values."""
        return self.shape_of("w_v")[1] * self.n_heads // self.kv_heads

    @property
    def drawn_d_v(self) -> int:
        """The width of the W_v that the set-up draws."""
        return (self.d_out if self.d_v is None else self.d_v) * self.kv_heads // self.n_heads

    @cached_property
    def table(self) -> Table:
        """The stages of this computation."""
        return stacked(self.layer, self.n_layers, self.same_layers)

    @property
    def layer(self) -> Table:
        """The stages of one layer."""
        scoring = Scoring(**{name: getattr(self, name) for name in _OF_SCORES})
        table = layer_table(
            self.d_out, biases=BIASES if self.bias else (), scoring=scoring, mask=self.masked or False,
            positions=self.positions, factor=self.embedding_factor, n_heads=self.n_heads, n_kv_heads=self.kv_heads,
            d_v=self.width_of_context if self.n_heads > 1 else 1, output=self.output, norm=self.norm,
            activation=None if self.d_ff is None else self.activation, what_if=self.what_if, reads=self.reads,
            n_memory=self.n_memory,
        )  # fmt: skip
        return reading_others(table, self.read_tokens, self.n_memory) if self.reads_others else table
