"""The stages from Q, K and V to the context vectors, which every head has for itself."""

from dataclasses import dataclass, field

from attnviz.core.masks import Masked
from attnviz.core.rules import FeatureMap, Product, Relative, Rotate, Scale, Share, Softmax
from attnviz.core.seeding import POSITIONS, Position
from attnviz.core.stages.names import BY_DISTANCE, DISTANCE_BIAS, MASK
from attnviz.core.stages.stage import Stage, row
from attnviz.core.what_if import WhatIf


@dataclass(frozen=True)
class Attending:
    """How queries read keys and values, which all heads of a layer do alike.

    So many keys were kept (`n_kept`), which stand before the first query's own.
    """

    scale: bool = True
    temperature: float = 1.0
    mask: Masked | None = None
    positions: Position = POSITIONS["none"]
    what_if: WhatIf = field(default_factory=WhatIf)
    linear: bool = False
    n_kept: int = 0

    def stages(self, d_k: int, head: int = 0) -> tuple[Stage, ...]:
        """Return the stages of one head, the mask and the numbers by distance among them."""
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
        """Return the stages up to the weights of linear attention: queries and keys are mapped, and no softmax is
        taken.

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
        """Return the symbol of the queries or keys of this name, as their stage has it."""
        turned = matched.endswith("_rotated")
        return f"{matched[0].upper()}{'′' if turned else '″' if self.what_if.by_view else ''}"

    def _mask(self) -> tuple[Stage, ...]:
        if self.mask is None:
            return ()
        told = f"mask{'_linear' if self.linear else self.mask.use.told}"
        return (row(MASK, "M", "query", "key", "mask", told=told, masked=self.mask),)

    def _by_distance(self, head: int, masked: bool) -> tuple[Stage, ...]:
        """Return the numbers by distance, which ALiBi prescribes and T5 learns, and the bias that a head makes of its
        row, with the mask in it."""
        learned = self.positions.own_seed is not None
        return (
            row(BY_DISTANCE, "D", "feature", "distance", "projections" if learned else "inputs",
                told="" if learned else f"by_distance_{self.positions.name}"),
            row(DISTANCE_BIAS, "B", "query", "key", "scores", Relative(head, self.n_kept),
                (BY_DISTANCE, MASK)[: 1 + masked]),
        )  # fmt: skip
