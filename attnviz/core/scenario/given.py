"""What a scenario says: its fields."""

from dataclasses import dataclass, fields
from typing import Any

from attnviz.core.matrix_input import NO_EDITS, Edits
from attnviz.core.stages import EDITABLE, ITSELF


@dataclass(frozen=True)
class Given:
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
    scale: bool = True
    temperature: float = 1.0
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
    weighting: str = "softmax"
    what_if: str = ""
    reads: str = ITSELF
    second: str = "Deine Reise beginnt heute"
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
        """Return its fields: what was made of them is made again by whoever gets a copy."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


# Its fields but for the matrices and what lies over them.
SETTINGS = tuple(each.name for each in fields(Given) if each.name not in (*EDITABLE, "deeper", "edits"))
