"""The projections and the layers in an exported script: what is drawn, and what is given in its place."""

from attnviz.core.layers import OF_TOKENS
from attnviz.core.scenario import Scenario
from attnviz.core.stages import GAINS, NORMS
from attnviz.export.code.drawing import drawn_lines, together
from attnviz.export.code.given import replaced
from attnviz.export.code.layers import in_each_layer
from attnviz.export.code.notebooks import Section


def weights(scenario: Scenario) -> list[Section]:
    """Return the sections that make every W, bias, gain and offset, drawn from the seed or given, in each layer."""
    names = [name for name in scenario.editable if name not in OF_TOKENS]
    title = "The projections" if scenario.d_ff is None else "The projections and the layers"
    given = [line for name in names if not is_drawn(scenario, name) for line in replaced(scenario, name)]
    if scenario.n_layers > 1:
        which = "all have the same matrices" if scenario.same_layers else "each has matrices of its own"
        return [(f"The layers: {which}", in_each_layer(scenario) + given)]
    lines = _norms([name for name in names if is_drawn(scenario, name)])
    if any(is_drawn(scenario, name) for name in names if name not in NORMS):
        lines += [f"torch.manual_seed({scenario.seed})", *drawn_lines(scenario)]
    return [(title, lines + given)]


def _norms(names: list[str]) -> list[str]:
    by = {name: f"torch.{'ones' if name in GAINS else 'zeros'}(d_in)" for name in names if name in NORMS}
    return [line for number in "12" for line in together({name: by[name] for name in by if name.endswith(number)})]


def is_drawn(scenario: Scenario, name: str) -> bool:
    """Whether the script draws a matrix from the seed, and nothing stands in its place."""
    if scenario.replacement(name) is not None:
        return False
    # A bias whose matrix was given another width than the set-up draws.
    return name != "b_v" or scenario.shape_of("b_v")[1] == scenario.drawn_d_v
