"""Several layers in an exported script: each layer's matrices in a dictionary, and a loop through them."""

from textwrap import wrap

from attnviz.core.layers import OF_TOKENS, placed
from attnviz.core.scenario import Scenario

LAYERS_TO_DEVICE = "layers = [{name: matrix.to(device) for name, matrix in layer.items()} for layer in layers]"


def place_of(scenario: Scenario, name: str) -> str:
    """Return where the script keeps an editable matrix.

    >>> place_of(Scenario(), "w_q"), place_of(Scenario(d_out=3, n_layers=2), "w_q")
    ('w_q', 'layers[0]["w_q"]')
    """
    layer, own = placed(name)
    return own if scenario.n_layers == 1 or own in OF_TOKENS else f'layers[{layer}]["{own}"]'


def in_each_layer(scenario: Scenario, names: list[str], drawn: list[str]) -> list[str]:
    """Return the lines that draw the matrices of these names for one layer after the other, from those of one."""
    kept = ", ".join(f'"{name}": {name}' for name in names)
    lines = wrap(kept, 100)
    if scenario.same_layers:
        one = [f"layer = {{{kept}}}"] if len(lines) == 1 else ["layer = {", *_indented(lines), "}"]
        same = f"layers = [layer] * {scenario.n_layers}  # one and the same"
        return [f"torch.manual_seed({scenario.seed})", *drawn, *one, same]
    append = [f"layers.append({{{kept}}})"] if len(lines) == 1 else ["layers.append({", *_indented(lines), "})"]
    return [
        f"torch.manual_seed({scenario.seed})",
        "layers = []",
        f"for _ in range({scenario.n_layers}):",
        *_indented([*drawn, *append]),
    ]


def through_each_layer(scenario: Scenario, computed: list[str], prints: list[str]) -> list[str]:
    """Return the lines that compute and print one layer after the other; `computed` and `prints` are those of one."""
    names = [name for name, stage in scenario.layer.items() if stage.rule is None and name not in OF_TOKENS]
    return [
        "for number, layer in enumerate(layers):",
        *_indented([f"{', '.join(names)} = layer.values()", *computed, 'print(f"layer {number}")', *prints]),
        f"    x = {list(scenario.layer)[-1]}  # what the next layer gets",
    ]


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]
