"""Learned matrices and their gradients, as small pictures and in numbers."""

import html
import math
from collections.abc import Mapping
from typing import Literal

import numpy as np
import streamlit as st
from torch import Tensor

from attnviz.app.text import is_dark
from attnviz.colours.shading import shades, takes_black
from attnviz.core.attention import AttentionTrace
from attnviz.core.layers import STACK
from attnviz.core.stages import HEADS, Stage
from attnviz.documents.pixels import image
from attnviz.features.learn.training import Place, Training
from attnviz.words import say
from attnviz.words.numbers import in_format, written

Role = Literal["x", "q", "k", "a", "v"]

_PICTURE = 120  # pixels of a matrix's longer side
_MOST_ROWS, _MOST_COLUMNS = 20, 12  # shown of a matrix in numbers, around the picked one
_LABEL = 14  # characters
_STYLE = """<style>
.learn-gradients { display: flex; flex-wrap: wrap; gap: 14px 30px; align-items: end; }
.learn-gradients figure { margin: 0; max-width: 100%; overflow-x: auto; }
.learn-gradients figure div { display: flex; gap: 6px; align-items: end; }
.learn-gradients img { outline: 1px solid #8885; }
.learn-gradients figcaption { margin-top: 4px; font-size: 13px; }
.learn-gradients table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
.learn-gradients th { padding: 0 6px; font-weight: normal; text-align: right; white-space: nowrap; }
.learn-gradients td { padding: 1px 6px; text-align: right; white-space: nowrap; }
.learn-gradients td.on { outline: 2px solid; outline-offset: -2px; font-weight: 600; }
</style>"""


def show_pictures(training: Training, step: int, trace: AttentionTrace, gradients: Mapping[str, Tensor]) -> None:
    """Draw every learned matrix, and beside it its gradient."""
    moment, dark = training.at(step), is_dark()
    st.text(say("learn.glass.pictures"))
    parts = []
    for name, matrix in moment.parameters.items():
        stage = trace.stages[name]
        pair = [_as_table(each) for each in (matrix, gradients[name])]
        if not all(np.isfinite(each).all() for each in pair):
            continue
        told = say("learn.glass.of", matrix=called(stage), largest=small(float(np.abs(pair[1]).max()), 2))
        images = "".join(_image(each, stage.role, dark) for each in pair)
        parts.append(f'<figure aria-label="{told}"><div>{images}</div><figcaption>{told}</figcaption></figure>')
    st.html(f'<div class="learn-gradients">{"".join(parts)}</div>{_STYLE}')


def show_numbers(
    training: Training, step: int, trace: AttentionTrace, gradients: Mapping[str, Tensor], place: Place, digits: int
) -> None:
    """Draw a matrix and its gradient; large ones around the picked cell."""
    stage, dark = trace.stages[place.matrix], is_dark()
    pair = [_as_table(each) for each in (training.at(step).parameters[place.matrix], gradients[place.matrix])]
    shown = tuple(
        _around(at, n, most) for at, n, most in zip(place[1:], pair[0].shape, (_MOST_ROWS, _MOST_COLUMNS), strict=True)
    )
    titles = (called(stage), say("learn.glass.gradient_of", matrix=called(stage)))
    labels = [
        [each[:_LABEL] for each in stage.labels("rows", trace.tokens, pair[0].shape[0])],
        [each[:_LABEL] for each in stage.labels("columns", trace.tokens, pair[0].shape[1])],
    ]
    tables = "".join(
        f"<figure>{_table(each, stage.role, dark, labels, shown, place, digits)}"
        f"<figcaption>{html.escape(title)}</figcaption></figure>"
        for each, title in zip(pair, titles, strict=True)
    )
    st.html(f'<div class="learn-gradients">{tables}</div>{_STYLE}')
    if any(len(some) < n for some, n in zip(shown, pair[0].shape, strict=True)):
        rows, columns = pair[0].shape
        st.caption(say("learn.glass.part", rows=rows, columns=columns))


def _around(at: int, n: int, most: int) -> range:
    """Return a range of at most `most` of n indices, around one.

    >>> _around(9, 10, 4), _around(0, 10, 4), _around(5, 10, 4), _around(1, 3, 4)
    (range(6, 10), range(0, 4), range(3, 7), range(0, 3))
    """
    first = min(max(0, at - most // 2), max(0, n - most))
    return range(first, min(n, first + most))


def _table(
    matrix: np.ndarray, role: Role, dark: bool, labels: list[list[str]], shown: tuple[range, ...], place: Place,
    digits: int,
) -> str:  # fmt: skip
    rows, columns = shown
    finite = np.nan_to_num(matrix, nan=0, posinf=0, neginf=0)
    colours = shades(finite, (0, float(np.abs(finite).max()) or 1.0), role, dark)
    black = takes_black(colours)
    head = "".join(f'<th scope="col">{html.escape(labels[1][column])}</th>' for column in columns)
    lines = []
    for row in rows:
        cells = "".join(
            f'<td{" class=on" if (row, column) == place[1:] else ""} style="background:'
            f'#{bytes(colours[row, column].astype(np.uint8)).hex()};color:{"#000" if black[row, column] else "#fff"}">'
            f"{small(float(matrix[row, column]), digits)}</td>"
            for column in columns
        )
        lines.append(f'<tr><th scope="row">{html.escape(labels[0][row])}</th>{cells}</tr>')
    return f"<table><tr><td></td>{head}</tr>{''.join(lines)}</table>"


def _as_table(matrix: Tensor) -> np.ndarray:
    return matrix.reshape(-1, matrix.shape[-1]).numpy()


def _image(matrix: np.ndarray, role: Role, dark: bool) -> str:
    """Return a picture with one pixel per number, coloured by its role."""
    limit = float(np.abs(matrix).max()) or 1.0
    rows, columns = matrix.shape
    side = max(2.0, min(12.0, _PICTURE / max(rows, columns)))
    colours = shades(matrix, (-limit, limit), role, dark).astype(np.uint8)
    return image(colours, columns * side, max(8, rows * side), alt="")


def called(stage: Stage) -> str:
    """Return a matrix's symbol, with layer and head where it has them."""
    of_layer, of_head = stage.name.startswith(f"{STACK}."), f"{HEADS}." in stage.name
    if of_head:
        key = "in_both" if of_layer else "in_head"
        return say(f"learn.glass.{key}", symbol=stage.symbol, layer=stage.layer, head=stage.head)
    return say("learn.glass.in_layer", symbol=stage.symbol, layer=stage.layer) if of_layer else stage.symbol


def small(value: float, digits: int) -> str:
    """Write a gradient with `digits` counted from the first nonzero one."""
    if value == 0 or not math.isfinite(value) or abs(value) >= 10**-digits * 10:
        return written(value, digits)
    return in_format(value, ".2e")
