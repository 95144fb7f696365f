"""Script lines for the projections and layers: drawn, replaced and edited matrices."""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from attnviz.core.given import GIVEN, ONCE
from attnviz.core.layers import placed
from attnviz.core.matrix_input import FILLS, RANDOM_FILL
from attnviz.core.scenario import Scenario
from attnviz.core.seeding import INITIALIZATIONS
from attnviz.core.stages import ALL_STAGES, BIASES, BY_DISTANCE, LAYERS, OUTPUT, VECTORS
from attnviz.words import say

Section = tuple[str, list[str]]  # a section's title, and its lines
_WEIGHTS = ("w_q", "w_k", "w_v")


class Widths(NamedTuple):
    """The matrices' widths as in the script; `drawn_v` before any replacement."""

    q: str
    k: str
    drawn_v: str
    context: str


def widths_of(scenario: Scenario) -> Widths:
    """Return the widths of Q, K, V and context, all heads together."""
    widths = Widths("d_k", "d_k", "d_v", "d_v")
    if scenario.n_heads > 1:
        widths = Widths("n_heads * d_k", "n_kv_heads * d_k", "n_kv_heads * d_v", "n_heads * d_v")
    return widths if scenario.is_as_drawn("w_v") else widths._replace(drawn_v=str(scenario.drawn_d_v))


class Drawn(NamedTuple):
    """The names of a drawn matrix and its bias, and its `size`."""

    w: str
    b: str | None
    size: tuple[str, str]


def drawn_matrices(scenario: Scenario) -> list[Drawn]:
    """Return one layer's drawn matrices, in the order of their random numbers."""
    widths = widths_of(scenario)
    biases = BIASES if scenario.bias else (None, None, None)
    drawn = [Drawn(w, b, ("d_in", width)) for w, b, width in zip(_WEIGHTS, biases, widths[:3], strict=True)]
    if scenario.output:
        drawn.append(Drawn(*OUTPUT, (widths.context, widths.context)))
    if scenario.d_ff is not None:
        drawn += [Drawn(*LAYERS[:2], (widths.context, "d_ff")), Drawn(*LAYERS[2:], ("d_ff", widths.context))]
    return drawn


def drawn_lines(scenario: Scenario, only: str | None = None) -> list[str]:
    """Return the lines that draw all matrices, or those up to `only`."""
    drawn = drawn_matrices(scenario)
    if only is not None:  # matrices that are drawn later don't change this one
        drawn = drawn[: 1 + next(i for i, each in enumerate(drawn) if only in each)]
    write = _as_layer if INITIALIZATIONS[scenario.init].as_layer else _as_matrices
    return [line for each in drawn for line in write(scenario, each, only)]


def together(values: Mapping[str, str]) -> list[str]:
    """Return one line that makes all of these, each by its expression.

    >>> together({"w_q": "torch.rand(3, 2)", "b_q": "torch.zeros(2)"})
    ['w_q, b_q = torch.rand(3, 2), torch.zeros(2)']
    """
    return [f"{', '.join(values)} = {', '.join(values.values())}"] if values else []


def _as_layer(_: Scenario, drawn: Drawn, only: str | None) -> list[str]:
    linear = f"linear_{drawn.w[-1]}"
    values = {drawn.w: f"{linear}.weight.detach().T.contiguous()"}
    if drawn.b is not None:
        values[drawn.b] = f"{linear}.bias.detach()"
    bias = ", bias=False" if drawn.b is None else ""
    return [
        f"{linear} = torch.nn.Linear({', '.join(drawn.size)}{bias})",
        *together({name: by for name, by in values.items() if only in (None, name)}),
    ]


def _as_matrices(scenario: Scenario, drawn: Drawn, only: str | None) -> list[str]:
    values = {drawn.w if only in (None, drawn.w) else "_": INITIALIZATIONS[scenario.init].code(*drawn.size)}
    if drawn.b is not None and only in (None, drawn.b):
        values[drawn.b] = f"torch.zeros({drawn.size[1]})"
    return together(values)


LAYERS_TO_DEVICE = "layers = [{name: matrix.to(device) for name, matrix in layer.items()} for layer in layers]"


def place_of(scenario: Scenario, name: str) -> str:
    """Return where the script keeps an editable matrix.

    >>> place_of(Scenario(), "w_q"), place_of(Scenario(d_out=3, n_layers=2), "w_q")
    ('w_q', 'layers[0]["w_q"]')
    """
    layer, own = placed(name)
    return own if scenario.n_layers == 1 or own in ONCE else f'layers[{layer}]["{own}"]'


def in_each_layer(scenario: Scenario) -> list[str]:
    """Return the lines that draw each layer's matrices into a dictionary."""
    drawn = drawn_matrices(scenario)
    sizes = [f'"{each.w[-1]}": ({", ".join(each.size)})' for each in drawn]
    sized = ",\n         ".join(", ".join(part) for part in (sizes[:3], sizes[3:]) if part)
    lines = [*f"sizes = {{{sized}}}".split("\n"), f"torch.manual_seed({scenario.seed})"]
    one = [*_written_in_layer(scenario), "for part, size in sizes.items():", *_indented(_drawn_part(scenario, drawn))]
    if scenario.same_layers:
        return [*lines, *one, f"layers = [layer] * {scenario.n_layers}  # {say('share.script.layer_same')}"]
    return [*lines, "layers = []", f"for _ in range({scenario.n_layers}):", *_indented([*one, "layers.append(layer)"])]


def _written(scenario: Scenario, names: Iterable[str]) -> list[dict[str, str]]:
    """Return which matrices an expression draws, grouped by their number."""
    by = {name: code(scenario) for name in names if name in GIVEN and (code := GIVEN[name].code)}
    return [{name: by[name] for name in group} for _, group in groupby(by, lambda name: name.partition("_")[2])]


def _written_in_layer(scenario: Scenario) -> list[str]:
    groups = _written(scenario, scenario.editable) or [{}]
    listed = [", ".join(f'"{name}": {by}' for name, by in group.items()) for group in groups]
    return [f"layer {'|=' if at else '='} {{{each}}}" for at, each in enumerate(listed)]


def _drawn_part(scenario: Scenario, drawn: list[Drawn]) -> list[str]:
    """Return the lines that draw a layer's matrix and its bias."""
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
    """Return the loop over the layers around one layer's lines."""
    first = prints[0].replace("print(", 'print(f"layers.{number}", ', 1)
    return [
        "for number, layer in enumerate(layers):",
        *_indented([_matrices_of_layer(scenario), *computed, first, *prints[1:]]),
        f"    x = {list(scenario.layer)[-1]}  # {say('share.script.layer_next')}",
    ]


def kept_through_each_layer(scenario: Scenario, computed: list[str]) -> list[str]:
    """Return the loop that takes the kept sentence through the layers."""
    distances = f"kept_distances = by_distance[:, len(tokens) : -len(tokens)]  # {say('share.script.distances_kept')}"
    return [
        *[distances] * (BY_DISTANCE in scenario.editable),
        f"own, x, kept = x, y, []  # {say('share.script.kept_first')}",
        "for layer in layers:",
        "    kept.append(x)",
        *_indented([_matrices_of_layer(scenario), *computed]),
        f"    x = {list(scenario.layer)[-1]}",
        "x = own",
    ]


def _matrices_of_layer(scenario: Scenario) -> str:
    names = [name for group in _written(scenario, scenario.editable) for name in group]
    names += [name for each in drawn_matrices(scenario) for name in (each.w, each.b) if name is not None]
    return f"{', '.join(names)} = layer.values()"


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


_LISTED = 8  # up to this many edits have a line each


def replaced(scenario: Scenario, name: str) -> list[str]:
    """Return the lines that replace a drawn matrix."""
    own, target = placed(name)[1], place_of(scenario, name)
    lines = _given(scenario, name, own)
    return [f"{target}{line.removeprefix(own)}" if line.startswith(f"{own} = ") else line for line in lines]


def _given(scenario: Scenario, called: str, name: str) -> list[str]:
    """Return the lines that make a given matrix, under this name."""
    by = scenario.replacement(called)
    n_rows, n_columns = scenario.shape_of(name)
    size = f"{n_columns}" if name in VECTORS else f"{n_rows}, {n_columns}"
    if by in FILLS and not (by == "identity" and name in VECTORS):
        return [f"{name} = torch.{'eye' if by == 'identity' else 'zeros'}({size})"]
    if isinstance(by, str) and by.startswith(RANDOM_FILL) and name not in VECTORS:
        seed = f"torch.manual_seed({by.removeprefix(RANDOM_FILL)})"
        if GIVEN[name].draw is not None:
            return [seed, f"{name} = torch.randn({size})"]
        if scenario.is_as_drawn("w_v"):
            return [
                f"{seed}  # {say('share.script.seed_for', symbol=ALL_STAGES[name].symbol)}",
                *drawn_lines(scenario, name),
            ]
    rows = scenario.unedited(called).tolist()
    if name in VECTORS:
        return [f"{name} = torch.tensor({numbers(rows[0])})"]
    return [f"{name} = torch.tensor([", *(f"    {numbers(row)}," for row in rows), "])"]


def numbers(row: Sequence[float]) -> str:
    """Write float32 numbers in the fewest digits that identify them."""
    return f"[{', '.join(map(number, row))}]"


def number(value: float) -> str:
    """Write a float32 in the fewest digits, or as ``float("inf")``."""
    return str(np.float32(value)) if math.isfinite(value) else f'float("{value}")'


def _in_full(value: float) -> str:
    return repr(value) if math.isfinite(value) else number(value)


def edited(scenario: Scenario) -> list[str]:
    """Return the lines that write edited cells; many go into a loop."""
    called = {edit.matrix: place_of(scenario, edit.matrix) for edit in scenario.edits}
    vectors = {name for name in called if placed(name)[1] in VECTORS}
    cells = [
        (f"{called[name]}[{column if name in vectors else f'{row}, {column}'}]", value)
        for name, row, column, value in scenario.edits
    ]
    if len(cells) <= _LISTED:
        return [f"{cell} = {_in_full(value)}" for cell, value in cells]
    lines = []
    for name in dict.fromkeys(edit.matrix for edit in scenario.edits):
        edits = [edit for edit in scenario.edits if edit.matrix == name]
        place = "column" if name in vectors else "row, column"
        listed = f"{name.replace('.', '_')}edited"
        cells_of = [f"    ({edit.row}, {edit.column}, {_in_full(edit.value)})," for edit in edits]
        lines += [f"{listed} = [", *cells_of, "]"]
        lines += [f"for row, column, value in {listed}:", f"    {called[name]}[{place}] = value"]
    return lines


def weights(scenario: Scenario) -> list[Section]:
    """Return the sections that make all projections, biases, gains and offsets."""
    names = [name for name in scenario.editable if name not in ONCE]
    given = [line for name in names if not is_drawn(scenario, name) for line in replaced(scenario, name)]
    drawn = [name for name in names if is_drawn(scenario, name)]
    if scenario.n_layers > 1:
        title = say(f"share.script.layers_{'same' if scenario.same_layers else 'own'}")
        return [(title, in_each_layer(scenario) + given)]
    lines = [line for group in _written(scenario, drawn) for line in together(group)]
    if any(GIVEN[name].draw is None for name in drawn):
        lines += [f"torch.manual_seed({scenario.seed})", *drawn_lines(scenario)]
    title = "projections" if scenario.d_ff is None else "projections_and_layers"
    return [(say(f"share.script.{title}"), lines + given)]


def is_drawn(scenario: Scenario, name: str) -> bool:
    """Whether the script draws a matrix from the seed, and keeps it."""
    return scenario.replacement(name) is None and scenario.is_as_drawn(name)
