"""One matrix of two scenarios as heatmaps: A, B, and what B has more than A."""

from dataclasses import replace
from typing import Any

from torch import Tensor

from attnviz.compare.comparison import Comparison
from attnviz.figures.heatmap import spec_of
from attnviz.figures.picture import Picture, picture, picture_of
from attnviz.words import say
from attnviz.words.numbers import DEFAULT_DIGITS


def comparison_specs(
    comparison: Comparison, name: str, *, digits: int = DEFAULT_DIGITS, query: int | None = None, dark: bool = False,
    bare: bool = False,
) -> dict[str, dict[str, Any]]:  # fmt: skip
    """Return the heatmaps of A, of B and, where their shapes are the same, of B - A, as Plotly.js reads them.

    All share one scale, so that the same ink is the same amount in A, in B and in what lies between them. `bare` ones
    are smaller: their numbers are told when pointed at.

    >>> from attnviz.core.scenario import Scenario, trace
    >>> list(comparison_specs(Comparison(trace(Scenario("a b")), trace(Scenario("a c"))), "context"))
    ['A', 'B', 'B − A']
    """
    a, b = (picture(trace, name, digits, query, dark) for trace in (comparison.a, comparison.b))
    difference = comparison.difference(name)
    limits = _limits(a, b, difference)
    pictures = {label: _untold(replace(drawn, limits=limits)) for label, drawn in (("A", a), ("B", b))}
    if difference is not None:
        # What only one of the two masks is a number in the other, and so has moved by it.
        hidden = [trace.masked_in(name) for trace in (comparison.a, comparison.b)]
        both = None if hidden[0] is None or hidden[1] is None else hidden[0] & hidden[1]
        moved = picture_of(comparison.b, name, difference, both, digits, query, dark)
        pictures["B − A"] = _difference(moved, limits[1])
    return _on_one_line(
        {
            label: spec_of(replace(_titled(drawn, label), bare=bare), label, filled_up=False)
            for label, drawn in pictures.items()
        }
    )


def _limits(a: Picture, b: Picture, difference: Tensor | None) -> tuple[float, float]:
    """Return the limits that A and B share: wide enough for both, and for what numbers with a sign moved by."""
    low, high = min(a.limits[0], b.limits[0]), max(a.limits[1], b.limits[1])
    if low == 0 or difference is None:
        return low, high
    finite = difference[difference.isfinite()].abs()
    high = max(high, float(finite.max()) if finite.numel() else 0.0)
    return -high, high


def _on_one_line(specs: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Let the first and the last rows of all heatmaps stand at the same height, whatever stands above and below."""
    for side in ("t", "b"):
        widest = max(spec["layout"]["margin"][side] for spec in specs.values())
        for spec in specs.values():
            layout = spec["layout"]
            layout["height"] += widest - layout["margin"][side]
            layout["margin"][side] = widest
    return specs


def _difference(drawn: Picture, limit: float) -> Picture:
    """What is said of a matrix isn't true of a difference, which has a sign."""
    stage = replace(drawn.stage, plain=say("compare.difference"))
    return replace(drawn, stage=stage, limits=(-limit, limit), signed=True)


def _untold(drawn: Picture) -> Picture:
    """Leave out what is true of A and B alike: it's said once, above both."""
    return replace(drawn, stage=replace(drawn.stage, plain=""))


def _titled(drawn: Picture, label: str) -> Picture:
    return replace(drawn, stage=replace(drawn.stage, title=label))
