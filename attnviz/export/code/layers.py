"""Several layers in an exported script: each layer's matrices in a dictionary, and a loop through them."""

from attnviz.core.layers import OF_TOKENS, placed
from attnviz.core.scenario import Scenario
from attnviz.core.seeding import INITIALIZATIONS
from attnviz.core.stages import BY_DISTANCE, GAINS, NORMS
from attnviz.export.code.drawing import Drawn, drawn_matrices

LAYERS_TO_DEVICE = "layers = [{name: matrix.to(device) for name, matrix in layer.items()} for layer in layers]"


def place_of(scenario: Scenario, name: str) -> str:
    """Return where the script keeps an editable matrix.

    >>> place_of(Scenario(), "w_q"), place_of(Scenario(d_out=3, n_layers=2), "w_q")
    ('w_q', 'layers[0]["w_q"]')
    """
    layer, own = placed(name)
    return own if scenario.n_layers == 1 or own in OF_TOKENS else f'layers[{layer}]["{own}"]'


def in_each_layer(scenario: Scenario) -> list[str]:
    """Return the lines that draw the matrices of one layer after the other, each with its names in a dictionary."""
    drawn = drawn_matrices(scenario)
    sizes = [f'"{each.w[-1]}": ({", ".join(each.size)})' for each in drawn]
    sized = ",\n         ".join(", ".join(part) for part in (sizes[:3], sizes[3:]) if part)
    lines = [*f"sizes = {{{sized}}}".split("\n"), f"torch.manual_seed({scenario.seed})"]
    one = [*_norms(scenario), "for part, size in sizes.items():", *_indented(_drawn_part(scenario, drawn))]
    if scenario.same_layers:
        return [*lines, *one, f"layers = [layer] * {scenario.n_layers}  # one and the same"]
    return [
        *lines,
        "layers = []",
        f"for _ in range({scenario.n_layers}):",
        *_indented([*one, "layers.append(layer)"]),
    ]


def _norms(scenario: Scenario) -> list[str]:
    names = [name for name in scenario.editable if name in NORMS]
    by = [f'"{name}": torch.{"ones" if name in GAINS else "zeros"}(d_in)' for name in names]
    return [f"layer = {{{', '.join(by[:2])}}}", *[f"layer |= {{{', '.join(by[2:])}}}"] * bool(by[2:])]


def _drawn_part(scenario: Scenario, drawn: list[Drawn]) -> list[str]:
    """Return the lines that draw a matrix of a layer, and its bias where it has one."""
    init, biased = INITIALIZATIONS[scenario.init], [each.w[-1] for each in drawn if each.b is not None]
    some = f'part in "{"".join(biased)}"' if 0 < len(biased) < len(drawn) else ""
    if init.as_layer:
        bias = f", bias={some}" if some else "" if biased else ", bias=False"
        lines = [f"linear = torch.nn.Linear(*size{bias})"]
        w, b = "linear.weight.detach().T.contiguous()", "linear.bias.detach()"
    else:
        lines, w, b = [], init.code("*size"), "torch.zeros(size[1])"
    lines.append(f'layer[f"w_{{part}}"] = {w}')
    if not biased:
        return lines
    kept = f'layer[f"b_{{part}}"] = {b}'
    return [*lines, f"if {some}:", f"    {kept}"] if some else [*lines, kept]


def through_each_layer(scenario: Scenario, computed: list[str], prints: list[str]) -> list[str]:
    """Return the lines that compute and print one layer after the other; `computed` and `prints` are those of one."""
    first = prints[0].replace("print(", 'print(f"layer {number}", ', 1)
    return [
        "for number, layer in enumerate(layers):",
        *_indented([_matrices_of_layer(scenario), *computed, first, *prints[1:]]),
        f"    x = {list(scenario.layer)[-1]}  # what the next layer gets",
    ]


def kept_through_each_layer(scenario: Scenario, computed: list[str]) -> list[str]:
    """Return the lines that read the kept sentence alone, and keep what each layer is handed for it; `computed` are
    those of one layer."""
    distances = "kept_distances = by_distance[:, len(tokens) : -len(tokens)]  # those of the kept sentence alone"
    return [
        *[distances] * (BY_DISTANCE in scenario.editable),
        "own, x, kept = x, y, []  # the kept sentence alone first: each layer keeps what it is handed for it",
        "for layer in layers:",
        "    kept.append(x)",
        *_indented([_matrices_of_layer(scenario), *computed]),
        f"    x = {list(scenario.layer)[-1]}",
        "x = own",
    ]


def _matrices_of_layer(scenario: Scenario) -> str:
    names = [name for name in scenario.editable if name in NORMS]
    names += [name for each in drawn_matrices(scenario) for name in (each.w, each.b) if name is not None]
    return f"{', '.join(names)} = layer.values()"


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]
