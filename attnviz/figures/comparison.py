"""One matrix of two scenarios as heatmaps: A, B, and what B has more than A."""

from dataclasses import replace
from typing import Any

import numpy as np

from attnviz.compare.comparison import Comparison
from attnviz.figures.heatmap import spec_of
from attnviz.figures.picture import FINITE, Picture, picture, picture_of
from attnviz.words import say
from attnviz.words.numbers import DEFAULT_DIGITS


def comparison_specs(
    comparison: Comparison, name: str, *, digits: int = DEFAULT_DIGITS, query: int | None = None, dark: bool = False
) -> dict[str, dict[str, Any]]:
    """Return the heatmaps of A, of B and, where their shapes are the same, of B - A, as Plotly.js reads them.

    A and B share their colour limits; those of B - A are symmetric about 0 and its own.

    >>> from attnviz.core.scenario import Scenario, trace
    >>> list(comparison_specs(Comparison(trace(Scenario("a b")), trace(Scenario("a c"))), "context"))
    ['A', 'B', 'B − A']
    """
    a, b = (picture(trace, name, digits, query, dark) for trace in (comparison.a, comparison.b))
    limits = (min(a.limits[0], b.limits[0]), max(a.limits[1], b.limits[1]))
    pictures = {"A": replace(a, limits=limits), "B": replace(b, limits=limits)}
    difference = comparison.difference(name)
    if difference is not None:
        # What only one of the two masks is a number in the other, and so has moved by it.
        hidden = [trace.masked_in(name) for trace in (comparison.a, comparison.b)]
        both = None if hidden[0] is None or hidden[1] is None else hidden[0] & hidden[1]
        moved = picture_of(comparison.b, name, difference, both, digits, query, dark)
        pictures["B − A"] = _difference(moved)
    return _on_one_line({label: spec_of(_titled(drawn, label), label) for label, drawn in pictures.items()})


def _on_one_line(specs: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Let the first rows of all heatmaps stand at the same height, whatever stands above them."""
    top = max(spec["layout"]["margin"]["t"] for spec in specs.values())
    for spec in specs.values():
        layout = spec["layout"]
        layout["height"] += top - layout["margin"]["t"]
        layout["margin"]["t"] = top
    return specs


def _difference(drawn: Picture) -> Picture:
    finite = np.abs(drawn.z[drawn.kinds == FINITE])
    largest = float(finite.max()) if finite.size else 0.0
    return replace(
        drawn,
        # Any signed family of colours: the limits are its own. What is said of a matrix isn't true of a difference.
        stage=replace(drawn.stage, colours="scores", plain=say("compare.difference")),
        limits=(-largest, largest) if largest > 0 else (-1.0, 1.0),
        signed=True,
    )


def _titled(drawn: Picture, label: str) -> Picture:
    return replace(drawn, stage=replace(drawn.stage, title=label))
