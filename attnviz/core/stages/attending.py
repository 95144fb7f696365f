"""The stages from Q, K and V to the context vectors."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from attnviz.core.given import TO_HEADS
from attnviz.core.limits import MAX_TEMPERATURE, MIN_TEMPERATURE, Kinds
from attnviz.core.masks import ADDED, Masked
from attnviz.core.rules import Concatenate, FeatureMap, Product, Recut, Relative, Rotate, Scale, Share, Slice, Softmax
from attnviz.core.rules.stage import OWN_ROWS, Stage
from attnviz.core.seeding import POSITIONS, Position
from attnviz.core.stages.names import BY_DISTANCE, DISTANCE_BIAS, MASK, head_name, row
from attnviz.core.what_if import WhatIf

Matched = tuple[str, str]  # the names of the queries and keys that are multiplied


def between(default: float | None, low: float, high: float) -> Any:
    """Return a field for a number between limits; None means off."""
    return field(default=default, metadata={"between": (low, high)})


@dataclass(frozen=True, kw_only=True)
class Scoring:
    """The settings of attention itself, which every scenario has, too.

    To add one, add a field here, and its label and help in `setup.toml`. Its type decides how it's checked, how links
    write it, and which control it has.
    """

    scale: bool = True
    temperature: float = between(1.0, MIN_TEMPERATURE, MAX_TEMPERATURE)
    weighting: str = "softmax"


@dataclass(frozen=True)
class Conflict:
    """Settings that a weighting can't be combined with."""

    refusal: str  # the key of its sentence in `refused.toml`
    facts: Callable[[Any], Mapping[str, Any] | None]  # returns the sentence's facts; None for settings that fit


@dataclass(frozen=True)
class Weighting:
    """A way to turn queries and keys into attention weights.

    - `stages`: returns the stages from the scores to the attention weights, given how a layer attends, the names of the
      queries and keys, d_k and the head.
    - `exponential`: whether an attention weight is proportional to the exponential of its score.
    - `conflicts`: the settings that it can't be combined with.
    - `mask_told`: the suffix of the key of the mask's texts, where it isn't that of the mask's use.
    """

    name: str
    stages: Callable[["Attending", Matched, int, int], tuple[Stage, ...]]
    exponential: bool = True
    conflicts: tuple[Conflict, ...] = ()
    mask_told: str = ""


def _with_softmax(how: "Attending", matched: Matched, d_k: int, head: int) -> tuple[Stage, ...]:
    """Return the stages from the scores to the attention weights."""
    late = how.mask is not None and how.mask.use.late
    early, use = how.mask is not None and not late, how.mask.use if how.mask else None
    distances = how.positions.biases
    return (
        row("scores", "S", "query", "key", "scores", Product(transposed=True), matched, what_if=how.what_if,
            told="scores_turned" if how.positions.turns else "",
            symbols={name: how.symbol(name) for name in matched}),
        *how.mask_stages(),
        *(how.by_distance(head, early) if distances else ()),
        row("scaled_scores", "S′", "query", "key", "scores",
            Scale(d_k if how.scoring.scale else None, how.scoring.temperature, use is not None and use.times_scores),
            ("scores", DISTANCE_BIAS) if distances else ("scores", MASK)[: 1 + early], what_if=how.what_if,
            told="scaled_scores_biased" if distances else ""),
        row("attention_weights", "A", "query", "key", "attention",
            Softmax(use is not None and use.shared), ("scaled_scores", MASK)[: 1 + late], what_if=how.what_if,
            told="attention_weights_zeroed" if late and use and not use.shared else ""),
    )  # fmt: skip


def _linearly(how: "Attending", matched: Matched, d_k: int, head: int) -> tuple[Stage, ...]:
    """Return linear attention's stages up to its weights, without a softmax.

    Source: Katharopoulos et al. 2020, Transformers are RNNs, sections 3.2 and 3.3.
    """
    mapped = ("phi_q", "phi_k")
    return (
        row("phi_q", "φ(Q)", "query", "feature", "vectors", FeatureMap(), matched[:1], part="q"),
        row("phi_k", "φ(K)", "key", "feature", "vectors", FeatureMap(), matched[1:], part="k"),
        row("scores", "S", "query", "key", "scores", Product(transposed=True), mapped, told="scores_linear",
            symbols={"phi_q": "φ(Q)", "phi_k": "φ(K)"}),
        *how.mask_stages(),
        row("scaled_scores", "S′", "query", "key", "scores", Scale(), ("scores",), told="scaled_scores_linear"),
        row("attention_weights", "A", "query", "key", "attention", Share(),
            ("scaled_scores", MASK)[: 1 + (how.mask is not None)], told="attention_weights_linear"),
    )  # fmt: skip


WEIGHTINGS: Kinds[Weighting] = Kinds("weighting", (
    Weighting("softmax", _with_softmax),
    # Katharopoulos et al. 2020, Transformers are RNNs.
    Weighting("linear", _linearly, exponential=False, mask_told="_linear", conflicts=(
        Conflict("linear_bias", lambda asked: {"positions": asked["positions"]}
               if POSITIONS[asked["positions"]].biases else None),
        Conflict("linear_mask", lambda asked: {"use": asked["mask_use"]} if asked["mask_use"] != ADDED else None),
        Conflict("linear_what_if", lambda asked: {"what_if": asked["what_if"]} if asked.what_if.text else None),
    )),
))  # fmt: skip


def each_scoring() -> tuple[Scoring, ...]:
    """Return scorings with each weighting, and with each optional setting's limits."""
    optional = {each.name: each.metadata["between"] for each in fields(Scoring) if each.default is None}
    return (
        *(Scoring(weighting=name) for name in WEIGHTINGS),
        *(Scoring(**{name: value}) for name, between in optional.items() for value in between),
    )


@dataclass(frozen=True)
class Attending:
    """How queries read keys and values in all heads of a layer.

    `n_memory` keys stand before the first query's own.
    """

    scoring: Scoring = field(default_factory=Scoring)
    mask: Masked | None = None
    positions: Position = POSITIONS["none"]
    what_if: WhatIf = field(default_factory=WhatIf)
    n_memory: int = 0

    @property
    def weighting(self) -> Weighting:
        """The way in which queries and keys become attention weights."""
        return WEIGHTINGS[self.scoring.weighting]

    def stages(self, d_k: int, head: int = 0) -> tuple[Stage, ...]:
        """Return one head's stages, with its mask and numbers by distance."""
        matched = ("q_rotated", "k_rotated") if self.positions.turns else ("q", "k")
        return (
            *(self._turned() if self.positions.turns else ()),
            *self.weighting.stages(self, matched, d_k, head),
            row("context", "C", "query", "feature", "vectors", Product(), ("attention_weights", "v"), part="v"),
        )

    def _turned(self) -> tuple[Stage, ...]:
        return (
            row("q_rotated", "Q′", "query", "feature", "vectors", Rotate(place=self.n_memory), ("q",), part="q"),
            row("k_rotated", "K′", "key", "feature", "vectors", Rotate(), ("k",), part="k"),
        )

    def symbol(self, matched: str) -> str:
        """Return the symbol of these queries or keys."""
        turned = matched.endswith("_rotated")
        return f"{matched[0].upper()}{'′' if turned else '″' if self.what_if.by_view else ''}"

    def mask_stages(self) -> tuple[Stage, ...]:
        """Return the mask's stage, or none."""
        if self.mask is None:
            return ()
        told = f"mask{self.weighting.mask_told or self.mask.use.told}"
        return (row(MASK, "M", "query", "key", "mask", told=told, masked=self.mask),)

    def by_distance(self, head: int, masked: bool) -> tuple[Stage, ...]:
        """Return the stages of numbers by distance, and of a head's bias."""
        learned = self.positions.own_seed is not None
        return (
            row(BY_DISTANCE, "D", "feature", "distance", "projections" if learned else "inputs",
                told="" if learned else f"by_distance_{self.positions.name}"),
            row(DISTANCE_BIAS, "B", "query", "key", "scores", Relative(head, self.n_memory),
                (BY_DISTANCE, MASK)[: 1 + masked]),
        )  # fmt: skip


_PARTS: tuple[Literal["q", "k", "v"], ...] = ("q", "k", "v")


@dataclass(frozen=True)
class Heads:
    """The number of heads, and the width of all of them together.

    >>> Heads(4, 2, 8, 12).columns(3)
    {'q': (6, 8), 'k': (2, 4), 'v': (3, 6), 'context': (9, 12)}
    """

    n: int = 1
    n_kv: int = 1
    d_k: int = 1
    d_v: int = 1

    def columns(self, head: int) -> dict[str, tuple[int, int]]:
        """Return a head's columns of Q, K, V and context, ``(start, stop)``."""
        shared = head * self.n_kv // self.n  # grouped-query attention: query heads share keys and values
        places = {"q": (head, self.d_k), "k": (shared, self.d_k), "v": (shared, self.d_v), "context": (head, self.d_v)}
        return {name: (i * width // self.n, (i + 1) * width // self.n) for name, (i, width) in places.items()}

    def stages(self, how: Attending) -> tuple[Stage, ...]:
        """Return the stages from Q, K and V to all heads' contexts."""
        if self.n == 1:
            return how.stages(self.d_k)
        shared = (stage for stage in how.stages(self.d_k) if stage.name in TO_HEADS)
        each = (stage for head in range(self.n) for stage in self._head(head, how))
        contexts = tuple(head_name(head, "context") for head in range(self.n))
        together = row("context", "C", "query", "feature", "vectors", Concatenate(), contexts, part="v")
        return (*shared, *each, together)

    def _head(self, head: int, how: Attending) -> tuple[Stage, ...]:
        """Return one head's stages, with its path before attention's own names."""
        columns = self.columns(head)
        mixed = how.what_if.by_view  # a view mixes tokens: no row is a single token's, and no key a query's own
        cut = tuple(_cut(name, columns[name], self.n if name == "q" else self.n_kv, how.what_if) for name in _PARTS)
        attending = (
            replace(stage, sources=tuple(name if name in TO_HEADS else head_name(head, name) for name in stage.sources))
            for stage in how.stages(self.d_k // self.n, head)
            if stage.name not in TO_HEADS  # all heads share these
        )
        shared = {name: self.n // (self.n_kv if name in ("k", "v") else self.n) for name in columns}

        def named(stage: Stage) -> str:
            return stage.name.removesuffix("_rotated").removeprefix("phi_")

        return tuple(
            replace(
                stage.numbered("head", head // shared.get(named(stage), 1)),
                name=head_name(head, stage.name),
                head=head,
                shared_by=shared.get(named(stage), 1),
                owners=(self.n, head) if mixed else OWN_ROWS,
                first_own_key=None if mixed else stage.first_own_key,
                first=0 if mixed and stage.name != "context" else columns.get(named(stage), (0, 0))[0],
            )
            for stage in (*cut, *attending)
        )


def _cut(name: Literal["q", "k", "v"], columns: tuple[int, int], n: int, what_if: WhatIf) -> Stage:
    """Return the stage of one of n heads' Q, K or V."""
    symbol, rows = {"q": ("Q", "query"), "k": ("K", "key"), "v": ("V", "token")}[name]
    if what_if.by_view:
        at = columns[0] // (columns[1] - columns[0])
        return row(
            name, f"{symbol}″", rows, "feature", "vectors", Recut(n, at), (name,), part=name, told=f"{name}_recut"
        )
    return row(name, symbol, rows, "feature", "vectors", Slice(*columns), (name,), part=name)
