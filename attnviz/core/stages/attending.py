"""The stages from Q, K and V to the context vectors, which every head has for itself."""

from dataclasses import dataclass, field

from attnviz.core.masks import ADDED, FACTOR, LATE, SHARED, ZEROED
from attnviz.core.rules import FeatureMap, Product, Relative, Rotate, Scale, Share, Softmax
from attnviz.core.rules.lines import ROWS
from attnviz.core.stages.names import BY_DISTANCE, DISTANCE_BIAS, MASK
from attnviz.core.stages.stage import Stage, row
from attnviz.core.what_if import COSINE, CUT, KEYS_FIRST, SCORES, SOFTMAX, WhatIf


@dataclass(frozen=True)
class Attending:
    """How queries read keys and values, which all heads of a layer do alike.

    So many keys were kept (`n_kept`), which stand before the first query's own.
    """

    scale: bool = True
    temperature: float = 1.0
    mask: bool = False
    mask_use: str = ADDED
    rotary: bool = False
    distances: str = ""
    what_if: WhatIf = field(default_factory=WhatIf)
    linear: bool = False
    n_kept: int = 0

    def stages(self, d_k: int, head: int = 0) -> tuple[Stage, ...]:
        """Return the stages of one head, the mask and the numbers by distance among them."""
        matched = ("q_rotated", "k_rotated") if self.rotary else ("q", "k")
        return (
            *(self._turned() if self.rotary else ()),
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
        early, late = (self.mask and (self.mask_use in uses) for uses in ((ADDED, FACTOR), LATE))
        scores = self.what_if.get(SCORES)
        scored = {KEYS_FIRST: "scores_keys_first", COSINE: "scores_cosine"}.get(scores)
        usual = "scores_turned" if self.rotary else "scores_recut" if self.what_if.get(CUT) else ""
        product = Product(transposed=True, cosine=scores == COSINE, typed=self.what_if.typed)
        axis = self.what_if.get(SOFTMAX)
        factors = matched[::-1] if scores == KEYS_FIRST else matched
        return (
            row("scores", "S", "query", "key", "scores", product, factors,
                told=scored or usual, product=product.formula(*(self._symbol(name) for name in factors))),
            *self._mask(),
            *(self._by_distance(head, early) if self.distances else ()),
            row("scaled_scores", "S′", "query", "key", "scores",
                Scale(d_k if self.scale else None, self.temperature, self.mask_use == FACTOR),
                ("scores", DISTANCE_BIAS) if self.distances else ("scores", MASK)[: 1 + early],
                told="scaled_scores_biased" if self.distances else ""),
            row("attention_weights", "A", "query", "key", "attention",
                Softmax(self.mask_use == SHARED, axis or ROWS), ("scaled_scores", MASK)[: 1 + late],
                told=f"attention_weights_{'zeroed' if late and self.mask_use == ZEROED else axis}".removesuffix("_")),
        )  # fmt: skip

    def _weighted_linearly(self, matched: tuple[str, str]) -> tuple[Stage, ...]:
        """Return the stages up to the weights of linear attention: queries and keys are mapped, and no softmax is
        taken.

        Source: Katharopoulos et al. 2020, Transformers are RNNs, sections 3.2 and 3.3.
        """
        mapped, product = ("phi_q", "phi_k"), Product(transposed=True)
        return (
            row("phi_q", "φ(Q)", "query", "feature", "vectors", FeatureMap(), matched[:1], part="q"),
            row("phi_k", "φ(K)", "key", "feature", "vectors", FeatureMap(), matched[1:], part="k"),
            row("scores", "S", "query", "key", "scores", product, mapped, told="scores_linear",
                product=product.formula("φ(Q)", "φ(K)")),
            *self._mask(),
            row("scaled_scores", "S′", "query", "key", "scores", Scale(), ("scores",), told="scaled_scores_linear"),
            row("attention_weights", "A", "query", "key", "attention", Share(),
                ("scaled_scores", MASK)[: 1 + self.mask], told="attention_weights_linear"),
        )  # fmt: skip

    def _symbol(self, matched: str) -> str:
        """Return the symbol of the queries or keys of this name, as their stage has it."""
        turned, cut = matched.endswith("_rotated"), bool(self.what_if.get(CUT))
        return f"{matched[0].upper()}{'′' if turned else '″' if cut else ''}"

    def _mask(self) -> tuple[Stage, ...]:
        used = "_linear" if self.linear else {ADDED: "", FACTOR: "_factor"}.get(self.mask_use, "_late")
        return (row(MASK, "M", "query", "key", "mask", told=f"mask{used}"),) * self.mask

    def _by_distance(self, head: int, masked: bool) -> tuple[Stage, ...]:
        """Return the numbers by distance, which ALiBi prescribes and T5 learns, and the bias that a head makes of its
        row, with the mask in it."""
        learned = self.distances != "alibi"
        return (
            row(BY_DISTANCE, "D", "feature", "distance", "projections" if learned else "inputs",
                told="" if learned else "by_distance_alibi"),
            row(DISTANCE_BIAS, "B", "query", "key", "scores", Relative(head, self.n_kept),
                (BY_DISTANCE, MASK)[: 1 + masked]),
        )  # fmt: skip
