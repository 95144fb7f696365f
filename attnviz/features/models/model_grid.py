"""All heads of a model at a glance, layers below each other."""

import html
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from attnviz.colours.palette import ROLES, SMALL_SIZE, TITLE_SIZE, on_page, theme
from attnviz.colours.shading import scale_of, shades
from attnviz.core.arguments import typed
from attnviz.core.tokens import token_labels
from attnviz.features.language_models.inside import ModelTrace
from attnviz.figures.cells import fixed
from attnviz.figures.picture import LABEL_CHARS
from attnviz.words import say
from attnviz.words.numbers import DEFAULT_DIGITS, written

if TYPE_CHECKING:
    import plotly.graph_objects as go

MOST_CELLS = 2**20  # limit for all pictures together; with more weights, each cell stands for several
_WIDTH = 1040  # pixels, about: all pictures side by side
_LARGEST = 160  # pixels: one picture
_LEFT, _RIGHT, _TOP, _BELOW = 54, 10, 84, 8


class Grid(NamedTuple):
    """The cells of all pictures ``(rows, columns)``, NaN between them.

    `rows` and `columns` are their names, which all differ. `layers` and `heads` are the indices of each layer's middle
    row and each head's middle column. Each cell stands for `step` by `step` weights.
    """

    z: np.ndarray
    rows: list[str]
    columns: list[str]
    layers: list[int]
    heads: list[int]
    step: int
    numbers: list[int]  # numbers of the layers that have pictures


@typed
def model_figure(view: ModelTrace, *, dark: bool = False) -> "go.Figure":
    """Return all heads' attention weights as a Plotly figure.

    Raises ``ValueError`` for an encoder with a decoder, whose kinds are a figure each.

    >>> import torch
    >>> from attnviz import look_into
    >>> layer = torch.nn.TransformerEncoderLayer(8, nhead=2, batch_first=True).eval()
    >>> model_figure(look_into(layer, torch.ones(3, 8))).data[0].z.shape
    (3, 7)
    """
    import plotly.graph_objects as go  # only notebooks and exports need the Figure class

    return go.Figure(model_spec(view, dark=dark))


def _hover(weight: str) -> str:
    return say("models.hover", reads="%{y}", read="%{x}", weight=weight) + "<extra></extra>"


@typed
def model_spec(view: ModelTrace, *, dark: bool = False) -> dict[str, Any]:
    """Return the same figure as the plain dictionary that Plotly.js reads."""
    grid = grid_of(view)
    shown = theme(dark)
    side = min(_LARGEST, _WIDTH / len(grid.heads))
    width, height = side * len(grid.heads), side * len(grid.layers)
    largest = float(np.nanmax(grid.z))
    drawn = {
        "type": "heatmap", "x": grid.columns, "y": grid.rows, "zmin": 0.0, "zmax": largest,
        "colorscale": scale_of((0.0, largest), "a", dark), "showscale": False, "hoverongaps": False,
    }  # fmt: skip
    by_plotly = fixed(grid.z, DEFAULT_DIGITS)
    numbers = drawn | {"z": np.where(by_plotly, grid.z, np.nan), "hovertemplate": _hover("%{z}")}
    numbers["zhoverformat"] = f".{DEFAULT_DIGITS}f"
    data, others = [numbers], ~by_plotly & ~np.isnan(grid.z)
    if others.any():  # Plotly would format these numbers differently, so it gets their texts, as in every heatmap
        z = np.where(others, grid.z, np.nan)
        text = [["" if math.isnan(value) else written(value, DEFAULT_DIGITS) for value in row] for row in z.tolist()]
        data.append(drawn | {"z": z, "text": text, "hovertemplate": _hover("%{text}")})
    return {
        "data": data,
        "layout": {
            "width": round(_LEFT + width + _RIGHT),
            "height": round(_TOP + height + _BELOW),
            "margin": {"l": _LEFT, "r": _RIGHT, "t": _TOP, "b": _BELOW, "autoexpand": False},
            "title": _title(view, grid, largest, dark),
            "xaxis": _axis(grid.columns, grid.heads, range(len(grid.heads)), "models.head", "head") | {"side": "top"},
            "yaxis": _axis(grid.rows, grid.layers, grid.numbers, "models.layer", "layer") | {"autorange": "reversed"},
            "showlegend": False,
            **on_page(shown),
        },
    }


def _axis(names: list[str], middles: list[int], numbers: Sequence[int], key: str, place: str) -> dict[str, Any]:
    # Narrow pictures are labelled with their number alone.
    texts = [say(key, **{place: i}) if len(middles) <= 8 else str(i) for i in numbers]
    return {
        "type": "category", "fixedrange": True, "showgrid": False, "zeroline": False, "ticks": "", "showline": False,
        "tickvals": [names[at] for at in middles], "ticktext": texts, "tickangle": 0, "automargin": False,
        "ticklabeloverflow": "allow",
    }  # fmt: skip


def _title(view: ModelTrace, grid: Grid, largest: float, dark: bool) -> dict[str, Any]:
    lines = [say("models.axes"), say("models.colours", largest=written(largest, 2))]
    if grid.step > 1:
        lines[1] += "; " + say("models.blocks", rows=grid.step, columns=grid.step)
    below = "".join(
        f'<br><span style="font-size:{SMALL_SIZE}px;color:{theme(dark).muted}">{each}</span>' for each in lines
    )
    title = html.escape(say("models.title", model=view.name))
    return {
        "text": f'<b style="color:{ROLES["a"].on(dark)}">{title}</b>{below}', "x": 0, "xref": "container", "y": 1,
        "yref": "container", "yanchor": "top", "pad": {"t": 14, "l": 4}, "font": {"size": TITLE_SIZE},
    }  # fmt: skip


def grid_of(view: ModelTrace) -> Grid:
    """Return all pictures' cells; ``ValueError`` for layers of several kinds."""
    check_alike(view)
    first = view.attending[0]
    step = math.ceil(math.sqrt(sum(layer.weights.numel() for layer in view.attending) / MOST_CELLS))
    sizes = [math.ceil(n / step) for n in first.weights.shape[1:]]
    gap = max(1, sizes[1] // 16)
    starts = [
        [i * (size + gap) for i in range(n)] for n, size in zip((len(view.attending), view.n_heads), sizes, strict=True)
    ]
    z = np.full([line[-1] + size for line, size in zip(starts, sizes, strict=True)], np.nan, dtype=np.float32)
    for top, layer in zip(starts[0], view.attending, strict=True):
        for left, weights in zip(starts[1], layer.weights.detach().cpu().float().numpy(), strict=False):
            z[top : top + sizes[0], left : left + sizes[1]] = largest_of(weights, step)
    names = [
        _names(tokens, n, step) for tokens, n in zip((first.tokens, first.read), first.weights.shape[1:], strict=True)
    ]
    numbers = numbers_of(view)
    rows = _named(names[0], starts[0], len(z), "models.reads", "layer", numbers)
    columns = _named(names[1], starts[1], z.shape[1], "models.is_read", "head", range(view.n_heads))
    middles = [[start + size // 2 for start in line] for line, size in zip(starts, sizes, strict=True)]
    return Grid(z, rows, columns, middles[0], middles[1], step, numbers)


def numbers_of(view: ModelTrace) -> list[int]:
    """Return the numbers of the layers that have pictures."""
    return [number for number, layer in enumerate(view.layers) if layer.n_heads]


def check_alike(view: ModelTrace) -> None:
    """Raise ``ValueError`` where layers differ in their kind or tokens."""
    if len(view.kinds) > 1:
        raise ValueError(f"the model has attention of the kinds {', '.join(view.kinds)}, expected one: view.only(kind)")
    shapes = list(dict.fromkeys(tuple(layer.weights.shape[1:]) for layer in view.attending))
    if len(shapes) > 1:
        told = ", ".join(f"{rows} by {columns}" for rows, columns in shapes)
        first = f"view.heads[{numbers_of(view)[0]}, 0]"
        raise ValueError(f"the layers have weights of {told}, expected one shape: show one head, {first}")


def largest_of(weights: np.ndarray, step: int) -> np.ndarray:
    """Return the largest of each `step` by `step` block of weights.

    >>> largest_of(np.array([[0.1, 0.2, 0.7], [0.0, 0.4, 0.6]]), 2)
    array([[0.4, 0.7]])
    """
    if step == 1:
        return weights
    *heads, rows, columns = weights.shape
    sizes = [math.ceil(n / step) for n in (rows, columns)]
    padded = np.zeros([*heads, *(size * step for size in sizes)], dtype=weights.dtype)
    padded[..., :rows, :columns] = weights
    largest: np.ndarray = padded.reshape(*heads, sizes[0], step, sizes[1], step).max((-3, -1))
    return largest


def _names(tokens: tuple[str, ...], n: int, step: int) -> list[str]:
    labels = token_labels(tokens, LABEL_CHARS) if len(tokens) == n else tuple(map(str, range(n)))
    return [html.escape(label) for label in labels[::step]]


def _named(names: list[str], starts: list[int], n: int, key: str, place: str, numbers: Sequence[int]) -> list[str]:
    """Return each row's or column's name: layer or head, and token."""
    named = [" " * (i + 1) for i in range(n)]  # between pictures: invisible names, no two the same
    for number, start in zip(numbers, starts, strict=True):
        called = say(f"models.{place}", **{place: number})
        for i, name in enumerate(names):
            named[start + i] = say(key, token=name, **{place: called})
    return named


def grid_shades(grid: Grid, dark: bool = False) -> np.ndarray:
    """Return all cells' colours, ``(rows, columns, 3)``; the page between pictures."""
    drawn = shades(np.nan_to_num(grid.z), (0.0, float(np.nanmax(grid.z)) or 1.0), "a", dark).astype(np.uint8)
    paper = np.array([int(theme(dark).grid[i : i + 2], 16) for i in (1, 3, 5)], dtype=np.uint8)
    return np.where(np.isnan(grid.z)[..., None], paper, drawn)
