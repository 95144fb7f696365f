"""The tables of stages: what each matrix is called, what it is made of, and by which rule.

A table is executed: :func:`attnviz.core.trace.run` makes a trace of it. Everything that names a matrix, draws it,
explains it, marks it or writes code for it reads the table of the trace at hand.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal

from attnviz.core.mask_uses import ADDED, FACTOR, LATE, SHARED, ZEROED
from attnviz.core.rules import (
    GELU,
    Add,
    Below,
    Concatenate,
    FeatureMap,
    LayerNorm,
    Product,
    Recut,
    Relative,
    ReLU,
    Rotate,
    Rule,
    Scale,
    Share,
    Slice,
    Softmax,
    TimesRoot,
    names_on,
    owner_of,
)
from attnviz.core.rules.cell import OWN_ROWS
from attnviz.core.rules.softmax import ROWS
from attnviz.core.tokens import axis_labels
from attnviz.core.what_if import COSINE, CUT, EXCHANGED, KEYS_FIRST, PROJECTIONS, SCORES, SOFTMAX, TRANSPOSED, WhatIf
from attnviz.words import say


@dataclass(frozen=True)
class Stage:
    """One matrix: its name in the trace and on screen, and what it is made of.

    `plain` says in one sentence what it is, `axes` what its rows and columns are, `meaning` what it is in few words,
    `short` in two or three.
    `rows` and `columns` say what a row and a column stand for: "token", "query", "key", "feature", "distance" (how far
    a key stands from its query), or "entry", one of the `entries` of a vocabulary. `colours` names
    the family of matrices that share their colour limits, `part` which of queries, keys and values it belongs to. A
    given matrix has neither a `rule` nor `sources`. Keys with `entries` are not only the tokens of the sentence, and
    these name them; `own_from` says which of them is the sentence's first token: the tokens of a kept sentence stand
    before it, and of a second one, None is. Of one of several heads, `head` is its number, and `first` the column of
    the whole Q, K, V or C (or of the W that makes it) where this head's columns begin. `owners` say to which tokens its
    rows really belong: see :func:`attnviz.core.rules.owner_of`.
    """

    name: str
    symbol: str
    title: str
    plain: str
    axes: str
    meaning: str
    short: str
    rows: Literal["token", "query", "key", "feature", "entry"]
    columns: Literal["key", "feature", "entry", "distance"]
    colours: Literal["inputs", "projections", "vectors", "scores", "mask", "attention"]
    rule: Rule | None = None
    sources: tuple[str, ...] = ()
    is_vector: bool = False  # it has no rows of its own: its one row is added to every row
    part: Literal["", "q", "k", "v"] = ""
    head: int | None = None
    first: int = 0
    entries: tuple[str, ...] = ()
    own_from: int | None = 0
    layer: int = 0  # of several layers, counted from 0
    owners: tuple[int, int] = OWN_ROWS

    @property
    def role(self) -> Literal["x", "q", "k", "a", "v"]:
        """What it is to attention, which its colour tells: what asks, what is asked, how much is read ("a"), what is
        read; and "x", the vectors of tokens, as they come in and as they go on behind attention.

        >>> [STAGES[name].role for name in ("x", "w_q", "b_k", "scores", "attention_weights", "context")]
        ['x', 'q', 'k', 'a', 'a', 'v']
        """
        return "a" if self.columns in ("key", "distance") else self.part or "x"

    def at(self, row: int | str, column: int | str) -> str:
        """Write a cell, a row or a column in symbols, counted from 0 as in Python: of several heads' scores
        ``[head, query, key]``, of one head's part of Q, counted as in the whole.

        >>> STAGES["k"].at(5, ":"), STAGES["b_q"].at(0, 1)
        ('K[5, :]', 'b_q[1]')
        >>> table = layer_table(4, n_heads=2, d_v=4, biases=())
        >>> table["heads.1.scores"].at(0, 5), table["heads.1.q"].at(0, 1), table["heads.1.q"].at(0, ":")
        ('S[1, 0, 5]', 'Q[0, 3]', 'Q₁[0, :]')
        """
        if isinstance(column, int):
            column += self.first
        elif self.head is not None and self.columns == "feature":
            return f"{self.symbol}{lowered(self.head)}[{row}, {column}]"
        if self.head is not None and self.columns == "key":
            row = f"{self.head}, {row}"
        return f"{self.symbol}[{column}]" if self.is_vector else f"{self.symbol}[{row}, {column}]"

    def labels(
        self, axis: Literal["rows", "columns"], tokens: tuple[str, ...], n: int, most: int | None = None
    ) -> tuple[str, ...]:
        """Return what stands at each of its `n` rows or columns, cut to `most` characters: the tokens, the entries of
        its vocabulary, or numbers."""
        kind = self.rows if axis == "rows" else self.columns
        labels = axis_labels(names_on(self, kind, tokens), kind, n, most)
        return tuple(labels[owner_of(self, row, n)] for row in range(n)) if axis == "rows" else labels

    @property
    def is_of_others(self) -> bool:
        """Whether its rows are tokens that are read, and others than those that read, or more than these."""
        return self.rows == "key" and bool(self.entries)

    @property
    def masked_by(self) -> str | None:
        """The name of the matrix that hides cells of this one, where it holds -∞; None where none does."""
        place = None if self.rule is None else self.rule.masked_by
        return None if place is None or place >= len(self.sources) else self.sources[place]

    @property
    def kind(self) -> str:
        """The name of its rule, or "given"."""
        return "given" if self.rule is None else self.rule.name

    @property
    def origin(self) -> Literal["input", "learned", "computed"]:
        """Whether it enters with each sentence, is learned and kept, or is computed anew for each sentence."""
        if self.rule is not None:
            return "computed"
        return "learned" if self.colours == "projections" else "input"


def lowered(number: int) -> str:
    """Write a number as a subscript.

    >>> lowered(12)
    '₁₂'
    """
    return str(number).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


Table = Mapping[str, Stage]  # the stages by their names, in the order of the computation

BIASES = ("b_q", "b_k", "b_v")
OUTPUT = ("w_o", "b_o")
LAYERS = ("w_1", "b_1", "w_2", "b_2")
GAINS = ("gamma_1", "gamma_2")
NORMS = ("gamma_1", "beta_1", "gamma_2", "beta_2")
MASK = "mask"
BY_DISTANCE = "by_distance"  # a number for each distance of two tokens, a row for each head
DISTANCE_BIAS = "distance_bias"
OF_ALL = (MASK, BY_DISTANCE)  # given once, for all heads and layers
ITSELF, SECOND, KEPT = READINGS = ("itself", "second", "kept")  # whose keys and values a sentence reads
Y = "y"  # the vectors of the tokens that are read, where these are others, or of those that were kept
JOINED = "joined"  # these, and those of the sentence below them
E_SCALED = "e_scaled"
EDITABLE = ("x", "e", "p", "w_q", "w_k", "w_v", *BIASES, *OF_ALL, *OUTPUT, *LAYERS, *NORMS, Y)
ACTIVATIONS: Mapping[str, Rule] = MappingProxyType({"relu": ReLU(), "gelu": GELU()})


def _stage(name: str, symbol: str, *what: Any, told: str = "", **more: Any) -> Stage:
    """Return a stage with what the catalogue says of it, under its name or under `told`."""
    said: Any = (say(f"stages.{told or name}.{key}") for key in ("title", "plain", "axes", "meaning", "short"))
    return Stage(name, symbol, *said, *what, **more)


def _table(*stages: Stage) -> Table:
    return MappingProxyType({stage.name: stage for stage in stages})


@lru_cache(maxsize=512)
def attention_table(
    d_k: int = 1,
    *,
    biases: tuple[str, ...] = BIASES,
    scale: bool = True,
    temperature: float = 1.0,
    mask: bool = False,
    positions: bool = False,
) -> Table:
    """Return the stages of self-attention with keys of `d_k` numbers and these `biases`; with a `mask`, that is added
    to the scores, and with `positions`, X is made of the vectors of the tokens and those of their places.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.2.1; section 3.5 for positions.

    >>> list(attention_table(2, biases=()))[4:]
    ['q', 'k', 'v', 'scores', 'scaled_scores', 'attention_weights', 'context']
    """
    return _table(
        *_projected(biases, positions),
        *_attending(d_k, scale, temperature, mask),
    )


NOTHING = WhatIf()


def _projected(
    biases: tuple[str, ...], positions: bool, normed: bool = False, factor: bool = False, what_if: WhatIf = NOTHING,
    reads: str = ITSELF,
) -> tuple[Stage, ...]:  # fmt: skip
    """Return the stages up to Q, K and V, which are made of X, or of X normed; K and V of Y where that is read, or of Y
    and X where Y was kept."""
    x = "x_norm" if normed else "x"
    read = {ITSELF: x, SECOND: Y, KEPT: JOINED}[reads]
    kept = f"{Y}_norm" if normed else Y
    told = "y_kept" if reads == KEPT else ""
    exchanged = what_if.get(PROJECTIONS) == EXCHANGED
    by = {"q": "k", "k": "q", "v": "v"} if exchanged else {"q": "q", "k": "k", "v": "v"}
    product = Product(transposed=what_if.get(PROJECTIONS) == TRANSPOSED)
    made_of = {
        part: (x if part == "q" else read, f"w_{by[part]}", *(name for name in biases if name == f"b_{by[part]}"))
        for part in "qkv"
    }
    return (
        *[_stage(Y, "Y", "key", "feature", "inputs", told=told)] * (reads != ITSELF),
        *_inputs(positions, factor),
        *(_normed("x", "X′", 1) if normed else ()),
        *(_kept(kept, x) if reads == KEPT else ()),
        *(_stage(f"w_{part}", f"W_{part}", "feature", "feature", "projections", part=part) for part in "qkv"),
        *(_stage(name, name, "feature", "feature", "projections", is_vector=True, part=name[-1])
          for name in BIASES if name in biases),
        _stage("q", "Q", "query", "feature", "vectors", product, made_of["q"], part="q"),
        _stage("k", "K", "key", "feature", "vectors", product, made_of["k"], part="k"),
        _stage("v", "V", "token", "feature", "vectors", product, made_of["v"], part="v"),
    )  # fmt: skip


def _kept(kept: str, x: str) -> tuple[Stage, ...]:
    """Return what is read where a sentence was kept: its vectors, normed as those of X are, and below them X.

    Source: Dai et al. 2019, Transformer-XL, section 3.2.
    """
    normed = _stage(f"{Y}_norm", "Y′", "key", "feature", "vectors", LayerNorm(), (Y, "gamma_1", "beta_1"))
    return (
        *[normed] * (kept != Y),
        _stage(JOINED, "X⁺", "key", "feature", "vectors", Below(), (kept, x)),
    )


def _inputs(positions: bool, factor: bool) -> tuple[Stage, ...]:
    """Return X, and what it is made of: E, times √d_in where there is this factor, and P where positions are added."""
    e = _stage("e", "E", "token", "feature", "inputs")
    if not positions:
        x: tuple[Any, ...] = ("x", "X", "token", "feature", "inputs")
        return (e, _stage(*x, TimesRoot(), ("e",), told="x_scaled")) if factor else (_stage(*x),)
    scaled = _stage(E_SCALED, "E′", "token", "feature", "inputs", TimesRoot(), ("e",))
    return (
        e,
        *[scaled] * factor,
        _stage("p", "P", "token", "feature", "inputs"),
        _stage("x", "X", "token", "feature", "inputs", Add(), (E_SCALED if factor else "e", "p")),
    )


def _attending(
    d_k: int, scale: bool, temperature: float, mask: bool, rotary: bool = False, mask_use: str = ADDED,
    distances: str = "", head: int = 0, what_if: WhatIf = NOTHING, linear: bool = False, n_kept: int = 0,
) -> tuple[Stage, ...]:  # fmt: skip
    """Return the stages from Q, K and V on, which every head has for itself, but for the mask and the numbers by
    distance. So many keys were kept, which stand before the first query's own."""
    early, late = (mask and (mask_use in uses) for uses in ((ADDED, FACTOR), LATE))
    turned = (
        _stage("q_rotated", "Q′", "query", "feature", "vectors", Rotate(place=n_kept), ("q",), part="q"),
        _stage("k_rotated", "K′", "key", "feature", "vectors", Rotate(), ("k",), part="k"),
    )
    matched = ("q_rotated", "k_rotated") if rotary else ("q", "k")
    scored = {KEYS_FIRST: "scores_keys_first", COSINE: "scores_cosine"}.get(what_if.get(SCORES))
    product = Product(transposed=True, cosine=what_if.get(SCORES) == COSINE, typed=what_if.typed)
    axis = what_if.get(SOFTMAX)
    weighted = (
        _stage("scores", "S", "query", "key", "scores", product,
               matched[::-1] if what_if.get(SCORES) == KEYS_FIRST else matched,
               told=scored or ("scores_turned" if rotary else "")),
        *[_stage(MASK, "M", "query", "key", "mask")] * mask,
        *(_by_distance(distances, head, early, n_kept) if distances else ()),
        _stage("scaled_scores", "S′", "query", "key", "scores",
               Scale(d_k if scale else None, temperature, mask_use == FACTOR),
               ("scores", DISTANCE_BIAS) if distances else ("scores", MASK)[: 1 + early],
               told="scaled_scores_biased" if distances else ""),
        _stage("attention_weights", "A", "query", "key", "attention", Softmax(mask_use == SHARED, axis or ROWS),
               ("scaled_scores", MASK)[: 1 + late],
               told=f"attention_weights_{'zeroed' if late and mask_use == ZEROED else axis}".removesuffix("_")),
    )  # fmt: skip
    return (
        *(turned if rotary else ()),
        *(_weighted_linearly(matched, mask) if linear else weighted),
        _stage("context", "C", "query", "feature", "vectors", Product(), ("attention_weights", "v"), part="v"),
    )  # fmt: skip


def _weighted_linearly(matched: tuple[str, str], mask: bool) -> tuple[Stage, ...]:
    """Return the stages up to the weights of linear attention: queries and keys are mapped, and no softmax is taken.

    Source: Katharopoulos et al. 2020, Transformers are RNNs, sections 3.2 and 3.3.
    """
    mapped = ("phi_q", "phi_k")
    return (
        _stage("phi_q", "φ(Q)", "query", "feature", "vectors", FeatureMap(), matched[:1], part="q"),
        _stage("phi_k", "φ(K)", "key", "feature", "vectors", FeatureMap(), matched[1:], part="k"),
        _stage("scores", "S", "query", "key", "scores", Product(transposed=True), mapped, told="scores_linear"),
        *[_stage(MASK, "M", "query", "key", "mask")] * mask,
        _stage("scaled_scores", "S′", "query", "key", "scores", Scale(), ("scores",), told="scaled_scores_linear"),
        _stage("attention_weights", "A", "query", "key", "attention", Share(), ("scaled_scores", MASK)[: 1 + mask],
               told="attention_weights_linear"),
    )  # fmt: skip


def _by_distance(kind: str, head: int, masked: bool, n_kept: int) -> tuple[Stage, ...]:
    """Return the numbers by distance, which ALiBi prescribes and T5 learns, and the bias that a head makes of its row,
    with the mask in it."""
    learned = kind != "alibi"
    return (
        _stage(BY_DISTANCE, "D", "feature", "distance", "projections" if learned else "inputs",
               told="" if learned else "by_distance_alibi"),
        _stage(DISTANCE_BIAS, "B", "query", "key", "scores", Relative(head, n_kept),
               (BY_DISTANCE, MASK)[: 1 + masked]),
    )  # fmt: skip


def _normed(name: str, symbol: str, number: int) -> tuple[Stage, ...]:
    """Return the gain and the offset of a layer norm, and what it makes of the matrix of this name."""
    gain, offset = f"gamma_{number}", f"beta_{number}"
    return (
        _stage(gain, f"γ{lowered(number)}", "feature", "feature", "projections", is_vector=True, told="gamma"),
        _stage(offset, f"β{lowered(number)}", "feature", "feature", "projections", is_vector=True, told="beta"),
        _stage(f"{name}_norm", symbol, "token", "feature", "vectors", LayerNorm(), (name, gain, offset)),
    )


def _residual(number: int, before: str, made: str) -> Stage:
    return _stage(
        f"residual_{number}", f"R{lowered(number)}", "token", "feature", "vectors", Add(), (before, made)
    )  # fmt: skip


@lru_cache(maxsize=2)
def residual_table(source: str = "output") -> Table:
    """Return the sum of X and what attention makes of it, "output" or "context", without any layer norm."""
    return _table(_residual(1, "x", source))


def _output(b_o: bool) -> tuple[Stage, ...]:
    bias = _stage("b_o", "b_o", "feature", "feature", "projections", is_vector=True)
    return (
        _stage("w_o", "W_o", "feature", "feature", "projections"),
        *[bias] * b_o,
        _stage("output", "O", "token", "feature", "vectors", Product(), ("context", "w_o", "b_o")[: 2 + b_o]),
    )


@lru_cache(maxsize=16)
def feed_forward_table(
    *, b_1: bool = True, b_2: bool = True, activation: str = "relu", source: str = "context"
) -> Table:
    """Return the stages of the step after attention: two layers, for each token alone; `source` is what goes in.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.3; "gelu" is Hendrycks and Gimpel 2016.
    """
    layers = [("w_1", False), *[("b_1", True)] * b_1, ("w_2", False), *[("b_2", True)] * b_2]
    curve = ACTIVATIONS[activation]
    known = {"context": ("C", "query"), "output": ("O", "token"), "residual_1": ("R₁", "token"),
             "residual_1_norm": ("R₁′", "token")}  # fmt: skip
    symbol, rows = known[source]
    return _table(
        _stage(source, symbol, rows, "feature", "vectors", part="v" if source == "context" else ""),
        *(
            _stage(name, name.capitalize() if not vector else name, "feature", "feature", "projections",
                   is_vector=vector)
            for name, vector in layers
        ),
        _stage("preactivations", "Z", "token", "feature", "vectors", Product(), (source, "w_1", "b_1")[: 2 + b_1],
               told=f"preactivations_{activation}"),
        _stage("hidden", "H", "token", "feature", "vectors", curve, ("preactivations",), told=f"hidden_{activation}"),
        _stage("feed_forward", "F", "token", "feature", "vectors", Product(), ("hidden", "w_2", "b_2")[: 2 + b_2]),
    )  # fmt: skip


def followed_by(first: Table, second: Table) -> Table:
    """Return a table that goes on with another, whose given matrices the first has made."""
    return MappingProxyType({**first, **{name: stage for name, stage in second.items() if name not in first}})


# Several heads: each is a table of its own within the table, its names behind a path.

HEADS = "heads"


def head_name(head: int, name: str) -> str:
    """Return the name of a matrix of one of several heads.

    >>> head_name(1, "scores")
    'heads.1.scores'
    """
    return f"{HEADS}.{head}.{name}"


@dataclass(frozen=True)
class Heads:
    """How many heads there are, how many of keys and values, and how wide Q and the context are for all together.

    >>> Heads(4, 2, 8, 12).columns(3)
    {'q': (6, 8), 'k': (2, 4), 'v': (3, 6), 'context': (9, 12)}
    """

    n: int = 1
    n_kv: int = 1
    d_k: int = 1
    d_v: int = 1

    def columns(self, head: int) -> dict[str, tuple[int, int]]:
        """Return which columns of Q, K, V and the context belong to a head: from the first, up to the second."""
        shared = head * self.n_kv // self.n  # several heads of queries read the same keys and values
        places = {"q": (head, self.d_k), "k": (shared, self.d_k), "v": (shared, self.d_v), "context": (head, self.d_v)}
        return {name: (i * width // self.n, (i + 1) * width // self.n) for name, (i, width) in places.items()}


def _head(
    head: int, heads: Heads, scale: bool, temperature: float, mask: bool, rotary: bool, mask_use: str, distances: str,
    what_if: WhatIf, linear: bool, n_kept: int,
) -> tuple[Stage, ...]:  # fmt: skip
    """Return the stages of one head, whose names are those of attention behind its path."""
    columns = heads.columns(head)
    mixed = bool(what_if.get(CUT))  # then rows are of other tokens than their places say, and no key is a query's own
    cut = tuple(_cut(name, columns[name], heads.n if name == "q" else heads.n_kv, what_if) for name in _PARTS)
    attending = (
        replace(stage, sources=tuple(name if name in OF_ALL else head_name(head, name) for name in stage.sources))
        for stage in _attending(
            heads.d_k // heads.n, scale, temperature, mask, rotary, mask_use, distances, head, what_if, linear, n_kept
        )
        if stage.name not in OF_ALL  # one for all heads
    )
    return tuple(
        replace(
            stage, name=head_name(head, stage.name), title=say("stages.head.title", title=stage.title, head=head),
            head=head, owners=(heads.n, head) if mixed else OWN_ROWS, own_from=None if mixed else stage.own_from,
            first=0 if mixed and stage.name != "context"
            else columns.get(stage.name.removesuffix("_rotated").removeprefix("phi_"), (0, 0))[0],
        )
        for stage in (*cut, *attending)
    )  # fmt: skip


_PARTS: tuple[Literal["q", "k", "v"], ...] = ("q", "k", "v")


def _cut(name: Literal["q", "k", "v"], columns: tuple[int, int], n: int, what_if: WhatIf) -> Stage:
    """Return what a head gets of Q, K or V, which n heads share out: its columns, or what one view alone makes."""
    symbol, rows = {"q": ("Q", "query"), "k": ("K", "key"), "v": ("V", "token")}[name]
    if what_if.get(CUT):
        at = columns[0] // (columns[1] - columns[0])
        return _stage(name, f"{symbol}″", rows, "feature", "vectors", Recut(n, at), (name,), part=name,
                      told=f"{name}_recut")  # fmt: skip
    return _stage(name, symbol, rows, "feature", "vectors", Slice(*columns), (name,), part=name)


def _concatenated(n_heads: int) -> Stage:
    sources = tuple(head_name(head, "context") for head in range(n_heads))
    return _stage("context", "C", "query", "feature", "vectors", Concatenate(), sources, part="v")


@lru_cache(maxsize=512)
def layer_table(
    d_k: int = 1,
    *,
    biases: tuple[str, ...] = BIASES,
    scale: bool = True,
    temperature: float = 1.0,
    mask: bool = False,
    mask_use: str = ADDED,
    positions: bool = False,
    n_heads: int = 1,
    n_kv_heads: int = 1,
    d_v: int = 1,
    output: bool = False,
    b_o: bool = True,
    rotary: bool = False,
    norm: str = "none",
    activation: str | None = None,
    distances: str = "",
    factor: bool = False,
    what_if: str = "",
    linear: bool = False,
    reads: str = ITSELF,
    n_kept: int = 0,
) -> Table:
    """Return the stages of self-attention as :func:`attention_table` does: with `n_heads` over 1 those of each head,
    which share `d_k` and `d_v` columns, with `rotary` those of queries and keys turned by their places, with `output`
    those of W_o, and with an `activation` those of a feed-forward step after it. A `norm` "sums", "pre" or "post" makes
    a block of these: what goes in is added to what comes out, and with "pre" or "post" layer norms stand before or
    after. With `distances` "alibi" or "relative" a number for each distance of two tokens is added to their scores.
    With a `factor` the vectors of the tokens are multiplied by √d_in first.
    `what_if` are switches of :mod:`attnviz.core.what_if`.
    Where it's `linear`, a feature map stands in place of the softmax. Where a "second" sentence is read, keys and
    values are made of Y, as the output of an encoder is: no layer norm of this layer goes over it. Where the `n_kept`
    tokens of a "kept" one are read, too, they are made of Y with X below it.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.2.2, and 3.2.3 for a second sentence; for
    `n_kv_heads` below `n_heads`, Ainslie et al. 2023, GQA, section 2.2.

    >>> list(layer_table(2, activation="gelu"))[-3:]
    ['preactivations', 'hidden', 'feed_forward']
    """
    on = WhatIf.read(what_if)
    if n_heads == 1:
        attention: tuple[Stage, ...] = _attending(
            d_k, scale, temperature, mask, rotary, mask_use, distances, what_if=on, linear=linear, n_kept=n_kept
        )
    else:
        heads = Heads(n_heads, n_kv_heads, d_k, d_v)
        each = (
            _head(head, heads, scale, temperature, mask, rotary, mask_use, distances, on, linear, n_kept)
            for head in range(n_heads)
        )
        shared = [
            stage for stage in _attending(d_k, scale, temperature, mask, rotary, mask_use, distances)
            if stage.name in OF_ALL
        ]  # fmt: skip
        attention = (*shared, *(stage for one in each for stage in one), _concatenated(n_heads))
    made = "output" if output else "context"
    first = _projected(biases, positions, norm == "pre", factor, on, reads)
    table = _table(*first, *attention, *(_output(b_o) if output else ()))
    goes_in = made
    if norm != "none":
        added = _residual(1, "x", made)
        unnormed = norm == "sums" or (norm == "pre" and activation is None)
        goes_in = "residual_1" if unnormed else "residual_1_norm"
        normed = _normed("residual_1", "R₁′", 2 if norm == "pre" else 1) if goes_in == "residual_1_norm" else ()
        table = followed_by(table, _table(added, *normed))
    if activation is None:
        return table
    table = followed_by(table, feed_forward_table(activation=activation, source=goes_in))
    if norm == "none":
        return table
    added = _residual(2, goes_in if norm == "post" else "residual_1", "feed_forward")
    return followed_by(table, _table(added, *(_normed("residual_2", "R₂′", 2) if norm == "post" else ())))


STAGES: Table = attention_table()
EVERY_STAGE: Table = followed_by(
    layer_table(positions=True, output=True, mask=True), followed_by(residual_table(), feed_forward_table())
)
# What any computation of one head may have, to name it: not all of these go together.
ALL_STAGES: Table = followed_by(
    EVERY_STAGE,
    {
        **layer_table(rotary=True, norm="pre", activation="relu", distances="relative"),
        **layer_table(norm="post", activation="relu"),
        **{name: stage for name, stage in layer_table(positions=True, factor=True).items() if name == E_SCALED},
        **{name: stage for name, stage in layer_table(linear=True).items() if name.startswith("phi_")},
        Y: layer_table(reads=SECOND)[Y],
        **{name: stage for name, stage in layer_table(reads=KEPT, norm="pre").items() if name in (JOINED, f"{Y}_norm")},
    },
)
VECTORS = tuple(name for name, stage in ALL_STAGES.items() if stage.is_vector)


def pictured(table: Table) -> tuple[tuple[str, ...], ...]:
    """Return the matrices in the order of a page, in groups: each that comes in or is computed, behind the learned ones
    that it is made with.

    >>> pictured(attention_table(biases=("b_q",)))[:4]
    (('x',), ('w_q', 'b_q', 'q'), ('w_k', 'k'), ('w_v', 'v'))
    """
    return tuple(
        (*(source for source in stage.sources if table[source].origin == "learned"), name)
        for name, stage in table.items()
        if stage.origin != "learned"
    )


def formula_of(name: str, table: Table) -> str:
    """Return the formula of a stage in symbols; of a given one, its own symbol.

    >>> formula_of("scaled_scores", attention_table(2, temperature=2.0, mask=True))
    'Q Kᵀ / (√d_k · 2) + M'
    >>> formula_of("q", attention_table(2))
    'X W_q + b_q'
    """
    stage = table[name]
    if stage.rule is None:
        return stage.symbol
    spelt_out = stage.rule.spells_sources
    return stage.rule.formula(
        *(formula_of(source, table) if spelt_out else _symbol_in(stage, table[source]) for source in stage.sources)
    )


def _symbol_in(stage: Stage, source: Stage) -> str:
    """Return the symbol of a source; of one of several heads with its number, where the stage is made of them all."""
    return source.symbol if source.head is None or stage.head is not None else f"{source.symbol}{lowered(source.head)}"
