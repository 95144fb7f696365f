"""The table of all parameters that a link may have.

This file has the parameters of all boards; a feature adds its own rows (slot `parameters`).

Links have had two forms. In the first, until 22 November 2026, questions, their choices and the steps of the lesson
were numbers; in the second, they are names. Links of every form must open for ever.
"""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from attnviz.core.limits import MAX_HEADS, MAX_LAYERS
from attnviz.feature import filled
from attnviz.link.codecs import Choice, Names, Text, Whole
from attnviz.link.page_texts import (
    CELL_TEXT,
    HEADS_THERE,
    LAYERS_THERE,
    PREDICTED_TEXT,
    TOKENS,
    Counted,
    cell_fits,
)
from attnviz.link.parameter import Parameter
from attnviz.link.set_up import EDITS, EXAMPLE, EXAMPLES, parameters
from attnviz.words import by_language

QUERY, CELL, HIDE = "query", "cell", "hide"
HEAD, LAYER = "head", "layer"
LEFT_OUT = "left_out"
PREDICTED, PREDICTIONS, OFF = "predicted", "predictions", "off"
PRESENT, PRESENTED = "present", "1"  # any page, enlarged for a lecture room
MOST_TOGETHER = 470_000  # characters of all texts; the server reads 524 288, and the controls need some of these


@by_language()
def texts() -> Mapping[str, Parameter]:
    """Return the parameters without controls, by name.

    They are in reading order: a parameter may depend on earlier ones.

    >>> texts()["step"].read("one-score")
    ('one-score', None)
    """
    of_features = (row for rows in filled("parameters").values() for row in rows())
    return MappingProxyType({row.name: row for row in (*_of_every_board(), *of_features)})


def _of_every_board() -> tuple[Parameter, ...]:
    """Return the parameters that boards and predictions have in common."""
    return (
        EDITS,
        _counted(QUERY, None, Whole(0, 99_999, may_be_blank=True), TOKENS, 1, "links.used.second"),
        _counted(HEAD, 0, Whole(0, MAX_HEADS - 1), HEADS_THERE),
        _counted(LAYER, 0, Whole(0, MAX_LAYERS - 1), LAYERS_THERE),
        Parameter(CELL, None, CELL_TEXT, used="playground.cell.none", fit=cell_fits, of_scenario=True),
        Parameter(PREDICTED, {}, PREDICTED_TEXT, 1000, 2),
        Parameter(PREDICTIONS, "on", Choice(("on", OFF)), 20, 2),
        Parameter(PRESENT, "", Choice(("", PRESENTED)), 20, 2),
        Parameter(HIDE, (), Names(tuple(parameters())), 300, message="links.hidden"),
        # Links keep it only if they say nothing else: any other example is expanded into all its parameters.
        Parameter(EXAMPLE, "", Choice(EXAMPLES), message="examples.unknown"),
    )


def _counted(name: str, default: int | None, codec: Whole, of: Counted, since: int = 2, used: str = "") -> Parameter:
    return Parameter(name, default, codec, 20, since, used=used, fit=of.fit, words=of.words, of_scenario=True)


@cache
def once() -> Mapping[str, Parameter]:
    """Return the parameters that are read once, and then dropped."""
    return MappingProxyType({LEFT_OUT: Parameter(LEFT_OUT, "", Text(1000), 1000)})


@by_language()
def table() -> Mapping[str, Parameter]:
    """Return every row by its name.

    >>> table()["cell"].read("scores.1.5")
    (('scores', 1, 5), None)
    """
    return MappingProxyType({**parameters(), **texts(), **once()})
