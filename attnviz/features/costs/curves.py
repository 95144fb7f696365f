"""Costs against the length of a text, as figures for Plotly."""

import html
from collections.abc import Callable, Sequence
from typing import Any

from attnviz.colours.palette import FONT_SIZE, TITLE_SIZE, on_page, theme
from attnviz.features.costs.counting import Costs
from attnviz.features.costs.in_words import bytes_in_words, count_in_words, plural_tokens
from attnviz.features.costs.measuring import Measured
from attnviz.words import say, thousands

LENGTHS = tuple(2**power for power in range(21))  # up to 1,048,576 tokens
QUANTITIES = ("cached", "multiplications")
_IN_WORDS: dict[str, Callable[[float], str]] = {"cached": bytes_in_words, "multiplications": count_in_words}


def _value(costs: Costs, quantity: str, n: int) -> int:
    return costs.cached_bytes(n) if quantity == "cached" else costs.multiplications(n)


def cost_spec(
    models: Sequence[Costs], own: Costs, n_own: int, *, quantity: str, picked: str, length: int, dark: bool = False
) -> dict[str, Any]:
    """Return a line for each model, and one for the reader's set-up.

    A point on the reader's line is the text's length. The line of the model named `picked` stands out, and `length` is
    marked.
    """
    colours = theme(dark)
    # The picked model is drawn last, so that it's above the others.
    ordered = sorted(models, key=lambda each: each.name == picked)
    looks = {costs.name: (colours.picked, 3.0) if costs.name == picked else (colours.muted, 1.0) for costs in ordered}
    looks[own.name] = (colours.text, 2.0)
    lines = [_line(costs, quantity, *looks[costs.name]) for costs in (*ordered, own)]
    lines[-1]["line"]["dash"] = "dot"
    at_length = next(costs for costs in ordered if costs.name == picked)
    points = [_point(own, quantity, n_own, colours.text, "diamond"),
              _point(at_length, quantity, length, colours.picked, "circle")]  # fmt: skip
    return {"data": [*lines, *points], "layout": _layout(quantity, lines, length, dark)}


def _line(costs: Costs, quantity: str, colour: str, width: float) -> dict[str, Any]:
    values = [_value(costs, quantity, n) for n in LENGTHS]
    return {
        "type": "scatter", "mode": "lines", "name": html.escape(costs.name), "x": [*LENGTHS], "y": values,
        "line": {"color": colour, "width": width}, "showlegend": False,
        "hovertext": [_hover(costs, quantity, n) for n in LENGTHS], "hovertemplate": "%{hovertext}<extra></extra>",
    }  # fmt: skip


def _point(costs: Costs, quantity: str, n: int, colour: str, symbol: str) -> dict[str, Any]:
    return {
        "type": "scatter", "mode": "markers+text", "x": [n], "y": [_value(costs, quantity, n)],
        "marker": {"color": colour, "size": 11, "symbol": symbol}, "text": [html.escape(costs.name)],
        "textposition": "top left" if n > LENGTHS[len(LENGTHS) // 2] else "bottom right",
        "textfont": {"color": colour, "size": FONT_SIZE}, "showlegend": False, "cliponaxis": False,
        "hovertext": [_hover(costs, quantity, n)], "hovertemplate": "%{hovertext}<extra></extra>",
    }  # fmt: skip


def _hover(costs: Costs, quantity: str, n: int) -> str:
    value = _IN_WORDS[quantity](_value(costs, quantity, n))
    return say("costs.curve.hover", name=html.escape(costs.name), n=plural_tokens(n), value=value)


def _layout(quantity: str, lines: Sequence[dict[str, Any]], length: int, dark: bool) -> dict[str, Any]:
    colours = theme(dark)
    step = 1024 if quantity == "cached" else 1000
    largest = max(max(line["y"]) for line in lines)
    ticks = [step**power for power in range(6) if step**power <= largest]
    write = _IN_WORDS[quantity]
    grid = {"gridcolor": colours.grid, "zeroline": False, "fixedrange": True, "linecolor": colours.muted, "type": "log"}
    lengths = LENGTHS[::5]
    return {
        "height": 380,
        "margin": {"l": 84, "r": 24, "t": 36, "b": 48},
        **on_page(colours),
        "title": {"text": f"<b>{say(f'costs.curve.{quantity}')}</b>", "font": {"size": TITLE_SIZE}, "x": 0, "y": 0.98,
                  "yanchor": "top"},
        "xaxis": grid | {"title": {"text": say("costs.curve.length"), "standoff": 6, "font": {"size": FONT_SIZE}},
                         "tickvals": [*lengths], "ticktext": [thousands(n) for n in lengths], "tickangle": 0},
        "yaxis": grid | {"tickvals": ticks, "ticktext": [write(tick) for tick in ticks]},
        "hovermode": "closest",
        "shapes": [{"type": "line", "x0": length, "x1": length, "y0": 0, "y1": 1, "yref": "paper",
                    "line": {"color": colours.muted, "width": 1, "dash": "dash"}}],
    }  # fmt: skip


def measured_spec(measured: Sequence[Measured], *, dark: bool = False) -> dict[str, Any]:
    """Return measured times against length, beside the growth of the multiplications."""
    colours, last = theme(dark), measured[-1]
    counted = [last.whole_ms * each.multiplications / last.multiplications for each in measured]
    lines = [
        _times(measured, [each.whole_ms for each in measured], "whole", colours.text, "solid", "circle"),
        _times(measured, [each.tiled_ms for each in measured], "tiled", colours.picked, "solid", "square"),
        _times(measured, counted, "counted", colours.muted, "dot", ""),
    ]
    layout = _layout("multiplications", lines, last.tokens, dark)
    layout["title"]["text"] = f"<b>{say('costs.measured.title')}</b>"
    layout["legend"] = {"orientation": "h", "x": 0, "y": -0.22, "yanchor": "top"}
    layout["xaxis"] |= {"tickvals": [each.tokens for each in measured],
                        "ticktext": [thousands(each.tokens) for each in measured]}  # fmt: skip
    layout["yaxis"] = {key: value for key, value in layout["yaxis"].items() if not key.startswith("tick")}
    layout["yaxis"] |= {"dtick": 1, "ticksuffix": f" {say('costs.measured.unit')}", "exponentformat": "none"}
    layout["margin"]["b"] = 96
    del layout["shapes"]
    return {"data": lines, "layout": layout}


def _times(
    measured: Sequence[Measured], times: Sequence[float], name: str, colour: str, dash: str, symbol: str
) -> dict[str, Any]:
    called = say(f"costs.measured.{name}")
    return {
        "type": "scatter", "mode": "lines+markers" if symbol else "lines", "name": called,
        "x": [each.tokens for each in measured], "y": [*times], "line": {"color": colour, "width": 2, "dash": dash},
        **({"marker": {"symbol": symbol, "size": 8, "color": colour}} if symbol else {}),
        "hovertext": [say("costs.measured.hover", name=called, n=plural_tokens(each.tokens), time=f"{time:.2f}")
                      for each, time in zip(measured, times, strict=True)],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }  # fmt: skip
