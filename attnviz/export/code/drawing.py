"""How an exported script draws projections and layers, in the order of PyTorch's numbers."""

from collections.abc import Mapping
from typing import NamedTuple

from attnviz.core.scenario import Scenario
from attnviz.core.seeding import INITIALIZATIONS
from attnviz.core.stages import BIASES, LAYERS, OUTPUT

_WEIGHTS = ("w_q", "w_k", "w_v")


class Widths(NamedTuple):
    """How wide the matrices are, as the script writes it; `drawn_v` as the set-up draws W_v, which may be replaced."""

    q: str
    k: str
    drawn_v: str
    context: str


def widths_of(scenario: Scenario) -> Widths:
    """Return the widths of Q, K, V and the context, of all heads together, as the script writes them."""
    widths = Widths("d_k", "d_k", "d_v", "d_v")
    if scenario.n_heads > 1:
        widths = Widths("n_heads * d_k", "n_kv_heads * d_k", "n_kv_heads * d_v", "n_heads * d_v")
    is_drawn = scenario.drawn_d_v == scenario.shape_of("w_v")[1]
    return widths if is_drawn else widths._replace(drawn_v=str(scenario.drawn_d_v))


class Drawn(NamedTuple):
    """A matrix that is drawn, and its bias, by their names; `size` is that of the matrix, as the script writes it."""

    w: str
    b: str | None
    size: tuple[str, str]


def drawn_matrices(scenario: Scenario) -> list[Drawn]:
    """Return what is drawn for one layer, in the order of PyTorch's numbers."""
    widths = widths_of(scenario)
    biases = BIASES if scenario.bias else (None, None, None)
    drawn = [Drawn(w, b, ("d_in", width)) for w, b, width in zip(_WEIGHTS, biases, widths[:3], strict=True)]
    if scenario.output:
        drawn.append(Drawn(*OUTPUT, (widths.context, widths.context)))
    if scenario.d_ff is not None:
        drawn += [Drawn(*LAYERS[:2], (widths.context, "d_ff")), Drawn(*LAYERS[2:], ("d_ff", widths.context))]
    return drawn


def drawn_lines(scenario: Scenario, only: str | None = None) -> list[str]:
    """Return the lines that draw all projections and layers, and keep all or one."""
    drawn = drawn_matrices(scenario)
    if only is not None:  # what is drawn later changes nothing
        drawn = drawn[: 1 + next(i for i, each in enumerate(drawn) if only in each)]
    write = _as_layer if INITIALIZATIONS[scenario.init].as_layer else _as_matrices
    return [line for each in drawn for line in write(scenario, each, only)]


def together(made: Mapping[str, str]) -> list[str]:
    """Return one line that makes all of these, each by its expression.

    >>> together({"w_q": "torch.rand(3, 2)", "b_q": "torch.zeros(2)"})
    ['w_q, b_q = torch.rand(3, 2), torch.zeros(2)']
    """
    return [f"{', '.join(made)} = {', '.join(made.values())}"] if made else []


def _as_layer(_: Scenario, drawn: Drawn, only: str | None) -> list[str]:
    linear = f"linear_{drawn.w[-1]}"
    made = {drawn.w: f"{linear}.weight.detach().T.contiguous()"}
    if drawn.b is not None:
        made[drawn.b] = f"{linear}.bias.detach()"
    bias = ", bias=False" if drawn.b is None else ""
    return [
        f"{linear} = torch.nn.Linear({', '.join(drawn.size)}{bias})",
        *together({name: by for name, by in made.items() if only in (None, name)}),
    ]


def _as_matrices(scenario: Scenario, drawn: Drawn, only: str | None) -> list[str]:
    made = {drawn.w if only in (None, drawn.w) else "_": INITIALIZATIONS[scenario.init].code(*drawn.size)}
    if drawn.b is not None and only in (None, drawn.b):
        made[drawn.b] = f"torch.zeros({drawn.size[1]})"
    return together(made)
