"""The table of stages: what each matrix of self-attention is called and what it is made of.

Everything that names a matrix, draws it or explains it reads this table. The five rules are
"product" (of the first source and the second, plus the bias where there is one), "scale" (divide,
then mask), "softmax" (of each row), "relu" (negative numbers become 0), and "given" (an input).
``attend`` and ``feed_forward`` compute the same in plain torch.
"""

from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from attnviz.words import say

Rule = Literal["given", "product", "scale", "softmax", "relu"]


@dataclass(frozen=True)
class Stage:
    """One matrix: its field in the trace, its name and formula on screen, and what it is made of.

    `plain` says in one sentence what it is, `axes` what its rows and columns are, `meaning` what it is in few words.
    `rows` and `columns` say what a row and a column stand for: "token", "query", "key" or "feature".
    With `transposed`, the second source of a product is transposed. `colours` names the family of
    matrices that share their colour limits.
    """

    name: str
    symbol: str
    title: str
    rule: Rule
    formula: str
    plain: str
    axes: str
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


def _stage(name: str, symbol: str, rule: Rule, formula: str, *kinds: Any, **more: Any) -> Stage:
    """Return a stage with what the catalogue says of it."""
    title, plain, axes, meaning = (say(f"stages.{name}.{key}") for key in ("title", "plain", "axes", "meaning"))
    return Stage(name, symbol, title, rule, formula, plain, axes, meaning, *kinds, **more)


_STAGES = (
    _stage("x", "X", "given", "X", "token", "feature", "inputs"),
    _stage("w_q", "W_q", "given", "W_q", "feature", "feature", "projections"),
    _stage("w_k", "W_k", "given", "W_k", "feature", "feature", "projections"),
    _stage("w_v", "W_v", "given", "W_v", "feature", "feature", "projections"),
    _stage("b_q", "b_q", "given", "b_q", "feature", "feature", "projections"),
    _stage("b_k", "b_k", "given", "b_k", "feature", "feature", "projections"),
    _stage("b_v", "b_v", "given", "b_v", "feature", "feature", "projections"),
    _stage("q", "Q", "product", "X W_q", "query", "feature", "vectors", ("x", "w_q"), bias="b_q"),
    _stage("k", "K", "product", "X W_k", "key", "feature", "vectors", ("x", "w_k"), bias="b_k"),
    _stage("v", "V", "product", "X W_v", "token", "feature", "vectors", ("x", "w_v"), bias="b_v"),
    _stage("scores", "S", "product", "Q Kᵀ", "query", "key", "scores", ("q", "k"), transposed=True),
    _stage("scaled_scores", "S′", "scale", "Q Kᵀ / √d_k", "query", "key", "scores", ("scores",)),
    _stage("attention_weights", "A", "softmax", say("stages.formula.softmax"), "query", "key", "attention",
           ("scaled_scores",)),
    _stage("context", "C", "product", "A V", "query", "feature", "vectors", ("attention_weights", "v")),
)  # fmt: skip

# The step after attention: two layers, for each token alone.
_FEED_FORWARD = (
    _stage("w_1", "W_1", "given", "W_1", "feature", "feature", "projections"),
    _stage("b_1", "b_1", "given", "b_1", "feature", "feature", "projections"),
    _stage("w_2", "W_2", "given", "W_2", "feature", "feature", "projections"),
    _stage("b_2", "b_2", "given", "b_2", "feature", "feature", "projections"),
    _stage("preactivations", "Z", "product", "C W_1", "token", "feature", "vectors", ("context", "w_1"), bias="b_1"),
    _stage("hidden", "H", "relu", "max(0, Z)", "token", "feature", "vectors", ("preactivations",)),
    _stage("output", "F", "product", "H W_2", "token", "feature", "vectors", ("hidden", "w_2"), bias="b_2"),
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
    undivided = {0: say("stages.formula.undivided"), 1: f"Q Kᵀ / {divisors[0] if divisors else ''}"}
    formula = undivided.get(len(divisors), f"Q Kᵀ / ({' · '.join(divisors)})")
    return say("stages.formula.masked", formula=formula) if causal else formula
