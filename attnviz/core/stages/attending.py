"""The stages from Q, K and V to the context vectors."""

from dataclasses import dataclass, field, replace
from typing import Literal

from attnviz.core.limits import Kinds
from attnviz.core.masks import Masked
from attnviz.core.rules import Concatenate, FeatureMap, Product, Recut, Relative, Rotate, Scale, Share, Slice, Softmax
from attnviz.core.rules.stage import OWN_ROWS, Stage
from attnviz.core.seeding import POSITIONS, Position
from attnviz.core.stages.names import BY_DISTANCE, DISTANCE_BIAS, MASK, OF_ALL, head_name, row
from attnviz.core.what_if import WhatIf


@dataclass(frozen=True)
class Weighting:
    """What turns scores into shares."""

    name: str
    linear: bool = False  # each row over its sum, with a feature map of queries and keys


# Linear: Katharopoulos et al. 2020, Transformers are RNNs.
WEIGHTINGS: Kinds[Weighting] = Kinds("weighting", (Weighting("softmax"), Weighting("linear", linear=True)))


@dataclass(frozen=True)
class Attending:
    """How queries read keys and values in all heads of a layer.

    `n_kept` keys stand before the first query's own.
    """

    scale: bool = True
    temperature: float = 1.0
    mask: Masked | None = None
    positions: Position = POSITIONS["none"]
    what_if: WhatIf = field(default_factory=WhatIf)
    linear: bool = False
    n_kept: int = 0

    def stages(self, d_k: int, head: int = 0) -> tuple[Stage, ...]:
        """Return one head's stages, with its mask and numbers by distance."""
        matched = ("q_rotated", "k_rotated") if self.positions.turns else ("q", "k")
        return (
            *(self._turned() if self.positions.turns else ()),
            *(self._weighted_linearly(matched) if self.linear else self._weighted(matched, d_k, head)),
            row("context", "C", "query", "feature", "vectors", Product(), ("attention_weights", "v"), part="v"),
        )

    def _turned(self) -> tuple[Stage, ...]:
        return (
            row("q_rotated", "Q′", "query", "feature", "vectors", Rotate(place=self.n_kept), ("q",), part="q"),
            row("k_rotated", "K′", "key", "feature", "vectors", Rotate(), ("k",), part="k"),
        )

    def _weighted(self, matched: tuple[str, str], d_k: int, head: int) -> tuple[Stage, ...]:
        """Return the stages from the scores to the attention weights."""
        late = self.mask is not None and self.mask.use.late
        early, use = self.mask is not None and not late, self.mask.use if self.mask else None
        distances = self.positions.biases
        return (
            row("scores", "S", "query", "key", "scores", Product(transposed=True), matched, what_if=self.what_if,
                told="scores_turned" if self.positions.turns else "",
                symbols={name: self._symbol(name) for name in matched}),
            *self._mask(),
            *(self._by_distance(head, early) if distances else ()),
            row("scaled_scores", "S′", "query", "key", "scores",
                Scale(d_k if self.scale else None, self.temperature, use is not None and use.times_scores),
                ("scores", DISTANCE_BIAS) if distances else ("scores", MASK)[: 1 + early], what_if=self.what_if,
                told="scaled_scores_biased" if distances else ""),
            row("attention_weights", "A", "query", "key", "attention",
                Softmax(use is not None and use.shared), ("scaled_scores", MASK)[: 1 + late], what_if=self.what_if,
                told="attention_weights_zeroed" if late and use and not use.shared else ""),
        )  # fmt: skip

    def _weighted_linearly(self, matched: tuple[str, str]) -> tuple[Stage, ...]:
        """Return linear attention's stages up to its weights, without a softmax.

        Source: Katharopoulos et al. 2020, Transformers are RNNs, sections 3.2 and 3.3.
        """
        mapped = ("phi_q", "phi_k")
        return (
            row("phi_q", "φ(Q)", "query", "feature", "vectors", FeatureMap(), matched[:1], part="q"),
            row("phi_k", "φ(K)", "key", "feature", "vectors", FeatureMap(), matched[1:], part="k"),
            row("scores", "S", "query", "key", "scores", Product(transposed=True), mapped, told="scores_linear",
                symbols={"phi_q": "φ(Q)", "phi_k": "φ(K)"}),
            *self._mask(),
            row("scaled_scores", "S′", "query", "key", "scores", Scale(), ("scores",), told="scaled_scores_linear"),
            row("attention_weights", "A", "query", "key", "attention", Share(),
                ("scaled_scores", MASK)[: 1 + (self.mask is not None)], told="attention_weights_linear"),
        )  # fmt: skip

    def _symbol(self, matched: str) -> str:
        """Return the symbol of these queries or keys."""
        turned = matched.endswith("_rotated")
        return f"{matched[0].upper()}{'′' if turned else '″' if self.what_if.by_view else ''}"

    def _mask(self) -> tuple[Stage, ...]:
        if self.mask is None:
            return ()
        told = f"mask{'_linear' if self.linear else self.mask.use.told}"
        return (row(MASK, "M", "query", "key", "mask", told=told, masked=self.mask),)

    def _by_distance(self, head: int, masked: bool) -> tuple[Stage, ...]:
        """Return the numbers by distance, and a head's bias made of them."""
        learned = self.positions.own_seed is not None
        return (
            row(BY_DISTANCE, "D", "feature", "distance", "projections" if learned else "inputs",
                told="" if learned else f"by_distance_{self.positions.name}"),
            row(DISTANCE_BIAS, "B", "query", "key", "scores", Relative(head, self.n_kept),
                (BY_DISTANCE, MASK)[: 1 + masked]),
        )  # fmt: skip


_PARTS: tuple[Literal["q", "k", "v"], ...] = ("q", "k", "v")


@dataclass(frozen=True)
class Heads:
    """How many heads there are, and how wide all are together.

    >>> Heads(4, 2, 8, 12).columns(3)
    {'q': (6, 8), 'k': (2, 4), 'v': (3, 6), 'context': (9, 12)}
    """

    n: int = 1
    n_kv: int = 1
    d_k: int = 1
    d_v: int = 1

    def columns(self, head: int) -> dict[str, tuple[int, int]]:
        """Return a head's columns of Q, K, V and context, ``(start, stop)``."""
        shared = head * self.n_kv // self.n  # several heads of queries read the same keys and values
        places = {"q": (head, self.d_k), "k": (shared, self.d_k), "v": (shared, self.d_v), "context": (head, self.d_v)}
        return {name: (i * width // self.n, (i + 1) * width // self.n) for name, (i, width) in places.items()}

    def stages(self, how: Attending) -> tuple[Stage, ...]:
        """Return the stages from Q, K and V to all heads' contexts."""
        if self.n == 1:
            return how.stages(self.d_k)
        shared = (stage for stage in how.stages(self.d_k) if stage.name in OF_ALL)
        each = (stage for head in range(self.n) for stage in self._head(head, how))
        contexts = tuple(head_name(head, "context") for head in range(self.n))
        together = row("context", "C", "query", "feature", "vectors", Concatenate(), contexts, part="v")
        return (*shared, *each, together)

    def _head(self, head: int, how: Attending) -> tuple[Stage, ...]:
        """Return one head's stages, named as attention's behind its path."""
        columns = self.columns(head)
        mixed = how.what_if.by_view  # then rows are of other tokens than their places say, no key a query's own
        cut = tuple(_cut(name, columns[name], self.n if name == "q" else self.n_kv, how.what_if) for name in _PARTS)
        attending = (
            replace(stage, sources=tuple(name if name in OF_ALL else head_name(head, name) for name in stage.sources))
            for stage in how.stages(self.d_k // self.n, head)
            if stage.name not in OF_ALL  # one for all heads
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
                own_from=None if mixed else stage.own_from,
                first=0 if mixed and stage.name != "context" else columns.get(named(stage), (0, 0))[0],
            )
            for stage in (*cut, *attending)
        )


def _cut(name: Literal["q", "k", "v"], columns: tuple[int, int], n: int, what_if: WhatIf) -> Stage:
    """Return one of n heads' part of Q, K or V."""
    symbol, rows = {"q": ("Q", "query"), "k": ("K", "key"), "v": ("V", "token")}[name]
    if what_if.by_view:
        at = columns[0] // (columns[1] - columns[0])
        return row(
            name, f"{symbol}″", rows, "feature", "vectors", Recut(n, at), (name,), part=name, told=f"{name}_recut"
        )
    return row(name, symbol, rows, "feature", "vectors", Slice(*columns), (name,), part=name)
