"""The table of stages: what each matrix of self-attention is called and what it is made of.

Everything that names a matrix, draws it or explains it reads this table. The five rules are
"product" (of the first source and the second, plus the bias where there is one), "scale" (divide,
then mask), "softmax" (of each row), "relu" (negative numbers become 0), and "given" (an input).
``attend`` and ``feed_forward`` compute the same in plain torch.
"""

from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Rule = Literal["given", "product", "scale", "softmax", "relu"]


@dataclass(frozen=True)
class Stage:
    """One matrix: its field in the trace, its name and formula on screen, and what it is made of.

    `rows` and `columns` say what a row and a column stand for: "token", "query", "key" or "feature".
    With `transposed`, the second source of a product is transposed. `colours` names the family of
    matrices that share their colour limits.
    """

    name: str
    symbol: str
    title: str
    rule: Rule
    formula: str
    meaning: str
    rows: Literal["token", "query", "key", "feature"]
    columns: Literal["key", "feature"]
    colours: Literal["inputs", "projections", "vectors", "scores", "attention"]
    sources: tuple[str, ...] = ()
    bias: str | None = None
    transposed: bool = False

    @property
    def origin(self) -> Literal["input", "learned", "computed"]:
        """Whether it enters with each sentence, is learned and kept, or is computed anew for each sentence."""
        if self.rule != "given":
            return "computed"
        return "learned" if self.colours == "projections" else "input"


_STAGES = (
    Stage("x", "X", "X", "given", "X", "the input vectors, one row for each token",
          "token", "feature", "inputs"),
    Stage("w_q", "W_q", "W_q", "given", "W_q", "the projection that makes queries",
          "feature", "feature", "projections"),
    Stage("w_k", "W_k", "W_k", "given", "W_k", "the projection that makes keys",
          "feature", "feature", "projections"),
    Stage("w_v", "W_v", "W_v", "given", "W_v", "the projection that makes values",
          "feature", "feature", "projections"),
    Stage("b_q", "b_q", "b_q", "given", "b_q", "added to every query", "feature", "feature", "projections"),
    Stage("b_k", "b_k", "b_k", "given", "b_k", "added to every key", "feature", "feature", "projections"),
    Stage("b_v", "b_v", "b_v", "given", "b_v", "added to every value", "feature", "feature", "projections"),
    Stage("q", "Q", "Q, queries", "product", "X W_q", "what each token asks for",
          "query", "feature", "vectors", ("x", "w_q"), bias="b_q"),
    Stage("k", "K", "K, keys", "product", "X W_k", "what each token offers to be found by",
          "key", "feature", "vectors", ("x", "w_k"), bias="b_k"),
    Stage("v", "V", "V, values", "product", "X W_v", "what each token hands on when it is read",
          "token", "feature", "vectors", ("x", "w_v"), bias="b_v"),
    Stage("scores", "S", "Scores", "product", "Q Kᵀ", "how well each query matches each key",
          "query", "key", "scores", ("q", "k"), transposed=True),
    Stage("scaled_scores", "S′", "Scaled scores", "scale", "Q Kᵀ / √d_k", "the scores, divided and masked",
          "query", "key", "scores", ("scores",)),
    Stage("attention_weights", "A", "Attention weights", "softmax", "softmax of each row",
          "how much each query reads from each key; every row sums to 1",
          "query", "key", "attention", ("scaled_scores",)),
    Stage("context", "C", "Context vectors", "product", "A V", "each token's mix of the values it reads",
          "query", "feature", "vectors", ("attention_weights", "v")),
)  # fmt: skip

# The step after attention: two layers, for each token alone.
_FEED_FORWARD = (
    Stage("w_1", "W_1", "W_1", "given", "W_1", "the first layer", "feature", "feature", "projections"),
    Stage("b_1", "b_1", "b_1", "given", "b_1", "added by the first layer", "feature", "feature", "projections"),
    Stage("w_2", "W_2", "W_2", "given", "W_2", "the second layer", "feature", "feature", "projections"),
    Stage("b_2", "b_2", "b_2", "given", "b_2", "added by the second layer", "feature", "feature", "projections"),
    Stage("preactivations", "Z", "Z, before the ReLU", "product", "C W_1", "context vectors through the first layer",
          "token", "feature", "vectors", ("context", "w_1"), bias="b_1"),
    Stage("hidden", "H", "H, hidden", "relu", "max(0, Z)", "the same, with 0 in place of what is negative",
          "token", "feature", "vectors", ("preactivations",)),
    Stage("output", "F", "F, feed-forward output", "product", "H W_2", "the hidden vectors through the second layer",
          "token", "feature", "vectors", ("hidden", "w_2"), bias="b_2"),
)  # fmt: skip

STAGES: dict[str, Stage] = {stage.name: stage for stage in _STAGES}
FEED_FORWARD: dict[str, Stage] = {stage.name: stage for stage in _FEED_FORWARD}
EVERY_STAGE: Mapping[str, Stage] = ChainMap(FEED_FORWARD, STAGES)  # its order is that of the last, then the first
EDITABLE = ("x", "w_q", "w_k", "w_v", "b_q", "b_k", "b_v")
BIASES = ("b_q", "b_k", "b_v")
VECTORS = (*BIASES, "b_1", "b_2")  # these have no rows
PICTURED = ("x", "q", "k", "v", "scores", "scaled_scores", "attention_weights", "context")


def formula_of(stage: Stage, *, bias: bool, scale: bool, temperature: float, causal: bool) -> str:
    """Return the formula of a stage as it is computed with these settings.

    >>> formula_of(STAGES["scaled_scores"], bias=False, scale=True, temperature=2.0, causal=True)
    'Q Kᵀ / (√d_k · 2), masked'
    >>> formula_of(STAGES["q"], bias=True, scale=True, temperature=1.0, causal=False)
    'X W_q + b_q'
    """
    if stage.bias and bias:
        return f"{stage.formula} + {stage.bias}"
    if stage.rule != "scale":
        return stage.formula
    divisors = (["√d_k"] if scale else []) + ([f"{temperature:g}"] if temperature != 1 else [])
    divided = {0: "Q Kᵀ, not scaled", 1: f"Q Kᵀ / {divisors[0] if divisors else ''}"}
    formula = divided.get(len(divisors), f"Q Kᵀ / ({' · '.join(divisors)})")
    return f"{formula}, masked" if causal else formula
