"""What a scenario comes to: the trace of its table."""

from dataclasses import replace
from typing import Any

from attnviz.core.attention import AttentionTrace, UndefinedAttentionError, execute
from attnviz.core.limits import in_short
from attnviz.core.scenario.scenario import Scenario
from attnviz.core.stages import EDITABLE


def trace(scenario: Scenario | str) -> AttentionTrace:
    """Compute every intermediate of a scenario, float32 on its device; of a text, with the default settings.

    Raises ``ValueError`` for anything else, and :class:`attnviz.UndefinedAttentionError` (a ``ValueError``) for a row
    without a finite score.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.2.1.

    >>> trace(Scenario(embedding="published")).context[1]
    tensor([0.3061, 0.8210])
    """
    if isinstance(scenario, str):
        scenario = Scenario(scenario)
    if not isinstance(scenario, Scenario):
        raise ValueError(f"scenario is {in_short(scenario)}, expected a Scenario or a text")
    inputs, notices = scenario.given_to_stages
    return execute(scenario.table, inputs, scenario.tokens, notices)


def traced(scenario: Scenario) -> AttentionTrace:
    """Compute a scenario as :func:`trace` does, or the part of it that is defined: in a row without a finite score the
    attention weights and the context are NaN.

    >>> broken = Scenario("a b", w_q="zeros", edits=[("w_q", 0, 0, 3e38), ("x", 0, 0, 10)])
    >>> bool(traced(broken).attention_weights.isnan().any())
    True
    """
    try:
        return trace(scenario)
    except UndefinedAttentionError as error:
        return error.trace


def without_changes(scenario: Scenario) -> Scenario:
    """Return the scenario as its set-up draws it: no edits, no replaced matrices."""
    nothing: dict[str, Any] = dict.fromkeys(EDITABLE)
    return replace(scenario, edits=(), deeper=(), **nothing)
