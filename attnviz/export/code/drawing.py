"""How an exported script draws projections and layers, in the order of PyTorch's numbers."""

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
    widths = Widths("d_k", "d_k", "d_v", "d_v")
    if scenario.n_heads > 1:
        widths = Widths("n_heads * d_k", "n_kv_heads * d_k", "n_kv_heads * d_v", "n_heads * d_v")
    is_drawn = scenario.drawn_d_v == scenario.shape_of("w_v")[1]
    return widths if is_drawn else widths._replace(drawn_v=str(scenario.drawn_d_v))


def drawn_lines(scenario: Scenario, only: str | None = None) -> list[str]:
    """Return the lines that draw all projections and layers in the order of PyTorch's numbers, and keep all or one."""
    widths = widths_of(scenario)[:3]
    init = INITIALIZATIONS[scenario.init]
    if init.as_layer:
        kept = ("linear_q", "linear_k", "linear_v")
        lines = [
            f"{name} = torch.nn.Linear(d_in, {width}, bias={scenario.bias})"
            for name, width in zip(kept, widths, strict=True)
        ]
        for name, linear in zip(_WEIGHTS, kept, strict=True):
            if only in (None, name):
                lines.append(f"{name} = {linear}.weight.detach().T.contiguous()")
        for name, linear in zip(BIASES, kept, strict=True):
            if scenario.bias and only in (None, name):
                lines.append(f"{name} = {linear}.bias.detach()")
        return lines + _draw_behind(scenario, only)
    drawn = zip(_WEIGHTS, widths, strict=True)
    lines = [f"{name if only in (None, name) else '_'} = {init.code('d_in', width)}" for name, width in drawn]
    for name, width in zip(BIASES, widths, strict=True):
        if scenario.bias and only in (None, name):
            lines.append(f"{name} = torch.zeros({width})")
    return lines + _draw_behind(scenario, only)


def _draw_behind(scenario: Scenario, only: str | None) -> list[str]:
    """Return the lines that draw what stands behind the projections, where it is there and needed for `only`."""
    width = widths_of(scenario).context
    drawn = [("o", f"{width}, {width}", OUTPUT)] if scenario.output else []
    if scenario.d_ff is not None:
        drawn += [("1", f"{width}, d_ff", LAYERS[:2]), ("2", f"d_ff, {width}", LAYERS[2:])]
    last = next((i for i, (*_, names) in enumerate(drawn) if only in names), len(drawn) if only is None else -1)
    lines: list[str] = []
    for each in drawn[: last + 1]:  # what is drawn later changes nothing
        lines += _draw_layer(scenario, *each, only)
    return lines


def _draw_layer(scenario: Scenario, letter: str, size: str, names: tuple[str, ...], only: str | None) -> list[str]:
    init, (w, b) = INITIALIZATIONS[scenario.init], names
    lines: list[str] = []
    if init.as_layer:
        layer = f"linear_{letter}"
        lines.append(f"{layer} = torch.nn.Linear({size})")
        drawn = {w: f"{layer}.weight.detach().T.contiguous()", b: f"{layer}.bias.detach()"}
    else:
        drawn = {w: init.code(size), b: f"torch.zeros({size.rpartition(', ')[2]})"}
    for name, value in drawn.items():
        if only in (None, name):
            lines.append(f"{name} = {value}")
        elif name == w and not init.as_layer:
            lines.append(f"_ = {value}")
    return lines
